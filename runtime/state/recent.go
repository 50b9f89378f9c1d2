package state

import (
	"encoding/binary"
	"errors"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// Recent remembers keys for a while of event time: the store of a step dedup. Its row of a key is when the key passed.
//
// A key that comes at a time no farther than within from the one at which it passed is seen; else it passes and is remembered.
// Stream time, the greatest time of all that came, ends the memory of what passed more than within before it. So at most one
// time a key is ever remembered: two that both passed are farther apart than within, and so is the older one from stream time.
// What comes too late to be remembered passes each time.
//
// What is forgotten is deleted bit by bit: rows that the backend holds are looked through in the order of their keys, a few for
// each that is new. A row that is still there does not count, so when it is deleted makes no difference to any result.
type Recent struct {
	*KeyValue[temporal.Timestamp]

	within int64
	clock  *Clock // stream time
	fresh  int    // keys remembered since the last look
	cursor []byte // backend key to look on from; nil: the beginning
	stale  [][]byte
}

const (
	lookAfter = 64 // remembered keys
	lookFor   = 4  // rows for each of them
)

// NewRecent makes the store with that id. Keys are remembered for within, in milliseconds.
func NewRecent(s *Stores, id uint16, c Codec[temporal.Timestamp], within temporal.Duration) *Recent {
	r := &Recent{KeyValue: NewKeyValue(s, id, c), within: int64(within)}
	r.clock = s.Clock(id, "stream time")
	return r
}

// Seen says whether key passed at a time within reach of timestamp. If not, it passes now.
func (r *Recent) Seen(key []byte, timestamp int64) (bool, error) {
	r.clock.Time = max(r.clock.Time, timestamp)
	oldest := r.oldest()
	row, existed, err := r.Update(key)
	switch {
	case err != nil:
		return false, err
	case existed && row.Timestamp >= oldest && apart(row.Timestamp, timestamp) <= uint64(r.within):
		r.Unchanged()
		return true, nil
	case timestamp < oldest:
		r.Unchanged()
		return false, nil
	}
	row.Value, row.Timestamp = temporal.Timestamp(timestamp), timestamp
	if r.fresh++; r.fresh >= lookAfter {
		err = r.forget(r.fresh * lookFor)
		r.fresh = 0
	}
	return false, err
}

// oldest is the earliest time that is remembered.
func (r *Recent) oldest() int64 {
	if r.clock.Time < Never+r.within {
		return Never
	}
	return r.clock.Time - r.within
}

// apart is how far two times are from each other.
func apart(a, b int64) uint64 {
	if a < b {
		a, b = b, a
	}
	return uint64(a) - uint64(b)
}

var errEnough = errors.New("enough")

// forget looks at the next n rows of the backend and deletes those whose memory has ended. The rows that passed since may be
// newer than the backend's.
func (r *Recent) forget(n int) error {
	all := wholeStore(r.entry.ID)
	if r.cursor == nil {
		r.cursor = all.From
	}
	oldest := r.oldest()
	r.stale = r.stale[:0]
	err := r.stores.backend.Scan(r.cursor, all.To, func(key, row []byte) error {
		if n--; n < 0 {
			r.cursor = append(r.cursor[:0:0], key...)
			return errEnough
		}
		if int64(binary.BigEndian.Uint64(row)) < oldest {
			r.stale = append(r.stale, append([]byte(nil), key[PrefixLen:]...))
		}
		return nil
	})
	switch {
	case err == nil:
		r.cursor = nil // from the beginning again
	case !errors.Is(err, errEnough):
		return err
	}
	for _, key := range r.stale {
		row, err := r.Get(key)
		if err != nil {
			return err
		}
		if row == nil || row.Timestamp >= oldest {
			continue
		}
		if _, err := r.Delete(key, row.Timestamp); err != nil {
			return err
		}
	}
	return nil
}
