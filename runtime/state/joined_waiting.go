package state

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"
	"unsafe"
)

// How rows of a join wait for their null results. They leave in the order of their moments: by timestamp, then key bytes and arrival.
//
// Those in memory stand in a queue. The backend lists all that are committed, in the order in which they leave. An entry has no value:
//
//	store id with its highest bit · timestamp · key · sequence
//
// where the key is written so that it ends before any that begins with it. A row is listed when it is written for the first time, unless it
// has met something by then, and no more once it has. Entries of rows that have left are deleted by ranges. Memory needs the next few
// entries of keys that it does not have, and nothing of the list as long as it has all keys. The list follows from the rows: the changelog
// does not hold it, and a restore makes it anew.

// listedPart is how many entries are read at a time.
const listedPart = 1 << 10

// listedAhead is into how many parts the time is divided that rows wait: of entries it is read as far ahead. What was committed just now
// may be left in peace by that.
const listedAhead = 16

// joinedMoment is when a row leaves.
type joinedMoment struct {
	timestamp int64
	key       []byte
	seq       uint64
}

func (m *joinedMoment) compare(timestamp int64, key []byte, seq uint64) int {
	if m.timestamp != timestamp {
		return cmp.Compare(m.timestamp, timestamp)
	}
	if c := bytes.Compare(m.key, key); c != 0 {
		return c
	}
	return cmp.Compare(m.seq, seq)
}

// set copies the key.
func (m *joinedMoment) set(timestamp int64, key []byte, seq uint64) {
	m.timestamp, m.key, m.seq = timestamp, append(m.key[:0], key...), seq
}

// moment is when a row leaves; its key is valid as long as the row is.
func (j *Joined) moment(r *joinedRow) joinedMoment {
	return joinedMoment{r.timestamp, j.keys.key(j.keys.row(r.key)), r.seq}
}

// joinedList are the rows of a side that wait and whose keys are not in memory.
type joinedList struct {
	entries []listedRow // in order
	next    int
	keys    []byte
	until   joinedMoment // no entry of such a row lies between the last one that was read and this; the end of time: none lies behind either
	last    int64        // time behind which there is no such row
	left    joinedMoment // of the row of the side that left last

	cut     []byte       // backend key up to which entries are deleted; nil: none is
	gone    []listedGone // rows that have left in the epoch being processed
	bytes   []byte       // their backend keys
	row     []byte       // the one that leaves
	scratch []byte
}

// listedRow is an entry.
type listedRow struct {
	timestamp int64
	seq       uint64
	from, to  uint32 // of keys
}

// listedGone is a row that was not in memory when it left.
type listedGone struct {
	timestamp int64
	from, to  uint32 // of bytes
}

func (l *joinedList) key(e *listedRow) []byte { return l.keys[e.from:e.to:e.to] }

// first is a time before which none of the rows leaves.
func (l *joinedList) first() int64 {
	if l.next < len(l.entries) {
		return l.entries[l.next].timestamp
	}
	return l.until.timestamp
}

// look finds out which row is listed first, in a backend that was opened just now.
func (l *joinedList) look(sd *joinedSide) error {
	list := wholeStore(sd.entry.ID | deadlineStore)
	err := sd.joined.stores.backend.Scan(list.From, list.To, func(entry, _ []byte) error {
		if err := l.readUntil(entry); err != nil {
			return err
		}
		l.last = sd.clock.Time
		return errFound
	})
	if err == errFound {
		return nil
	}
	return err
}

// readUntil makes an entry the one at which the list is read on.
func (l *joinedList) readUntil(entry []byte) (err error) {
	l.until.timestamp, l.until.key, l.until.seq, err = splitListed(l.until.key[:0], entry)
	return err
}

// oldest is a time before which no row of the side waits.
func (sd *joinedSide) oldest() int64 {
	return min(sd.listed.first(), sd.waiting.oldest())
}

// place is where a row is that leaves.
type place uint8

const (
	nowhere  place = iota // there is none
	inMemory              // it is first in the queue
	inList                // it is first in the list
)

// dueRow is where the row of a side is that leaves next.
type dueRow struct {
	timestamp int64
	place     place
	row       uint32 // in memory
}

// due finds the row of the side that leaves next, if its time has come.
func (sd *joinedSide) due() (dueRow, error) {
	j, l := sd.joined, &sd.listed
	n := sd.waiting.first(before(j.stream.Time, sd.reach))
	for {
		for l.next < len(l.entries) && j.has(l.key(&l.entries[l.next])) {
			l.next++
		}
		next := dueRow{timestamp: l.until.timestamp}
		if l.next < len(l.entries) {
			next = dueRow{timestamp: l.entries[l.next].timestamp, place: inList}
		}
		if n != none && sd.earlier(j.rows.row(n), next) {
			next = dueRow{j.rows.row(n).timestamp, inMemory, n}
		}
		if !j.passed(next.timestamp, sd.reach) {
			return dueRow{}, nil
		}
		if next.place != nowhere {
			return next, nil
		}
		if err := sd.readOn(); err != nil {
			return dueRow{}, fmt.Errorf("store %q: read what waits: %w", sd.entry.Name, err)
		}
	}
}

