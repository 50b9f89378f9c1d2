// Package diag is what the compiler says to its user: diagnostics with a stable code, a place in the spec and a hint.
//
// It is the leaf of the pipeline spec → model → plan → Go: every stage reports through a List, nothing else prints.
package diag

// Pos is a place in a file. Line and Column count from 1; Column counts bytes of the UTF-8
// source; Byte counts from 0.
type Pos struct{ Line, Column, Byte int }

// Range is a stretch of one file, End excluded.
type Range struct {
	File       string // slash-separated, as the user named it
	Start, End Pos
}

// Severity tells whether a build may go on.
type Severity uint8

// The severities. The zero value is not one.
const (
	Error Severity = iota + 1
	Warning
)

// Related is a second place that a diagnostic speaks of ("the other side is keyed here").
type Related struct {
	Range Range
	Text  string
}

// Diagnostic is one mistake and its way out.
type Diagnostic struct {
	Code     string // "SG1203", a row of Codes
	Severity Severity
	Summary  string // what is wrong, one line, no full stop
	Detail   string // why; may be empty
	Hint     string // what to write instead; may be empty
	Range    Range
	Related  []Related
}
