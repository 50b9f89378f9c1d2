package state

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/streamgen/streamgen/runtime/record"
)

// ErrSuppressFull says that a suppress with when_full = "stop" got more than its bound.
var ErrSuppressFull = errors.New("the buffer of suppress is full")

// Suppress is the buffer of a suppress: changes of a table that have not been sent on. Each key has one, its latest, in the place of
// its first: it leaves in the order of the time that the first one gave it, then of the key's bytes.
//
// Its clock is the greatest timestamp of the changes that it was given. A change leaves when the clock is Wait beyond its time, or
// earlier when there are more than fit. With Remember it keeps the rows that were sent, too: what changes nothing of them is not sent.
type Suppress[V any] struct {
	timed[Held[V]]
	SuppressOptions

	value   Codec[V]
	of      *places
	at      span
	size    int64 // of the change in hand, before Put
	measure []byte
	compare []byte
	sent    Row[Held[V]]
	before  Row[Held[V]] // with Remember: what was sent before that

	clock   *Clock
	records *Clock // in the buffer
	bytes   *Clock // that these take, if that is bounded
}

// SuppressOptions are what a suppress says.
type SuppressOptions struct {
	Wait       int64 // milliseconds; of a window that closes behind end + grace: grace + 1
	MaxRecords int64 // 0: no bound
	MaxBytes   int64 // of keys and encoded rows; 0: no bound
	Stop       bool  // with a bound: what does not fit stops the task
	Remember   bool  // keys may be sent several times
}

// Held is a change that has not been sent on, or with Remember the row that was sent last.
type Held[V any] struct {
	Value   V
	Exists  bool // Value is there: not a delete
	Headers []record.Header
}

// sentAt is the time of rows that were sent: behind all others.
const sentAt = math.MaxInt64

// KeepHeaders copies headers, which the change outlives.
func (h *Held[V]) KeepHeaders(headers []record.Header) {
	clear(h.Headers)
	h.Headers = h.Headers[:0]
	for _, x := range headers {
		h.Headers = append(h.Headers, record.Header{Key: strings.Clone(x.Key), Value: bytes.Clone(x.Value)})
	}
}

// NewSuppress makes the buffer with that id. The codec is that of the table's rows.
func NewSuppress[V any](s *Stores, id uint16, c Codec[V], o SuppressOptions) *Suppress[V] {
	b := &Suppress[V]{SuppressOptions: o, value: c}
	b.open(s, id, heldCodec(c), true, nil, b)
	b.clock = s.Clock(id, "stream time")
	b.records, b.bytes = s.Clock(id, "records"), s.Clock(id, "bytes")
	return b
}

// Put takes a change of the row of key with that timestamp. It returns the change to be filled in: the zero Held with Timestamp if
// the key had none; then held is false. at is the time that a new one gets: of a window that closes its end, else the change's own
// timestamp.
func (s *Suppress[V]) Put(key []byte, at, timestamp int64) (r *Row[Held[V]], held bool, err error) {
	s.clock.Time = max(s.clock.Time, timestamp)
	p, err := s.find(key, Never)
	if err != nil {
		return nil, false, err
	}
	s.of, s.at, s.size = p, span{time: min(at, sentAt-1)}, 0
	if held = waits(p); held {
		s.at = p.spans[0]
	}
	r, _, err = s.update(p, s.at)
	if err != nil {
		return nil, false, err
	}
	if held && s.MaxBytes > 0 {
		s.size = s.measured(r)
	}
	r.Timestamp = timestamp
	return r, held, nil
}

// waits says whether a key has a change in the buffer.
func waits(p *places) bool { return len(p.spans) > 0 && p.spans[0].time < sentAt }

// Placed ends a Put, when the row is filled in: it counts what the buffer holds.
func (s *Suppress[V]) Placed(r *Row[Held[V]], held bool) {
	if !held {
		s.records.Time = max(s.records.Time, 0) + 1
	}
	if s.MaxBytes > 0 {
		s.bytes.Time = max(s.bytes.Time, 0) + s.measured(r) - s.size
	}
}

// Discard takes back the change of a key: it will not be sent. Nothing happens if there is none.
func (s *Suppress[V]) Discard(key []byte, timestamp int64) error {
	s.clock.Time = max(s.clock.Time, timestamp)
	p, err := s.find(key, Never)
	if err != nil || !waits(p) {
		return err
	}
	r, err := s.get(p, p.spans[0])
	if err != nil {
		return err
	}
	s.of = p
	return s.forget(p, p.spans[0], r)
}

// forget takes a change out of the buffer.
func (s *Suppress[V]) forget(p *places, at span, r *Row[Held[V]]) error {
	s.records.Time--
	if s.MaxBytes > 0 {
		s.bytes.Time -= s.measured(r)
	}
	return s.delete(p, at, s.clock.Time)
}

// measured is what a change takes in the buffer.
func (s *Suppress[V]) measured(r *Row[Held[V]]) int64 {
	s.measure = s.rows.codec.Append(s.measure[:0], &r.Value)
	return int64(len(s.of.key)+len(s.measure)) + TimestampLen + 8
}

