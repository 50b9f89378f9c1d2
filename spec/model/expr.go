package model

import (
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/types"
)

// Expr is an expression with its type. Every implicit conversion is a node of its own, so that nobody behind the checker
// has to know the typing rules. The set of implementations is closed.
type Expr interface {
	Base() *ExprBase
	expr()
}

// ExprBase is what all expressions have.
type ExprBase struct {
	Type     types.Type
	Fallible bool // evaluating it, or a part of it, can fail
	Pos      diag.Range
}

// Base implements Expr.
func (b *ExprBase) Base() *ExprBase { return b }
func (*ExprBase) expr()             {}

// Root is what a Var names.
type Root uint8

// The roots of a scope.
const (
	RootKey Root = iota + 1
	RootValue
	RootTimestamp
	RootHeaders
	RootAgg      // the state, in reduce
	RootJoin     // the row that a join's "as" names
	RootPrevious // the row that a change of a table replaced: optional
	RootVariable // a runtime variable; Name is its label
	RootLocal    // a loop variable of a for expression

	// Where the record was read from. They are there until it is re-written: the planner says where that is.
	RootTopic
	RootPartition
	RootOffset
)

// IsOrigin tells whether r says where the record was read from.
func (r Root) IsOrigin() bool { return r == RootTopic || r == RootPartition || r == RootOffset }

// The expressions.
type (
	// Const is a literal. Value is string, bool, int64, float64, []byte, or nil for null and of a list or a map for an empty one; of an enum the index of the value as
	// int64; of a timestamp or a duration milliseconds as int64; of a decimal its coefficient as *big.Int; of a UUID a [16]byte.
	Const struct {
		ExprBase
		Value any
	}
	// Var is a name of the scope.
	Var struct {
		ExprBase
		Root Root
		Name string // of RootJoin, RootVariable, RootLocal
	}
	// AggRef is the result of aggregator number Index of the Aggregate it stands in.
	AggRef struct {
		ExprBase
		Index int
	}
	// Field is X.Name; X is a record, never optional.
	Field struct {
		ExprBase
		X    Expr
		Name string
	}
	// Header is headers["Key"]: optional(bytes), the last of that name.
	Header struct {
		ExprBase
		Key string
	}
	// List is [a, b], with at least one item. Items are of the element type of the node's type.
	List struct {
		ExprBase
		Items []Expr
	}
	// Dict is { "a" = x, (e) = y } as a map: strings, and values of the element type of the node's type. Of equal keys the last one counts.
	Dict struct {
		ExprBase
		Keys, Values []Expr
	}
	// Index is X[Key]: the element of a list at a place, or of a map by its key. It is Fallible: there may be none.
	Index struct {
		ExprBase
		X, Key Expr
	}
	// For is [for Place, Item in X : Value if If], or with Key {for Place, Item in X : Key => Value if If}. Place is the key of a map
	// or the index of a list. Both are Vars of RootLocal in If, Key and Value, "" if they are not named; no name is that of another
	// variable in scope. If may be nil. Of equal keys the last one counts.
	For struct {
		ExprBase
		X              Expr
		Place, Item    string
		If, Key, Value Expr
	}
	// Unary is -X or !X. Negation of integers is checked.
	Unary struct {
		ExprBase
		Op string
		X  Expr
	}
	// Binary has operands of one type (but for timestamp ± duration and products of decimals). + - * of integers and of decimals are
	// checked where types.DecimalOverflows: an overflow is bad logic although the node is not Fallible. / and % of integers are Fallible unless R is a constant other than zero.
	Binary struct {
		ExprBase
		Op   string
		L, R Expr
	}
	// Cond is C ? Then : Else, both of the node's type.
	Cond struct {
		ExprBase
		If, Then, Else Expr
	}
	// IsNull is X == null, or with Not X != null. X is optional.
	IsNull struct {
		ExprBase
		X   Expr
		Not bool
	}
	// Unwrap is X, optional but known not to be null here.
	Unwrap struct {
		ExprBase
		X Expr
	}
	// Wrap is X, made optional.
	Wrap struct {
		ExprBase
		X Expr
	}
	// Convert is a conversion to the node's type: widening, to string, or a written one, which may be Fallible. Between records it
	// goes field by field, by name, and makes T optional(T) where the node's type wants that; records of names and fields alone
	// (paths, New) are taken apart by the checker instead.
	Convert struct {
		ExprBase
		X Expr
	}
	// Call is a function of the library.
	Call struct {
		ExprBase
		Func string
		Args []Expr
	}
	// Try is X, or Fallback where evaluating X fails.
	Try struct {
		ExprBase
		X, Fallback Expr
	}
	// Concat is a template: its parts, all strings.
	Concat struct {
		ExprBase
		Parts []Expr
	}
	// New is a record of the node's type: one expression a field, in field order.
	New struct {
		ExprBase
		Fields []Expr
	}
	// Merge is X with some fields replaced, added or left out. Fields of the node's type that Set does not name come from X by name
	// and have the type that they have there.
	Merge struct {
		ExprBase
		X   Expr
		Set []FieldSet
	}
)

// FieldSet is one field of a Merge.
type FieldSet struct {
	Name  string
	Value Expr
}
