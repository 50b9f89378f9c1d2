package state

// spent are rows of a timed store that nothing finds any more. Those that were spent before the last commit are used again, as many as it
// takes from one commit to the next.
type spent struct {
	rows []uint32 // their places here are their marks
	old  int      // so many of them, the first ones, were spent before the last commit
	made int      // rows since then
}

// make returns a row for a key of a timed store.
func (s *KeyValue[V]) make(key []byte) (*Row[V], uint32) {
	s.spent.made++
	i := s.spent.old - 1
	if i < 0 {
		return s.table.append(key)
	}
	n, last := s.spent.rows[i], len(s.spent.rows)-1
	if i < last {
		s.spent.rows[i] = s.spent.rows[last]
		s.table.row(s.spent.rows[i]).mark = uint32(i)
	}
	s.spent.rows, s.spent.old = s.spent.rows[:last], i
	return s.table.renew(n, key), n
}

// spend says that nothing finds row n any more, which did not change in this epoch, or is frozen. It stays where it is until the next
// commit: it may be in use.
func (s *KeyValue[V]) spend(n uint32) {
	r := s.table.row(n)
	s.dropHeads(r)
	r.absent, r.mark = true, uint32(len(s.spent.rows))
	s.spent.rows = append(s.spent.rows, n)
}

// keepSpent keeps spent rows for the next epoch, if as many were made in this one.
func (s *KeyValue[V]) keepSpent() {
	s.forgetSpent(s.spent.made)
	s.spent.old, s.spent.made = len(s.spent.rows), 0
}

// forgetSpent removes spent rows until n are left.
func (s *KeyValue[V]) forgetSpent(n int) {
	for i := len(s.spent.rows) - 1; i >= n; i-- {
		row := s.spent.rows[i]
		s.spent.rows = s.spent.rows[:i]
		s.takeOut(row)
	}
	s.spent.old = min(s.spent.old, len(s.spent.rows))
}

// remove takes row n out of memory.
func (s *KeyValue[V]) remove(n uint32) {
	s.dropHeads(s.table.row(n))
	s.takeOut(n)
}

func (s *KeyValue[V]) dropHeads(r *Row[V]) {
	if s.heads != nil && len(s.heads.byKey) > 0 {
		s.heads.drop(s.keyOf(r))
	}
}

func (s *KeyValue[V]) takeOut(n uint32) {
	t := &s.table
	if s.keys != nil {
		if r := t.row(n); !r.absent {
			s.keys.moved(t.key(r), n+1, 0)
		}
		switch last := t.row(t.n - 1); {
		case !last.absent:
			s.keys.moved(t.key(last), t.n, n+1)
		case !last.changed && int(last.mark) < len(s.spent.rows):
			s.spent.rows[last.mark] = n
		}
	}
	t.remove(n)
}