// full says whether the buffer holds more than it may.
func (s *Suppress[V]) full() bool {
	return s.MaxRecords > 0 && s.records.Time > s.MaxRecords || s.MaxBytes > 0 && s.bytes.Time > s.MaxBytes
}

// limit is the time below which changes leave.
func (s *Suppress[V]) limit() int64 { return after(before(s.clock.Time, s.Wait), 1) }

// Closed implements Closer: windows that ended before have left.
func (s *Suppress[V]) Closed() int64 { return s.limit() }

// Due says whether there may be changes to send.
func (s *Suppress[V]) Due() bool { return s.due(s.limit()) || s.full() }

// Close calls f for the changes that are to be sent, in order, and takes them out of the buffer before. It stops after n;
// more says that there are more, for another call.
func (s *Suppress[V]) Close(n int, f func(key []byte, r *Row[Held[V]]) error) (more bool, err error) {
	for {
		limit := s.limit()
		if s.full() && !s.Stop {
			limit = math.MaxInt64
		}
		key, at, r, more, err := s.step(limit, &n)
		if err != nil || more {
			return more, err
		}
		if r == nil {
			if s.full() {
				err = fmt.Errorf("store %q: %w: %d changes have not been sent", s.keys.name, ErrSuppressFull, s.records.Time)
			}
			return false, err
		}
		s.of, s.sent = s.stepped, *r
		if err := s.forget(s.of, at, r); err != nil {
			return false, err
		}
		s.pass(at)
		goes := s.sent.Value.Exists
		if s.Remember {
			if goes, err = s.remember(); err != nil {
				return false, err
			}
		}
		if !goes {
			continue
		}
		if err := f(key, &s.sent); err != nil {
			return false, err
		}
	}
}

// remember makes the change that leaves the row that was sent last, and says whether that changes anything.
func (s *Suppress[V]) remember() (bool, error) {
	at, now := span{time: sentAt}, &s.sent
	s.before = Row[Held[V]]{}
	if s.of.index(at) < 0 && !now.Value.Exists {
		return false, nil
	}
	r, existed, err := s.update(s.of, at)
	if err != nil {
		return false, err
	}
	if existed {
		s.before = *r
	}
	if !now.Value.Exists {
		return true, s.delete(s.of, at, now.Timestamp)
	}
	if existed && r.Timestamp == now.Timestamp && s.same(&r.Value.Value, &now.Value.Value) {
		s.rows.Unchanged()
		return false, nil
	}
	r.Value.Value, r.Value.Exists, r.Timestamp = now.Value.Value, true, now.Timestamp
	return true, nil
}

// Before is, while Close calls f, the row of the key as it was sent last before: it Exists if one was. It needs Remember.
func (s *Suppress[V]) Before() *Row[Held[V]] { return &s.before }

// Sent returns the row of a key as it was sent last, nil if there is none. It needs Remember.
func (s *Suppress[V]) Sent(key []byte) (*Row[Held[V]], error) {
	p, err := s.find(key, Never)
	if at := (span{time: sentAt}); err == nil && p.index(at) >= 0 {
		return s.get(p, at)
	}
	return nil, err
}

// Left says whether the row of a key has been sent on, where that happens once, when its window closes: it is what the table has then.
func (s *Suppress[V]) Left(key []byte, end int64) (bool, error) {
	if end >= s.limit() {
		return false, nil
	}
	p, err := s.find(key, Never)
	return err == nil && !waits(p), err
}

// same compares rows as they are stored.
func (s *Suppress[V]) same(a, b *V) bool {
	s.measure, s.compare = s.value.Append(s.measure[:0], a), s.value.Append(s.compare[:0], b)
	return bytes.Equal(s.measure, s.compare)
}

// heldCodec is the codec of the buffer's rows.
func heldCodec[V any](c Codec[V]) Codec[Held[V]] {
	return Codec[Held[V]]{
		Append: func(dst []byte, h *Held[V]) []byte {
			dst = appendHeaders(dst, h.Headers)
			if !h.Exists {
				return append(dst, 0)
			}
			return c.Append(append(dst, 1), &h.Value)
		},
		Read: func(src []byte, h *Held[V]) error {
			headers, rest := readHeaders(src)
			if len(rest) == 0 {
				return errShort
			}
			h.KeepHeaders(headers)
			if h.Exists = rest[0] == 1; !h.Exists {
				return nil
			}
			return c.Read(rest[1:], &h.Value)
		},
	}
}

// HeldJSON is json for the rows of a buffer: of a change its row, null for a delete.
func HeldJSON(json func(dst, row []byte) ([]byte, error)) func(dst, row []byte) ([]byte, error) {
	return func(dst, row []byte) ([]byte, error) {
		_, rest := readHeaders(row)
		switch {
		case len(rest) == 0:
			return dst, errShort
		case rest[0] == 0:
			return append(dst, "null"...), nil
		}
		return json(dst, rest[1:])
	}
}
