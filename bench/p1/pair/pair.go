// Package pair holds the sides of P1 that are compared within one process: the generated sub-topology, and the hand-written
// program's step in its variants, over the same records.
package pair

import (
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/bench/p1/hand"
	"github.com/streamgen/streamgen/bench/p1/orders"
	"github.com/streamgen/streamgen/generated/p1"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
)

const (
	// BatchSize is how many records a side is given at a time, as many as the runtime gives a task.
	BatchSize = 1024
	// epochBatches are the batches between two commits, when outputs are thrown away and their memory is used again.
	epochBatches = 16
	partitions   = 4
)

// Out is a record that a side sends.
type Out struct {
	Key, Value []byte
	Partition  int32
	Timestamp  int64
}

// Side does the work in one way.
type Side struct {
	Name  string
	Batch func(n int) error // takes the n-th batch of the input; beyond the last one it begins again

	each func(func(Out)) error // ends the epoch and shows what was sent in it
}

// Each calls f with all that was sent since the last call, of at most one epoch.
func (s *Side) Each(f func(Out)) error { return s.each(f) }

// Sides are all sides, over the same records. The generated one is the first.
func Sides(list []orders.Order) ([]*Side, error) {
	g, err := Generated(list)
	if err != nil {
		return nil, err
	}
	return []*Side{
		g,
		Hand("hand-written, same JSON reader", list, hand.Read),
		Hand("hand-written, own scanner", list, hand.Scan),
		Hand("encoding/json", list, hand.Standard),
	}, nil
}

// Generated is the generated sub-topology in a task of the runtime.
func Generated(list []orders.Order) (*Side, error) {
	t, w, code, err := NewTask()
	if err != nil {
		return nil, err
	}
	var batches []*record.Batch
	for i, o := range list {
		if i%BatchSize == 0 {
			batches = append(batches, &record.Batch{})
		}
		b := batches[len(batches)-1]
		b.Records = append(b.Records, record.Record{Key: o.Key, Value: o.Value, Timestamp: o.Timestamp, Offset: int64(i)})
	}
	w.Add(t)
	s := &Side{Name: "generated"}
	since := 0
	s.Batch = func(n int) error {
		if err := code.Process(batches[n%len(batches)]); err != nil {
			return err
		}
		if since++; since < epochBatches {
			return nil
		}
		since = 0
		return w.Commit()
	}
	s.each = func(f func(Out)) error {
		since = 0
		w.committed.show = func(o record.Out) { f(Out{o.Key, o.Value, o.Partition, o.Timestamp}) }
		err := w.Commit()
		if err == nil {
			err = w.Wait()
		}
		w.committed.show = nil
		return err
	}
	return s, nil
}

// Worker is a worker of the runtime whose epochs go nowhere.
type Worker struct {
	*task.Worker
	committed *nowhere
}

// NewTask makes a task of the generated program, its code, and a worker for it.
func NewTask() (*task.Task, *Worker, task.SubTopology, error) {
	topology := p1.Topology()
	sub := &topology.SubTopologies[0]
	c := task.Config{SubTopology: sub.Name, Backend: state.NewMemory(), Positions: topology.Positions,
		Inputs: []task.Input{{Topic: topology.Topics[0].Name}}}
	for range topology.Topics {
		c.Partitions = append(c.Partitions, partitions)
	}
	var code task.SubTopology
	t, err := task.New(c, func(t *task.Task) (task.SubTopology, error) {
		var err error
		code, err = sub.New(t)
		return code, err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	n := &nowhere{}
	return t, &Worker{task.NewWorker(n, nil), n}, code, nil
}

// nowhere is a committer that commits nothing.
type nowhere struct{ show func(record.Out) }

// Commit implements task.Committer.
func (n *nowhere) Commit(e *task.Epoch) error {
	if n.show == nil {
		return nil
	}
	for i := range e.Parts {
		if err := e.Parts[i].Output.Drain(func(list []record.Out) error {
			for _, o := range list {
				n.show(o)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// Hand is a step of the hand-written program, with all that surrounds it but the client.
func Hand(name string, list []orders.Order, step hand.Step) *Side {
	var batches [][]*kgo.Record
	for i, o := range list {
		if i%BatchSize == 0 {
			batches = append(batches, nil)
		}
		b := &batches[len(batches)-1]
		*b = append(*b, &kgo.Record{Key: o.Key, Value: o.Value, Timestamp: time.UnixMilli(o.Timestamp), Offset: int64(i)})
	}
	p := hand.NewPaid("paid-orders", partitions, step)
	var sent []*kgo.Record
	send := func(r *kgo.Record) { sent = append(sent, r) }
	s := &Side{Name: name}
	since := 0
	reset := func() {
		since, sent = 0, sent[:0]
		p.Reset()
	}
	s.Batch = func(n int) error {
		if err := p.Process(batches[n%len(batches)], send); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if since++; since == epochBatches {
			reset()
		}
		return nil
	}
	s.each = func(f func(Out)) error {
		for _, r := range sent {
			f(Out{r.Key, r.Value, r.Partition, r.Timestamp.UnixMilli()})
		}
		reset()
		return nil
	}
	return s
}
