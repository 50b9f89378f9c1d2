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
	Imports       []*Import // packages of the user's, by path
	Topics        []*Topic  // by Index
	DeadLetters   *Topic    // the one of records that cannot be processed; nil: there are none
	Stores        []*Store  // by ID
	SubTopologies []*SubTopology
	GlobalTables  []*SubTopology // each is one task in a process, which reads all partitions of one topic into one store
	Positions     []*Position    // by Index
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
)

// Topic is a topic that the program reads or writes. A topic that is read and written is one Topic, an Input. Changelogs
// are none of these: their stores name them.
type Topic struct {
	Index      int
	Go         string // constant: topicOrders
	Name       string
	Kind       TopicKind
	Origin     string // address of what declares or needs it
	Key, Value Format
	Partitions int        // of a repartition with a fixed count, else 0
	Like       []*Topic   // of a repartition without one: takes the largest partition count of these
	Reason     string     // of a repartition: "join with table.customers"
	Buries     bool       // of an output: a record that the broker refuses becomes a dead letter
	Link       bool       // a repartition that belongs to a join by a foreign key: Cause is where that stands, CauseText the key
	Cause      diag.Range // of a repartition: where the key changed, or where it is written
	CauseText  string     // "the key changes here: value.customer_id"
}

// Format is how keys or values lie on a topic. Name is a wire format of the language, or "row": the engine's own binary
// form, on internal topics only, and for keys of types that have no other.
type Format struct {
	Name  string
	Inner string      // of a windowed key: the format of the key within
	Type  types.Type  // with its optional, if nulls are allowed
	JSON  *model.JSON // options of a json format, else nil
}

// Elem is the format of the key within a windowed one, which is not optional; any other format is its own.
func (f Format) Elem() Format {
	if w, ok := types.WindowedOf(f.Type); ok {
		return Format{Name: f.Inner, Type: w.Key, JSON: f.JSON}
	}
	return f
}

// String is the format as a spec would have it: "string", "optional(json(Order))".
func (f Format) String() string {
	s := f.Name
	if s == "windowed" {
		s += "(" + f.Elem().String() + ")"
	}
	if s == "json" || s == "row" || s == "answer" {
		s += "(" + types.NonNull(f.Type).String() + f.JSON.String() + ")"
	}
	if types.IsOptional(f.Type) {
		return "optional(" + s + ")"
	}
	return s
}

// same tells whether bytes in one format are bytes in the other; an optional makes no difference to bytes that are there.
func (f Format) same(g Format) bool {
	return f.Name == g.Name && f.Inner == g.Inner && f.JSON.Equal(g.JSON) && types.Equal(types.NonNull(f.Type), types.NonNull(g.Type))
}

// StoreKind is the shape of a store.
type StoreKind uint8

// The kinds of store.
const (
	KeyValue      StoreKind = iota + 1
	Recent                  // of a dedup: when each key passed
	Windowed                // rows by key and time window, tumbling, hopping or unlimited
	Sliding                 // rows by key and sliding window
	Sessions                // rows by key and session
	Suppressed              // of a suppress: changes that have not been sent on
	JoinSide                // of a join of two streams: the rows of a side
	Waiting                 // of a join with a table: records that wait for late rows
	Versioned               // rows with their history
	Times                   // of a source: the times of its partitions, and no rows
	GlobalRows              // of a global table: all of its rows, in each process
	Subscriptions           // of a join by a foreign key: which left rows are subscribed to which right ones
)

