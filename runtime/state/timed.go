package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

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
	ending  queue // keys by their first row, for rows that expire: by stretches only
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

// cursor is how far the rows of one time have left, of those that stay in the store.
type cursor struct {
	set  bool
	at   span   // of the row that left last
	key  []byte // its key
	left int64  // rows of its time that have left
	skip int64  // after a restart: so many rows of the time that comes first had left
}

// ahead are committed rows read ahead of stores with an index, whose keys the directory need not know: it is how rows leave that are not in memory.
type ahead struct {
	keys [][]byte // store keys
	next int
	from []byte // backend key behind the last one that was read
	end  bool   // there are no more behind it
	seen int    // of directory.evicted
	read bool   // from is set
}

const (
	aheadRows  = 256  // read at a time
	expireRows = 4096 // deleted a commit
)

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
	t.leaves, t.leaving.id, t.ending.id = leaves, 0, 1
	t.soonest = Never
}

// gone is the time at and below which rows have expired.
func (t *timed[V]) gone() int64 {
	if t.life == nil {
		return Never
	}
	return t.life.gone(t.life.greatest.Time, t.life.closed.Time)
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
		t.ending.push(p, p.spans[0])
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

// trim takes rows out of memory that have expired. The range that they lie in is deleted with an epoch.
func (t *timed[V]) trim(p *places, gone int64) {
	for len(p.spans) > 0 && p.spans[0].time <= gone {
		n := p.spans[0].row
		t.keys.remove(p, 0)
		if n > 0 && !t.rows.table.row(n-1).changed { // else it is not kept when the epoch ends
			t.rows.spend(n - 1)
		}
	}
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
	r, n := t.rows.table.append(t.keys.rowKey(p, s))
	return n, t.rows.take(r, n, src)
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
		r, n = rows.table.append(t.keys.rowKey(p, p.spans[i]))
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

// passed says whether the row of a key has left.
func (t *timed[V]) passed(key string, at span) bool {
	c := &t.cursor
	if !c.set {
		return at.time < t.left
	}
	order := compareSpans(at, c.at)
	return order < 0 || order == 0 && key <= string(c.key)
}

// due says whether rows may have to leave whose time is before limit.
func (t *timed[V]) due(limit int64) bool { return t.soonest < limit }

// step returns the next row to leave, if its time is before limit; a nil row: there is none, or with more that there are others, but n
// have left. The row may be deleted meanwhile; then pass goes on behind it.
func (t *timed[V]) step(limit int64, n *int) (key []byte, at span, r *Row[V], more bool, err error) {
	for {
		next, err := t.next(limit)
		if err != nil {
			return nil, span{}, nil, false, err
		}
		if next == nil {
			t.soonest = t.unread()
			return nil, span{}, nil, false, nil
		}
		at, p := next.at, next.of
		i := p.index(at)
		if i < 0 || t.passed(p.key, at) { // it went or moved
			t.leaving.take()
			t.enqueue(p)
			continue
		}
		at = p.spans[i]
		if c := &t.cursor; c.skip > 0 && at.time == t.left {
			c.skip--
			c.left++
			t.move(p, at)
			continue
		}
		if t.soonest = min(at.time, t.unread()); at.time >= limit || *n <= 0 {
			return nil, span{}, nil, at.time < limit, nil
		}
		r, err := t.get(p, at)
		if err != nil {
			return nil, span{}, nil, false, err
		}
		t.keys.touch(p) // whether it has left belongs to the epoch
		t.stepped = p
		if h := t.rows.heads; h != nil && len(h.byKey) > 0 {
			t.shown = h.read(t.storeKey(p, at))
		} else {
			t.shown = nil
		}
		*n--
		return p.bytes(), at, r, false, nil
	}
}

// pass says that the row that step returned has left. It is called before what takes it on, which may panic: the next one is next then.
func (t *timed[V]) pass(at span) {
	c := &t.cursor
	if c.set && c.at.time == at.time {
		c.left++
	} else {
		c.left = 1
	}
	t.move(t.stepped, at)
	t.moved = true
}

// move goes on behind a row of p, the first one in the queue.
func (t *timed[V]) move(p *places, at span) {
	if c := &t.cursor; t.life != nil { // else what has left is not there any more
		c.set, c.at, c.key = true, at, append(c.key[:0], p.key...)
	}
	t.leaving.take()
	i, there := slices.BinarySearchFunc(p.spans, at, compareSpans)
	if there {
		i++
	}
	if i < len(p.spans) && p.spans[i].time < math.MaxInt64 {
		t.leaving.push(p, p.spans[i])
	}
}

// next returns the entry of the row that leaves next, or nil; of rows that leave at the limit or behind it another one may be the next.
func (t *timed[V]) next(limit int64) (*turn, error) {
	for t.keys.by != nil {
		first := t.leaving.first()
		cold, err := t.come(limit)
		if err != nil || cold == nil || first != nil && !cold.before(first) {
			return first, err
		}
		row := *cold
		t.keys.by.coming.pop()
		if _, err := t.find([]byte(row.key), row.at.time); err != nil {
			return nil, err
		}
	}
	for {
		first := t.leaving.first()
		key, err := t.cold()
		if err != nil {
			return nil, err
		}
		if key == nil {
			return first, nil
		}
		if first != nil && bytes.Compare(t.storeKey(first.of, first.at), key) <= 0 {
			return first, nil
		}
		t.ahead.next++ // its key comes into the queue, and it with it
		if _, err := t.find(key[t.keys.times:], Never); err != nil {
			return nil, err
		}
	}
}

// cold returns the store key of the first committed row that has not left and whose key the directory does not hold, or nil.
func (t *timed[V]) cold() ([]byte, error) {
	if t.keys.all == unknown {
		if err := t.keys.look(); err != nil {
			return nil, err
		}
	}
	if t.keys.all == yes {
		return nil, nil
	}
	a := &t.ahead
	if !a.read || a.seen != t.keys.evicted {
		a.keys, a.next, a.end, a.read, a.seen = a.keys[:0], 0, false, true, t.keys.evicted
		a.from = appendKey(a.from[:0], t.keys.id, nil)
		if c := &t.cursor; c.set {
			a.from = append(append(t.keys.appendSpan(a.from, c.at), c.key...), 0)
		} else {
			a.from = t.keys.appendSpan(a.from, span{time: max(t.left, 0)})
		}
	}
	for {
		for ; a.next < len(a.keys); a.next++ {
			if key := a.keys[a.next]; t.keys.keys[string(key[t.keys.times:])] == nil {
				return key, nil
			}
		}
		if a.end {
			return nil, nil
		}
		if err := t.readAhead(); err != nil {
			return nil, err
		}
	}
}

func (t *timed[V]) readAhead() error {
	a := &t.ahead
	a.keys, a.next = a.keys[:0], 0
	to := t.keys.appendSpan(appendKey(nil, t.keys.id, nil), span{time: math.MaxInt64}) // what lies there never leaves
	err := t.rows.stores.backend.Scan(a.from, to, func(key, _ []byte) error {
		if len(a.keys) == aheadRows {
			a.from = append(a.from[:0], key...)
			return errEnough
		}
		a.keys = append(a.keys, append([]byte(nil), key[PrefixLen:]...))
		return nil
	})
	switch {
	case err == nil:
		a.end = true
	case !errors.Is(err, errEnough):
		return fmt.Errorf("store %q: read rows ahead: %w", t.keys.name, err)
	}
	return nil
}

// release lets go of keys whose rows have expired and are not asked for any more.
func (t *timed[V]) release(gone int64) {
	t.ending.past(gone, func(p *places) {
		t.trim(p, gone)
		if len(p.spans) > 0 {
			t.ending.push(p, p.spans[0])
		}
	})
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

// deleteExpired adds the range of the next rows that have expired, of those that the backend holds: as many as one commit takes.
func (t *timed[V]) deleteExpired(f *Frozen, gone int64) {
	if t.ranged == nil {
		t.ranged = appendKey(nil, t.keys.id, nil)
	}
	to := appendKey(nil, t.keys.id, nil)
	if by := t.keys.by; by != nil {
		by.expired.Time = gone
		to = binary.BigEndian.AppendUint64(to, uint64(by.of(gone+1)))
		if bytes.Compare(t.ranged, to) < 0 { // one for a whole bucket, and nothing to look at
			f.Ranges = append(f.Ranges, Range{From: t.ranged, To: to})
			t.ranged = to
		}
		return
	}
	to = t.keys.appendSpan(to, span{time: gone + 1})
	if bytes.Compare(t.ranged, to) >= 0 {
		return
	}
	n := 0
	err := t.rows.stores.backend.Scan(t.ranged, to, func(key, _ []byte) error {
		if n++; n > expireRows {
			to = append(to[:0], key...)
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return // the next commit tries again; what reads the backend meets the fault
	}
	if n > 0 {
		f.Ranges = append(f.Ranges, Range{From: t.ranged, To: to})
	}
	t.ranged = to
}

// clean deletes what has expired in a backend that was restored: a changelog has it still. It is not seen in any case, so what goes
// wrong here is left to the next epoch.
func (t *timed[V]) clean() {
	for gone := t.gone(); gone >= 0; {
		var f Frozen
		t.deleteExpired(&f, gone)
		if len(f.Ranges) == 0 {
			return
		}
		if t.rows.stores.backend.Apply(&f) != nil {
			t.ranged = nil
			return
		}
	}
}

func (t *timed[V]) applied() {
	t.rows.applied()
	t.keys.applied()
	if l := t.life; l != nil && l.outdated.due(l.greatest.frozen, l.retention) {
		l.outdated.mark(t.rows.stores.backend.Checkpoint(), t.keys.id, l.greatest.frozen)
	}
	t.leaving.tidy(len(t.keys.list))
	t.ending.tidy(len(t.keys.list))
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

// expire treats rows changed in this epoch as if they had never been: the range in which the backend may hold them is deleted.
func (t *timed[V]) expire(gone int64) {
	for _, n := range t.rows.table.changed {
		r := t.rows.table.row(n)
		if p, at := t.keys.split(t.rows.table.key(r)); at.time <= gone {
			t.trim(p, gone)
			var zero V
			r.Value, r.absent, r.stored = zero, true, false
		}
	}
}
