package state

import (
	"bytes"
	"encoding/binary"
	"unsafe"
)

// staged are rows of applied epochs that Pebble does not have yet. One that changes in epoch after epoch, or soon expires, takes a hash
// and a copy each time here, there a search through a memtable, a place in a file, and its compactions. Pebble has no log, so its
// memtable would lose no less in a crash.
//
// Rows are found by their keys; they have no order. Before anything asks for a range that holds some, all of them go to Pebble.
type staged struct {
	slots  []slot
	mask   uint32
	rows   []stagedRow
	bytes  []byte // keys and rows
	ranges []Range
	bounds []stagedBounds // by store
}

// stagedRow is a change of a row. Its key and what it became are in staged.bytes.
type stagedRow struct {
	key, row             uint32
	keyLen, rowLen, room uint32 // room is how much the row's place has
	now                  stagedState
}

type stagedState uint8

const (
	stagedSet stagedState = iota
	stagedDeleted
	stagedVoid // in a range that was deleted since
)

// stagedBounds are the least and the greatest key of a store, by number of row.
type stagedBounds struct {
	store       uint16
	least, most uint32
}

// stagedPart is how many changes of an epoch are staged while readers wait.
const stagedPart = 256

// memory is what it takes.
func (s *staged) memory() int {
	return len(s.bytes) + len(s.rows)*int(unsafe.Sizeof(stagedRow{})) + len(s.slots)*int(unsafe.Sizeof(slot{}))
}

func (s *staged) keyOf(r *stagedRow) []byte { return s.bytes[r.key : r.key+r.keyLen] }

func (s *staged) rowOf(r *stagedRow) []byte { return s.bytes[r.row : r.row+r.rowLen] }

// find returns the row of key, or nil, and the slot that it has or may have.
func (s *staged) find(hash uint32, key []byte) (*stagedRow, uint32) {
	i := hash & s.mask
	for ; s.slots[i].row != 0; i = (i + 1) & s.mask {
		if at := s.slots[i]; at.tag == hash {
			if r := &s.rows[at.row-1]; string(s.keyOf(r)) == string(key) {
				return r, i
			}
		}
	}
	return nil, i
}

// get appends the row of key to dst. known says that Pebble need not be asked.
func (s *staged) get(dst, key []byte) (row []byte, ok, known bool) {
	if len(s.rows) > 0 {
		if r, _ := s.find(hashOf(key), key); r != nil {
			if r.now != stagedSet {
				return dst, false, true
			}
			return append(dst, s.rowOf(r)...), true, true
		}
	}
	for _, r := range s.ranges {
		if bytes.Compare(r.From, key) <= 0 && bytes.Compare(key, r.To) < 0 {
			return dst, false, true
		}
	}
	return dst, false, false
}

// put stages a change; a nil row: it was deleted.
func (s *staged) put(key, row []byte, deleted bool) {
	if uint32(len(s.slots))*3 <= uint32(len(s.rows))*4 {
		s.rehash(max(minSlots, 2*len(s.slots)))
	}
	hash := hashOf(key)
	r, at := s.find(hash, key)
	if r == nil {
		s.rows = append(s.rows, stagedRow{key: uint32(len(s.bytes)), keyLen: uint32(len(key))})
		s.bytes = append(s.bytes, key...)
		s.slots[at] = slot{tag: hash, row: uint32(len(s.rows))}
		s.widen(uint32(len(s.rows)-1), key)
		r = &s.rows[len(s.rows)-1]
	}
	if r.now = stagedSet; deleted {
		r.now, r.rowLen = stagedDeleted, 0
		return
	}
	if r.rowLen = uint32(len(row)); r.rowLen <= r.room {
		copy(s.bytes[r.row:], row)
		return
	}
	r.row, r.room = uint32(len(s.bytes)), r.rowLen
	s.bytes = append(s.bytes, row...)
}

func (s *staged) rehash(slots int) {
	s.slots, s.mask = make([]slot, slots), uint32(slots-1)
	for i := range s.rows {
		r := &s.rows[i]
		hash := hashOf(s.keyOf(r))
		at := hash & s.mask
		for s.slots[at].row != 0 {
			at = (at + 1) & s.mask
		}
		s.slots[at] = slot{tag: hash, row: uint32(i + 1)}
	}
}

// widen makes the bounds of a store hold the key of row n.
func (s *staged) widen(n uint32, key []byte) {
	b := s.boundsOf(binary.BigEndian.Uint16(key))
	switch {
	case b == nil:
		s.bounds = append(s.bounds, stagedBounds{store: binary.BigEndian.Uint16(key), least: n, most: n})
	case bytes.Compare(key, s.keyOf(&s.rows[b.most])) > 0:
		b.most = n
	case bytes.Compare(key, s.keyOf(&s.rows[b.least])) < 0:
		b.least = n
	}
}

func (s *staged) boundsOf(store uint16) *stagedBounds {
	for i := range s.bounds {
		if s.bounds[i].store == store {
			return &s.bounds[i]
		}
	}
	return nil
}

// meets says whether rows may have changed in a range.
func (s *staged) meets(from, to []byte) bool {
	for _, r := range s.ranges {
		if bytes.Compare(r.From, to) < 0 && bytes.Compare(from, r.To) < 0 {
			return true
		}
	}
	return s.holds(from, to)
}

// holds says whether a range may hold staged rows.
func (s *staged) holds(from, to []byte) bool {
	for i := range s.bounds {
		b := &s.bounds[i]
		if bytes.Compare(s.keyOf(&s.rows[b.least]), to) < 0 && bytes.Compare(from, s.keyOf(&s.rows[b.most])) <= 0 {
			return true
		}
	}
	return false
}

// deleteRange stages the delete of a range, which most often goes on where another one ends.
func (s *staged) deleteRange(r Range) {
	s.void(r)
	s.ranges = addRange(s.ranges, r)
}

// void takes the rows of a range out.
func (s *staged) void(r Range) {
	if !s.holds(r.From, r.To) {
		return
	}
	for i := range s.rows {
		if key := s.keyOf(&s.rows[i]); bytes.Compare(r.From, key) <= 0 && bytes.Compare(key, r.To) < 0 {
			s.rows[i].now = stagedVoid
		}
	}
}

// reset forgets all, and keeps the memory.
func (s *staged) reset() {
	clear(s.slots)
	clear(s.ranges)
	s.rows, s.bytes, s.ranges, s.bounds = s.rows[:0], s.bytes[:0], s.ranges[:0], s.bounds[:0]
}
