package engine

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamgen/streamgen/runtime/kafka"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// globals keeps the global tables of a process up to date, on one goroutine and with one client. It is no part of the group: each process
// reads all partitions, committed records only, up to the ends that they have when it starts (load), before it joins, and then
// follows them (run).
//
// A table's database is a copy of its topic. Rows and the offsets up to which they were read are written in one batch, and there is no
// changelog: what a crash takes is read again. Whatever is in doubt is read anew from the start, at a start; a process that
// runs ends instead, since others look into the rows meanwhile.
type globals struct {
	engine *Engine
	poller kafka.Poller
	tables []*global
	asked  time.Time // when the ends were asked for last
}

// global is one global table.
type global struct {
	engine *Engine
	table  *topology.GlobalTable
	topic  int // index
	name   string
	id     [16]byte // of the topic
	next   []int64  // by partition, where the database is as the process starts
	target []int64  // by partition, what it has to read before anything is processed
	db     *state.Pebble
	task   *task.Task
	core   *task.Worker
	wall   atomic.Int64 // up to when deletes are known, in milliseconds
	saved  int64        // wall in the database
	stats  *GlobalStats
}

// globalEpoch is how many bytes of changed rows are applied at a time.
const globalEpoch = 2 << 20

// load opens the global tables and reads their topics.
func (e *Engine) load(ctx context.Context) error {
	if len(e.topology.GlobalTables) == 0 {
		return nil
	}
	e.stats.phase.Store(int32(Restoring))
	g := &globals{engine: e}
	e.globals = g
	positions := map[string]map[int32]kgo.Offset{}
	for i := range e.topology.GlobalTables {
		t := &global{engine: e, table: &e.topology.GlobalTables[i], topic: int(e.topology.GlobalTables[i].Source.Topics[0]), stats: e.stats.Globals[i]}
		t.name = e.topology.Topics[t.topic].Name
		g.tables = append(g.tables, t)
		if err := t.open(ctx); err != nil {
			return fmt.Errorf("%s: %w", t.table.Source.Name, err)
		}
		positions[t.name] = map[int32]kgo.Offset{}
		for p, next := range t.next {
			positions[t.name][int32(p)] = kgo.NewOffset().At(next)
		}
	}
	var err error
	g.poller.Client, err = kgo.NewClient(append(append([]kgo.Opt{}, e.config.Client...), kgo.ConsumePartitions(positions), kafka.Pool(),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.ConsumeResetOffset(kgo.NoResetOffset()))...)
	if err != nil {
		return err
	}
	start := time.Now()
	for !g.complete() {
		if err := g.poll(ctx); err != nil {
			return err
		}
	}
	now := time.Now()
	for _, t := range g.tables {
		if err := t.settle(now); err != nil {
			return err
		}
		e.log.Info("global table is complete", "table", t.table.Source.Name, "rows", t.stats.Rows.Load(), "read", t.stats.Read.Load(),
			"took", now.Sub(start).Round(time.Millisecond))
	}
	return nil
}

// open opens the database of the table, or begins a new one where it cannot be trusted, and makes the task.
func (t *global) open(ctx context.Context) error {
	e := t.engine
	n, ok := e.catalog.live[t.name]
	if !ok {
		return fmt.Errorf("topic %q does not exist", t.name)
	}
	t.id = e.catalog.ids[t.name]
	var ends, starts []kafka.Offset
	for p := range n {
		ends = append(ends, kafka.Offset{Topic: t.name, Partition: p, At: kafka.End})
		starts = append(starts, kafka.Offset{Topic: t.name, Partition: p, At: kafka.Start})
	}
	asked := time.Now()
	err := retry(ctx, e.log, func() (err error) {
		if ends, err = kafka.ListOffsets(ctx, e.aux, ends); err == nil {
			starts, err = kafka.ListOffsets(ctx, e.aux, starts)
		}
		return err
	})
	if err != nil {
		return err
	}
	why, err := t.openDatabase(starts, ends)
	if err != nil {
		return err
	}
	if why != "" {
		e.log.Warn("a global table is read from the beginning", "table", t.table.Source.Name, "why", why)
		if t.db != nil {
			if err := t.db.Close(); err != nil {
				return err
			}
		}
		if err := e.shared.Remove(t.dir()); err != nil {
			return err
		}
		if why, err = t.openDatabase(starts, ends); err != nil || why != "" {
			return errors.Join(errors.New(why), err)
		}
	}
	c := t.db.Checkpoint()
	t.saved = cmp.Or(c.Wall, asked.UnixMilli())
	t.wall.Store(t.saved)
	var inputs []task.Input
	t.next = nil
	for p := range n {
		next, ok := c.Source(t.position(), p)
		if !ok {
			next = starts[p].At
		}
		inputs = append(inputs, task.Input{Topic: t.name, Partition: p, Table: true, Next: next})
		t.next, t.target = append(t.next, next), append(t.target, ends[p].At)
	}
	t.task, err = task.New(task.Config{
		SubTopology: t.table.Source.Name, Backend: t.db, Budget: e.shared.Budget, Inputs: inputs, Partitions: e.catalog.partitions.Topics,
		Positions: e.topology.Positions, Epoch: c.Epoch, Drops: &e.stats.Drops, Logger: e.log, Context: e.users,
	}, t.table.New)
	if err != nil {
		return err
	}
	t.core = task.NewWorker(t, nil)
	t.core.ApplyRetries = &e.stats.ApplyRetries
	t.core.Add(t.task)
	t.count()
	return nil
}

