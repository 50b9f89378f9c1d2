// Package calendar is the time functions of expressions that depend on a calendar or a zone: parsing by a layout, the parts of a
// date, the beginning of a day or a month.
//
// Generated code calls it, with zones that it loads before the program processes anything. The database of zones is linked in: a
// container without one gives the same results.
package calendar

import (
	"errors"
	"time"
	_ "time/tzdata" // the results must not depend on the machine

	"github.com/streamgen/streamgen/runtime/temporal"
)

var (
	errLayout = errors.New("not a time of that layout")
	errRange  = errors.New("the time is too far away")
)

// MustZone is the zone of that name, which the compiler has checked.
func MustZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic("calendar: " + err.Error())
	}
	return zone
}

// Parse reads s in a layout of package time; where it names no zone, in that one. What is finer than a millisecond is dropped.
func Parse(s, layout string, zone *time.Location) (temporal.Timestamp, error) {
	t, err := time.ParseInLocation(layout, s, zone)
	if err != nil {
		return 0, errLayout
	}
	return temporal.At(t), nil
}

// in is t by the clocks of a zone.
func in(t temporal.Timestamp, zone *time.Location) time.Time {
	return time.UnixMilli(int64(t)).In(zone)
}

// Year is the year of t.
func Year(t temporal.Timestamp, zone *time.Location) int64 { return int64(in(t, zone).Year()) }

// Month is the month of t, from 1.
func Month(t temporal.Timestamp, zone *time.Location) int64 { return int64(in(t, zone).Month()) }

// Day is the day of the month of t, from 1.
func Day(t temporal.Timestamp, zone *time.Location) int64 { return int64(in(t, zone).Day()) }

// Hour is the hour of t.
func Hour(t temporal.Timestamp, zone *time.Location) int64 { return int64(in(t, zone).Hour()) }

// Minute is the minute of t.
func Minute(t temporal.Timestamp, zone *time.Location) int64 { return int64(in(t, zone).Minute()) }

// Second is the second of t.
func Second(t temporal.Timestamp, zone *time.Location) int64 { return int64(in(t, zone).Second()) }

// Millisecond is the millisecond of t.
func Millisecond(t temporal.Timestamp, zone *time.Location) int64 {
	return int64(in(t, zone).Nanosecond()) / int64(time.Millisecond)
}

// Weekday is the day of the week of t, from 1 for Monday to 7 for Sunday.
func Weekday(t temporal.Timestamp, zone *time.Location) int64 {
	return int64(in(t, zone).Weekday()+6)%7 + 1
}

// DayOfYear is the day of the year of t, from 1.
func DayOfYear(t temporal.Timestamp, zone *time.Location) int64 { return int64(in(t, zone).YearDay()) }

// Week is the week of t by ISO 8601.
func Week(t temporal.Timestamp, zone *time.Location) int64 {
	_, week := in(t, zone).ISOWeek()
	return int64(week)
}

// UnixSeconds is the whole seconds from 1970 to t, rounded down.
func UnixSeconds(t temporal.Timestamp) int64 {
	s := int64(t) / 1000
	if int64(t)%1000 < 0 {
		s--
	}
	return s
}

// FromUnixSeconds is the time s seconds after 1970 began.
func FromUnixSeconds(s int64) (temporal.Timestamp, error) {
	if t := s * 1000; t/1000 == s {
		return temporal.Timestamp(t), nil
	}
	return 0, errRange
}
