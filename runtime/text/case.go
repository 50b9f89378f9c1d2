package text

import (
	"strings"
	"unicode/utf8"
)

// Lower is s in lower case, by Unicode.
func (a *Arena) Lower(s string) string {
	first := -1
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			return strings.ToLower(s)
		case first < 0 && 'A' <= c && c <= 'Z':
			first = i
		}
	}
	if first < 0 {
		return s
	}
	b := append(a.tail(len(s)), s...)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return a.keep(b)
}

// Upper is s in upper case, by Unicode.
func (a *Arena) Upper(s string) string {
	first := -1
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			return strings.ToUpper(s)
		case first < 0 && 'a' <= c && c <= 'z':
			first = i
		}
	}
	if first < 0 {
		return s
	}
	b := append(a.tail(len(s)), s...)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c + 'A' - 'a'
		}
	}
	return a.keep(b)
}
