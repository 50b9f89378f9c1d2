package state

import "math"

// turn is when it is a key's turn: the time, and of sessions the start, of a row.
type turn struct {
	time, start int64
	of          *places
}

// stretches are turns by stretches of time, in no order within one.
type stretches[T any] struct {
	length int64 // of a stretch
	lists  map[int64]*stretch[T]
	order  []*stretch[T] // a heap
	last   *stretch[T]   // the one that got a turn last
	spare  []*stretch[T]
	count  int // of turns
}

type stretch[T any] struct {
	number int64
	turns  []T
}

// spareStretches are kept to be used again.
const spareStretches = 4

// of is the number of the stretch that a time lies in.
func (q *stretches[T]) of(time int64) int64 {
	n := time / q.length
	if time < 0 && n*q.length != time {
		n--
	}
	return n
}

// end is the time at which a stretch ends.
func (q *stretches[T]) end(n int64) int64 {
	if n >= math.MaxInt64/q.length {
		return math.MaxInt64
	}
	return (n + 1) * q.length
}

// add puts a turn with those of its stretch.
func (q *stretches[T]) add(t T, time int64) {
	n := q.of(time)
	if q.last == nil || q.last.number != n {
		q.last = q.stretch(n)
	}
	q.last.turns = append(q.last.turns, t)
	q.count++
}

// stretch returns the one of that number.
func (q *stretches[T]) stretch(n int64) *stretch[T] {
	if s := q.lists[n]; s != nil {
		return s
	}
	if q.lists == nil {
		q.lists = map[int64]*stretch[T]{}
	}
	var s *stretch[T]
	if i := len(q.spare) - 1; i >= 0 {
		s, q.spare[i], q.spare = q.spare[i], nil, q.spare[:i]
	} else {
		s = &stretch[T]{}
	}
	s.number = n
	q.lists[n] = s
	q.order = append(q.order, s)
	for i := len(q.order) - 1; i > 0 && q.order[i].number < q.order[(i-1)/2].number; i = (i - 1) / 2 {
		q.order[i], q.order[(i-1)/2] = q.order[(i-1)/2], q.order[i]
	}
	return s
}

// take takes the first stretch out, to be given back.
func (q *stretches[T]) take() *stretch[T] {
	s, last := q.order[0], len(q.order)-1
	q.order[0], q.order[last] = q.order[last], nil
	q.order = q.order[:last]
	for i := 0; 2*i+1 < last; {
		c := 2*i + 1
		if c+1 < last && q.order[c+1].number < q.order[c].number {
			c++
		}
		if q.order[i].number <= q.order[c].number {
			break
		}
		q.order[i], q.order[c] = q.order[c], q.order[i]
		i = c
	}
	delete(q.lists, s.number)
	if q.last == s {
		q.last = nil
	}
	q.count -= len(s.turns)
	return s
}

// giveBack keeps the memory of a stretch that was taken.
func (q *stretches[T]) giveBack(s *stretch[T]) {
	clear(s.turns)
	s.turns = s.turns[:0]
	if len(q.spare) < spareStretches {
		q.spare = append(q.spare, s)
	}
}

// keep keeps the turns that count.
func (q *stretches[T]) keep(counts func(*T) bool) {
	for _, s := range q.order {
		n := len(s.turns)
		s.turns = keepTurns(s.turns, counts)
		q.count -= n - len(s.turns)
	}
}

func keepTurns[T any](list []T, counts func(*T) bool) []T {
	kept := list[:0]
	for i := range list {
		if counts(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	clear(list[len(kept):])
	return kept
}

// turnMemory is what a turn takes, with the room that lists have.
const turnMemory = 32
