package state

import (
	"fmt"
	"math"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/temporal"
)

// Within is the window of a join of two streams: a right row meets a left row if its timestamp is at most
// Before earlier and at most After later. One of them may be negative, which moves the window away from the left row. Grace is
// how long beyond it a row waits for a partner, and how long rows are held.
type Within struct{ Before, After, Grace temporal.Duration }

// held is how long a side holds its rows, by its own clock.
func (w Within) held() int64 { return int64(w.Before + w.After + w.Grace) }

// reach is how long a row of a side waits for a partner, by the clock of null results.
func (w Within) reach(s Side) int64 {
	if s == Left {
		return int64(w.After + w.Grace)
	}
	return int64(w.Before + w.Grace)
}

// Side is a side of a join.
type Side uint8

// The sides.
const (
	Left Side = iota
	Right
)

// Keeps says of which sides of a join a row that meets nothing gives a result, too.
type Keeps uint8

// What a join keeps.
const (
	KeepsNone Keeps = iota
	KeepsLeft
	KeepsRight
	KeepsBoth
)

func (k Keeps) side(s Side) bool { return k&(1<<s) != 0 }

// Joined is the state of a join of two streams: the rows of both sides for as long as one of the other side may meet them.
// Values are the bytes of the backend, written once when a row comes and read through views.
//
// Clocks. A side holds the rows that are younger than its own greatest timestamp less before, after and grace. Null results go by
// one clock over both sides: a left row that met nothing leaves when it is beyond timestamp + after + grace, a right row
// when it is beyond timestamp + before + grace. With its null result a row is deleted: what is held either met something or still
// waits. So the waiting rows say what is still to leave, and leaving may be interrupted anywhere.
//
// Layout. A store of a side has its rows under bucket · key · timestamp · sequence, where a bucket is half of the time that rows are
// held for. All rows of a key are a few short ranges, and what expired is deleted by buckets. In memory a key has either all
// of its rows that are held or wait, or none. Rows that wait are listed beside them in the order in which they leave (joined_waiting.go).
type Joined struct {
	stores *Stores
	within Within
	keeps  Keeps
	single bool // a stream joined with itself: both roles are played by the rows of the left side
	bucket int64
	sides  [2]joinedSide
	stream *Clock // of null results

	keys  table[joinedKey]
	rows  joinedRows
	begun bool
	hand  uint32 // the key that is looked at next, for rows that expired
	sweep uint32 // likewise, to be evicted
	key   []byte // scratch
	value []byte // scratch
	left  Unmatched

	dirty, flying int64 // memory of rows changed in the epoch being processed, and of those in the one in flight
}

// joinedSide is what belongs to one side.
type joinedSide struct {
	joined  *Joined
	side    Side
	entry   *entry
	clock   *Clock // greatest timestamp
	seq     *Clock // tells rows of one key and timestamp apart, in the order in which they came
	reach   int64  // how long a row of the side waits
	waiting waiting
	listed  joinedList
	changed []uint32 // rows, in the order of their first change in the epoch
	cut     int64    // buckets below are deleted
	cold    int64    // keys that are not in memory have no rows in later buckets; Never: they have none at all

	outdated outdated
	waits    struct{ frozen, applied int64 } // no row waits that is older
}

// joinedKey is a key with its rows, by side in the order of their timestamps, then of arrival.
type joinedKey struct {
	rows    [2]chain
	touched uint32 // the freeze that its last change goes with
}

