package engine

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/kafka"
	"github.com/streamgen/streamgen/runtime/state"
)

// changelogMarker writes markers, those that are asked for at the same time in one transaction.
type changelogMarker struct {
	producer *kafka.Producer
	requests chan markRequest
}

type markRequest struct {
	topics    []string
	partition int32
	answer    chan markAnswer // has room for one
}

type markAnswer struct {
	offsets []int64
	err     error
}

// write puts a marker into the partition of each topic, and returns their offsets once the transaction has ended.
func (m *changelogMarker) write(ctx context.Context, topics []string, partition int32) ([]int64, error) {
	r := markRequest{topics, partition, make(chan markAnswer, 1)}
	select {
	case m.requests <- r:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case a := <-r.answer:
		return a.offsets, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *changelogMarker) run(ctx context.Context) {
	for {
		var batch []markRequest
		select {
		case <-ctx.Done():
			return
		case r := <-m.requests:
			batch = append(batch, r)
		}
	more:
		for {
			select {
			case r := <-m.requests:
				batch = append(batch, r)
			default:
				break more
			}
		}
		answers, err := m.mark(ctx, batch)
		if err != nil {
			if aerr := m.producer.Abort(ctx); aerr != nil {
				err = errors.Join(err, aerr)
			}
		}
		for i, r := range batch {
			if err != nil {
				r.answer <- markAnswer{err: err}
			} else {
				r.answer <- markAnswer{offsets: answers[i]}
			}
		}
	}
}

// mark writes the markers of a batch in one transaction.
func (m *changelogMarker) mark(ctx context.Context, batch []markRequest) ([][]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	if err := m.producer.Begin(); err != nil {
		return nil, err
	}
	now := time.Now().UnixMilli()
	key, value := state.ControlKey(state.Marker), state.AppendControl(nil, &state.Control{Kind: state.Marker, Wall: now})
	var sent [][]*kgo.Record
	for _, r := range batch {
		var list []*kgo.Record
		for _, topic := range r.topics {
			list = append(list, m.producer.Send(ctx, topic, r.partition, key, value, now, nil))
		}
		sent = append(sent, list)
	}
	if err := m.producer.Flush(ctx); err != nil {
		return nil, err
	}
	if err := m.producer.End(ctx); err != nil {
		return nil, err // committed or not: another marker is written
	}
	answers := make([][]int64, len(batch))
	for i, list := range sent {
		for _, r := range list {
			answers[i] = append(answers[i], r.Offset)
		}
	}
	return answers, nil
}
