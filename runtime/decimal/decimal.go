// Package decimal is exact decimal numbers of at most 38 digits: decimal(p, s) of the language.
//
// It stands at the bottom of the runtime and is called by generated records, codecs and expressions. How many digits stand
// behind the point is a matter of the type and not of the value, as it is of a column in a database: code that was generated for
// decimal(12, 2) gives the scale 2 where it matters. So a Decimal is two words, == compares numbers, and nothing allocates. That is
// why it is not one of a library, which carries its scale: reading a price, adding to it and writing it took apd v3.2.3 two
// allocations and at least twice as long, and its number is twice the size and not comparable.
package decimal

import (
	"errors"
	"math/bits"
)

// MaxPrecision is how many digits a Decimal can have.
const MaxPrecision = 38

// The errors of this package.
var (
	ErrOverflow       = errors.New("decimal overflow")
	ErrDivisionByZero = errors.New("division by zero")
	ErrSyntax         = errors.New("not a decimal number")
	ErrInexact        = errors.New("more digits behind the point than the type has")
	ErrInteger        = errors.New("not a whole number, or out of range")
)

// Decimal is the coefficient of a decimal number: 12.50 of decimal(12, 2) is 1250. The zero Decimal is 0, whatever its scale.
// It is a 128-bit two's complement integer whose absolute value is below 10^38.
type Decimal struct {
	hi int64
	lo uint64
}

// New is the coefficient n.
func New(n int64) Decimal { return Decimal{hi: n >> 63, lo: uint64(n)} }

// Words is the coefficient hi * 2^64 + lo. Generated code has it for constants that New is too small for.
func Words(hi int64, lo uint64) Decimal { return Decimal{hi, lo} }

// Words are the coefficient as Words takes it, for codecs.
func (d Decimal) Words() (hi int64, lo uint64) { return d.hi, d.lo }

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int {
	switch {
	case d.hi < 0:
		return -1
	case d == Decimal{}:
		return 0
	}
	return 1
}

// Cmp is -1, 0 or 1: how d stands to e of the same scale.
func (d Decimal) Cmp(e Decimal) int {
	switch {
	case d == e:
		return 0
	case d.hi < e.hi || d.hi == e.hi && d.lo < e.lo:
		return -1
	}
	return 1
}

// Min is the lesser of numbers of one scale.
func Min(first Decimal, others ...Decimal) Decimal {
	for _, d := range others {
		if d.Cmp(first) < 0 {
			first = d
		}
	}
	return first
}

// Max is the greater of numbers of one scale.
func Max(first Decimal, others ...Decimal) Decimal {
	for _, d := range others {
		if d.Cmp(first) > 0 {
			first = d
		}
	}
	return first
}

// Neg is -d.
func (d Decimal) Neg() Decimal {
	lo, borrow := bits.Sub64(0, d.lo, 0)
	hi, _ := bits.Sub64(0, uint64(d.hi), borrow)
	return Decimal{int64(hi), lo}
}

// Abs is d without its sign.
func (d Decimal) Abs() Decimal {
	if d.hi < 0 {
		return d.Neg()
	}
	return d
}

// Plus is d + e, of one scale. It is for sums that their types leave room for; see Add.
func (d Decimal) Plus(e Decimal) Decimal {
	lo, carry := bits.Add64(d.lo, e.lo, 0)
	hi, _ := bits.Add64(uint64(d.hi), uint64(e.hi), carry)
	return Decimal{int64(hi), lo}
}

// Minus is d - e, of one scale. It is for differences that their types leave room for; see Sub.
func (d Decimal) Minus(e Decimal) Decimal { return d.Plus(e.Neg()) }

// Times is d * e; its scale is the sum of theirs. It is for products that their types leave room for; see Mul.
func (d Decimal) Times(e Decimal) Decimal {
	hi, lo := bits.Mul64(d.lo, e.lo)
	hi += uint64(d.hi)*e.lo + d.lo*uint64(e.hi)
	return Decimal{int64(hi), lo}
}

// Add is d + e, of one scale.
func Add(d, e Decimal) (Decimal, error) {
	// Each is below 10^38, so that the sum is below 2^128: without a sign it does not overflow.
	if d.hi < 0 == (e.hi < 0) {
		a, b := d.abs(), e.abs()
		sum, _ := a.add(b)
		return sum.signed(d.hi < 0)
	}
	return d.Plus(e), nil
}

// Sub is d - e, of one scale.
func Sub(d, e Decimal) (Decimal, error) { return Add(d, e.Neg()) }

// Mul is d * e; its scale is the sum of theirs.
func Mul(d, e Decimal) (Decimal, error) {
	product := d.abs().mul(e.abs())
	if product[2]|product[3] != 0 {
		return Decimal{}, ErrOverflow
	}
	return natural{product[1], product[0]}.signed(d.hi < 0 != (e.hi < 0))
}

