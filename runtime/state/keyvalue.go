package state

import (
	"errors"
	"fmt"
	"math"

	"github.com/streamgen/streamgen/runtime/record"
)

// KeyValue is a store of one row a key.
type KeyValue[V any] struct {
	stores  *Stores
	entry   *entry
	codec   Codec[V]
	table   table[V]
	headers [][]record.Header // by place in table.changed, as far as ChangedBy was called
	hand    hand
	sent    sent[V]
	walked  int     // of table.changed, by EachChanged
	key     []byte  // scratch
	sources []uint8 // whose records look rows up by their keys, see ReadAhead
	touched uint64  // of rows, so that they are in the caches

	heads *headed    // headers of rows, stored with them; nil: they are not kept
	keys  *directory // finds the rows of a timed store, whose keys here are those of rowKey; nil: the table does
	spent spent

	whole  whole
	mean   uint32 // of encoded sizes
	sweep  uint32 // the row that eviction looks at next
	dirty  int64  // memory of the rows changed in the epoch being processed
	flying int64  // of those in the epoch in flight
}

// hand is what the last Update or Delete did, for Unchanged and ChangedBy.
type hand struct {
	place         uint32 // in table.changed
	fresh, absent bool   // the row was not changed in this epoch before; it did not exist
	mark          uint32 // if fresh: before
	timestamp     int64  // if absent: before
}

const (
	minSweep    = 1024
	sweepFactor = 4
)

// whole says whether the overlay has every row of the store: then a missing key is absent and the backend is not asked.
type whole uint8

const (
	unknown whole = iota
	yes
	no
)

// NewKeyValue makes the store with that id. The rows of each task are read and changed on its goroutine only.
func NewKeyValue[V any](s *Stores, id uint16, c Codec[V]) *KeyValue[V] {
	kv := &KeyValue[V]{stores: s, codec: c}
	kv.entry = s.add(id, kv)
	return kv
}

// Get returns the row of key, or nil. The row must not be changed.
func (s *KeyValue[V]) Get(key []byte) (*Row[V], error) {
	r, _, err := s.find(key)
	if err != nil || r.absent {
		return nil, err
	}
	return r, nil
}

// Update returns the row of key to be changed in place, made with a zero Value and Timestamp if the store has none; existed
// tells the two apart. The row counts as changed in this epoch, unless Unchanged is called.
func (s *KeyValue[V]) Update(key []byte) (r *Row[V], existed bool, err error) {
	r, n, err := s.find(key)
	if err != nil {
		return nil, false, err
	}
	existed = !r.absent
	if !existed {
		s.table.resize(r, s.mean)
	}
	s.change(r, n)
	if !existed {
		r.Timestamp, r.absent = 0, false
	}
	return r, existed, nil
}

// Unchanged takes back the Update before it, whose row was left as it was: what changes nothing is neither sent nor logged.
// No other call on the store may stand between the two.
func (s *KeyValue[V]) Unchanged() {
	r := s.table.row(s.table.changed[s.hand.place])
	if s.hand.fresh {
		r.changed, r.mark = false, s.hand.mark
		s.table.changed = s.table.changed[:s.hand.place]
		s.dirty -= s.table.rowMemory(r) + s.sent.rowMemory(r.size)
		s.sent.drop()
	}
	if s.hand.absent {
		r.Timestamp, r.absent = s.hand.timestamp, true
		s.table.resize(r, 0)
	}
}

// Delete removes the row of key, by a record of that timestamp. A key that never was leaves no tombstone: existed tells.
func (s *KeyValue[V]) Delete(key []byte, timestamp int64) (existed bool, err error) {
	r, n, err := s.find(key)
	if err != nil || r.absent {
		return false, err
	}
	s.change(r, n)
	var zero V
	r.Value, r.Timestamp, r.absent = zero, timestamp, true
	return true, nil
}

// ChangedBy keeps the headers of the record behind the last Update or Delete, which must have been effective, for Headers.
// They pin a fetch until the epoch is frozen: only stores whose changes go on at Flush call it.
func (s *KeyValue[V]) ChangedBy(headers []record.Header) {
	for len(s.headers) < len(s.table.changed) {
		s.headers = append(s.headers, nil)
	}
	s.headers[s.hand.place] = headers
}

