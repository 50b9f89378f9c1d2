package testdriver

import (
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// global is a global table: one for all tasks, as they are tasks of one process. Its disk survives a crash, its positions with it.
type global struct {
	table  *topology.GlobalTable
	topic  string
	disk   *state.Memory
	task   *task.Task
	worker *task.Worker
	fed    []int64 // by partition
	lost   bool    // the disk
}

func (d *Driver) makeGlobals() {
	for i := range d.topology.GlobalTables {
		table := &d.topology.GlobalTables[i]
		g := &global{table: table, topic: d.topology.Topic(table).Name}
		g.loseState()
		d.globals = append(d.globals, g)
	}
}

func (g *global) loseState() { g.disk, g.lost = state.NewMemory(g.table.Store.Schema()), true }

// start makes the task over the disk, and reads the topic to its end. What was read once is read again where the disk was lost, and
// its drops are not counted again.
func (g *global) start(d *Driver) error {
	if read := g.fed; g.lost && read != nil {
		if err := g.open(d, &task.Drops{}); err != nil {
			return err
		}
		if _, err := g.readTo(d, read); err != nil {
			return err
		}
		g.close()
	}
	g.lost = false
	if err := g.open(d, d.drops); err != nil {
		return err
	}
	_, err := g.step(d)
	return err
}

func (g *global) open(d *Driver, drops *task.Drops) error {
	var inputs []task.Input
	g.fed = nil
	c := g.disk.Checkpoint()
	for p := range d.logs[g.topic] {
		next, _ := c.Source(g.topic, int32(p))
		inputs = append(inputs, task.Input{Topic: g.topic, Partition: int32(p), Table: true, Next: next})
		g.fed = append(g.fed, next)
	}
	var err error
	g.task, err = task.New(task.Config{
		SubTopology: g.table.Source.Name, Backend: g.disk, Budget: d.budget, Inputs: inputs, Partitions: d.partitions.Topics,
		Positions: d.topology.Positions, Epoch: c.Epoch, Drops: drops, Logger: d.options.Logger, Clock: func() int64 { return d.now },
	}, g.table.New)
	if err != nil {
		return err
	}
	g.worker = task.NewWorker(g, nil)
	g.worker.Add(g.task)
	return nil
}

// step brings the table up to date.
func (g *global) step(d *Driver) (worked bool, err error) {
	var ends []int64
	for _, log := range d.logs[g.topic] {
		ends = append(ends, int64(len(log)))
	}
	return g.readTo(d, ends)
}

// readTo reads the topic up to offsets, by partition.
func (g *global) readTo(d *Driver, ends []int64) (worked bool, err error) {
	in := g.task.Inputs()
	for p, end := range ends {
		if g.fed[p] < end {
			batch, size := views(d.logs[g.topic][p][g.fed[p]:end], uint16(p), 0)
			in.Append(uint16(p), batch, size, end, d.nanoseconds())
			g.fed[p], worked = end, true
		}
		in.SetEnd(uint16(p), end, d.nanoseconds())
	}
	for n := 1; n > 0; {
		if n, err = g.worker.Process(g.task, d.nanoseconds()); err != nil {
			return worked, err
		}
	}
	if err := g.worker.Commit(); err != nil {
		return worked, err
	}
	return worked, g.worker.Wait()
}

// Commit implements task.Committer: what is applied is all there is to it.
func (g *global) Commit(e *task.Epoch) error {
	for i := range e.Parts {
		p := &e.Parts[i]
		for partition, next := range p.Next {
			p.State.Sources = append(p.State.Sources, state.SourcePosition{Topic: g.topic, Partition: int32(partition), Next: next})
		}
	}
	return nil
}

// close ends the worker.
func (g *global) close() {
	if g.worker != nil {
		g.worker.Close()
		g.task.Close()
		g.worker = nil
	}
}
