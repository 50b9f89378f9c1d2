package state

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/window"
)

// Windowed is a store of one row a key and time window: tumbling, hopping or unlimited. A window is known by its start.
//
// The store key of a row is the start of its window, then the key: so the rows of a window lie together, windows leave in order,
// and what has expired is a range, deleted without looking at it. In memory a window is a pane, an overlay of its own: most
// records find theirs by one comparison.
//
// A record moves the clock (Advance) and is late for a window that has ended Grace before (Late); else it changes the row there
// (UpdateAt). With emit = "final" rows leave when their window takes no more records (Close): each exactly once, whatever the
// clock jumps over and whoever owns the task, since what has left is a clock of the store, too. Rows can be read until they
// expire, Retention behind the start of the latest window that got a row.
type Windowed[V any] struct {
	WindowedOptions

	stores *Stores
	entry  *entry
	codec  Codec[V]
	panes  []*pane[V] // by start
	at     int        // the pane that was asked for last
	hop    int64      // windows that take rows from panes begin so far apart; 0: a pane is a window
	mean   uint32     // of encoded sizes
	hash   uint32     // of the record in hand
	hashed bool

	order   []turnOf[V] // rows changed in the epoch, in the order of their first change
	headers [][]record.Header
	shown   []record.Header // of the row that a callback is given
	hand    windowedHand[V]
	walked  int     // of order, by EachChanged
	sent    sent[V] // by place in order

	clocks []*Clock // stream time of each input
	latest *Clock   // start of the latest window that got a row
	closed *Clock   // Final: rows of windows that start before it have left
	left   *Clock   // Final: so many rows of the first window from there on have, too
	ended  int64    // windows that start then or before take no more records of the input of the record in hand
	over   int64    // nor of any other
	next   int64    // Final: the first window with rows that have not left; a lower bound
	listed bool     // panes has all windows that hold rows and have not left
	leave  leaving[V]

	outdated outdated
	ranged   int64  // rows with at most this start were deleted
	sweep    int    // the pane that eviction looks at
	key      []byte // scratch
	lost     lost[V]
	dirty    int64 // memory of the rows changed in the epoch being processed
	flying   int64 // of those in the epoch in flight
}

// WindowedOptions are what a window says. Times are in milliseconds.
type WindowedOptions struct {
	Size      int64 // window.Forever: there is one window, which never ends
	Grace     int64
	Retention int64 // window.Forever: rows do not expire
	Inputs    int   // each has a clock of its own; 0: one
	Final     bool  // rows leave when their window is closed, with the headers of the record that changed them last
}

// turnOf is a row changed in the epoch: its place among the changed rows of its pane.
type turnOf[V any] struct {
	pane  *pane[V]
	place uint32
}

// windowedHand is what the last UpdateAt or DeleteAt did, for Unchanged and ChangedBy.
type windowedHand[V any] struct {
	pane          *pane[V] // nil: the window has expired
	place         uint32   // among the changed rows of the pane
	turn          int      // in order
	fresh, absent bool
	mark          uint32
	timestamp     int64
}

// NewWindowed makes the store with that id.
func NewWindowed[V any](s *Stores, id uint16, c Codec[V], o WindowedOptions) *Windowed[V] {
	w := &Windowed[V]{}
	w.open(s, id, c, o, w)
	return w
}

// open registers the store.
func (w *Windowed[V]) open(s *Stores, id uint16, c Codec[V], o WindowedOptions, self store) {
	w.WindowedOptions, w.stores, w.codec = o, s, c
	w.entry = s.add(id, self)
	w.clocks = streamTimes(s, id, o.Inputs)
	w.latest = s.Clock(id, "latest start")
	if o.Final {
		w.closed, w.left = s.Clock(id, "closed"), s.Clock(id, "left")
	}
	w.over = w.endedAt(slowest(w.clocks))
	w.ranged = Never
	w.unlisted()
	w.clean()
	w.outdated.mark(s.backend.Checkpoint(), id, w.latest.Time)
}

// unlisted begins anew to look for windows that have to leave.
func (w *Windowed[V]) unlisted() {
	w.next, w.listed, w.leave.pane = window.Forever, false, nil
	if w.Final {
		w.next = Never
	}
}

