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
}

type lostRow[V any] struct {
	start   int64
	key     []byte // in the store
	row     Row[V]
	headers []record.Header
}

// update returns the row of a key, made anew.
func (l *lost[V]) update(start int64, key []byte) *Row[V] {
	r := l.byKey[string(key)]
	if l.was = (lostRow[V]{}); r != nil {
		l.was = *r
	} else {
		r = &lostRow[V]{start: start, key: append([]byte(nil), key...)}
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

// each calls f for the rows that it was not called for in this epoch.
func (l *lost[V]) each(f func(*lostRow[V]) error) error {
	for l.walked < len(l.rows) {
		r := l.rows[l.walked]
		l.walked++
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// reset begins an epoch.
func (l *lost[V]) reset() {
	if len(l.rows) > 0 {
		*l = lost[V]{}
	}
}
