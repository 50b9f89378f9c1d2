package state

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
)

// How rows of timed stores leave, in the order of their times: those that the directory knows from a queue, the others from the backend, which is
// read ahead.

// aheadRows are read at a time.
const aheadRows = 256

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
		at, p := span{time: next.time, start: next.start}, next.of
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
		if first != nil && bytes.Compare(t.storeKey(first.of, span{time: first.time, start: first.start}), key) <= 0 {
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
			if key := a.keys[a.next]; t.keys.lookup(key[t.keys.times:]) == nil {
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
