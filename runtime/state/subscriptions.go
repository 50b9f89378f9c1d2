package state

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/streamgen/streamgen/runtime/record"
)

// Subscriptions are the rows of one table that are subscribed to rows of another by a foreign key: who is to be told when a row changes.
//
// Rows are written and never looked up one by one, so memory holds only those of epochs that are not applied: in key order, to be
// merged with the backend's when a row changes. However many are subscribed to it, they pass in pages.
//
// A change that is not told to all has a row of its own beside the subscriptions, with how far it is. So telling may rest at any place,
// be committed, and go on after a restart. A change that is told within an epoch leaves no trace.
//
// Layout. A subscription lies under 1 · length of the foreign key · foreign key · key, a change under 0 · number. The length keeps the
// subscribers of a key apart from those of a longer one that begins with it.
type Subscriptions struct {
	stores  *Stores
	entry   *entry
	now     *skiplist[Subscription] // of the epoch being processed
	flying  *skiplist[Subscription] // of the one in flight
	changes []told                  // that are not told to all, in the order in which they came
	done    []uint64                // numbers of those that are, and have a row
	number  uint64                  // of the last change
	walk    walk
	key     []byte // scratch
	err     error  // of reading the changes
}

// Subscription is what is kept of a subscriber.
type Subscription struct {
	Digest    [16]byte // of its row
	Partition int32    // of its task
}

// Subscriber is one that is to be told of a change.
type Subscriber struct {
	Subscription
	Key []byte // of its row, valid until the next one
}

// Told is the change of a row that is being told. It is valid until all are told.
type Told struct {
	Row       []byte // the row; nil: it is gone
	Timestamp int64
	Headers   []record.Header
}

// told is a change with how far it is told.
type told struct {
	Told
	number uint64
	prefix []byte // of the subscriptions
	last   []byte // the key in the store of the last one that was told; empty: nobody
	stored bool   // the backend has a row of it, or will
	moved  bool   // it says something else
}

const (
	toldMark = iota
	subscriptionMark
)

// NewSubscriptions makes the store with that id.
func NewSubscriptions(s *Stores, id uint16) *Subscriptions {
	t := &Subscriptions{stores: s, now: &skiplist[Subscription]{}, flying: &skiplist[Subscription]{}}
	t.entry = s.add(id, t)
	t.walk.visit = t.read
	t.err = t.load()
	return t
}

// appendPrefix appends what the keys of all that are subscribed to on begin with.
func appendPrefix(dst, on []byte) []byte {
	return append(binary.AppendUvarint(append(dst, subscriptionMark), uint64(len(on))), on...)
}

// Put subscribes the row of key to that of on, or replaces the subscription.
func (s *Subscriptions) Put(on, key []byte, sub Subscription, timestamp int64) {
	s.key = append(appendPrefix(s.key[:0], on), key...)
	n := s.now.put(s.key)
	n.value, n.timestamp, n.absent = sub, timestamp, false
}

// Delete ends the subscription of the row of key to that of on.
func (s *Subscriptions) Delete(on, key []byte, timestamp int64) {
	s.key = append(appendPrefix(s.key[:0], on), key...)
	n := s.now.put(s.key)
	n.value, n.timestamp, n.absent = Subscription{}, timestamp, true
}

// Tell begins to tell that the row of on has changed. Row, nil for a row that is gone, is copied; headers are views of a fetch.
func (s *Subscriptions) Tell(on, row []byte, timestamp int64, headers []record.Header) {
	s.number++
	if n := len(s.changes); n < cap(s.changes) { // with the memory of one that is over
		s.changes = s.changes[:n+1]
	} else {
		s.changes = append(s.changes, told{})
	}
	c := &s.changes[len(s.changes)-1]
	*c = told{Told: Told{Row: c.Row[:0], Timestamp: timestamp, Headers: headers}, number: s.number, prefix: c.prefix[:0], last: c.last[:0], moved: true}
	c.prefix = appendPrefix(c.prefix, on)
	if row == nil {
		c.Row = nil
	} else if c.Row = append(c.Row, row...); c.Row == nil {
		c.Row = []byte{}
	}
}

// Due says whether there is a change to be told.
func (s *Subscriptions) Due() bool { return len(s.changes) > 0 || s.err != nil }

// Next is the change to be told next. Its subscribers come from NextSubscriber, from the first that was not told.
func (s *Subscriptions) Next() (*Told, error) {
	if s.err != nil {
		return nil, s.err
	}
	c := &s.changes[0]
	from := c.prefix
	if len(c.last) > 0 {
		from = c.last
	}
	s.walk.begin(s, from)
	if len(c.last) > 0 {
		s.walk.pass(s, c.last)
	}
	return &c.Told, nil
}

// NextSubscriber is the next one that is subscribed to the row that changed, in the order of the bytes of their keys. Nil: all are told, and
// the change is over.
func (s *Subscriptions) NextSubscriber() (*Subscriber, error) {
	c := &s.changes[0]
	w := &s.walk
	for {
		key, sub, exists, err := w.next(s, c.prefix)
		if err != nil {
			return nil, fmt.Errorf("store %q: read who is subscribed: %w", s.entry.Name, err)
		}
		if key == nil {
			s.over()
			return nil, nil
		}
		c.last, c.moved = append(c.last[:0], key...), true
		if exists {
			w.subscriber = Subscriber{sub, c.last[len(c.prefix):]}
			return &w.subscriber, nil
		}
	}
}