// earlier says whether a row leaves before what the list has next, or whatever is to be read.
func (sd *joinedSide) earlier(r *joinedRow, next dueRow) bool {
	if r.timestamp != next.timestamp {
		return r.timestamp < next.timestamp
	}
	l, m := &sd.listed, sd.joined.moment(r)
	if next.place == inList {
		e := &l.entries[l.next]
		return m.compare(e.timestamp, l.key(e), e.seq) < 0
	}
	return m.compare(l.until.timestamp, l.until.key, l.until.seq) < 0
}

// has says whether the rows of a key are in memory.
func (j *Joined) has(key []byte) bool {
	k, _ := j.keys.find(hashOf(key), key)
	return k != nil
}

// overdue says whether there may be a row whose time has come.
func (sd *joinedSide) overdue() bool { return sd.joined.passed(sd.oldest(), sd.reach) }

// leave lets the first row of the queue leave.
func (sd *joinedSide) leave(n uint32) {
	j := sd.joined
	r := j.rows.row(n)
	sd.waiting.remove(r)
	r.state = rowGone
	j.change(n, r)
	m := j.moment(r)
	sd.listed.left.set(m.timestamp, m.key, m.seq)
	j.left = Unmatched{Side: sd.side, Key: m.key, Row: j.rows.value(r), Timestamp: r.timestamp, Headers: j.rows.headers(r)}
}

// leaveListed lets the first row of the list leave, unless it has met something since that was read.
func (sd *joinedSide) leaveListed() (waited bool, err error) {
	j, l := sd.joined, &sd.listed
	e := &l.entries[l.next]
	key := l.key(e)
	from := len(l.bytes)
	l.bytes = j.appendKey(appendKey(l.bytes, sd.entry.ID, nil), e.timestamp, key, e.seq)
	stored, ok, err := j.stores.get(l.bytes[from:])
	switch {
	case err != nil:
		return false, fmt.Errorf("store %q: read the row of key %q at %d: %w", sd.entry.Name, key, e.timestamp, err)
	case !ok || len(stored) < TimestampLen+1:
		return false, fmt.Errorf("store %q: the list of what waits has a row of key %q at %d that is not there", sd.entry.Name, key, e.timestamp)
	}
	l.next++
	if stored[TimestampLen]&joinedMatched != 0 {
		l.bytes = l.bytes[:from]
		return false, nil
	}
	l.row = append(l.row[:0], stored[TimestampLen:]...)
	l.gone = append(l.gone, listedGone{e.timestamp, uint32(from), uint32(len(l.bytes))})
	j.dirty += int64(len(l.bytes)-from) + int64(unsafe.Sizeof(listedGone{}))
	l.left.set(e.timestamp, key, e.seq)
	head := headersLen(l.row)
	j.left = Unmatched{Side: sd.side, Key: key, Row: l.row[1+head:], Timestamp: e.timestamp}
	if head > 0 {
		j.left.Headers, _ = readHeaders(bytes.Clone(l.row[1 : 1+head]))
	}
	return true, nil
}

