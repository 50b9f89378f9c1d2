package state

import (
	"errors"
	"fmt"
	"math"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// Aging is a KeyValue whose rows end: a row that stream time is TTL beyond, or more, is deleted. Stream time is the greatest timestamp of the
// records that came; what age a row has is told by its timestamp.
//
// A record first moves stream time (Advance); what ends by that leaves before the record changes anything, in the order of the times at which
// rows end, then of key bytes. It is at most CloseStep rows; the rest leaves before the next record (Close). A record that is TTL behind stream
// time makes no row: it is Late.
//
// In which order rows end is known from a list of theirs in the backend (deadlines.go). Of it memory holds what comes next, up to the entry at
// which it is read on, and what is not applied.
type Aging[V any] struct {
	*KeyValue[V]
	AgingOptions

	clock *Clock // stream time
	time  int64  // of the record in hand
	soon  int64  // no row ends earlier

	fresh, flying deadlines // listed in the epoch being processed, and in the one in flight
	stored        deadlines // of the backend, those before until
	until         []byte    // backend key of the entry at which to read on
	untilTime     int64     // of that
	passed        []byte    // backend key of the last entry that was taken; nil: none was
	cut           []byte    // that up to which entries are deleted

	ttl    int64  // TTL
	step   int    // CloseStep, but in tests
	ending []byte // scratch
	ended  Row[V] // likewise
}

// AgingOptions say how long rows live.
type AgingOptions struct {
	TTL      temporal.Duration // more than 0
	Replaces bool              // a record replaces the row of its key, whatever their timestamps: a row may become older
}

const (
	deadlinesPart = 1 << 12 // entries that are read at a time
	deadlineParts = 16      // of the time to live: how far ahead they are read
)

// NewAging makes the store with that id.
func NewAging[V any](s *Stores, id uint16, c Codec[V], o AgingOptions) *Aging[V] {
	a := &Aging[V]{KeyValue: &KeyValue[V]{stores: s, codec: c}, AgingOptions: o, ttl: int64(o.TTL), step: CloseStep}
	a.entry = s.add(id, a)
	a.clock = s.Clock(id, "stream time")
	a.begin()
	return a
}

// KeepSent is that of KeyValue.
func (a *Aging[V]) KeepSent() *Aging[V] {
	a.KeyValue.KeepSent()
	return a
}

// ReadAhead is that of KeyValue.
func (a *Aging[V]) ReadAhead(sources ...uint8) *Aging[V] {
	a.KeyValue.ReadAhead(sources...)
	return a
}

// begin knows nothing of what the backend lists.
func (a *Aging[V]) begin() {
	a.fresh.reset()
	a.flying.reset()
	a.stored.reset()
	a.soon, a.untilTime = math.MinInt64+1, math.MinInt64
	a.until = appendDeadline(a.until[:0], a.entry.ID, math.MinInt64, nil)
	a.cut = append(a.cut[:0], a.until...)
	a.passed = a.passed[:0]
}

// Advance begins the record of a key: it moves stream time, and lets rows that have ended leave: they are deleted, and ended is called for each,
// unless it is nil, with the row as it was and the time at which it ended. If there are more than leave at a time, that of the key is among those
// that do.
func (a *Aging[V]) Advance(key []byte, timestamp int64, ended func(key []byte, r *Row[V], at int64) error) error {
	a.time = timestamp
	a.move(timestamp)
	if !a.Due() {
		return nil
	}
	more, err := a.Close(a.step, ended)
	if err != nil || !more {
		return err
	}
	r, err := a.Get(key)
	if err != nil || r == nil || a.end(r) > a.clock.Time {
		return err
	}
	return a.leave(key, r, a.end(r), ended)
}

// Late says whether stream time is so far beyond a record that a row of it has ended.
func (a *Aging[V]) Late(timestamp int64) bool { return after(timestamp, a.ttl) <= a.clock.Time }

// Update is that of KeyValue, for the record that Advance was called for. If that is Late and there is no row, the Update is to be taken back.
func (a *Aging[V]) Update(key []byte) (r *Row[V], existed bool, err error) {
	r, existed, err = a.KeyValue.Update(key)
	if err == nil && (!existed || a.Replaces && a.time < r.Timestamp) && !a.Late(a.time) {
		a.list(after(a.time, a.ttl), key)
	}
	return r, existed, err
}

// Due says whether there may be rows that have ended.
func (a *Aging[V]) Due() bool { return a.soon <= a.clock.Time }

// Pass moves the clock on by milliseconds. What ends by that leaves with Close.
func (a *Aging[V]) Pass(by int64) {
	if a.clock.Time != Never {
		a.move(after(a.clock.Time, by))
	}
}

// move moves stream time on, but not to the end of time: what ends there never does.
func (a *Aging[V]) move(t int64) { a.clock.Time = max(a.clock.Time, min(t, math.MaxInt64-1)) }

// Close lets rows that have ended leave, as Advance does. It looks at n entries of the list at most; more says that there are more, for another
// call.
func (a *Aging[V]) Close(n int, ended func(key []byte, r *Row[V], at int64) error) (more bool, err error) {
	for ; ; n-- {
		at, key, ok, err := a.first()
		if err != nil || !ok {
			return false, err
		}
		if n <= 0 {
			return true, nil
		}
		a.ending = append(a.ending[:0], key...)
		a.take(at)
		r, _, err := a.find(a.ending)
		switch {
		case err != nil:
			return false, err
		case r.absent:
		case a.end(r) > at:
			a.list(a.end(r), a.ending)
		default:
			if err := a.leave(a.ending, r, a.end(r), ended); err != nil {
				return false, err
			}
		}
	}
}

// end is the time at which a row ends.
func (a *Aging[V]) end(r *Row[V]) int64 { return after(r.Timestamp, a.ttl) }

// leave deletes a row that has ended.
func (a *Aging[V]) leave(key []byte, r *Row[V], at int64, ended func(key []byte, r *Row[V], at int64) error) error {
	a.ended.Value, a.ended.Timestamp = r.Value, r.Timestamp
	if _, err := a.Delete(key, at); err != nil {
		return err
	}
	if len(a.headers) > 0 {
		a.ChangedBy(nil) // no record did it
	}
	if ended == nil {
		return nil
	}
	return ended(key, &a.ended, at)
}

// list adds an entry.
func (a *Aging[V]) list(at int64, key []byte) {
	a.fresh.push(at, key)
	a.soon = min(a.soon, at)
}

// first is the first entry of a row that may have ended.
func (a *Aging[V]) first() (at int64, key []byte, ok bool, err error) {
	for {
		at, key = a.stored.first()
		for _, d := range [...]*deadlines{&a.flying, &a.fresh} {
			if t, k := d.first(); t < at || t == at && string(k) < string(key) {
				at, key = t, k
			}
		}
		switch {
		case min(at, a.untilTime) > a.clock.Time:
			a.soon = min(at, a.untilTime)
			return 0, nil, false, nil
		case a.known(at, key):
			return at, key, true, nil
		}
		if err := a.read(); err != nil {
			return 0, nil, false, fmt.Errorf("store %q: read which rows end: %w", a.entry.Name, err)
		}
	}
}

// known says whether an entry stands before those that are to be read.
func (a *Aging[V]) known(at int64, key []byte) bool {
	return at < a.untilTime || at == a.untilTime && string(key) < string(a.until[PrefixLen+timeLen:])
}

// take takes the first entry out, whose key is in hand.
func (a *Aging[V]) take(at int64) {
	for _, d := range [...]*deadlines{&a.stored, &a.flying, &a.fresh} {
		d.drop(at, a.ending)
	}
	a.passed = appendDeadline(a.passed[:0], a.entry.ID, at, a.ending)
}

// read reads on in the backend's list.
func (a *Aging[V]) read() error {
	bound, n := after(a.clock.Time, max(1, a.ttl/deadlineParts)), deadlinesPart
	end := appendKey(nil, a.entry.ID|deadlineStore+1, nil)
	err := a.stores.backend.Scan(a.until, end, func(entry, _ []byte) error {
		at, key := splitDeadline(entry)
		if n--; n < 0 || at > bound {
			a.until, a.untilTime = append(a.until[:0:0], entry...), at
			return errEnough
		}
		a.stored.push(at, key)
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	if err == nil {
		a.untilTime = after(bound, 1)
		a.until = appendDeadline(a.until[:0:0], a.entry.ID, a.untilTime, nil)
	}
	return err
}

// freeze implements store: the changed rows, and what becomes of the list.
func (a *Aging[V]) freeze(f *Frozen) {
	if len(a.passed) > 0 {
		f.Expired = append(f.Expired, Range{From: f.arena.Keep(append(f.arena.Tail(), a.cut...)), To: f.arena.Keep(append(append(f.arena.Tail(), a.passed...), 0))})
		a.cut, a.passed = append(a.cut[:0], a.passed...), a.passed[:0]
	}
	for _, e := range a.fresh.heap {
		key := a.fresh.key(e)
		if r, _ := a.table.find(hashOf(key), key); r == nil || !r.absent { // else it was made and deleted within the epoch
			f.list(a.entry.ID, e.at, key)
		}
	}
	a.KeyValue.freeze(f)
	a.fresh, a.flying = a.flying, a.fresh
}

// applied implements store: what the epoch has listed is read again when its time comes, unless that is to come before what is read next.
func (a *Aging[V]) applied() {
	a.KeyValue.applied()
	for _, e := range a.flying.heap {
		if key := a.flying.key(e); a.known(e.at, key) {
			a.stored.push(e.at, key)
		}
	}
	a.flying.reset()
}

func (a *Aging[V]) discard() error {
	a.begin()
	return a.KeyValue.discard()
}

func (a *Aging[V]) memory() (held, pinned int64) {
	held, pinned = a.KeyValue.memory()
	unapplied := a.fresh.memory() + a.flying.memory()
	return held + unapplied + a.stored.memory(), pinned + unapplied
}
