package pair

import (
	"errors"
	"path/filepath"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
)

// Generated is the generated sub-topology of a family in a task, with a memory budget for the process.
func Generated(f Family, dir string, memory int64) (*Side, error) {
	top := f.Topology()
	sub := &top.SubTopologies[0]
	var schemas []state.Schema
	for _, s := range sub.Stores {
		schemas = append(schemas, s.Schema())
	}
	shared := state.NewShared(state.Options{Memory: memory, Tasks: 1})
	db, err := shared.Open(filepath.Join(dir, f.Name), schemas)
	if err != nil {
		return nil, err
	}
	c := task.Config{SubTopology: sub.Name, Backend: db, Budget: shared.Budget, Positions: top.Positions}
	for i, source := range sub.Sources {
		c.Inputs = append(c.Inputs, task.Input{Topic: top.Topics[source.Topics[0]].Name, Source: uint8(i), Table: source.Table})
	}
	for range top.Topics {
		c.Partitions = append(c.Partitions, 1)
	}
	t, err := task.New(c, sub.New)
	if err != nil {
		return nil, err
	}
	s := &Side{Name: "generated"}
	committed := &collector{sums: &s.Sums, next: map[uint16]int64{}}
	w := task.NewWorker(committed, nil)
	w.Add(t)
	since, offset := 0, int64(0)
	s.Batch = func(batch []record.Record) error {
		offset += int64(len(batch))
		for i := range sub.Sources {
			list := record.Chunk(len(batch))
			for j := range batch {
				if len(sub.Sources) == 1 || batch[j].Source == uint8(i) {
					r := batch[j]
					r.Input = uint16(i)
					list = append(list, r)
				}
			}
			t.Inputs().SetEnd(uint16(i), offset, 1)
			t.Inputs().Append(uint16(i), list, 0, offset, 1)
		}
		for {
			n, err := w.Process(t, 1)
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
		}
		if since++; since < epochBatches && !t.Stores.Full() {
			return nil
		}
		since = 0
		return w.Commit()
	}
	s.close = func() error {
		err := errors.Join(w.Commit(), w.Wait(), w.Close())
		t.Close()
		err = errors.Join(err, db.Close())
		shared.Close()
		return err
	}
	return s, nil
}

// collector is a committer that sends nothing: it adds up the results, and looks at each record of the changelogs.
type collector struct {
	sums  *Sums
	next  map[uint16]int64
	bytes int
}

// Commit implements task.Committer.
func (c *collector) Commit(e *task.Epoch) error {
	for i := range e.Parts {
		p := &e.Parts[i]
		for r := range p.State.Changelog() {
			c.next[r.Store]++
			c.bytes += len(r.Key) + len(r.Value)
		}
		for store, next := range c.next {
			p.State.Changelogs = append(p.State.Changelogs, state.ChangelogPosition{Store: store, Next: next})
		}
		if err := p.Output.Drain(func(list []record.Out) error {
			for _, o := range list {
				c.sums.add(o.Key, o.Value, o.Timestamp)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
