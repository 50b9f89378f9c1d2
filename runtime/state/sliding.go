package state

import (
	"fmt"

	"github.com/streamgen/streamgen/runtime/window"
)

// Sliding is a store of one row a key and sliding window. A window is [start, start+difference], both included. Of all windows
// those have a row whose content differs: for each record at t the one that ends at t, and the one that begins just after t as
// soon as it holds another record. Records before the first difference share [0, difference]. A row has the time of the newest
// record in its window.
//
// For a record, Slide works out which windows it changes or makes; Next goes through them, in the order in which their results
// leave, newest first.
type Sliding[V any] struct {
	timed[V]
	SlidingOptions

	// Window is the one in hand.
	Window SlidingWindow[V]
	// Late are windows that the record belongs to and that do not take it any more; with a record that is late altogether, 1.
	Late int

	of    *places
	steps []slide
	done  int
	time  int64
	was   *Row[V]  // the window in hand as it was before the record, while it is that
	again Row[V]   // was, of a window that the record begins a second time
	front []byte   // encoded: what the window in front of the record's own holds
	right struct { // and what the newest window that holds the record held before it
		row       []byte
		timestamp int64
	}

	clocks  []*Clock // stream time of each input
	largest *Clock   // greatest start of a window that was put
	closed  *Clock   // windows that start before have left
}

// SlidingOptions are what a sliding window says. Times are in milliseconds.
type SlidingOptions struct {
	Difference, Grace int64
	Retention         int64 // a window is gone once its start is that far behind the greatest one
	Inputs            int   // each has a clock of its own; 0: one
	Final             bool
	Once              bool // a window that a record begins in two ways is begun once; else it is sent for both, as Kafka Streams does
}

// SlidingWindow is a window that a record changes or makes.
type SlidingWindow[V any] struct {
	Start, End int64
	Row        *Row[V]
	Fresh      bool // Row was made for the record: its Value is zero or, with Seeded, that of the records before, and its Timestamp not set
	Seeded     bool // Value is that of records that came before
	Complete   bool // the record is not in the window, which holds what Value has
}

// slide is what a record does to a window.
type slide struct {
	start int64
	kind  slideKind
}

type slideKind uint8

const (
	changes   slideKind = iota // the window is there and holds the record
	begins                     // with the record alone
	withLeft                   // with what the window before holds, and the record
	copyRight                  // with what the window holds that comes behind the record
)

// NewSliding makes the store with that id.
func NewSliding[V any](s *Stores, id uint16, c Codec[V], o SlidingOptions) *Sliding[V] {
	w := &Sliding[V]{SlidingOptions: o}
	w.open(s, id, c, o.Final, nil, w)
	if o.Final {
		w.rows.heads = &headed{byKey: map[string][]byte{}}
	}
	w.clocks = streamTimes(s, id, o.Inputs)
	life := w.live(o.Retention, "greatest start", o.Final)
	w.largest, w.closed = life.greatest, life.closed
	return w
}

// Slide moves the clock of an input and works out what a record of that key and time does.
func (s *Sliding[V]) Slide(input int, key []byte, time int64) error {
	clock := s.clocks[input]
	clock.Time = max(clock.Time, time)
	closing := before(clock.Time, s.Grace)
	s.steps, s.done, s.time, s.Late = s.steps[:0], 0, time, 0
	if time+s.Difference < closing {
		s.Late = 1
		return nil
	}
	p, err := s.find(key, Never)
	if err != nil {
		return err
	}
	s.of = p
	if time < s.Difference {
		err = s.early(closing)
	} else {
		err = s.regular(closing)
	}
	return err
}

// plan adds a step, unless the window is closed. What only copies closes later than the record's own windows do.
func (s *Sliding[V]) plan(start int64, kind slideKind, closing int64) {
	if kind != copyRight && start+s.Difference < closing {
		s.Late++
		return
	}
	s.steps = append(s.steps, slide{start, kind})
}

