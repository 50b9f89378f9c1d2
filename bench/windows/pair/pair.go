// Package pair holds the sides of the families of state that are compared within one process: the generated sub-topology in a task
// of the runtime, and the same by hand, over the same events. Both keep their state in Pebble without a log, encode what changed
// once a commit for a changelog, and collect their results; a commit is each epochBatches batches.
package pair

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/rand/v2"

	benchcount "github.com/streamgen/streamgen/generated/bench-count"
	benchforeign "github.com/streamgen/streamgen/generated/bench-foreign"
	benchglobal "github.com/streamgen/streamgen/generated/bench-global"
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
	perMilli     = 10 // events a millisecond of event time, unless a family says more
)

// Family is a kind of state.
type Family struct {
	Name     string
	Keys     int // that events have
	Topology func() *topology.Topology
	Fill     int   // batches that come first, of a table: all keys in order; 0: there is no table
	Warm     int   // batches until the state is as large as it becomes; 0: any
	Memory   int64 // budget of the generated side in bytes; 0: any
	Table    bool  // what it sends is a table, of which the rows in the end are compared
	PerMilli int64 // events a millisecond of event time; 0: perMilli
	hand     func(*disk) counter
	source   func(n int64) uint8               // of an event behind them, in the order of the program's sources; nil: there is one
	shape    func(e *Events, r *record.Record) // makes an event what the family has; nil: it counts as one
}

// Families are all of them.
var Families = []Family{
	{Name: "count", Keys: 50_000, Topology: benchcount.Topology, hand: newCount},
	{Name: "count-cold", Keys: million, Topology: benchcount.Topology, Fill: million / BatchSize, Memory: 19 << 20, hand: newColdCount},
	{Name: "tumbling", Keys: 10_000, Topology: benchtumbling.Topology, hand: newTumbling},
	// A window has some 450 000 rows, which take 33 MB.
	{Name: "tumbling-cold", Keys: 600 * BatchSize, Topology: benchtumbling.Topology, PerMilli: 80, Memory: 9 << 20, hand: newColdTumbling},
	{Name: "hopping", Keys: 1_000, Topology: benchhopping.Topology, Warm: fullMinute, hand: newHopping},
	{Name: "sessions", Keys: 100_000, Topology: benchsessions.Topology, hand: newSessions},
	// The seconds of a minute have some 380 000 rows, which take 40 MB.
	{Name: "hopping-cold", Keys: 10_000, Topology: benchhopping.Topology, Warm: fullMinute, Memory: 11 << 20, hand: newColdHopping},
	// Some 290 000 sessions are open, which take 144 MB with what finds them.
	{Name: "sessions-cold", Keys: 600 * BatchSize, Topology: benchsessions.Topology, PerMilli: 80, Memory: 37 << 20, hand: newColdSessions},
	{Name: "streams", Keys: 100_000, Topology: benchstreams.Topology, hand: newStreams, source: func(n int64) uint8 { return uint8(n & 1) }},
	{Name: "table", Keys: million, Topology: benchtable.Topology, Fill: million / BatchSize, Memory: 512 << 20, hand: newTable, source: updates},
	// The rows take some 70 MB in the overlay, the share of which in a budget is 6/16.
	{Name: "table-cold", Keys: million, Topology: benchtable.Topology, Fill: million / BatchSize, Memory: 19 << 20, hand: newColdTable, source: updates},
	{Name: "global", Keys: million, Topology: benchglobal.Topology, Fill: million / BatchSize, Memory: 1 << 30, hand: newGlobal, source: orders},
	// The rows take some 70 MB, and a global table has a quarter of what 6/16 of the memory are for.
	{Name: "global-cold", Keys: million, Topology: benchglobal.Topology, Fill: million / BatchSize, Memory: 28 << 20, hand: newColdGlobal, source: orders},
	{Name: "foreign", Keys: million, Topology: benchforeign.Topology, Fill: (million + rights) / BatchSize, Memory: 512 << 20, Table: true, hand: newForeign, shape: pricing},
	// Orders and results take some 140 MB in the overlay.
	{Name: "foreign-cold", Keys: million, Topology: benchforeign.Topology, Fill: (million + rights) / BatchSize, Memory: 37 << 20, Table: true, hand: newColdForeign, shape: pricing},
}