// NewJoined makes the state of a join over the stores with those ids. A stream that is joined with itself has one store: left
// and right are the same then, and keeps is KeepsNone.
func NewJoined(s *Stores, left, right uint16, within Within, keeps Keeps) *Joined {
	j := &Joined{stores: s, within: within, keeps: keeps, single: left == right, bucket: max(1, within.held()/2)}
	for side, id := range [...]uint16{left, right} {
		if Side(side) == Right && j.single {
			j.sides[Right] = j.sides[Left]
			break
		}
		sd := &j.sides[side]
		*sd = joinedSide{joined: j, side: Side(side), reach: within.reach(Side(side)), cut: math.MinInt64, cold: Never}
		sd.waiting, sd.waits.applied = newWaiting(j, sd.side, sd.reach), math.MinInt64
		sd.listed.reset()
		sd.entry = s.add(id, sd)
		if keeps.side(Side(side)) && !sd.entry.Waits {
			panic(fmt.Sprintf("state: the database was opened without a list of what waits in store %q", sd.entry.Name))
		}
		sd.clock, sd.seq = s.Clock(id, "time"), s.Clock(id, "sequence")
		sd.outdated.mark(s.backend.Checkpoint(), id, sd.clock.Time)
	}
	j.stream = s.Clock(left, "stream time")
	return j
}

// Meeting is a record that came, on its way through the rows that it meets: those of the other side in its window that are
// held, by timestamp and then arrival. It is valid until the next one begins.
type Meeting struct {
	Met bool // it met a row

	joined    *Joined
	key       uint32
	side      Side
	timestamp int64
	at, next  uint32
	from, to  int64
}

// Meet begins the meeting of a record.
func (j *Joined) Meet(side Side, key []byte, timestamp int64) (Meeting, error) {
	if err := j.begin(); err != nil {
		return Meeting{}, err
	}
	j.forget()
	n, err := j.find(key)
	if err != nil {
		return Meeting{}, err
	}
	m := Meeting{joined: j, key: n, side: side, timestamp: timestamp, from: before(timestamp, int64(j.within.Before)), to: after(timestamp, int64(j.within.After))}
	if side == Right {
		m.from, m.to = before(timestamp, int64(j.within.After)), after(timestamp, int64(j.within.Before))
	}
	m.to = max(m.to, 0) // windows are cut at time 0, as in Kafka Streams: one that lies before it holds that instant
	m.from = max(m.from, j.other(side).held())
	m.Begin()
	return m, nil
}

// Begin goes back before the first row.
func (m *Meeting) Begin() {
	m.next = m.joined.keys.row(m.key).Value.rows[m.joined.other(m.side).side].head
}

// Next moves to the next row, which counts as matched from now on.
func (m *Meeting) Next() bool {
	j := m.joined
	for m.next != none {
		r := j.rows.row(m.next)
		if r.timestamp > m.to {
			return false
		}
		m.at, m.next = m.next, r.next
		if r.timestamp < m.from || r.state == rowGone {
			continue
		}
		m.Met = true
		if r.state == rowWaits {
			j.sides[r.side].waiting.remove(r)
			r.state = rowHeld
			j.change(m.at, r)
		}
		return true
	}
	return false
}

// Row is the value of the row, a view that is valid until the next meeting begins.
func (m *Meeting) Row() []byte { return m.joined.rows.value(m.joined.rows.row(m.at)) }

// Timestamp is that of the result: the greater one of the two rows.
func (m *Meeting) Timestamp() int64 {
	return max(m.timestamp, m.joined.rows.row(m.at).timestamp)
}

// Outcome is what becomes of a record that came.
type Outcome uint8

// The outcomes.
const (
	Kept  Outcome = iota // for the other side to meet, unless it has met something and is too old for that
	Late                 // it has met nothing, and what it could have met has left or is held no more
	Alone                // it has met nothing, and its window and grace have passed: its null result is due now
)

// Put ends a meeting: the record becomes a row of its side, with the bytes of its value and for a null result its headers, which
// are copied.
func (j *Joined) Put(m *Meeting, value []byte, headers []record.Header) Outcome {
	sd := j.own(m.side)
	sd.clock.Time = max(sd.clock.Time, m.timestamp)
	keeps := j.keeps.side(sd.side)
	if keeps && !m.Met && j.passed(m.timestamp, sd.reach) {
		return Alone
	}
	waits := keeps && !m.Met
	holds := m.timestamp >= sd.held()
	switch {
	case holds || waits:
		sd.put(m, value, headers, waits)
	case !m.Met:
		return Late
	}
	if !keeps && !m.Met && j.keeps != KeepsNone && j.passed(m.timestamp, j.within.held()) {
		return Late
	}
	return Kept
}