// endedAt is the latest start of a window that takes no records any more at a stream time.
func (w *Windowed[V]) endedAt(time int64) int64 {
	if w.Size == window.Forever {
		return Never
	}
	return before(before(time, w.Size), w.Grace)
}

// Advance begins a record: it moves the clock of an input. Until the next call all keys that UpdateAt and DeleteAt are given are the
// record's, so that they are hashed once.
func (w *Windowed[V]) Advance(input int, time int64) {
	w.hashed = false
	c := w.clocks[input]
	if time > c.Time {
		c.Time = time
		w.over = w.endedAt(slowest(w.clocks))
	}
	w.ended = w.over
	if len(w.clocks) > 1 {
		w.ended = w.endedAt(c.Time)
	}
}

// Late says whether the window takes no more records of the input that Advance was called for.
func (w *Windowed[V]) Late(start int64) bool { return start <= w.ended }

// gone is the start at and before which rows have expired. What has to leave first stays.
func (w *Windowed[V]) gone() int64 {
	if w.Final {
		return w.goneAt(w.latest.Time, w.closed.Time)
	}
	return w.goneAt(w.latest.Time, window.Forever)
}

func (w *Windowed[V]) goneAt(latest, closed int64) int64 {
	if w.Retention == window.Forever {
		return Never
	}
	return min(before(latest, w.Retention), before(closed, 1))
}

// expired is the offset of the changelog before which all rows that are committed have expired, if it has moved.
func (w *Windowed[V]) expired() (offset int64, moved bool) {
	closed := int64(window.Forever)
	if w.Final {
		closed = w.closed.applied
	}
	return w.outdated.before(w.goneAt(w.latest.applied, closed))
}

// UpdateAt returns the row of key in a window that is not late to be changed in place, made with a zero Value and Timestamp if there
// is none; see KeyValue.Update.
func (w *Windowed[V]) UpdateAt(start int64, key []byte) (r *Row[V], existed bool, err error) {
	if !w.hashed {
		w.hash, w.hashed = hashOf(key), true
	}
	return w.update(start, w.hash, key)
}

func (w *Windowed[V]) update(start int64, hash uint32, key []byte) (r *Row[V], existed bool, err error) {
	if start <= w.gone() {
		w.hand.pane = nil
		return w.lost.update(start, w.storeKey(start, key), len(w.order)), false, nil
	}
	p := w.pane(start)
	r, n, err := w.find(p, hash, key)
	if err != nil {
		return nil, false, err
	}
	w.latest.Time = max(w.latest.Time, start)
	existed = !r.absent
	if !existed {
		p.table.resize(r, w.mean)
	}
	w.change(p, r, n)
	if !existed {
		r.Timestamp, r.absent = 0, false
	}
	return r, existed, nil
}

// DeleteAt removes the row of key in a window, by a record of that timestamp; see KeyValue.Delete.
func (w *Windowed[V]) DeleteAt(start int64, key []byte, timestamp int64) (existed bool, err error) {
	if !w.hashed {
		w.hash, w.hashed = hashOf(key), true
	}
	return w.remove(start, w.hash, key, timestamp)
}

func (w *Windowed[V]) remove(start int64, hash uint32, key []byte, timestamp int64) (existed bool, err error) {
	if start <= w.gone() {
		w.hand.pane = nil
		return false, nil
	}
	p := w.pane(start)
	r, n, err := w.find(p, hash, key)
	if err != nil || r.absent {
		return false, err
	}
	w.change(p, r, n)
	var zero V
	r.Value, r.Timestamp, r.absent = zero, timestamp, true
	return true, nil
}

// Get, Update and Delete are those of KeyValue by the bytes of a windowed key: for what takes a table's rows whatever its keys are.
func (w *Windowed[V]) Get(key []byte) (*Row[V], error) {
	inner, start, ok := window.SplitKey(key)
	if !ok {
		return nil, w.badKey(key)
	}
	return w.GetAt(start, inner)
}

// GetAt returns the row of key in a window, or nil. The row must not be changed.
func (w *Windowed[V]) GetAt(start int64, key []byte) (*Row[V], error) {
	if start <= w.gone() {
		return nil, nil
	}
	r, _, err := w.find(w.pane(start), hashOf(key), key)
	if err != nil || r.absent {
		return nil, err
	}
	return r, nil
}

