package foreign

import (
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
)

// Subscribers is a task of the right side: it keeps who is subscribed to its rows, and answers.
type Subscribers struct {
	subscriptions *state.Subscriptions
	topic         record.Topic
}

// NewSubscribers makes those of a store, which are answered by topic.
func NewSubscribers(s *state.Stores, id uint16, topic record.Topic) *Subscribers {
	return &Subscribers{state.NewSubscriptions(s, id), topic}
}

// Take takes a subscription to the row of on, which a record of that timestamp asks for. Without a key there is no such row. It reports
// whether an answer may be due, for Answer.
func (s *Subscribers) Take(on []byte, sub *Subscription, timestamp int64) bool {
	switch {
	case on == nil:
	case sub.Ends():
		s.subscriptions.Delete(on, sub.Key, timestamp)
	default:
		s.subscriptions.Put(on, sub.Key, state.Subscription{Digest: sub.Digest, Partition: sub.Partition}, timestamp)
	}
	return sub.Request != Leave
}

// Answer answers a subscription with the row that it is to, nil if there is none. timestamp and headers are those of the answer.
func (s *Subscribers) Answer(sub *Subscription, row []byte, timestamp int64, headers []record.Header) error {
	if row == nil && sub.Request == JoinIf {
		return nil
	}
	a := Answer{Digest: sub.Digest, Found: row != nil, Row: row}
	switch {
	case sub.Request == Withdraw:
		a.Withdrawn, a.Row = true, nil
	case sub.Request == Settle:
		a.Settles = row == nil
	}
	return s.send(sub.Partition, sub.Key, &a, timestamp, headers)
}

// Tell begins to tell all that are subscribed to the row of on that it has changed: to row, which is copied, or nil if it is gone.
func (s *Subscribers) Tell(on, row []byte, timestamp int64, headers []record.Header) {
	s.subscriptions.Tell(on, row, timestamp, headers)
}

// Due says whether a change is to be told.
func (s *Subscribers) Due() bool { return s.subscriptions.Due() }

// Close tells changes to those who are subscribed, to about n of them. more says that there are more, for another call: what is done until
// then may be committed.
func (s *Subscribers) Close(n int) (more bool, err error) {
	for s.subscriptions.Due() {
		change, err := s.subscriptions.Next()
		if err != nil {
			return false, err
		}
		for {
			if n == 0 {
				return true, nil
			}
			to, err := s.subscriptions.NextSubscriber()
			if err != nil {
				return false, err
			}
			if to == nil {
				break
			}
			n--
			a := Answer{Digest: to.Digest, Found: change.Row != nil, Row: change.Row}
			if err := s.send(to.Partition, s.topic.Copy(to.Key), &a, change.Timestamp, change.Headers); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

func (s *Subscribers) send(partition int32, key []byte, a *Answer, timestamp int64, headers []record.Header) error {
	return s.topic.SendTo(int64(partition), key, s.topic.Keep(AppendAnswer(s.topic.Tail(), a)), timestamp, headers)
}
