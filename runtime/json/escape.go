package json

import (
	"unicode/utf16"
	"unicode/utf8"
)

// unescape resolves the escapes of s, which begins at offset start, in fresh memory.
func (r *Reader) unescape(s []byte, start int) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		c, n := escape(s[i:])
		if n == 0 {
			r.refusedAt(start+i, "not an escape")
			return nil
		}
		out = utf8.AppendRune(out, c)
		i += n
	}
	return out
}

// checkEscapes is unescape without a result.
func (r *Reader) checkEscapes(s []byte, start int) bool {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			i++
			continue
		}
		_, n := escape(s[i:])
		if n == 0 {
			return r.refusedAt(start+i, "not an escape")
		}
		i += n
	}
	return true
}

// escape is the character that the escape at the beginning of s stands for, and its length, 0 if it is none. Both halves of a
// surrogate pair are one escape; half a pair is none.
func escape(s []byte) (c rune, n int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case '"', '\\', '/':
		return rune(s[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		c, ok := hex4(s[2:])
		if !ok {
			return 0, 0
		}
		if !utf16.IsSurrogate(c) {
			return c, 6
		}
		if len(s) < 12 || s[6] != '\\' || s[7] != 'u' {
			return 0, 0
		}
		low, ok := hex4(s[8:])
		if c = utf16.DecodeRune(c, low); !ok || c == utf8.RuneError {
			return 0, 0
		}
		return c, 12
	}
	return 0, 0
}

func hex4(s []byte) (c rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for _, d := range s[:4] {
		switch {
		case d-'0' <= 9:
			d -= '0'
		case d|0x20 >= 'a' && d|0x20 <= 'f':
			d = d | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		c = c<<4 | rune(d)
	}
	return c, true
}
