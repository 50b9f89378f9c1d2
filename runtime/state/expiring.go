package state

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// expireRows are deleted with a commit at most.
const expireRows = 4096

// lifetime is how long rows can be read: retention behind the greatest time of all rows. What has to leave first stays.
type lifetime struct {
	retention        int64
	greatest, closed *Clock
	partly           *Clock // so many rows of the time closed have left, too
	final            bool
	outdated         outdated
}

// gone is the time at and below which rows have expired, by the values of the clocks.
func (l *lifetime) gone(greatest, closed int64) int64 {
	gone := before(greatest, l.retention)
	if l.final {
		gone = min(gone, before(closed, 1))
	}
	return gone
}

// live makes rows expire.
func (t *timed[V]) live(retention int64, greatest string, final bool) *lifetime {
	s, id := t.rows.stores, t.keys.id
	t.life = &lifetime{retention: retention, greatest: s.Clock(id, greatest), closed: s.Clock(id, "closed"), final: final}
	if final {
		t.life.partly = s.Clock(id, "left")
	}
	t.ending.later.length = max(1, retention/manyStretches)
	t.back()
	t.clean()
	t.life.outdated.mark(s.backend.Checkpoint(), id, t.life.greatest.Time)
	return t.life
}

// expired is the offset of the changelog before which all rows that are committed have expired, if it has moved.
func (t *timed[V]) expired() (offset int64, moved bool) {
	l := t.life
	if l == nil {
		return 0, false
	}
	return l.outdated.before(l.gone(l.greatest.applied, l.closed.applied))
}

// gone is the time at and below which rows have expired.
func (t *timed[V]) gone() int64 {
	if t.life == nil {
		return Never
	}
	return t.life.gone(t.life.greatest.Time, t.life.closed.Time)
}

// trim takes rows out of memory that have expired. The range that they lie in is deleted with an epoch.
func (t *timed[V]) trim(p *places, gone int64) {
	for len(p.spans) > 0 && p.spans[0].time <= gone {
		n := p.spans[0].row
		t.keys.remove(p, 0)
		if n > 0 && !t.rows.table.row(n-1).changed { // else it is not kept when the epoch ends
			t.rows.spend(n - 1)
		}
	}
}

// release lets go of keys whose rows have expired and are not asked for any more.
func (t *timed[V]) release(gone int64) {
	t.ending.past(gone, func(p *places) {
		t.trim(p, gone)
		if len(p.spans) > 0 {
			t.ending.push(p, p.spans[0].time)
		}
	})
}

// deleteExpired adds the range of the next rows that have expired, of those that the backend holds: as many as one commit takes.
func (t *timed[V]) deleteExpired(f *Frozen, gone int64) {
	if t.ranged == nil {
		t.ranged = appendKey(nil, t.keys.id, nil)
	}
	to := appendKey(nil, t.keys.id, nil)
	if by := t.keys.by; by != nil {
		by.expired.Time = gone
		to = binary.BigEndian.AppendUint64(to, uint64(by.of(gone+1)))
		if bytes.Compare(t.ranged, to) < 0 { // one for a whole bucket, and nothing to look at
			f.Ranges = append(f.Ranges, Range{From: t.ranged, To: to})
			t.ranged = to
		}
		return
	}
	to = t.keys.appendSpan(to, span{time: gone + 1})
	if bytes.Compare(t.ranged, to) >= 0 {
		return
	}
	n := 0
	err := t.rows.stores.backend.Scan(t.ranged, to, func(key, _ []byte) error {
		if n++; n > expireRows {
			to = append(to[:0], key...)
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return // the next commit tries again; what reads the backend meets the fault
	}
	if n > 0 {
		f.Ranges = append(f.Ranges, Range{From: t.ranged, To: to})
	}
	t.ranged = to
}

// clean deletes what has expired in a backend that was restored: a changelog has it still. It is not seen in any case, so what goes
// wrong here is left to the next epoch.
func (t *timed[V]) clean() {
	for gone := t.gone(); gone >= 0; {
		var f Frozen
		t.deleteExpired(&f, gone)
		if len(f.Ranges) == 0 {
			return
		}
		if t.rows.stores.backend.Apply(&f) != nil {
			t.ranged = nil
			return
		}
	}
}

// expire treats rows changed in this epoch as if they had never been: the range in which the backend may hold them is deleted.
func (t *timed[V]) expire(gone int64) {
	for _, n := range t.rows.table.changed {
		r := t.rows.table.row(n)
		if p, at := t.keys.split(t.rows.table.key(r)); at.time <= gone {
			t.trim(p, gone)
			var zero V
			r.Value, r.absent, r.stored = zero, true, false
		}
	}
}
