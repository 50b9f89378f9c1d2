package pair

import (
	"encoding/binary"
	"errors"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"

	"github.com/streamgen/streamgen/runtime/record"
)

// counter is a hand-written program of one family, between the client's fetch and its produce.
type counter interface {
	process(r *record.Record)
	commit() // what goes on at a commit
}

// disk is what the hand-written programs keep their state with: what changed goes to a changelog and into a batch, once a commit.
type disk struct {
	db        *pebble.DB
	batch     *pebble.Batch
	changelog []byte
	key, row  []byte
	out       []byte
	sums      *tally
}

// Hand is the hand-written program of a family. Its state is in memory, or a tenth of it where the family says so, and in Pebble.
func Hand(f Family, dir string) (*Side, error) {
	db, err := pebble.Open(filepath.Join(dir, f.Name+"-hand"), &pebble.Options{DisableWAL: true, Logger: quiet{}})
	if err != nil {
		return nil, err
	}
	s := &Side{Name: "hand-written", tally: newTally(f)}
	d := &disk{db: db, batch: db.NewBatch(), sums: &s.tally}
	c := f.hand(d)
	since := 0
	commit := func() error {
		since = 0
		c.commit()
		d.changelog = d.changelog[:0]
		if err := d.batch.Commit(pebble.NoSync); err != nil {
			return err
		}
		d.batch.Reset()
		return nil
	}
	s.Batch = func(batch []record.Record) error {
		for i := range batch {
			c.process(&batch[i])
		}
		if since++; since < epochBatches {
			return nil
		}
		return commit()
	}
	s.Settle = commit
	s.close = func() error {
		err := commit()
		for r, ok := c.(interface{ rest() bool }); err == nil && ok && r.rest(); {
			err = commit()
		}
		return errors.Join(err, d.batch.Close(), db.Close())
	}
	return s, nil
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}

// put writes a row: eight bytes of time, eight of count.
func (d *disk) put(key []byte, n, timestamp int64) {
	d.row = binary.BigEndian.AppendUint64(d.row[:0], uint64(timestamp))
	d.row = binary.BigEndian.AppendUint64(d.row, uint64(n))
	d.changelog = append(append(d.changelog, key...), d.row...)
	_ = d.batch.Set(key, d.row, nil) // of a batch that is not closed: it cannot fail
}

// send sends a result of a key.
func (d *disk) send(key []byte, n, timestamp int64) {
	d.out = binary.BigEndian.AppendUint64(d.out[:0], uint64(n))
	d.sums.add(key, d.out, timestamp)
}

// windowed is the key of a window's row, and of its result: in Kafka Streams' bytes for the one, by time for the other.
func (d *disk) windowed(key string, start int64) (row, result []byte) {
	d.key = binary.BigEndian.AppendUint64(d.key[:0], uint64(start))
	d.key = append(d.key, key...)
	d.key = binary.BigEndian.AppendUint64(d.key, uint64(start))
	return d.key[:8+len(key)], d.key[8:]
}

// read is the row of key, whose backend key at is, or nil.
func (d *disk) read(key, at []byte) *row {
	v, closer, err := d.db.Get(at)
	if err != nil {
		return nil
	}
	w := &row{key: string(key), timestamp: int64(binary.BigEndian.Uint64(v)), n: int64(binary.BigEndian.Uint64(v[8:]))}
	_ = closer.Close()
	return w
}

// keep lets rows go that are in Pebble, any will do, until at most limit are left; 0: all stay.
func keep(rows map[string]*row, limit int) {
	for key := range rows {
		if limit == 0 || len(rows) <= limit {
			return
		}
		delete(rows, key)
	}
}

// forget deletes the rows of all windows before an end.
func (d *disk) forget(start, end int64) {
	from := binary.BigEndian.AppendUint64(nil, uint64(start))
	_ = d.batch.DeleteRange(from, binary.BigEndian.AppendUint64(nil, uint64(end)), nil)
}

// row is a count that changed, or did not, since the last commit.
type row struct {
	key          string
	n, timestamp int64
	changed      bool
}

func (r *row) count(timestamp int64, changed *[]*row) {
	r.n++
	r.timestamp = max(r.timestamp, timestamp)
	if !r.changed {
		r.changed = true
		*changed = append(*changed, r)
	}
}

// count counts by key.
type count struct {
	*disk
	rows    map[string]*row
	changed []*row
	limit   int // rows in memory; 0: all
}

func newCount(d *disk) counter { return &count{disk: d, rows: map[string]*row{}} }
func newColdCount(d *disk) counter {
	return &count{disk: d, rows: map[string]*row{}, limit: million / 10}
}

