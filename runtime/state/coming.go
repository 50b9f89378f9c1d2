package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// coming are sessions that have not left and whose keys are not in memory, in the order in which they leave, as far as they were read. A
// bucket holds its rows by key, so it is looked through for the next part of them, once for each part.
type coming struct {
	heap  []coldRow
	until coldRow // those behind it are to be read
	begun bool
	room  int   // how many a part is
	bytes int64 // of keys
}

// coldRow is a session in the backend.
type coldRow struct {
	at  span
	key string
}

const (
	minComing  = 1 << 12
	comingPart = 16 // of the rows of a bucket
)

func (r *coldRow) compare(at span, key []byte) int {
	if c := compareSpans(r.at, at); c != 0 {
		return c
	}
	switch {
	case r.key < string(key):
		return -1
	case r.key == string(key):
		return 0
	}
	return 1
}

func compareCold(a, b coldRow) int {
	if c := compareSpans(a.at, b.at); c != 0 {
		return c
	}
	return strings.Compare(a.key, b.key)
}

func (r *coldRow) before(t *turn) bool { return t.compare(r.at.time, r.at.start, r.key) > 0 }

func (c *coming) reset() { *c = coming{} }

// evicted notes the sessions of p, which leaves memory: those that would have been read already.
func (b *buckets) evicted(p *places) {
	c := &b.coming
	if !c.begun {
		return
	}
	for _, s := range p.spans[p.from(b.closed()):] {
		if r := (coldRow{s, p.key}); compareCold(r, c.until) <= 0 {
			c.push(r)
		}
	}
	if len(c.heap) > 4*max(c.room, minComing) {
		c.reset() // most of them came back meanwhile
	}
}

// come returns the first session that has not left and whose key is not in memory, or nil if there is none before limit.
func (t *timed[V]) come(limit int64) (*coldRow, error) {
	if t.keys.all == unknown {
		if err := t.keys.look(); err != nil {
			return nil, err
		}
	}
	if t.keys.all == yes {
		return nil, nil
	}
	b := t.keys.by
	for c := &b.coming; ; {
		for len(c.heap) > 0 {
			first := &c.heap[0]
			if !b.known(t.keys.lookup(bytesOf(first.key)), first.at.time) && !t.passed(first.key, first.at) {
				return first, nil
			}
			c.pop()
		}
		if c.begun && c.until.at.time >= limit {
			return nil, nil
		}
		if err := t.read(c, limit); err != nil {
			return nil, fmt.Errorf("store %q: read sessions that leave: %w", t.keys.name, err)
		}
	}
}

// unread is the time before which come knows all.
func (t *timed[V]) unread() int64 {
	if t.keys.by == nil || t.keys.all == yes {
		return math.MaxInt64
	}
	return t.keys.by.coming.until.at.time
}

// known says whether p lists the sessions that end at a time; nil lists none.
func (b *buckets) known(p *places, time int64) bool { return p != nil && p.since <= b.of(time) }

// read reads the next part, of what is before limit; there may be no more.
func (t *timed[V]) read(c *coming, limit int64) error {
	b := t.keys.by
	if left := (coldRow{at: span{time: max(t.left, 0), start: -1}}); !c.begun || compareCold(c.until, left) < 0 {
		c.until, c.begun = left, true
	}
	c.room = max(c.room, minComing)
	bucket, seen, whole := b.of(c.until.at.time), 0, true
	from := binary.BigEndian.AppendUint64(appendKey(nil, t.keys.id, nil), uint64(bucket))
	to := wholeStore(t.keys.id).To
	err := t.rows.stores.backend.Scan(from, to, func(place, row []byte) error {
		at, key, start, nth := splitPlace(place[PrefixLen:])
		if at > bucket {
			if seen > 0 {
				return errEnough
			}
			bucket = at
		}
		seen++
		if len(row) < TimestampLen {
			return errShort
		}
		s := span{time: int64(binary.BigEndian.Uint64(row)), start: start, nth: nth}
		switch {
		case c.until.compare(s, key) >= 0, !whole && c.heap[c.room-1].compare(s, key) <= 0, b.known(t.keys.lookup(key), s.time):
			return nil
		}
		c.add(coldRow{s, string(key)})
		if len(c.heap) >= 2*c.room {
			c.keep()
			whole = false
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		c.reset()
		return err
	}
	if seen == 0 { // time may have passed all sessions: a record that makes none moves it, too
		bucket = b.of(max(b.greatest.Time, limit))
	}
	if len(c.heap) > c.room {
		c.keep()
		whole = false
	}
	slices.SortFunc(c.heap, compareCold)
	c.until = coldRow{at: span{time: b.end(bucket), start: -1}}
	if !whole {
		c.until = c.heap[len(c.heap)-1]
	}
	c.room = seen / comingPart
	return nil
}

// keep keeps the rows of a part, those that leave first.
func (c *coming) keep() {
	slices.SortFunc(c.heap, compareCold)
	for _, r := range c.heap[c.room:] {
		c.bytes -= int64(len(r.key))
	}
	clear(c.heap[c.room:])
	c.heap = c.heap[:c.room]
}

func (c *coming) add(r coldRow) {
	c.heap = append(c.heap, r)
	c.bytes += int64(len(r.key))
}

func (c *coming) push(r coldRow) {
	c.add(r)
	for i := len(c.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if compareCold(c.heap[i], c.heap[up]) >= 0 {
			break
		}
		c.heap[i], c.heap[up] = c.heap[up], c.heap[i]
		i = up
	}
}

func (c *coming) pop() {
	n := len(c.heap) - 1
	c.bytes -= int64(len(c.heap[0].key))
	c.heap[0] = c.heap[n]
	c.heap[n] = coldRow{}
	c.heap = c.heap[:n]
	for i := 0; ; {
		least := 2*i + 1
		if least >= n {
			return
		}
		if least+1 < n && compareCold(c.heap[least+1], c.heap[least]) < 0 {
			least++
		}
		if compareCold(c.heap[least], c.heap[i]) >= 0 {
			return
		}
		c.heap[i], c.heap[least] = c.heap[least], c.heap[i]
		i = least
	}
}

// memory is what it takes.
func (c *coming) memory() int64 { return c.bytes + int64(cap(c.heap))*48 }
