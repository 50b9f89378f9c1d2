package state

import (
	"fmt"

	"github.com/streamgen/streamgen/runtime/window"
)

// How many bytes of times the store keys of timed stores begin with: see Schema.Times.
const (
	SlidingTimes  = 8 // start
	SuppressTimes = 8 // when a change leaves
)

// SessionKey is the windowed key, as it is on the wire, of a row of Sessions that ends at a time: key, end, start.
func SessionKey(place []byte, end int64) []byte {
	_, key, start, _ := splitPlace(place)
	return window.AppendSessionKey(make([]byte, 0, len(key)+16), key, start, end)
}

// SlidingKey is the windowed key, as it is on the wire, of a store key of Sliding: key, start.
func SlidingKey(key []byte) []byte {
	return append(append(make([]byte, 0, len(key)), key[SlidingTimes:]...), key[:SlidingTimes]...)
}

// look returns a row that others read, or nil.
func (t *timed[V]) look(key []byte, at span) (*Row[V], error) {
	p, err := t.find(key, at.time)
	if err != nil {
		return nil, err
	}
	i := p.index(at)
	if i < 0 {
		return nil, nil
	}
	return t.get(p, p.spans[i])
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

// lifetime is how long rows can be read: retention behind the greatest time of all rows. What has to leave first stays.
type lifetime struct {
	retention        int64
	greatest, closed *Clock
	partly           *Clock // so many rows of the time closed have left, too
	final            bool
	outdated         outdated
}

// gone is the time at and below which rows have expired, by the values of the clocks.
func (l *lifetime) gone(greatest, closed int64) int64 {
	gone := before(greatest, l.retention)
	if l.final {
		gone = min(gone, before(closed, 1))
	}
	return gone
}

// live makes rows expire.
func (t *timed[V]) live(retention int64, greatest string, final bool) *lifetime {
	s, id := t.rows.stores, t.keys.id
	t.life = &lifetime{retention: retention, greatest: s.Clock(id, greatest), closed: s.Clock(id, "closed"), final: final}
	if final {
		t.life.partly = s.Clock(id, "left")
	}
	t.ending.length = max(1, retention/stretches)
	t.back()
	t.clean()
	t.life.outdated.mark(s.backend.Checkpoint(), id, t.life.greatest.Time)
	return t.life
}

// expired is the offset of the changelog before which all rows that are committed have expired, if it has moved.
func (t *timed[V]) expired() (offset int64, moved bool) {
	l := t.life
	if l == nil {
		return 0, false
	}
	return l.outdated.before(l.gone(l.greatest.applied, l.closed.applied))
}

// back begins anew behind what has left with the epochs that were applied.
func (t *timed[V]) back() {
	t.left, t.cursor = t.life.closed.applied, cursor{at: span{time: Never}}
	if t.life.final {
		t.cursor.skip = max(t.life.partly.applied, 0)
	}
}

// shut notes how far rows have left, after a run of steps.
func (t *timed[V]) shut(limit int64, more bool) {
	if !t.moved {
		return
	}
	t.moved = false
	l, c := t.life, &t.cursor
	if more {
		limit = t.soonest
	}
	l.closed.Time, t.left, l.partly.Time = limit, limit, 0
	if c.at.time == limit {
		l.partly.Time = c.left
	} else {
		*c = cursor{at: span{time: Never}, key: c.key}
	}
}
