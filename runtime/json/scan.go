package json

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Eight bytes are looked at as one word. For a byte c in all places of the word (c * ones), below finds the bytes of w that are
// less than c, and equal those that are c: their top bits in the result. A borrow can only mark bytes above one that is marked
// rightly, so the lowest mark is always right.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

func below(w uint64, c byte) uint64 { return (w - uint64(c)*ones) &^ w & tops }
func equal(w uint64, c byte) uint64 { return below(w^uint64(c)*ones, 1) }

// special marks what ends the run of a string's plain bytes: the quote, the backslash and control characters.
func special(w uint64) uint64 { return below(w, ' ') | equal(w, '"') | equal(w, '\\') }

// span is a string as it was found.
type span struct {
	end     int    // of the closing quote; of the problem if there is one
	escaped bool   // there is a backslash in it
	problem string // empty: none
}

// scanString finds the end of the string whose first byte is at i, and checks all of it but its escapes.
func (r *Reader) scanString(i int) span {
	b, start := r.b, i
	var s span
	var high uint64 // top bits of the bytes that were passed
	for {
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			if hit := special(w); hit != 0 {
				n := bits.TrailingZeros64(hit) >> 3
				high |= w & (1<<(8*n) - 1)
				i += n
				break
			}
			high |= w
			i += 8
		}
		for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
			high |= uint64(b[i])
			i++
		}
		switch {
		case i >= len(b):
			return span{end: len(b), problem: "ends within a string"}
		case b[i] == '"':
			s.end = i
			if high&tops != 0 && !utf8.Valid(b[start:i]) {
				return span{end: start - 1, problem: "not valid UTF-8"}
			}
			return s
		case b[i] == '\\':
			s.escaped = true
			i += 2 // what is escaped is looked at by unescape
		default:
			return span{end: i, problem: "a control character that is not escaped"}
		}
	}
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
