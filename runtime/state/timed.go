package state

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/streamgen/streamgen/runtime/record"
)

// timed is what sessions, sliding windows and suppress buffers have in common: several rows a key, laid out by time and found by
// key. A row's store key is its times, then its key. In the backend it is so, too, but for sessions (see buckets): the order of rows is
// the order in which results leave, what has expired is a range, and closing reads committed rows one behind the other.
//
// The rows themselves are a KeyValue: all that it says about epochs holds here. Above it lie a directory, which knows the rows of
// the keys in use, and queues over that.
type timed[V any] struct {
	rows    KeyValue[V]
	keys    directory
	leaving queue // keys by their next row that has not left; of stores that let rows leave
	ending  ending
	leaves  bool
	left    int64 // rows with a time before it have left
	cursor  cursor
	soonest int64 // no row leaves before this time; a lower bound
	ahead   ahead
	stepped *places
	moved   bool            // a row has left in this run of steps
	shown   []record.Header // of the row that leaves

	life    *lifetime // nil: rows stay until they are deleted
	ranged  []byte    // backend key up to which expired rows were deleted
	scratch []byte
}

// open registers the store. by is nil, or says how the rows of sessions lie.
func (t *timed[V]) open(s *Stores, id uint16, c Codec[V], leaves bool, by *buckets, self store) {
	t.rows = KeyValue[V]{stores: s, codec: c, keys: &t.keys}
	t.rows.entry = s.add(id, self)
	times := t.rows.entry.Times
	switch {
	case by != nil && times > 0 || by == nil && times == 0:
		panic(fmt.Sprintf("state: the database was opened with another index for store %q", t.rows.entry.Name))
	case by != nil:
		times = sessionTimes
	}
	t.keys = newDirectory(s, t.rows.entry, times)
	if by != nil {
		t.keys.by, by.keys, by.loaded, by.listing.each = by, &t.keys, t.loaded, by.lists
	}
	t.keys.forget = t.rows.remove
	t.leaves = leaves
	t.soonest = Never
}

// find returns the rows of key that have not expired; of sessions at least those that end at the time or behind it.
func (t *timed[V]) find(key []byte, time int64) (*places, error) {
	gone := t.gone()
	p, err := t.keys.find(key, time, gone)
	if err != nil {
		return nil, err
	}
	if len(p.spans) > 0 {
		if p.spans[0].time <= gone {
			t.trim(p, gone)
		}
		t.enqueue(p)
	}
	return p, nil
}

// enqueue gives a key that has rows its place in the queues.
func (t *timed[V]) enqueue(p *places) {
	if len(p.spans) == 0 {
		return
	}
	if t.life != nil {
		t.ending.push(p, p.spans[0].time)
	}
	if t.leaves {
		if i := t.staying(p); i < len(p.spans) && p.spans[i].time < math.MaxInt64 {
			t.leaving.push(p, p.spans[i])
			t.soonest = min(t.soonest, p.spans[i].time)
		}
	}
}

// staying is the index of the first row of p that has not left. A key may be asked for while its rows leave.
func (t *timed[V]) staying(p *places) int {
	i := p.from(max(t.left, t.cursor.at.time))
	for i < len(p.spans) && t.passed(p.key, p.spans[i]) {
		i++
	}
	return i
}

// storeKey is the store key of a row, valid until the next call.
func (t *timed[V]) storeKey(p *places, s span) []byte {
	t.scratch = append(t.keys.appendSpan(t.scratch[:0], s), p.key...)
	return t.scratch
}

// get returns the row of a span that is listed.
func (t *timed[V]) get(p *places, s span) (*Row[V], error) {
	if s.row > 0 {
		r := t.rows.table.row(s.row - 1)
		r.used = true
		return r, nil
	}
	r, _, err := t.row(p, p.index(s))
	return r, err
}

// row returns the row of span i and its number.
func (t *timed[V]) row(p *places, i int) (*Row[V], uint32, error) {
	s := p.spans[i]
	if s.row > 0 {
		r := t.rows.table.row(s.row - 1)
		r.used = true
		return r, s.row - 1, nil
	}
	t.scratch = t.keys.appendPlace(appendKey(t.scratch[:0], t.keys.id, nil), p, s)
	src, ok, err := t.rows.stores.get(t.scratch)
	if err != nil {
		return nil, 0, fmt.Errorf("store %q: read the row of key %q at %d: %w", t.keys.name, p.key, s.time, err)
	}
	if t.keys.by != nil && len(src) >= TimestampLen && int64(binary.BigEndian.Uint64(src)) != s.time {
		ok = false // another session lies there
	}
	if !ok {
		return nil, 0, fmt.Errorf("store %q: the index has a row of key %q at %d that is not there", t.keys.name, p.key, s.time)
	}
	n, err := t.loaded(p, s, src)
	if err != nil {
		return nil, 0, err
	}
	p.spans[i].row = n + 1
	return t.rows.table.row(n), n, nil
}