// Store is the state of one table.
type Store struct {
	ID          int
	Go          string // field of the sub-topology
	Name        string
	Kind        StoreKind
	Changelog   string     // topic; none of GlobalRows
	Reuses      bool       // the changelog is the topic that the table is read from
	Origin      string     // "table.customers"
	Key         Format     // the keys' bytes: a natural format
	Value       types.Type // of the table, never optional: an absent row is no row
	State       *Type      // what a row holds, if that is not Value: the states of aggregators
	Cells       []Cell     // of an aggregate: where in the row each of its aggregators lives
	Make        model.Step // the making step; nil for a source table
	Fingerprint string     // of key and row format: a store does not open with another
	SubTopology *SubTopology
	Join        *Join         // of a JoinSide
	Foreign     *Foreign      // of Subscriptions
	History     time.Duration // of a Versioned: how long it knows what its rows were
	TTL         time.Duration // so long behind its timestamp a row ends; 0: it does not
	Ahead       []*Source     // of a KeyValue: the sources whose records look their rows up by the keys that they came with
	Ended       *Func         // with TTL: takes each row that has ended on; nil if Flush does, or nobody wants it
	Flush       *Func         // with emit = "updates": takes each changed row on; nil if each change goes on at once, or none does
	KeepsSent   bool          // beside each row that changed, the row as Flush sent it last: to tell what changed, or what was replaced
	CountsRows  bool          // an aggregate over rows: without any the group has no row
	Rows        string        // then: the field that counts them, "" if the row is that

	Window *model.Window // of a windowed store: its table's, or with Make nil of the table that the rows come from
	Final  bool          // with emit = "final": Flush takes the rows of closed windows on, when they close; of a suppress: what leaves
	Panes  bool          // of hopping windows with Final: a row is of a pane, and windows are sums of them
	Inputs int           // of a windowed store: how many add to it
	Closer *Store        // of sessions: the suppress that closes them by sending them on; nil: none

	label string // of the block, of GlobalRows
}

// Row is the type of what the store holds.
func (s *Store) Row() types.Type {
	if s.State != nil {
		return s.State.Record
	}
	return s.Value
}

// Cell is where an aggregator keeps its state. With Store.State, the table's value is the expression of its Aggregate over the
// results of the cells, computed when it is needed. Without, the row is that value: each cell lies where the expression puts
// its result.
type Cell struct {
	*model.Aggregator
	Field  string // of the row, a record; "" if the row is the cell
	Beside string // another field that it needs: of avg the count, of argmin, argmax and top_n what is compared, with Values how often each is there
	Values bool   // it keeps each different value of the group, in ascending order, so that one can be taken away
}

// SubTopology is a part of the topology that only topics join to the others. With stores, all topics that it reads must have one
// partition count.
type SubTopology struct {
	Name    string
	Blocks  []string // addresses of what it runs, wholly or in part, in file order
	Go      string   // struct type
	File    string   // "enriched_gen.go"
	Sources []*Source
	Stores  []*Store
	Globals []*Store // of the global tables that it looks into, by first use
	Funcs   []*Func  // methods, in the order in which they are written
	Writes  []*Topic // topics it sends to, by first use
	Idles   []*Idle  // where stream time passes without records
}

// Source is an input of a sub-topology; its index in Sources is what a record is tagged with, and its priority: at equal
// timestamps a task takes tables before streams, so that a record meets the rows of its own instant, and among each kind the
// one that stands first in the files.
type Source struct {
	Go          string   // constant: sourceOrders
	Topics      []*Topic // several of one stream, or none with Pattern
	Pattern     string
	Origin      string // address of the block, or of what needs the repartition
	Key         Format
	Value       Format
	Partitioner string
	Table       bool
	Bootstrap   bool
	Internal    bool // reads a repartition
	Start       model.Start
	Idle        time.Duration // how long it has to be silent for stream time to pass without its records; 0: it does not
	At          *Position     // of the block, or of what needs the repartition
	Entry       *Func
	Turn        *Func // gives the event time by which a record takes its turn among those of other inputs; nil: it is the record's timestamp
}

// Func is a straight run of steps: one method. It ends where the record ends (sent, put, dropped) or at a Call.
type Func struct {
	Go   string
	Doc  string // what it is, from addresses and the description
	Kind FuncKind
	In   State
	Ops  []Op
}

// ReadsKey says whether a Func that begins with a row asks for the bytes of its key before it has another: those of a key with a window
// are made for it. Its Decode reads the key and the bounds of the window, which lie apart.
func (f *Func) ReadsKey() bool {
	for _, op := range f.Ops {
		switch op := op.(type) {
		case *Decode, *Differ, *Filter, *RowFilter, *MapValues, *RowMap, *Peek:
		case *SelectKey, *Regroup:
			return false
		case *Map:
			if op.Key != nil {
				return false
			}
		default:
			return true
		}
	}
	return false
}

// FuncKind is how a Func is entered.
type FuncKind uint8