// regular plans for a record whose window [t-d, t] begins at or behind 0.
func (s *Sliding[V]) regular(closing int64) error {
	t, d, spans := s.time, s.Difference, s.of.spans
	hasLeft, hasRight := false, false
	previous := int64(Never) // time of the record before
	var left, behind *Row[V]
	oldest := max(0, t-2*d)
scan:
	for i := len(spans) - 1; i >= 0 && spans[i].time >= oldest; i-- {
		start := spans[i].time
		if start > t+1 {
			continue
		}
		if start == t+1 {
			hasRight = true
			continue
		}
		r, err := s.get(s.of, spans[i])
		if err != nil {
			return err
		}
		switch {
		case start+d > t:
			if behind == nil {
				behind = r
			}
			s.plan(start, changes, closing)
		case start+d == t:
			hasLeft = true
			s.plan(start, changes, closing)
			if r.Timestamp >= t { // a record of this time has made all that is needed
				return nil
			}
			previous = r.Timestamp
		default:
			left, previous = r, r.Timestamp
			break scan
		}
	}
	same := false // the window behind the record before is the one that ends here, and that is enough
	if previous != Never && previous+1+d >= t && s.of.index(span{time: previous + 1}) < 0 {
		late := s.Late
		s.plan(previous+1, begins, closing)
		same = s.Once && previous+1 == t-d && s.Late == late
	}
	if !hasLeft && !same {
		if left != nil && previous >= t-d {
			s.front = s.rows.codec.Append(s.front[:0], &left.Value)
			s.plan(t-d, withLeft, closing)
		} else {
			s.plan(t-d, begins, closing)
		}
	}
	if !hasRight {
		s.planRight(behind, closing)
	}
	return nil
}

// early plans for a record whose window [t-d, t] would begin before 0.
func (s *Sliding[V]) early(closing int64) error {
	t, spans := s.time, s.of.spans
	var joint, behind *Row[V]
	hasRight := false
	previous := int64(Never)
	for _, at := range spans[s.of.from(0):] {
		if at.time > t+1 {
			break
		}
		r, err := s.get(s.of, at)
		if err != nil {
			return err
		}
		switch {
		case at.time == 0:
			joint = r
			if r.Timestamp < t {
				previous = r.Timestamp
			}
		case at.time <= t:
			behind = r
			s.plan(at.time, changes, closing)
		default:
			hasRight = true
		}
	}
	if behind == nil && joint != nil && joint.Timestamp > t {
		behind = joint
	}
	if !hasRight {
		s.planRight(behind, closing)
	}
	if previous != Never && s.of.index(span{time: previous + 1}) < 0 {
		s.plan(previous+1, begins, closing)
	}
	if joint == nil {
		s.plan(0, begins, closing)
	} else {
		s.plan(0, changes, closing)
	}
	return nil
}

// planRight plans the window behind the record, if a record lies in it: it holds what the newest window that holds the record held
// before.
func (s *Sliding[V]) planRight(behind *Row[V], closing int64) {
	if behind == nil || behind.Timestamp <= s.time {
		return
	}
	s.right.row = s.rows.codec.Append(s.right.row[:0], &behind.Value)
	s.right.timestamp = behind.Timestamp
	s.plan(s.time+1, copyRight, closing)
}