// Headers are those of the last record that changed r in this epoch, as told by ChangedBy. Called within EachChanged.
func (s *KeyValue[V]) Headers(r *Row[V]) []record.Header {
	if int(r.mark) >= len(s.headers) {
		return nil
	}
	return s.headers[r.mark]
}

// EachChanged calls f for the rows changed in this epoch, in order of their first change: how emit = "updates" sends one
// result a key and commit. For a deleted row exists is false, its Value zero and its Timestamp that of the delete; a row made
// and deleted within the epoch is left out. The key is valid during the call. f may change other stores, not this one. It
// runs in Flush, before Freeze. Called again after a panic in f it goes on with the next row.
func (s *KeyValue[V]) EachChanged(f func(key []byte, r *Row[V], exists bool) error) error {
	for s.walked < len(s.table.changed) {
		r := s.table.row(s.table.changed[s.walked])
		s.walked++
		if r.absent && !r.stored {
			continue
		}
		if err := f(s.table.key(r), r, !r.absent); err != nil {
			return err
		}
	}
	return nil
}

// find returns the row of key, which may be absent.
func (s *KeyValue[V]) find(key []byte) (*Row[V], uint32, error) {
	hash := hashOf(key)
	if r, n := s.table.find(hash, key); r != nil {
		if !r.used { // a row that is only read stays clean in the caches
			r.used = true
		}
		return r, n, nil
	}
	return s.load(hash, key)
}

// load brings a key into the overlay, from the backend or as absent.
func (s *KeyValue[V]) load(hash uint32, key []byte) (*Row[V], uint32, error) {
	if s.whole == unknown {
		if err := s.look(); err != nil {
			return nil, 0, err
		}
	}
	if s.whole == yes {
		r, n := s.table.insert(hash, key)
		r.absent = true
		return r, n, nil
	}
	s.key = appendKey(s.key[:0], s.entry.ID, key)
	src, ok, err := s.stores.get(s.key)
	if err != nil {
		return nil, 0, fmt.Errorf("store %q: read the row of key %q: %w", s.entry.Name, key, err)
	}
	r, n := s.table.insert(hash, key)
	if !ok {
		r.absent = true
		return r, n, nil
	}
	if err := s.take(r, n, src); err != nil {
		return nil, 0, err
	}
	return r, n, nil
}

// take makes row n, which is new, what the backend has. If it fails the row is gone.
func (s *KeyValue[V]) take(r *Row[V], n uint32, src []byte) error {
	r.stored = true
	var err error
	if s.heads != nil {
		err = s.readHeaded(src, s.keyOf(r), r)
	} else {
		err = readRow(&s.codec, src, r)
	}
	if err != nil {
		err = fmt.Errorf("store %q: decode the row of key %q: %w", s.entry.Name, s.keyOf(r), err)
		s.remove(n)
		return err
	}
	s.table.resize(r, uint32(len(src)-TimestampLen))
	return nil
}

var errFound = errors.New("found")

// look finds out whether the backend holds any row of the store.
func (s *KeyValue[V]) look() error {
	all := wholeStore(s.entry.ID)
	err := s.stores.backend.Scan(all.From, all.To, func(_, _ []byte) error { return errFound })
	switch {
	case err == nil:
		s.whole = yes
	case errors.Is(err, errFound):
		s.whole = no
	default:
		return fmt.Errorf("store %q: %w", s.entry.Name, err)
	}
	return nil
}

// change marks row n as changed in this epoch.
func (s *KeyValue[V]) change(r *Row[V], n uint32) {
	s.hand.fresh, s.hand.absent = !r.changed, r.absent
	if r.absent {
		s.hand.timestamp = r.Timestamp
	}
	if !r.changed {
		s.hand.mark = r.mark
		r.changed, r.mark = true, uint32(len(s.table.changed))
		s.table.changed = append(s.table.changed, n)
		s.dirty += s.table.rowMemory(r) + s.sent.rowMemory(r.size)
		s.sent.keep(r)
	}
	s.hand.place = r.mark
}

