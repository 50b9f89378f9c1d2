package state

import (
	"unsafe"

	"github.com/streamgen/streamgen/runtime/window"
)

// sent keeps rows as they were when they changed for the first time in an epoch: as a table whose changes go on at Flush sent them
// last.
type sent[V any] struct {
	on   bool
	rows []Row[V] // by place in table.changed
}

// KeepSent lets the store keep each row that changes in an epoch as it was before, beside what it becomes. Only stores whose changes go
// on at Flush need that, and of them those that must know what is replaced, or that could send what changes nothing: a row may be
// changed and changed back.
func (s *KeyValue[V]) KeepSent() *KeyValue[V] {
	s.sent.on = true
	return s
}

// Before is r, which changed in this epoch, as it was sent last: nil if it was not there. Called within EachChanged.
func (s *KeyValue[V]) Before(r *Row[V]) *Row[V] {
	b := &s.sent.rows[r.mark]
	if b.absent {
		return nil
	}
	return b
}

// Sent is like Get, as of what was sent: a row that changed in this epoch is what it was before until EachChanged comes to it. So
// what is worked out from the rows of several tables, one of which sends its changes now, is of one moment for all that reads it.
func (s *KeyValue[V]) Sent(key []byte) (*Row[V], error) {
	r, _, err := s.find(key)
	if err != nil {
		return nil, err
	}
	return s.asSent(r), nil
}

func (s *KeyValue[V]) asSent(r *Row[V]) *Row[V] {
	switch {
	case r.changed && int(r.mark) >= s.walked:
		return s.Before(r)
	case r.absent:
		return nil
	}
	return r
}

// KeepSent is that of KeyValue.
func (w *Windowed[V]) KeepSent() *Windowed[V] {
	w.sent.on = true
	return w
}

// Before is that of KeyValue, of the row that EachChanged has given.
func (w *Windowed[V]) Before(*Row[V]) *Row[V] {
	if w.lost.given {
		return nil
	}
	b := &w.sent.rows[w.walked-1]
	if b.absent {
		return nil
	}
	return b
}

// Sent is that of KeyValue, by the bytes of a windowed key.
func (w *Windowed[V]) Sent(key []byte) (*Row[V], error) {
	inner, start, ok := window.SplitKey(key)
	if !ok {
		return nil, w.badKey(key)
	}
	if start <= w.gone() {
		return nil, nil
	}
	p := w.pane(start)
	r, _, err := w.find(p, hashOf(inner), inner)
	switch {
	case err != nil:
		return nil, err
	case r.changed && p.turns[r.mark] >= w.walked:
		if b := &w.sent.rows[p.turns[r.mark]]; !b.absent {
			return b, nil
		}
		return nil, nil
	case r.absent:
		return nil, nil
	}
	return r, nil
}

// KeepSent is that of KeyValue.
func (s *Sessions[V]) KeepSent() *Sessions[V] {
	s.rows.sent.on = true
	return s
}

// Sent is that of KeyValue, by the bytes of a key with its session.
func (s *Sessions[V]) Sent(key []byte) (*Row[V], error) {
	inner, at, err := s.split(key)
	if err != nil {
		return nil, err
	}
	return s.lookSent(inner, at)
}

// KeepSent is that of KeyValue.
func (s *Sliding[V]) KeepSent() *Sliding[V] {
	s.rows.sent.on = true
	return s
}

// Sent is that of KeyValue, by the bytes of a key with its window.
func (s *Sliding[V]) Sent(key []byte) (*Row[V], error) {
	inner, at, err := s.split(key)
	if err != nil {
		return nil, err
	}
	return s.lookSent(inner, at)
}

// Before is that of KeyValue.
func (t *timed[V]) Before(r *Row[V]) *Row[V] { return t.rows.Before(r) }

// lookSent returns a row that others read, as it was sent last, or nil. One that is listed no more may have been.
func (t *timed[V]) lookSent(key []byte, at span) (*Row[V], error) {
	p, err := t.find(key, at.time)
	if err != nil || at.time <= t.gone() {
		return nil, err
	}
	if i := p.index(at); i >= 0 {
		r, _, err := t.row(p, i)
		if err != nil {
			return nil, err
		}
		return t.rows.asSent(r), nil
	}
	if n, ok := t.keys.wasDeleted(p, at); ok {
		return t.rows.asSent(t.rows.table.row(t.rows.table.changed[n])), nil
	}
	return nil, nil
}

// keep notes a row that is about to change for the first time in the epoch. Its value shares no memory that is written again.
func (s *sent[V]) keep(r *Row[V]) {
	if s.on {
		s.rows = append(s.rows, Row[V]{Value: r.Value, Timestamp: r.Timestamp, absent: r.absent})
	}
}

// drop takes back the last keep.
func (s *sent[V]) drop() {
	if s.on {
		s.rows = s.rows[:len(s.rows)-1]
	}
}

func (s *sent[V]) reset() {
	clear(s.rows)
	s.rows = s.rows[:0]
}

// rowMemory is what a row that is kept takes, of size bytes outside of it.
func (s *sent[V]) rowMemory(size uint32) int64 {
	if !s.on {
		return 0
	}
	return int64(unsafe.Sizeof(Row[V]{})) + int64(size)
}

func (s *sent[V]) memory() int64 { return int64(cap(s.rows)) * int64(unsafe.Sizeof(Row[V]{})) }