// openDatabase opens the database; why says why it is not to be trusted, if it is not.
func (t *global) openDatabase(starts, ends []kafka.Offset) (why string, err error) {
	e := t.engine
	t.db, err = e.openDatabase(t.dir(), []state.Schema{t.table.Store.Schema()})
	var changed *state.SchemaError
	switch {
	case errors.As(err, &changed):
		return "its format changed", nil
	case errors.Is(err, state.ErrCorrupt):
		return "its database is damaged", nil
	case err != nil:
		return "", err
	}
	c := t.db.Checkpoint()
	if age := time.Since(time.UnixMilli(c.Wall)); c.Wall > 0 && age > e.config.DeleteRetention {
		return fmt.Sprintf("it was last brought up to date %s ago, and deletes are kept for %s", age.Round(time.Second), e.config.DeleteRetention), nil
	}
	for _, s := range c.Sources {
		switch {
		case s.Topic != t.position():
			return "the topic was made anew", nil
		case int(s.Partition) >= len(ends), s.Next > ends[s.Partition].At:
			return "the topic was made anew, or has lost its end", nil
		case s.Next < starts[s.Partition].At:
			return "the topic no longer reaches back to where it was", nil
		}
	}
	return "", nil
}

// position is what the offsets of the topic are saved under: one of that name that is made again is another topic.
func (t *global) position() string { return t.name + " " + hex.EncodeToString(t.id[:]) }

func (t *global) dir() string { return t.engine.process.globalDir(t.table.Store.Name) }

// Commit implements task.Committer: the positions go into the batch of the rows. How far deletes are known it says itself.
func (t *global) Commit(e *task.Epoch) error {
	for i := range e.Parts {
		p := &e.Parts[i]
		p.State.Wall = t.wall.Load()
		for partition, next := range p.Next {
			p.State.Sources = append(p.State.Sources, state.SourcePosition{Topic: t.position(), Partition: int32(partition), Next: next})
		}
	}
	return nil
}

// complete says whether all tables are read to the ends that were asked for.
func (g *globals) complete() bool {
	for _, t := range g.tables {
		if t.left() > 0 {
			return false
		}
	}
	return true
}

// left is how many offsets are to be read before the table is complete.
func (t *global) left() (n int64) {
	for p, target := range t.target {
		n += max(0, target-t.task.Inputs().Fetched(uint16(p)))
	}
	return n
}

// run follows the topics until ctx is done.
func (g *globals) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := g.poll(ctx); err != nil && ctx.Err() == nil {
			g.engine.fail(err)
			return
		}
	}
}

// poll takes what has come to the tables and applies it. If nothing came, the memory of rows is looked at, and what may be behind
// markers.
func (g *globals) poll(ctx context.Context) error {
	fetches := g.poller.Poll(ctx, pollRecords)
	var failed error
	fetches.EachError(func(topic string, partition int32, err error) {
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, kgo.ErrClientClosed):
		default:
			failed = errors.Join(failed, g.fetchError(topic, partition, err))
		}
	})
	if failed != nil {
		return failed
	}
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		for _, t := range g.tables {
			if t.name == p.Topic && len(p.Records) > 0 {
				t.fetched(p)
			}
		}
	})
	idle := fetches.NumRecords() == 0
	for _, t := range g.tables {
		if idle {
			t.pass(ctx, g.poller.Client)
			t.task.Stores.Evict()
		}
		if err := t.process(); err != nil {
			return fmt.Errorf("%s: %w", t.table.Source.Name, err)
		}
	}
	if time.Since(g.asked) >= lagInterval && g.complete() {
		g.asked = time.Now()
		return g.ask(ctx)
	}
	return ctx.Err()
}

// fetchError decides about an error of a fetch. One that passes is said only.
func (g *globals) fetchError(topic string, partition int32, err error) error {
	at := fmt.Errorf("global table of topic %s, partition %d: %w", topic, partition, err)
	switch {
	case errors.Is(err, kerr.OffsetOutOfRange):
		return &fatalError{fmt.Errorf("%w: what is to be read is no longer there; at the next start the table is read anew", at)}
	case errors.Is(err, kerr.TopicAuthorizationFailed), topic != "" && errors.Is(err, kerr.UnknownTopicOrPartition):
		return &fatalError{at}
	}
	g.engine.log.Warn("fetch", "topic", topic, "partition", partition, "error", err)
	return nil
}

