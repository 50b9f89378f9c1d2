package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/kafka"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// groupOptions make the client that is the process's membership of the group, and that fetches what the group gives it.
func (e *Engine) groupOptions() []kgo.Opt {
	c := &e.config
	opts := append([]kgo.Opt{}, c.Client...)
	opts = append(opts,
		kgo.ConsumerGroup(e.topology.App),
		kgo.ConsumeTopics(e.catalog.consume...),
		kgo.Balancers(e.balancer),
		kgo.BlockRebalanceOnPoll(),
		kafka.Pool(),
		kgo.DisableAutoCommit(),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // a position behind the last marker is how a task knows that it is caught up
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.AdjustFetchOffsetsFn(e.adjust),
		kgo.OnPartitionsAssigned(e.assigned),
		kgo.OnPartitionsRevoked(e.revoked),
		kgo.OnPartitionsLost(e.lost),
		kgo.SessionTimeout(c.SessionTimeout),
		kgo.RebalanceTimeout(c.RebalanceTimeout),
		kgo.HeartbeatInterval(cmp.Or(c.HeartbeatInterval, 3*time.Second)),
	)
	if c.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(c.InstanceID))
	}
	return opts
}

// member is who the process is in the group now.
func (e *Engine) member() kafka.Member {
	id, generation := e.group.GroupMetadata()
	return kafka.Member{Group: e.topology.App, ID: id, Instance: e.config.InstanceID, Generation: generation}
}

// tasksOf are the tasks that partitions belong to, in order.
func (e *Engine) tasksOf(partitions map[string][]int32) []taskID {
	var ids []taskID
	for topic, list := range partitions {
		in, ok := e.catalog.reader(topic)
		if !ok {
			continue
		}
		for _, p := range list {
			ids = append(ids, taskID{in.sub, p})
		}
	}
	slices.SortFunc(ids, taskID.compare)
	return slices.Compact(ids)
}

// assigned takes the tasks that the group gives. They are not fetched before they are open; adjust opens them, once their
// offsets are known.
func (e *Engine) assigned(_ context.Context, _ *kgo.Client, partitions map[string][]int32) {
	<-e.joined
	if len(partitions) == 0 {
		return
	}
	e.stats.Rebalances.Add(1)
	for _, id := range e.tasksOf(partitions) {
		o := e.newOwned(id)
		e.mu.Lock()
		e.tasks[id] = o
		e.mu.Unlock()
		e.pause(o)
	}
	e.settle()
}

