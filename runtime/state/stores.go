package state

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/streamgen/streamgen/runtime/record"
)

// Codec writes and reads the rows of a store. Append and Read are called once a row and commit, or once a miss, never on
// the hot path, which is why func values are good enough.
type Codec[V any] struct {
	Append func(dst []byte, v *V) []byte
	Read   func(src []byte, v *V) error // copies what v keeps; v is zero
}

// store is what every kind of store does for the commit protocol: one interface call a store and commit.
type store interface {
	// freeze adds the rows changed since the last freeze to f. They carry Stores.frozen from then on.
	freeze(f *Frozen)
	// applied says that all that was frozen is in the backend.
	applied()
	// discard forgets all that the backend does not hold.
	discard() error
	// memory is how many bytes the store holds, and how many of them belong to rows that are not applied.
	memory() (held, pinned int64)
	// evict drops rows that the backend has until the store holds at most target bytes. It bounds its own work.
	evict(target int64)
}

// Stores are the stores of one task. All methods are called on the task's goroutine.
//
// The life of an epoch: rows change; Freeze; the next epoch's rows change while this one is committed and applied; then
// Applied, or Discard if it did not commit.
type Stores struct {
	backend Backend
	account *Account
	list    []*entry
	ahead   []interface{ readAhead(records []record.Record) }
	saved   []ClockValue // of the checkpoint, for clocks not registered yet
	scratch []byte

	epoch    uint64 // in flight
	inFlight bool
	frozen   uint32 // number of freezes
	applied  uint32 // value of frozen that the backend has
	bytes    int64  // of the epoch in flight, encoded
}

// entry is a store with what is kept for it.
type entry struct {
	Schema
	store  store
	clocks []*Clock
}

// NewStores begins the stores of a task over its backend, which must be restored already: clocks are read from it. With a
// nil budget nothing is evicted.
func NewStores(b Backend, budget *Budget) *Stores {
	return &Stores{backend: b, account: budget.Open(), saved: b.Checkpoint().Clocks}
}

// Freeze ends the epoch being processed: it encodes every row changed since the last Freeze into f, which is empty, in
// store order and in order of first change. The overlay's rows may be changed again at once: f shares no memory with
// them. wall is the time of day in milliseconds. The epoch before must be applied or discarded.
func (s *Stores) Freeze(epoch uint64, wall int64, f *Frozen) {
	if s.inFlight {
		panic(fmt.Sprintf("state: epoch %d is frozen while epoch %d is in flight", epoch, s.epoch))
	}
	s.inFlight, s.epoch = true, epoch
	s.frozen++
	f.Epoch, f.Wall = epoch, wall
	for _, e := range s.list {
		rows := len(f.Changes)
		e.store.freeze(f)
		moved := e.freezeClocks(f)
		if e.Unlogged {
			f.unlog(rows)
		} else if moved || len(f.Changes) > rows {
			f.control(e)
		}
	}
	s.bytes = int64(f.Memory())
}

// Applied says that the epoch in flight is in the backend. Its rows may be evicted from now on.
func (s *Stores) Applied(epoch uint64) {
	if !s.inFlight || epoch != s.epoch {
		panic(fmt.Sprintf("state: epoch %d is applied and not in flight", epoch))
	}
	s.inFlight, s.applied, s.bytes = false, s.frozen, 0
	for _, e := range s.list {
		e.store.applied()
		for _, c := range e.clocks {
			c.applied = c.frozen
		}
	}
}

// Discard takes every store back to what the backend holds: after an abort, of the epoch being processed and, if Applied
// was not called for it, of the one in flight.
func (s *Stores) Discard() error {
	s.inFlight, s.bytes = false, 0
	for _, e := range s.list {
		if err := e.store.discard(); err != nil {
			return err
		}
		for _, c := range e.clocks {
			c.Time, c.frozen = c.applied, c.applied
		}
	}
	return nil
}

// Evict reports the memory of the stores to the budget and, if the process is above it, drops this task's share of rows
// that the backend has and that were not used lately. The worker calls it between batches, since every *Row and key handed
// out before becomes invalid. A call looks at a bounded number of rows: a few for each that came since the last.
func (s *Stores) Evict() {
	held, pinned := s.memory()
	s.account.Set(held, pinned)
	cut := s.account.excess()
	if cut == 0 {
		return
	}
	for _, e := range s.list {
		h, p := e.store.memory()
		if loose := h - p; loose > 0 {
			e.store.evict(h - int64(float64(cut)*float64(loose)/float64(held-pinned)))
		}
	}
	s.account.Set(s.memory())
}

// DirtyBytes is the memory that cannot be evicted before a commit: rows changed in the epoch being processed or in the one
// in flight, and what that one was encoded to.
func (s *Stores) DirtyBytes() int64 {
	_, pinned := s.memory()
	return pinned
}

// Full reports whether the process holds so much that is not applied that this task should commit before it goes on, and
// wait if it has an epoch in flight. It goes by what Evict reported.
func (s *Stores) Full() bool { return s.account.Full() }

// Close takes the stores out of the budget. The backend stays open.
func (s *Stores) Close() { s.account.Close() }

func (s *Stores) memory() (held, pinned int64) {
	held, pinned = s.bytes, s.bytes
	for _, e := range s.list {
		h, p := e.store.memory()
		held, pinned = held+h, pinned+p
	}
	return held, pinned
}

// add registers a store under its id, which the backend must have been opened for.
func (s *Stores) add(id uint16, st store) *entry {
	i := slices.IndexFunc(s.backend.Schemas(), func(c Schema) bool { return c.ID == id })
	if i < 0 {
		panic(fmt.Sprintf("state: the database was not opened for store %d", id))
	}
	e := &entry{Schema: s.backend.Schemas()[i], store: st}
	if slices.ContainsFunc(s.list, func(o *entry) bool { return o.ID == id }) {
		panic(fmt.Sprintf("state: store %q is made twice", e.Name))
	}
	s.list = append(s.list, e)
	return e
}

// get reads a row of the backend into the task's scratch memory, valid until the next call.
func (s *Stores) get(key []byte) (row []byte, ok bool, err error) {
	row, ok, err = s.backend.Get(s.scratch[:0], key)
	if ok {
		s.scratch = row
	}
	return row, ok, err
}

// readRow reads a row of the backend into r, whose Value is zero.
func readRow[V any](c *Codec[V], src []byte, r *Row[V]) error {
	if len(src) < TimestampLen {
		return errShort
	}
	r.Timestamp = int64(binary.BigEndian.Uint64(src))
	return c.Read(src[TimestampLen:], &r.Value)
}
