package state

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// expired are ranges of rows that have expired, which Pebble holds still. They are cut out of its files, and not deleted by a write: that
// would lie in one file with the rows of its time, which so reaches from the oldest row to the newest and has to be compacted with
// all between, again and again. Without it files lie side by side by time, and most are written once more, if at all.
//
// A cut is on the disk at once. So it waits until what the rows have expired by is there, too: else a crash would leave a state that never was.
// Until then rows in a range do not count, and those that are staged go nowhere. What waits is not durable: stores let all that has
// expired do so again when they are opened.
type expired struct {
	waiting []Range
	next    []Range // those that expired up to a write
	write   uint64  // its number
	hidden  []Range // all of them; never changed, but replaced
}

// add adds a range, which most often goes on where another one ends. The caller holds Pebble.mu.
func (e *expired) add(r Range) {
	e.waiting = addRange(e.waiting, r)
	e.hide()
}

func (e *expired) hide() {
	e.hidden = slices.Clone(e.next)
	for _, r := range e.waiting {
		e.hidden = addRange(e.hidden, r)
	}
}

// addRange adds a copy of a range to a list, to one that it touches if there is one.
func addRange(list []Range, r Range) []Range {
	for i := range list {
		if l := &list[i]; bytes.Compare(l.From, r.From) <= 0 && bytes.Compare(r.From, l.To) <= 0 {
			if bytes.Compare(l.To, r.To) < 0 {
				l.To = bytes.Clone(r.To)
			}
			return list
		}
	}
	return append(list, Range{From: bytes.Clone(r.From), To: bytes.Clone(r.To)})
}

// covering is the range in which a key lies, or nil.
func covering(list []Range, key []byte) *Range {
	for i := range list {
		if r := &list[i]; bytes.Compare(r.From, key) <= 0 && bytes.Compare(key, r.To) < 0 {
			return r
		}
	}
	return nil
}

// cut cuts what has waited for long enough. It is called behind a write, with Pebble.apply held.
func (p *Pebble) cut() error {
	e := &p.expired
	if len(e.hidden) == 0 {
		return nil
	}
	if len(e.next) > 0 {
		durable, err := p.durable()
		if err != nil || durable < e.write {
			return err
		}
		for _, r := range e.next {
			if err := p.db.Excise(context.Background(), pebble.KeyRange{Start: r.From, End: r.To}); err != nil {
				return p.fault(err)
			}
		}
	}
	p.mu.Lock()
	e.next, e.waiting, e.write = e.waiting, nil, p.writes
	e.hide()
	p.mu.Unlock()
	return nil
}

// durable is the number of the last write that a crash would leave.
func (p *Pebble) durable() (uint64, error) {
	it, err := p.db.NewIter(&pebble.IterOptions{LowerBound: writeKey, UpperBound: append(slices.Clip(writeKey), 0), OnlyReadGuaranteedDurable: true})
	if err != nil {
		return 0, p.fault(err)
	}
	var n uint64
	if it.First() {
		n = binary.BigEndian.Uint64(it.Value())
	}
	if err := it.Close(); err != nil {
		return 0, p.fault(err)
	}
	return n, nil
}

// settle deletes what has expired in a batch, and so in order with what it holds besides.
func (p *Pebble) settle(b *pebble.Batch) error {
	for _, r := range p.expired.hidden {
		if err := b.DeleteRange(r.From, r.To, nil); err != nil {
			return p.fault(err)
		}
	}
	return nil
}
