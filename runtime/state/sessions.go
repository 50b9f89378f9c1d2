package state

import (
	"fmt"

	"github.com/streamgen/streamgen/runtime/window"
)

// Sessions is a store of one row a key and session. A session is [start, end], both the times of records; those of a key whose
// distance is at most the gap are one. Its row has the time of its end.
//
// A record finds the sessions that it meets (Find), the generated code works out what becomes of their rows and it, and then
// Absorb and Put make one session of them. With emit = "final" a session leaves once it can meet no record that is in time
// (Close), and is closed from then on: nothing finds it any more, though it can be read until it expires.
type Sessions[V any] struct {
	timed[V]
	SessionOptions

	// Of the record in hand: the sessions that it meets, in order, and the one that they become.
	Found      []Session[V]
	Start, End int64

	of       *places
	absorbed int     // of Found
	grown    *Row[V] // of the session absorbed, which became that of the record, too; nil: none did

	clocks  []*Clock // stream time of each input
	largest *Clock   // greatest end of a session that was put
	closed  *Clock   // sessions that ended before have left
	closer  Closer
}

// SessionOptions are what a session window says. Times are in milliseconds.
type SessionOptions struct {
	Gap, Grace int64
	Retention  int64 // a session is gone once its end is that far behind the greatest one
	Inputs     int   // each has a clock of its own; 0: one
	Final      bool
	Coalesce   bool // only what a commit leaves goes on: a session that keeps its bounds stays where it is
}

// Session is a session that a record meets. Row is valid until it is absorbed; Value and Timestamp are its row's from then on.
type Session[V any] struct {
	Start, End int64
	Row        *Row[V]
	Value      V
	Timestamp  int64
}

// Closer says which windows are closed although the store that holds them would still change them: a suppress has sent them on.
type Closer interface {
	// Closed is the end below which windows are closed.
	Closed() int64
}

// manyStretches is into how many parts queues divide the time from a row's until it leaves, or expires.
const manyStretches = 256

// NewSessions makes the store with that id.
func NewSessions[V any](s *Stores, id uint16, c Codec[V], o SessionOptions) *Sessions[V] {
	w := &Sessions[V]{SessionOptions: o}
	by := &buckets{want: min(after(after(o.Gap, o.Grace), 1), maxBucket), closed: w.shutUntil}
	w.open(s, id, c, o.Final, by, w)
	w.leaving.later.length = max(1, by.want/manyStretches)
	by.width, by.expired = s.Clock(id, "width"), s.Clock(id, expiredClock)
	if o.Final {
		w.rows.heads = &headed{byKey: map[string][]byte{}}
	}
	w.clocks = streamTimes(s, id, o.Inputs)
	life := w.live(o.Retention, "greatest end", o.Final)
	w.largest, w.closed, by.greatest = life.greatest, life.closed, life.greatest
	return w
}

// shutUntil is the end before which no session is found any more.
func (s *Sessions[V]) shutUntil() int64 {
	closed := int64(Never)
	if s.Final {
		closed = s.left
	}
	if s.closer != nil {
		closed = max(closed, s.closer.Closed())
	}
	return closed
}

// ClosedBy makes sessions closed that c says are.
func (s *Sessions[V]) ClosedBy(c Closer) { s.closer = c }

// Find moves the clock of an input and finds the sessions that a record of that key and time meets. The record is late if the
// session that it and they would become has ended too long ago; then nothing may be put.
func (s *Sessions[V]) Find(input int, key []byte, time int64) (late bool, err error) {
	clock := s.clocks[input]
	clock.Time = max(clock.Time, time)
	s.Found, s.absorbed, s.grown = s.Found[:0], 0, nil
	from, limit := max(before(time, s.Gap), s.shutUntil()), before(clock.Time, s.Grace+s.Gap)
	met, err := s.meet(key, time, max(from, limit))
	if err == nil && s.End >= limit && from < limit { // it is not late, so it meets those, too, that are
		met, err = s.meet(key, time, from)
	}
	if err != nil || s.End < limit {
		return err == nil, err
	}
	for _, at := range met {
		r, err := s.get(s.of, at)
		if err != nil {
			return false, err
		}
		s.Found = append(s.Found, Session[V]{Start: at.start, End: at.time, Row: r})
	}
	return false, nil
}

// meet works out what a record and the sessions that it meets are, of those that end at a time or behind it.
func (s *Sessions[V]) meet(key []byte, time, from int64) ([]span, error) {
	p, err := s.find(key, from)
	if err != nil {
		return nil, err
	}
	s.of, s.Start, s.End = p, time, time
	first := p.from(from)
	n := first
	for n < len(p.spans) && p.spans[n].start <= after(time, s.Gap) {
		s.Start, s.End = min(s.Start, p.spans[n].start), max(s.End, p.spans[n].time)
		n++
	}
	return p.spans[first:n], nil
}

// point says whether the record and what it meets are one point in time: its row then stays where it is.
func (s *Sessions[V]) point() bool { return s.Start == s.End }

