package text

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// maxSize is the longest string that a function makes, in bytes.
const maxSize = 16 << 20

// ErrTooLong is a result of more than 16 MiB.
var ErrTooLong = errors.New("the text would be longer than 16 MiB")

// Reverse is the code points of s, the last one first.
func (a *Arena) Reverse(s string) string {
	b := a.tail(len(s))
	for len(s) > 0 {
		_, n := utf8.DecodeLastRuneInString(s)
		b = append(b, s[len(s)-n:]...)
		s = s[:len(s)-n]
	}
	return a.keep(b)
}

// Repeat is s, n times; nothing if n is not above 0.
func (a *Arena) Repeat(s string, n int64) (string, error) {
	if n <= 0 || s == "" {
		return "", nil
	}
	if n > maxSize/int64(len(s)) {
		return "", ErrTooLong
	}
	b := a.tail(len(s) * int(n))
	for range n {
		b = append(b, s...)
	}
	return a.keep(b), nil
}

// Replace is s with each old replaced by with. An empty old stands before each code point and at the end.
func (a *Arena) Replace(s, old, with string) string {
	count := strings.Count(s, old)
	switch {
	case count == 0:
		return s
	case old == "":
		return strings.ReplaceAll(s, old, with)
	}
	b := a.tail(len(s) + count*(len(with)-len(old)))
	for range count {
		i := strings.Index(s, old)
		b = append(append(b, s[:i]...), with...)
		s = s[i+len(old):]
	}
	return a.keep(append(b, s...))
}

// ReplaceBy is Replace by a text that may be as long as s.
func (a *Arena) ReplaceBy(s, old, with string) (string, error) {
	if more := len(with) - len(old); more > 0 && strings.Count(s, old) > (maxSize-len(s))/more {
		return "", ErrTooLong
	}
	return a.Replace(s, old, with), nil
}

// PadLeft is s with fill in front of it, over and over, as far as n code points are missing.
func (a *Arena) PadLeft(s string, n int64, fill string) string { return a.pad("", s, n, fill) }

// PadRight is s with fill behind it, over and over, as far as n code points are missing.
func (a *Arena) PadRight(s string, n int64, fill string) string { return a.pad(s, "", n, fill) }

// pad is before and after, of which one is empty, with so much of fill in between that it is n code points.
func (a *Arena) pad(before, after string, n int64, fill string) string {
	length := Length(before) + Length(after)
	if n <= length || fill == "" {
		return before + after // without an allocation, as one is empty
	}
	whole := int((n - length) / Length(fill))
	part := SubstrN(fill, 0, (n-length)%Length(fill))
	b := append(a.tail(len(before)+whole*len(fill)+len(part)+len(after)), before...)
	for range whole {
		b = append(b, fill...)
	}
	return a.keep(append(append(b, part...), after...))
}

// Digits is n in decimal digits, with zeros in front of them up to width, which a minus sign counts for.
func (a *Arena) Digits(n int64, width int) string {
	b := strconv.AppendInt(a.tail(intSize+width), n, 10)
	missing := width - len(b)
	if missing <= 0 {
		return a.keep(b)
	}
	sign := 0
	if n < 0 {
		sign = 1
	}
	digits := len(b)
	b = b[:width]
	copy(b[sign+missing:], b[sign:digits])
	for i := sign; i < sign+missing; i++ {
		b[i] = '0'
	}
	return a.keep(b)
}

// fixedSize is the most digits before the point.
const fixedSize = 312

// Fixed is f with that many decimal places.
func (a *Arena) Fixed(f float64, places int) string {
	return a.keep(strconv.AppendFloat(a.tail(fixedSize+places), f, 'f', places, 64))
}

// Time is t in a layout of package time, by the clocks of a zone.
func (a *Arena) Time(t temporal.Timestamp, layout string, zone *time.Location) string {
	return a.held(time.UnixMilli(int64(t)).In(zone).AppendFormat(a.tail(2*len(layout)+timestampSize), layout))
}

// TrimStart is s without white space at its beginning.
func TrimStart(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }

// TrimEnd is s without white space at its end.
func TrimEnd(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }

// Join is the parts with sep between them.
func (a *Arena) Join(parts []string, sep string) string {
	size := max(0, len(parts)-1) * len(sep)
	for _, p := range parts {
		size += len(p)
	}
	b := a.tail(size)
	for i, p := range parts {
		if i > 0 {
			b = append(b, sep...)
		}
		b = append(b, p...)
	}
	return a.keep(b)
}

// JoinBy is Join by a text of any length.
func (a *Arena) JoinBy(parts []string, sep string) (string, error) {
	if len(sep) > 0 && len(parts) > maxSize/len(sep) {
		return "", ErrTooLong
	}
	return a.Join(parts, sep), nil
}
