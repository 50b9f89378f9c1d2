// Package model is the logical topology: what a spec means once every name is resolved and every expression has a type.
//
// It is the second of the compiler's four data types (tree → model → plan → files). The checker builds it and nothing
// changes it afterwards. It says nothing physical: no partitions, no topics of its own, no Go names.
package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/types"
)

// Program is a whole spec.
type Program struct {
	App       App
	Enums     []*types.Enum
	Records   []*types.Record // declared
	Anonymous []*types.Record // each once, by first use; nested ones before those that hold them
	Variables []*Variable
	Functions []*Function // of the user's
	Blocks    []*Block    // streams, tables, branches and global tables, in the order in which they stand in the files
	Sinks     []*Sink
}

// App is the block app.
type App struct {
	Label             string
	Description       string
	Guarantee         Guarantee
	Start             Start
	CommitInterval    time.Duration
	ReplicationFactor int           // 0: the broker's default
	TopicConfig       []ConfigEntry // for internal topics, in the order written
	DeadLetters       string        // the topic of records that cannot be processed, where a policy says so; "" if none does
	Pos               diag.Range
}

// ConfigEntry is one setting of a topic.
type ConfigEntry struct{ Key, Value string }

// Guarantee is the processing guarantee.
type Guarantee uint8

// The guarantees.
const (
	AtLeastOnce Guarantee = iota + 1
	ExactlyOnce
)

// Start is where a source begins that the group never read: earliest, latest, or Ago before the first start.
type Start struct {
	Kind StartKind
	Ago  time.Duration
}

// StartKind is the kind of a Start.
type StartKind uint8

// The kinds of a start.
const (
	Earliest StartKind = iota + 1
	Latest
	Ago
)

// Variable is a variable with its value fixed by the build, or Runtime.
type Variable struct {
	Label       string
	Description string
	Type        types.Type
	Default     Expr // a Const: the default, or what the build was given instead; nil: none
	Runtime     bool // read when the program starts; of the others nothing is left in expressions but their value
	Pos         diag.Range
}

// BlockKind tells streams, tables and branches apart.
type BlockKind uint8

// The kinds of block.
const (
	Stream BlockKind = iota + 1
	Table
	Branch
	GlobalTable
)

// Block is a stream, a table, a branch or a global table. Exactly one of Source and From is set.
type Block struct {
	Kind        BlockKind
	Label       string
	Description string
	Source      *Source // reads a topic
	From        []Ref   // reads other blocks; several: a merge
	Steps       []Step
	Cases       []*Case       // of a branch
	In, Out     Schema        // before the first step and behind the last one; a table's Out is its row
	Emit        Emit          // of a table with a making step
	Window      *Window       // of a table whose making step groups by time
	History     time.Duration // of a table: how long it knows what its rows were; 0: it knows those of now only
	Deletes     bool          // of a table: rows can go, so its changes, read as a stream, have an optional value
	OnError     OnError       // of a source for bad input, of a branch for bad logic; resolved: block, app
	Pos         diag.Range    // the header
}

// Address is kind.label, as written in a reference.
func (b *Block) Address() string { return b.Kind.String() + "." + b.Label }

// String is the word for the kind in a spec.
func (k BlockKind) String() string {
	return [...]string{"", "stream", "table", "branch", "global_table"}[k]
}

// Ref is a reference to what leaves a block; of a branch to one of its cases. What Schema gives may be less optional than the In of
// the reader: a merge unites T and optional(T).
type Ref struct {
	Block *Block
	Case  *Case // nil unless Block is a branch
	Late  bool  // of a table with windows: the records that came too late, as they came to the window
	Pos   diag.Range
}

// Schema is what the reader gets: of a table its changes, whose value is null for a delete.
func (r Ref) Schema() Schema {
	if r.Case != nil {
		return r.Case.Out
	}
	if r.Late {
		return r.Block.Window.Late
	}
	s := r.Block.Out
	if r.Block.Kind == Table && r.Block.Deletes {
		s.Value = types.OptionalOf(s.Value)
	}
	return s
}

// Address is what the reference says: "stream.orders", "branch.orders.big".
func (r Ref) Address() string {
	if r.Case != nil {
		return r.Block.Address() + "." + r.Case.Label
	}
	if r.Late {
		return r.Block.Address() + ".late"
	}
	return r.Block.Address()
}

