package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/kafka"
)

// poll fetches records and gives them to the tasks, until ctx is done. What others want done between two polls, when no
// rebalance can run, they leave by control.
func (e *Engine) poll(ctx context.Context) {
	for ctx.Err() == nil {
		wake, cancel := context.WithCancel(ctx)
		e.mu.Lock()
		e.wakePoll = cancel
		if len(e.controls) > 0 {
			cancel()
		}
		e.mu.Unlock()
		fetches := e.group.PollRecords(wake, pollRecords)
		arrived := time.Since(epochStart).Nanoseconds()
		cancel()
		fetches.EachError(e.fetchError)
		fetches.EachPartition(func(p kgo.FetchTopicPartition) { e.route(p, arrived) })
		e.mu.Lock()
		controls := e.controls
		e.controls = nil
		e.mu.Unlock()
		for _, f := range controls {
			f()
		}
		e.group.AllowRebalance()
	}
}

// pollRecords is how many records a poll takes at most, so that a rebalance does not wait long.
const pollRecords = 20_000

// control runs f on the polling goroutine.
func (e *Engine) control(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.controls = append(e.controls, f)
	if e.wakePoll != nil {
		e.wakePoll()
	}
}

// route gives the records of a partition to its task.
func (e *Engine) route(p kgo.FetchTopicPartition, arrived int64) {
	if len(p.Records) == 0 {
		return
	}
	o, i := e.taskOf(p.Topic, p.Partition)
	if o == nil {
		return
	}
	in := &o.inputs[i]
	next := p.Records[len(p.Records)-1].Offset + 1
	views, size := kafka.Views(p.Records, i, in.source)
	if in.buffered.Add(int64(size)) > e.inputLimit() {
		e.pauseInput(o, int(i))
	}
	w := o.worker
	w.post(func() { w.fetched(o, i, views, size, next, arrived) })
}

// taskOf finds the task that reads a partition.
func (e *Engine) taskOf(topic string, partition int32) (*owned, uint16) {
	in, ok := e.catalog.reader(topic)
	if !ok {
		return nil, 0
	}
	e.mu.Lock()
	o := e.tasks[taskID{in.sub, partition}]
	e.mu.Unlock()
	if o == nil {
		return nil, 0
	}
	i, _ := o.index(topic)
	return o, i
}

// fetchError decides about an error of a fetch: the client retries those that pass.
func (e *Engine) fetchError(topic string, partition int32, err error) {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, kgo.ErrClientClosed):
	case errors.Is(err, kerr.OffsetOutOfRange):
		// The committed position is not there any more: the records were deleted before they were read.
		e.fail(&fatalError{fmt.Errorf("topic %s partition %d: the position of the group is no longer on the broker, records were deleted before they were processed: %w",
			topic, partition, err)})
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.GroupAuthorizationFailed),
		errors.Is(err, kerr.UnknownTopicOrPartition) && topic != "":
		e.fail(&fatalError{fmt.Errorf("topic %s partition %d: %w", topic, partition, err)})
	default:
		e.log.Warn("fetch", "topic", topic, "partition", partition, "error", err)
	}
}

// seek makes the client fetch the inputs of o from next on. On the polling goroutine.
func (e *Engine) seek(o *owned, next []int64) {
	if !e.has(o) {
		return
	}
	set := map[string]map[int32]kgo.EpochOffset{}
	for i := range o.inputs {
		set[o.inputs[i].name] = map[int32]kgo.EpochOffset{o.id.partition: {Epoch: -1, Offset: next[i]}}
	}
	e.group.SetOffsets(set)
}

// has says whether o is still the process's.
func (e *Engine) has(o *owned) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tasks[o.id] == o
}

// inputLimit is how many bytes of an input are buffered before fetching it pauses.
func (e *Engine) inputLimit() int64 {
	return max(256<<10, e.config.Memory/8/max(1, e.inputCount.Load()))
}

// pauseInput stops fetching an input that is ahead of processing.
func (e *Engine) pauseInput(o *owned, i int) {
	e.pausing.Lock()
	defer e.pausing.Unlock()
	o.inputs[i].paused.Store(true)
	e.group.PauseFetchPartitions(map[string][]int32{o.inputs[i].name: {o.id.partition}})
	o.worker.poke() // what it has may be processed already
}

// resume fetches an input on.
func (e *Engine) resume(o *owned, i int) {
	e.pausing.Lock()
	defer e.pausing.Unlock()
	o.inputs[i].paused.Store(false)
	e.group.ResumeFetchPartitions(map[string][]int32{o.inputs[i].name: {o.id.partition}})
}

// pause stops fetching all inputs of a task that cannot take records yet.
func (e *Engine) pause(o *owned) {
	e.pausing.Lock()
	defer e.pausing.Unlock()
	e.group.PauseFetchPartitions(o.partitions())
}

// resumeAll fetches all inputs of a task.
func (e *Engine) resumeAll(o *owned) {
	e.pausing.Lock()
	defer e.pausing.Unlock()
	for i := range o.inputs {
		o.inputs[i].paused.Store(false)
	}
	e.group.ResumeFetchPartitions(o.partitions())
}
