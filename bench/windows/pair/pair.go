// Package pair holds the sides of the families of state that are compared within one process: the generated sub-topology in a task
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
	benchstreams "github.com/streamgen/streamgen/generated/bench-streams"
	benchtable "github.com/streamgen/streamgen/generated/bench-table"
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
	Fill     int   // batches that come first, of a table: all keys in order; 0: there is no table
	Memory   int64 // budget of the generated side in bytes; 0: any
	hand     func(*disk) counter
	source   func(n int64) uint8 // of an event behind them, in the order of the sub-topology's sources; nil: there is one
}

// Families are all of them.
var Families = []Family{
	{Name: "count", Keys: 50_000, Topology: benchcount.Topology, hand: newCount},
	{Name: "tumbling", Keys: 10_000, Topology: benchtumbling.Topology, hand: newTumbling},
	{Name: "hopping", Keys: 1_000, Topology: benchhopping.Topology, hand: newHopping},
	{Name: "sessions", Keys: 100_000, Topology: benchsessions.Topology, hand: newSessions},
	{Name: "streams", Keys: 100_000, Topology: benchstreams.Topology, hand: newStreams, source: func(n int64) uint8 { return uint8(n & 1) }},
	{Name: "table", Keys: million, Topology: benchtable.Topology, Fill: million / BatchSize, Memory: 512 << 20, hand: newTable, source: updates},
	// The rows take some 70 MB in the overlay, the share of which in a budget is 6/16.
	{Name: "table-cold", Keys: million, Topology: benchtable.Topology, Fill: million / BatchSize, Memory: 19 << 20, hand: newColdTable, source: updates},
}

const million = 1000 * BatchSize

// updates: one in ten events is one of the table.
func updates(n int64) uint8 {
	if n%10 == 0 {
		return 0
	}
	return 1
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
	family Family
	random *rand.Rand
	keys   [][]byte
	n      int64
	batch  []record.Record
}

var one = binary.BigEndian.AppendUint64(nil, 1)

// NewEvents begins the sequence of a family.
func NewEvents(f Family) *Events {
	e := &Events{family: f, random: rand.New(rand.NewPCG(1, 1)), batch: make([]record.Record, BatchSize)}
	for i := range f.Keys {
		e.keys = append(e.keys, fmt.Appendf(nil, "key-%09d", i))
	}
	return e
}

// Next is the next batch, which is valid until the one after it.
func (e *Events) Next() []record.Record {
	fill := int64(e.family.Fill * BatchSize)
	for i := range e.batch {
		r := record.Record{Value: one, Timestamp: start + e.n/perMilli, Offset: e.n}
		if e.n < fill {
			r.Key = e.keys[e.n%int64(len(e.keys))]
		} else {
			r.Key = e.keys[e.random.IntN(len(e.keys))]
			if e.family.source != nil {
				r.Source = e.family.source(e.n)
			}
		}
		e.batch[i] = r
		e.n++
	}
	return e.batch
}
