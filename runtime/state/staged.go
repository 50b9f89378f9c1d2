package state

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"unsafe"
)

// staged are rows of applied epochs that Pebble does not have yet. One that changes in epoch after epoch, or soon expires, takes a hash
// and a copy each time here, there a search through a memtable, a place in a file, and its compactions. Pebble has no log, so its
// memtable would lose no less in a crash.
//
// Rows are found by their keys; they have no order. Before anything asks for a range that holds some, all of them go to Pebble. When
// there is no room for more, they do, too, unless enough of them have expired meanwhile: those Pebble never gets.
type staged struct {
	slots  []slot
	mask   uint32
	rows   []stagedRow
	voids  int    // so many of them are
	bytes  []byte // keys, each with its row behind it
	ranges []Range
	bounds []stagedBounds // by store

	touched byte // of rows, so that they are in the caches
}

// stagedRow is a change of a row. Its key and what it became are in staged.bytes.
type stagedRow struct {
	at                   uint32
	keyLen, rowLen, room uint16 // room is how much the row's place has
	now                  stagedState
}

// maxStaged is the length of a key, or row, that can be staged; stagedIndex is how much longer the key of an entry of an index is.
const (
	maxStaged   = math.MaxUint16
	stagedIndex = 5
)

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
const stagedPart = 128

// memory is what it takes.
func (s *staged) memory() int {
	return len(s.bytes) + len(s.rows)*int(unsafe.Sizeof(stagedRow{})) + len(s.slots)*int(unsafe.Sizeof(slot{}))
}

func (s *staged) keyOf(r *stagedRow) []byte { return s.bytes[r.at:][:r.keyLen] }

func (s *staged) rowOf(r *stagedRow) []byte { return s.bytes[r.at+uint32(r.keyLen):][:r.rowLen] }

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
func (s *staged) put(key, row []byte, deleted bool) { s.putHashed(hashOf(key), key, row, deleted) }

// touch reads what finds the rows of changes ahead, and returns the hashes of their keys.
func (s *staged) touch(hashes []uint32, changes []Change) []uint32 {
	hashes = hashes[:0]
	for i := range changes {
		hash := hashOf(changes[i].Key)
		hashes = append(hashes, hash)
		if len(s.slots) > 0 {
			if n := s.slots[hash&s.mask].row; n > 0 {
				s.touched += s.bytes[s.rows[n-1].at]
			}
		}
	}
	return hashes
}

func (s *staged) putHashed(hash uint32, key, row []byte, deleted bool) {
	if uint32(len(s.slots))*3 <= uint32(len(s.rows))*4 {
		s.rehash(max(minSlots, 2*len(s.slots)))
	}
	r, at := s.find(hash, key)
	switch {
	case r == nil:
		s.rows = append(s.rows, stagedRow{})
		s.slots[at] = slot{tag: hash, row: uint32(len(s.rows))}
		r = &s.rows[len(s.rows)-1]
		s.lay(r, key, row)
		s.widen(uint32(len(s.rows)-1), key)
	case len(row) > int(r.room):
		s.lay(r, key, row)
	default:
		copy(s.bytes[r.at+uint32(r.keyLen):], row)
	}
	if r.now == stagedVoid {
		s.voids--
	}
	if r.rowLen, r.now = uint16(len(row)), stagedSet; deleted {
		r.now = stagedDeleted
	}
}

// lay gives a row a new place.
func (s *staged) lay(r *stagedRow, key, row []byte) {
	r.at, r.keyLen, r.room = uint32(len(s.bytes)), uint16(len(key)), uint16(len(row))
	s.bytes = append(append(s.bytes, key...), row...)
}

func (s *staged) rehash(slots int) {
	old := s.slots
	s.slots, s.mask = make([]slot, slots), uint32(slots-1)
	for _, moved := range old {
		if moved.row == 0 {
			continue
		}
		at := moved.tag & s.mask
		for s.slots[at].row != 0 {
			at = (at + 1) & s.mask
		}
		s.slots[at] = moved
	}
}

// worthwhile says whether to leave out what is void makes room for some time.
func (s *staged) worthwhile() bool { return s.voids >= len(s.rows)/4 && len(s.ranges) <= maxRanges }

// maxRanges is how many ranges are looked through for a row.
const maxRanges = 32

// without makes s, which is empty, all of old but what is void.
func (s *staged) without(old *staged) {
	s.ranges = append(s.ranges, old.ranges...)
	for i := range old.rows {
		if r := &old.rows[i]; r.now != stagedVoid {
			s.put(old.keyOf(r), old.rowOf(r), r.now == stagedDeleted)
		}
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
	s.void([]Range{r})
	s.ranges = addRange(s.ranges, r)
}

// void takes the rows of ranges out.
func (s *staged) void(list []Range) {
	if !slices.ContainsFunc(list, func(r Range) bool { return s.holds(r.From, r.To) }) {
		return
	}
	for i := range s.rows {
		if r := &s.rows[i]; r.now != stagedVoid && covering(list, s.keyOf(r)) != nil {
			r.now = stagedVoid
			s.voids++
		}
	}
}

// reset forgets all, and keeps the memory.
func (s *staged) reset() {
	clear(s.slots)
	clear(s.ranges)
	s.rows, s.bytes, s.ranges, s.bounds, s.voids = s.rows[:0], s.bytes[:0], s.ranges[:0], s.bounds[:0], 0
}
