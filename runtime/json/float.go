package json

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// Most numbers that occur are decimals of at most 15 digits. Two of them never have the same float64, which makes reading and
// writing simple.

var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// shortFloat reads a number of at most 15 digits without an exponent: an integer below 2^53 divided by a power of ten, both of
// which a float64 holds exactly, so that the one rounding of the division gives the nearest float64. ok is false for other
// numbers, and for what is none.
func shortFloat(b []byte, i int) (v float64, end int, ok bool) {
	if v, end, ok = wordFloat(b, i); ok {
		return v, end, true
	}
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

// wordFloat reads such a number all at once, if it has at most eight bytes, the sign aside, and does not end b. Prices of all
// lengths take the same steps then; in a loop over the digits, the processor would guess wrong where they end.
func wordFloat(b []byte, i int) (v float64, end int, ok bool) {
	if i+10 > len(b) {
		return 0, i, false
	}
	negative := b[i] == '-'
	if negative {
		i++
	}
	text := word(b, i)
	others := notDigits(text)
	whole := bits.TrailingZeros64(others) >> 3 // digits before the point
	digits, length := whole, whole
	mantissa := text ^ '0'*ones // its digits, and what comes behind them
	if others != 0 && b[i+whole] == '.' {
		length = bits.TrailingZeros64(others&(others-1)) >> 3
		digits = length - 1
		before := uint64(1)<<(8*whole) - 1
		mantissa = mantissa&before | mantissa>>8&^before
		if digits == whole {
			return 0, i, false
		}
	}
	if next := b[i+length]; whole == 0 || whole > 1 && text&0xff == '0' || next-'0' <= 9 || next == '.' || next|0x20 == 'e' {
		return 0, i, false
	}
	v = float64(int64(eightDigits(mantissa<<(64-8*digits)))) / powersOfTen[digits-whole]
	if negative {
		v = -v
	}
	return v, i + length, true
}

// eightDigits is the number whose decimal digits are the bytes of w, the first one lowest.
func eightDigits(w uint64) uint64 {
	w = w*10 + w>>8 // twos of digits, in each second byte
	const twos = 0x000000ff000000ff
	return (w&twos*(100+1e6<<32) + w>>16&twos*(1+1e4<<32)) >> 32
}

// digitsOf is the eight decimal digits of v, each in a byte, the first one lowest.
func digitsOf(v uint64) uint64 {
	w := v/1e4 | v%1e4<<32
	high := w * 10486 >> 20 & 0x0000007f0000007f // divided by 100
	w = high | (w-100*high)<<16
	high = w * 103 >> 10 & 0x000f000f000f000f // divided by 10
	return high | (w-10*high)<<8
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
	// Four digits before the point and four behind it, of which those that are needed are written.
	digits, leading := uint64(0), 0
	if scaled < 1e8 {
		digits = digitsOf(uint64(scaled))
		leading = bits.TrailingZeros64(digits|1<<24) >> 3
	} else {
		dst = strconv.AppendUint(dst, uint64(scaled)/1e8, 10)
		digits = digitsOf(uint64(scaled) % 1e8)
	}
	text := digits | '0'*ones
	n := len(dst)
	dst = slices.Grow(dst, 16)[:n+16]
	binary.LittleEndian.PutUint64(dst[n:], (text&(1<<32-1)|'.'<<32)>>(8*leading))
	point := n + 4 - leading
	binary.LittleEndian.PutUint32(dst[point+1:], uint32(text>>32))
	return dst[:point+(bits.Len64(digits>>32<<8)+7)>>3], true
}
