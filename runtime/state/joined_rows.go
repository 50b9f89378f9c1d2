package state

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"github.com/streamgen/streamgen/runtime/record"
)

// none is no row.
const none = ^uint32(0)

// chain links rows of one key and side, by number.
type chain struct{ head, tail uint32 }

// joinedRow is a row of a join.
type joinedRow struct {
	timestamp  int64
	seq        uint64
	key        uint32 // number in keys
	prev, next uint32 // in its chain; next of a free row is the next free one
	slab, size uint32 // of its bytes: headers, then the value
	head       uint32 // bytes of the headers
	class      uint8
	side       Side
	matched    bool // it met a row, or needs not: only what is not matched waits
	queued     bool // it stands in the queue of null results
	gone       bool // its null result has left
	stored     bool // the backend has it, or will when the epoch in flight is applied
	changed    bool // in the epoch being processed
}

// joinedRows are rows by number. A number stays with its row until that is freed.
type joinedRows struct {
	chunks []*[rowsPerChunk]joinedRow
	n      uint32
	free   uint32 // number + 1 of a free row
	live   int64
	slabs  slabs
}

func (t *joinedRows) row(n uint32) *joinedRow { return &t.chunks[n/rowsPerChunk][n%rowsPerChunk] }

// add makes a row of the bytes, which are copied.
func (t *joinedRows) add(b []byte, head uint32) (uint32, *joinedRow) {
	n := t.free - 1
	if t.free == 0 {
		n = t.n
		t.n++
		if int(n/rowsPerChunk) == len(t.chunks) {
			t.chunks = append(t.chunks, new([rowsPerChunk]joinedRow))
		}
	} else {
		t.free = t.row(n).next
	}
	t.live++
	r := t.row(n)
	class, i := t.slabs.add(n, b)
	*r = joinedRow{class: class, slab: i, size: uint32(len(b)), head: head, prev: none, next: none}
	return n, r
}

// remove frees a row that is in no chain.
func (t *joinedRows) remove(n uint32) {
	r := t.row(n)
	if owner, moved := t.slabs.remove(r.class, r.slab); moved {
		t.row(owner).slab = r.slab
	}
	*r = joinedRow{next: t.free}
	t.free = n + 1
	t.live--
}

// all is what a row holds, value the row's value.
func (t *joinedRows) all(r *joinedRow) []byte   { return t.slabs.key(r.class, r.slab, r.size) }
func (t *joinedRows) value(r *joinedRow) []byte { return t.all(r)[r.head:] }

// headers are those of a row, as a copy.
func (t *joinedRows) headers(r *joinedRow) []record.Header {
	if r.head == 0 {
		return nil
	}
	list, _ := readHeaders(bytes.Clone(t.all(r)[:r.head]))
	return list
}

// memory is what the rows hold. Places of freed rows are not counted: they are kept for others.
func (t *joinedRows) memory() int64 {
	return t.live*int64(unsafe.Sizeof(joinedRow{})) + t.slabs.memory
}

func (t *joinedRows) memoryOf(r *joinedRow) int64 { return int64(unsafe.Sizeof(*r)) + int64(r.size) }

// link puts a row into its place in its key's chain: at the end unless it is out of order.
func (j *Joined) link(n uint32, r *joinedRow) {
	ch := &j.keys.row(r.key).Value.rows[r.side]
	before := ch.tail
	for before != none {
		p := j.rows.row(before)
		if p.timestamp < r.timestamp || p.timestamp == r.timestamp && p.seq < r.seq {
			break
		}
		before = p.prev
	}
	r.prev = before
	if before == none {
		r.next, ch.head = ch.head, n
	} else {
		p := j.rows.row(before)
		r.next, p.next = p.next, n
	}
	if r.next == none {
		ch.tail = n
	} else {
		j.rows.row(r.next).prev = n
	}
}

// unlink takes a row out of its key's chain.
func (j *Joined) unlink(r *joinedRow) {
	ch := &j.keys.row(r.key).Value.rows[r.side]
	if r.prev == none {
		ch.head = r.next
	} else {
		j.rows.row(r.prev).next = r.next
	}
	if r.next == none {
		ch.tail = r.prev
	} else {
		j.rows.row(r.next).prev = r.prev
	}
}

// drop forgets a row, which neither waits nor is to be written.
func (j *Joined) drop(n uint32, r *joinedRow) {
	j.unlink(r)
	j.rows.remove(n)
}

// waiting is the queue of the rows of a side that wait for their null results: by timestamp, then key bytes and arrival. Rows
// that are matched meanwhile stay in it.
type waiting struct {
	joined *Joined
	list   []uint32
}

func (w *waiting) first() uint32 {
	if len(w.list) == 0 {
		return none
	}
	return w.list[0]
}

func (w *waiting) before(a, b uint32) bool {
	j := w.joined
	x, y := j.rows.row(a), j.rows.row(b)
	if x.timestamp != y.timestamp {
		return x.timestamp < y.timestamp
	}
	if x.key != y.key {
		return bytes.Compare(j.keys.key(j.keys.row(x.key)), j.keys.key(j.keys.row(y.key))) < 0
	}
	return x.seq < y.seq
}

func (w *waiting) push(n uint32) {
	w.list = append(w.list, n)
	for i := len(w.list) - 1; i > 0; {
		up := (i - 1) / 2
		if !w.before(w.list[i], w.list[up]) {
			return
		}
		w.list[i], w.list[up] = w.list[up], w.list[i]
		i = up
	}
}

func (w *waiting) pop() uint32 {
	first := w.list[0]
	last := len(w.list) - 1
	w.list[0] = w.list[last]
	w.list = w.list[:last]
	for i := 0; ; {
		c := 2*i + 1
		if c >= last {
			return first
		}
		if c+1 < last && w.before(w.list[c+1], w.list[c]) {
			c++
		}
		if !w.before(w.list[c], w.list[i]) {
			return first
		}
		w.list[i], w.list[c] = w.list[c], w.list[i]
		i = c
	}
}

// appendHeaders writes headers: their number, then each with its length; the length of a null value is 0, that of others one more
// than it is.
func appendHeaders(dst []byte, list []record.Header) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, h := range list {
		dst = appendText(dst, h.Key)
		if h.Value == nil {
			dst = append(dst, 0)
			continue
		}
		dst = append(binary.AppendUvarint(dst, uint64(len(h.Value))+1), h.Value...)
	}
	return dst
}

// readHeaders reads headers, as views of src, and returns what is behind them.
func readHeaders(src []byte) ([]record.Header, []byte) {
	r := reader{src: src}
	list := make([]record.Header, r.count())
	for i := range list {
		list[i].Key = r.text()
		if n := r.uvarint(); n > 0 && n-1 <= uint64(len(r.src)) {
			list[i].Value = r.src[: n-1 : n-1]
			r.src = r.src[n-1:]
		}
	}
	return list, r.src
}