// over takes out the first change.
func (s *Subscriptions) over() {
	first := s.changes[0]
	if first.stored {
		s.done = append(s.done, first.number)
	}
	copy(s.changes, s.changes[1:])
	s.changes[len(s.changes)-1] = told{Told: Told{Row: first.Row}, prefix: first.prefix, last: first.last} // its memory is used again
	s.changes = s.changes[:len(s.changes)-1]
}

// The row of a subscription is the partition, then the digest; that of a change what told has.

func appendSubscription(dst []byte, s *Subscription) []byte {
	return append(binary.AppendUvarint(dst, uint64(s.Partition)), s.Digest[:]...)
}

func readSubscription(row []byte) (s Subscription, err error) {
	if len(row) < TimestampLen {
		return s, errShort
	}
	partition, n := binary.Uvarint(row[TimestampLen:])
	if n <= 0 || len(row)-TimestampLen-n != len(s.Digest) {
		return s, errShort
	}
	s.Partition = int32(partition)
	copy(s.Digest[:], row[TimestampLen+n:])
	return s, nil
}

func (t *told) append(dst []byte) []byte {
	dst = append(binary.AppendUvarint(dst, uint64(len(t.prefix))), t.prefix...)
	dst = append(binary.AppendUvarint(dst, uint64(len(t.last))), t.last...)
	dst = appendHeaders(dst, t.Headers)
	if t.Row == nil {
		return append(dst, 0)
	}
	return append(append(dst, 1), t.Row...)
}

func readTold(row []byte) (t told, err error) {
	if len(row) < TimestampLen {
		return t, errShort
	}
	r := reader{src: row[TimestampLen:]}
	t.Timestamp = int64(binary.BigEndian.Uint64(row))
	t.prefix, t.last = r.bytes(), r.bytes()
	if r.err == nil {
		t.Headers, r.src = readHeaders(r.src)
	}
	if r.byte() == 1 {
		t.Row = r.src
	}
	return t, r.err
}

// load reads the changes that are not told to all.
func (s *Subscriptions) load() error {
	s.changes, s.done, s.number = nil, nil, 0
	from := appendKey(nil, s.entry.ID, []byte{toldMark})
	to := appendKey(nil, s.entry.ID, []byte{toldMark + 1})
	err := s.stores.backend.Scan(from, to, func(key, row []byte) error {
		c, err := readTold(slices.Clone(row))
		if err != nil || len(key) != len(from)+8 {
			return errShort
		}
		c.number, c.stored = binary.BigEndian.Uint64(key[len(from):]), true
		s.number = c.number
		s.changes = append(s.changes, c)
		return nil
	})
	if err != nil {
		return fmt.Errorf("store %q: read what is to be told: %w", s.entry.Name, err)
	}
	return nil
}

func (s *Subscriptions) freeze(f *Frozen) {
	for n := s.now.next(0); n != 0; n = s.now.next(n) {
		x := &s.now.nodes[n]
		c := f.change(s.entry.ID, s.now.key(n), x.timestamp)
		if !x.absent {
			c.Row = f.arena.Keep(appendSubscription(f.rowTail(x.timestamp), &x.value))
		}
	}
	s.now, s.flying = s.flying, s.now
	for _, number := range s.done {
		f.change(s.entry.ID, s.toldKey(number), 0)
	}
	s.done = s.done[:0]
	for i := range s.changes {
		t := &s.changes[i]
		if !t.moved {
			continue
		}
		c := f.change(s.entry.ID, s.toldKey(t.number), t.Timestamp)
		c.Row = f.arena.Keep(t.append(f.rowTail(t.Timestamp)))
		t.stored, t.moved = true, false
	}
}

func (s *Subscriptions) toldKey(number uint64) []byte {
	s.key = binary.BigEndian.AppendUint64(append(s.key[:0], toldMark), number)
	return s.key
}

func (s *Subscriptions) applied() { s.flying.reset() }

func (s *Subscriptions) discard() error {
	s.now.reset()
	s.flying.reset()
	s.err = s.load()
	return s.err
}

func (s *Subscriptions) memory() (held, pinned int64) {
	for i := range s.changes {
		pinned += int64(len(s.changes[i].Row))
	}
	held = s.now.memory() + s.flying.memory() + int64(cap(s.walk.bytes)) + pinned
	return held, s.now.used() + s.flying.used() + pinned
}

// evict has nothing to drop: what is applied is not in memory.
func (s *Subscriptions) evict(int64) {}

// SubscriptionKey is the key of the row that is subscribed, of a key of the store.
func SubscriptionKey(key []byte) []byte {
	if len(key) == 0 || key[0] != subscriptionMark {
		return key
	}
	r := reader{src: key[1:]}
	r.bytes()
	return r.src
}

// SubscriptionJSON writes a row of the store as JSON.
func SubscriptionJSON(dst, row []byte) ([]byte, error) {
	s, err := readSubscription(append(make([]byte, TimestampLen), row...))
	if err != nil { // a change that is being told
		return append(dst, "null"...), nil
	}
	return fmt.Appendf(dst, `{"partition":%d,"digest":"%x"}`, s.Partition, s.Digest), nil
}
