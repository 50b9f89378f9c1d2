package state

import (
	"bytes"
	"math"
	"slices"
	"unsafe"
)

// waiting is the queue of the rows of a side that are in memory and wait for their null results: by timestamp, then key bytes and arrival.
//
// Time goes on, so most rows wait in stretches of time, in no order, and many meet something there; the rows of a stretch are put in order
// when it is the next one. What comes for that one, or for an earlier time, is a heap.
type waiting struct {
	joined *Joined
	side   Side
	now    []joinedTicket // rows of the stretch that is the next one, in order, from the one at next on
	next   int
	from   *stretch[joinedTicket] // which they are
	heap   []uint32               // rows; each knows its place
	ready  int64                  // rows before it do not wait in stretches
	later  stretches[joinedTicket]
	stale  int // rows of now and of stretches that wait no more
}

// joinedTicket is a row in a queue. Its number may be that of another row by now, its sequence not.
type joinedTicket struct{ row, seq uint32 }

func newWaiting(j *Joined, side Side, reach int64) waiting {
	w := waiting{joined: j, side: side, ready: Never}
	w.later.length = max(1, reach/manyStretches)
	return w
}

// waits says whether a row of now or of a stretch waits.
func (w *waiting) waits(t *joinedTicket) bool {
	r := w.joined.rows.row(t.row)
	return r.state == rowWaits && uint32(r.seq) == t.seq && r.side == w.side && r.place == none
}

// push lets a row wait.
func (w *waiting) push(n uint32, r *joinedRow) {
	r.state, r.place = rowWaits, none
	if r.timestamp >= w.ready {
		w.later.add(joinedTicket{n, uint32(r.seq)}, r.timestamp)
		return
	}
	w.heap = append(w.heap, n)
	w.up(len(w.heap) - 1)
}

// first returns the row that leaves first, if one does before limit: else it may be none.
func (w *waiting) first(limit int64) uint32 {
	for {
		for w.next < len(w.now) && !w.waits(&w.now[w.next]) {
			w.next++
			w.stale--
		}
		switch {
		case len(w.heap) > 0 && (w.next == len(w.now) || w.before(w.heap[0], w.now[w.next].row)):
			return w.heap[0]
		case w.next < len(w.now):
			return w.now[w.next].row
		case w.begins() >= limit:
			return none
		}
		w.stretch()
	}
}

// begins is when the next of the stretches does that no row left from yet; the end of time if there is none.
func (w *waiting) begins() int64 {
	if len(w.later.order) == 0 {
		return math.MaxInt64
	}
	return w.later.order[0].number * w.later.length
}

// oldest is a time before which no row waits.
func (w *waiting) oldest() int64 {
	oldest := w.begins()
	if n := w.first(Never); n != none {
		oldest = min(oldest, w.joined.rows.row(n).timestamp)
	}
	return oldest
}

// stretch goes on to the next stretch: there is nothing before it.
func (w *waiting) stretch() {
	if w.from != nil {
		w.from.turns = w.now
		w.later.giveBack(w.from)
	}
	w.from = w.later.take()
	w.ready = w.later.end(w.from.number)
	w.now, w.next = w.from.turns[:0], 0
	for _, t := range w.from.turns {
		if w.waits(&t) {
			w.now = append(w.now, t)
		}
	}
	w.stale -= len(w.from.turns) - len(w.now)
	slices.SortFunc(w.now, func(a, b joinedTicket) int { return w.compare(a.row, b.row) })
}

func (w *waiting) before(a, b uint32) bool { return w.compare(a, b) < 0 }

func (w *waiting) compare(a, b uint32) int {
	j := w.joined
	x, y := j.rows.row(a), j.rows.row(b)
	if x.timestamp == y.timestamp && x.key != y.key {
		return bytes.Compare(j.keys.key(j.keys.row(x.key)), j.keys.key(j.keys.row(y.key)))
	}
	if x.timestamp < y.timestamp || x.timestamp == y.timestamp && x.seq < y.seq {
		return -1
	}
	return 1
}

// remove takes a row out of the queue. Its state is no longer rowWaits when the queue is asked next.
func (w *waiting) remove(r *joinedRow) {
	i := int(r.place)
	if r.place == none {
		w.stale++
		return
	}
	last := len(w.heap) - 1
	moved := w.heap[last]
	if w.heap = w.heap[:last]; i == last {
		return
	}
	w.put(i, moved)
	if i > 0 && w.before(moved, w.heap[(i-1)/2]) {
		w.up(i)
		return
	}
	w.down(i)
}

func (w *waiting) put(i int, n uint32) {
	w.heap[i] = n
	w.joined.rows.row(n).place = uint32(i)
}

func (w *waiting) up(i int) {
	n := w.heap[i]
	for ; i > 0 && w.before(n, w.heap[(i-1)/2]); i = (i - 1) / 2 {
		w.put(i, w.heap[(i-1)/2])
	}
	w.put(i, n)
}

func (w *waiting) down(i int) {
	n := w.heap[i]
	for {
		c := 2*i + 1
		if c >= len(w.heap) {
			break
		}
		if c+1 < len(w.heap) && w.before(w.heap[c+1], w.heap[c]) {
			c++
		}
		if !w.before(w.heap[c], n) {
			break
		}
		w.put(i, w.heap[c])
		i = c
	}
	w.put(i, n)
}

// tidy forgets the rows that wait no more, if they are the most.
func (w *waiting) tidy() {
	if w.stale < w.size()+minSlots {
		return
	}
	w.now, w.next = slices.Delete(w.now, 0, w.next), 0
	w.now = keepTurns(w.now, w.waits)
	w.later.keep(w.waits)
	w.stale = 0
}

// size is how many rows wait.
func (w *waiting) size() int { return len(w.heap) + len(w.now) - w.next + w.later.count - w.stale }

// memory is the number of bytes it takes.
func (w *waiting) memory() int64 {
	return 4*int64(cap(w.heap)) + int64(unsafe.Sizeof(joinedTicket{}))*int64(cap(w.now)+w.later.count)
}