func (c *count) process(r *record.Record) {
	w := c.rows[string(r.Key)]
	if w == nil {
		if c.limit > 0 {
			w = c.read(r.Key, r.Key)
		}
		if w == nil {
			w = &row{key: string(r.Key)}
		}
		c.rows[w.key] = w
	}
	w.count(r.Timestamp, &c.changed)
}

func (c *count) commit() {
	for _, w := range c.changed {
		w.changed = false
		c.key = append(c.key[:0], w.key...)
		c.put(c.key, w.n, w.timestamp)
		c.send(c.key, w.n, w.timestamp)
	}
	c.changed = c.changed[:0]
	keep(c.rows, c.limit)
}

// pane is the rows of one stretch of time.
type pane struct {
	start   int64
	rows    map[string]*row
	changed []*row
}

// panes are stretches of one length, the oldest first.
type panes struct {
	*disk
	length int64
	list   []*pane
	limit  int // rows in memory; 0: all
}

func (p *panes) process(r *record.Record) {
	start := r.Timestamp - r.Timestamp%p.length
	n := len(p.list) - 1
	for n >= 0 && p.list[n].start > start {
		n--
	}
	if n < 0 || p.list[n].start < start {
		n++
		p.list = append(p.list[:n], append([]*pane{{start: start, rows: map[string]*row{}}}, p.list[n:]...)...)
	}
	in := p.list[n]
	w := in.rows[string(r.Key)]
	if w == nil {
		if p.limit > 0 {
			at := append(binary.BigEndian.AppendUint64(p.key[:0], uint64(start)), r.Key...)
			w, p.key = p.read(r.Key, at), at
		}
		if w == nil {
			w = &row{key: string(r.Key)}
		}
		in.rows[w.key] = w
	}
	w.count(r.Timestamp, &in.changed)
}

func (p *panes) commit() {
	for _, in := range p.list {
		for _, w := range in.changed {
			w.changed = false
			key, _ := p.windowed(w.key, in.start)
			p.put(key, w.n, w.timestamp)
		}
		in.changed = in.changed[:0]
		keep(in.rows, p.limit)
	}
}

// tumbling counts in windows of ten seconds.
type tumbling struct{ panes }

func newTumbling(d *disk) counter { return &tumbling{panes{disk: d, length: 10_000}} }
func newColdTumbling(d *disk) counter {
	return &tumbling{panes{disk: d, length: 10_000, limit: 45_000}}
}

func (t *tumbling) process(r *record.Record) {
	for len(t.list) > 0 && t.list[0].start+t.length <= r.Timestamp {
		closed := t.list[0]
		t.list = t.list[1:]
		for _, w := range closed.rows {
			_, key := t.windowed(w.key, closed.start)
			t.send(key, w.n, w.timestamp)
		}
		if t.limit > 0 {
			t.others(closed)
		}
		t.forget(closed.start, closed.start+t.length)
	}
	t.panes.process(r)
}

// others sends the rows of a window that are in Pebble only.
func (t *tumbling) others(closed *pane) {
	from := binary.BigEndian.AppendUint64(nil, uint64(closed.start))
	it, err := t.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: binary.BigEndian.AppendUint64(nil, uint64(closed.start+t.length))})
	if err != nil {
		return
	}
	for ok := it.First(); ok; ok = it.Next() {
		key, v := it.Key()[8:], it.Value()
		if closed.rows[string(key)] == nil {
			_, result := t.windowed(string(key), closed.start)
			t.send(result, int64(binary.BigEndian.Uint64(v[8:])), int64(binary.BigEndian.Uint64(v)))
		}
	}
	_ = it.Close()
}

// hopping counts in windows of a minute, one each second: in slices of a second, with a running sum of sixty of them by key. Where it is
// goes to the changelog, too; the sums follow from the slices.
type hopping struct {
	panes
	sums map[string]*row
	next int64 // start of the window that closes next; 0: none has begun
	now  int64
}

const minute = 60_000

var nextKey = []byte("\xffnext")

func newHopping(d *disk) counter {
	return &hopping{panes: panes{disk: d, length: 1000}, sums: map[string]*row{}}
}

func (h *hopping) process(r *record.Record) {
	if h.next == 0 {
		h.next = r.Timestamp - r.Timestamp%h.length - minute + h.length
	}
	h.now = max(h.now, r.Timestamp)
	for h.next+minute <= h.now {
		h.close()
	}
	start := r.Timestamp - r.Timestamp%h.length
	if start < h.next {
		return // it is late for all windows
	}
	if start < h.next+minute-h.length { // for some: the sums have its slice already
		h.sum(&row{key: string(r.Key), n: 1, timestamp: r.Timestamp})
		for _, in := range h.list {
			if in.start == start && in.rows == nil {
				in.rows = h.slice(start)
			}
		}
	}
	h.panes.process(r)
}

