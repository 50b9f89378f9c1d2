package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/kafka"
	"github.com/streamgen/streamgen/runtime/task"
)

// The topic of a table may be the changelog of its store, too. The rows of a task are then what the topic holds before the group's
// committed offset, neither more nor less: what lies behind is still to be processed. Nobody writes markers into a topic that is not
// ours, and none is needed: the records are committed by whoever has read the offset.

// restoreSilence is how long a restore hears nothing before it asks whether there is anything more to be read.
const restoreSilence = 500 * time.Millisecond

// source says whether the changelog is the topic of a table.
func (r *restoring) source() bool { return r.store.Row != nil }

// committed is the offset of a topic that the group reads next, 0 if it has read nothing.
func (o *owned) committed(topic string) int64 {
	if i, ok := o.index(topic); ok && o.begin[i].Committed {
		return o.begin[i].Next
	}
	return 0
}

// addSource applies a record as the table has: what it dropped or skipped makes no row.
func (r *restoring) addSource(c *kgo.Record) error {
	if c.Key == nil {
		return nil
	}
	err := r.rows.AddSource(c.Key, c.Timestamp.UnixMilli(), c.Offset, func(dst []byte) ([]byte, error) { return r.store.Row(dst, c.Key, c.Value) })
	t := r.engine.topology
	if err == nil || t.Positions[t.Maker(r.store).Position].OnError == task.Skip {
		return nil
	}
	return fmt.Errorf("topic %s partition %d offset %d, which was processed before: %w", c.Topic, c.Partition, c.Offset, err)
}

// silent says whether nothing that can be read is left before the end: records that were compacted away, or aborted. A marker is always
// read.
func (r *restoring) silent(ctx context.Context, from int64) (done bool, err error) {
	if !r.source() {
		return false, nil
	}
	c := r.engine.catalog
	next, err := kafka.PastInvisible(ctx, r.engine.aux, r.engine.aux,
		kafka.Offset{Topic: r.store.Changelog, TopicID: c.ids[r.store.Changelog], Partition: r.o.id.partition, At: from})
	if err != nil || next < r.end {
		return false, err
	}
	if err := r.rows.Flush(r.end); err != nil {
		return false, &fatalError{err}
	}
	r.setLeft(0)
	return true, nil
}
