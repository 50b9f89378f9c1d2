package json

import (
	"math"
	"strconv"
)

// Most numbers that occur are decimals of at most 15 digits. Two of them never have the same float64, which makes reading and
// writing simple.

var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// shortFloat reads a number of at most 15 digits without an exponent: an integer below 2^53 divided by a power of ten, both of
// which a float64 holds exactly, so that the one rounding of the division gives the nearest float64. ok is false for other
// numbers, and for what is none.
func shortFloat(b []byte, i int) (v float64, end int, ok bool) {
	negative := i < len(b) && b[i] == '-'
	if negative {
		i++
	}
	first := i
	var mantissa uint64
	for i < len(b) && b[i]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(b[i]-'0')
		i++
	}
	digits := i - first
	if digits == 0 || digits > 1 && b[first] == '0' {
		return 0, i, false
	}
	fraction := 0
	if i < len(b) && b[i] == '.' {
		i++
		first = i
		for i < len(b) && b[i]-'0' <= 9 {
			mantissa = mantissa*10 + uint64(b[i]-'0')
			i++
		}
		if fraction = i - first; fraction == 0 {
			return 0, i, false
		}
		digits += fraction
	}
	if digits > 15 || i < len(b) && b[i]|0x20 == 'e' {
		return 0, i, false
	}
	v = float64(int64(mantissa)) / powersOfTen[fraction]
	if negative {
		v = -v
	}
	return v, i, true
}

// appendShort writes v if it is a decimal of at most 15 digits with at most four behind the point: no shorter one gives v when
// it is read. Zero, which has a sign, is left to others.
func appendShort(dst []byte, v float64) (out []byte, ok bool) {
	abs := math.Abs(v)
	if !(abs > 0 && abs < 1e11) {
		return dst, false
	}
	scaled := int64(abs*1e4 + 0.5)
	if float64(scaled)/1e4 != abs {
		return dst, false
	}
	if v < 0 {
		dst = append(dst, '-')
	}
	whole, rest := uint64(scaled)/1e4, uint64(scaled)%1e4
	digit := func(n uint64) byte { return '0' + byte(n%10) }
	switch {
	case whole >= 10_000:
		dst = strconv.AppendUint(dst, whole, 10)
	case whole >= 1000:
		dst = append(dst, digit(whole/1000), digit(whole/100), digit(whole/10), digit(whole))
	case whole >= 100:
		dst = append(dst, digit(whole/100), digit(whole/10), digit(whole))
	case whole >= 10:
		dst = append(dst, digit(whole/10), digit(whole))
	default:
		dst = append(dst, digit(whole))
	}
	switch { // prices have two
	case rest == 0:
		return dst, true
	case rest%1000 == 0:
		return append(dst, '.', digit(rest/1000)), true
	case rest%100 == 0:
		return append(dst, '.', digit(rest/1000), digit(rest/100)), true
	case rest%10 == 0:
		return append(dst, '.', digit(rest/1000), digit(rest/100), digit(rest/10)), true
	}
	return append(dst, '.', digit(rest/1000), digit(rest/100), digit(rest/10), digit(rest)), true
}
