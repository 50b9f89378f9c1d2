package json

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

// Eight bytes are looked at as one word. w - c in each byte sets the top bit of bytes below c, if they are ASCII; w ^ c makes
// bytes that are c zero, and so below 1. A borrow can only mark bytes above one that is marked rightly, so the lowest mark is
// always right. w ^ 2 puts the quote, which is the second byte behind the space, into its place, and the space behind it: control
// characters and the quote are what is below 33 then.
const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// word is the eight bytes at i, all of which b must have.
func word(b []byte, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))[:])
}

// special marks, by their top bits, what ends a run of plain bytes in a string: quotes, backslashes and control characters.
func special(w uint64) uint64 {
	return (((w ^ 2*ones) - 33*ones) | ((w ^ '\\'*ones) - ones)) &^ w & tops
}

// notPlain marks, by their top bits, what is special or not ASCII.
func notPlain(w uint64) uint64 {
	return (((w ^ 2*ones) - 33*ones) | ((w ^ '\\'*ones) - ones) | w) & tops
}

// plainEnd is where the plain bytes of ASCII at i end, or a place within the last seven bytes of b.
func plainEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if hit := notPlain(word(b, i)); hit != 0 {
			return i + bits.TrailingZeros64(hit)>>3
		}
	}
	return i
}

// lastPlainEnd goes on there.
func lastPlainEnd(b []byte, i int) int {
	last := len(b) - 8
	if last < 0 {
		return i
	}
	w := word(b, last) >> (8 * uint(i-last)) // with zeros behind the end, which are not plain
	return i + bits.TrailingZeros64(notPlain(w))>>3
}

// notDigits marks, by their top bits, bytes that are no decimal digits. A carry can only mark bytes above one that is marked
// rightly.
func notDigits(w uint64) uint64 {
	return ((w ^ '0'*ones) + (0x80-10)*ones | w) & tops
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
	for i+8 <= len(b) {
		w := word(b, i)
		hit := special(w)
		if hit == 0 {
			passed |= w
			i += 8
			continue
		}
		n := bits.TrailingZeros64(hit) &^ 7
		passed |= w & (1<<n - 1)
		i += n >> 3
		if b[i] == '"' && passed&tops == 0 {
			return i, 0
		}
		break
	}
	return scanRest(b, i, passed)
}

// scanRest goes on with scanText at what is no plain byte, or the last few of the input. passed are the bytes before it.
func scanRest(b []byte, i int, passed uint64) (end int, f findings) {
	for {
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
		for i+8 <= len(b) {
			w := word(b, i)
			hit := special(w)
			if hit != 0 {
				n := bits.TrailingZeros64(hit) &^ 7
				passed |= w & (1<<n - 1)
				i += n >> 3
				break
			}
			passed |= w
			i += 8
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

// digitsEnd is the end of the digits at i.
func digitsEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if hit := notDigits(word(b, i)); hit != 0 {
			return i + bits.TrailingZeros64(hit)>>3
		}
	}
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}
