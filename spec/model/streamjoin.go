package model

import (
	"time"

	"github.com/streamgen/streamgen/spec/diag"
)

// StreamJoin joins records of two streams that have one key and lie near each other in time: the right one is at most Before older
// than the left one and at most After younger. Null values are dropped. A side that is kept gives a record that meets nothing
// by itself, once its window and Grace have passed: the other side is optional then. So does one without a key, at once; on
// a side that is not kept it is dropped.
type StreamJoin struct {
	StepBase
	With                 Ref
	As                   string
	Left, Right          bool          // the sides that are kept
	Before, After, Grace time.Duration // Before or After may be negative, not their sum
	Value                Expr          // over key, value, As, and the time and headers of the result
	WithPos              diag.Range
}

// Kept says whether a side, 0 or 1, is kept.
func (s *StreamJoin) Kept(side int) bool { return [...]bool{s.Left, s.Right}[side] }
