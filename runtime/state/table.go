package state

import (
	"encoding/binary"
	"hash/maphash"
	"unsafe"
)

const (
	rowsPerChunk = 256
	inlineKey    = 24 // int64, uuid and most string keys: a cache miss less a lookup
	minSlots     = 64
)

// Row is one entry of a store in its Go type. A *Row is valid until the batch ends and never shared between goroutines.
type Row[V any] struct {
	Value     V
	Timestamp int64 // of the result: the greatest timestamp that went into Value, in milliseconds

	inline  [inlineKey]byte // the key, or for a longer key its slot and class in the table's slabs
	keyLen  uint32
	mark    uint32 // if changed, its place in table.changed; else the freeze that encoded it last, 0 for none
	size    uint32 // bytes of Value outside the row: taken from its encoded size
	changed bool   // in the epoch being processed
	absent  bool   // deleted, or known not to exist; Value is zero
	stored  bool   // the backend holds a row of this key, or will when the epoch in flight is applied
	used    bool   // since the sweep came by, apart from when it was loaded
}

// Or is the value of the row, or v where there is no row: where r is nil.
func (r *Row[V]) Or(v V) V {
	if r == nil {
		return v
	}
	return r.Value
}

// Latest is the later of timestamp and that of the row, if there is one: if r is not nil.
func (r *Row[V]) Latest(timestamp int64) int64 {
	if r == nil {
		return timestamp
	}
	return max(timestamp, r.Timestamp)
}

// table is the overlay: rows by key bytes, open addressing over dense rows. It is generic in V only and calls no method of
// V: the compiler then emits plain code for each shape of V, without calls through a dictionary.
//
// Rows are dense: a removed row's place is taken by the last one. So memory follows the number of rows without compaction,
// at the price that rows move when others are removed, which happens between batches only. If V holds no pointer, no part
// of the table does, and the garbage collector does not look at it.
type table[V any] struct {
	slots    []slot
	mask     uint32
	chunks   []*[rowsPerChunk]Row[V]
	spare    *[rowsPerChunk]Row[V] // against allocating at each crossing of a chunk's border
	n        uint32                // rows in use
	changed  []uint32              // rows changed in the epoch being processed, in the order of their first change
	slabs    slabs
	variable int64 // bytes of values outside rows
	inserted int   // rows since the last eviction
}

type slot struct {
	tag uint32 // hash
	row uint32 // number + 1; 0: free
}

// seed is one a process: a hash is computed once and serves every table.
var seed = maphash.MakeSeed()

func hashOf(key []byte) uint32 { return uint32(maphash.Bytes(seed, key)) }

func (t *table[V]) row(i uint32) *Row[V] { return &t.chunks[i/rowsPerChunk][i%rowsPerChunk] }

// key is the key of r, valid as long as r.
func (t *table[V]) key(r *Row[V]) []byte {
	if r.keyLen <= inlineKey {
		return r.inline[:r.keyLen:r.keyLen]
	}
	return t.slabs.key(r.inline[slabClass], r.slab(), r.keyLen)
}

// A longer key's place in the slabs, in the bytes that would hold the key.
const slabClass = 4

func (r *Row[V]) slab() uint32     { return binary.LittleEndian.Uint32(r.inline[:]) }
func (r *Row[V]) setSlab(i uint32) { binary.LittleEndian.PutUint32(r.inline[:], i) }

// find returns the row of key and its number, or nil.
func (t *table[V]) find(hash uint32, key []byte) (*Row[V], uint32) {
	if t.n == 0 {
		return nil, 0
	}
	for i := hash & t.mask; ; i = (i + 1) & t.mask {
		s := t.slots[i]
		if s.row == 0 {
			return nil, 0
		}
		if s.tag == hash {
			if r := t.row(s.row - 1); string(t.key(r)) == string(key) {
				return r, s.row - 1
			}
		}
	}
}

// insert adds a row for a key that find did not find, and copies the key.
func (t *table[V]) insert(hash uint32, key []byte) (*Row[V], uint32) {
	if uint32(len(t.slots))*5 <= t.n*8 {
		t.rehash(max(minSlots, 2*len(t.slots)))
	}
	r, n := t.append(key)
	t.place(hash, n)
	return r, n
}

