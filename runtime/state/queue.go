package state

import "math"

// ticket is how a key stands in a queue.
type ticket struct {
	at span // its least entry that counts
	in bool
}

// queue orders keys by their next row. Of its entries each key has one that counts. An entry may be too early, if the row went or moved:
// whoever takes it looks at the key.
//
// Most entries wait for long, and many move meanwhile. They wait by stretches of time, in no order; only those of the stretch that is
// the next one are a heap.
type queue struct {
	heap   []turn // all entries before the time ready
	ready  int64
	later  map[int64][]turn // by number of stretch
	order  []int64          // of the stretches: a heap
	spare  [][]turn
	count  int   // of entries
	id     int   // which of places.queued is this queue's
	length int64 // of a stretch; 0: all entries are in the heap
}

// turn has a key of its own: places are used again for others.
type turn struct {
	at  span
	of  *places
	key string
}

func (a turn) before(b turn) bool {
	if c := compareSpans(a.at, b.at); c != 0 {
		return c < 0
	}
	return a.key < b.key
}

// counts says whether an entry is what its key has in the queue.
func (q *queue) counts(t *turn) bool {
	w := &t.of.queued[q.id]
	return !t.of.gone && w.in && w.at == t.at && t.key == t.of.key
}

// push says that a row of p lies at s.
func (q *queue) push(p *places, s span) {
	w := &p.queued[q.id]
	if w.in && compareSpans(w.at, s) <= 0 {
		return
	}
	s.row = 0
	w.at, w.in = s, true
	q.count++
	if q.length > 0 && s.time >= q.ready {
		q.wait(turn{s, p, p.key})
		return
	}
	q.heap = append(q.heap, turn{s, p, p.key})
	for i := len(q.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.heap[i].before(q.heap[up]) {
			break
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
}

// wait puts an entry with those of its stretch of time.
func (q *queue) wait(t turn) {
	n := t.at.time / q.length
	list, ok := q.later[n]
	if !ok {
		if q.later == nil {
			q.later = map[int64][]turn{}
		}
		if i := len(q.spare) - 1; i >= 0 {
			list, q.spare[i], q.spare = q.spare[i], nil, q.spare[:i]
		}
		q.order = append(q.order, n)
		for i := len(q.order) - 1; i > 0 && q.order[i] < q.order[(i-1)/2]; i = (i - 1) / 2 {
			q.order[i], q.order[(i-1)/2] = q.order[(i-1)/2], q.order[i]
		}
	}
	q.later[n] = append(list, t)
}

// next makes the next stretch the heap, which is empty.
func (q *queue) next() {
	q.reuse(q.heap)
	n := q.order[0]
	q.heap = q.takeStretch()
	q.ready = math.MaxInt64
	if n < math.MaxInt64/q.length {
		q.ready = (n + 1) * q.length
	}
	q.keep(len(q.heap))
}

// takeStretch takes the entries of the first stretch out.
func (q *queue) takeStretch() []turn {
	n := q.order[0]
	last := len(q.order) - 1
	q.order[0], q.order = q.order[last], q.order[:last]
	for i := 0; 2*i+1 < last; {
		c := 2*i + 1
		if c+1 < last && q.order[c+1] < q.order[c] {
			c++
		}
		if q.order[i] <= q.order[c] {
			break
		}
		q.order[i], q.order[c] = q.order[c], q.order[i]
		i = c
	}
	list := q.later[n]
	delete(q.later, n)
	return list
}

// reuse keeps the memory of a list.
func (q *queue) reuse(list []turn) {
	clear(list)
	if len(q.spare) < spareStretches {
		q.spare = append(q.spare, list[:0])
	}
}

const spareStretches = 4

// keep keeps those entries of the heap that count, of its first n, and orders them.
func (q *queue) keep(n int) {
	kept := q.heap[:0]
	for _, t := range q.heap[:n] {
		if q.counts(&t) {
			kept = append(kept, t)
		}
	}
	q.count -= len(q.heap) - len(kept)
	clear(q.heap[len(kept):])
	q.heap = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

// first returns the first entry that counts, or nil. It is valid until the next call of a method.
func (q *queue) first() *turn {
	for {
		for len(q.heap) > 0 {
			if t := &q.heap[0]; q.counts(t) {
				return t
			}
			q.pop()
		}
		if len(q.order) == 0 {
			return nil
		}
		q.next()
	}
}

// take removes the first entry, which counts.
func (q *queue) take() {
	q.heap[0].of.queued[q.id].in = false
	q.pop()
}

func (q *queue) pop() {
	n := len(q.heap) - 1
	q.heap[0] = q.heap[n]
	q.heap[n] = turn{}
	q.heap = q.heap[:n]
	q.count--
	q.down(0)
}

// past takes the entries of the stretches that end at a time or before out, in no order, and calls f for the keys of those that count.
func (q *queue) past(time int64, f func(p *places)) {
	for len(q.order) > 0 && time/q.length > q.order[0] {
		list := q.takeStretch()
		for i := range list {
			if t := &list[i]; q.counts(t) {
				t.of.queued[q.id].in = false
				f(t.of)
			}
		}
		q.count -= len(list)
		q.reuse(list)
	}
}

// tidy removes the entries that do not count, if they are the most.
func (q *queue) tidy(keys int) {
	if q.count < 2*keys+minSlots {
		return
	}
	q.keep(len(q.heap))
	for n, list := range q.later {
		kept := list[:0]
		for _, t := range list {
			if q.counts(&t) {
				kept = append(kept, t)
			}
		}
		q.count -= len(list) - len(kept)
		clear(list[len(kept):])
		q.later[n] = kept
	}
}

// memory is what it takes.
func (q *queue) memory() int64 { return int64(q.count) * 64 }

func (q *queue) down(i int) {
	for n := len(q.heap); ; {
		c := 2*i + 1
		if c >= n {
			return
		}
		if c+1 < n && q.heap[c+1].before(q.heap[c]) {
			c++
		}
		if !q.heap[c].before(q.heap[i]) {
			return
		}
		q.heap[i], q.heap[c] = q.heap[c], q.heap[i]
		i = c
	}
}
