package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/internal/failpoint"
	"github.com/streamgen/streamgen/runtime/kafka"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// open restores a task and gives it to its worker, on a goroutine of its own, so that neither the group's heartbeats nor the
// other tasks wait. With relocate it first reads anew where the group is. Only the first call for o does anything.
func (e *Engine) open(o *owned, relocate bool) {
	if !o.started.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer close(o.opened)
		err := e.closedBefore(o)
		if err == nil {
			err = e.restore(o.ctx, o, relocate)
		}
		if err == nil {
			return
		}
		if o.db != nil {
			err = errors.Join(err, o.db.Close())
			o.db = nil
		}
		if o.ctx.Err() == nil {
			e.fail(fmt.Errorf("task %s: %w", o.name, err))
		}
	}()
}

// again opens a task again that had to be closed.
func (e *Engine) again(o *owned) {
	n := e.newOwned(o.id)
	n.worker = o.worker
	e.mu.Lock()
	current := e.tasks[o.id] == o
	if current {
		e.tasks[o.id] = n
	}
	e.mu.Unlock()
	if current {
		e.settle()
		e.open(n, true)
	}
}

// restore is steps 1 to 6 of the protocol's restore; step 1 was done before without relocate.
func (e *Engine) restore(ctx context.Context, o *owned, relocate bool) error {
	o.stats.Phase.Store(int32(Restoring))
	if relocate { // 1
		if err := retry(ctx, e.log, func() error { return e.locate(ctx, o) }); err != nil {
			return err
		}
		e.control(func() {
			next := make([]int64, len(o.begin))
			for i := range o.begin {
				next[i] = o.begin[i].Next
			}
			e.seek(o, next)
		})
	}
	sub := &e.topology.SubTopologies[o.id.sub]
	if len(sub.Stores) == 0 {
		o.db = state.NewMemory()
	} else {
		db, err := e.openState(o) // 2
		if err != nil {
			return err
		}
		o.db = db
		failpoint.Hit("restore.opened")
		if err := e.readChangelogs(ctx, o); err != nil { // 3, 4
			return err
		}
		if err := e.checkEpoch(o); err != nil { // 5
			return err
		}
		failpoint.Hit("restore.done")
	}
	t, err := task.New(task.Config{ // 6
		SubTopology: sub.Name, Partition: o.id.partition, Backend: o.db, Budget: e.shared.Budget, Inputs: o.begin,
		Partitions: e.catalog.partitions.Topics, Positions: e.topology.Positions, DeadLetters: e.topology.DeadLetterTopic(), Epoch: o.epoch, Drops: &e.stats.Drops,
		Logger: e.log, Context: e.users,
	}, sub.New)
	if err != nil {
		return err
	}
	t.Inputs().MaxIdle = e.config.MaxTaskIdle.Nanoseconds()
	o.worker.post(func() {
		o.task = t
		o.current.Store(t)
		o.worker.add(o)
	})
	return nil
}

// schemas are the stores of a task, for its database.
func (e *Engine) schemas(o *owned) []state.Schema {
	var list []state.Schema
	for _, s := range e.topology.SubTopologies[o.id.sub].Stores {
		list = append(list, s.Schema())
	}
	return list
}

// openState opens the database of a task. One that cannot be trusted is wiped: it is a copy.
func (e *Engine) openState(o *owned) (state.Backend, error) {
	dir := e.process.taskDir(o.name)
	db, err := e.openDatabase(dir, e.schemas(o))
	if errors.Is(err, state.ErrCorrupt) {
		e.log.Error("the state of a task is damaged, it is restored from its changelog", "task", o.name, "error", err)
		return e.wipeState(o, dir)
	}
	if err != nil {
		return nil, err
	}
	c := db.Checkpoint()
	if age := time.Since(time.UnixMilli(c.Wall)); c.Wall > 0 && age > e.config.DeleteRetention {
		e.log.Warn("the state of a task is older than deletes are kept in its changelog, it is restored from the beginning",
			"task", o.name, "age", age.Round(time.Second), "kept", e.config.DeleteRetention)
		if err := db.Close(); err != nil {
			return nil, err
		}
		return e.wipeState(o, dir)
	}
	if c.Epoch > o.epoch+e.unapplied() {
		return nil, errors.Join(e.resetError(o, c.Epoch), db.Close())
	}
	return db, nil
}

