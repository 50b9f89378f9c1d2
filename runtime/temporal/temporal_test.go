package temporal

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// What is written for years 0 to 9999 is what the standard library writes, and reads back.
func TestTimestampAgainstTime(t *testing.T) {
	const layout = "2006-01-02T15:04:05.000Z"
	first, end := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	moments := []int64{0, -1, 1, 951782400000, 951868799999, 4107542400000, first, end - 1, 1709164800000}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		moments = append(moments, first+random.Int64N(end-first))
	}
	for _, ms := range moments {
		want := time.UnixMilli(ms).UTC().Format(layout)
		if got := Timestamp(ms).String(); got != want {
			t.Fatalf("%d is written %s, want %s", ms, got, want)
		}
		if got, err := ParseTimestamp(want); err != nil || int64(got) != ms {
			t.Fatalf("%s is read %d, %v; want %d", want, got, err, ms)
		}
	}
}

// Every int64 is written and read back, also where RFC 3339 ends.
func TestTimestampRoundTrip(t *testing.T) {
	for _, ms := range []int64{math.MinInt64 + 1000, math.MaxInt64 - 1999, 253402300800000, -62167219200001, 1 << 55, -1 << 55} {
		written := Timestamp(ms).String()
		if got, err := ParseTimestamp(written); err != nil || int64(got) != ms {
			t.Errorf("%d, written %s, is read %d, %v", ms, written, got, err)
		}
	}
}

func TestParseTimestamp(t *testing.T) {
	for _, c := range []struct {
		in    string
		want  int64
		exact bool
	}{
		{"1970-01-01T00:00:00Z", 0, true},
		{"1970-01-01t00:00:00.5z", 500, true},
		{"1970-01-01T01:30:00+01:30", 0, true},
		{"1969-12-31T23:00:00-01:00", 0, true},
		{"1970-01-01T00:00:00.123000Z", 123, true},
		{"1970-01-01T00:00:00.123456Z", 123, false},
		{"1969-12-31T23:59:59.9999Z", -1, false},
		{"2000-02-29T00:00:00Z", 951782400000, true},
	} {
		got, err := ParseTimestamp(c.in)
		if c.exact && (err != nil || int64(got) != c.want) {
			t.Errorf("%s: %d, %v", c.in, got, err)
		}
		if !c.exact && !errors.Is(err, errFiner) {
			t.Errorf("%s: no error for what is finer than a millisecond: %v", c.in, err)
		}
		if got, err := FloorTimestamp(c.in); err != nil || int64(got) != c.want {
			t.Errorf("floor of %s: %d, %v", c.in, got, err)
		}
	}
	for _, in := range []string{
		"", "1970", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01 00:00:00Z", "1970-00-01T00:00:00Z", "1970-13-01T00:00:00Z",
		"1970-01-32T00:00:00Z", "2001-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "1970-04-31T00:00:00Z", "1970-01-01T24:00:00Z",
		"1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00Zx", "1970-01-01T00:00:00+1:00",
		"1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00+01:60", "+1970-01-01T00:00:00Z", "-999999999-01-01T00:00:00Z", "197a-01-01T00:00:00Z",
	} {
		if got, err := ParseTimestamp(in); err == nil {
			t.Errorf("%q is read as %s", in, got)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		d    Duration
		text string
	}{
		{0, "0s"}, {1, "1ms"}, {-1, "-1ms"}, {1500, "1500ms"}, {Second, "1s"}, {90 * Second, "90s"}, {5 * Minute, "5m"}, {36 * Hour, "36h"},
		{30 * Day, "30d"}, {-2 * Day, "-2d"}, {math.MaxInt64, "9223372036854775807ms"}, {math.MinInt64, "-9223372036854775808ms"},
	} {
		if got := c.d.String(); got != c.text {
			t.Errorf("%d is written %s, want %s", int64(c.d), got, c.text)
		}
		if got, err := ParseDuration(c.text); err != nil || got != c.d {
			t.Errorf("%s is read %d, %v; want %d", c.text, int64(got), err, int64(c.d))
		}
	}
	for _, in := range []string{
		"", "-", "5", "m", "5 m", "1.5s", "5M", "+5m", "1h30", "1h-30m", "hm", "5µs", "106751991167d24h", "9223372036854775808ms", "-9223372036854775809ms",
		"99999999999999999999ms", "106751991168d", "9223372036854776s",
	} {
		if got, err := ParseDuration(in); err == nil {
			t.Errorf("%q is read as %d", in, int64(got))
		}
	}
	if got, err := ParseDuration("-1h30m5s7ms"); err != nil || got != -(Hour+30*Minute+5*Second+7) {
		t.Errorf("-1h30m5s7ms: %v, %v", got, err)
	}
	if got, err := ParseDuration("300s"); err != nil || got != 5*Minute {
		t.Errorf("300s: %v, %v", got, err)
	}
}

func TestArithmetic(t *testing.T) {
	const max, min = math.MaxInt64, math.MinInt64
	for _, c := range []struct {
		name string
		got  func() (int64, error)
		want int64
		fits bool
	}{
		{"add", func() (int64, error) { v, err := Timestamp(5).Add(-7); return int64(v), err }, -2, true},
		{"add beyond", func() (int64, error) { v, err := Timestamp(max).Add(1); return int64(v), err }, 0, false},
		{"sub", func() (int64, error) { v, err := Timestamp(5).Sub(7); return int64(v), err }, -2, true},
		{"sub of the smallest", func() (int64, error) { v, err := Timestamp(0).Sub(min); return int64(v), err }, 0, false},
		{"since", func() (int64, error) { v, err := Timestamp(5).Since(7); return int64(v), err }, -2, true},
		{"since the smallest", func() (int64, error) { v, err := Timestamp(1).Since(min); return int64(v), err }, 0, false},
	} {
		if got, err := c.got(); (err == nil) != c.fits || c.fits && got != c.want {
			t.Errorf("%s: %d, %v", c.name, got, err)
		}
	}
	if At(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)).Time().Year() != 2026 || Of(90*time.Second).Duration() != 90*time.Second {
		t.Error("conversion to and from package time")
	}
}

func TestAllocations(t *testing.T) {
	dst := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		dst = AppendTimestamp(dst[:0], 1709164800000)
		if _, err := ParseTimestamp("2024-02-29T00:00:00.000Z"); err != nil {
			t.Fatal(err)
		}
		if _, err := ParseTimestamp("no"); err == nil {
			t.Fatal("read")
		}
		dst = AppendDuration(dst[:0], Minute)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
