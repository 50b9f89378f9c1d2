// Package foreign is what the two sides of a foreign-key join say to each other.
//
// The rows of the left table lie by their own keys, those of the right one by the keys that foreign keys name; only topics join
// the two. When a left row changes, its task subscribes it to the right row that it names now (Subscription, by the foreign key).
// The task of that row keeps who is subscribed (state.Subscriptions) and answers with the right row (Answer, by the left key) at once,
// and again whenever the right row changes. The left task joins the answer with its row, if that is still the one that was
// subscribed: both messages carry a digest of it, and an answer to another is stale. What is underway when a row changes
// can so never replace what comes of the change, in whatever order the messages are read.
//
// Generated code calls it in the tasks of both sides. It stands on record and state.
package foreign

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// version is that of both messages: their first byte.
const version = 1

// Digest tells the rows of a key apart. That of a row that is not there is zero.
type Digest [16]byte

// DigestOf is the digest of the bytes of a row.
func DigestOf(row []byte) Digest {
	sum := sha256.Sum256(row)
	return Digest(sum[:16])
}

// Request is what a subscription asks for.
type Request uint8

// The requests. Kafka Streams has all but the last, by other names. Without a foreign key there is nothing to begin or to end.
const (
	Leave    Request = iota + 1 // ends the subscription
	Withdraw                    // ends it, and answers that there is no result any more
	Join                        // begins or replaces it, and answers with the row or that there is none
	JoinIf                      // begins or replaces it, and answers only if there is a row
	Settle                      // is Join where Kafka Streams says JoinIf or nothing: a stale answer without a row does not count
)

// Subscription is a message of a left row to the right row of its foreign key.
type Subscription struct {
	Request   Request
	Partition int32 // of the left task: where answers go
	Digest    Digest
	Key       []byte // of the left row
}

// Ends says whether the left row is not subscribed any more.
func (s *Subscription) Ends() bool { return s.Request == Leave || s.Request == Withdraw }

// AppendSubscription appends the value of a subscription's record.
func AppendSubscription(dst []byte, s *Subscription) []byte {
	dst = append(dst, version, byte(s.Request))
	dst = binary.AppendUvarint(dst, uint64(s.Partition))
	dst = append(dst, s.Digest[:]...)
	return append(dst, s.Key...)
}

var errBroken = errors.New("a message of a foreign-key join that is cut short or broken")

// errVersion is the error for a message of another version.
func errVersion(v byte) error {
	return fmt.Errorf("a message of a foreign-key join in version %d of its format, and this program knows version %d only: it was written by another "+
		"version of streamgen; stop the program, let the one that wrote it read what is left, then go on with this one", v, version)
}

// header reads what both messages begin with.
func header(value []byte) (what byte, rest []byte, err error) {
	switch {
	case len(value) == 0:
		return 0, nil, errBroken
	case value[0] != version:
		return 0, nil, errVersion(value[0])
	case len(value) < 2:
		return 0, nil, errBroken
	}
	return value[1], value[2:], nil
}

// ParseSubscription reads the value of a subscription's record. Key is a view of it.
func ParseSubscription(value []byte) (s Subscription, err error) {
	what, rest, err := header(value)
	if err != nil {
		return s, err
	}
	partition, n := binary.Uvarint(rest)
	if n <= 0 || partition > 1<<31-1 || len(rest)-n < len(s.Digest) || Request(what) < Leave || Request(what) > Settle {
		return s, errBroken
	}
	rest = rest[n:]
	s.Request, s.Partition = Request(what), int32(partition)
	s.Key = rest[copy(s.Digest[:], rest):]
	return s, nil
}

// Answer is a message of a right row to a left row that is subscribed to it.
type Answer struct {
	Found     bool // Row is the right row; else there is none
	Withdrawn bool // there is to be no result, whatever the kind of the join
	Settles   bool // it only makes sure that there is no result: see Settle
	Digest    Digest
	Row       []byte
}

const (
	answerMissing = iota
	answerFound
	answerWithdrawn
	answerSettles
)

// AppendAnswer appends the value of an answer's record.
func AppendAnswer(dst []byte, a *Answer) []byte {
	what := byte(answerMissing)
	switch {
	case a.Withdrawn:
		what = answerWithdrawn
	case a.Settles:
		what = answerSettles
	case a.Found:
		what = answerFound
	}
	dst = append(append(dst, version, what), a.Digest[:]...)
	return append(dst, a.Row...)
}

// ParseAnswer reads the value of an answer's record. Row is a view of it.
func ParseAnswer(value []byte) (a Answer, err error) {
	what, rest, err := header(value)
	if err != nil {
		return a, err
	}
	if len(rest) < len(a.Digest) || what > answerSettles {
		return a, errBroken
	}
	a.Found, a.Withdrawn, a.Settles = what == answerFound, what == answerWithdrawn, what == answerSettles
	a.Row = rest[copy(a.Digest[:], rest):]
	return a, nil
}

// IsFor says whether an answer is one to the left row as it is: its bytes, if it is there.
func (a *Answer) IsFor(exists bool, row []byte) bool {
	if !exists {
		return a.Digest == Digest{}
	}
	return a.Digest == DigestOf(row)
}
