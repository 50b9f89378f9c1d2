package json

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Eight bytes are looked at as one word. w - c in each byte sets the top bit of bytes below c, if they are ASCII; w ^ c makes
// bytes that are c zero, and so below 1. A borrow can only mark bytes above one that is marked rightly, so the lowest mark is
// always right.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// special marks, by their top bits, what ends a run of plain bytes in a string: quotes, backslashes and control characters.
func special(w uint64) uint64 {
	return ((w - ' '*ones) | ((w ^ '"'*ones) - ones) | ((w ^ '\\'*ones) - ones)) &^ w & tops
}

// findings are what a scan saw of a string. A string without any needs no second look.
type findings uint8

const (
	escapes findings = 1 << iota // a backslash
	high                         // bytes that are not ASCII
	control                      // ended by a control character, at end
	open                         // ended by the end of the input, at end
)

// scanText finds the closing quote of the string whose first byte is at i.
func scanText(b []byte, i int) (end int, f findings) {
	var passed uint64 // all bytes that were passed, one upon the other: their top bits count
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			hit := special(w)
			if hit == 0 {
				passed |= w
				i += 8
				continue
			}
			n := bits.TrailingZeros64(hit) &^ 7
			passed |= w & (1<<n - 1)
			i += n >> 3
			if b[i] == '"' {
				if passed&tops != 0 {
					f |= high
				}
				return i, f
			}
			break
		}
		for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
			passed |= uint64(b[i])
			i++
		}
		if passed&tops != 0 {
			f |= high
		}
		switch {
		case i >= len(b):
			return len(b), f | open
		case b[i] == '"':
			return i, f
		case b[i] == '\\':
			f |= escapes
			i += 2 // what is escaped is looked at by escape
		default:
			return i, f | control
		}
	}
}

// unsound says what is wrong with the string b[start:end], its escapes aside, and where; "" if nothing is.
func unsound(b []byte, start, end int, f findings) (problem string, at int) {
	switch {
	case f&open != 0:
		return "ends within a string", len(b)
	case f&control != 0:
		return "a control character that is not escaped", end
	case f&high != 0 && !utf8.Valid(b[start:end]):
		return "not valid UTF-8", start - 1
	}
	return "", 0
}

// numberEnd is the end of the number at i, or i if there is none.
func numberEnd(b []byte, i int) int {
	start := i
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	i = digitsEnd(b, i)
	if i == first || i > first+1 && b[first] == '0' {
		return start
	}
	if i < len(b) && b[i] == '.' {
		first = i + 1
		if i = digitsEnd(b, first); i == first {
			return start
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first = i
		if i = digitsEnd(b, first); i == first {
			return start
		}
	}
	return i
}

func digitsEnd(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// number is a number as it was found. Its value is mantissa * 10^-fraction, negated if negative, when exponent is false and
// digits, without leading zeros, are at most 19.
type number struct {
	end              int // the offset it begins at if there is none
	mantissa         uint64
	digits, fraction int
	negative         bool
	exponent         bool
}

// scanNumber finds the end of the number at i.
func scanNumber(b []byte, i int) number {
	none := number{end: i}
	n := number{}
	if i < len(b) && b[i] == '-' {
		n.negative = true
		i++
	}
	first := i
	for i < len(b) && b[i]-'0' <= 9 {
		n.mantissa = n.mantissa*10 + uint64(b[i]-'0')
		i++
	}
	n.digits = i - first
	if n.digits == 0 || n.digits > 1 && b[first] == '0' {
		return none
	}
	if i < len(b) && b[i] == '.' {
		i++
		first = i
		for i < len(b) && b[i]-'0' <= 9 {
			n.mantissa = n.mantissa*10 + uint64(b[i]-'0')
			i++
		}
		n.fraction = i - first
		if n.fraction == 0 {
			return none
		}
		n.digits += n.fraction
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		n.exponent = true
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first = i
		for i < len(b) && b[i]-'0' <= 9 {
			i++
		}
		if i == first {
			return none
		}
	}
	n.end = i
	return n
}

var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// simple is the value of most numbers that occur: an integer below 2^53 divided by a power of ten, both of which a float64
// holds exactly, so that the one rounding of the division gives the nearest float64.
func (n number) simple() (float64, bool) {
	if n.exponent || n.digits > 15 {
		return 0, false
	}
	v := float64(n.mantissa) / powersOfTen[n.fraction]
	if n.negative {
		v = -v
	}
	return v, true
}