// Update is UpdateAt by the bytes of a windowed key.
func (w *Windowed[V]) Update(key []byte) (r *Row[V], existed bool, err error) {
	inner, start, ok := window.SplitKey(key)
	if !ok {
		return nil, false, w.badKey(key)
	}
	return w.update(start, hashOf(inner), inner)
}

// Delete is DeleteAt by the bytes of a windowed key.
func (w *Windowed[V]) Delete(key []byte, timestamp int64) (existed bool, err error) {
	inner, start, ok := window.SplitKey(key)
	if !ok {
		return false, w.badKey(key)
	}
	return w.remove(start, hashOf(inner), inner, timestamp)
}

func (w *Windowed[V]) badKey(key []byte) error {
	return fmt.Errorf("store %q: the key %q has no window", w.entry.Name, key)
}

// Unchanged takes back the UpdateAt or Update before it, whose row was left as it was. No other call on the store may stand between.
func (w *Windowed[V]) Unchanged() {
	h := &w.hand
	if h.pane == nil {
		w.lost.unchanged()
		return
	}
	t := &h.pane.table
	r := t.row(t.changed[h.place])
	if h.fresh {
		r.changed, r.mark = false, h.mark
		t.changed = t.changed[:h.place]
		w.order = w.order[:h.turn]
		w.dirty -= t.rowMemory(r) + w.sent.rowMemory(r.size)
		w.sent.drop()
	}
	if h.absent {
		r.Timestamp, r.absent = h.timestamp, true
		t.resize(r, 0)
	}
}

// ChangedBy keeps the headers of the record behind the last change, which must have been effective. Those of final results are copied
// and stored with the row; others pin a fetch until the epoch is frozen, see KeyValue.ChangedBy.
func (w *Windowed[V]) ChangedBy(headers []record.Header) {
	h := &w.hand
	switch {
	case h.pane == nil:
		w.lost.changedBy(headers)
	case w.Final:
		h.pane.keepHeaders(h.pane.table.row(h.pane.table.changed[h.place]), headers)
	default:
		for len(w.headers) < len(w.order) {
			w.headers = append(w.headers, nil)
		}
		w.headers[h.turn] = headers
	}
}

// Headers are those that ChangedBy kept, of the row that EachChanged or Close has given.
func (w *Windowed[V]) Headers(*Row[V]) []record.Header { return w.shown }

// EachChanged calls f for the rows changed in this epoch, as that of KeyValue does, with the bounds of their windows.
func (w *Windowed[V]) EachChanged(f func(start, end int64, key []byte, r *Row[V], exists bool) error) error {
	for {
		if l := w.lost.next(w.walked); l != nil {
			w.shown = l.headers
			if err := f(l.start, window.End(l.start, w.Size), l.key[window.StartLen:], &l.row, true); err != nil {
				return err
			}
			continue
		}
		if w.walked == len(w.order) {
			return nil
		}
		o := w.order[w.walked]
		w.shown = nil
		if w.walked < len(w.headers) {
			w.shown = w.headers[w.walked]
		}
		w.walked++
		r := o.pane.table.row(o.pane.table.changed[o.place])
		if r.absent && !r.stored {
			continue
		}
		if len(w.lost.rows) > 0 && w.lost.byKey[string(w.storeKey(o.pane.start, o.pane.table.key(r)))] != nil {
			continue // it was made anew since its window expired
		}
		if err := f(o.pane.start, window.End(o.pane.start, w.Size), o.pane.table.key(r), r, !r.absent); err != nil {
			return err
		}
	}
}

// find returns the row of key in a pane, which may be absent.
func (w *Windowed[V]) find(p *pane[V], hash uint32, key []byte) (*Row[V], uint32, error) {
	if r, n := p.table.find(hash, key); r != nil {
		r.used = true
		return r, n, nil
	}
	if p.whole == unknown {
		if err := w.look(p); err != nil {
			return nil, 0, err
		}
	}
	if p.whole == yes {
		r, n := p.table.insert(hash, key)
		r.absent = true
		return r, n, nil
	}
	w.key = w.appendKey(w.key[:0], p.start, key)
	src, ok, err := w.stores.get(w.key)
	if err != nil {
		return nil, 0, fmt.Errorf("store %q: read the row of key %q at %d: %w", w.entry.Name, key, p.start, err)
	}
	r, n := p.table.insert(hash, key)
	if !ok {
		r.absent = true
		return r, n, nil
	}
	r.stored = true
	headers, err := w.readRow(src, r)
	if err != nil {
		p.table.remove(n)
		return nil, 0, fmt.Errorf("store %q: decode the row of key %q at %d: %w", w.entry.Name, key, p.start, err)
	}
	if headers != nil {
		p.setHeaders(key, headers)
	}
	p.table.resize(r, uint32(len(src)-TimestampLen))
	return r, n, nil
}

