package calendar

import (
	"time"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// Truncate is t, down to a multiple of d, which is above 0, since 1970 in UTC.
func Truncate(t temporal.Timestamp, d temporal.Duration) (temporal.Timestamp, error) {
	rest := t % temporal.Timestamp(d)
	if rest < 0 {
		rest += temporal.Timestamp(d)
	}
	return earlier(t-rest, t)
}

// earlier is begin, which lies before t unless it wrapped around.
func earlier(begin, t temporal.Timestamp) (temporal.Timestamp, error) {
	if begin > t {
		return 0, errRange
	}
	return begin, nil
}

// StartOfMinute is the beginning of the minute that t lies in. Zones differ from UTC by seconds only before 1972.
func StartOfMinute(t temporal.Timestamp, zone *time.Location) (temporal.Timestamp, error) {
	at := in(t, zone)
	return back(t, time.Duration(at.Second())*time.Second+time.Duration(at.Nanosecond()))
}

// StartOfHour is the beginning of the hour that t lies in. Clocks that are moved within the hour do not move it.
func StartOfHour(t temporal.Timestamp, zone *time.Location) (temporal.Timestamp, error) {
	at := in(t, zone)
	return back(t, time.Duration(at.Minute())*time.Minute+time.Duration(at.Second())*time.Second+time.Duration(at.Nanosecond()))
}

func back(t temporal.Timestamp, d time.Duration) (temporal.Timestamp, error) {
	return earlier(t-temporal.Timestamp(d.Milliseconds()), t)
}

// StartOfDay is the beginning of the day that t lies in.
func StartOfDay(t temporal.Timestamp, zone *time.Location) (temporal.Timestamp, error) {
	y, m, d := in(t, zone).Date()
	return begin(t, y, m, d, zone)
}

// StartOfWeek is the beginning of the Monday at or before t.
func StartOfWeek(t temporal.Timestamp, zone *time.Location) (temporal.Timestamp, error) {
	at := in(t, zone)
	y, m, d := at.Date()
	return begin(t, y, m, d-int(at.Weekday()+6)%7, zone)
}

// StartOfMonth is the beginning of the month that t lies in.
func StartOfMonth(t temporal.Timestamp, zone *time.Location) (temporal.Timestamp, error) {
	y, m, _ := in(t, zone).Date()
	return begin(t, y, m, 1, zone)
}

// StartOfQuarter is the beginning of the quarter that t lies in.
func StartOfQuarter(t temporal.Timestamp, zone *time.Location) (temporal.Timestamp, error) {
	y, m, _ := in(t, zone).Date()
	return begin(t, y, m-(m-1)%3, 1, zone)
}

// StartOfYear is the beginning of the year that t lies in.
func StartOfYear(t temporal.Timestamp, zone *time.Location) (temporal.Timestamp, error) {
	return begin(t, in(t, zone).Year(), time.January, 1, zone)
}

// begin is the first moment of a day. Where clocks skip midnight it is the moment at which they do.
func begin(t temporal.Timestamp, y int, m time.Month, d int, zone *time.Location) (temporal.Timestamp, error) {
	at := time.Date(y, m, d, 0, 0, 0, 0, zone)
	if at.Hour() != 0 {
		if at.Day() != time.Date(y, m, d, 12, 0, 0, 0, zone).Day() {
			at = at.Add(time.Hour) // midnight was skipped, and package time chose the offset before it
		}
		at = at.Add(-time.Duration(at.Minute())*time.Minute - time.Duration(at.Second())*time.Second)
	}
	return earlier(temporal.At(at), t)
}
