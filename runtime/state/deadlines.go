package state

import (
	"bytes"
	"math"
	"unsafe"
)

// A store whose rows end (Aging) has a second range of keys in the backend, which lists them in the order in which they do. An entry has no
// value:
//
//	store id with its highest bit · time · key
//
// Each row has an entry at the time at which it ends, or earlier: a row that is touched ends later than its entry says, and is listed anew when
// the time of that has come. So touching a row writes nothing, and whoever takes an entry looks at the row. The list follows from the rows: the
// changelog does not hold it, a restore makes it anew, and so does a database that is opened with another time to live.
const deadlineStore = 1 << 15

// deadlineGrains is into how many parts a time to live is divided for the entries that a restore makes: it does not know those that are there,
// and so writes one for each change of a row and part of the time.
const deadlineGrains = 64

// appendDeadline appends the backend key of an entry.
func appendDeadline(dst []byte, store uint16, at int64, key []byte) []byte {
	return append(appendTime(appendKey(dst, store|deadlineStore, nil), at), key...)
}

// splitDeadline takes the backend key of an entry apart.
func splitDeadline(entry []byte) (at int64, key []byte) {
	return readTime(entry[PrefixLen:]), entry[PrefixLen+timeLen:]
}

// listRestored adds the entries of the rows in f, which come from a changelog.
func (f *Frozen) listRestored(s Schema) {
	grain := max(1, s.TTL/deadlineGrains)
	for _, c := range f.Changes {
		if c.Row == nil {
			continue
		}
		at := after(c.Timestamp, s.TTL)
		f.list(s.ID, at-(at%grain+grain)%grain, c.Key[PrefixLen:])
	}
}

// list adds an entry of the row of key.
func (f *Frozen) list(store uint16, at int64, key []byte) {
	f.Changes = append(f.Changes, Change{
		Key: f.arena.Keep(appendDeadline(f.arena.Tail(), store, at, key)), Row: []byte{}, Store: store | deadlineStore, unlogged: true,
	})
}

// deadlines are entries in memory: a heap.
type deadlines struct {
	heap []deadline
	keys []byte
}

type deadline struct {
	at       int64
	from, to uint32 // of keys
}

func (d *deadlines) key(e deadline) []byte { return d.keys[e.from:e.to:e.to] }

func (d *deadlines) push(at int64, key []byte) {
	from := uint32(len(d.keys))
	d.keys = append(d.keys, key...)
	d.heap = append(d.heap, deadline{at, from, uint32(len(d.keys))})
	for i := len(d.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !d.less(i, up) {
			break
		}
		d.heap[i], d.heap[up] = d.heap[up], d.heap[i]
		i = up
	}
}

// first is the first entry; one at the end of time if there is none.
func (d *deadlines) first() (at int64, key []byte) {
	if len(d.heap) == 0 {
		return math.MaxInt64, nil
	}
	return d.heap[0].at, d.key(d.heap[0])
}

// drop takes the first entry out as often as it is there.
func (d *deadlines) drop(at int64, key []byte) {
	for len(d.heap) > 0 && d.heap[0].at == at && bytes.Equal(d.key(d.heap[0]), key) {
		d.pop()
	}
}

func (d *deadlines) pop() {
	n := len(d.heap) - 1
	d.heap[0] = d.heap[n]
	if d.heap = d.heap[:n]; n == 0 {
		d.keys = d.keys[:0]
		return
	}
	for i := 0; ; {
		least := 2*i + 1
		if least >= n {
			return
		}
		if least+1 < n && d.less(least+1, least) {
			least++
		}
		if !d.less(least, i) {
			return
		}
		d.heap[i], d.heap[least] = d.heap[least], d.heap[i]
		i = least
	}
}

func (d *deadlines) less(i, j int) bool {
	a, b := d.heap[i], d.heap[j]
	return a.at < b.at || a.at == b.at && bytes.Compare(d.key(a), d.key(b)) < 0
}

func (d *deadlines) reset() { d.heap, d.keys = d.heap[:0], d.keys[:0] }

// memory is the number of bytes it holds.
func (d *deadlines) memory() int64 {
	return int64(cap(d.heap))*int64(unsafe.Sizeof(deadline{})) + int64(cap(d.keys))
}
