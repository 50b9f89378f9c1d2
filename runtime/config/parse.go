package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

func parseBool(to *bool, v string) error {
	b, err := strconv.ParseBool(v)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", v)
	}
	*to = b
	return nil
}

func parseInt(to *int, v string, least, most int) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		return fmt.Errorf("%q is not a number from %d to %d", v, least, most)
	}
	*to = n
	return nil
}

func parseOneOf(to *string, v string, words ...string) error {
	for _, w := range words {
		if v == w {
			*to = v
			return nil
		}
	}
	return fmt.Errorf("%q is none of %s", v, strings.Join(words, ", "))
}

// units of sizes, as in the spec language. Powers of ten have none: "MB" means either to somebody.
var units = []struct {
	suffix string
	factor int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// parseSize reads "256MiB".
func parseSize(to *int64, v string, least, most int64) error {
	for _, u := range units {
		digits, ok := strings.CutSuffix(v, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/u.factor {
			break
		}
		if n *= u.factor; n < least || n > most {
			return fmt.Errorf("%s is not from %s to %s", v, formatSize(least), formatSize(most))
		}
		*to = n
		return nil
	}
	return fmt.Errorf("%q is not a size: write a number and B, KiB, MiB, GiB or TiB", v)
}

// parseSize32 reads a size of a client option: "1MiB", or a number of bytes as Kafka's own files have it.
func parseSize32(to *int32, v string) error {
	if _, err := strconv.Atoi(v); err == nil {
		v += "B"
	}
	var n int64
	if err := parseSize(&n, v, 1, math.MaxInt32); err != nil {
		return err
	}
	*to = int32(n)
	return nil
}

func formatSize(n int64) string {
	for _, u := range units {
		if n%u.factor == 0 && n >= u.factor {
			return strconv.FormatInt(n/u.factor, 10) + u.suffix
		}
	}
	return "0B"
}

// parseDuration reads "30s", and "2d" for two days of 24 hours.
func parseDuration(to *time.Duration, v string, least, most time.Duration) error {
	d, err := time.ParseDuration(v)
	if days, ok := strings.CutSuffix(v, "d"); ok {
		var n int64
		if n, err = strconv.ParseInt(days, 10, 32); err == nil {
			d = time.Duration(n) * 24 * time.Hour
		}
	}
	if err != nil {
		return fmt.Errorf("%q is not a duration: write 100ms, 30s, 5m, 24h or 7d", v)
	}
	if d < least || d > most {
		return fmt.Errorf("%s is not from %s to %s", v, least, most)
	}
	*to = d
	return nil
}

// parseMillis reads a time of a client option: a number of milliseconds, or a duration.
func parseMillis(to *time.Duration, v string) error {
	if _, err := strconv.Atoi(v); err == nil {
		v += "ms"
	}
	return parseDuration(to, v, 0, 24*time.Hour)
}