// Case is one way out of a branch. Where is nil for the default, which stands last.
type Case struct {
	Label       string
	Description string
	Address     string // "branch.orders.big"
	Where       Expr
	Out         Schema // narrowed by Where and by the cases before it
	OnError     OnError
	Pos         diag.Range
}

// Schema is what flows at one point. A key that is not read is optional(bytes).
type Schema struct {
	Key, Value types.Type
}

// Source is where a block reads from the outside.
type Source struct {
	Topics      []string
	Pattern     string // instead of Topics
	Key, Value  Format
	Start       Start // App.Start unless overridden; a table begins at the beginning
	Time        *Time // the block time; nil: the records' own timestamps
	Bootstrap   bool  // of a table: read to its end before streams start
	Reuse       bool  // of a table: the topic is the changelog of its rows, too
	Partitioner string
}

// Format is a wire format and the type it carries.
type Format struct {
	Name     string     // string, bytes, bool, int16 (of type int32), int32, int64, float32, float64, uuid, json, windowed
	Inner    string     // of windowed: the format of the key within
	Optional bool       // optional(F): Kafka's null
	Type     types.Type // includes the optional
	JSON     *JSON      // of a json format with options, else nil
	Pos      diag.Range
}

// JSON is what a json format says beside its type.
type JSON struct {
	Rename []Rename // in the order of their paths
	Times  string   // how timestamps are written: "" as RFC 3339, unix_ms, unix_s
	Keep   bool     // fields that the type does not have are kept, and written again
}

// Rename gives a field another name on the wire. Path is the field, or the fields that lead to it, through lists and maps too:
// "order_id", "lines.sku".
type Rename struct{ Path, Name string }

// String is what stands behind the type in a spec: ", { times = \"unix_ms\" }"; "" without options.
func (j *JSON) String() string {
	if j == nil {
		return ""
	}
	var parts []string
	if len(j.Rename) > 0 {
		var names []string
		for _, r := range j.Rename {
			names = append(names, fmt.Sprintf("%s = %q", r.Path, r.Name))
		}
		parts = append(parts, "rename = { "+strings.Join(names, ", ")+" }")
	}
	if j.Times != "" {
		parts = append(parts, fmt.Sprintf("times = %q", j.Times))
	}
	if j.Keep {
		parts = append(parts, `unknown = "keep"`)
	}
	return ", { " + strings.Join(parts, ", ") + " }"
}

// Equal tells whether both write the same. Nil is a format without options.
func (j *JSON) Equal(k *JSON) bool {
	if j == nil || k == nil {
		return j == k
	}
	return j.Times == k.Times && j.Keep == k.Keep && slices.Equal(j.Rename, k.Rename)
}

// Emit says what leaves a making step.
type Emit uint8

// The emissions.
const (
	EmitUpdates Emit = iota + 1 // the last state of each row changed since the last commit, in order of first change
	EmitEvery                   // each change
	EmitFinal                   // one result a window, when it is closed
)

// GoesOn tells whether the program goes on behind the record.
func (e OnError) GoesOn() bool { return e == Skip || e == DeadLetter }

// OnError is what happens to a record that a step cannot process. Zero: nothing was written.
type OnError uint8

// The policies.
const (
	Fail OnError = iota + 1
	Skip
	DeadLetter // it goes to App.DeadLetters
)

// Sink writes to a topic.
type Sink struct {
	Label       string
	Description string
	From        Ref
	Topic       string   // "" with Choice
	Topics      []string // that Choice gives the name of one of
	Choice      Expr     // the topic, a string; nil: Topic. If every branch of it is a constant, all of them are in Topics
	Partition   Expr     // to write to, an int64; nil: that of the key
	Key, Value  Format   // optional where In is: a null is written as null
	In          Schema
	AsKey       Expr    // In.Key as Key.Type; nil if they are equal
	AsValue     Expr    // In.Value as Value.Type; nil if they are equal
	OnError     OnError // for bad logic: NaN has no JSON
	Refused     OnError // for records that the broker refuses: Fail, DeadLetter, or if nothing was written zero, which is Fail
	Pos         diag.Range
}

// Address is sink.label.
func (s *Sink) Address() string { return "sink." + s.Label }
