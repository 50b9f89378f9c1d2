package pair

import (
	"encoding/binary"

	"github.com/streamgen/streamgen/runtime/record"
)

// streams joins clicks and views that lie at most ten seconds apart. Events come in order here, so a queue of all of them says which
// row of a key goes next.
type streams struct {
	*disk
	keys   map[string]*both
	queue  []*both // of rows, by time
	times  []int64
	gone   int   // of queue
	bucket int64 // the rows of earlier ones are deleted
	seq    uint64
	fresh  []fresh
}

const (
	apart     = 10_000
	holds     = 2 * apart
	perBucket = apart
)

// both is what is held of a key, by side in the order of time.
type both struct {
	key  string
	rows [2][]joining
}

type joining struct{ timestamp, value int64 }

// fresh is a row that is not in the changelog.
type fresh struct {
	of               *both
	timestamp, value int64
	seq              uint64
	side             uint8
}

func newStreams(d *disk) counter { return &streams{disk: d, keys: map[string]*both{}} }

func (s *streams) process(r *record.Record) {
	s.forgetRows(r.Timestamp - holds)
	k := s.keys[string(r.Key)]
	if k == nil {
		k = &both{key: string(r.Key)}
		s.keys[k.key] = k
	}
	value := int64(binary.BigEndian.Uint64(r.Value))
	for _, other := range k.rows[1-r.Source] {
		if other.timestamp >= r.Timestamp-apart {
			s.send(r.Key, value+other.value, r.Timestamp)
		}
	}
	k.rows[r.Source] = append(k.rows[r.Source], joining{r.Timestamp, value})
	s.queue, s.times = append(s.queue, k), append(s.times, r.Timestamp)
	s.seq++
	s.fresh = append(s.fresh, fresh{k, r.Timestamp, value, s.seq, r.Source})
}

// forgetRows drops the rows that are as old as that.
func (s *streams) forgetRows(old int64) {
	for s.gone < len(s.queue) && s.times[s.gone] <= old {
		k, t := s.queue[s.gone], s.times[s.gone]
		s.queue[s.gone] = nil
		s.gone++
		for side := range k.rows {
			rows := k.rows[side]
			n := 0
			for n < len(rows) && rows[n].timestamp <= t {
				n++
			}
			k.rows[side] = append(rows[:0], rows[n:]...)
		}
		if len(k.rows[0]) == 0 && len(k.rows[1]) == 0 {
			delete(s.keys, k.key)
		}
	}
	if s.gone > 1<<16 {
		s.queue, s.times = append(s.queue[:0], s.queue[s.gone:]...), append(s.times[:0], s.times[s.gone:]...)
		s.gone = 0
	}
	if bucket := old / perBucket; bucket > s.bucket {
		for side := range byte(2) {
			from := binary.BigEndian.AppendUint64([]byte{side}, uint64(s.bucket))
			_ = s.batch.DeleteRange(from, binary.BigEndian.AppendUint64([]byte{side}, uint64(bucket)), nil)
		}
		s.bucket = bucket
	}
}

func (s *streams) commit() {
	for _, r := range s.fresh {
		s.key = binary.BigEndian.AppendUint64(append(s.key[:0], r.side), uint64(r.timestamp/perBucket))
		s.key = append(s.key, r.of.key...)
		s.key = binary.BigEndian.AppendUint64(s.key, uint64(r.timestamp))
		s.key = binary.BigEndian.AppendUint64(s.key, r.seq)
		s.put(s.key, r.value, r.timestamp)
	}
	s.fresh = s.fresh[:0]
}

// table looks orders up in prices.
type table struct {
	*disk
	rows    map[string]*row
	changed []*row
	limit   int // rows in memory; 0: all
}

func newTable(d *disk) counter { return &table{disk: d, rows: map[string]*row{}} }
func newColdTable(d *disk) counter {
	return &table{disk: d, rows: map[string]*row{}, limit: million / 10}
}

func (t *table) process(r *record.Record) {
	w := t.rows[string(r.Key)]
	if w == nil {
		if w = t.fetch(r.Key); w != nil {
			t.rows[w.key] = w
		}
	}
	value := int64(binary.BigEndian.Uint64(r.Value))
	if r.Source == 1 {
		if w != nil {
			t.send(r.Key, value+w.n, r.Timestamp)
		}
		return
	}
	if w == nil {
		w = &row{key: string(r.Key)}
		t.rows[w.key] = w
	}
	w.n, w.timestamp = value, r.Timestamp
	if !w.changed {
		w.changed = true
		t.changed = append(t.changed, w)
	}
}

// fetch is a row that is not in memory, or nil.
func (t *table) fetch(key []byte) *row {
	if t.limit == 0 {
		return nil
	}
	return t.read(key, key)
}

func (t *table) commit() {
	for _, w := range t.changed {
		w.changed = false
		t.key = append(t.key[:0], w.key...)
		t.put(t.key, w.n, w.timestamp)
	}
	t.changed = t.changed[:0]
	keep(t.rows, t.limit)
}
