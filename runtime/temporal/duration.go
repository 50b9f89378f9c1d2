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

// ParseDuration reads a whole number and its unit: ms, s, m, h or d, a day being 24 hours.
func ParseDuration(s string) (Duration, error) {
	digits := s
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		digits = s[1:]
	}
	// Counted downwards: the smallest int64 has no positive counterpart.
	n, i := int64(0), 0
	for ; i < len(digits) && isDigit(digits[i]); i++ {
		d := int64(digits[i] - '0')
		if n < (math.MinInt64+d)/10 {
			return 0, errDuration
		}
		n = n*10 - d
	}
	if i == 0 {
		return 0, errDuration
	}
	for _, u := range units {
		if u.name != digits[i:] {
			continue
		}
		if n < math.MinInt64/int64(u.size) || !negative && n == math.MinInt64 {
			return 0, errDuration
		}
		if n *= int64(u.size); !negative {
			if n == math.MinInt64 {
				return 0, errDuration
			}
			n = -n
		}
		return Duration(n), nil
	}
	return 0, errDuration
}
