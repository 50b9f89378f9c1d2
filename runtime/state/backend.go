package state

import "encoding/binary"

// Schema says which store a range of a backend's keys belongs to, and how its rows are written.
type Schema struct {
	ID          uint16 // prefix of its keys; below ReservedID
	Name        string
	Fingerprint string // of key and row format
	Times       int    // bytes of times that its keys begin with: the backend then keeps an index by what follows; see index.go
	TTL         int64  // milliseconds behind its timestamp at which a row ends, 0: never; the backend lists when they do, see deadlines.go
	Waits       bool   // of a join: rows of it wait for null results; the backend lists those that do, see joined_waiting.go
	Unlogged    bool   // its changes go to no changelog: what they are made of is one
}

// ReservedID is the prefix of what the backend itself writes. No store has it.
const ReservedID = 0xffff

// Lengths of what a backend's keys and rows have in front of the changelog's.
const (
	PrefixLen    = 2 // the store's id, big-endian
	TimestampLen = 8 // the row's timestamp, big-endian
)

// Backend holds the committed rows of a task, and how far they go (Checkpoint). All but Close may be called from several
// goroutines at once.
type Backend interface {
	// Schemas are the stores it was opened for.
	Schemas() []Schema

	// Get appends the row of key to dst, or returns ok = false.
	Get(dst, key []byte) (row []byte, ok bool, err error)

	// Scan calls f for the rows with from <= key < to in key order, until f returns an error, which it then returns. The
	// slices are valid during the call.
	Scan(from, to []byte, f func(key, row []byte) error) error

	// Apply writes an epoch, all or nothing: rows, deleted ranges, clocks and positions. It may be repeated after an
	// error, also by a backend that was closed and opened again in between: the second time changes nothing.
	Apply(f *Frozen) error

	// Checkpoint is a copy of what the last Apply left.
	Checkpoint() Checkpoint

	// Close makes everything applied durable, and closes.
	Close() error
}

// EachRow calls f for the committed rows of a store in key order, for dumps and tests, without sessions that have expired. The slices
// are valid during the call.
func EachRow(b Backend, store uint16, f func(key []byte, timestamp int64, value []byte) error) error {
	r := wholeStore(store)
	return b.Scan(r.From, r.To, unexpired(b, store, func(key, row []byte) error {
		if len(row) == 0 && isIndex(key) {
			return nil
		}
		return f(key[PrefixLen:], int64(binary.BigEndian.Uint64(row)), row[TimestampLen:])
	}))
}

// appendKey appends the backend key of a store's key.
func appendKey(dst []byte, store uint16, key []byte) []byte {
	return append(binary.BigEndian.AppendUint16(dst, store), key...)
}

// wholeStore is the range of all keys of a store.
func wholeStore(store uint16) Range {
	return Range{From: appendKey(nil, store, nil), To: appendKey(nil, store+1, nil)}
}
