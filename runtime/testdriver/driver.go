// Package testdriver runs a generated topology without a broker: topics are slices, commits are function calls, and time
// stands still unless a test moves it. The tasks, workers, stores and generated code are those of the binary, so a test can
// crash or abort them between any two steps and hold the outcome against the straight run. A run is the same each time.
//
//	d := testdriver.Start(t, shop.Topology(), testdriver.Options{Partitions: 4})
//	d.PipeJSON("orders", `{"key": "o1", "value": {"customer_id": "c1"}, "ts": 17}`)
//	d.Run()
//	got := d.ReadJSON("orders-enriched")
//
// It stands beside engine, above task: it feeds inputs and commits epochs as engine does, into memory.
package testdriver

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// Options are how a topology is run. Zero values are the defaults.
type Options struct {
	// Partitions is how many partitions each topic from outside has; 0: one. PartitionsOf is it for topics by name, and names
	// topics that a pattern is to match.
	Partitions   int32
	PartitionsOf map[string]int32

	// BatchSize is how many records a task processes at a time; 0: 64.
	BatchSize int

	// CommitEvery is after how many records an epoch ends; 0: when nothing is left to process. 1 is the finest: what
	// emit = "updates" coalesces is then a single record.
	CommitEvery int

	// Workers is how many workers share the tasks, each with its own transactions; 0: one.
	Workers int

	// Memory is how many bytes the stores may hold beside their databases; 0: as many as they like. With 1 every row leaves
	// memory as soon as it is committed.
	Memory int64

	// Variables are values of the program's runtime variables.
	Variables map[string]string

	// FailCommit, if set, is asked for each transaction, numbered from 1 in the order in which they end: true aborts it.
	FailCommit func(n int) bool

	// Schedule, if set, picks whose record is processed next, whenever several inputs of tasks have one: of inputs in the order of the
	// topology, by index. Each record is then committed by itself. See Interleavings.
	Schedule func(ready []Waiting) int

	// Logger takes the topology's messages; nil: they are dropped.
	Logger *slog.Logger
}

// Record is a record of a topic.
type Record struct {
	Topic     string
	Partition int32
	Offset    int64
	Key       []byte // nil: null
	Value     []byte // nil: null
	Headers   []record.Header
	Timestamp int64 // milliseconds
}

// Driver holds the topics and the tasks. It has one owner goroutine.
type Driver struct {
	topology   *topology.Topology
	options    Options
	partitions *topology.Partitions
	logs       map[string][][]Record // by topic, then partition
	globals    []*global
	tasks      []*unit
	workers    []*worker
	drops      *task.Drops
	budget     *state.Budget // nil: none
	sent       []Record      // to topics that are not repartitions, since Sent
	now        int64         // milliseconds
	endings    int           // transactions that ended
	nulls      int32         // records without a key that were piped
	stopped    error
}