func (e *Engine) wipeState(o *owned, dir string) (state.Backend, error) {
	if err := e.shared.Remove(dir); err != nil {
		return nil, err
	}
	return e.openDatabase(dir, e.schemas(o))
}

// openDatabase opens a database, or makes it. One that a crash left half made is no database yet, and removed.
func (e *Engine) openDatabase(dir string, stores []state.Schema) (*state.Pebble, error) {
	done, err := e.process.making(dir)
	if err != nil {
		return nil, err
	}
	db, err := e.shared.Open(dir, stores)
	if err != nil {
		return nil, err
	}
	if err := done(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// ResetError says that state is ahead of the group's committed offsets: somebody has moved or deleted them. Processing on would
// count records twice.
type ResetError struct {
	Group, Task      string
	State, Committed uint64 // epochs
	Dir              string
}

func (e *ResetError) Error() string {
	return fmt.Sprintf("task %s: its state is at epoch %d, but the committed offsets of group %q are at epoch %d: they were reset or have expired, and processing on would count records twice; "+
		"reset the whole application (stop all instances, delete its changelog and repartition topics and the state directories, here %s), or put the offsets back",
		e.Task, e.State, e.Group, e.Committed, e.Dir)
}

func (e *Engine) resetError(o *owned, epoch uint64) error {
	return &ResetError{Group: e.topology.App, Task: o.name, State: epoch, Committed: o.epoch, Dir: e.process.dir}
}

// readChangelogs writes a marker to each changelog of the task and reads all of them up to it; the topics of tables that are
// changelogs, too, as far as the group has read them.
func (e *Engine) readChangelogs(ctx context.Context, o *owned) error {
	stores := e.topology.SubTopologies[o.id.sub].Stores
	var topics []string
	for i := range stores {
		if stores[i].Row == nil {
			topics = append(topics, stores[i].Changelog)
		}
	}
	marks, err := e.writeMarkers(ctx, topics, o.id.partition) // 3
	if err != nil {
		return err
	}
	failpoint.Hit("restore.marked")
	start := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	list := make([]restoring, len(stores))
	for i := range stores { // 4
		r := &list[i]
		*r = restoring{engine: e, o: o, store: &stores[i], rows: state.NewRestorer(o.db, stores[i].ID)}
		if r.source() {
			r.end = o.committed(stores[i].Changelog)
		} else {
			r.end, marks = marks[0], marks[1:]
		}
		all.Go(func() {
			if r.err = retry(ctx, e.log, func() error { return r.read(ctx) }); r.err != nil {
				cancel() // the others have no more use
			}
		})
	}
	all.Wait()
	for i := range list {
		if r := &list[i]; r.err != nil && (err == nil || errors.Is(err, context.Canceled)) {
			err = r.err
		}
		o.restored = max(o.restored, list[i].epoch)
	}
	if err != nil {
		return err
	}
	e.log.Info("restored", "task", o.name, "records", o.stats.Restored.Load(), "took", time.Since(start).Round(time.Millisecond))
	return nil
}

// writeMarkers puts a marker into the partition of each topic and returns their offsets.
func (e *Engine) writeMarkers(ctx context.Context, topics []string, partition int32) (marks []int64, err error) {
	if len(topics) == 0 {
		return nil, nil
	}
	err = retry(ctx, e.log, func() (err error) {
		marks, err = e.marker.write(ctx, topics, partition)
		return err
	})
	return marks, err
}

// restoring is the restore of one store.
type restoring struct {
	engine *Engine
	o      *owned
	store  *topology.Store
	rows   *state.Restorer
	end    int64  // offset of the marker; of a table's topic what the group reads next
	left   int64  // what it added to TaskStats.RestoreLeft
	epoch  uint64 // of the rows read
	err    error  // how it ended
}

// setLeft says how many offsets are still to be read.
func (r *restoring) setLeft(n int64) {
	r.o.stats.RestoreLeft.Add(n - r.left)
	r.left = n
}

// read reads the changelog from where the database is until the marker is read back.
func (r *restoring) read(ctx context.Context) error {
	from := r.rows.Next()
	if from > r.end { // the changelog was deleted and made anew
		return r.wipe("its database is ahead of its changelog")
	}
	first := kgo.NewOffset().AtStart()
	if from >= 0 || r.source() {
		// The client may begin at the start of the log by itself where the position lies before it.
		start, err := kafka.ListOffsets(ctx, r.engine.aux, []kafka.Offset{{Topic: r.store.Changelog, Partition: r.o.id.partition, At: kafka.Start}})
		if err != nil {
			return err
		}
		if from >= 0 && from < start[0].At {
			return r.wipe("its changelog no longer reaches back to it")
		}
		from = max(from, start[0].At)
		first = kgo.NewOffset().At(from)
	}
	if r.source() && from >= r.end {
		return nil
	}
	r.setLeft(r.end + 1 - max(from, 0))
	f := r.engine.changelogs.open(r.store.Changelog, r.o.id.partition, first)
	defer r.engine.changelogs.close(f)
	silent := time.NewTicker(restoreSilence)
	defer silent.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-f.fetched:
			if errors.Is(p.Err, kerr.OffsetOutOfRange) {
				return r.wipe("its changelog no longer reaches back to it")
			}
			if p.Err != nil {
				return p.Err
			}
			done, err := r.add(p.Records)
			if done || err != nil {
				return err
			}
			from = p.Records[len(p.Records)-1].Offset + 1
			silent.Reset(restoreSilence)
		case <-silent.C:
			if done, err := r.silent(ctx, from); done || err != nil {
				return err
			}
		}
	}
}

