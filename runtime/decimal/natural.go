package decimal

import "math/bits"

// natural is a number of 128 bits without a sign.
type natural struct{ hi, lo uint64 }

// pow10 are the powers of ten up to 10^38.
var pow10 = func() (p [MaxPrecision + 1]natural) {
	p[0] = natural{0, 1}
	for i := 1; i < len(p); i++ {
		product := p[i-1].mul(natural{0, 10})
		p[i] = natural{product[1], product[0]}
	}
	return p
}()

func (d Decimal) abs() natural {
	d = d.Abs()
	return natural{uint64(d.hi), d.lo}
}

// signed is n with a sign, if it is below 10^38.
func (n natural) signed(negative bool) (Decimal, error) {
	if n.cmp(pow10[MaxPrecision]) >= 0 {
		return Decimal{}, ErrOverflow
	}
	d := Decimal{int64(n.hi), n.lo}
	if negative {
		return d.Neg(), nil
	}
	return d, nil
}

func (n natural) cmp(m natural) int {
	switch {
	case n == m:
		return 0
	case n.hi < m.hi || n.hi == m.hi && n.lo < m.lo:
		return -1
	}
	return 1
}

func (n natural) add(m natural) (sum natural, over bool) {
	lo, carry := bits.Add64(n.lo, m.lo, 0)
	hi, carry := bits.Add64(n.hi, m.hi, carry)
	return natural{hi, lo}, carry != 0
}

func (n natural) sub(m natural) (difference natural, under bool) {
	lo, borrow := bits.Sub64(n.lo, m.lo, 0)
	hi, borrow := bits.Sub64(n.hi, m.hi, borrow)
	return natural{hi, lo}, borrow != 0
}

// half is n / 2, rounded up.
func (n natural) half() natural {
	up, over := n.add(natural{0, 1})
	h := natural{up.hi >> 1, up.hi<<63 | up.lo>>1}
	if over {
		h.hi |= 1 << 63
	}
	return h
}

func (n natural) mul(m natural) wide {
	w, _ := wide{n.lo, n.hi}.mul(m)
	return w
}

// wide is a number of 256 bits, the lowest word first.
type wide [4]uint64

// mul is w * m, if it fits.
func (w wide) mul(m natural) (product wide, over bool) {
	for j, f := range [2]uint64{m.lo, m.hi} {
		var carry uint64
		for i := range w {
			hi, lo := bits.Mul64(w[i], f)
			lo, c := bits.Add64(lo, carry, 0)
			hi += c
			if i+j >= len(product) {
				over = over || lo|hi != 0
				continue
			}
			product[i+j], c = bits.Add64(product[i+j], lo, 0)
			carry = hi + c
		}
		over = over || j == 0 && carry != 0
	}
	return product, over
}

// div is w / d, which is not zero and below 2^127, and what it leaves.
func (w wide) div(d natural) (quotient wide, rest natural) {
	if d.hi == 0 {
		for i := len(w) - 1; i >= 0; i-- {
			quotient[i], rest.lo = bits.Div64(rest.lo, w[i], d.lo)
		}
		return quotient, rest
	}
	// Long division in base 2^64 by two words, which are shifted so that the first one is at least 2^63 (Knuth's D).
	shift := bits.LeadingZeros64(d.hi)
	d = natural{d.hi<<shift | d.lo>>(64-shift), d.lo << shift}
	var n [5]uint64
	n[4] = w[3] >> (64 - shift)
	for i := 3; i > 0; i-- {
		n[i] = w[i]<<shift | w[i-1]>>(64-shift)
	}
	n[0] = w[0] << shift
	for i := 2; i >= 0; i-- {
		q := ^uint64(0)
		if n[i+2] < d.hi {
			var r uint64
			q, r = bits.Div64(n[i+2], n[i+1], d.hi)
			for { // q is at most two too large
				hi, lo := bits.Mul64(q, d.lo)
				if hi < r || hi == r && lo <= n[i] {
					break
				}
				q--
				if r += d.hi; r < d.hi {
					break
				}
			}
		}
		hi, lo := bits.Mul64(q, d.lo)
		hi2, lo2 := bits.Mul64(q, d.hi)
		mid, carry := bits.Add64(hi, lo2, 0)
		top := hi2 + carry
		var borrow uint64
		n[i], borrow = bits.Sub64(n[i], lo, 0)
		n[i+1], borrow = bits.Sub64(n[i+1], mid, borrow)
		n[i+2], borrow = bits.Sub64(n[i+2], top, borrow)
		for borrow != 0 {
			q--
			var c uint64
			n[i], c = bits.Add64(n[i], d.lo, 0)
			n[i+1], c = bits.Add64(n[i+1], d.hi, c)
			n[i+2], c = bits.Add64(n[i+2], 0, c)
			borrow -= c
		}
		quotient[i] = q
	}
	return quotient, natural{n[1] >> shift, n[1]<<(64-shift) | n[0]>>shift}
}
