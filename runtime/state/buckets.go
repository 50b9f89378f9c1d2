package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// buckets is how a store of sessions lies in the backend: by the bucket of time that a session ends in, then by key. A session that
// grows, as most do, so rewrites one row, and a delete is written only for those that grow into another bucket or become one. What has
// expired is a range still, and the rows of a key lie in the few buckets that sessions in time end in, without an index beside them.
// Rows lie at
//
//	store id · bucket · length of the key · key · start of the session · number
//
// and the time of a row is the end of its session. The number is not 0 only where a session has left and another one of its key, start
// and bucket was made of what came late.
//
// In memory rows are told apart by end, start, number and key.
type buckets struct {
	keys     *directory
	width    *Clock // milliseconds: saved with the rows, which a changed gap finds where they were
	want     int64  // the width of a store that has no rows
	expired  *Clock // rows that ended at it or before have expired, though their bucket may be there
	greatest *Clock // no session ends behind it

	closed  func() int64                                              // sessions that ended before it have left
	loaded  func(p *places, s span, row []byte) (n uint32, err error) // a row that was read on the way
	coming  coming
	listing listing
}

// placeLen is how much is in front of a key and behind it.
const (
	placeHead = 12 // bucket, length of the key
	placeTail = 9  // start, number
)

// sessionTimes is how much of a row's key in memory are its times: end, start, number.
const sessionTimes = 17

// maxBucket is the greatest width.
const maxBucket = 1 << 40

// noBucket is behind all buckets.
const noBucket = math.MaxInt64

// size is the width, which is saved with the first row.
func (b *buckets) size() int64 {
	if b.width.Time == Never {
		return b.want
	}
	return b.width.Time
}

func (b *buckets) of(time int64) int64 { return max(time, 0) / b.size() }

// end is the time at which a bucket ends.
func (b *buckets) end(bucket int64) int64 {
	if bucket >= math.MaxInt64/b.size() {
		return math.MaxInt64
	}
	return (bucket + 1) * b.size()
}

// appendPlace appends where the row of a session lies.
func (b *buckets) appendPlace(dst []byte, s span, key []byte) []byte {
	dst = appendBucketed(dst, b.of(s.time), key)
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.start))
	return append(dst, s.nth)
}

// appendBucketed appends what the rows of a key in a bucket begin with.
func appendBucketed(dst []byte, bucket int64, key []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(bucket))
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(key))), key...)
}

// splitPlace takes apart what appendPlace wrote; the key is a part of it.
func splitPlace(place []byte) (bucket int64, key []byte, start int64, nth uint8) {
	n := len(place) - placeTail
	return int64(binary.BigEndian.Uint64(place)), place[placeHead:n:n], int64(binary.BigEndian.Uint64(place[n:])), place[n+8]
}

// at is the index of the session of p that lies where s does, or -1. The sessions that have not left do not overlap.
func (b *buckets) at(p *places, s span) int {
	bucket, closed := b.of(s.time), b.closed()
	for i := p.from(max(s.start, bucket*b.size())); i < len(p.spans) && b.of(p.spans[i].time) == bucket; i++ {
		at := p.spans[i]
		if at.start == s.start && at.nth == s.nth {
			return i
		}
		if at.start > s.start && at.time >= closed {
			break
		}
	}
	return -1
}

// number is s, a session that p is to get, with the number that none of its place has.
func (b *buckets) number(p *places, s span) span {
	b.width.Time = b.size()
	for s.nth = 0; b.at(p, s) >= 0; s.nth++ {
	}
	return s
}

// list makes p know its sessions in the buckets of a time and behind, without those that have expired at gone.
func (b *buckets) list(p *places, time, gone int64) error {
	bucket := b.of(max(time, after(gone, 1)))
	if bucket >= p.since {
		return nil
	}
	d, l, n := b.keys, &b.listing, len(p.spans)
	l.of, l.gone = p, gone
	last := min(p.since-1, b.of(b.greatest.Time))
	d.to = binary.BigEndian.AppendUint64(appendKey(d.to[:0], d.id, nil), uint64(last+1))
	for l.next = bucket; l.next <= last; {
		d.from = appendBucketed(appendKey(d.from[:0], d.id, nil), l.next, p.bytes())
		l.next++
		err := d.stores.backend.Scan(d.from, d.to, l.each)
		if err == nil { // there is nothing behind it
			break
		}
		if !errors.Is(err, errEnough) {
			for _, s := range p.spans[n:] {
				d.forget(s.row - 1)
			}
			p.spans = p.spans[:n]
			return fmt.Errorf("store %q: look for the rows of key %q: %w", d.name, p.key, err)
		}
	}
	slices.SortFunc(p.spans, compareSpans)
	p.since = bucket
	return nil
}

// listing is a list that is being made.
type listing struct {
	of   *places
	gone int64
	next int64 // bucket
	each func(place, row []byte) error
}

// lists takes the next row of the backend.
func (b *buckets) lists(place, row []byte) error {
	l := &b.listing
	at, key, start, nth := splitPlace(place[PrefixLen:])
	if string(key) != l.of.key || len(row) < TimestampLen {
		l.next = max(l.next, at) // no bucket before it has a row of the key
		return errEnough
	}
	l.next = max(l.next, at+1) // the scan goes on to the rows of this bucket, and may find the key first in the one behind it
	s := span{time: int64(binary.BigEndian.Uint64(row)), start: start, nth: nth}
	if s.time <= l.gone {
		return nil
	}
	n, err := b.loaded(l.of, s, row)
	if err != nil {
		return err
	}
	s.row = n + 1
	l.of.spans = append(l.of.spans, s)
	return nil
}

// unexpired keeps what has expired out of what f is called for.
func unexpired(b Backend, store uint16, f func(key, row []byte) error) func(key, row []byte) error {
	for _, c := range b.Checkpoint().Clocks {
		if c.Store == store && c.Name == expiredClock {
			return func(key, row []byte) error {
				if len(row) >= TimestampLen && int64(binary.BigEndian.Uint64(row)) <= c.Time {
					return nil
				}
				return f(key, row)
			}
		}
	}
	return f
}

const expiredClock = "expired"
