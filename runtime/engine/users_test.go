package engine

import (
	"sync"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// patient is a sub-topology with a function of the user's, which waits for somebody until the process drains.
type patient struct {
	rekey
	waits   func()
	waiting bool
}

func (s *patient) Process(b *record.Batch) error {
	for i := range b.Records {
		b.Next = i + 1
		if s.waiting && string(b.Records[i].Value[:1]) == "w" {
			s.task.Enter(posOrders)
			s.waits()
			ctx := s.task.Context()
			<-ctx.Done()
			if err := s.task.Reject(&b.Records[i], posOrders, task.BadLogic, ctx.Err()); err != nil {
				return err
			}
		}
	}
	return s.rekey.Process(b)
}

// A record that a function gives up because the process drains is no bad one: no policy skips it, and it is processed again.
func TestDrainInterruptsFunctions(t *testing.T) {
	c := shopCluster(t, 1)
	waiting := make(chan struct{})
	var once sync.Once
	program := func(waits bool) *topology.Topology {
		top := shop(topology.ExactlyOnce)
		top.Positions[posOrders].OnError = task.Skip
		top.SubTopologies[0].New = func(t *task.Task) (task.SubTopology, error) {
			return &patient{rekey: rekey{task: t, out: t.Topic(topicRekeyed)}, waiting: waits, waits: func() { once.Do(func() { close(waiting) }) }}, nil
		}
		return top
	}
	c.Produce(order(0, "a", 1), order(0, "waiter", 1), order(0, "a", 2))
	dir := t.TempDir()
	e := startEngine(t, program(true), testConfig(c, dir))
	<-waiting
	e.drain()
	for _, d := range e.Stats().Drops.List() {
		if d.Count > 0 {
			t.Errorf("dropped %+v", d)
		}
	}

	e = startEngine(t, program(false), testConfig(c, dir))
	exactlyOnce(t, collect(t, c, "counts").until(3), map[string]int{"a": 2, "waiter": 1})
	e.drain()
}
