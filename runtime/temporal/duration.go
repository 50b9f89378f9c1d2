package temporal

import (
	"errors"
	"math"
	"strconv"
)

var errDuration = errors.New(`not a duration: write a whole number and ms, s, m, h or d, as in "90s"`)

// units are what durations are written in, the largest first.
var units = [...]struct {
	name string
	size Duration
}{{"d", Day}, {"h", Hour}, {"m", Minute}, {"s", Second}, {"ms", Millisecond}}

// AppendDuration writes d as the language does: a whole number of the largest unit that fits exactly: 5m, 90s, 36h, -1ms.
func AppendDuration(dst []byte, d Duration) []byte {
	if d == 0 {
		return append(dst, "0s"...)
	}
	for _, u := range units {
		if d%u.size == 0 {
			return append(strconv.AppendInt(dst, int64(d/u.size), 10), u.name...)
		}
	}
	return dst // not reached: all durations are whole milliseconds
}

// ParseDuration reads whole numbers with their units, ms, s, m, h or d, a day being 24 hours: 90s, 1h30m.
func ParseDuration(s string) (Duration, error) {
	rest := s
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		rest = s[1:]
	}
	if rest == "" {
		return 0, errDuration
	}
	total := int64(0) // counted downwards: the smallest int64 has no positive counterpart
	for rest != "" {
		n, i := int64(0), 0
		for ; i < len(rest) && isDigit(rest[i]); i++ {
			d := int64(rest[i] - '0')
			if n < (math.MinInt64+d)/10 {
				return 0, errDuration
			}
			n = n*10 - d
		}
		j := i
		for j < len(rest) && !isDigit(rest[j]) {
			j++
		}
		size := unit(rest[i:j])
		if i == 0 || size == 0 || n < (math.MinInt64-total)/size {
			return 0, errDuration
		}
		total += n * size
		rest = rest[j:]
	}
	switch {
	case negative:
		return Duration(total), nil
	case total == math.MinInt64:
		return 0, errDuration
	}
	return Duration(-total), nil
}

// unit is the size of a unit, 0 of what is none.
func unit(name string) int64 {
	for _, u := range units {
		if u.name == name {
			return int64(u.size)
		}
	}
	return 0
}
