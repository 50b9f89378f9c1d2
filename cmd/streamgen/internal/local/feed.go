package local

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func milliseconds(ts int64) time.Time { return time.UnixMilli(ts) }

// fed is how far an input has been written: for each partition the offset behind its last record.
type fed struct {
	mu      sync.Mutex
	behind  map[string]map[int32]int64
	records int64
	err     error
}

func newFed() *fed { return &fed{behind: map[string]map[int32]int64{}} }

func (f *fed) produced(r *kgo.Record, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		if f.err == nil && !errors.Is(err, context.Canceled) {
			f.err = fmt.Errorf("cannot write to %s: %w", r.Topic, err)
		}
		return
	}
	p := f.behind[r.Topic]
	if p == nil {
		p = map[int32]int64{}
		f.behind[r.Topic] = p
	}
	p[r.Partition] = max(p[r.Partition], r.Offset+1)
	f.records++
}

// total is how many records have been written.
func (f *fed) total() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.records
}

func (f *fed) failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// feed writes inputs, merged by timestamp, so that a program meets them as if they had come that way. It returns when all is
// written.
func feed(ctx context.Context, client *kgo.Client, readers []*reader, f *fed) error {
	for ctx.Err() == nil && f.failed() == nil {
		r := earliest(readers)
		if r == nil {
			break
		}
		record := r.next
		if record.Timestamp.IsZero() {
			record.Timestamp = time.Now()
		}
		client.Produce(ctx, record, f.produced)
		if err := r.advance(); err != nil {
			return err
		}
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	return f.failed()
}

// earliest is the reader whose next record has the lowest timestamp; among equals, the first. Records without one come first.
func earliest(readers []*reader) *reader {
	var best *reader
	for _, r := range readers {
		if r.next != nil && (best == nil || r.next.Timestamp.Before(best.next.Timestamp)) {
			best = r
		}
	}
	return best
}

// partitioner sends records to the partition they name, and others where Kafka's own clients send them.
func partitioner() kgo.Partitioner {
	return kgo.BasicConsistentPartitioner(func(topic string) func(*kgo.Record, int) int {
		byKey := kgo.StickyKeyPartitioner(nil).ForTopic(topic)
		return func(r *kgo.Record, n int) int {
			if r.Partition >= 0 {
				return int(r.Partition)
			}
			return byKey.Partition(r, n)
		}
	})
}
