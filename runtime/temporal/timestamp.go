package temporal

import (
	"errors"
	"math"
)

// errTimestamp is built once: refusing a record costs no memory.
var (
	errTimestamp = errors.New("not an RFC 3339 timestamp")
	errFiner     = errors.New("a timestamp has milliseconds, nothing finer")
)

const daySeconds = 24 * 60 * 60

// AppendTimestamp writes t as RFC 3339 in UTC with milliseconds: 2026-03-01T12:00:00.000Z. Years that have no four digits,
// which RFC 3339 does not know, are written as in ISO 8601, with a sign and at least six digits.
func AppendTimestamp(dst []byte, t Timestamp) []byte {
	seconds, millis := floorDiv(int64(t), 1000)
	days, second := floorDiv(seconds, daySeconds)
	year, month, day := civil(days)
	switch {
	case year >= 0 && year <= 9999:
		dst = appendDigits(dst, year, 4)
	case year < 0:
		dst = appendDigits(append(dst, '-'), -year, 6)
	default:
		dst = appendDigits(append(dst, '+'), year, 6)
	}
	dst = appendDigits(append(dst, '-'), month, 2)
	dst = appendDigits(append(dst, '-'), day, 2)
	dst = appendDigits(append(dst, 'T'), second/3600, 2)
	dst = appendDigits(append(dst, ':'), second/60%60, 2)
	dst = appendDigits(append(dst, ':'), second%60, 2)
	dst = appendDigits(append(dst, '.'), millis, 3)
	return append(dst, 'Z')
}

// ParseTimestamp reads an RFC 3339 timestamp, or what AppendTimestamp wrote. It fails if the timestamp is finer than a
// millisecond.
func ParseTimestamp(s string) (Timestamp, error) {
	t, exact, ok := parseTimestamp(s)
	switch {
	case !ok:
		return 0, errTimestamp
	case !exact:
		return 0, errFiner
	}
	return t, nil
}

// FloorTimestamp is ParseTimestamp, dropping what is finer than a millisecond.
func FloorTimestamp(s string) (Timestamp, error) {
	t, _, ok := parseTimestamp(s)
	if !ok {
		return 0, errTimestamp
	}
	return t, nil
}

func parseTimestamp(s string) (t Timestamp, exact, ok bool) {
	p := parser{s: s, ok: true}
	sign, width := int64(1), 4
	if p.peek() == '+' || p.peek() == '-' {
		if p.peek() == '-' {
			sign = -1
		}
		p.i++
		for width = 0; width < 9 && isDigit(p.at(width)); width++ {
		}
		if width < 6 {
			return 0, false, false
		}
	}
	year := sign * p.digits(width)
	p.expect('-', '-')
	month := p.digits(2)
	p.expect('-', '-')
	day := p.digits(2)
	p.expect('T', 't')
	hour := p.digits(2)
	p.expect(':', ':')
	minute := p.digits(2)
	p.expect(':', ':')
	second := p.digits(2)
	if !p.ok || month < 1 || month > 12 || day < 1 || day > monthDays(year, month) || hour > 23 || minute > 59 || second > 59 {
		return 0, false, false
	}
	millis, exact := p.fraction()
	offset := p.zone()
	if !p.ok || p.i != len(s) {
		return 0, false, false
	}
	seconds := daysOf(year, month, day)*daySeconds + hour*3600 + minute*60 + second - offset
	if seconds > math.MaxInt64/1000-1 || seconds < math.MinInt64/1000 {
		return 0, false, false
	}
	return Timestamp(seconds*1000 + millis), exact, true
}

// parser reads fixed-width fields. ok ends at the first that does not fit.
type parser struct {
	s  string
	i  int
	ok bool
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// at is the byte n behind the next one, 0 at the end.
func (p *parser) at(n int) byte {
	if p.i+n < len(p.s) {
		return p.s[p.i+n]
	}
	return 0
}

func (p *parser) peek() byte { return p.at(0) }

func (p *parser) expect(c, or byte) {
	if got := p.peek(); got != c && got != or {
		p.ok = false
		return
	}
	p.i++
}

func (p *parser) digits(n int) (v int64) {
	for range n {
		c := p.peek()
		if !isDigit(c) {
			p.ok = false
			return 0
		}
		v = v*10 + int64(c-'0')
		p.i++
	}
	return v
}

// fraction reads .123 or nothing; exact says whether nothing finer than a millisecond was there.
func (p *parser) fraction() (millis int64, exact bool) {
	exact = true
	if p.peek() != '.' {
		return 0, exact
	}
	p.i++
	n := 0
	for ; isDigit(p.peek()); n++ {
		if d := int64(p.peek() - '0'); n < 3 {
			millis = millis*10 + d
		} else if d != 0 {
			exact = false
		}
		p.i++
	}
	if n == 0 {
		p.ok = false
	}
	for ; n < 3; n++ {
		millis *= 10
	}
	return millis, exact
}

// zone reads Z or an offset, in seconds east of UTC.
func (p *parser) zone() int64 {
	sign := int64(1)
	switch p.peek() {
	case 'Z', 'z':
		p.i++
		return 0
	case '-':
		sign = -1
	case '+':
	default:
		p.ok = false
		return 0
	}
	p.i++
	hour := p.digits(2)
	p.expect(':', ':')
	minute := p.digits(2)
	if hour > 23 || minute > 59 {
		p.ok = false
	}
	return sign * (hour*3600 + minute*60)
}

// The calendar is the proleptic Gregorian one. Its 400 years are 146097 days, counted here from 1 March of the year 0, so that
// the leap day is the last of its year.
const (
	eraYears, eraDays = 400, 146097
	epochDay          = 719468 // 1970-01-01
)

func daysOf(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era, y := floorDiv(year, eraYears)
	return era*eraDays + y*365 + y/4 - y/100 + (153*(month-3)+2)/5 + day - 1 - epochDay
}

func civil(days int64) (year, month, day int64) {
	era, d := floorDiv(days+epochDay, eraDays)
	y := (d - d/1460 + d/36524 - d/146096) / 365
	d -= y*365 + y/4 - y/100
	m := (5*d + 2) / 153
	day = d - (153*m+2)/5 + 1
	year, month = era*eraYears+y, m+3
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

func monthDays(year, month int64) int64 {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// floorDiv is a divided by b > 0, rounded down, and what remains, which is never negative.
func floorDiv(a, b int64) (quotient, remainder int64) {
	quotient, remainder = a/b, a%b
	if remainder < 0 {
		quotient, remainder = quotient-1, remainder+b
	}
	return quotient, remainder
}

// appendDigits writes v >= 0 with at least width digits.
func appendDigits(dst []byte, v int64, width int) []byte {
	var digits [20]byte
	i := len(digits)
	for ; v > 0 || width > 0; width-- {
		i--
		digits[i] = byte('0' + v%10)
		v /= 10
	}
	return append(dst, digits[i:]...)
}
