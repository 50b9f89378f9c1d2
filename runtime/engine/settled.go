package engine

import (
	"context"
	"slices"
	"time"

	"github.com/streamgen/streamgen/runtime/kafka"
)

// settler finds out since when nothing is on its way to the topics that the program itself writes, for tasks where stream time may pass
// while these are silent.
//
// It asks for the ends of what a sub-topology reads, records of open transactions included, and waits until the group has committed them: what was
// made of all that lies in the topics behind, or is about to. So sub-topology by sub-topology, in the order in which records go through
// them: what lay in a topic from outside when the round began has come to an end everywhere. The group's offsets say it, so it holds
// for all processes.
type settler struct {
	engine *Engine
	wake   chan struct{} // has room for one
}

// Times of the settler.
const (
	settlePause = 50 * time.Millisecond // between looks at what is committed
	settleLimit = 10 * time.Second      // then a round begins anew
)

// ask lets a round begin, unless one is under way.
func (s *settler) ask() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *settler) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		// The time before the first question counts, as with ends.
		asked := time.Since(epochStart).Nanoseconds()
		round, cancel := context.WithTimeout(ctx, settleLimit)
		ends, err := s.round(round)
		cancel()
		if err != nil {
			if !sleep(ctx, settlePause) {
				return
			}
			continue
		}
		for _, w := range s.engine.workers {
			w.post(func() { w.settled(ends, asked) })
		}
	}
}

// round waits until all that lay in the topics has gone through the program, and returns the ends of the topics that it writes itself.
func (s *settler) round(ctx context.Context) (map[partitionOf]int64, error) {
	c := s.engine.catalog
	fed := 0
	for _, in := range c.inputs {
		if c.fed(in) {
			fed++
		}
	}
	ends := map[partitionOf]int64{}
	for range fed { // sub-topologies that write to each other are gone through as often as a record may go to and fro
		for sub := range c.topology.SubTopologies {
			if err := s.through(ctx, sub, ends); err != nil {
				return nil, err
			}
		}
	}
	return ends, nil
}

// through waits until the group has committed all that the sub-topology has to read.
func (s *settler) through(ctx context.Context, sub int, ends map[partitionOf]int64) error {
	c, e := s.engine.catalog, s.engine
	var of []kafka.Offset
	for _, in := range c.inputs {
		for p := range in.count {
			if in.sub == sub {
				of = append(of, kafka.Offset{Topic: in.name, TopicID: c.ids[in.name], Partition: p, At: kafka.End})
			}
		}
	}
	kafka.SortOffsets(of)
	want, err := kafka.ListAppended(ctx, e.aux, of)
	if err != nil {
		return err
	}
	for {
		committed, err := kafka.FetchOffsets(ctx, e.aux, e.topology.App, of)
		if err != nil {
			return err
		}
		behind := slices.IndexFunc(want, func(o kafka.Offset) bool {
			i := slices.IndexFunc(committed, func(c kafka.Offset) bool { return c.Topic == o.Topic && c.Partition == o.Partition })
			return o.At > 0 && committed[i].At < o.At
		})
		if behind < 0 {
			break
		}
		if !sleep(ctx, settlePause) {
			return ctx.Err()
		}
	}
	for _, o := range want {
		if in, _ := c.reader(o.Topic); c.fed(in) {
			ends[partitionOf{o.Topic, o.Partition}] = o.At
		}
	}
	return nil
}

// sleep waits, unless ctx ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// settled takes the answer of a round.
func (w *worker) settled(ends map[partitionOf]int64, asked int64) {
	for _, o := range w.tasks {
		if o.rewinding {
			continue
		}
		for i := range o.inputs {
			if end, ok := ends[partitionOf{o.inputs[i].name, o.id.partition}]; ok {
				o.task.Inputs().SetSettled(uint16(i), end, asked)
			}
		}
	}
}
