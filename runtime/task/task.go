// Package task runs sub-topologies without knowing a broker: a Task is one sub-topology of one partition, a Worker is a
// goroutine with some tasks and one epoch at a time, a Committer makes epochs durable.
//
// It stands between generated code, which sees Task, and engine or testdriver, which feed Inputs, drive Workers and implement
// Committer.
package task

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
)

// SubTopology is the generated code of one sub-topology. The runtime makes one for each task and calls it from the
// task's goroutine only: once a batch, never once a record.
type SubTopology interface {
	// Process runs the records of b in order. It returns an error only if the task must not go on (the error policy says
	// stop, or a store failed): the epoch is then aborted.
	Process(b *record.Batch) error

	// Flush sends what is coalesced per commit. It is called once an epoch, after its last batch and before its rows are
	// frozen.
	Flush() error
}

// Task is what a sub-topology sees of the runtime: its outputs, stores, counters and error policy. It belongs to the
// goroutine of its worker.
type Task struct {
	SubTopology string
	Partition   int32
	Stores      *state.Stores

	code       SubTopology
	backend    state.Backend
	inputs     Inputs
	partitions []int32 // of each topic of the topology
	positions  []Position
	out        *record.Output
	logger     *slog.Logger
	limits     []limit // by position
	drops      *Drops
	counters   []*Counter
	skips      []skip
	letters    *record.Topic // of records that could not be processed; nil: there is none
	passing    []passing

	clock   func() int64
	context context.Context
	user    entered

	epoch   uint64  // last one that was frozen
	applied []int64 // by input: positions of the last applied epoch
	batch   record.Batch
	filled  []record.Record // the batch as it was filled; with batch.More, its Records are what is left of it
	resumes bool            // work may be left from before
}

// Config is what the runtime knows about a task before its code is made.
type Config struct {
	SubTopology string
	Partition   int32
	Backend     state.Backend // restored: it holds what the group has committed
	Budget      *state.Budget // of the process; nil: none
	Inputs      []Input
	Partitions  []int32    // of each topic of the topology
	Positions   []Position // of the topology
	DeadLetters *uint16    // the topic of records that cannot be processed; nil: there is none
	Epoch       uint64     // the last one that the group has committed; 0: none
	Drops       *Drops
	Logger      *slog.Logger    // nil: slog.Default()
	Clock       func() int64    // the wall clock, in milliseconds since the Unix epoch; nil: that of the machine
	Context     context.Context // for functions of the user's; nil: one that never ends
}

// New makes a task and its code.
func New(c Config, code func(*Task) (SubTopology, error)) (*Task, error) {
	t := &Task{
		SubTopology: c.SubTopology, Partition: c.Partition, Stores: state.NewStores(c.Backend, c.Budget), backend: c.Backend,
		inputs: newInputs(c.Inputs), partitions: c.Partitions, positions: c.Positions, out: &record.Output{},
		logger: c.Logger, limits: make([]limit, len(c.Positions)), drops: c.Drops, epoch: c.Epoch, clock: c.Clock, context: c.Context,
	}
	if t.clock == nil {
		t.clock = func() int64 { return time.Now().UnixMilli() }
	}
	if t.context == nil {
		t.context = context.Background()
	}
	if t.logger == nil {
		t.logger = slog.Default()
	}
	if t.drops == nil {
		t.drops = &Drops{}
	}
	for _, in := range c.Inputs {
		t.applied = append(t.applied, in.Next)
	}
	if c.DeadLetters != nil {
		t.letters = new(t.Topic(*c.DeadLetters))
	}
	var err error
	if t.code, err = code(t); err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	return t, nil
}

// String names the task.
func (t *Task) String() string { return fmt.Sprintf("task %s-%d", t.SubTopology, t.Partition) }

// Now is the wall clock, in milliseconds since the Unix epoch.
func (t *Task) Now() int64 { return t.clock() }

// Topic is the task's access to topic number index of the topology.
func (t *Task) Topic(index uint16) record.Topic {
	return record.NewTopic(&t.out, index, t.partitions[index], t.Partition)
}

// Input is what record.Record.Input refers to: the topic partition a record came from.
func (t *Task) Input(i uint16) (topic string, partition int32) {
	in := &t.inputs.list[i]
	return in.Topic, in.Partition
}

// TopicOf is the topic that r was read from.
func (t *Task) TopicOf(r *record.Record) string { return t.inputs.list[r.Input].Topic }

// PartitionOf is the partition that r was read from.
func (t *Task) PartitionOf(r *record.Record) int32 { return t.inputs.list[r.Input].Partition }

// Unfinished says, in a Flush, that there is more to do than fits into the epoch: Process is called again, even if no records come.
func (t *Task) Unfinished() { t.batch.More = true }

// Resumes says, while the code is made, that an epoch may end with work unfinished: Process is called once before any records come, and so
// it is after an abort.
func (t *Task) Resumes() { t.resumes, t.batch.More = true, true }

// EventTimes lets the records of a source take their turns by time, which is asked for when they come, between batches. Called while the
// code of the task is made.
func (t *Task) EventTimes(source uint8, time func(r *record.Record) int64) {
	for i := range t.inputs.list {
		if x := &t.inputs.list[i]; x.Source == source {
			x.EventTime = time
		}
	}
}

// Inputs are the task's buffers, for whoever feeds it, on the goroutine of the worker.
func (t *Task) Inputs() *Inputs { return &t.inputs }

// OutputMemory is how many bytes the outputs of the running epoch hold on to.
func (t *Task) OutputMemory() int64 { return int64(t.out.Memory()) }

// Applied are the positions of the last applied epoch, by input: where to read on after an abort.
func (t *Task) Applied() []int64 { return t.applied }

// Epoch is the number of the epoch being processed. Numbers of a task grow by one with each epoch that is committed,
// whoever owns the task.
func (t *Task) Epoch() uint64 { return t.epoch + 1 }

// Backend is the task's database.
func (t *Task) Backend() state.Backend { return t.backend }

// Close takes the task's memory out of the budget. Its database stays open.
func (t *Task) Close() { t.Stores.Close() }

// emptied ends a batch: its memory is used for the next one.
func (t *Task) emptied() {
	clear(t.filled)
	t.batch.Records, t.batch.More, t.filled = t.filled[:0], false, nil
}

// discard takes the task back to the last applied epoch.
func (t *Task) discard() error {
	t.out.Reset()
	t.emptied()
	t.batch.More = t.resumes
	t.inputs.rewind(t.applied)
	for i := range t.passing {
		t.passing[i].until = 0
	}
	for _, c := range t.counters {
		c.n = 0
	}
	return t.Stores.Discard()
}
