package state

import (
	"fmt"
)

// How many bytes of times the store keys of timed stores begin with: see Schema.Times.
const (
	SessionTimes  = 16 // end, start
	SlidingTimes  = 8  // start
	SuppressTimes = 8  // when a change leaves
)

// SessionKey is the windowed key, as it is on the wire, of a store key of Sessions: key, end, start.
func SessionKey(key []byte) []byte {
	return append(append(make([]byte, 0, len(key)), key[SessionTimes:]...), key[:SessionTimes]...)
}

// SlidingKey is the windowed key, as it is on the wire, of a store key of Sliding: key, start.
func SlidingKey(key []byte) []byte {
	return append(append(make([]byte, 0, len(key)), key[SlidingTimes:]...), key[:SlidingTimes]...)
}

// streamTimes are the clocks of a windowed operator: one for each of its inputs.
func streamTimes(s *Stores, id uint16, inputs int) []*Clock {
	clocks := []*Clock{s.Clock(id, "stream time")}
	for i := 1; i < inputs; i++ {
		clocks = append(clocks, s.Clock(id, fmt.Sprintf("stream time %d", i+1)))
	}
	return clocks
}

// slowest is the stream time that all inputs have passed.
func slowest(clocks []*Clock) int64 {
	t := clocks[0].Time
	for _, c := range clocks[1:] {
		t = min(t, c.Time)
	}
	return t
}

// expiredAt is the time at and below which rows have expired: retention behind the greatest one. What has to leave first stays.
func expiredAt(greatest *Clock, retention int64, final bool, closed *Clock) int64 {
	gone := before(greatest.Time, retention)
	if final {
		gone = min(gone, before(closed.Time, 1))
	}
	return gone
}

// shut notes how far rows have left, after a run of steps.
func (t *timed[V]) shut(closed *Clock, limit int64, more bool) {
	if !t.moved {
		return
	}
	t.moved = false
	if more {
		limit = t.soonest
	}
	closed.Time, t.left = limit, limit
}
