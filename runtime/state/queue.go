package state

import (
	"cmp"
	"slices"
	"strings"
)

// queue orders keys by the next row of theirs that leaves. Of its entries each key has one that counts (places.leaving). An entry may
// be too early, if the row went or moved: whoever takes it looks at the key. So a session that grows costs nothing here until then.
//
// Time goes on, so most entries wait in stretches of time, in no order; those of a stretch are put in order when it is the next one. What
// comes for that one, or for an earlier time, is a heap.
type queue struct {
	now   []turn // entries of the stretch that is the next one, in order, from the one at next on
	next  int
	from  *stretch[turn] // which they are
	heap  []turn
	top   bool  // the entry that first returned is of the heap
	ready int64 // entries before it do not wait
	later stretches[turn]
}

// ticket is when it is a key's turn in a queue.
type ticket struct{ time, start int64 }

// notIn is the time of a key that is not in a queue.
const notIn = Never

func (t *turn) compare(time, start int64, key string) int {
	switch {
	case t.time != time:
		return cmp.Compare(t.time, time)
	case t.start != start:
		return cmp.Compare(t.start, start)
	}
	return strings.Compare(t.of.key, key)
}

func compareTurns(a, b turn) int { return a.compare(b.time, b.start, b.of.key) }

// leaves says whether an entry of a queue is what its key has there.
func (t *turn) leaves() bool {
	return t.of.leaving == ticket{t.time, t.start} && !t.of.gone
}

// push says that a row of p lies at s.
func (q *queue) push(p *places, s span) {
	w := &p.leaving
	if w.time != notIn {
		if w.time < s.time || w.time == s.time && w.start <= s.start {
			return
		}
		p.stale = true
	}
	*w = ticket{s.time, s.start}
	t := turn{s.time, s.start, p}
	if q.later.length > 0 && s.time >= q.ready {
		q.later.add(t, t.time)
		return
	}
	q.heap = append(q.heap, t)
	for i := len(q.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if compareTurns(q.heap[i], q.heap[up]) >= 0 {
			break
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
}

// first returns the first entry that counts, or nil. It is valid until the next call of a method.
func (q *queue) first() *turn {
	for {
		for q.next < len(q.now) && !q.now[q.next].leaves() {
			q.next++
		}
		for len(q.heap) > 0 && !q.heap[0].leaves() {
			q.pop()
		}
		if q.top = len(q.heap) > 0 && (q.next == len(q.now) || compareTurns(q.heap[0], q.now[q.next]) < 0); q.top {
			return &q.heap[0]
		}
		if q.next < len(q.now) {
			return &q.now[q.next]
		}
		if len(q.later.order) == 0 {
			return nil
		}
		q.stretch()
	}
}

// stretch goes on to the next stretch: there is nothing before it.
func (q *queue) stretch() {
	if q.from != nil {
		q.from.turns = q.now
		q.later.giveBack(q.from)
	}
	q.from = q.later.take()
	q.now, q.next = keepTurns(q.from.turns, (*turn).leaves), 0
	slices.SortFunc(q.now, compareTurns)
	q.ready = q.later.end(q.from.number)
}

// take removes the entry that first returned.
func (q *queue) take() {
	if q.top {
		q.heap[0].of.leaving.time = notIn
		q.pop()
		return
	}
	q.now[q.next].of.leaving.time = notIn
	q.next++
}

func (q *queue) pop() {
	n := len(q.heap) - 1
	q.heap[0], q.heap[n] = q.heap[n], turn{}
	q.heap = q.heap[:n]
	q.down(0)
}

func (q *queue) down(i int) {
	for n := len(q.heap); ; {
		c := 2*i + 1
		if c >= n {
			return
		}
		if c+1 < n && compareTurns(q.heap[c+1], q.heap[c]) < 0 {
			c++
		}
		if compareTurns(q.heap[c], q.heap[i]) >= 0 {
			return
		}
		q.heap[i], q.heap[c] = q.heap[c], q.heap[i]
		i = c
	}
}

// tidy removes the entries that do not count, if they are the most.
func (q *queue) tidy(keys int) {
	if len(q.heap)+len(q.now)+q.later.count < 2*keys+minSlots {
		return
	}
	q.heap = keepTurns(q.heap, (*turn).leaves)
	for i := len(q.heap)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
	q.now, q.next = slices.Delete(q.now, 0, q.next), 0
	q.now = keepTurns(q.now, (*turn).leaves)
	q.later.keep((*turn).leaves)
}

// memory is what it takes.
func (q *queue) memory() int64 { return int64(len(q.heap)+len(q.now)+q.later.count) * turnMemory }

// ending has the keys by their first row, for rows that expire: the order does not matter.
type ending struct{ later stretches[turn] }

// ends says whether an entry is what its key has.
func (t *turn) ends() bool { return t.of.ending == t.time && !t.of.gone }

// push says that the first row of p ends at a time.
func (q *ending) push(p *places, time int64) {
	if p.ending != notIn {
		if p.ending <= time {
			return
		}
		p.stale = true
	}
	p.ending = time
	q.later.add(turn{time: time, of: p}, time)
}

// past takes the entries of the stretches that end at a time or before out, in no order, and calls f for the keys of those that count.
func (q *ending) past(time int64, f func(p *places)) {
	for len(q.later.order) > 0 && time/q.later.length > q.later.order[0].number {
		s := q.later.take()
		s.turns = keepTurns(s.turns, (*turn).ends) // which reads all keys ahead
		for i := range s.turns {
			if t := &s.turns[i]; t.ends() {
				t.of.ending = notIn
				f(t.of)
			}
		}
		q.later.giveBack(s)
	}
}

// tidy removes the entries that do not count, if they are the most.
func (q *ending) tidy(keys int) {
	if q.later.count >= 2*keys+minSlots {
		q.later.keep((*turn).ends)
	}
}

// memory is what it takes.
func (q *ending) memory() int64 { return int64(q.later.count) * turnMemory }