func (h *hopping) sum(w *row) {
	s := h.sums[w.key]
	if s == nil {
		s = &row{key: w.key}
		h.sums[w.key] = s
	}
	s.n += w.n
	s.timestamp = max(s.timestamp, w.timestamp)
}

func (h *hopping) commit() {
	h.panes.commit()
	h.put(nextKey, h.next, h.now)
}

// slice reads the rows of a slice.
func (h *hopping) slice(start int64) map[string]*row {
	rows := map[string]*row{}
	from := binary.BigEndian.AppendUint64(nil, uint64(start))
	it, err := h.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: binary.BigEndian.AppendUint64(nil, uint64(start+1))})
	if err != nil {
		return rows
	}
	for ok := it.First(); ok; ok = it.Next() {
		v := it.Value()
		w := &row{key: string(it.Key()[8:]), timestamp: int64(binary.BigEndian.Uint64(v)), n: int64(binary.BigEndian.Uint64(v[8:]))}
		rows[w.key] = w
	}
	_ = it.Close()
	return rows
}

// close sends the window that begins at next: the slice that is its last comes in, and the one that is its first goes.
func (h *hopping) close() {
	last := h.next + minute - h.length
	for _, in := range h.list {
		if in.start != last {
			continue
		}
		for _, w := range in.rows {
			h.sum(w)
		}
	}
	for _, s := range h.sums {
		_, key := h.windowed(s.key, h.next)
		h.send(key, s.n, s.timestamp)
	}
	if len(h.list) > 0 && h.list[0].start == h.next {
		gone := h.list[0]
		h.list = h.list[1:]
		if gone.rows == nil {
			gone.rows = h.slice(gone.start)
		}
		for _, w := range gone.rows {
			s := h.sums[w.key]
			if s.n -= w.n; s.n == 0 {
				delete(h.sums, w.key)
			}
		}
		h.forget(gone.start, gone.start+h.length)
	}
	h.next += h.length
}

// sessions counts events that follow each other within five seconds. Events come in order here, so a key has one open session,
// which is looked at when it may have ended: in a wheel with a place for each millisecond.
type sessions struct {
	*disk
	open    map[string]*session
	wheel   [gap + 2][]*session
	now     int64
	changed []*session
}

type session struct {
	row
	start int64
}

const gap = 5000

func newSessions(d *disk) counter { return &sessions{disk: d, open: map[string]*session{}} }

func (s *sessions) process(r *record.Record) {
	if s.now == 0 {
		s.now = r.Timestamp
	}
	for ; s.now < r.Timestamp; s.now++ {
		due := &s.wheel[(s.now+1)%int64(len(s.wheel))]
		for _, w := range *due {
			if ends := w.timestamp + gap; ends > s.now { // it has grown
				place := &s.wheel[(ends+1)%int64(len(s.wheel))]
				*place = append(*place, w)
				continue
			}
			s.send(s.result(w), w.n, w.timestamp)
			s.changelog = append(s.changelog, s.rowKey(w)...)
			_ = s.batch.Delete(s.key, nil)
			w.changed = false
			delete(s.open, w.key)
		}
		*due = (*due)[:0]
	}
	w := s.open[string(r.Key)]
	if w == nil {
		w = &session{row: row{key: string(r.Key)}, start: r.Timestamp}
		s.open[w.key] = w
		place := &s.wheel[(r.Timestamp+gap+1)%int64(len(s.wheel))]
		*place = append(*place, w)
	}
	w.n++
	w.timestamp = max(w.timestamp, r.Timestamp)
	if !w.changed {
		w.changed = true
		s.changed = append(s.changed, w)
	}
}

func (s *sessions) commit() {
	for _, w := range s.changed {
		if !w.changed {
			continue
		}
		w.changed = false
		s.putSession(s.rowKey(w), w)
	}
	s.changed = s.changed[:0]
}

// putSession writes the row of a session, from which it would go on after a restart.
func (d *disk) putSession(key []byte, w *session) {
	d.row = binary.BigEndian.AppendUint64(d.row[:0], uint64(w.timestamp))
	d.row = binary.BigEndian.AppendUint64(d.row, uint64(w.n))
	d.row = binary.BigEndian.AppendUint64(d.row, uint64(w.start))
	d.changelog = append(append(d.changelog, key...), d.row...)
	_ = d.batch.Set(key, d.row, nil)
}

// rowKey is the key of the row of a session: a key has one.
func (s *sessions) rowKey(w *session) []byte {
	s.key = append(s.key[:0], w.key...)
	return s.key
}

// result is the key of a session's result: its key, its end and its start.
func (s *sessions) result(w *session) []byte {
	s.key = append(s.key[:0], w.key...)
	s.key = binary.BigEndian.AppendUint64(s.key, uint64(w.timestamp))
	return binary.BigEndian.AppendUint64(s.key, uint64(w.start))
}