// New makes a driver and its tasks.
func New(t *topology.Topology, o Options) (*Driver, error) {
	o.Partitions, o.Workers = max(o.Partitions, 1), max(o.Workers, 1)
	if o.BatchSize == 0 {
		o.BatchSize = 64
	}
	if o.CommitEvery > 0 {
		o.BatchSize = min(o.BatchSize, o.CommitEvery)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	d := &Driver{topology: t, options: o, logs: map[string][][]Record{}, drops: &task.Drops{}}
	if o.Memory > 0 {
		d.budget = state.NewBudget(o.Memory)
	}
	if err := setVariables(t, o.Variables); err != nil {
		return nil, err
	}
	live := maps.Clone(o.PartitionsOf)
	if live == nil {
		live = map[string]int32{}
	}
	for i := range t.Topics {
		if topic := &t.Topics[i]; topic.Kind != topology.Repartition && live[topic.Name] == 0 {
			live[topic.Name] = o.Partitions
		}
	}
	var err error
	if d.partitions, err = t.Resolve(live); err != nil {
		return nil, err
	}
	for name, n := range live {
		d.logs[name] = make([][]Record, n)
	}
	for i, n := range d.partitions.Topics {
		d.logs[t.Topics[i].Name] = make([][]Record, n)
	}
	d.makeGlobals()
	if err := d.makeUnits(live); err != nil {
		return nil, err
	}
	return d, d.start()
}

// Start is New for a test: what goes wrong, then and later, ends the test.
func Start(t testing.TB, top *topology.Topology, o Options) *Test {
	t.Helper()
	d, err := New(top, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return &Test{Driver: d, t: t}
}

func setVariables(t *topology.Topology, values map[string]string) error {
	for _, v := range t.Variables {
		value, ok := values[v.Name]
		if !ok {
			value, ok = v.Default, v.HasDefault
		}
		if !ok {
			return fmt.Errorf("testdriver: variable %q has neither a value nor a default", v.Name)
		}
		if err := v.Set(value); err != nil {
			return fmt.Errorf("testdriver: variable %q: %w", v.Name, err)
		}
	}
	for name := range values {
		if !slices.ContainsFunc(t.Variables, func(v topology.Variable) bool { return v.Name == name }) {
			return fmt.Errorf("testdriver: the program has no runtime variable %q", name)
		}
	}
	return nil
}

// Pipe appends records to a topic from outside, each to the partition of its key; those without one go to the partitions
// in turn. Topic, Partition and Offset are filled in.
func (d *Driver) Pipe(topic string, records ...Record) error {
	log, ok := d.logs[topic]
	if !ok {
		return fmt.Errorf("testdriver: there is no topic %q", topic)
	}
	for _, r := range records {
		n := int32(len(log))
		if r.Key != nil {
			r.Partition = record.Partition(r.Key, n)
		} else {
			r.Partition = d.nulls % n
			d.nulls++
		}
		d.append(topic, r)
	}
	return nil
}

func (d *Driver) append(topic string, r Record) {
	log := d.logs[topic]
	r.Topic, r.Offset = topic, int64(len(log[r.Partition]))
	log[r.Partition] = append(log[r.Partition], r)
}

// Read returns what a topic holds, partition after partition: of what the topology writes, what is committed.
func (d *Driver) Read(topic string) []Record { return slices.Concat(d.logs[topic]...) }

// Sent returns what was committed to sinks since it was asked last, over all topics in the order of sending.
func (d *Driver) Sent() []Record {
	sent := d.sent
	d.sent = nil
	return sent
}

// Advance moves the wall clock, which begins at 0. It is what records without a time are given.
func (d *Driver) Advance(by time.Duration) { d.now += by.Milliseconds() }

// Dropped are the records that were dropped or skipped in committed epochs, by reason and step.
func (d *Driver) Dropped() []Drop { return d.counts(d.drops.List()) }

// Outcomes are how often joins met a row, or none, in committed epochs, with "matched" or "unmatched" as the reason.
func (d *Driver) Outcomes() []Drop { return d.counts(d.drops.Outcomes()) }

func (d *Driver) counts(list []task.Drop) []Drop {
	var out []Drop
	for _, x := range list {
		if x.Count > 0 {
			out = append(out, Drop{x.Reason, d.topology.Positions[x.At].Address, x.Count})
		}
	}
	return out
}

// Drop is a count of dropped records.
type Drop struct {
	Reason string
	Step   string // address of the step
	Count  uint64
}

// Run processes until nothing is left and everything is committed.
func (d *Driver) Run() error {
	for {
		worked, err := d.Step()
		if err != nil || !worked {
			return err
		}
	}
}

// Step processes at most one batch of each task, and ends the epochs that are due: those with CommitEvery records, or all
// if there was no batch. It reports whether there was anything to do. Global tables are brought up to date before.
//
// The epoch of a worker that ended is being committed while the next one is processed, as in the binary; its outputs are in
// the topics when that one ends.
func (d *Driver) Step() (worked bool, err error) {
	if d.stopped != nil {
		return false, d.stopped
	}
	for _, g := range d.globals {
		busy, err := g.step(d)
		if err != nil {
			d.stopped = err
			return false, err
		}
		worked = worked || busy
	}
	if d.options.Schedule != nil {
		if worked, err = d.scheduled(); err != nil {
			d.stopped = err
		}
		return worked, err
	}
	for _, w := range d.workers {
		busy, err := w.step()
		if err != nil {
			d.stopped = err
			return false, err
		}
		worked = worked || busy
	}
	return worked, nil
}

// Abort drops what every worker has done since its last commit, as when a transaction fails, and aborts the one in
// flight. It is processed again by the next steps.
func (d *Driver) Abort() error {
	if d.stopped != nil {
		return d.stopped
	}
	for _, w := range d.workers {
		if err := w.abort(); err != nil {
			d.stopped = err
			return err
		}
	}
	return nil
}

// Crash ends every task at once, with what was not committed, and begins anew from the committed rows.
func (d *Driver) Crash() error { return d.crash(crash{}) }

// CrashBeforeApply is a crash between the end of a transaction and the write to the state directory: the running epoch is
// committed, and its rows have to come back from the changelog.
func (d *Driver) CrashBeforeApply() error { return d.crash(crash{beforeApply: true}) }

// CrashAndLoseState is a crash together with the disk: every row comes back from the changelog.
func (d *Driver) CrashAndLoseState() error { return d.crash(crash{loseState: true}) }

// HandOver commits what every task has done and lets others go on with them, on disks of their own, as a cooperative rebalance does: every
// row comes back from the changelog.
func (d *Driver) HandOver() error {
	if d.stopped != nil {
		return d.stopped
	}
	for _, w := range d.workers {
		for worked := true; worked; {
			var err error
			if worked, err = w.finish(); err != nil {
				d.stopped = err
				return err
			}
		}
	}
	return d.CrashAndLoseState()
}

type crash struct{ beforeApply, loseState bool }

func (d *Driver) crash(c crash) error {
	if d.stopped != nil {
		return d.stopped
	}
	for _, w := range d.workers {
		if err := w.crash(c); err != nil {
			d.stopped = err
			return err
		}
	}
	for _, g := range d.globals {
		g.close()
	}
	if c.loseState {
		for _, g := range d.globals {
			g.loseState()
		}
		for _, u := range d.tasks {
			u.loseState()
		}
	}
	return d.start()
}

// Close ends the driver's goroutines.
func (d *Driver) Close() {
	for _, w := range d.workers {
		w.close()
	}
	for _, g := range d.globals {
		g.close()
	}
	d.workers = nil
	d.stopped = errors.New("testdriver: closed")
}

// start makes the tasks and workers over what is committed.
func (d *Driver) start() error {
	for _, g := range d.globals {
		if err := g.start(d); err != nil {
			d.stopped = err
			return err
		}
	}
	d.workers = nil
	for range min(d.options.Workers, max(len(d.tasks), 1)) {
		d.workers = append(d.workers, newWorker(d))
	}
	for i, u := range d.tasks {
		if err := u.start(d); err != nil {
			d.stopped = err
			return err
		}
		d.workers[i%len(d.workers)].add(u)
	}
	return nil
}
