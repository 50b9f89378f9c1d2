// Package temporal is time as Kafka counts it: timestamps and durations in whole milliseconds, and how they are written.
//
// Generated records and expressions use it instead of time.Time, which is three words and nanoseconds. It stands at the bottom
// of the runtime: it imports nothing of it.
package temporal

import (
	"errors"
	"time"
)

// Timestamp is a moment, in milliseconds since 1970-01-01T00:00:00Z.
type Timestamp int64

// Duration is a length of time in milliseconds.
type Duration int64

// The units of Duration.
const (
	Millisecond Duration = 1
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
	Day                  = 24 * Hour
)

// ErrOverflow is the error of arithmetic whose result is too far away.
var ErrOverflow = errors.New("arithmetic overflow of a time")

// At is t without what is finer than a millisecond.
func At(t time.Time) Timestamp { return Timestamp(t.UnixMilli()) }

// Time is t in UTC.
func (t Timestamp) Time() time.Time { return time.UnixMilli(int64(t)).UTC() }

// Add is t + d.
func (t Timestamp) Add(d Duration) (Timestamp, error) {
	if sum := t + Timestamp(d); (sum > t) == (d > 0) {
		return sum, nil
	}
	return 0, ErrOverflow
}

// Sub is t - d.
func (t Timestamp) Sub(d Duration) (Timestamp, error) {
	if difference := t - Timestamp(d); (difference < t) == (d > 0) {
		return difference, nil
	}
	return 0, ErrOverflow
}

// Since is t - u: how much later t is than u.
func (t Timestamp) Since(u Timestamp) (Duration, error) {
	if difference := t - u; (difference < t) == (u > 0) {
		return Duration(difference), nil
	}
	return 0, ErrOverflow
}

// String is t as AppendTimestamp writes it.
func (t Timestamp) String() string { return string(AppendTimestamp(nil, t)) }

// Of is d without what is finer than a millisecond.
func Of(d time.Duration) Duration { return Duration(d.Milliseconds()) }

// Duration is d as the standard library's. It wraps around beyond 292 years.
func (d Duration) Duration() time.Duration { return time.Duration(d) * time.Millisecond }

// String is d as AppendDuration writes it.
func (d Duration) String() string { return string(AppendDuration(nil, d)) }
