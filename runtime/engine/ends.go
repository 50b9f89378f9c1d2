package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/kafka"
)

// ends asks for end offsets that tasks need to know before they go on. Questions that come while one is under way are asked
// together next.
type ends struct {
	client *kgo.Client

	mu      sync.Mutex
	pending []endOf
	wake    chan struct{} // has room for one
}

type endOf struct {
	o *owned
	i uint16
}

// ask asks for the ends of inputs of o; the answers are posted to its worker.
func (e *ends) ask(o *owned, inputs []uint16) {
	e.mu.Lock()
	defer e.mu.Unlock()
	added := false
	for _, i := range inputs {
		if q := (endOf{o, i}); !slices.Contains(e.pending, q) {
			e.pending, added = append(e.pending, q), true
		}
	}
	if added {
		select {
		case e.wake <- struct{}{}:
		default:
		}
	}
}

func (e *ends) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		}
		e.mu.Lock()
		batch := e.pending
		e.pending = nil
		e.mu.Unlock()
		offsets := make([]kafka.Offset, len(batch))
		for n, q := range batch {
			name := q.o.inputs[q.i].name
			offsets[n] = kafka.Offset{Topic: name, Partition: q.o.id.partition, At: kafka.End}
		}
		// The time before the question counts: what came later may be behind the answer.
		asked := time.Since(epochStart).Nanoseconds()
		found, err := kafka.ListOffsets(ctx, e.client, offsets)
		if err != nil {
			if ctx.Err() == nil {
				e.again(batch)
			}
			continue
		}
		for n, q := range batch {
			end := found[n].At
			q.o.worker.post(func() { q.o.worker.setEnd(q.o, q.i, end, asked) })
		}
	}
}

// again asks a question again that was not answered.
func (e *ends) again(batch []endOf) {
	time.AfterFunc(100*time.Millisecond, func() {
		for _, q := range batch {
			e.ask(q.o, []uint16{q.i})
		}
	})
}