// The kinds of Func.
const (
	FromSource FuncKind = iota + 1 // with the record as it was read
	FromFunc                       // from the end of another Func, by Call
	FromFlush                      // from the rows of a store that changed in the epoch
	FromEnd                        // with a row of a store that has ended, as it was
	FromWait                       // with a record that has waited: key, value, timestamp and headers
	FromJoin                       // with a result of a join of two streams: key, both values, of which one may be missing, timestamp and headers
	FromTurn                       // asked for the event time of a record that came: what the last operation leaves; negative: it has none
	FromRows                       // asked for a row of a table that has no store: what the last operation leaves is the row
)

// State is what is at hand at a point of a Func.
type State struct {
	Key, Value Carry
	Old        Carry // of a table's change, if something behind wants it: the row that it replaces, typed and optional
	Was        bool  // the timestamp of Old is in a variable
	Record     bool  // the source record is at hand, for Reject; not in what a Flush can reach
	Window     bool  // the start of one of the record's windows is in a variable
	Newest     bool  // of the change of a row with a history: whether it is the row of now is in a variable
	Timestamp  bool  // differs from the source record's, or there is none: it is in a variable
	Headers    bool  // likewise
}

// Rows is where the row of a key is found: in a store, or worked out by a Func from other rows.
type Rows struct {
	Store *Store
	View  *Func
	Sent  bool // of a Store with a Flush: the row as it was sent last; what is joined with changes must be of one moment
}

