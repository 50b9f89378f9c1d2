package pair

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// reader is an input of a task. What one task writes for another comes with the epoch behind that of the commit.
type reader struct {
	task   *task.Task
	input  uint16
	source uint8
	offset int64
	mail   []record.Record // of the epoch that was committed last
}

// take hands records to the task.
func (r *reader) take(list []record.Record) {
	for i := range list {
		list[i].Input, list[i].Source = r.input, r.source
	}
	r.offset += int64(len(list))
	r.task.Inputs().SetEnd(r.input, r.offset, 1)
	r.task.Inputs().Append(r.input, list, 0, r.offset, 1)
}

// Generated is the generated program of a family, a task a sub-topology, with a memory budget for the process.
func Generated(f Family, dir string, memory int64) (*Side, error) {
	top := f.Topology()
	shared := state.NewShared(state.Options{Memory: memory, Tasks: len(top.SubTopologies) + len(top.GlobalTables)})
	s := &Side{Name: "generated", tally: newTally(f)}
	committed := &collector{sums: &s.tally, next: map[storeOf]int64{}, readers: map[uint16]*reader{}}
	w := task.NewWorker(committed, nil)
	var outside, inside []*reader // of topics from outside, in the order of sources, and of others
	var closing []func() error
	add := func(name string, sources []topology.Source, stores []topology.Store, code func(*task.Task) (task.SubTopology, error)) error {
		var schemas []state.Schema
		for _, s := range stores {
			schemas = append(schemas, s.Schema())
		}
		db, err := shared.Open(filepath.Join(dir, f.Name, name), schemas)
		if err != nil {
			return err
		}
		c := task.Config{SubTopology: name, Backend: db, Budget: shared.Budget, Positions: top.Positions}
		var list []*reader
		for i, source := range sources {
			topic := source.Topics[0]
			c.Inputs = append(c.Inputs, task.Input{Topic: top.Topics[topic].Name, Source: uint8(i), Table: source.Table})
			r := &reader{input: uint16(i), source: uint8(i)}
			if list = append(list, r); top.Topics[topic].Kind == topology.Input {
				outside = append(outside, r)
			} else {
				inside = append(inside, r)
				committed.readers[topic] = r
			}
		}
		for range top.Topics {
			c.Partitions = append(c.Partitions, 1)
		}
		t, err := task.New(c, code)
		if err != nil {
			return err
		}
		w.Add(t)
		for _, r := range list {
			r.task = t
			r.take(nil)
		}
		closing = append(closing, func() error { t.Close(); return db.Close() })
		return nil
	}
	for i := range top.GlobalTables { // the others look into their rows
		g := &top.GlobalTables[i]
		if err := add(g.Source.Name, []topology.Source{g.Source}, []topology.Store{g.Store}, g.New); err != nil {
			return nil, err
		}
	}
	for i := range top.SubTopologies {
		sub := &top.SubTopologies[i]
		if err := add(sub.Name, sub.Sources, sub.Stores, sub.New); err != nil {
			return nil, err
		}
	}
	process := func() error {
		for _, t := range w.Tasks() {
			for n := 1; n > 0; {
				var err error
				if n, err = w.Process(t, 1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	commit := func() (more bool, err error) {
		if err := w.Wait(); err != nil { // from here on nobody writes mail
			return false, err
		}
		for _, r := range inside {
			if len(r.mail) > 0 {
				r.take(r.mail)
				r.mail, more = record.Chunk(len(r.mail)), true
			}
		}
		if err := w.Commit(); err != nil || len(top.GlobalTables) == 0 {
			return more, err
		}
		return more, w.Wait() // what is looked up is what is applied
	}
	since := 0
	s.Batch = func(batch []record.Record) error {
		for i, r := range outside {
			list := record.Chunk(len(batch))
			for j := range batch {
				if len(outside) == 1 || batch[j].Source == uint8(i) {
					list = append(list, batch[j])
				}
			}
			r.take(list)
		}
		if err := process(); err != nil {
			return err
		}
		full := slices.ContainsFunc(w.Tasks(), func(t *task.Task) bool { return t.Stores.Full() })
		if since++; since < epochBatches && !full {
			return nil
		}
		return s.Settle()
	}
	s.Settle = func() error {
		since = 0
		_, err := commit()
		return err
	}
	s.close = func() error {
		// What is on its way takes an epoch a topic.
		for rounds := 0; rounds <= len(inside); rounds++ {
			more, err := commit()
			if more {
				rounds = -1
			}
			if err = errors.Join(err, process()); err != nil {
				return err
			}
		}
		err := errors.Join(w.Wait(), w.Close())
		for _, end := range closing {
			err = errors.Join(err, end())
		}
		shared.Close()
		return err
	}
	return s, nil
}

// storeOf is a store of a task.
type storeOf struct {
	task  *task.Task
	store uint16
}

// collector is a committer that sends nothing: it adds up the results, hands on what other tasks read, and looks at each record of the
// changelogs.
type collector struct {
	sums    *tally
	next    map[storeOf]int64
	readers map[uint16]*reader // by topic
	bytes   int
}

// Commit implements task.Committer.
func (c *collector) Commit(e *task.Epoch) error {
	for i := range e.Parts {
		p := &e.Parts[i]
		for r := range p.State.Changelog() {
			c.next[storeOf{p.Task, r.Store}]++
			c.bytes += len(r.Key) + len(r.Value)
		}
		for s, next := range c.next {
			if s.task == p.Task {
				p.State.Changelogs = append(p.State.Changelogs, state.ChangelogPosition{Store: s.store, Next: next})
			}
		}
		if err := p.Output.Drain(func(list []record.Out) error {
			for _, o := range list {
				if r := c.readers[o.Topic]; r != nil {
					r.mail = append(r.mail, record.Record{Key: bytes.Clone(o.Key), Value: bytes.Clone(o.Value), Timestamp: o.Timestamp})
					continue
				}
				c.sums.add(o.Key, o.Value, o.Timestamp)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
