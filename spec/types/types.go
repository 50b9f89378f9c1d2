// Package types is the language's type system: what a key, a value and an expression can be, when two types fit, and how
// a type is written. It is pure; the checker and the planner build on it.
package types

import "github.com/streamgen/streamgen/spec/diag"

// Type is one of Basic, *Decimal, *List, *Map, *Optional, *Windowed, *Record and *Enum. Types other than records and enums
// are equal if they are written alike; compare with Equal, never with ==.
type Type interface {
	String() string // as it is written in a spec
	typ()
}

// Basic is a type without parts.
type Basic uint8

// The basic types. Null is the type of the word null before its context gives it one.
const (
	Invalid Basic = iota // of an expression that was reported already: fits everything, so one cause gives one message
	Null
	String
	Bytes
	Bool
	Int32
	Int64
	Float32
	Float64
	Timestamp // milliseconds since the Unix epoch, as Kafka's record timestamps
	Duration  // milliseconds
	UUID
)

// The types with parts.
type (
	// Decimal is decimal(p, s).
	Decimal struct{ Precision, Scale int }
	// List is list(T).
	List struct{ Elem Type }
	// Map is map(string, V).
	Map struct{ Elem Type }
	// Optional is optional(T). T is never optional itself.
	Optional struct{ Elem Type }
	// Windowed is windowed(K): a key and the window that its row stands for. Size is the length of time and sliding windows in
	// milliseconds; of the other kinds it is 0.
	Windowed struct {
		Key  Type // never optional
		Kind Windows
		Size int64
	}
	// Record is a declared type, or an anonymous one with Name "" and Origin, the address of the first block that makes it. Of
	// anonymous records with the same fields a program holds one: their pointers are equal.
	Record struct {
		Name        string
		Origin      string
		Description string
		Fields      []Field // in wire order
		Go          *Struct // the user's struct that it is; nil: one is generated
		Pos         diag.Range
	}
	// Struct is a Go struct of the user's that a declared type adopts.
	Struct struct {
		Import  string // path of its package
		Package string // name of its package
		Name    string
		Fields  []string // in Go, in the order of the record's
	}
	// Enum is a declared enum.
	Enum struct {
		Name        string
		Description string
		Values      []string // in declaration order
		Pos         diag.Range
	}
)

// Field is a field of a Record.
type Field struct {
	Name string
	Type Type
	Pos  diag.Range
}