// Carry is in which forms a key or value is at hand. At least one of Raw and Typed holds unless nothing behind reads it.
//
// Where Type is not optional and the variable that holds the Go form was made when it was, the value is known to be there.
type Carry struct {
	Type     types.Type
	Raw      bool     // its bytes, in Format: those of the source record or the store, or of an encoding made before
	Format   Format   // of Raw
	Borrowed bool     // Raw's bytes are the store's or in scratch memory, which the next record writes: what is sent is copied
	Typed    bool     // in its Go form
	Fields   []string // of a typed record: the fields that are filled in, in type order; nil: all
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
	// Decode reads Raw. Where Out has no Typed it only looks: a null where the type has none, a wrong length and broken syntax
	// are refused all the same.
	//
	// Check are fields that must be well-formed although nothing here reads them: a later sub-topology does, or a sink that the
	// bytes pass through to (bad input is found at the source).
	Decode struct {
		OpBase
		Key    bool
		Value  bool
		Fields []string // of a record value: to build, in type order; nil: all; empty but not nil: none
		Check  []string // to look at only, in type order
		Trust  bool     // internal topic: a failure is a bug, not bad input
	}
	// EncodeKey makes Raw of a typed key, in scratch memory, for the store operations and sends behind it.
	EncodeKey struct{ OpBase }
	Filter    struct {
		OpBase
		*model.Filter
	}
	MapValues struct {
		OpBase
		*model.MapValues
	}
	// SelectKey is also what a group_by does: Step is the GroupBy then.
	SelectKey struct {
		OpBase
		*model.SelectKey
	}
	Map struct {
		OpBase
		*model.Map
	}
	// FlatMap runs a FlatMap or FlatMapValues (Step): what stands behind it, which is a Call, happens for each element of Each, in
	// order, once all of them are made. Out is what is at hand of an element.
	FlatMap struct {
		OpBase
		Each model.Expr // a list
	}
	Peek struct {
		OpBase
		*model.Peek
	}
	// DropNullKey drops and counts records without a key, DropNullValue those without a value.
	DropNullKey   struct{ OpBase }
	DropNullValue struct{ OpBase }
	// Dedup ends records whose By passed before. By is computed as the store's key; a null one passes.
	Dedup struct {
		OpBase
		*model.Dedup
		Store *Store
	}
	// Lookup joins with the row of a table. It reads Raw of the key; a null key has no row.
	Lookup struct {
		OpBase
		*model.Join
		Store *Store // nil with View
		View  *Func
	}
	// Put writes the value into a store as the row of the key (Raw); a null deletes. What changes nothing ends here. Step is
	// the ToTable, or nil in a source table. With emit = "updates" it is the last operation and the store's Flush goes on.
	Put struct {
		OpBase
		Store   *Store
		Repeats bool // a row that is put as it was goes on all the same, and the delete of one that is not there
		Joins   bool // of a Versioned: a join is behind, which counts what is not the row of now
	}
	// Age moves the clock of a store whose rows end, in front of a Put or Update. Rows that have ended by then leave before the record does
	// anything: they are deleted, and Ended of the store goes on. A record that is too late makes no row: it ends at a Put, and at an Update if
	// there is none.
	Age struct {
		OpBase
		Store *Store
	}
	// Windows finds the windows of a record in front of an Update: it moves the clock, and ends what is too late, window by window.
	// With Late, a record that is late for one of its windows goes on there, too, before all else. In hopping and sliding windows, and
	// with emit = "final", it is followed by a Call, which happens for each window, and behind which rows of closed windows leave.
	Windows struct {
		OpBase
		Store *Store
		Input int   // of a cogroup: each has a clock of its own
		Late  *Func // nil: nobody reads late records
	}
	// Suppress holds the change at hand back. It is the last operation; the store's Flush goes on with what leaves.
	Suppress struct {
		OpBase
		*model.Suppress
		Store *Store
	}
	// Update runs a Count, Aggregate, Reduce or Fold (Step) on the row of the key (Raw). What changes nothing ends here. With emit =
	// "updates" and "final" it is the last operation and the store's Flush goes on; else Out has the table's value, and the row's
	// timestamp. Behind Windows the row is that of the window, and the key gets it. Of sliding windows and
	// sessions it is then followed by a Call; of sessions that happens for each one that goes, and then for the one that they become.
	Update struct {
		OpBase
		Store *Store
		Pairs bool // what comes is a record of two optional values, the new row of the group and the old one: that is taken away first

		Repeats bool // a row that stays as it was goes on all the same, and the delete of one that is not there
	}
	// RowFilter and RowMap are Filter and MapValues on the change of a row, and on the row that it replaces if that is at hand. A delete
	// stays one; a row that does not pass, is mapped to null or cannot be worked out is absent.
	RowFilter struct {
		OpBase
		*model.Filter
	}
	RowMap struct {
		OpBase
		*model.MapValues
	}
	// Differ ends a change that changes nothing: both rows are absent, or have the same value and timestamp.
	Differ struct{ OpBase }
	// Newest ends the change of a row with a history that is not the row of now: what stands behind knows no other rows.
	Newest struct {
		OpBase
		Joins bool // in front of a join
	}
	// JoinRows joins the change of a row of one side, Left or not, with the row of the other side.
	JoinRows struct {
		OpBase
		*model.TableJoin
		Left   bool
		Other  Rows
		Shared bool // the other row may have changed already, by what made this change: a Put behind knows what was sent
	}
	// Get begins a Func FromRows: the row of the key. Without one the Func ends, and if it has not left a suppress that sends each once.
	Get struct {
		OpBase
		Rows Rows
		Left *Store // nil: there is no such suppress
	}
	// GetJoined begins a Func FromRows: what the two sides of a join give.
	GetJoined struct {
		OpBase
		*model.TableJoin
		Left, Right Rows
	}
	// Regroup sends the change of a row to its groups: to one, with the new row and the old one together; or if they differ to that of
	// the old row first. It is the last operation of its Func.
	Regroup struct {
		OpBase
		*model.GroupBy
		Value model.Expr // what is grouped; nil: the row
		Topic *Topic
	}
	// Send writes to a topic, in the formats given: Raw in the same format passes through, else the typed form is encoded. Where
	// a format's type has an optional that the carry has not, nothing is null. A Func may go on behind it.
	Send struct {
		OpBase
		Topic      *Topic   // nil with Topics
		Topics     []*Topic // that Sink.Choice gives the name of one of
		Key, Value Format
		Sink       *model.Sink // nil for a repartition
	}
	// Choose is a branch: the first case that holds goes on in its Func. It is the last operation of its Func. At is set if
	// a record can match none of them.
	Choose struct {
		OpBase
		Cases []Choice
	}
	// Call goes on in each Func, in order. It is the last operation of its Func. Where In of a Func has an optional type and the
	// caller's carry has not, the caller's value is wrapped.
	Call struct {
		OpBase
		To []*Func
	}
)

// To is the topics that the operation may write to.
func (s *Send) To() []*Topic {
	if s.Topic == nil {
		return s.Topics
	}
	return []*Topic{s.Topic}
}

// Choice is a case of Choose. Where nil: the default. To nil: nothing reads the case.
type Choice struct {
	Case *model.Case
	At   *Position // nil if Where cannot fail
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
