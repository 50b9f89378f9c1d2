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
	place      uint32 // in the heap of the queue, of one that waits there; else none
	class      uint8
	side       Side
	state      rowState
	written    rowWritten
}

// rowState is what a row is there for.
type rowState uint8

const (
	rowHeld  rowState = iota // it met a row, or needs not
	rowWaits                 // for its null result, if it meets none
	rowGone                  // its null result has left
)

// rowWritten is how the backend has a row, or will have it when the epoch in flight is applied.
type rowWritten uint8

const (
	rowNew     rowWritten = iota // not at all: it was made in the epoch being processed
	rowStored                    // as it is
	rowChanged                   // as it was before this epoch
)

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

// drop forgets a row, which is not to be written.
func (j *Joined) drop(n uint32, r *joinedRow) {
	if r.state == rowWaits {
		j.sides[r.side].waiting.remove(r)
	}
	j.unlink(r)
	j.rows.remove(n)
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
