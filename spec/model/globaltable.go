package model

import "github.com/streamgen/streamgen/spec/diag"

// GlobalJoin looks a record up in a global table, by the key that On gives: any task of any partition has all its rows. Null values
// are dropped, and so are, unless Left, records with a null On or without a row: with Left As is optional. Keys and where records lie
// stay as they are.
type GlobalJoin struct {
	StepBase
	With    *Block
	As      string
	Left    bool
	On      Expr // over the record
	Value   Expr // over the record and As
	WithPos diag.Range
}

// HoldsRows says whether the block is a table of any kind.
func (b *Block) HoldsRows() bool { return b.Kind == Table || b.Kind == GlobalTable }
