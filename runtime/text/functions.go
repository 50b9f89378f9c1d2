package text

import (
	"strings"
	"unicode/utf8"
)

// Length is the number of code points of s.
func Length(s string) int64 { return int64(utf8.RuneCountInString(s)) }

// Substr is the part of s that begins at code point start, to its end. A start below 0 is 0, one beyond the end gives "". The
// result is a view of s.
func Substr(s string, start int64) string {
	for i := range s {
		if start <= 0 {
			return s[i:]
		}
		start--
	}
	return ""
}

// SubstrN is the part of s that begins at code point start and has n code points, as far as there are any. What of it lies
// before the beginning of s counts, so SubstrN(s, -1, 2) is the first code point.
func SubstrN(s string, start, n int64) string {
	if start < 0 {
		if n <= -start { // also keeps the sum from overflowing
			return ""
		}
		n += start
		start = 0
	}
	s = Substr(s, start)
	for i := range s {
		if n <= 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// IndexOf is the position, in code points, at which part first stands in s, or -1.
func IndexOf(s, part string) int64 {
	i := strings.Index(s, part)
	if i < 0 {
		return -1
	}
	return Length(s[:i])
}

// Split appends the parts of s between the separators to dst: s alone if there is none, the code points of s if separator is empty.
// The parts are views of s.
func Split(dst []string, s, separator string) []string {
	if separator == "" {
		for len(s) > 0 {
			_, n := utf8.DecodeRuneInString(s)
			dst = append(dst, s[:n])
			s = s[n:]
		}
		return dst
	}
	for {
		before, after, found := strings.Cut(s, separator)
		dst = append(dst, before)
		if !found {
			return dst
		}
		s = after
	}
}

// LastIndexOf is the position, in code points, at which part last stands in s, or -1.
func LastIndexOf(s, part string) int64 {
	i := strings.LastIndex(s, part)
	if i < 0 {
		return -1
	}
	return Length(s[:i])
}
