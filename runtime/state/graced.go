package state

import (
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/temporal"
)

// Graced holds the records of a stream that wait until late rows of a table have come: a record leaves when stream time is grace beyond
// it, by timestamp, then key bytes and arrival. They are the left rows of a join that has no right ones, and waits a
// millisecond less, as they leave at that time and not behind it.
type Graced struct{ joined *Joined }

// NewGraced makes the store with that id.
func NewGraced(s *Stores, id uint16, grace temporal.Duration) *Graced {
	return &Graced{NewJoined(s, id, id, Within{Before: temporal.Millisecond, After: -temporal.Millisecond, Grace: grace}, KeepsLeft)}
}

// Due moves stream time to timestamp, unless it is there, and returns the next record that leaves, or nil. To be called, until there
// is none, for each record, before that waits.
func (g *Graced) Due(timestamp int64) (*Unmatched, error) { return g.joined.Due(timestamp) }

// Wait lets a record wait. value and headers are copied. False: it is so late that it leaves at once.
func (g *Graced) Wait(key, value []byte, timestamp int64, headers []record.Header) (bool, error) {
	j := g.joined
	j.forget()
	n, err := j.find(key)
	if err != nil {
		return false, err
	}
	return j.Put(&Meeting{joined: j, key: n, side: Left, timestamp: timestamp}, value, headers) != Alone, nil
}
