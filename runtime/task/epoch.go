package task

import (
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
)

// Epoch is what one transaction makes visible at once: the work of all tasks of a worker between two commits. It belongs to
// the worker while it is filled and after it came back, and to the committer in between.
type Epoch struct {
	Parts []Part
}

// Part is a task's share of an epoch. It shares no memory that the worker still writes.
type Part struct {
	Task   *Task
	Number uint64 // of the task's epoch; in the metadata of the committed offsets
	Output *record.Output
	State  state.Frozen
	Next   []int64  // by input: the offset to read next; -1: not to be committed
	Moved  bool     // an offset of Next is not the one of the epoch before
	Count  []uint64 // by input: records processed

	counts []uint64 // by counter of the task
}

// Produces says whether the part has a record to produce: an output or a changelog record.
func (p *Part) Produces() bool {
	if p.Output.Len() > 0 {
		return true
	}
	for range p.State.Changelog() {
		return true
	}
	return false
}

// Empty says that the epoch moved no offset and has nothing to produce: there is nothing to commit.
func (e *Epoch) Empty() bool {
	for i := range e.Parts {
		if p := &e.Parts[i]; p.Moved || p.Produces() {
			return false
		}
	}
	return true
}

// Committer makes epochs durable, one at a time, on a goroutine of its own.
type Committer interface {
	// Commit makes the outputs, the changelog records and the positions of e visible, all or nothing. It returns nil only if
	// they are known to be, and an error only if they are known not to be and never will; an error that is ErrFenced says that
	// the tasks belong to somebody else now. An outcome that is not known is the committer's to find out. It does not keep e.
	Commit(e *Epoch) error
}

// freeze moves what t did since the last freeze to p, and begins the next epoch of t.
func (p *Part) freeze(t *Task, wall int64) {
	t.epoch++
	p.Task, p.Number = t, t.epoch
	t.Stores.Freeze(t.epoch, wall, &p.State)
	if p.Output == nil {
		p.Output = &record.Output{}
	}
	p.Output, t.out = t.out, p.Output
	p.counts = p.counts[:0]
	for _, c := range t.counters {
		p.counts = append(p.counts, c.n)
		c.n = 0
	}
	p.Next, p.Count, p.Moved = p.Next[:0], p.Count[:0], false
	for i := range t.inputs.list {
		x := &t.inputs.list[i]
		next, left := x.next, uint64(0)
		if t.batch.More {
			next, left = t.unprocessed(uint16(i), next)
		}
		if t.inputs.held(x) {
			next = -1
		} else if next != x.frozen {
			p.Moved, x.frozen = true, next
		}
		p.Next, p.Count = append(p.Next, next), append(p.Count, x.count-left)
		x.count = left
	}
}

// unprocessed is where to read an input on of which a part of the batch is not processed, and how many records that is.
func (t *Task) unprocessed(input uint16, next int64) (first int64, n uint64) {
	first = next
	for i := len(t.batch.Records) - 1; i >= 0; i-- {
		if r := &t.batch.Records[i]; r.Input == input {
			first, n = r.Offset, n+1
		}
	}
	return first, n
}

// applied tells the task that p is committed and in its database.
func (p *Part) applied() {
	t := p.Task
	t.Stores.Applied(p.Number)
	for i, n := range p.counts {
		t.counters[i].total.Add(n)
	}
	for i, next := range p.Next {
		if next >= 0 {
			t.applied[i] = next
			t.inputs.list[i].Committed = true
		}
	}
}

// unused takes back an epoch that nothing has to be committed of.
func (p *Part) unused() {
	p.Task.Stores.Applied(p.Number)
	p.Task.epoch--
}

// reset empties p and keeps its memory.
func (p *Part) reset() {
	p.Task = nil
	p.Output.Reset()
	p.State.Reset()
}
