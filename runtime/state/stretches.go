package state

// turn is when it is a key's turn: the time, and of sessions the start, of a row.
type turn struct {
	time, start int64
	of          *places
}

// stretches are turns by stretches of time, in no order within one.
type stretches struct {
	length int64 // of a stretch
	lists  map[int64]*stretch
	order  []*stretch // a heap
	last   *stretch   // the one that got a turn last
	spare  []*stretch
	count  int // of turns
}

type stretch struct {
	number int64
	turns  []turn
}

// spareStretches are kept to be used again.
const spareStretches = 4

// add puts a turn with those of its stretch.
func (q *stretches) add(t turn) {
	n := t.time / q.length
	if q.last == nil || q.last.number != n {
		q.last = q.stretch(n)
	}
	q.last.turns = append(q.last.turns, t)
	q.count++
}

// stretch returns the one of that number.
func (q *stretches) stretch(n int64) *stretch {
	if s := q.lists[n]; s != nil {
		return s
	}
	if q.lists == nil {
		q.lists = map[int64]*stretch{}
	}
	s := &stretch{}
	if i := len(q.spare) - 1; i >= 0 {
		s, q.spare[i], q.spare = q.spare[i], nil, q.spare[:i]
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
func (q *stretches) take() *stretch {
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
func (q *stretches) giveBack(s *stretch) {
	clear(s.turns)
	s.turns = s.turns[:0]
	if len(q.spare) < spareStretches {
		q.spare = append(q.spare, s)
	}
}

// keep keeps the turns that count.
func (q *stretches) keep(counts func(*turn) bool) {
	for _, s := range q.order {
		n := len(s.turns)
		s.turns = keepTurns(s.turns, counts)
		q.count -= n - len(s.turns)
	}
}

func keepTurns(list []turn, counts func(*turn) bool) []turn {
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
