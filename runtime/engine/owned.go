package engine

import (
	"context"
	"sync"
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

	epoch   uint64          // the last one that the group has committed, as of the assignment
	begin   []task.Input    // by input
	lost    atomic.Bool     // the group's: nothing of it may be committed any more
	ctx     context.Context // of the opening goroutine
	cancel  context.CancelFunc
	started atomic.Bool   // opening has begun, or never will
	opened  chan struct{} // closed when the opening goroutine has ended
	closed  chan struct{} // closed when the task has been given back and its database is closed
	close   sync.Once     // of closed

	current  atomic.Pointer[task.Task] // what task below is, for other goroutines
	restored uint64                    // epoch of the rows in the changelogs; opening goroutine

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
	stuck    stuck        // worker's goroutine
}

// stuck is where an input was last seen behind its end without a record coming.
type stuck struct{ at, since int64 } // since: 0: it was not

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

// setClosed says that the task has been given back.
func (o *owned) setClosed() { o.close.Do(func() { close(o.closed) }) }

// index is the input that topic is.
func (o *owned) index(topic string) (uint16, bool) {
	for i := range o.inputs {
		if o.inputs[i].name == topic {
			return uint16(i), true
		}
	}
	return 0, false
}
