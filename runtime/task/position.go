package task

// At is a step of the spec, as an index into the topology's positions.
type At uint16

// Position is where a step stands in the spec, and what happens to a record it cannot process.
type Position struct {
	Address string // "stream.enriched.join.customer"
	File    string
	Line    int
	Column  int
	OnError OnError
}

// OnError is an error policy.
type OnError uint8

// The policies. Zero is Fail.
const (
	Fail OnError = iota
	Skip
	DeadLetter // to Config.DeadLetters
)

// Class says whose fault an error is. Only these may be skipped.
type Class uint8

// The classes.
const (
	BadInput Class = iota + 1
	BadLogic
	SinkRefused
)
