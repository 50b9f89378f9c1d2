package state

// outdated tells how far the changelog of a windowed store holds nothing but rows that have expired. They have no tombstones, and the
// log is compacted by key: without this it would grow with each new window. It is kept in memory only. After a restart it begins with
// what is there, so that nothing is deleted too early, and a part of it later than it could be.
type outdated struct {
	marks []outdatedMark // by offset; of a store that lives long, outdatedMarks of them
	told  int64          // offset that was told last
}

// outdatedMark says that all rows before an offset are of windows that start at latest or before.
type outdatedMark struct{ before, latest int64 }

// outdatedMarks is into how many parts the time that rows live is divided: a row stays at most that part longer than it has to.
const outdatedMarks = 16

// mark notes how far the changelog goes.
func (o *outdated) mark(c Checkpoint, store uint16, latest int64) {
	next, ok := c.Changelog(store)
	if ok && latest != Never {
		o.marks = append(o.marks, outdatedMark{next, latest})
	}
}

// due says whether it is time for another mark.
func (o *outdated) due(latest, retention int64) bool {
	n := len(o.marks)
	return latest != Never && (n == 0 || latest > after(o.marks[n-1].latest, retention/outdatedMarks))
}

// before is the offset before which all rows have expired, if it has moved.
func (o *outdated) before(gone int64) (offset int64, moved bool) {
	n := 0
	for n < len(o.marks) && o.marks[n].latest <= gone {
		offset = o.marks[n].before
		n++
	}
	o.marks = append(o.marks[:0], o.marks[n:]...)
	if offset <= o.told {
		return 0, false
	}
	o.told = offset
	return offset, true
}

// Expired says how far the changelogs of stores hold nothing but rows that have expired, where that has moved since the last call: the
// records before Next may be deleted. By then records behind it tell the clocks.
func (s *Stores) Expired() (list []ChangelogPosition) {
	for _, e := range s.list {
		if w, ok := e.store.(interface{ expired() (int64, bool) }); ok {
			if next, moved := w.expired(); moved {
				list = append(list, ChangelogPosition{Store: e.ID, Next: next})
			}
		}
	}
	return list
}