// loaded brings a row of the backend into memory.
func (t *timed[V]) loaded(p *places, s span, src []byte) (n uint32, err error) {
	r, n := t.rows.make(t.keys.rowKey(p, s))
	return n, t.rows.take(r, n, src)
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

// update returns the row at s to be changed, listed from now on.
func (t *timed[V]) update(p *places, s span) (r *Row[V], existed bool, err error) {
	if i := p.index(s); i >= 0 {
		r, n, err := t.row(p, i)
		if err != nil {
			return nil, false, err
		}
		t.keys.touch(p)
		t.rows.change(r, n)
		return r, true, nil
	}
	if t.keys.by != nil {
		s = t.keys.by.number(p, s)
	}
	i := t.keys.add(p, s)
	t.enqueue(p)
	return t.create(p, i), false, nil
}

// extend makes the row at s, which is listed, one that ends later, and lies at the same place, and returns it to be changed.
func (t *timed[V]) extend(p *places, s span, end int64) (*Row[V], error) {
	i := p.index(s)
	r, n, err := t.row(p, i)
	if err != nil {
		return nil, err
	}
	if h := t.rows.heads; h != nil && len(h.byKey) > 0 {
		h.drop(t.storeKey(p, p.spans[i]))
	}
	t.keys.touch(p)
	t.rows.change(r, n)
	at := p.spans[i]
	at.time = end
	copy(r.inline[:], t.keys.rowKey(p, at))
	for ; i+1 < len(p.spans) && compareSpans(p.spans[i+1], at) < 0; i++ {
		p.spans[i] = p.spans[i+1]
	}
	p.spans[i] = at
	return r, nil
}

// create makes the row of span i, which was not there.
func (t *timed[V]) create(p *places, i int) *Row[V] {
	rows := &t.rows
	var r *Row[V]
	var n uint32
	if place, ok := t.keys.wasDeleted(p, p.spans[i]); ok {
		n = rows.table.changed[place]
		r = rows.table.row(n)
	} else {
		r, n = rows.make(t.keys.rowKey(p, p.spans[i]))
		r.absent = true
	}
	p.spans[i].row = n + 1
	r.used = true
	rows.table.resize(r, rows.mean)
	rows.change(r, n)
	r.Timestamp, r.absent = 0, false
	return r
}

// delete removes the row at s, which is listed.
func (t *timed[V]) delete(p *places, s span, timestamp int64) error {
	i := p.index(s)
	r, n, err := t.row(p, i)
	if err != nil {
		return err
	}
	t.rows.change(r, n)
	var zero V
	r.Value, r.Timestamp, r.absent = zero, timestamp, true
	t.keys.died(p, p.spans[i], r.mark)
	t.keys.remove(p, i)
	return nil
}

// withdraw takes back span i, of a row that was made for nothing.
func (t *timed[V]) withdraw(p *places, i int) {
	s := p.spans[i]
	if r := t.rows.table.row(s.row - 1); !r.changed {
		t.rows.spend(s.row - 1)
	} else {
		r.absent = true
		t.keys.died(p, s, r.mark)
	}
	t.keys.remove(p, i)
}

func (t *timed[V]) freeze(f *Frozen) {
	gone := t.gone()
	if gone >= 0 {
		t.release(gone)
		t.expire(gone)
	}
	changes := len(f.Changes)
	t.rows.freeze(f)
	t.keys.freeze()
	if gone >= 0 && (len(f.Changes) > changes || t.life.greatest.Time != t.life.greatest.frozen) { // else the epoch may not be applied at all
		t.deleteExpired(f, gone)
	}
}

func (t *timed[V]) applied() {
	t.rows.applied()
	t.keys.applied()
	if l := t.life; l != nil && l.outdated.due(l.greatest.frozen, l.retention) {
		l.outdated.mark(t.rows.stores.backend.Checkpoint(), t.keys.id, l.greatest.frozen)
	}
	t.leaving.tidy(t.keys.keys.n)
	t.ending.tidy(t.keys.keys.n)
}

func (t *timed[V]) discard() error {
	err := t.rows.discard()
	t.keys.discard()
	t.soonest, t.ranged = Never, nil
	return err
}

func (t *timed[V]) memory() (held, pinned int64) {
	held, pinned = t.rows.memory()
	if t.keys.by != nil {
		held += t.keys.by.coming.memory()
	}
	return held + t.keys.memory() + t.leaving.memory() + t.ending.memory(), pinned + t.keys.dirty + t.keys.flying
}

func (t *timed[V]) evict(target int64) {
	t.rows.evict(target)
	if rows, _ := t.rows.memory(); rows+t.keys.memory() > target {
		t.keys.evict(target - rows)
	}
}

// EachChanged calls f for the rows changed in this epoch, as KeyValue's does; times are those of the row's store key.
func (t *timed[V]) eachChanged(f func(s span, key []byte, r *Row[V], exists bool) error) error {
	return t.rows.EachChanged(func(rowKey []byte, r *Row[V], exists bool) error {
		p, at := t.keys.split(rowKey)
		return f(at, p.bytes(), r, exists)
	})
}

// ChangedBy keeps the headers of the record behind the last change of a row: of final results with the row, else as KeyValue does.
func (t *timed[V]) ChangedBy(headers []record.Header) {
	if t.rows.heads == nil {
		t.rows.ChangedBy(headers)
		return
	}
	if len(headers) > 0 || len(t.rows.heads.byKey) > 0 {
		r := t.rows.table.row(t.rows.table.changed[t.rows.hand.place])
		t.rows.heads.keep(t.rows.keyOf(r), headers)
	}
}

// Headers are those that ChangedBy kept for r. It is called within EachChanged or, for the row that it is given, within Close.
func (t *timed[V]) Headers(r *Row[V]) []record.Header {
	if t.rows.heads == nil {
		return t.rows.Headers(r)
	}
	return t.shown
}
