package state

import (
	"encoding/binary"
	"iter"

	"github.com/streamgen/streamgen/runtime/record"
)

// Frozen is the state half of an epoch of one task: what its transaction writes to the changelogs and what is applied to
// the backend after it. Stores.Freeze fills in all but the positions, which the committer adds before Apply.
//
// It belongs to the committer from the hand-over until Reset.
type Frozen struct {
	Epoch      uint64
	Wall       int64 // milliseconds since the Unix epoch: when it was frozen
	Changes    []Change
	Ranges     []Range // deleted before Changes are written
	Expired    []Range // of rows that have expired: neither this epoch nor a later one writes there, but a restore
	Clocks     []ClockValue
	Sources    []SourcePosition
	Changelogs []ChangelogPosition

	restored bool // Epoch and Wall come from a changelog: they may be older than the backend's
	controls []ChangelogRecord
	arena    record.Arena
}

// Change is one changed row, encoded.
type Change struct {
	Key       []byte // store id · key
	Row       []byte // timestamp · value; nil: deleted
	Timestamp int64  // of the row, or of the delete
	Store     uint16
	unlogged  bool
}

// Range is a range of backend keys.
type Range struct{ From, To []byte } // From <= key < To

// ChangelogRecord is one record for the changelog of a store.
type ChangelogRecord struct {
	Store     uint16
	Key       []byte
	Value     []byte // nil: a tombstone
	Timestamp int64
}

// Changelog yields the records that the epoch's transaction writes to the changelogs: a record for each changed row, in
// the order of stores and of first change, and a control record for each store that moved; of unlogged stores none. The slices live
// until Reset.
func (f *Frozen) Changelog() iter.Seq[ChangelogRecord] {
	return func(yield func(ChangelogRecord) bool) {
		for i := range f.Changes {
			c := &f.Changes[i]
			if c.unlogged {
				continue
			}
			r := ChangelogRecord{Store: c.Store, Key: f.changelogKey(c.Key[PrefixLen:]), Timestamp: c.Timestamp}
			if c.Row != nil {
				r.Value = c.Row[TimestampLen:]
			}
			if !yield(r) {
				return
			}
		}
		for _, r := range f.controls {
			if !yield(r) {
				return
			}
		}
	}
}

// unlog keeps the changes from the one at i on out of the changelogs.
func (f *Frozen) unlog(i int) {
	for ; i < len(f.Changes); i++ {
		f.Changes[i].unlogged = true
	}
}

// Memory is the number of bytes it holds on to.
func (f *Frozen) Memory() int { return f.arena.Memory() + 64*cap(f.Changes) }

// Reset empties f and keeps its memory for another epoch.
func (f *Frozen) Reset() {
	clear(f.Changes)
	clear(f.controls)
	f.Changes, f.Ranges, f.Expired = f.Changes[:0], f.Ranges[:0], f.Expired[:0]
	f.Clocks, f.controls = f.Clocks[:0], f.controls[:0]
	f.Sources, f.Changelogs = f.Sources[:0], f.Changelogs[:0]
	f.Epoch, f.Wall, f.restored = 0, 0, false
	f.arena.Reset()
}

// change adds a changed row of a store, as deleted until its Row is set. The pointer is valid until the next call.
func (f *Frozen) change(store uint16, key []byte, timestamp int64) *Change {
	f.Changes = append(f.Changes, Change{
		Key: f.arena.Keep(appendKey(f.arena.Tail(), store, key)), Timestamp: timestamp, Store: store,
	})
	return &f.Changes[len(f.Changes)-1]
}

// rowTail begins a row in the arena: the value is to be appended, and the whole given to arena.Keep.
func (f *Frozen) rowTail(timestamp int64) []byte {
	return binary.BigEndian.AppendUint64(f.arena.Tail(), uint64(timestamp))
}