// readOn reads the next part of the list.
func (sd *joinedSide) readOn() error {
	j, l := sd.joined, &sd.listed
	l.entries, l.next, l.keys = l.entries[:0], 0, l.keys[:0]
	end := after(after(before(j.stream.Time, sd.reach), max(1, sd.reach/listedAhead)), 1)
	from := appendListed(nil, sd.entry.ID, l.until.timestamp, l.until.key, l.until.seq)
	to := appendTime(appendKey(nil, sd.entry.ID|deadlineStore, nil), end)
	n := 0
	err := j.stores.backend.Scan(from, to, func(entry, _ []byte) error {
		if n++; n > listedPart {
			if err := l.readUntil(entry); err != nil {
				return err
			}
			return errEnough
		}
		at := len(l.keys)
		var e listedRow
		var err error
		if e.timestamp, l.keys, e.seq, err = splitListed(l.keys, entry); err != nil {
			return err
		}
		if e.from, e.to = uint32(at), uint32(len(l.keys)); j.has(l.key(&e)) {
			l.keys = l.keys[:at]
			return nil
		}
		l.entries = append(l.entries, e)
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	if err != nil {
		l.entries = l.entries[:0] // it is read anew
		return err
	}
	if end > l.last {
		end, l.last = math.MaxInt64, math.MinInt64
	}
	l.until.set(end, nil, 0)
	return nil
}

// evicted notes that the key of a row that waits leaves memory: the list is read again from it on.
func (l *joinedList) evicted(m joinedMoment) {
	l.last = max(l.last, m.timestamp)
	if l.until.compare(m.timestamp, m.key, m.seq) <= 0 {
		return
	}
	n := sort.Search(len(l.entries)-l.next, func(i int) bool {
		e := &l.entries[l.next+i]
		return m.compare(e.timestamp, l.key(e), e.seq) <= 0
	})
	l.entries = l.entries[:l.next+n]
	l.until.set(m.timestamp, m.key, m.seq)
}

// freeze adds that rows have left.
func (l *joinedList) freeze(f *Frozen, store uint16) {
	for _, g := range l.gone {
		f.change(store, l.bytes[g.from+PrefixLen:g.to], g.timestamp)
	}
	l.gone, l.bytes = l.gone[:0], l.bytes[:0]
	if l.left.timestamp == math.MinInt64 {
		return
	}
	if l.cut == nil {
		l.cut = appendKey(nil, store|deadlineStore, nil)
	}
	l.scratch = append(appendListed(l.scratch[:0], store, l.left.timestamp, l.left.key, l.left.seq), 0)
	if bytes.Equal(l.cut, l.scratch) {
		return
	}
	f.Ranges = append(f.Ranges, Range{From: f.arena.Keep(append(f.arena.Tail(), l.cut...)), To: f.arena.Keep(append(f.arena.Tail(), l.scratch...))})
	l.cut, l.scratch = l.scratch, l.cut
}

// reset knows nothing of what the backend lists.
func (l *joinedList) reset() {
	l.entries, l.next, l.keys, l.gone, l.bytes, l.cut = l.entries[:0], 0, l.keys[:0], l.gone[:0], l.bytes[:0], nil
	l.until.timestamp, l.last, l.left.timestamp = math.MaxInt64, math.MinInt64, math.MinInt64
}

// memory is the number of bytes it holds.
func (l *joinedList) memory() int64 {
	return int64(cap(l.entries))*int64(unsafe.Sizeof(listedRow{})) + int64(cap(l.gone))*int64(unsafe.Sizeof(listedGone{})) + int64(cap(l.keys)+cap(l.bytes)+cap(l.row))
}

// listWaiting adds that a row waits, or waits no more.
func (f *Frozen) listWaiting(store uint16, timestamp int64, key []byte, seq uint64, waits bool) {
	c := Change{Key: f.arena.Keep(appendListed(f.arena.Tail(), store, timestamp, key, seq)), Store: store | deadlineStore, unlogged: true}
	if waits {
		c.Row = []byte{}
	}
	f.Changes = append(f.Changes, c)
}

// listRestoredWaiting adds which of the rows in f wait, that come from a changelog.
func (f *Frozen) listRestoredWaiting(s Schema) {
	for _, c := range f.Changes {
		if key, timestamp, seq, err := splitJoined(c.Key[PrefixLen:]); err == nil {
			f.listWaiting(s.ID, timestamp, key, seq, joinedWaits(c.Row))
		}
	}
}

// joinedWaits says whether a row of the backend waits.
func joinedWaits(row []byte) bool {
	return len(row) > TimestampLen && row[TimestampLen]&joinedMatched == 0
}

// appendListed appends the backend key of an entry. A zero byte of the key is followed by a one, and one that is followed by another ends it.
func appendListed(dst []byte, store uint16, timestamp int64, key []byte, seq uint64) []byte {
	dst = appendTime(appendKey(dst, store|deadlineStore, nil), timestamp)
	for {
		i := bytes.IndexByte(key, 0)
		if i < 0 {
			break
		}
		dst = append(append(dst, key[:i+1]...), 1)
		key = key[i+1:]
	}
	return binary.BigEndian.AppendUint64(append(append(dst, key...), 0, 0), seq)
}

// splitListed takes the backend key of an entry apart. The key is appended to dst.
func splitListed(dst, entry []byte) (timestamp int64, key []byte, seq uint64, err error) {
	if len(entry) < PrefixLen+timeLen+2+timeLen {
		return 0, dst, 0, errShort
	}
	timestamp = readTime(entry[PrefixLen:])
	rest, end := entry[PrefixLen+timeLen:], len(entry)-timeLen
	for {
		i := bytes.IndexByte(rest, 0)
		if i < 0 || i+1 == len(rest) {
			return 0, dst, 0, errShort
		}
		dst = append(dst, rest[:i]...)
		if rest[i+1] == 0 {
			break
		}
		dst = append(dst, 0)
		rest = rest[i+2:]
	}
	return timestamp, dst, binary.BigEndian.Uint64(entry[end:]), nil
}
