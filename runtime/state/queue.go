package state

// ticket is how a key stands in a queue.
type ticket struct {
	at span // its least entry that counts
	in bool
}

// queue orders keys by their next row: a heap of entries, of which each key has one that counts. An entry may be too early, if
// the row went or moved: whoever takes it looks at the key.
type queue struct {
	heap []turn
	id   int // which of places.queued is this queue's
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
	w.at, w.in = s, true
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

// first returns the first entry that counts, or nil. It is valid until the next call of a method.
func (q *queue) first() *turn {
	for len(q.heap) > 0 {
		t := &q.heap[0]
		if q.counts(t) {
			return t
		}
		q.pop()
	}
	return nil
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
	q.down(0)
}

// tidy removes the entries that do not count, if they are the most.
func (q *queue) tidy(keys int) {
	if len(q.heap) < 2*keys+minSlots {
		return
	}
	kept := q.heap[:0]
	for _, t := range q.heap {
		if q.counts(&t) {
			kept = append(kept, t)
		}
	}
	clear(q.heap[len(kept):])
	q.heap = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

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
