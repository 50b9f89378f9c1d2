package engine

import (
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/streamgen/streamgen/runtime/internal/failpoint"
	"github.com/streamgen/streamgen/runtime/kafka"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/task"
)

// worker is a goroutine that processes and commits its tasks. Others talk to it by post.
type worker struct {
	engine   *Engine
	core     *task.Worker
	producer *kafka.Producer // the committer's
	interval time.Duration
	log      *slog.Logger

	mu      sync.Mutex
	mail    []func()
	spare   []func()
	wake    chan struct{} // has room for one
	stopped chan struct{} // closed when run returns

	// Of the goroutine.
	tasks     []*owned
	pinned    int64     // bytes of records that outputs of the running epoch may point at
	dirty     bool      // something was processed since the last commit
	committed time.Time // when the last commit began
	purged    time.Time // when changelogs were last looked at for what has expired
	backoff   time.Duration
	landed    uint64         // epochs committed when the last abort came
	until     time.Time      // nothing is processed before, after aborts
	expelled  *expelledError // nothing is processed while the process is still that member
	dead      bool           // an error stops the process
	ending    bool
	unknown   []uint16 // scratch
}

func newWorker(e *Engine, c task.Committer, interval time.Duration) *worker {
	w := &worker{
		engine: e, interval: interval, log: e.log, wake: make(chan struct{}, 1), stopped: make(chan struct{}), committed: time.Now(),
	}
	w.core = task.NewWorker(c, w.poke)
	w.core.ApplyRetries = &e.stats.ApplyRetries
	return w
}

// post runs f on the worker's goroutine, after what was posted before. After the worker has ended it is forgotten.
func (w *worker) post(f func()) {
	w.mu.Lock()
	w.mail = append(w.mail, f)
	w.mu.Unlock()
	w.poke()
}

func (w *worker) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// ask is post and waits until f has run or the worker has ended.
func (w *worker) ask(f func()) {
	done := make(chan struct{})
	w.post(func() { defer close(done); f() })
	select {
	case <-done:
	case <-w.stopped:
	}
}

func (w *worker) run() {
	defer close(w.stopped)
	timer := time.NewTimer(w.interval)
	defer timer.Stop()
	for {
		w.read()
		if w.ending {
			return
		}
		n := w.step()
		w.commitIfDue()
		w.purgeIfDue()
		if n > 0 {
			continue
		}
		timer.Reset(min(w.interval, lagInterval))
		select {
		case <-w.wake:
		case <-timer.C:
		}
	}
}

// read runs what was posted.
func (w *worker) read() {
	w.mu.Lock()
	mail := w.mail
	w.mail, w.spare = w.spare[:0], nil
	w.mu.Unlock()
	for _, f := range mail {
		f()
	}
	clear(mail)
	w.mu.Lock()
	w.spare = mail[:0]
	w.mu.Unlock()
}

// step processes a batch of each task and returns the number of records.
func (w *worker) step() (n int) {
	if w.dead || !w.until.IsZero() && time.Now().Before(w.until) {
		return 0
	}
	if w.expelled != nil && w.engine.member() == w.expelled.member {
		return 0
	}
	w.expelled = nil
	if err := w.core.Land(); err != nil {
		w.aborted(err)
		return 0
	}
	now := time.Since(epochStart).Nanoseconds()
	for _, o := range w.tasks {
		if o.rewinding {
			continue
		}
		k, err := w.core.Process(o.task, now)
		if err != nil {
			w.aborted(err)
			return n
		}
		if k > 0 {
			n += k
			w.dirty = true
		}
		w.account(o)
		if now-o.asked > lagInterval.Nanoseconds() { // for the lag
			o.asked = now
			w.engine.ends.ask(o, o.all)
		}
		if w.unknown = o.task.Inputs().Unknown(w.unknown[:0], now); len(w.unknown) > 0 {
			w.engine.ends.ask(o, w.unknown)
		}
		if w.unknown = o.task.Inputs().Unsettled(w.unknown[:0], now); len(w.unknown) > 0 {
			w.engine.settler.ask()
		}
		if o.task.Stores.Full() || w.pinned+o.task.OutputMemory() > w.engine.epochLimit() {
			if !w.commit() { // waits for the epoch in flight
				return n
			}
		}
	}
	return n
}

// lagInterval is how often the ends of all inputs are asked for, so that the lag is known.
const lagInterval = 2 * time.Second

// epochStart is the zero of the times in which arrivals and end offsets are compared.
var epochStart = time.Now()

// commitIfDue ends the epoch if its time has come. While the one before is being committed it waits, unless memory is short.
func (w *worker) commitIfDue() {
	if w.dead || !w.dirty || w.core.InFlight() || time.Since(w.committed) < w.interval {
		return
	}
	w.commit()
}

// commit ends the epoch, and says whether it went well so far.
func (w *worker) commit() bool {
	w.committed, w.dirty, w.pinned = time.Now(), false, 0
	if err := w.core.Commit(); err != nil {
		w.aborted(err)
		return false
	}
	return true
}

// Backoff after aborts in a row.
const (
	minBackoff = 20 * time.Millisecond
	maxBackoff = 2 * time.Second
)