// Absorb deletes the row of the next session found, and returns it; nil: there are no more. The session of a single point that
// the record does not extend stays.
func (s *Sessions[V]) Absorb() (gone *Session[V], err error) {
	if s.absorbed == len(s.Found) || s.point() {
		return nil, nil
	}
	f := &s.Found[s.absorbed]
	if s.stays(f) {
		s.absorbed++
		return nil, nil // it is the only one
	}
	s.absorbed++
	f.Value, f.Timestamp = f.Row.Value, f.Row.Timestamp
	if s.canGrow(f) {
		s.grown, err = s.extend(s.of, span{time: f.End, start: f.Start}, s.End)
		return f, err
	}
	return f, s.delete(s.of, span{time: f.End, start: f.Start}, f.End)
}

// canGrow says whether the row of a session can become that of what the record and it are: nobody has to be told that it was another
// one, and it lies where it lay.
func (s *Sessions[V]) canGrow(f *Session[V]) bool {
	return s.Final && len(s.Found) == 1 && f.Start == s.Start && s.keys.by.of(f.End) == s.keys.by.of(s.End)
}

// Put makes what Find found one session and returns its row to be filled in; existed says that it was there with these bounds and
// was not absorbed. The row begins with the value of the first session absorbed, which is the session's own.
func (s *Sessions[V]) Put() (r *Row[V], existed bool, err error) {
	if err := s.absorbAll(); err != nil {
		return nil, false, err
	}
	if r = s.grown; r == nil {
		if r, existed, err = s.update(s.of, span{time: s.End, start: s.Start}); err != nil {
			return nil, false, err
		}
		if s.absorbed > 0 && !existed {
			r.Value = s.Found[0].Value
		}
	}
	r.Timestamp = s.End
	s.largest.Time = max(s.largest.Time, s.End)
	return r, existed, nil
}

// Unchanged takes back the Put before it, of a row that existed and was left as it was.
func (s *Sessions[V]) Unchanged() { s.rows.Unchanged() }

// Delete makes what Find found no session at all. existed says that there is a row that nothing else said is gone: that of a single
// point, whose value f takes as Absorb's result does.
func (s *Sessions[V]) Delete() (gone *Session[V], err error) {
	if err := s.absorbAll(); err != nil {
		return nil, err
	}
	s.largest.Time = max(s.largest.Time, s.End)
	if s.grown != nil {
		return nil, s.delete(s.of, span{time: s.End, start: s.Start}, s.Found[0].End)
	}
	if len(s.Found) == 0 || !s.point() && !s.stays(&s.Found[0]) {
		return nil, nil
	}
	f := &s.Found[0]
	f.Value, f.Timestamp = f.Row.Value, f.Row.Timestamp
	return f, s.delete(s.of, span{time: f.End, start: f.Start}, f.End)
}

// stays says whether a session that was found keeps its bounds, and nobody has to be told that it was another one.
func (s *Sessions[V]) stays(f *Session[V]) bool {
	return s.Coalesce && f.Start == s.Start && f.End == s.End
}

func (s *Sessions[V]) absorbAll() error {
	for {
		if f, err := s.Absorb(); f == nil || err != nil {
			return err
		}
	}
}

// Get returns the row of a key with its session, as it is on the wire, or nil.
func (s *Sessions[V]) Get(key []byte) (*Row[V], error) {
	inner, at, err := s.split(key)
	if err != nil {
		return nil, err
	}
	return s.look(inner, at)
}

func (s *Sessions[V]) split(key []byte) ([]byte, span, error) {
	inner, start, end, ok := window.SplitSessionKey(key)
	if !ok {
		return nil, span{}, fmt.Errorf("store %q: %w: %x", s.keys.name, window.ErrKey, key)
	}
	return inner, span{time: end, start: start}, nil
}

// Due says whether there may be sessions to close.
func (s *Sessions[V]) Due() bool { return s.due(s.closeTime()) }

func (s *Sessions[V]) closeTime() int64 { return before(slowest(s.clocks), s.Grace+s.Gap) }

// Close calls f for sessions that have closed, by end, start and key bytes, each once. It stops after n; more says that there
// are more, for another call.
func (s *Sessions[V]) Close(n int, f func(start, end int64, key []byte, r *Row[V]) error) (more bool, err error) {
	limit := s.closeTime()
	for {
		key, at, r, more, err := s.step(limit, &n)
		if err != nil {
			return false, err
		}
		if r == nil {
			s.shut(limit, more)
			return more, nil
		}
		s.pass(at)
		if err := f(at.start, at.time, key, r); err != nil {
			return false, err
		}
	}
}

// EachChanged calls f for the sessions changed in this epoch, as that of KeyValue does.
func (s *Sessions[V]) EachChanged(f func(start, end int64, key []byte, r *Row[V], exists bool) error) error {
	return s.eachChanged(func(at span, key []byte, r *Row[V], exists bool) error {
		return f(at.start, at.time, key, r, exists)
	})
}

func (s *Sessions[V]) discard() error {
	err := s.timed.discard()
	s.back()
	return err
}