func (s *KeyValue[V]) freeze(f *Frozen) {
	t := &s.table
	s.dirty, s.flying = 0, 0
	for i, n := range t.changed {
		if s.keys != nil && i%aheadGroup == 0 {
			s.touchPlaces(t.changed[i:min(i+aheadGroup, len(t.changed))])
		}
		r := t.row(n)
		r.changed = false
		if r.absent && !r.stored { // made and deleted within the epoch
			r.mark = 0
			t.resize(r, 0)
			if s.keys != nil {
				s.spend(n)
			}
			continue
		}
		if r.absent {
			t.resize(r, 0)
			if s.keys == nil {
				s.frozen(f, r)
			} else {
				if !s.keys.taken(t.key(r)) {
					s.frozen(f, r)
				}
				s.spend(n)
				continue
			}
		} else {
			c := s.frozen(f, r)
			dst := f.rowTail(r.Timestamp)
			if s.heads != nil {
				dst = s.appendHeads(dst, r)
			}
			c.Row = f.arena.Keep(s.codec.Append(dst, &r.Value))
			size := uint32(len(c.Row) - TimestampLen)
			t.resize(r, size)
			s.mean = (7*s.mean + size) / 8
		}
		r.stored, r.mark = !r.absent, s.stores.frozen
		s.flying += t.rowMemory(r)
	}
	t.changed = t.changed[:0]
	s.walked = 0
	s.sent.reset()
	clear(s.headers)
	s.headers = s.headers[:0]
	s.keepSpent()
}

// frozen adds a row that changed to f, without what it became.
func (s *KeyValue[V]) frozen(f *Frozen, r *Row[V]) *Change {
	key := s.table.key(r)
	if s.keys != nil {
		p, at := s.keys.split(key)
		s.key = s.keys.appendPlace(s.key[:0], p, at)
		key = s.key
	}
	return f.change(s.entry.ID, key, r.Timestamp)
}

// keyOf is the key of a row; of a timed store its times and the key, in scratch memory.
func (s *KeyValue[V]) keyOf(r *Row[V]) []byte {
	if s.keys == nil {
		return s.table.key(r)
	}
	p, at := s.keys.split(s.table.key(r))
	s.key = append(s.keys.appendSpan(s.key[:0], at), p.key...)
	return s.key
}

func (s *KeyValue[V]) applied() { s.flying = 0 }

func (s *KeyValue[V]) discard() error {
	t := &s.table
	s.forgetSpent(0)
	for _, n := range t.changed {
		r := t.row(n)
		r.changed, r.mark = false, math.MaxUint32
	}
	t.changed = t.changed[:0]
	s.walked = 0
	s.sent.reset()
	clear(s.headers)
	s.headers = s.headers[:0]
	for i := uint32(0); i < t.n; {
		if t.row(i).mark > s.stores.applied {
			s.remove(i)
		} else {
			i++
		}
	}
	t.trim()
	s.dirty, s.flying, s.whole = 0, 0, unknown
	return nil
}

func (s *KeyValue[V]) memory() (held, pinned int64) {
	held = s.table.memory() + s.sent.memory()
	if s.heads != nil {
		held += s.heads.memory
	}
	return held, s.dirty + s.flying
}

// evict is a clock: a row that was used since the hand came by is passed over once. A call looks at minSweep rows, and at
// sweepFactor for each row that came since the last: enough to keep up though it passes over each one first.
func (s *KeyValue[V]) evict(target int64) {
	s.forgetSpent(0)
	t := &s.table
	work := minSweep + sweepFactor*t.inserted
	t.inserted = 0
	for ; work > 0 && t.n > 0 && t.memory() > target; work-- {
		if s.sweep >= t.n {
			s.sweep = 0
		}
		r := t.row(s.sweep)
		switch {
		case r.changed || r.mark > s.stores.applied || r.absent && s.keys != nil:
			s.sweep++
		case r.used:
			r.used = false
			s.sweep++
		default:
			if r.stored {
				s.whole = no
			}
			s.remove(s.sweep)
			s.sweep++ // the row that moved here is new: it has until the hand comes again to be used
		}
	}
	t.trim()
}