// aborted takes the tasks back after err, or stops the process if it is no abort.
func (w *worker) aborted(err error) {
	w.dirty, w.pinned = false, 0
	var big *RowTooLargeError
	var fatal *fatalError
	if !errors.Is(err, task.ErrAborted) || errors.As(err, &big) || errors.As(err, &fatal) {
		w.dead = true
		w.engine.fail(err)
		return
	}
	w.log.Warn("an epoch was not committed, its input is processed again", "error", err)
	if w.core.Committed != w.landed {
		w.backoff = 0
	}
	w.landed = w.core.Committed
	w.backoff = min(max(2*w.backoff, minBackoff), maxBackoff)
	w.until = time.Now().Add(w.backoff)
	w.expelled, _ = errors.AsType[*expelledError](err)
	time.AfterFunc(w.backoff, w.poke)
	for _, t := range task.Unapplied(err) {
		if i := slices.IndexFunc(w.tasks, func(o *owned) bool { return o.task == t }); i >= 0 {
			w.reopen(w.tasks[i])
		}
	}
	for _, o := range w.tasks {
		w.rewind(o)
	}
}

// rewind fetches the inputs of o again from the last applied epoch.
func (w *worker) rewind(o *owned) {
	o.rewinding = true
	w.account(o)
	next := slices.Clone(o.task.Applied())
	w.engine.control(func() {
		w.engine.seek(o, next)
		w.post(func() { o.rewinding = false })
	})
}

// reopen closes a task whose committed rows could not be written, and opens it again from its changelog.
func (w *worker) reopen(o *owned) {
	w.engine.stats.Reopened.Add(1)
	w.log.Error("the state of a task is restored from its changelog", "task", o.name)
	w.engine.pause(o)
	if err := w.close(o); err != nil {
		w.log.Error("closing the state of a task", "task", o.name, "error", err)
	}
	w.engine.again(o)
}

// add begins to process an opened task.
func (w *worker) add(o *owned) {
	w.tasks = append(w.tasks, o)
	w.core.Add(o.task)
	o.stats.Phase.Store(int32(Running))
	w.engine.resumeAll(o)
	w.engine.settle()
}

// fetched gives records to a task.
func (w *worker) fetched(o *owned, i uint16, records []record.Record, size int, next, arrived int64) {
	in := &o.inputs[i]
	if o.rewinding || o.task == nil || !slices.Contains(w.tasks, o) {
		w.engine.buffer(in, -int64(size))
		return
	}
	in.counted += int64(size)
	o.task.Inputs().Append(i, records, size, next, arrived)
}

// setEnd takes the answer to a question about the end of an input. If the input stays behind it though nothing comes, what is
// between may be no record at all: then it is looked at.
func (w *worker) setEnd(o *owned, i uint16, end, asked int64) {
	if o.task == nil {
		return
	}
	in, x := o.task.Inputs(), &o.inputs[i]
	in.SetEnd(i, end, asked)
	switch at := in.Fetched(i); {
	case o.rewinding || !in.Behind(i):
		x.stuck = stuck{}
	case x.stuck.since == 0 || x.stuck.at != at:
		x.stuck = stuck{at, asked}
	case asked-x.stuck.since >= lagInterval.Nanoseconds()/2:
		x.stuck.since = asked
		go w.engine.passInvisible(o, i, at)
	}
}

// account updates what is buffered of o, and fetches on what was paused and is low again.
func (w *worker) account(o *owned) {
	in := o.task.Inputs()
	for i := range o.inputs {
		x := &o.inputs[i]
		now := int64(in.SizeOf(uint16(i)))
		if now != x.counted {
			w.pinned += max(0, x.counted-now)
			w.engine.buffer(x, now-x.counted)
			x.counted = now
		}
		if x.paused.Load() && x.buffered.Load() <= w.engine.inputLimit()/2 {
			w.engine.resume(o, i)
		}
	}
	o.stats.Lag.Store(in.Lag())
	o.stats.BufferedSize.Store(int64(in.Size()))
	o.stats.StateBytes.Store(o.task.Stores.DirtyBytes())
}

// release closes tasks that the group has taken back: what was processed is committed before, unless they are lost.
func (w *worker) release(tasks []*owned, commit bool) {
	var err error
	if slices.ContainsFunc(tasks, func(o *owned) bool { return o.lost.Load() }) {
		commit = false // given back before the worker came to it
	}
	if commit && !w.dead {
		w.committed, w.dirty = time.Now(), false
		if err = w.core.Commit(); err == nil {
			err = w.core.Wait()
		}
	} else if !w.dead {
		err = w.core.Abort()
	}
	failpoint.Hit("revoke.committed")
	for _, o := range tasks {
		if slices.Contains(w.tasks, o) {
			if cerr := w.close(o); cerr != nil {
				w.log.Error("closing the state of a task", "task", o.name, "error", cerr)
			}
		}
	}
	failpoint.Hit("revoke.closed")
	if err != nil {
		w.aborted(err)
	}
}

// close takes o from the worker and closes its database. The outcome of an epoch in flight has been taken before.
func (w *worker) close(o *owned) error {
	w.tasks = slices.DeleteFunc(w.tasks, func(x *owned) bool { return x == o })
	err := w.core.Remove(o.task)
	o.task.Close()
	err = errors.Join(err, o.db.Close())
	o.task, o.db = nil, nil
	return err
}

// end ends the worker, whose tasks have been released.
func (w *worker) end() {
	w.ending = true
	if err := w.core.Close(); err != nil {
		w.log.Warn("the last epoch of a worker was not committed", "error", err)
	}
}
