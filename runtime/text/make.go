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
func (a *Arena) Replace(s, old, with string) (string, error) {
	count := strings.Count(s, old)
	if count == 0 {
		return s, nil
	}
	if more := len(with) - len(old); more > 0 && count > (maxSize-len(s))/more {
		return "", ErrTooLong
	}
	if old == "" {
		return strings.ReplaceAll(s, old, with), nil
	}
	b := a.tail(len(s) + count*(len(with)-len(old)))
	for range count {
		i := strings.Index(s, old)
		b = append(append(b, s[:i]...), with...)
		s = s[i+len(old):]
	}
	return a.keep(append(b, s...)), nil
}

// PadLeft is s with fill in front of it, over and over, as far as n code points are missing.
func (a *Arena) PadLeft(s string, n int64, fill string) (string, error) { return a.pad("", s, n, fill) }

// PadRight is s with fill behind it, over and over, as far as n code points are missing.
func (a *Arena) PadRight(s string, n int64, fill string) (string, error) {
	return a.pad(s, "", n, fill)
}

// pad is before and after, of which one is empty, with so much of fill in between that it is n code points.
func (a *Arena) pad(before, after string, n int64, fill string) (string, error) {
	length := Length(before) + Length(after)
	switch {
	case n <= length || fill == "":
		return before + after, nil // without an allocation, as one is empty
	case n > maxSize:
		return "", ErrTooLong
	}
	each := Length(fill)
	whole := int((n - length) / each)
	part := SubstrN(fill, 0, (n-length)%each)
	size := len(before) + whole*len(fill) + len(part) + len(after)
	if size > maxSize {
		return "", ErrTooLong
	}
	b := append(a.tail(size), before...)
	for range whole {
		b = append(b, fill...)
	}
	return a.keep(append(append(b, part...), after...)), nil
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

// partsSize is how many strings of lists an arena takes memory for at once.
const partsSize = 512

// Split is the parts of s between the separators; its code points if the separator is empty. The parts are views of s.
func (a *Arena) Split(s, sep string) []string {
	n := strings.Count(s, sep) + 1
	if sep == "" {
		n = utf8.RuneCountInString(s)
	}
	if cap(a.parts)-len(a.parts) < n {
		a.parts = make([]string, 0, max(partsSize, n))
	}
	list := a.parts[len(a.parts):]
	for len(list) < n-1 {
		i := strings.Index(s, sep)
		if sep == "" {
			_, i = utf8.DecodeRuneInString(s)
		}
		list = append(list, s[:i])
		s = s[i+len(sep):]
	}
	if n > 0 {
		list = append(list, s)
	}
	a.parts = a.parts[:len(a.parts)+n]
	return list[:n:n]
}

// Join is the parts with sep between them.
func (a *Arena) Join(parts []string, sep string) (string, error) {
	if len(parts) == 0 {
		return "", nil
	}
	size := 0
	for _, p := range parts {
		size += len(p) + len(sep)
		if size > maxSize {
			return "", ErrTooLong
		}
	}
	b := a.tail(size - len(sep))
	for i, p := range parts {
		if i > 0 {
			b = append(b, sep...)
		}
		b = append(b, p...)
	}
	return a.keep(b), nil
}
