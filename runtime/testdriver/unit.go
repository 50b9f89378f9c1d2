package testdriver

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// unit is a task with what survives it: its disk, its changelogs and its committed positions.
type unit struct {
	sub       *topology.SubTopology
	partition int32
	inputs    []input
	disk      *disk
	changelog map[uint16][]state.ChangelogRecord // by store
	epoch     uint64                             // the last one committed
	committed []int64                            // by input; -1: the group has none

	task *task.Task
	fed  []int64 // by input: handed to the task so far
}

// input is a topic partition that a task reads.
type input struct {
	topic  string
	source uint8
	table  bool
	wait   bool          // bootstrap
	idle   time.Duration // of the source
	fed    bool          // a repartition
}

// disk is the database of a task.
type disk struct {
	*state.Memory
	lose bool // what is applied is lost: the process dies before
}

// Apply implements state.Backend.
func (d *disk) Apply(f *state.Frozen) error {
	if d.lose {
		return nil
	}
	return d.Memory.Apply(f)
}

// makeUnits lists the tasks: a sub-topology reads partition p of each of its topics that has one.
func (d *Driver) makeUnits(live map[string]int32) error {
	t := d.topology
	for i := range t.SubTopologies {
		sub := &t.SubTopologies[i]
		for p := range d.partitions.Tasks[i] {
			u := &unit{sub: sub, partition: p, changelog: map[uint16][]state.ChangelogRecord{}}
			for j := range sub.Sources {
				source := &sub.Sources[j]
				names, err := t.Matching(source, live)
				if err != nil {
					return err
				}
				for _, k := range source.Topics {
					names = append(names, t.Topics[k].Name)
				}
				for _, name := range names {
					if int(p) < len(d.logs[name]) {
						u.inputs = append(u.inputs, input{name, uint8(j), source.Table, source.Bootstrap, source.Idle, d.repartition(name)})
						u.committed = append(u.committed, -1)
					}
				}
			}
			u.loseState()
			d.tasks = append(d.tasks, u)
		}
	}
	return nil
}

func (u *unit) loseState() {
	var schemas []state.Schema
	for _, s := range u.sub.Stores {
		schemas = append(schemas, s.Schema())
	}
	u.disk = &disk{Memory: state.NewMemory(schemas...)}
}

// start restores the disk and makes the task.
func (u *unit) start(d *Driver) error {
	u.disk.lose = false
	for i := range u.sub.Stores {
		if err := u.restore(d, &u.sub.Stores[i]); err != nil {
			return err
		}
	}
	var inputs []task.Input
	u.fed = nil
	for i, in := range u.inputs {
		ti := task.Input{Topic: in.topic, Partition: u.partition, Source: in.source, Table: in.table, Idle: in.idle.Nanoseconds(), Fed: in.fed}
		if u.committed[i] >= 0 {
			ti.Next, ti.Committed = u.committed[i], true
		} else if in.wait {
			ti.Target = int64(len(d.logs[in.topic][u.partition]))
		}
		inputs = append(inputs, ti)
		u.fed = append(u.fed, ti.Next)
	}
	if u.task != nil {
		u.task.Close()
	}
	var err error
	u.task, err = task.New(task.Config{
		SubTopology: u.sub.Name, Partition: u.partition, Backend: u.disk, Inputs: inputs, Partitions: d.partitions.Topics,
		Positions: d.topology.Positions, DeadLetters: d.topology.DeadLetterTopic(), Epoch: u.epoch, Drops: d.drops, Clock: func() int64 { return d.now }, Budget: d.budget, Logger: d.options.Logger,
	}, u.sub.New)
	return err
}

// restore reads the changelog of a store from where the disk is.
func (u *unit) restore(d *Driver, s *topology.Store) error {
	r := state.NewRestorer(u.disk, s.ID)
	log := u.changelog[s.ID]
	from := max(r.Next(), 0)
	if s.Row != nil {
		return u.restoreSource(d, s, r, from)
	}
	for i, c := range log[from:] {
		if _, err := r.Add(c.Key, c.Value, c.Timestamp, from+int64(i)); err != nil {
			return fmt.Errorf("%s-%d: %w", u.sub.Name, u.partition, err)
		}
	}
	return r.Flush(int64(len(log)))
}