// Div is d / e with scale digits behind the point, halves rounded away from zero. dScale and eScale are those of d and e.
func Div(d Decimal, dScale int, e Decimal, eScale, scale int) (Decimal, error) {
	if e == (Decimal{}) {
		return Decimal{}, ErrDivisionByZero
	}
	// d / 10^dScale / (e / 10^eScale) * 10^scale
	n, divisor := wide{d.abs().lo, d.abs().hi}, e.abs()
	negative := d.hi < 0 != (e.hi < 0)
	if n == (wide{}) {
		return Decimal{}, nil
	}
	for shift := scale + eScale - dScale; shift > 0; {
		step := min(shift, MaxPrecision)
		var over bool
		if n, over = n.mul(pow10[step]); over { // beyond 2^256 > 10^38 * 10^38, so the quotient is no Decimal
			return Decimal{}, ErrOverflow
		}
		shift -= step
	}
	if shift := dScale - eScale - scale; shift > 0 {
		scaled := divisor.mul(pow10[min(shift, MaxPrecision)])
		if shift > MaxPrecision || scaled[2]|scaled[3] != 0 || scaled[1]>>63 != 0 {
			// The divisor is beyond 2^127 > 10^38 and the dividend below 10^38: the quotient is below 1.
			if shift <= MaxPrecision && scaled[2]|scaled[3] == 0 {
				half := natural{scaled[1], scaled[0]}.half()
				if (natural{n[1], n[0]}).cmp(half) >= 0 {
					return New(1).signedAs(negative), nil
				}
			}
			return Decimal{}, nil
		}
		divisor = natural{scaled[1], scaled[0]}
	}
	quotient, rest := n.div(divisor)
	if quotient[2]|quotient[3] != 0 {
		return Decimal{}, ErrOverflow
	}
	q := natural{quotient[1], quotient[0]}
	if left, _ := divisor.sub(rest); rest.cmp(left) >= 0 {
		q, _ = q.add(natural{0, 1})
	}
	return q.signed(negative)
}

func (d Decimal) signedAs(negative bool) Decimal {
	if negative {
		return d.Neg()
	}
	return d
}

// Widen is d with n more digits behind the point. It is for types that have room for them.
func (d Decimal) Widen(n int) Decimal {
	p := pow10[n]
	return d.Times(Decimal{int64(p.hi), p.lo})
}

// Convert is d, of scale from, as a number of scale to with at most precision digits. What does not fit exactly is an error.
func Convert(d Decimal, from, precision, to int) (Decimal, error) {
	n := d.abs()
	if to >= from {
		product := n.mul(pow10[to-from])
		if product[2]|product[3] != 0 {
			return Decimal{}, ErrOverflow
		}
		n = natural{product[1], product[0]}
	} else {
		quotient, rest := wide{n.lo, n.hi}.div(pow10[from-to])
		if rest != (natural{}) {
			return Decimal{}, ErrInexact
		}
		n = natural{quotient[1], quotient[0]}
	}
	if n.cmp(pow10[precision]) >= 0 {
		return Decimal{}, ErrOverflow
	}
	return n.signed(d.hi < 0)
}

// whole is d, of the given scale, without its fraction, and whether there was one.
func (d Decimal) whole(scale int) (n Decimal, fraction bool) {
	quotient, rest := wide{d.abs().lo, d.abs().hi}.div(pow10[scale])
	n, _ = natural{quotient[1], quotient[0]}.signed(d.hi < 0) // not larger than d
	return n, rest != natural{}
}

func (d Decimal) int64() (int64, error) {
	if d.hi != int64(d.lo)>>63 {
		return 0, ErrOverflow
	}
	return int64(d.lo), nil
}

// Int64 is d, of the given scale, as an int64. A fraction, and what is out of range, is an error.
func (d Decimal) Int64(scale int) (int64, error) {
	n, fraction := d.whole(scale)
	v, err := n.int64()
	if fraction || err != nil {
		return 0, ErrInteger
	}
	return v, nil
}

// Int32 is d, of the given scale, as an int32. A fraction, and what is out of range, is an error.
func (d Decimal) Int32(scale int) (int32, error) {
	v, err := d.Int64(scale)
	if err != nil || int64(int32(v)) != v {
		return 0, ErrInteger
	}
	return int32(v), nil
}

// Trunc is d, of the given scale, without its fraction.
func Trunc(d Decimal, scale int) (int64, error) {
	n, _ := d.whole(scale)
	return n.int64()
}

// Floor is the largest integer that is not above d, of the given scale.
func Floor(d Decimal, scale int) (int64, error) {
	n, fraction := d.whole(scale)
	if fraction && d.hi < 0 {
		n = n.Minus(New(1))
	}
	return n.int64()
}

// Ceil is the smallest integer that is not below d, of the given scale.
func Ceil(d Decimal, scale int) (int64, error) {
	n, fraction := d.whole(scale)
	if fraction && d.hi >= 0 {
		n = n.Plus(New(1))
	}
	return n.int64()
}

// Round is the integer nearest to d, of the given scale; halves go away from zero.
func Round(d Decimal, scale int) (int64, error) {
	n, err := Div(d, scale, New(1), 0, 0)
	if err != nil {
		return 0, err
	}
	return n.int64()
}
