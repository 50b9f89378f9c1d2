// Package pair holds the sides of the window families that are compared within one process: the generated sub-topology in a task
// of the runtime, and the same by hand, over the same events. Both keep their state in Pebble without a log, encode what changed
// once a commit for a changelog, and collect their results; a commit is each epochBatches batches.
package pair

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/rand/v2"

	benchcount "github.com/streamgen/streamgen/generated/bench-count"
	benchhopping "github.com/streamgen/streamgen/generated/bench-hopping"
	benchsessions "github.com/streamgen/streamgen/generated/bench-sessions"
	benchtumbling "github.com/streamgen/streamgen/generated/bench-tumbling"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/topology"
)

const (
	// BatchSize is how many records a side is given at a time, as many as the runtime gives a task.
	BatchSize = 1024

	epochBatches = 16
	start        = 1_795_910_400_000
	perMilli     = 10 // events a millisecond of event time
)

// Family is a kind of state.
type Family struct {
	Name     string
	Keys     int // that events have
	Topology func() *topology.Topology
	hand     func(*disk) counter
}

// Families are all of them.
var Families = []Family{
	{"count", 50_000, benchcount.Topology, newCount},
	{"tumbling", 10_000, benchtumbling.Topology, newTumbling},
	{"hopping", 1_000, benchhopping.Topology, newHopping},
	{"sessions", 100_000, benchsessions.Topology, newSessions},
}

// Side does the work in one way.
type Side struct {
	Name  string
	Batch func([]record.Record) error
	Sums  Sums

	close func() error
}

// Close ends a side.
func (s *Side) Close() error { return s.close() }

// Sums is what a side sent, whatever the order.
type Sums struct {
	Results uint64
	Digest  uint64
}

var seed = maphash.MakeSeed()

func (s *Sums) add(key, value []byte, timestamp int64) {
	var h maphash.Hash
	h.SetSeed(seed)
	h.Write(key)
	h.Write(value)
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(timestamp)))
	s.Results++
	s.Digest += h.Sum64()
}

// Events makes batches of events, the same ones each time: keys at random, and time that goes on.
type Events struct {
	random *rand.Rand
	keys   [][]byte
	n      int64
	batch  []record.Record
}

var one = binary.BigEndian.AppendUint64(nil, 1)

// NewEvents begins the sequence of a family.
func NewEvents(f Family) *Events {
	e := &Events{random: rand.New(rand.NewPCG(1, 1)), batch: make([]record.Record, BatchSize)}
	for i := range f.Keys {
		e.keys = append(e.keys, fmt.Appendf(nil, "key-%09d", i))
	}
	return e
}

// Next is the next batch, which is valid until the one after it.
func (e *Events) Next() []record.Record {
	for i := range e.batch {
		e.batch[i] = record.Record{Key: e.keys[e.random.IntN(len(e.keys))], Value: one, Timestamp: start + e.n/perMilli, Offset: e.n}
		e.n++
	}
	return e.batch
}