// add applies records, and says whether the end was among them.
func (r *restoring) add(records []*kgo.Record) (done bool, err error) {
	var next, n int64
	for _, c := range records {
		if n++; c.Offset >= r.end {
			if next, done = c.Offset+1, true; r.source() {
				n, next = n-1, r.end
			}
			break
		}
		if next = c.Offset + 1; c.Attrs.IsControl() {
			continue
		}
		if err := r.addRecord(c); err != nil {
			return false, &fatalError{err}
		}
	}
	if err := r.rows.Flush(next); err != nil {
		return false, &fatalError{err}
	}
	failpoint.Hit("restore.batch")
	r.o.stats.Restored.Add(n)
	r.setLeft(max(0, r.end+1-next))
	return done || r.source() && next >= r.end, nil
}

func (r *restoring) addRecord(c *kgo.Record) error {
	if r.source() {
		return r.addSource(c)
	}
	control, err := r.rows.Add(c.Key, c.Value, c.Timestamp.UnixMilli(), c.Offset)
	if control != nil && control.Kind == state.Commit {
		r.epoch = max(r.epoch, control.Epoch)
	}
	return err
}

// wipe empties the store, to be read from the start of its changelog.
func (r *restoring) wipe(why string) error {
	r.engine.log.Warn("a store is restored from the beginning", "task", r.o.name, "store", r.store.Name, "why", why)
	if err := r.rows.Reset(); err != nil {
		return &fatalError{err}
	}
	return errAgain
}

// errAgain asks for another try.
var errAgain = errors.New("again from the beginning")

// unapplied is by how many epochs changelogs may be ahead of the committed offsets: with at_least_once, a crash between the two
// leaves records of an epoch that is processed again, under the same number.
func (e *Engine) unapplied() uint64 {
	if e.topology.Guarantee == topology.ExactlyOnce {
		return 0
	}
	return 1
}

// checkEpoch compares the epoch of the rows with the committed one, and says that the database is as new as now.
func (e *Engine) checkEpoch(o *owned) error {
	epoch := max(o.restored, o.db.Checkpoint().Epoch)
	if epoch > o.epoch+e.unapplied() {
		return e.resetError(o, epoch)
	}
	return o.db.Apply(&state.Frozen{Epoch: epoch, Wall: time.Now().UnixMilli()})
}

// retry repeats f while it fails for a reason that passes, until ctx is done.
func retry(ctx context.Context, log *slog.Logger, f func() error) error {
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		err := f()
		var fatal *fatalError
		if err == nil || errors.As(err, &fatal) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !errors.Is(err, errAgain) {
			log.Warn("trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
