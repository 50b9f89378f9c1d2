package model

import (
	"time"

	"github.com/streamgen/streamgen/spec/diag"
)

// Time says what the event time of a source's records is: Field, the wall clock at arrival (Processing), or if there is neither their
// timestamp.
type Time struct {
	Field      Expr // a timestamp, over the record; may be Fallible. Of a table, a delete has its record's timestamp
	Processing bool
	OnInvalid  OnInvalid     // of a time that is negative or cannot be read; zero: nothing is written of times that would be looked at
	MaxFuture  time.Duration // a record beyond the wall clock and this is bad input; 0: there is no bound
	Idle       time.Duration // how long a partition has to be silent for stream time to pass; 0: it does not
	NeverIdle  bool          // written: no record, no time
	AnyFuture  bool          // written: no time is too far ahead
	Address    string        // "stream.events.time"
	Pos        diag.Range
}

// OnInvalid is what becomes of a record without a time.
type OnInvalid uint8

// The policies.
const (
	InvalidFails         OnInvalid = iota + 1
	InvalidSkips                   // counted
	InvalidPartitionTime           // it has the greatest time of its partition so far; without one it fails
	InvalidBuries                  // a dead letter
)

// String is the word of a spec.
func (o OnInvalid) String() string {
	return [...]string{"", "fail", "skip", "partition_time", "dead_letter"}[o]
}