// Next goes to the next window that the record changes or makes, and says whether there is one. What the window before became must
// be in its row by then, or taken back with Unchanged or Delete.
func (s *Sliding[V]) Next() (bool, error) {
	if s.done == len(s.steps) {
		return false, nil
	}
	step := &s.steps[s.done]
	s.done++
	w := &s.Window
	*w = SlidingWindow[V]{Start: step.start, End: step.start + s.Difference}
	r, existed, err := s.update(s.of, span{time: step.start})
	if err != nil {
		return false, err
	}
	w.Row, w.Fresh = r, !existed
	if s.was = nil; existed {
		s.was = r
	}
	s.largest.Time = max(s.largest.Time, step.start)
	switch step.kind {
	case begins:
		if existed {
			s.again = Row[V]{Value: r.Value, Timestamp: r.Timestamp}
			s.was = &s.again
		}
		var zero V
		r.Value, r.Timestamp, w.Fresh = zero, 0, true
	case withLeft:
		r.Timestamp, w.Seeded = -1, true
		err = s.rows.codec.Read(s.front, &r.Value)
	case copyRight:
		r.Timestamp, w.Seeded, w.Complete = s.right.timestamp, true, true
		err = s.rows.codec.Read(s.right.row, &r.Value)
	}
	return err == nil, err
}

// Was is the row of the window in hand as it was before the record, or nil. It is to be read before the row is changed.
func (s *Sliding[V]) Was() *Row[V] { return s.was }

// Unchanged takes back what Next did: the window in hand stays as it was, or is not made.
func (s *Sliding[V]) Unchanged() {
	if !s.Window.Fresh {
		s.rows.Unchanged()
		return
	}
	var zero V
	s.Window.Row.Value = zero
	s.rows.Unchanged()
	s.withdraw(s.of, s.of.index(span{time: s.Window.Start}))
}

// Delete removes the row of the window in hand, whose Value and Timestamp must be those that it had when Next returned it;
// existed says that it was there before the record.
func (s *Sliding[V]) Delete(timestamp int64) (existed bool, err error) {
	if s.Window.Fresh {
		s.Unchanged()
		return false, nil
	}
	return true, s.delete(s.of, span{time: s.Window.Start}, timestamp)
}

// UpdateAt returns the row of the window in hand, which start and key are those of. existed says that its Value is that of records
// before: it may have been made for the record with what another window holds, and then its Timestamp is below all others until it
// is set.
func (s *Sliding[V]) UpdateAt(start int64, key []byte) (r *Row[V], existed bool, err error) {
	w := &s.Window
	return w.Row, !w.Fresh || w.Seeded && !w.Complete, nil
}

// DeleteAt is Delete of the window in hand.
func (s *Sliding[V]) DeleteAt(start int64, key []byte, timestamp int64) (existed bool, err error) {
	return s.Delete(timestamp)
}

// Get returns the row of a key with its window, as it is on the wire, or nil.
func (s *Sliding[V]) Get(key []byte) (*Row[V], error) {
	inner, at, err := s.split(key)
	if err != nil {
		return nil, err
	}
	return s.look(inner, at)
}

func (s *Sliding[V]) split(key []byte) ([]byte, span, error) {
	inner, start, ok := window.SplitKey(key)
	if !ok {
		return nil, span{}, fmt.Errorf("store %q: %w: %x", s.keys.name, window.ErrKey, key)
	}
	return inner, span{time: start}, nil
}

// Due says whether there may be windows to close.
func (s *Sliding[V]) Due() bool { return s.due(s.closeTime()) }

func (s *Sliding[V]) closeTime() int64 { return before(slowest(s.clocks), s.Grace+s.Difference) }

// Close calls f for windows that have closed, by start and key bytes, each once. It stops after n; more says that there are
// more, for another call.
func (s *Sliding[V]) Close(n int, f func(start, end int64, key []byte, r *Row[V]) error) (more bool, err error) {
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
		if err := f(at.time, at.time+s.Difference, key, r); err != nil {
			return false, err
		}
	}
}

// EachChanged calls f for the windows changed in this epoch, as that of KeyValue does.
func (s *Sliding[V]) EachChanged(f func(start, end int64, key []byte, r *Row[V], exists bool) error) error {
	return s.eachChanged(func(at span, key []byte, r *Row[V], exists bool) error {
		return f(at.time, at.time+s.Difference, key, r, exists)
	})
}

func (s *Sliding[V]) discard() error {
	err := s.timed.discard()
	s.back()
	return err
}
