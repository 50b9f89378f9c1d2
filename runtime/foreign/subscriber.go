package foreign

import "github.com/streamgen/streamgen/runtime/record"

// Key makes bytes of a key or a row that is there: those of an empty one differ from nil.
func Key(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Kind is the kind of a join.
type Kind uint8

// The kinds.
const (
	Inner Kind = iota // a left row without a right one gives no result
	Left              // it gives one
)

// Change is the change of a left row. Nothing of it is kept but views of a fetch.
type Change struct {
	Key       []byte
	Exists    bool           // the row is there
	Existed   bool           // it replaces one, which it may equal
	Row       []byte         // if it exists: its bytes, in any form in which equal rows are equal bytes
	On        []byte         // if it exists: the bytes of its foreign key, nil if that is null
	Before    []byte         // if it existed: those of the row before
	Fails     bool           // it exists, and its foreign key cannot be worked out: there is to be no result
	By        *record.Record // what made the change, if it may make several of a row; else nil
	Timestamp int64
	Headers   []record.Header
}

// Subscriber is a task of the left side: it turns changes into subscriptions.
//
// Each change asks for an answer, so that there is one to the row as it is in the end, which settles its result. There is an exception: the
// second and later changes that one record makes of a row ask for what they ask for in Kafka Streams. In an inner join that may
// leave a result which no row gives any more, until the right row changes; recorded runs hold us to it.
type Subscriber struct {
	topic     record.Topic
	partition int32
	kind      Kind

	input  uint16 // the record that made the last change, and the rows that it has changed
	offset int64
	rows   [][]byte
}

// NewSubscriber makes the subscriber of a task of that partition, which writes subscriptions to topic.
func NewSubscriber(topic record.Topic, partition int32, kind Kind) Subscriber {
	return Subscriber{topic: topic, partition: partition, kind: kind, offset: -1}
}

// Send sends the subscriptions that a change asks for. It reports false if there is none because the foreign key is null, where
// the join drops such rows.
//
// The old subscription is ended first, so that a row which leaves a right row and comes back is subscribed in the end. In a left join
// a row without a foreign key asks for an answer all the same: its result takes the way of all others.
func (s *Subscriber) Send(c *Change) bool {
	if !c.Exists && !c.Existed {
		return true
	}
	settle := Settle
	if s.again(c) {
		settle = JoinIf
	}
	joins := c.Exists && !c.Fails && (c.On != nil || s.kind == Left)
	moved := c.Before != nil && (!joins || c.On == nil || string(c.Before) != string(c.On))
	switch {
	case joins && !moved && s.kind == Inner:
		s.send(c, settle, c.On)
	case joins:
		if moved {
			s.send(c, Leave, c.Before)
		}
		s.send(c, Join, c.On)
	case s.kind == Left && !c.Exists: // what the tombstone of a left join is like does not depend on the right row
		if moved {
			s.send(c, Leave, c.Before)
		}
		s.send(c, Join, nil)
	case moved || s.kind == Left:
		s.send(c, Withdraw, c.Before)
	case settle == Settle:
		s.send(c, Settle, nil)
	}
	return joins || !c.Exists || c.Fails
}

// again says whether the record that makes the change has changed the row before.
func (s *Subscriber) again(c *Change) bool {
	if c.By == nil {
		return false
	}
	if c.By.Input != s.input || c.By.Offset != s.offset {
		s.input, s.offset, s.rows = c.By.Input, c.By.Offset, s.rows[:0]
	}
	for _, key := range s.rows {
		if string(key) == string(c.Key) {
			return true
		}
	}
	if n := len(s.rows); n < cap(s.rows) { // with the memory of an earlier one
		s.rows = s.rows[:n+1]
		s.rows[n] = append(s.rows[n][:0], c.Key...)
	} else {
		s.rows = append(s.rows, append([]byte(nil), c.Key...))
	}
	return false
}

// send sends a subscription to the row of a foreign key, or to any task if that is null.
func (s *Subscriber) send(c *Change, r Request, on []byte) {
	m := Subscription{Request: r, Partition: s.partition, Key: c.Key}
	if c.Exists && r != Leave { // to that there is no answer
		m.Digest = DigestOf(c.Row)
	}
	var key []byte
	if on != nil {
		key = s.topic.Copy(on)
	}
	s.topic.Send(key, s.topic.Keep(AppendSubscription(s.topic.Tail(), &m)), c.Timestamp, c.Headers)
}
