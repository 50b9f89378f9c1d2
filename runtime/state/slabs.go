package state

import (
	"encoding/binary"
	"math/bits"
)

// slabBlock is the size of a block, unless one key alone is larger.
const slabBlock = 16 << 10

// ownerLen is the length of a slot's head: the number of the row that owns the key.
const ownerLen = 4

// slabs hold the keys that are too long for their rows. For each size class there is one dense array of slots: like a
// removed row's place, a freed slot is taken by the last one, so nothing is fragmented and blocks go back at the end.
type slabs struct {
	classes []slab
	memory  int64 // bytes of blocks
}

type slab struct {
	size     uint32 // of a slot
	perBlock uint32
	blocks   [][]byte
	n        uint32 // slots in use
}

// classOf is the class of slots of at least n bytes. Classes are powers of two and the middles between them: 32, 48, 64, 96.
func classOf(n uint32) (class uint8, size uint32) {
	n = max(n, 32)
	log := uint32(bits.Len32(n-1)) - 1 // 1<<log < n <= 2<<log
	if half := uint32(3) << (log - 1); n <= half {
		return uint8(2*(log-4) + 0), half
	}
	return uint8(2*(log-4) + 1), 2 << log
}

func (s *slabs) slot(class uint8, i uint32) []byte {
	c := &s.classes[class]
	b := c.blocks[i/c.perBlock]
	at := i % c.perBlock * c.size
	return b[at : at+c.size : at+c.size]
}

// key is the key of n bytes in slot i.
func (s *slabs) key(class uint8, i, n uint32) []byte {
	return s.slot(class, i)[ownerLen : ownerLen+n : ownerLen+n]
}

// add copies the key of a row into a slot.
func (s *slabs) add(row uint32, key []byte) (class uint8, i uint32) {
	class, size := classOf(uint32(len(key)) + ownerLen)
	for int(class) >= len(s.classes) {
		s.classes = append(s.classes, slab{})
	}
	c := &s.classes[class]
	c.size, c.perBlock = size, max(1, slabBlock/size)
	i = c.n
	c.n++
	if int(i/c.perBlock) == len(c.blocks) {
		c.blocks = append(c.blocks, make([]byte, c.size*c.perBlock))
		s.memory += int64(c.size) * int64(c.perBlock)
	}
	copy(s.slot(class, i)[ownerLen:], key)
	s.own(class, i, row)
	return class, i
}

// own says that the key in slot i belongs to a row.
func (s *slabs) own(class uint8, i, row uint32) {
	binary.LittleEndian.PutUint32(s.slot(class, i), row)
}

// remove frees slot i. If another key was moved into it, that key's row is returned.
func (s *slabs) remove(class uint8, i uint32) (owner uint32, moved bool) {
	c := &s.classes[class]
	c.n--
	if i != c.n {
		from := s.slot(class, c.n)
		copy(s.slot(class, i), from)
		owner, moved = binary.LittleEndian.Uint32(from), true
	}
	if c.n%c.perBlock == 0 {
		c.blocks[len(c.blocks)-1] = nil
		c.blocks = c.blocks[:len(c.blocks)-1]
		s.memory -= int64(c.size) * int64(c.perBlock)
	}
	return owner, moved
}
