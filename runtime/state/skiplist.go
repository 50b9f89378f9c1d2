package state

import (
	"bytes"
	"unsafe"
)

// skiplist is a set of changed rows in key order, whose memory is used again. Node 0 is the head.
type skiplist[V any] struct {
	nodes  []skipNode[V]
	towers []uint32 // by node, from the lowest level: the next node; 0: none
	keys   []byte
	path   [skipHeight]uint32 // scratch
	random uint32
}

type skipNode[V any] struct {
	value     V
	timestamp int64
	key       uint32 // offset of the key, which ends where that of the next node begins
	tower     uint32
	absent    bool // deleted
}

// A level has a quarter of the nodes of the one below: twelve are enough for as many as fit into memory.
const skipHeight = 12

// reset forgets all rows.
func (o *skiplist[V]) reset() {
	if len(o.nodes) > 0 && cap(o.nodes) > 8*len(o.nodes) && cap(o.nodes) > minSweep { // an epoch of many rows is not the rule
		*o = skiplist[V]{}
	}
	clear(o.nodes)
	o.nodes, o.towers, o.keys = append(o.nodes[:0], skipNode[V]{}), o.towers[:0], o.keys[:0]
	for range skipHeight {
		o.towers = append(o.towers, 0)
	}
	o.random = 1
}

// put returns the node of key, to be filled in, made if there is none. It is valid until the next put.
func (o *skiplist[V]) put(key []byte) *skipNode[V] {
	if len(o.nodes) == 0 {
		o.reset()
	}
	at := o.seek(key)
	if at != 0 && bytes.Equal(o.key(at), key) {
		return &o.nodes[at]
	}
	n := uint32(len(o.nodes))
	o.nodes = append(o.nodes, skipNode[V]{key: uint32(len(o.keys)), tower: uint32(len(o.towers))})
	o.keys = append(o.keys, key...)
	for level := range o.height() {
		before := &o.towers[o.nodes[o.path[level]].tower+uint32(level)]
		next := *before
		*before = n
		o.towers = append(o.towers, next)
	}
	return &o.nodes[n]
}

// height is that of a new node. It is drawn the same way in each run.
func (o *skiplist[V]) height() int {
	o.random ^= o.random << 13
	o.random ^= o.random >> 17
	o.random ^= o.random << 5
	h := 1
	for r := o.random; r&3 == 0 && h < skipHeight; r >>= 2 {
		h++
	}
	return h
}

// seek returns the first node whose key is not before key, and leaves the way to it in path.
func (o *skiplist[V]) seek(key []byte) uint32 {
	if len(o.nodes) == 0 {
		return 0
	}
	at := uint32(0)
	for level := skipHeight - 1; level >= 0; level-- {
		for {
			next := o.towers[o.nodes[at].tower+uint32(level)]
			if next == 0 || bytes.Compare(o.key(next), key) >= 0 {
				break
			}
			at = next
		}
		o.path[level] = at
	}
	return o.next(at)
}

// next is the node behind n in key order; 0: none.
func (o *skiplist[V]) next(n uint32) uint32 {
	if len(o.nodes) == 0 {
		return 0
	}
	return o.towers[o.nodes[n].tower]
}

func (o *skiplist[V]) key(n uint32) []byte {
	end := uint32(len(o.keys))
	if int(n)+1 < len(o.nodes) {
		end = o.nodes[n+1].key
	}
	return o.keys[o.nodes[n].key:end:end]
}

// memory is the number of bytes that the list holds on to, used that of its rows.
func (o *skiplist[V]) memory() int64 {
	return int64(cap(o.nodes))*int64(unsafe.Sizeof(skipNode[V]{})) + 4*int64(cap(o.towers)) + int64(cap(o.keys))
}

func (o *skiplist[V]) used() int64 {
	return int64(len(o.nodes))*int64(unsafe.Sizeof(skipNode[V]{})) + 4*int64(len(o.towers)) + int64(len(o.keys))
}