// append adds a row that find will not find: its owner knows its number. A table has only such rows, or none.
func (t *table[V]) append(key []byte) (*Row[V], uint32) {
	n := t.n
	t.n++
	t.inserted++
	if int(n/rowsPerChunk) == len(t.chunks) {
		if t.spare == nil {
			t.spare = new([rowsPerChunk]Row[V])
		}
		t.chunks, t.spare = append(t.chunks, t.spare), nil
	}
	r := t.row(n)
	r.keyLen = uint32(len(key))
	if len(key) <= inlineKey {
		copy(r.inline[:], key)
	} else {
		class, i := t.slabs.add(n, key)
		r.inline[slabClass] = class
		r.setSlab(i)
	}
	return r, n
}

// renew makes row n, which nothing finds, one of another short key.
func (t *table[V]) renew(n uint32, key []byte) *Row[V] {
	t.inserted++
	r := t.row(n)
	t.resize(r, 0)
	*r = Row[V]{keyLen: uint32(len(key))}
	copy(r.inline[:], key)
	return r
}

// remove takes row i out; the last row becomes row i. Row i must not be changed.
func (t *table[V]) remove(i uint32) {
	r := t.row(i)
	if len(t.slots) > 0 {
		t.unlink(t.slotOf(i, r))
	}
	t.resize(r, 0)
	if r.keyLen > inlineKey {
		if owner, moved := t.slabs.remove(r.inline[slabClass], r.slab()); moved {
			t.row(owner).setSlab(r.slab())
		}
	}
	t.n--
	last := t.row(t.n)
	if i != t.n {
		if len(t.slots) > 0 {
			t.slots[t.slotOf(t.n, last)].row = i + 1
		}
		*r = *last
		if r.changed {
			t.changed[r.mark] = i
		}
		if r.keyLen > inlineKey {
			t.slabs.own(r.inline[slabClass], r.slab(), i)
		}
	}
	*last = Row[V]{}
	if t.n%rowsPerChunk == 0 {
		end := len(t.chunks) - 1
		t.spare, t.chunks[end] = t.chunks[end], nil
		t.chunks = t.chunks[:end]
	}
}

// trim gives back memory after rows were removed.
func (t *table[V]) trim() {
	if n := len(t.slots); n > minSlots && int(t.n)*8 < n {
		t.rehash(n / 2)
	}
}

// resize notes that size bytes of r's value lie outside the row.
func (t *table[V]) resize(r *Row[V], size uint32) {
	t.variable += int64(size) - int64(r.size)
	r.size = size
}

// memory is the number of bytes the table holds.
func (t *table[V]) memory() int64 {
	chunks := len(t.chunks)
	if t.spare != nil {
		chunks++
	}
	return int64(chunks)*int64(unsafe.Sizeof([rowsPerChunk]Row[V]{})) + int64(len(t.slots))*int64(unsafe.Sizeof(slot{})) +
		4*int64(cap(t.changed)) + t.slabs.memory + t.variable
}

// rowMemory is the number of bytes of r alone.
func (t *table[V]) rowMemory(r *Row[V]) int64 {
	n := int64(unsafe.Sizeof(*r)) + int64(r.size)
	if r.keyLen > inlineKey {
		n += int64(r.keyLen)
	}
	return n
}

func (t *table[V]) place(hash, n uint32) {
	i := hash & t.mask
	for t.slots[i].row != 0 {
		i = (i + 1) & t.mask
	}
	t.slots[i] = slot{tag: hash, row: n + 1}
}

// slotOf finds the slot of row n.
func (t *table[V]) slotOf(n uint32, r *Row[V]) uint32 {
	i := hashOf(t.key(r)) & t.mask
	for t.slots[i].row != n+1 {
		i = (i + 1) & t.mask
	}
	return i
}

// unlink frees slot i, and moves the slots behind it that it stood in the way of.
func (t *table[V]) unlink(i uint32) {
	for j := (i + 1) & t.mask; t.slots[j].row != 0; j = (j + 1) & t.mask {
		if home := t.slots[j].tag & t.mask; (j-home)&t.mask >= (j-i)&t.mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = slot{}
}

func (t *table[V]) rehash(slots int) {
	old := t.slots
	t.slots = make([]slot, slots)
	t.mask = uint32(slots - 1)
	for _, s := range old {
		if s.row != 0 {
			t.place(s.tag, s.row-1)
		}
	}
}