// fetched takes what came of a partition.
func (t *global) fetched(p kgo.FetchTopicPartition) {
	next := p.Records[len(p.Records)-1].Offset + 1
	views, size := kafka.Views(p.Records, uint16(p.Partition), 0)
	t.stats.Read.Add(int64(len(views)))
	t.engine.stats.Topics[t.topic].In.Add(uint64(len(views)))
	t.task.Inputs().Append(uint16(p.Partition), views, size, next, 1)
}

// process applies what has come. Partitions do not wait for each other: each key has one.
func (t *global) process() error {
	in := t.task.Inputs()
	for p := range t.next {
		in.SetEnd(uint16(p), in.Fetched(uint16(p)), 2)
	}
	for {
		n, err := t.core.Process(t.task, 2)
		if err != nil {
			return err
		}
		if n > 0 && t.task.Stores.DirtyBytes() < globalEpoch {
			continue
		}
		if err := t.core.Commit(); err != nil { // goes on while it is applied
			return err
		}
		if n == 0 {
			break
		}
	}
	err := t.core.Wait()
	t.count()
	return err
}

// pass moves partitions past offsets at which a committed read finds no record, if they are behind their ends.
func (t *global) pass(ctx context.Context, client *kgo.Client) {
	in := t.task.Inputs()
	for p, target := range t.target {
		at := in.Fetched(uint16(p))
		if at >= target {
			continue
		}
		next, err := kafka.PastInvisible(ctx, t.engine.aux, client, kafka.Offset{Topic: t.name, TopicID: t.id, Partition: int32(p), At: at})
		if err == nil && next > at {
			in.Append(uint16(p), nil, 0, next, 1)
		} else if err != nil && ctx.Err() == nil {
			t.engine.log.Warn("fetch", "topic", t.name, "partition", p, "error", err)
		}
	}
}

// ask asks how far the topics go: for the lag, and because deletes are known up to now where there is none. A topic that has other
// partitions than it had ends the process, which reads them at its next start.
func (g *globals) ask(ctx context.Context) error {
	req := kmsg.NewPtrMetadataRequest()
	var offsets []kafka.Offset
	for _, t := range g.tables {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(t.name)
		req.Topics = append(req.Topics, topic)
		for p := range t.next {
			offsets = append(offsets, kafka.Offset{Topic: t.name, Partition: int32(p), At: kafka.End})
		}
	}
	resp, err := req.RequestWith(ctx, g.engine.aux)
	if err != nil {
		return nil // the next one will be answered
	}
	for i, m := range resp.Topics {
		if t := g.tables[i]; m.ErrorCode == 0 && m.Topic != nil && *m.Topic == t.name && (len(m.Partitions) > len(t.next) || m.TopicID != t.id) {
			return &fatalError{fmt.Errorf("%s: topic %q has other partitions than when the process started: it reads them when it is started again", t.table.Source.Name, t.name)}
		}
	}
	asked := time.Now()
	found, err := kafka.ListOffsets(ctx, g.engine.aux, offsets)
	if err != nil {
		return nil
	}
	for _, t := range g.tables {
		lag := int64(0)
		for p := range t.next {
			t.target[p] = max(t.target[p], found[0].At)
			lag += max(0, found[0].At-t.task.Inputs().Fetched(uint16(p)))
			found = found[1:]
		}
		t.stats.Lag.Store(lag)
		if lag == 0 {
			if err := t.known(asked); err != nil {
				return err
			}
		}
	}
	return nil
}

// known says that all deletes up to now are known. Now and then that is written down, also if nothing else is.
func (t *global) known(now time.Time) error {
	t.wall.Store(now.UnixMilli())
	if now.UnixMilli()-t.saved < globalSave.Milliseconds() {
		return nil
	}
	return t.settle(now)
}

// globalSave is how old, at most, the state on the disk of a table is that nothing comes to.
const globalSave = time.Minute

// settle writes down that all deletes up to now are known, and what is applied to the disk: a table that is complete stays so
// whatever happens to the process.
func (t *global) settle(now time.Time) error {
	t.wall.Store(now.UnixMilli())
	t.saved = now.UnixMilli()
	if err := t.db.Apply(&state.Frozen{Wall: t.saved}); err != nil {
		return err
	}
	return t.db.Flush()
}

// count brings the figures up to date.
func (t *global) count() {
	t.stats.Rows.Store(state.GlobalRows(t.db.Checkpoint(), t.table.Store.ID))
	t.stats.Left.Store(t.left())
}

// close ends all of it. Nothing looks into the tables any more.
func (g *globals) close() (err error) {
	if g.poller.Client != nil {
		g.poller.Client.Close()
	}
	for _, t := range g.tables {
		if t.core != nil {
			err = errors.Join(err, t.core.Close())
			t.task.Close()
		}
		if t.db != nil {
			err = errors.Join(err, t.db.Close())
		}
	}
	return err
}
