package engine

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/streamgen/streamgen/runtime/kafka"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/task"
)

// refusals finds the records that the broker refuses among those of topics whose refused records become dead letters.
//
// A refusal comes for a whole batch, and what is refused and what stands beside it must neither be lost nor change places. So the epoch
// is aborted and comes again, now with each record of such a topic by itself. One that is refused alone is the one: the epoch is aborted
// once more, and what comes for it then is its dead letter.
type refusals struct {
	careful bool // each record goes by itself
	known   map[uint64]error
	seed    maphash.Seed
	hash    maphash.Hash
}

// of is what a record is known by when its epoch comes again.
func (r *refusals) of(o *record.Out) uint64 {
	if r.known == nil {
		r.known, r.seed = map[uint64]error{}, maphash.MakeSeed()
	}
	r.hash.SetSeed(r.seed)
	maphash.WriteComparable(&r.hash, [3]int64{int64(o.Topic), int64(o.Partition), o.Timestamp})
	maphash.WriteComparable(&r.hash, [2]int{len(o.Key), len(o.Value)})
	r.hash.Write(o.Key)
	r.hash.Write(o.Value)
	return r.hash.Sum64()
}

// landed forgets the records of an epoch that is committed.
func (r *refusals) landed() {
	if r.careful {
		r.careful = false
		clear(r.known)
	}
}

// sendAlone sends a record that may be refused, or the dead letter of one that was.
func (c *committer) sendAlone(ctx context.Context, t *task.Task, o *record.Out) error {
	id := c.refusals.of(o)
	if why := c.refusals.known[id]; why != nil {
		c.bury(ctx, t, o, why)
		return nil
	}
	if err := c.producer.Flush(ctx); err != nil { // of the records before it
		return c.refused(err)
	}
	c.producer.Send(ctx, c.catalog.topology.Topics[o.Topic].Name, o.Partition, o.Key, o.Value, o.Timestamp, o.Headers)
	c.out[o.Topic]++
	err := c.producer.Flush(ctx)
	if isRefusal(err) {
		c.refusals.known[id] = err
		return fmt.Errorf("it becomes a dead letter: %w", err)
	}
	return err
}

// bury sends the dead letter of a record that the broker refused.
func (c *committer) bury(ctx context.Context, t *task.Task, o *record.Out, why error) {
	letters := *c.catalog.topology.DeadLetterTopic()
	partition := o.Partition % c.catalog.partitions.Topics[letters]
	if o.Key != nil {
		partition = record.Partition(o.Key, c.catalog.partitions.Topics[letters])
	}
	topic := c.catalog.topology.Topics[o.Topic].Name
	headers := append(slices.Clip(o.Headers), task.Header(task.LetterError, why.Error()), task.Header(task.LetterClass, task.SinkRefused.String()),
		task.Header(task.LetterTask, t.String()), task.Header(task.LetterRefused, topic))
	c.producer.Send(ctx, c.catalog.topology.Topics[letters].Name, partition, o.Key, o.Value, o.Timestamp, headers)
	c.out[letters]++
	c.log.Warn("a record was refused and becomes a dead letter", "topic", topic, "error", why)
}

// refused says what is done about an error of the producer: a record that the broker refuses, and would refuse again, is looked for where
// its topic keeps such records; elsewhere it stops the process.
func (c *committer) refused(err error) error {
	r, ok := errors.AsType[*kafka.RefusedError](err)
	if !ok || !isRefusal(err) {
		return err
	}
	for i := range c.catalog.topology.Topics {
		if t := &c.catalog.topology.Topics[i]; t.Name == r.Record.Topic && t.DeadLetters {
			c.refusals.careful = true
			return err
		}
	}
	if errors.Is(err, kerr.MessageTooLarge) {
		return c.tooLarge(r)
	}
	return &fatalError{r}
}

// isRefusal says whether a record was refused for what it is: no retry helps.
func isRefusal(err error) bool {
	return errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge) || errors.Is(err, kerr.InvalidTimestamp) || errors.Is(err, kerr.InvalidRecord)
}