// passed says whether the clock of null results is beyond timestamp + reach.
func (j *Joined) passed(timestamp, reach int64) bool {
	return j.stream.Time != Never && after(timestamp, reach) < j.stream.Time
}

// Unmatched is a row whose null result is due. Key and Row are valid until the next meeting begins.
type Unmatched struct {
	Side      Side
	Key, Row  []byte
	Timestamp int64
	Headers   []record.Header
}

// Due moves the clock of null results to timestamp, unless it is there, and returns the next row whose null result leaves, or
// nil: by timestamp, right before left, then key bytes and arrival. The row is deleted. To be called, until there is none, for
// each record that moves the clock, before it meets anything.
func (j *Joined) Due(timestamp int64) (*Unmatched, error) {
	if err := j.begin(); err != nil {
		return nil, err
	}
	j.stream.Time = max(j.stream.Time, timestamp)
	for {
		l, err := j.sides[Left].due()
		if err != nil {
			return nil, err
		}
		r, err := j.sides[Right].due()
		if err != nil {
			return nil, err
		}
		sd, in := &j.sides[Right], r
		if l.place != nowhere && (r.place == nowhere || l.timestamp < r.timestamp) {
			sd, in = &j.sides[Left], l
		}
		switch in.place {
		case nowhere:
			return nil, nil
		case inMemory:
			sd.leave(in.row)
			return &j.left, nil
		}
		if waited, err := sd.leaveListed(); waited || err != nil {
			return &j.left, err
		}
	}
}

// own is the side that a record of s becomes a row of, other the one whose rows it meets.
func (j *Joined) own(s Side) *joinedSide {
	if j.single {
		return &j.sides[Left]
	}
	return &j.sides[s]
}

func (j *Joined) other(s Side) *joinedSide {
	if j.single {
		return &j.sides[Left]
	}
	return &j.sides[1-s]
}

// held is the earliest timestamp that the side holds.
func (sd *joinedSide) held() int64 {
	if sd.clock.Time == Never {
		return math.MinInt64
	}
	return after(before(sd.clock.Time, sd.joined.within.held()), 1)
}

// after and before are t + d and t - d, or the last and the first time there is.
func after(t, d int64) int64 {
	switch sum := t + d; {
	case d > 0 && sum < t:
		return math.MaxInt64
	case d < 0 && sum > t:
		return math.MinInt64
	default:
		return sum
	}
}

func before(t, d int64) int64 { return after(t, -d) }

// put makes a row.
func (sd *joinedSide) put(m *Meeting, value []byte, headers []record.Header, waits bool) {
	j := sd.joined
	sd.seq.Time = max(sd.seq.Time, -1) + 1
	j.value = j.value[:0]
	if waits && len(headers) > 0 {
		j.value = appendHeaders(j.value, headers)
	}
	head := len(j.value)
	j.value = append(j.value, value...)
	n, r := j.rows.add(j.value, uint32(head))
	r.timestamp, r.seq, r.key, r.side = m.timestamp, uint64(sd.seq.Time), m.key, sd.side
	j.link(n, r)
	if waits {
		sd.waiting.push(n, r)
	}
	j.note(n, r)
}

// change notes that a row is written with this epoch, unless it is noted.
func (j *Joined) change(n uint32, r *joinedRow) {
	if r.written == rowStored {
		r.written = rowChanged
		j.note(n, r)
	}
}

func (j *Joined) note(n uint32, r *joinedRow) {
	sd := &j.sides[r.side]
	sd.changed = append(sd.changed, n)
	j.keys.row(r.key).Value.touched = j.stores.frozen + 1
	j.dirty += j.rows.memoryOf(r)
}
