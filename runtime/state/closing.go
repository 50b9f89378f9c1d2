package state

import "fmt"

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
