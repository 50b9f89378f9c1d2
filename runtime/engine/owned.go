package engine

import (
	"context"
	"sync/atomic"

	"github.com/streamgen/streamgen/runtime/kafka"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
)

// owned is a task that the group has given to this process, from its assignment to its revocation or loss.
//
// It is opened by a goroutine of its own (restore), then belongs to its worker's goroutine. What the polling goroutine needs of
// it is written before.
type owned struct {
	id     taskID
	name   string
	inputs []input
	worker *worker

	epoch    uint64          // the last one that the group has committed, as of the assignment
	begin    []task.Input    // by input
	lost     atomic.Bool     // taken away without asking: nothing of it may be committed any more
	ctx      context.Context // of the opening goroutine
	cancel   context.CancelFunc
	started  atomic.Bool   // opening has begun, or never will
	opened   chan struct{} // closed when the opening goroutine has ended
	restored uint64        // epoch of the rows in the changelogs; opening goroutine

	// Of the worker's goroutine, once opened.
	task      *task.Task
	db        state.Backend
	asked     int64    // when the ends of all inputs were asked for last
	all       []uint16 // the numbers of the inputs
	rewinding bool     // records that come belong to a position that was left

	stats *TaskStats
}

// input is an input of an owned task.
type input struct {
	inputTopic
	buffered atomic.Int64 // bytes from the poll to the end of processing
	counted  int64        // of them, those in the task; worker's goroutine
	paused   atomic.Bool  // changed under Engine.pausing
}

// partitions are the inputs, as the client wants them.
func (o *owned) partitions() map[string][]int32 {
	m := map[string][]int32{}
	for i := range o.inputs {
		m[o.inputs[i].name] = append(m[o.inputs[i].name], o.id.partition)
	}
	return m
}

// offsets are the inputs, as requests want them.
func (o *owned) offsets(c *catalog) []kafka.Offset {
	var list []kafka.Offset
	for i := range o.inputs {
		name := o.inputs[i].name
		list = append(list, kafka.Offset{Topic: name, TopicID: c.ids[name], Partition: o.id.partition})
	}
	kafka.SortOffsets(list)
	return list
}

// stop ends the opening of o and waits for it; what it posts was posted before.
func (o *owned) stop() {
	o.cancel()
	if o.started.CompareAndSwap(false, true) {
		return // nothing opens it any more
	}
	<-o.opened
}

// index is the input that topic is.
func (o *owned) index(topic string) (uint16, bool) {
	for i := range o.inputs {
		if o.inputs[i].name == topic {
			return uint16(i), true
		}
	}
	return 0, false
}
