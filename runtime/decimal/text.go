package decimal

import (
	"math/bits"
	"strconv"
	"unsafe"
)

// Append writes d, of the given scale, with all digits of the scale: 12.50.
func Append(dst []byte, d Decimal, scale int) []byte {
	n := d.abs()
	if d.hi < 0 {
		dst = append(dst, '-')
	}
	var digits [MaxPrecision + 1]byte
	i := len(digits)
	// Nineteen digits fit into a word.
	for n.hi != 0 {
		var rest uint64
		quotient := natural{hi: n.hi / 1e19}
		quotient.lo, rest = bits.Div64(n.hi%1e19, n.lo, 1e19)
		for range 19 {
			i--
			digits[i] = '0' + byte(rest%10)
			rest /= 10
		}
		n = quotient
	}
	for n.lo != 0 {
		i--
		digits[i] = '0' + byte(n.lo%10)
		n.lo /= 10
	}
	for len(digits)-i <= scale {
		i--
		digits[i] = '0'
	}
	point := len(digits) - scale
	dst = append(dst, digits[i:point]...)
	if scale > 0 {
		dst = append(dst, '.')
		dst = append(dst, digits[point:]...)
	}
	return dst
}

// Text is d, of the given scale: 12.50.
func (d Decimal) Text(scale int) string { return string(Append(nil, d, scale)) }

// Parse reads a number, with a fraction and an exponent if it has them, as one with at most precision digits, scale of them
// behind the point. It is exact or fails: zeros at the end of the fraction are nothing.
func Parse[T ~string | ~[]byte](s T, precision, scale int) (Decimal, error) {
	if d, ok := parseShort(s, precision, scale); ok {
		return d, nil
	}
	i, negative := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		i++
	}
	// The value is n * 10^-fraction * 10^zeros, where zeros are those that were read and not yet multiplied into n.
	var n natural
	zeros, fraction, digits, point := 0, 0, 0, false
	for ; i < len(s); i++ {
		c := s[i] - '0'
		if s[i] == '.' && !point {
			point = true
			continue
		}
		if c > 9 {
			break
		}
		digits++
		if point {
			fraction++
		}
		if c == 0 {
			zeros++
			continue
		}
		if n == (natural{}) {
			zeros = 0 // leading ones
		}
		if zeros >= MaxPrecision {
			return Decimal{}, tooLong(point)
		}
		product := n.mul(pow10[zeros+1])
		var over bool
		n, over = natural{product[1], product[0]}.add(natural{0, uint64(c)})
		if over || product[2]|product[3] != 0 || n.cmp(pow10[MaxPrecision]) >= 0 {
			return Decimal{}, tooLong(point)
		}
		zeros = 0
	}
	if digits == 0 || s[i-1] == '.' {
		return Decimal{}, ErrSyntax
	}
	exponent := 0
	if i < len(s) {
		if s[i]|0x20 != 'e' {
			return Decimal{}, ErrSyntax
		}
		var ok bool
		if exponent, ok = parseExponent(s[i+1:]); !ok {
			return Decimal{}, ErrSyntax
		}
	}
	if n == (natural{}) {
		return Decimal{}, nil
	}
	switch shift := zeros - fraction + exponent + scale; {
	case shift > MaxPrecision:
		return Decimal{}, ErrOverflow
	case shift >= 0:
		product := n.mul(pow10[shift])
		if product[2]|product[3] != 0 {
			return Decimal{}, ErrOverflow
		}
		n = natural{product[1], product[0]}
	default: // zeros are all in shift: the last digit of n is another one
		return Decimal{}, ErrInexact
	}
	if n.cmp(pow10[precision]) >= 0 {
		return Decimal{}, ErrOverflow
	}
	return n.signed(negative)
}

// parseShort reads most numbers that occur: up to 18 digits, not more of them behind the point than scale, no exponent. It leaves
// the others, and those that do not fit, to Parse.
func parseShort[T ~string | ~[]byte](s T, precision, scale int) (Decimal, bool) {
	const most = 18
	i := 0
	if len(s) > 0 && s[0] == '-' {
		i++
	}
	var n uint64
	first, point := i, len(s)
	for ; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			if s[i] != '.' || point < len(s) {
				return Decimal{}, false
			}
			point = i
			continue
		}
		n = n*10 + uint64(c)
	}
	fraction := max(0, len(s)-1-point)
	if len(s)-first > most || point == first || point == len(s)-1 || first == len(s) || fraction > scale {
		return Decimal{}, false
	}
	if len(s)-first+scale-fraction <= most+1 {
		n *= pow10[scale-fraction].lo
		if precision < most+1 && n >= pow10[precision].lo {
			return Decimal{}, false
		}
		d := Decimal{lo: n}
		if first == 1 {
			d = d.Neg()
		}
		return d, true
	}
	return Decimal{}, false
}

// tooLong is the error of a number with more than 38 digits, of which the last one read stands behind the point or not.
func tooLong(point bool) error {
	if point {
		return ErrInexact
	}
	return ErrOverflow
}

// parseExponent reads a whole number. What is beyond any use is a million.
func parseExponent[T ~string | ~[]byte](s T) (v int, ok bool) {
	const most = 1_000_000
	i, negative := 0, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		i++
	}
	if i == len(s) {
		return 0, false
	}
	for ; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		v = min(v*10+int(c), most)
	}
	if negative {
		v = -v
	}
	return v, true
}

// Float64 is the float64 nearest to d, of the given scale.
func (d Decimal) Float64(scale int) float64 {
	var b [MaxPrecision + 3]byte
	text := Append(b[:0], d, scale)
	v, _ := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64) // digits, and not too large
	return v
}

// FromFloat is f, by the fewest digits that tell it from other floats, as a number with at most precision digits, scale of
// them behind the point. It is exact or fails.
func FromFloat[F float32 | float64](f F, precision, scale int) (Decimal, error) {
	var b [32]byte
	bits := int(unsafe.Sizeof(f)) * 8
	return Parse(strconv.AppendFloat(b[:0], float64(f), 'e', -1, bits), precision, scale) // NaN and Inf do not parse
}

// FromInt is n as a number with at most precision digits, scale of them behind the point.
func FromInt(n int64, precision, scale int) (Decimal, error) {
	return Convert(New(n), 0, precision, scale)
}
