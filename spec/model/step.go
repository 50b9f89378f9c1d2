package model

import (
	"time"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/types"
)

// Step is one step of a block. The set of implementations is closed.
type Step interface {
	Base() *StepBase
	step()
}

// StepBase is what all steps have. In is what arrives, Out what leaves. A step that drops null keys or values (repartition, join,
// making steps) does so before its expressions are evaluated: their key and value are not optional although those of In may be.
type StepBase struct {
	Address string // "stream.enriched.join.customer", "table.failures.count"; unique: a repeated kind counts "filter", "filter2"
	In, Out Schema
	OnError OnError // resolved: step, block, app; zero if none of them says anything
	Pos     diag.Range
}

// Base implements Step.
func (b *StepBase) Base() *StepBase { return b }
func (*StepBase) step()             {}

// The steps.
type (
	// Filter passes what Where holds for; with Not, what it does not hold for.
	Filter struct {
		StepBase
		Where Expr
		Not   bool
	}
	// MapValues replaces the value.
	MapValues struct {
		StepBase
		Value Expr
	}
	// SelectKey replaces the key.
	SelectKey struct {
		StepBase
		Key Expr
	}
	// Map replaces what is given; nil leaves as it is.
	Map struct {
		StepBase
		Key, Value, Timestamp Expr
		Headers               []HeaderSet
	}
	// FlatMapValues makes a record of each element of a list, with that as its value.
	FlatMapValues struct {
		StepBase
		Each Expr // a list
	}
	// FlatMap makes a record of each element of a list. An element is a record with at least one of the fields key and value, and
	// perhaps timestamp and headers; what it lacks is that of the record that came. Headers is a record too: each field, which is bytes
	// or optional(bytes), sets the header of its name, or if it is null removes it.
	FlatMap struct {
		StepBase
		Each Expr // a list of records
	}
	// Peek writes a log line. Message is a string.
	Peek struct {
		StepBase
		Message Expr
		Level   string // debug, info, warn, error
	}
	// Repartition is the explicit one. Partitions 0: those of the source.
	Repartition struct {
		StepBase
		Label      string
		Partitions int
	}
	// Dedup passes one record of each By within a time: the first to arrive, and others whose timestamp is farther than Within from
	// that of each that passed. Stream time ends the memory of those. A null By passes.
	Dedup struct {
		StepBase
		By     Expr
		Within time.Duration
	}
	// Join looks a record up in a table. Null values are dropped. Left keeps records without a key or without a row: As is optional
	// then; else they are dropped.
	Join struct {
		StepBase
		With    *Block
		As      string
		Left    bool
		Waits   bool // the record waits until stream time is Grace beyond it, and meets the row of its own time: With has a history
		Grace   time.Duration
		Value   Expr // over the record and As
		WithPos diag.Range
	}
	// TableJoin joins rows with those of another table. Without On they meet by their keys. With On, the foreign key, the row that On
	// names the key of is met; a null On meets none. Null is what is not there: As unless the join is Inner, and of an Outer one value.
	TableJoin struct {
		StepBase
		With    *Block
		As      string
		Kind    JoinKind
		On      Expr // over the left row; nil: the key
		Value   Expr // over the left row and As
		WithPos diag.Range
	}
	// GroupBy re-keys for the making step behind it, which drops null keys. Rows are grouped anew: what a row leaves its group with, and
	// what it joins one with, travel together. One with a null key or value is in no group.
	GroupBy struct {
		StepBase
		Key   Expr
		Value Expr // of rows: what is grouped; nil: the row
		Rows  bool
	}
	// ToTable makes a table of the latest value of each key; a null deletes. Like all making steps it drops null keys.
	ToTable struct{ StepBase }
	// Count counts records. Like Aggregate and Reduce it drops null values, unless the block has a Window that takes them.
	// Behind the group_by of rows it counts those that are in the group, like Aggregate; a group without any has a row only with
	// KeepZero.
	Count struct {
		StepBase
		KeepZero bool
	}
	// Aggregate keeps the state of its aggregators; the row is Value over them.
	Aggregate struct {
		StepBase
		Aggregators []*Aggregator
		Value       Expr // over AggRef, variables and constants
		KeepZero    bool
	}
	// Reduce folds values of one type: the first is stored as it is, then Add over agg and value. A null where there is no row
	// makes none. Behind the group_by of rows Remove takes away what leaves the group.
	Reduce struct {
		StepBase
		Add, Remove Expr // Remove nil: of a stream
	}
	// Fold keeps a state of its own type: a row begins as Init, and Add over agg and value makes the next state. Behind the group_by of a
	// table Remove takes away what leaves the group. An optional Add or Remove may give null: the row goes. Sessions that meet become
	// Merge over left and right, which begins with Init as left.
	Fold struct {
		StepBase
		Init, Add, Remove Expr // Remove nil: of a stream
		Merge             Expr // of sessions, else nil
	}
	// Cogroup is a Fold of several inputs into one state. What each adds is a Fold of its own, with the same Init and Merge; the refs of
	// the block are theirs, in the same order.
	Cogroup struct {
		StepBase
		Init, Merge Expr // Merge nil unless of sessions
		Inputs      []*Fold
	}
	// Suppress holds changes of a table back: those of windows until they close (Close), else each for Limit of event time since the first
	// that has not left. With a bound, what does not fit leaves early or, with Stop, stops the task.
	Suppress struct {
		StepBase
		Close                bool
		Limit                time.Duration
		MaxRecords, MaxBytes int64 // 0: no bound
		Stop                 bool
	}
	// Store names the state of what stands above it. Label is global in the app.
	Store struct {
		StepBase
		Label     string
		TTL       time.Duration // so long behind its timestamp a row ends; 0: it does not
		Unbounded string        // why it may grow
	}
)

// JoinKind says which rows give a result without a partner.
type JoinKind uint8

// The kinds of join.
const (
	Inner JoinKind = iota + 1
	LeftJoin
	Outer
)

// String is the step of a spec.
func (k JoinKind) String() string { return [...]string{"", "join", "left_join", "outer_join"}[k] }

// HeaderSet sets a header, or removes it if Value is nil.
type HeaderSet struct {
	Name  string
	Value Expr
}

// Aggregator is one call of an aggregator within an Aggregate.
type Aggregator struct {
	Func string // count, sum, avg, variance, min, max, first, last, argmin, argmax, collect_list, collect_set, top_n, distinct, quantile,
	// approx_distinct
	Arg   Expr       // nil: count()
	By    Expr       // of argmin, argmax and top_n: what is compared; nil: Arg
	Share float64    // of quantile
	Most  int64      // of those that collect values: how many at most
	Type  types.Type // of the result. Arg has this type but for count (bool), avg (a number), distinct, and those that give a list of it
	Pos   diag.Range
}
