package calendar

import (
	"math"
	"testing"
	"time"

	"github.com/streamgen/streamgen/runtime/temporal"
)

func at(t *testing.T, s string) temporal.Timestamp {
	t.Helper()
	v, err := temporal.ParseTimestamp(s)
	if err != nil {
		t.Fatal(s, err)
	}
	return v
}

// Each beginning is the first moment of its unit: the moment before lies in another one.
func TestStarts(t *testing.T) {
	units := []struct {
		name  string
		start func(temporal.Timestamp, *time.Location) (temporal.Timestamp, error)
		unit  func(time.Time) any
	}{
		{"minute", StartOfMinute, func(t time.Time) any { return [5]int{t.Year(), t.YearDay(), t.Hour(), t.Minute()} }},
		{"day", StartOfDay, func(t time.Time) any { return [2]int{t.Year(), t.YearDay()} }},
		{"week", StartOfWeek, func(t time.Time) any { y, w := t.ISOWeek(); return [2]int{y, w} }},
		{"month", StartOfMonth, func(t time.Time) any { return [2]int{t.Year(), int(t.Month())} }},
		{"quarter", StartOfQuarter, func(t time.Time) any { return [2]int{t.Year(), int(t.Month()-1) / 3} }},
		{"year", StartOfYear, func(t time.Time) any { return t.Year() }},
	}
	// Sao Paulo skipped midnight, Lord Howe moves clocks by half an hour, Apia skipped a day.
	for _, name := range []string{"UTC", "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia"} {
		zone := MustZone(name)
		for moment := at(t, "2011-12-20T00:17:08.125Z"); moment < at(t, "2019-03-01T00:00:00Z"); moment += 7*temporal.Timestamp(temporal.Hour) + 12345 {
			for _, u := range units {
				begin, err := u.start(moment, zone)
				if err != nil {
					t.Fatal(err)
				}
				of := func(m temporal.Timestamp) any { return u.unit(m.Time().In(zone)) }
				if of(begin) != of(moment) || begin > moment || of(begin-1) == of(moment) {
					t.Fatalf("the %s of %s in %s begins at %s", u.name, moment, name, begin)
				}
			}
		}
	}
}

func TestStartOfHour(t *testing.T) {
	for _, c := range []struct{ zone, at, want string }{
		{"UTC", "2024-05-01T14:37:08.125Z", "2024-05-01T14:00:00Z"},
		{"Asia/Kolkata", "2024-05-01T14:37:08.125Z", "2024-05-01T14:30:00Z"},
		{"Europe/Berlin", "2024-10-27T00:30:00Z", "2024-10-27T00:00:00Z"}, // the first 2 o'clock of that night
		{"Europe/Berlin", "2024-10-27T01:30:00Z", "2024-10-27T01:00:00Z"}, // the second
	} {
		got, err := StartOfHour(at(t, c.at), MustZone(c.zone))
		if err != nil || got != at(t, c.want) {
			t.Errorf("%s in %s: %s, %v", c.at, c.zone, got, err)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		t    temporal.Timestamp
		d    temporal.Duration
		want temporal.Timestamp
	}{{7, 5, 5}, {5, 5, 5}, {-1, 5, -5}, {-5, 5, -5}, {0, 5, 0}, {math.MaxInt64, 10, math.MaxInt64 - 7}} {
		if got, err := Truncate(c.t, c.d); got != c.want || err != nil {
			t.Errorf("truncate(%d, %d): %d, %v", c.t, c.d, got, err)
		}
	}
	if got, err := Truncate(math.MinInt64, 1000); err == nil {
		t.Error("wrapped to", got)
	}
	if got, err := StartOfYear(math.MinInt64, time.UTC); err == nil {
		t.Error("wrapped to", got)
	}
}

func TestUnixSeconds(t *testing.T) {
	for ms, want := range map[temporal.Timestamp]int64{0: 0, 999: 0, 1000: 1, -1: -1, -1000: -1, -1001: -2, math.MinInt64: -9223372036854776} {
		if got := UnixSeconds(ms); got != want {
			t.Errorf("%d: %d", ms, got)
		}
	}
	if v, err := FromUnixSeconds(math.MaxInt64 / 1000); err != nil || v != math.MaxInt64/1000*1000 {
		t.Error(v, err)
	}
	for _, s := range []int64{math.MaxInt64, math.MinInt64, math.MaxInt64/1000 + 1} {
		if v, err := FromUnixSeconds(s); err == nil {
			t.Error(s, v)
		}
	}
}

func TestParse(t *testing.T) {
	v, err := Parse("01.05.2024 14:30:00.123456", "02.01.2006 15:04:05", MustZone("Europe/Berlin"))
	if err != nil || v != at(t, "2024-05-01T12:30:00.123Z") {
		t.Error(v, err)
	}
	if v, err := Parse("2024-05-01T14:30:00+05:00", time.RFC3339, MustZone("Europe/Berlin")); err != nil || v != at(t, "2024-05-01T09:30:00Z") {
		t.Error(v, err)
	}
	if v, err := Parse("2024-13-01", time.DateOnly, time.UTC); err == nil {
		t.Error(v)
	}
}
