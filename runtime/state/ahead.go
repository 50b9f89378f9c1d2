package state

import (
	"encoding/binary"
	"slices"

	"github.com/streamgen/streamgen/runtime/record"
)

// This file is how memory is read ahead of its use: something of each of several rows is read, without a need for it, and what the caches miss
// is under way at once then, where otherwise each is waited for.

const (
	aheadGroup  = 64      // rows that are read together: what is read of them fits into the first cache
	aheadMemory = 1 << 20 // of a table: one that is smaller lies in the caches as it is
)

// ReadAhead lets the rows be read ahead that records of these sources look up by their keys; none given: those of all sources.
func (s *KeyValue[V]) ReadAhead(sources ...uint8) *KeyValue[V] {
	s.sources = sources
	s.stores.ahead = append(s.stores.ahead, s)
	return s
}

// Ahead brings the rows that records will look up by their keys into the caches of the processor, before the records are processed one by
// one: a row that has not been used for a while is three or four steps through the memory away, each of which has to wait for the one before
// it, but those of one record not for those of another. It changes nothing, and reads no row from the backend. Which stores take part is
// said when they are made.
func (s *Stores) Ahead(records []record.Record) {
	for _, st := range s.ahead {
		st.readAhead(records)
	}
}

func (s *KeyValue[V]) readAhead(records []record.Record) {
	t := &s.table
	if t.n == 0 || t.memory() < aheadMemory {
		return
	}
	var tags, rows [aheadGroup]uint32
	n := 0
	for i := range records {
		if r := &records[i]; len(s.sources) == 0 || slices.Contains(s.sources, r.Source) {
			tags[n] = hashOf(r.Key)
			n++
		}
		if n == aheadGroup || i == len(records)-1 {
			found := t.rowsOf(rows[:0], tags[:n])
			s.touched += t.touch(found)
			n = 0
		}
	}
}

// rowsOf appends the numbers of the rows that have the tags, most likely.
func (t *table[V]) rowsOf(dst, tags []uint32) []uint32 {
	for _, tag := range tags {
		i := tag & t.mask
		for t.slots[i].row != 0 && t.slots[i].tag != tag {
			i = (i + 1) & t.mask
		}
		if row := t.slots[i].row; row != 0 {
			dst = append(dst, row-1)
		}
	}
	return dst
}

// touch reads something of each part of rows. The sum is of no use, but without one the compiler would leave the reading out.
func (t *table[V]) touch(rows []uint32) (sum uint64) {
	for _, n := range rows {
		r := t.row(n)
		sum += uint64(r.Timestamp) + uint64(r.keyLen)
	}
	for _, n := range rows {
		if r := t.row(n); r.keyLen > inlineKey {
			sum += uint64(t.key(r)[0])
		}
	}
	return sum
}

// touchPlaces reads the rows of a timed store, and what finds them.
func (s *KeyValue[V]) touchPlaces(rows []uint32) {
	for _, n := range rows {
		p := s.keys.numbers[binary.LittleEndian.Uint32(s.table.row(n).inline[:])]
		if p != nil {
			s.keys.touched += p.ending
		}
	}
}