// restoreSource reads the topic of a table from where the disk is to where the group is.
func (u *unit) restoreSource(d *Driver, s *topology.Store, r *state.Restorer, from int64) error {
	to := int64(0)
	for i, in := range u.inputs {
		if in.topic == s.Changelog {
			to = max(0, u.committed[i])
		}
	}
	if from >= to {
		return nil
	}
	for _, c := range d.logs[s.Changelog][u.partition][from:to] {
		if c.Key == nil {
			continue
		}
		err := r.AddSource(c.Key, c.Timestamp, c.Offset, func(dst []byte) ([]byte, error) { return s.Row(dst, c.Key, c.Value) })
		if err != nil && d.topology.Positions[d.topology.Maker(s).Position].OnError != task.Skip {
			return fmt.Errorf("%s-%d: %w", u.sub.Name, u.partition, err)
		}
	}
	return r.Flush(to)
}

// feed hands the task what its topics hold.
func (u *unit) feed(d *Driver) {
	in := u.task.Inputs()
	now, settled := d.nanoseconds(), u.idles() && d.settled()
	for i, x := range u.inputs {
		log := d.logs[x.topic][u.partition]
		end := int64(len(log))
		if u.fed[i] < end {
			batch, size := views(log[u.fed[i]:], uint16(i), x.source)
			in.Append(uint16(i), batch, size, end, now)
			u.fed[i] = end
		}
		in.SetEnd(uint16(i), end, now)
		if settled {
			in.SetSettled(uint16(i), end, now)
		}
	}
}

// idles says whether stream time may pass by what the program itself writes.
func (u *unit) idles() bool {
	return slices.ContainsFunc(u.inputs, func(x input) bool { return x.fed && x.idle > 0 })
}

// settled says that nothing is on its way: all that the topics hold is processed and committed.
func (d *Driver) settled() bool {
	for _, w := range d.workers {
		if w.InFlight() || w.since > 0 {
			return false
		}
	}
	for _, u := range d.tasks {
		for i, x := range u.inputs {
			if n := len(d.logs[x.topic][u.partition]); n > 0 && u.committed[i] < int64(n) {
				return false
			}
		}
	}
	return true
}

// nanoseconds is the wall clock as inputs want it: it begins behind zero, which stands for never.
func (d *Driver) nanoseconds() int64 { return d.now*int64(time.Millisecond) + 1 }

// views are records of a topic as a task takes them, and how many bytes they have.
func views(log []Record, input uint16, source uint8) (batch []record.Record, size int) {
	batch = make([]record.Record, 0, len(log))
	for _, r := range log {
		batch = append(batch, record.Record{Key: r.Key, Value: r.Value, Headers: r.Headers, Timestamp: r.Timestamp, Offset: r.Offset,
			Input: input, Source: source})
		size += len(r.Key) + len(r.Value)
	}
	return batch, size
}

// rewind goes back to the last applied epoch: the inputs are fed again from there.
func (u *unit) rewind() { u.fed = slices.Clone(u.task.Applied()) }

// commit takes a task's part of a committed epoch: changelog, positions, and outputs to out. It runs on the committer's
// goroutine; nobody else touches the unit while an epoch is in flight, but for its task and fed.
func (u *unit) commit(p *task.Part, out *[]Record, t *topology.Topology) error {
	for c := range p.State.Changelog() {
		u.changelog[c.Store] = append(u.changelog[c.Store], state.ChangelogRecord{
			Store: c.Store, Key: bytes.Clone(c.Key), Value: bytes.Clone(c.Value), Timestamp: c.Timestamp})
	}
	for _, s := range u.sub.Stores {
		if s.Row == nil {
			p.State.Changelogs = append(p.State.Changelogs, state.ChangelogPosition{Store: s.ID, Next: int64(len(u.changelog[s.ID]))})
		}
	}
	u.epoch = p.Number
	for i, next := range p.Next {
		if next >= 0 {
			u.committed[i] = next
			for _, s := range u.sub.Stores {
				if s.Row != nil && s.Changelog == u.inputs[i].topic {
					p.State.Changelogs = append(p.State.Changelogs, state.ChangelogPosition{Store: s.ID, Next: next})
				}
			}
			p.State.Sources = append(p.State.Sources, state.SourcePosition{Topic: u.inputs[i].topic, Partition: u.partition, Next: next})
		}
	}
	return p.Output.Drain(func(list []record.Out) error {
		for _, o := range list {
			*out = append(*out, Record{Topic: t.Topics[o.Topic].Name, Partition: o.Partition, Key: bytes.Clone(o.Key), Value: bytes.Clone(o.Value),
				Headers: slices.Clone(o.Headers), Timestamp: o.Timestamp})
		}
		return nil
	})
}
