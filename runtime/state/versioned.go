package state

import (
	"bytes"
	"encoding/binary"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// Versioned is a store that knows for a while what its rows were: it answers as of a time. A row is put with its time, wherever that
// stands among the versions there are; what is older than the history is refused.
//
// A row of the backend is all versions of a key, newest first: each is its time, the length of its value plus one, or zero for a
// delete, and the value. Versions older than the history are forgotten when the key is put again, but for the one that was valid
// when the history began.
type Versioned struct {
	rows    *KeyValue[history]
	clock   *Clock // the greatest time that was put
	history int64
	next    []byte // scratch

	replaced   []byte // a copy of what was valid at the time of the last Put, or nil
	replacedAt int64
	scratch    []byte // not nil
}

// history is the versions of a key.
type history struct{ versions []byte }

var historyCodec = Codec[history]{
	Append: func(dst []byte, v *history) []byte { return append(dst, v.versions...) },
	Read: func(src []byte, v *history) error {
		v.versions = bytes.Clone(src)
		return nil
	},
}

// NewVersioned makes the store with that id, which knows versions for the length of history.
func NewVersioned(s *Stores, id uint16, length temporal.Duration) *Versioned {
	v := &Versioned{scratch: []byte{}, rows: NewKeyValue(s, id, historyCodec), history: int64(length)}
	v.clock = s.Clock(id, "time")
	return v
}

// Version is what became of a row that was put.
type Version uint8

// The outcomes.
const (
	Newest    Version = iota // it is the row of now
	Older                    // a newer one is there
	Same                     // it changes nothing: the version is there already, or a delete was deleted already
	SameOlder                // likewise, and a newer one is there
	TooOld                   // it is older than the history, and refused
)

// Put makes value, or with nil a delete, the version of key from timestamp to the next one there is. The bytes are copied. A delete at the
// time of the newest row, before which there was none, takes it away without a trace, as in Kafka Streams: an older row that comes
// later is then the newest.
func (s *Versioned) Put(key, value []byte, timestamp int64) (Version, error) {
	if timestamp < s.begins() {
		return TooOld, nil
	}
	s.clock.Time = max(s.clock.Time, timestamp)
	row, existed, err := s.rows.Update(key)
	if err != nil {
		return 0, err
	}
	begins := s.begins()
	out, placed := s.next[:0], false
	outcome := Newest
	s.replaced = nil
	place := func(before version, known bool) {
		placed = true
		if known && !before.deleted {
			s.scratch = append(s.scratch[:0], before.value...)
			s.replaced, s.replacedAt = s.scratch, before.timestamp
		}
		switch {
		case known && before.timestamp == timestamp && before.deleted == (value == nil) && bytes.Equal(before.value, value):
			outcome = Same
		case value == nil && (known && before.deleted || !existed):
			outcome = Same
		case len(out) > 0:
			outcome = Older
		}
		if outcome == Same && len(out) > 0 {
			outcome = SameOlder
		}
		out = appendVersion(out, timestamp, value)
	}
	forgets := false
	for i, rest := 0, row.Value.versions; len(rest) > 0; i++ {
		var v version
		if v, rest, err = readVersion(rest); err != nil {
			return 0, err
		}
		forgets = i == 0 && value == nil && v.timestamp == timestamp && !v.deleted || forgets && (i > 1 || v.deleted)
		if !placed && v.timestamp <= timestamp {
			place(v, true)
			if v.timestamp == timestamp {
				continue
			}
		}
		out = appendVersion(out, v.timestamp, v.bytes())
		if v.timestamp <= begins {
			break // it was valid when the history began
		}
	}
	if !placed {
		place(version{}, false)
	}
	s.next = out
	if forgets {
		if out = out[timeLen+1:]; len(out) == 0 {
			s.rows.Unchanged()
			_, err := s.rows.Delete(key, timestamp)
			return outcome, err
		}
	}
	if bytes.Equal(out, row.Value.versions) {
		s.rows.Unchanged()
		return outcome, nil
	}
	row.Value.versions = append(row.Value.versions[:0], out...)
	row.Timestamp = readTime(out)
	return outcome, nil
}

// Replaced is what was valid at the time of the last Put before it, as a view that is valid until the next one, and since when; nil if
// there was no row.
func (s *Versioned) Replaced() ([]byte, int64) { return s.replaced, s.replacedAt }

// Newest is the row of key as of now, as a view that is valid until the next Put, and its time; nil if there is none.
func (s *Versioned) Newest(key []byte) ([]byte, int64, error) {
	row, err := s.rows.Get(key)
	if err != nil || row == nil {
		return nil, 0, err
	}
	v, _, err := readVersion(row.Value.versions)
	return v.bytes(), v.timestamp, err
}

// AsOf is the row of key as of a time, as a view that is valid until the next Put, or nil. Before the history begins only a row that
// is still the newest is known.
func (s *Versioned) AsOf(key []byte, timestamp int64) ([]byte, error) {
	row, err := s.rows.Get(key)
	if err != nil || row == nil {
		return nil, err
	}
	value, _, err := VersionAsOf(row.Value.versions, timestamp, s.begins())
	return value, err
}

// VersionAsOf finds what a row of a versioned store was as of a time, if the history begins at begins: the value and the time of
// the version, or nil if there was none.
func VersionAsOf(row []byte, timestamp, begins int64) (value []byte, at int64, err error) {
	for len(row) > 0 {
		var v version
		if v, row, err = readVersion(row); err != nil {
			return nil, 0, err
		}
		if v.timestamp <= timestamp {
			return v.bytes(), v.timestamp, nil
		}
		if timestamp < begins {
			break
		}
	}
	return nil, 0, nil
}

// begins is the earliest time that is known.
func (s *Versioned) begins() int64 {
	if s.clock.Time == Never {
		return Never
	}
	return before(s.clock.Time, s.history)
}

// version is a version of a row.
type version struct {
	timestamp int64
	deleted   bool
	value     []byte // not nil unless it is deleted
}

func (v *version) bytes() []byte {
	if v.deleted {
		return nil
	}
	return v.value
}

func appendVersion(dst []byte, timestamp int64, value []byte) []byte {
	dst = appendTime(dst, timestamp)
	if value == nil {
		return append(dst, 0)
	}
	return append(binary.AppendUvarint(dst, uint64(len(value))+1), value...)
}

func readVersion(src []byte) (v version, rest []byte, err error) {
	if len(src) <= timeLen {
		return v, nil, errShort
	}
	v.timestamp = readTime(src)
	n, w := binary.Uvarint(src[timeLen:])
	rest = src[timeLen:]
	switch {
	case w <= 0 || n > 0 && n-1 > uint64(len(rest)-w):
		return v, nil, errShort
	case n == 0:
		v.deleted = true
		return v, rest[w:], nil
	}
	v.value = rest[w : w+int(n)-1 : w+int(n)-1]
	return v, rest[w+int(n)-1:], nil
}
