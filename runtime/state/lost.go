package state

import "github.com/streamgen/streamgen/runtime/record"

// lost are rows that an epoch makes in windows that have expired: of stores with several inputs, each with a clock of its own, where one
// input has brought rows beyond the retention and another one is in time for them still. They are worked out from nothing and go on,
// as in Kafka Streams; none is kept. A row that is made twice within an epoch goes on as it was made last.
type lost[V any] struct {
	rows   []*lostRow[V] // by their first change
	byKey  map[string]*lostRow[V]
	hand   *lostRow[V] // that of the last update
	was    lostRow[V]  // which was this before, unless it is the last one
	walked int
	given  bool // the row that next gave is at hand
}

type lostRow[V any] struct {
	start   int64
	key     []byte // in the store
	turn    int    // how many other rows changed before it
	row     Row[V]
	headers []record.Header
}

// update returns the row of a key, made anew when turn other rows had changed.
func (l *lost[V]) update(start int64, key []byte, turn int) *Row[V] {
	r := l.byKey[string(key)]
	if l.was = (lostRow[V]{}); r != nil {
		l.was = *r
	} else {
		r = &lostRow[V]{start: start, key: append([]byte(nil), key...), turn: turn}
		if l.byKey == nil {
			l.byKey = map[string]*lostRow[V]{}
		}
		l.byKey[string(key)] = r
		l.rows = append(l.rows, r)
	}
	r.row, r.headers, l.hand = Row[V]{}, nil, r
	return &r.row
}

// unchanged takes back the last update: what was made before stays.
func (l *lost[V]) unchanged() {
	switch {
	case l.hand == nil:
		return
	case l.was.key != nil:
		*l.hand = l.was
		return
	}
	l.rows = l.rows[:len(l.rows)-1]
	delete(l.byKey, string(l.hand.key))
	l.hand = nil
}

// changedBy keeps the headers of the record behind the last update.
func (l *lost[V]) changedBy(headers []record.Header) {
	if l.hand != nil {
		l.hand.headers = headers
	}
}

// next is the row that comes before the other one of that turn, and was not given in this epoch; nil: that one is next.
func (l *lost[V]) next(turn int) *lostRow[V] {
	if l.given = l.walked < len(l.rows) && l.rows[l.walked].turn <= turn; !l.given {
		return nil
	}
	l.walked++
	return l.rows[l.walked-1]
}

// reset begins an epoch.
func (l *lost[V]) reset() {
	if len(l.rows) > 0 {
		*l = lost[V]{}
	}
}
