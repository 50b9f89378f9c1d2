package state

import "encoding/binary"

// A timed store, but one of sessions, lays its rows out by time: Schema.Times bytes of big-endian times, then the key. So rows leave and expire in
// ranges. To find the rows of a key, the backend keeps an index beside them: for each row an entry without a value at
//
//	store id · 0xff · length of the key · key · times
//
// It follows from the rows: Apply keeps it, the changelog does not hold it, and a restore makes it anew. Times are not negative,
// so no row lies behind 0xff.
const indexMark = 0xff

// schemas are the stores of a backend.
type schemas []Schema

// times is how many bytes of times the rows of a store begin with; 0: there is no index.
func (s schemas) times(store uint16) int {
	for i := range s {
		if s[i].ID == store {
			return s[i].Times
		}
	}
	return 0
}

// indexKey appends the backend key of the index entry of the row at key, a backend key of a store with times.
func indexKey(dst, key []byte, times int) []byte {
	id, at, rest := key[:PrefixLen], key[PrefixLen:PrefixLen+times], key[PrefixLen+times:]
	dst = append(append(dst, id...), indexMark)
	dst = append(binary.BigEndian.AppendUint32(dst, uint32(len(rest))), rest...)
	return append(dst, at...)
}

// appendIndexed appends what the index entries of a key begin with.
func appendIndexed(dst []byte, store uint16, key []byte) []byte {
	dst = append(binary.BigEndian.AppendUint16(dst, store), indexMark)
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(key))), key...)
}

// timesOf are the times of an index entry.
func timesOf(entry []byte, times int) []byte { return entry[len(entry)-times:] }

// isIndex tells an entry of an index from a row.
func isIndex(key []byte) bool { return len(key) > PrefixLen && key[PrefixLen] == indexMark }

// timesIn is how many bytes of times the rows in a range begin with; 0 if they have none, or if the range holds their index, too:
// it then reaches to the next store.
func (s schemas) timesIn(r Range) int {
	if len(r.From) < PrefixLen || len(r.To) < PrefixLen || r.From[0] != r.To[0] || r.From[1] != r.To[1] {
		return 0
	}
	return s.times(binary.BigEndian.Uint16(r.From))
}