// newOwned is the task of that id, given to the worker that has the fewest.
func (e *Engine) newOwned(id taskID) *owned {
	o := &owned{id: id, name: e.catalog.name(id), opened: make(chan struct{}), closed: make(chan struct{})}
	for _, t := range e.catalog.inputsOf(id) {
		o.all = append(o.all, uint16(len(o.inputs)))
		o.inputs = append(o.inputs, input{inputTopic: t})
	}
	o.stats = &TaskStats{SubTopology: e.topology.SubTopologies[id.sub].Name, Partition: id.partition}
	o.ctx, o.cancel = context.WithCancel(e.ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	load := make([]int, len(e.workers))
	for _, t := range e.tasks {
		for i, w := range e.workers {
			if t.worker == w {
				load[i]++
			}
		}
	}
	o.worker = e.workers[slices.Index(load, slices.Min(load))]
	return o
}

// adjust is called with the offsets of newly assigned partitions before they are fetched. It decides where each input begins,
// and opens the tasks.
func (e *Engine) adjust(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	<-e.joined
	partitions := map[string][]int32{}
	for topic, ps := range offsets {
		for p := range ps {
			partitions[topic] = append(partitions[topic], p)
		}
	}
	for _, id := range e.tasksOf(partitions) {
		e.mu.Lock()
		o := e.tasks[id]
		e.mu.Unlock()
		if o == nil {
			continue
		}
		if !o.started.Load() {
			if err := e.locate(ctx, o); err != nil {
				return nil, err
			}
		}
		if o.begin == nil {
			return nil, errClosing // given back meanwhile
		}
		for i := range o.inputs {
			if ps := offsets[o.inputs[i].name]; ps != nil {
				ps[id.partition] = kgo.NewOffset().At(o.begin[i].Next)
			}
		}
		e.open(o, false)
	}
	return offsets, nil
}

// locate reads where the group is in the inputs of o, and decides where those begin that it has never read. It is step 1 of a
// restore: pending offsets are waited for, so from here on no transaction of an earlier owner can commit.
func (e *Engine) locate(ctx context.Context, o *owned) error {
	committed, err := kafka.FetchOffsets(ctx, e.aux, e.topology.App, o.offsets(e.catalog))
	if err != nil {
		return fmt.Errorf("task %s: %w", o.name, err)
	}
	o.epoch, o.begin = 0, make([]task.Input, len(o.inputs))
	var unknown []kafka.Offset // the starts to be asked for
	var of []int
	first := true // no source that is no table was ever read
	for i := range o.inputs {
		in := &o.inputs[i]
		source := e.catalog.source(in.inputTopic)
		begin := &o.begin[i]
		*begin = task.Input{Topic: in.name, Partition: o.id.partition, Source: in.source, Table: source.Table, Idle: source.Idle.Nanoseconds(), Fed: e.catalog.fed(in.inputTopic)}
		c := committed[slices.IndexFunc(committed, func(c kafka.Offset) bool { return c.Topic == in.name })]
		if c.At >= 0 {
			begin.Next, begin.Committed = c.At, true
			o.epoch = max(o.epoch, parseEpoch(c.Metadata))
			first = first && source.Table
			continue
		}
		unknown, of = append(unknown, kafka.Offset{Topic: in.name, Partition: o.id.partition, At: start(source, time.Now())}), append(of, i)
	}
	if len(unknown) > 0 {
		found, err := kafka.ListOffsets(ctx, e.aux, unknown)
		if err != nil {
			return fmt.Errorf("task %s: %w", o.name, err)
		}
		for n, i := range of {
			o.begin[i].Next = found[n].At
		}
	}
	if first {
		return e.bootstrap(ctx, o)
	}
	return nil
}

// start is what to ask for where a source begins that was never read.
func start(s *topology.Source, now time.Time) int64 {
	switch {
	case s.Table || s.Start == topology.Earliest:
		return kafka.Start
	case s.Start == topology.Latest:
		return kafka.End
	}
	return now.Add(-time.Duration(s.Start)).UnixMilli()
}

// bootstrap finds how far the tables of a task have to be read before its other sources begin.
func (e *Engine) bootstrap(ctx context.Context, o *owned) error {
	var tables []kafka.Offset
	var of []int
	others := false
	for i := range o.inputs {
		s := e.catalog.source(o.inputs[i].inputTopic)
		others = others || !s.Table
		if s.Table && s.Bootstrap {
			tables = append(tables, kafka.Offset{Topic: o.inputs[i].name, Partition: o.id.partition, At: kafka.End})
			of = append(of, i)
		}
	}
	if len(tables) == 0 || !others {
		return nil
	}
	found, err := kafka.ListOffsets(ctx, e.aux, tables)
	if err != nil {
		return fmt.Errorf("task %s: %w", o.name, err)
	}
	for n, i := range of {
		o.begin[i].Target = found[n].At
	}
	return nil
}

// revoked gives tasks back: they are committed and closed before the group gives them to somebody else.
func (e *Engine) revoked(_ context.Context, _ *kgo.Client, partitions map[string][]int32) {
	<-e.joined
	ctx, cancel := context.WithTimeout(e.ctx, e.config.RebalanceTimeout/2)
	defer cancel()
	e.giveBack(ctx, e.tasksOf(partitions), true)
}

// lost is told of tasks that the group has taken: nothing of them may be committed.
func (e *Engine) lost(_ context.Context, _ *kgo.Client, partitions map[string][]int32) {
	<-e.joined
	if len(partitions) > 0 {
		e.log.Warn("the group has taken away all tasks: this process did not answer in time")
	}
	ctx, cancel := context.WithTimeout(e.ctx, e.config.RebalanceTimeout/2)
	defer cancel()
	e.giveBack(ctx, e.tasksOf(partitions), false)
}

// giveBack closes tasks. A task that its worker opens again at this moment is closed by another round.
//
// What is not done when ctx is goes on without being waited for: a worker may be in a step that takes long. Its tasks are lost
// from then on, so that nothing of them is committed any more, and opened here again only after they have been closed.
func (e *Engine) giveBack(ctx context.Context, ids []taskID, commit bool) {
	for {
		byWorker := map[*worker][]*owned{}
		e.mu.Lock()
		for _, id := range ids {
			if o := e.tasks[id]; o != nil {
				byWorker[o.worker] = append(byWorker[o.worker], o)
			}
		}
		e.mu.Unlock()
		if len(byWorker) == 0 {
			break
		}
		var all sync.WaitGroup
		for w, tasks := range byWorker {
			all.Go(func() {
				for _, o := range tasks {
					if !commit {
						o.lost.Store(true)
					}
					o.cancel()
				}
				released := make(chan struct{})
				go func() {
					for _, o := range tasks {
						o.stop()
					}
					w.ask(func() { w.release(tasks, commit) })
					for _, o := range tasks {
						o.setClosed()
					}
					close(released)
				}()
				select {
				case <-released:
				case <-ctx.Done():
					for _, o := range tasks {
						o.lost.Store(true)
					}
					e.log.Warn("tasks are given back before they are closed", "tasks", names(tasks))
				}
			})
		}
		all.Wait()
		e.mu.Lock()
		for _, tasks := range byWorker {
			for _, o := range tasks {
				if e.tasks[o.id] == o {
					delete(e.tasks, o.id)
					e.closing[o.id] = o.closed
				}
			}
		}
		e.mu.Unlock()
	}
	e.settle()
}

// isOwned says whether what a task did may be committed.
func (e *Engine) isOwned(t *task.Task) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, o := range e.tasks {
		if o.current.Load() == t {
			return !o.lost.Load()
		}
	}
	return false
}

// closedBefore waits until what this process had of a task has been closed.
func (e *Engine) closedBefore(o *owned) error {
	e.mu.Lock()
	closed := e.closing[o.id]
	e.mu.Unlock()
	if closed == nil {
		return nil
	}
	select {
	case <-closed:
		return nil
	case <-o.ctx.Done():
		return o.ctx.Err()
	}
}

func names(tasks []*owned) (list []string) {
	for _, o := range tasks {
		list = append(list, o.name)
	}
	return list
}

// settle brings the figures that follow from the tasks up to date.
func (e *Engine) settle() {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []*TaskStats
	inputs, running := 0, 0
	for _, o := range e.tasks {
		list = append(list, o.stats)
		inputs += len(o.inputs)
		if Phase(o.stats.Phase.Load()) == Running {
			running++
		}
	}
	slices.SortFunc(list, func(a, b *TaskStats) int {
		return cmp.Or(cmp.Compare(a.SubTopology, b.SubTopology), cmp.Compare(a.Partition, b.Partition))
	})
	e.inputCount.Store(int64(inputs))
	e.stats.setTasks(list)
	if p := e.stats.Phase(); p < Draining {
		switch {
		case running < len(list):
			e.stats.phase.Store(int32(Restoring))
		default:
			e.stats.phase.Store(int32(Running))
		}
	}
}

// errClosing ends what waits when the process ends.
var errClosing = errors.New("the process is ending")
