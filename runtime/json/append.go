package json

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// AppendText writes s as a string. Bytes that are not UTF-8, which no string that was read here can hold, become U+FFFD.
func AppendText(dst []byte, s string) []byte {
	from, end := len(dst)+1, len(dst)+1+len(s)
	dst = slices.Grow(dst, len(s)+2)[:end+1]
	dst[from-1], dst[end] = '"', '"'
	text := dst[from:end]
	var high uint64 // all bytes, one upon the other: their top bits count
	if last := len(s) - 8; last >= 0 {
		src := unsafe.Slice(unsafe.StringData(s), len(s))
		for i := 0; ; i = min(i+8, last) { // the last word may overlap
			w := word(src, i)
			if special(w) != 0 {
				return appendUnusual(dst[:from-1], s)
			}
			high |= w
			binary.LittleEndian.PutUint64(text[i:], w)
			if i == last {
				break
			}
		}
	} else {
		for i := range len(s) {
			c := s[i]
			if c < ' ' || c == '"' || c == '\\' {
				return appendUnusual(dst[:from-1], s)
			}
			high |= uint64(c)
			text[i] = c
		}
	}
	if high&tops != 0 && !utf8.ValidString(s) {
		return appendUnusual(dst[:from-1], s)
	}
	return dst
}

// appendUnusual writes a string that needs escapes, or is not UTF-8.
func appendUnusual(dst []byte, s string) []byte {
	src := unsafe.Slice(unsafe.StringData(s), len(s))
	dst = append(dst, '"')
	start, i := 0, 0 // s[start:i] is still to be copied
	var high uint64
	for {
		for i+8 <= len(s) {
			w := word(src, i)
			if hit := special(w); hit != 0 {
				n := bits.TrailingZeros64(hit) >> 3
				high |= w & (1<<(8*n) - 1)
				i += n
				break
			}
			high |= w
			i += 8
		}
		for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' {
			high |= uint64(s[i])
			i++
		}
		if high&tops != 0 && !utf8.ValidString(s[start:i]) {
			dst = appendValid(dst, s[start:i])
		} else {
			dst = append(dst, s[start:i]...)
		}
		if i >= len(s) {
			return append(dst, '"')
		}
		dst = appendEscape(dst, s[i])
		i++
		start, high = i, 0
	}
}

func appendValid(dst []byte, s string) []byte {
	for _, c := range s { // gives U+FFFD for what is no character
		dst = utf8.AppendRune(dst, c)
	}
	return dst
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// AppendBool writes v.
func AppendBool(dst []byte, v bool) []byte { return strconv.AppendBool(dst, v) }

// AppendInt writes v.
func AppendInt[T ~int32 | ~int64](dst []byte, v T) []byte {
	return strconv.AppendInt(dst, int64(v), 10)
}

// AppendFloat64 writes v with as few digits as give v again when read, in the form of ECMAScript and RFC 8785, but
// with the sign of -0. NaN and the infinities have no JSON: the error names the field.
func AppendFloat64(dst []byte, v float64, field string) ([]byte, error) {
	if out, ok := appendShort(dst, v); ok {
		return out, nil
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return dst, &Error{Field: field, Offset: -1, Problem: strconv.FormatFloat(v, 'g', -1, 64) + " cannot be written in JSON"}
	}
	return appendLong(dst, v, 64), nil
}

// AppendNumber writes v, which is finite, as AppendFloat64 does.
func AppendNumber(dst []byte, v float64) []byte {
	if out, ok := appendShort(dst, v); ok {
		return out
	}
	return appendLong(dst, v, 64)
}

// appendLong writes any number, a float32 or a float64.
func appendLong(dst []byte, v float64, bits int) []byte {
	abs := math.Abs(v)
	small, large := abs < 1e-6, abs >= 1e21
	if bits == 32 { // as ECMAScript would, if it had such numbers
		small, large = float32(abs) < 1e-6, float32(abs) >= 1e21
	}
	if abs != 0 && (small || large) {
		dst = strconv.AppendFloat(dst, v, 'e', -1, bits)
		// e-09 is written e-9.
		if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, v, 'f', -1, bits)
}

// AppendBase64 writes v as a string in base64 with padding.
func AppendBase64(dst, v []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, v)
	return append(dst, '"')
}

// AppendTimestamp writes t as a string: RFC 3339 in UTC with milliseconds.
func AppendTimestamp(dst []byte, t temporal.Timestamp) []byte {
	dst = append(dst, '"')
	dst = temporal.AppendTimestamp(dst, t)
	return append(dst, '"')
}

// AppendDuration writes d as a string: "5m".
func AppendDuration(dst []byte, d temporal.Duration) []byte {
	dst = append(dst, '"')
	dst = temporal.AppendDuration(dst, d)
	return append(dst, '"')
}
