package pair

import (
	"encoding/binary"

	"github.com/streamgen/streamgen/runtime/record"
)

// coldHopping keeps its sums in memory, and of its slices those of the last three seconds: a slice is asked for when it comes in, by records that
// are late, and when it goes. With what is read of that it is a tenth of all rows.
type coldHopping struct{ hopping }

const slicesInMemory = 3

func newColdHopping(d *disk) counter {
	return &coldHopping{hopping{panes: panes{disk: d, length: 1000}, sums: map[string]*row{}}}
}

func (h *coldHopping) commit() {
	h.hopping.commit()
	for n := range len(h.list) - slicesInMemory {
		h.list[n].rows = nil
	}
}

// coldSessions keeps some of the open sessions in memory, and of the others when they may have ended.
type coldSessions struct {
	*disk
	open    map[string]*session
	wheel   [gap + 2][]string
	now     int64
	changed []*session
}

const openInMemory = 29_000

func newColdSessions(d *disk) counter { return &coldSessions{disk: d, open: map[string]*session{}} }

// find is the open session of a key, or nil.
func (s *coldSessions) find(key string) *session {
	if w := s.open[key]; w != nil {
		return w
	}
	v, closer, err := s.db.Get([]byte(key))
	if err != nil {
		return nil
	}
	w := &session{
		row:   row{key: key, timestamp: int64(binary.BigEndian.Uint64(v)), n: int64(binary.BigEndian.Uint64(v[8:]))},
		start: int64(binary.BigEndian.Uint64(v[16:])),
	}
	_ = closer.Close()
	s.open[key] = w
	return w
}

func (s *coldSessions) process(r *record.Record) {
	if s.now == 0 {
		s.now = r.Timestamp
	}
	for ; s.now < r.Timestamp; s.now++ {
		due := &s.wheel[(s.now+1)%int64(len(s.wheel))]
		for _, key := range *due {
			w := s.find(key)
			if ends := w.timestamp + gap; ends > s.now { // it has grown
				place := &s.wheel[(ends+1)%int64(len(s.wheel))]
				*place = append(*place, key)
				continue
			}
			s.key = binary.BigEndian.AppendUint64(append(s.key[:0], w.key...), uint64(w.timestamp))
			s.key = binary.BigEndian.AppendUint64(s.key, uint64(w.start))
			s.send(s.key, w.n, w.timestamp)
			w.n = 0 // it is over: its row goes at the commit
			s.change(w)
		}
		*due = (*due)[:0]
	}
	w := s.find(string(r.Key))
	if w == nil {
		w = &session{row: row{key: string(r.Key)}}
		s.open[w.key] = w
	}
	if w.n == 0 {
		w.start, w.timestamp = r.Timestamp, r.Timestamp
		place := &s.wheel[(r.Timestamp+gap+1)%int64(len(s.wheel))]
		*place = append(*place, w.key)
	}
	w.n++
	w.timestamp = max(w.timestamp, r.Timestamp)
	s.change(w)
}

func (s *coldSessions) change(w *session) {
	if !w.changed {
		w.changed = true
		s.changed = append(s.changed, w)
	}
}

func (s *coldSessions) commit() {
	for _, w := range s.changed {
		w.changed = false
		if w.n == 0 {
			s.changelog = append(s.changelog, w.key...)
			_ = s.batch.Delete([]byte(w.key), nil)
			delete(s.open, w.key)
			continue
		}
		s.key = append(s.key[:0], w.key...)
		s.putSession(s.key, w)
	}
	s.changed = s.changed[:0]
	for key := range s.open {
		if len(s.open) <= openInMemory {
			break
		}
		delete(s.open, key)
	}
}
