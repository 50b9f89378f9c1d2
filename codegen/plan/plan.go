// Package plan is the physical topology: sub-topologies, topics, stores, the functions each stage is fused into, and every
// name in the generated Go.
//
// It is the third of the compiler's four data types (tree → model → plan → files). New builds it from a model by an ordered
// list of passes; the emitter reads nothing else and cannot report a user's mistake: what could still be wrong is found here.
package plan

import (
	"time"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Plan is a whole program.
type Plan struct {
	App               string // label: consumer group, prefix of internal topics
	Package           string // Go package
	Description       string
	Guarantee         model.Guarantee
	CommitInterval    time.Duration
	ReplicationFactor int
	TopicConfig       []model.ConfigEntry
	SpecFiles         []string // the files of the spec, base names, in program order

	Types         []*Type // declared and anonymous records and enums that the code uses, in order of first use in the spec
	Variables     []*Variable
	Topics        []*Topic // by Index
	Stores        []*Store // by ID
	SubTopologies []*SubTopology
	Positions     []*Position // by Index
}

// Type is a Go type of the records package.
type Type struct {
	Name   string // in Go
	Record *types.Record
	Enum   *types.Enum // one of the two
	Fields []string    // Go names of Record's fields
	Values []string    // Go names of Enum's values
	Origin string      // "type.Order", or "stream.enriched" for an anonymous record
}

// Variable is a runtime variable.
type Variable struct {
	Go string
	*model.Variable
}

// TopicKind is what a topic is to the program.
type TopicKind uint8

// The kinds of topic.
const (
	Input TopicKind = iota + 1
	Output
	Repartition
	Changelog
)

// Topic is a topic that the program reads or writes. A topic that is read and written is one Topic.
type Topic struct {
	Index      int
	Go         string // constant: topicOrders
	Name       string
	Kind       TopicKind
	Origin     string // address of what declares or needs it
	Key, Value Format
	Partitions int        // of a repartition with a fixed count, else 0
	Like       []*Topic   // of an internal topic: takes the largest partition count of these
	Reason     string     // of a repartition: "join with table.customers needs the key customer_id"
	Cause      diag.Range // of a repartition: where the key changed
}

// Format is how keys or values lie on a topic. Name is a wire format of the language, or "row": the engine's own binary
// form, on internal topics only.
type Format struct {
	Name string
	Type types.Type // with its optional, if nulls are allowed
}

// StoreKind is the shape of a store.
type StoreKind uint8

// The kinds of store.
const KeyValue StoreKind = 1

// Store is the state of one table.
type Store struct {
	ID          int
	Go          string // field of the sub-topology
	Name        string
	Kind        StoreKind
	Changelog   string // topic
	Origin      string // "table.customers"
	Key         types.Type
	Value       types.Type // of the table
	State       *Type      // what a row holds, if that is not Value: the states of aggregators
	Fingerprint string     // of key and row format: a store does not open with another
	SubTopology *SubTopology
	Flush       *Func // with emit = "updates": takes each changed row on; nil otherwise
}

// SubTopology is a part of the topology that only topics join to the others.
type SubTopology struct {
	Name    string
	Go      string // struct type
	File    string // "enriched_gen.go"
	Sources []*Source
	Stores  []*Store
	Funcs   []*Func  // methods, in the order in which they are written
	Writes  []*Topic // topics it sends to, by first use
}

// Source is an input of a sub-topology; its index in Sources is what a record is tagged with.
type Source struct {
	Go        string   // constant: sourceOrders
	Topics    []*Topic // several of one stream, or none with Pattern
	Pattern   string
	Origin    string // address of the block, or of the repartition
	Key       Format
	Value     Format
	Table     bool
	Bootstrap bool
	Start     model.Start
	Entry     *Func
}

// Func is a straight run of steps: one method. It ends where the record ends (sent, put, dropped) or at a Call.
type Func struct {
	Go   string
	Doc  string // what it is, from addresses and the description
	Kind FuncKind
	In   State
	Ops  []Op
}

// FuncKind is how a Func is entered.
type FuncKind uint8

// The kinds of Func.
const (
	FromSource FuncKind = iota + 1 // with the record as it was read
	FromFunc                       // from the end of another Func, by Call
	FromFlush                      // from the rows of a store that changed in the epoch
)

// State is what is at hand at a point of a Func.
type State struct {
	Key, Value Carry
	Timestamp  bool // differs from the source record's: it is in a variable
	Headers    bool // likewise
}

// Carry is in which forms a key or value is at hand. At least one of Raw and Typed holds unless nothing behind reads it.
type Carry struct {
	Type   types.Type
	Raw    bool     // its bytes, in Format: those of the source record, or of an encoding made before
	Format Format   // of Raw
	Typed  bool     // in its Go form
	Fields []string // of a typed record: the fields that are filled in, in type order; nil: all
}

// Op is one operation. The set of implementations is closed.
type Op interface{ Base() *OpBase }

// OpBase is what all operations have.
type OpBase struct {
	Step    model.Step // nil for what the planner put in
	At      *Position  // nil if it can neither refuse nor drop a record
	In, Out State
}

// Base implements Op.
func (b *OpBase) Base() *OpBase { return b }

// The operations. Those named like a step of the model do what it says.
type (
	// Decode fills in the Go form of key or value from Raw. Check are fields that must be well-formed although nothing here
	// reads them: a later sub-topology does (bad input is found at the source).
	Decode struct {
		OpBase
		Key    bool
		Value  bool
		Fields []string // of a record value: to build
		Check  []string // to look at only
		Trust  bool     // internal topic: a failure is a bug, not bad input
	}
	Filter struct {
		OpBase
		*model.Filter
	}
	MapValues struct {
		OpBase
		*model.MapValues
	}
	SelectKey struct {
		OpBase
		*model.SelectKey
	}
	Map struct {
		OpBase
		*model.Map
	}
	Peek struct {
		OpBase
		*model.Peek
	}
	// DropNullKey drops and counts records without a key, DropNullValue those without a value.
	DropNullKey   struct{ OpBase }
	DropNullValue struct{ OpBase }
	// Lookup joins with the row of a table.
	Lookup struct {
		OpBase
		*model.Join
		Store *Store
	}
	// Put writes the value into a store as the row of the key; a null deletes. What changes nothing ends here.
	Put struct {
		OpBase
		Store *Store
	}
	// Update runs a Count, Aggregate or Reduce (Step) on the row of the key. With emit = "updates" the Func ends here and
	// the store's Flush goes on.
	Update struct {
		OpBase
		Store *Store
	}
	// Send writes to a topic. A Raw carry in the topic's format passes through.
	Send struct {
		OpBase
		Topic *Topic
		Sink  *model.Sink // nil for a repartition
	}
	// Choose is a branch: the first case that holds goes on in its Func.
	Choose struct {
		OpBase
		Cases []Choice
	}
	// Call goes on in each Func, in order. It is the last operation of its Func.
	Call struct {
		OpBase
		To []*Func
	}
)

// Choice is a case of Choose. Where nil: the default. To nil: nothing reads the case.
type Choice struct {
	Case *model.Case
	To   *Func
}

// Position is a step that can refuse or drop a record, or that an error may name.
type Position struct {
	Index   int
	Go      string // constant: posOrders
	Address string
	Pos     diag.Range
	OnError model.OnError
}