// readRow reads a row of the backend into r, whose Value is zero. Of final results it returns the headers, if there are any, as they
// are stored.
func (w *Windowed[V]) readRow(src []byte, r *Row[V]) (headers []byte, err error) {
	if len(src) < TimestampLen {
		return nil, errShort
	}
	r.Timestamp = int64(binary.BigEndian.Uint64(src))
	src = src[TimestampLen:]
	if w.Final {
		n, used := binary.Uvarint(src)
		if used <= 0 || n > uint64(len(src)-used) {
			return nil, errShort
		}
		if n > 0 {
			headers = src[used : used+int(n)]
		}
		src = src[used+int(n):]
	}
	return headers, w.codec.Read(src, &r.Value)
}

// HeadedJSON is json for the rows of a store of final results: it leaves out their headers.
func HeadedJSON(json func(dst, row []byte) ([]byte, error)) func(dst, row []byte) ([]byte, error) {
	return func(dst, row []byte) ([]byte, error) {
		value, err := WithoutHeaders(row)
		if err != nil {
			return dst, err
		}
		return json(dst, value)
	}
}

// WithoutHeaders is the codec's part of a row of final results, as EachRow gives it.
func WithoutHeaders(row []byte) ([]byte, error) {
	n, used := binary.Uvarint(row)
	if used <= 0 || n > uint64(len(row)-used) {
		return nil, errShort
	}
	return row[used+int(n):], nil
}

// change marks row n of a pane as changed in this epoch.
func (w *Windowed[V]) change(p *pane[V], r *Row[V], n uint32) {
	h := &w.hand
	h.pane, h.fresh, h.absent = p, !r.changed, r.absent
	if r.absent {
		h.timestamp = r.Timestamp
	}
	t := &p.table
	if !r.changed {
		h.mark = r.mark
		r.changed, r.mark = true, uint32(len(t.changed))
		t.changed = append(t.changed, n)
		p.turns = append(p.turns[:r.mark], len(w.order))
		w.order = append(w.order, turnOf[V]{p, r.mark})
		w.dirty += t.rowMemory(r) + w.sent.rowMemory(r.size)
		w.sent.keep(r)
	}
	h.place = r.mark
	h.turn = p.turns[r.mark]
}

// storeKey is the key of a row in the store, in scratch memory.
func (w *Windowed[V]) storeKey(start int64, key []byte) []byte {
	w.key = append(binary.BigEndian.AppendUint64(w.key[:0], ordered(start)), key...)
	return w.key
}

// appendKey appends the backend key of a row. Starts before the epoch stand before all others.
func (w *Windowed[V]) appendKey(dst []byte, start int64, key []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, w.entry.ID)
	return append(binary.BigEndian.AppendUint64(dst, ordered(start)), key...)
}

// ordered is a start as an unsigned number with the same order.
func ordered(start int64) uint64 { return uint64(start) ^ 1<<63 }

// startOf is the start of a store key's window.
func startOf(key []byte) int64 { return int64(binary.BigEndian.Uint64(key) ^ 1<<63) }

// WindowedKey is the bytes of the windowed key that a store key stands for; nil if it is none. For dumps and tests.
func WindowedKey(key []byte) []byte {
	if len(key) < window.StartLen {
		return nil
	}
	return window.AppendKey(nil, key[window.StartLen:], startOf(key))
}

// rangeOf is the range of the rows of the windows from one start on to another, both included.
func (w *Windowed[V]) rangeOf(from, to int64) Range {
	r := Range{From: w.appendKey(nil, from, nil)}
	if to == math.MaxInt64 {
		r.To = wholeStore(w.entry.ID).To
	} else {
		r.To = w.appendKey(nil, to+1, nil)
	}
	return r
}