const (
	million    = 1000 * BatchSize
	fullMinute = minute*perMilli/BatchSize + 1
)

// updates: one in ten events is one of the table.
func updates(n int64) uint8 {
	if n%10 == 0 {
		return 0
	}
	return 1
}

// orders: nothing behind the first events is one of the table.
func orders(int64) uint8 { return 1 }

// rights is how many rows of the right table there are, a whole number of batches; the orders name products below products.
const (
	rights   = 10 * BatchSize
	products = 10_000
)

// pricing: products first, then orders, each of a product; then one event in a thousand is a product, which a hundred orders name, and
// the others are orders that name another one.
func pricing(e *Events, r *record.Record) {
	n := e.n
	switch {
	case n < rights || n >= rights+int64(len(e.keys)) && n%1000 == 0:
		r.Source = 0
		r.Key = e.number(n % products)
	case n < rights+int64(len(e.keys)):
		r.Source, r.Key = 1, e.keys[n-rights]
	default:
		r.Source = 1
	}
	r.Value = e.number(n * 7919)
}

// Side does the work in one way.
type Side struct {
	Name  string
	Batch func([]record.Record) error
	// Settle commits what came: the rows of a global table are looked up once they are committed.
	Settle func() error
	tally

	close func() error
}

// Close ends a side.
func (s *Side) Close() error { return s.close() }

// Sums is what a side sent, whatever the order; of a table what is left of it in the end.
type Sums struct {
	Results uint64
	Digest  uint64
}

// tally makes Sums.
type tally struct {
	Sums
	rows map[string]uint64 // of a table: digests by key
}

func newTally(f Family) (t tally) {
	if f.Table {
		t.rows = map[string]uint64{}
	}
	return t
}

var seed = maphash.MakeSeed()

func (t *tally) add(key, value []byte, timestamp int64) {
	var h maphash.Hash
	h.SetSeed(seed)
	h.Write(key)
	h.Write(value)
	if t.rows != nil { // which time a row has may depend on the order in which messages were read
		old, ok := t.rows[string(key)]
		if !ok {
			t.Results++
		}
		t.Digest += h.Sum64() - old
		t.rows[string(key)] = h.Sum64()
		return
	}
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(timestamp)))
	t.Results++
	t.Digest += h.Sum64()
}

// Events makes batches of events, the same ones each time: keys at random, and time that goes on.
type Events struct {
	family Family
	random *rand.Rand
	keys   [][]byte
	n      int64
	batch  []record.Record
	memory []byte // of keys and values of the batch
}

// number is eight bytes that live as long as the batch.
func (e *Events) number(n int64) []byte {
	at := len(e.memory)
	e.memory = binary.BigEndian.AppendUint64(e.memory, uint64(n))
	return e.memory[at:]
}

var one = binary.BigEndian.AppendUint64(nil, 1)

// NewEvents begins the sequence of a family.
func NewEvents(f Family) *Events {
	e := &Events{family: f, random: rand.New(rand.NewPCG(1, 1)), batch: make([]record.Record, BatchSize), memory: make([]byte, 0, 16*BatchSize)}
	for i := range f.Keys {
		e.keys = append(e.keys, fmt.Appendf(nil, "key-%09d", i))
	}
	return e
}

// Next is the next batch, which is valid until the one after it.
func (e *Events) Next() []record.Record {
	fill := int64(e.family.Fill * BatchSize)
	e.memory = e.memory[:0]
	for i := range e.batch {
		r := &e.batch[i]
		*r = record.Record{Value: one, Timestamp: start + e.n/cmp.Or(e.family.PerMilli, perMilli), Offset: e.n}
		if e.n < fill {
			r.Key = e.keys[e.n%int64(len(e.keys))]
		} else {
			r.Key = e.keys[e.random.IntN(len(e.keys))]
			if e.family.source != nil {
				r.Source = e.family.source(e.n)
			}
		}
		if e.family.shape != nil {
			e.family.shape(e, r)
		}
		e.n++
	}
	return e.batch
}
