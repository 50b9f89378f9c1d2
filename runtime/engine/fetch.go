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
	account := e.shared.Budget.Open()
	defer account.Close()
	poller := kafka.Poller{Client: e.group}
	for ctx.Err() == nil {
		wake, cancel := context.WithCancel(ctx)
		e.mu.Lock()
		e.wakePoll = cancel
		if len(e.controls) > 0 {
			cancel()
		}
		e.mu.Unlock()
		fetches := poller.Poll(wake, pollRecords)
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
		if len(e.seeks) > 0 {
			e.group.SetOffsets(e.seeks)
			e.seeks = nil
		}
		e.group.AllowRebalance()
		account.Set(e.buffered.Load(), 0)
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
	if e.buffer(in, int64(size)) > e.inputLimit() {
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
		e.outOfRange(topic, partition)
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.GroupAuthorizationFailed),
		errors.Is(err, kerr.UnknownTopicOrPartition) && topic != "":
		e.fail(&fatalError{fmt.Errorf("topic %s partition %d: %w", topic, partition, err)})
	case errors.Is(err, kerr.InvalidSessionTimeout):
		e.fail(&fatalError{fmt.Errorf("session.timeout.ms is %d: the brokers take one between their group.min.session.timeout.ms and group.max.session.timeout.ms: %w",
			e.config.SessionTimeout.Milliseconds(), err)})
	default:
		e.log.Warn("fetch", "topic", topic, "partition", partition, "error", err)
	}
}

// outOfRange goes on where the log of an input begins now: records were deleted before they were processed, which nothing can
// bring back, so it is said and counted. A position behind the end is another topic of that name, and stops the process. On the
// polling goroutine.
func (e *Engine) outOfRange(topic string, partition int32) {
	o, i := e.taskOf(topic, partition)
	if o == nil {
		return
	}
	at := kafka.Offset{Topic: topic, Partition: partition, At: kafka.Start}
	found, err := kafka.ListOffsets(o.ctx, e.aux, []kafka.Offset{at})
	if err == nil {
		at.At = kafka.End
		var end []kafka.Offset
		end, err = kafka.ListOffsets(o.ctx, e.aux, []kafka.Offset{at})
		found = append(found, end...)
	}
	if err != nil {
		e.log.Warn("fetch", "topic", topic, "partition", partition, "error", err)
		return
	}
	o.worker.post(func() {
		if o.task == nil || o.rewinding {
			return
		}
		next := o.task.Inputs().Fetched(i)
		if next > found[1].At {
			e.fail(&fatalError{fmt.Errorf("topic %s partition %d: the position of group %q is %d, but the log ends at %d: it is not the topic that was read before",
				topic, partition, e.topology.App, next, found[1].At)})
			return
		}
		if next >= found[0].At {
			return
		}
		e.log.Error("records were deleted before they were processed", "topic", topic, "partition", partition, "from", next, "to", found[0].At)
		e.stats.Deleted.Add(uint64(found[0].At - next))
		o.task.Inputs().Append(i, nil, 0, found[0].At, time.Since(epochStart).Nanoseconds())
		e.control(func() {
			if e.has(o) {
				e.seekInput(topic, partition, found[0].At)
			}
		})
	})
}

// passInvisible moves an input past offsets at which a committed read finds no record.
func (e *Engine) passInvisible(o *owned, i uint16, from int64) {
	name := o.inputs[i].name
	next, err := kafka.PastInvisible(o.ctx, e.aux, e.group,
		kafka.Offset{Topic: name, TopicID: e.catalog.ids[name], Partition: o.id.partition, At: from})
	if err != nil {
		if o.ctx.Err() == nil {
			e.log.Warn("fetch", "topic", name, "partition", o.id.partition, "error", err)
		}
		return
	}
	o.worker.post(func() {
		if o.task != nil && !o.rewinding && next > from && o.task.Inputs().Fetched(i) == from {
			o.task.Inputs().Append(i, nil, 0, next, time.Since(epochStart).Nanoseconds())
		}
	})
}

// seek makes the client fetch the inputs of o from next on. On the polling goroutine.
func (e *Engine) seek(o *owned, next []int64) {
	if !e.has(o) {
		return
	}
	for i := range o.inputs {
		e.seekInput(o.inputs[i].name, o.id.partition, next[i])
	}
}

// seekInput makes the client fetch a partition from next on, before the next poll: all seeks of a turn at once, since each call
// ends the fetches that run. On the polling goroutine.
func (e *Engine) seekInput(topic string, partition int32, next int64) {
	if e.seeks == nil {
		e.seeks = map[string]map[int32]kgo.EpochOffset{}
	}
	if e.seeks[topic] == nil {
		e.seeks[topic] = map[int32]kgo.EpochOffset{}
	}
	e.seeks[topic][partition] = kgo.EpochOffset{Epoch: -1, Offset: next}
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

// epochLimit is how many bytes the outputs of a worker's epoch may hold before it is committed early.
func (e *Engine) epochLimit() int64 {
	return max(1<<20, e.config.Memory/16/int64(e.config.Workers))
}

// buffer counts bytes that are fetched, or processed (negative), and returns what the input has.
func (e *Engine) buffer(in *input, n int64) int64 {
	e.buffered.Add(n)
	return in.buffered.Add(n)
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
