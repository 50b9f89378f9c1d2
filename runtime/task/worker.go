package task

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/streamgen/streamgen/runtime/internal/failpoint"
)

// Worker is a goroutine's tasks and their common epochs: while epoch N is being committed by the committer's goroutine, N+1 is
// processed. Its methods are called from one goroutine.
//
// Invariants. At most one epoch is being committed; the next may be processed, not frozen. Everything of N+1 builds on N: if N
// does not commit, N+1 is worth nothing. A database never holds a row of an epoch that is not known to be committed.
type Worker struct {
	// BatchSize is how many records a task processes at a time, at most.
	BatchSize int

	// ApplyRetries, if not nil, counts the attempts to write a committed epoch again.
	ApplyRetries *atomic.Uint64

	// Committed is how many epochs have committed. To be read on the worker's goroutine.
	Committed uint64

	tasks    []*Task
	notify   func()
	handed   chan *Epoch
	landed   chan struct{}
	result   result // written before landed
	inFlight bool
	spare    []*Epoch
}

type result struct {
	epoch *Epoch
	err   error         // the epoch did not commit
	lost  []*ApplyError // it did, and these tasks could not apply it
}

// NewWorker starts the committer's goroutine. Close ends it. landed, if not nil, is called on it whenever an epoch has its
// outcome, to be taken with Land.
func NewWorker(c Committer, landed func()) *Worker {
	w := &Worker{BatchSize: 1024, notify: landed, handed: make(chan *Epoch), landed: make(chan struct{}, 1)}
	for range 2 { // one being filled or waiting, one being committed
		w.spare = append(w.spare, &Epoch{})
	}
	go w.commitLoop(c)
	return w
}

// Tasks are the worker's tasks.
func (w *Worker) Tasks() []*Task { return w.tasks }

// Add gives the worker a task.
func (w *Worker) Add(t *Task) { w.tasks = append(w.tasks, t) }

// Remove takes tasks from the worker, at once and as they are: what they did since the last commit is to be thrown away with
// them. The outcome of an epoch in flight is waited for; an abort of it is returned like by Wait, after the tasks have left.
func (w *Worker) Remove(tasks ...*Task) error {
	err := w.Wait()
	w.tasks = slices.DeleteFunc(w.tasks, func(t *Task) bool { return slices.Contains(tasks, t) })
	return err
}

// Process runs a batch of t, if it has records that may be processed now, and returns their number. Of one that has more to do than
// fits into a step it runs a part, and the rest with the next call; the number is then at least 1, as it is if stream time has passed
// without records. An error that is not ErrAborted or
// an ApplyError stops the process; the running epoch has been dropped.
func (w *Worker) Process(t *Task, now int64) (int, error) {
	if err := w.Land(); err != nil {
		return 0, err
	}
	if !t.batch.More {
		t.inputs.Fill(&t.batch, w.BatchSize, now)
		if len(t.batch.Records) == 0 && !t.pass(now) {
			return 0, nil
		}
		t.filled = t.batch.Records
	}
	n := max(len(t.batch.Records), 1)
	t.Stores.Evict()
	if !t.batch.More {
		t.Stores.Ahead(t.batch.Records)
	}
	err := t.process()
	if err != nil {
		t.emptied()
		return 0, w.fail(t, err)
	}
	if t.batch.More {
		return max(n-len(t.batch.Records), 1), nil
	}
	t.emptied()
	return n, nil
}

// Commit ends the running epoch and hands it over. Processing goes on with the next one while this one is being committed.
// The steps in front of the hand-over are 1 to 4 of the commit protocol (package engine, protocol.go).
func (w *Worker) Commit() error {
	// 1. Flush: what is coalesced per commit.
	for _, t := range w.tasks {
		if err := t.flush(); err != nil {
			return w.fail(t, err)
		}
	}
	failpoint.Hit("commit.flushed")
	// 2. Wait until the epoch before is committed and applied.
	if err := w.Wait(); err != nil {
		return err
	}
	// 3. Freeze: encode the changed rows, take the outputs and the positions.
	e := w.spare[len(w.spare)-1]
	w.spare = w.spare[:len(w.spare)-1]
	e.Parts = slices.Grow(e.Parts[:0], len(w.tasks))[:len(w.tasks)]
	wall := time.Now().UnixMilli()
	for i, t := range w.tasks {
		e.Parts[i].freeze(t, wall)
	}
	failpoint.Hit("commit.frozen")
	// 4. Hand over, unless there is nothing to commit.
	if e.Empty() {
		for i := range e.Parts {
			e.Parts[i].unused()
			e.Parts[i].reset()
		}
		w.spare = append(w.spare, e)
		return nil
	}
	w.inFlight = true
	w.handed <- e
	return nil
}

// commitLoop is the committer's goroutine. It sees bytes and databases, never a row in its Go type.
func (w *Worker) commitLoop(c Committer) {
	for e := range w.handed {
		r := result{epoch: e, err: c.Commit(e)}
		if r.err == nil {
			r.lost = w.apply(e)
		}
		w.result = r
		w.landed <- struct{}{}
		if w.notify != nil {
			w.notify()
		}
	}
}

// Attempts to apply a committed epoch, and the pause before the second one, which doubles.
const (
	applyAttempts = 5
	applyPause    = 20 * time.Millisecond
)

// apply writes a committed epoch to the databases of its tasks. From here on there is no way back: what cannot be written is
// read from the changelog later.
func (w *Worker) apply(e *Epoch) (lost []*ApplyError) {
	for i := range e.Parts {
		p := &e.Parts[i]
		failpoint.Hit("apply.task")
		var err error
		for n := range applyAttempts {
			if n > 0 {
				if w.ApplyRetries != nil {
					w.ApplyRetries.Add(1)
				}
				time.Sleep(applyPause << (n - 1))
			}
			if err = failpoint.Err("apply.write"); err == nil {
				err = p.Task.backend.Apply(&p.State)
			}
			if err == nil {
				break
			}
		}
		if err != nil {
			lost = append(lost, &ApplyError{p.Task, err})
		}
		failpoint.Hit("apply.done")
	}
	return lost
}

// Land takes the outcome of the epoch in flight if it is there.
func (w *Worker) Land() error {
	if !w.inFlight {
		return nil
	}
	select {
	case <-w.landed:
		return w.finish()
	default:
		return nil
	}
}

// Wait takes the outcome of the epoch in flight, if there is one.
func (w *Worker) Wait() error {
	if !w.inFlight {
		return nil
	}
	<-w.landed
	return w.finish()
}

// InFlight says whether an epoch is being committed.
func (w *Worker) InFlight() bool { return w.inFlight }

// Abort drops the running epoch; the one in flight is waited for, its outcome decides where the tasks go back to. It returns
// an error that is ErrAborted, and what went wrong on the way.
func (w *Worker) Abort() error {
	err := w.Wait()
	if errors.Is(err, ErrAborted) {
		return err
	}
	return errors.Join(ErrAborted, err, w.drop())
}

// fail aborts because the code of t returned err.
func (w *Worker) fail(t *Task, err error) error {
	if aborted := w.Wait(); aborted != nil {
		return aborted // what failed was built on it, and will be met again
	}
	return errors.Join(fmt.Errorf("%s: %w", t, err), w.drop())
}

// finish takes an epoch back from the committer.
func (w *Worker) finish() error {
	r := w.result
	w.result, w.inFlight = result{}, false
	var err error
	switch {
	case r.err != nil:
		err = fmt.Errorf("%w: %w", ErrAborted, r.err)
		for i := range r.epoch.Parts {
			r.epoch.Parts[i].Task.epoch-- // the number was not used
		}
	case len(r.lost) > 0:
		err = ErrAborted // what runs builds on rows that are not there
		for _, l := range r.lost {
			err = errors.Join(err, l)
		}
	}
	if r.err == nil {
		w.Committed++
		for i := range r.epoch.Parts {
			if p := &r.epoch.Parts[i]; !slices.ContainsFunc(r.lost, func(l *ApplyError) bool { return l.Task == p.Task }) {
				p.applied()
			}
		}
	}
	for i := range r.epoch.Parts {
		r.epoch.Parts[i].reset()
	}
	w.spare = append(w.spare, r.epoch)
	if err != nil {
		return errors.Join(err, w.drop())
	}
	return nil
}

// drop throws the running epoch away.
func (w *Worker) drop() error {
	var errs []error
	for _, t := range w.tasks {
		errs = append(errs, t.discard())
	}
	return errors.Join(errs...)
}

// Close waits for the epoch in flight and ends the committer.
func (w *Worker) Close() error {
	err := w.Wait()
	close(w.handed)
	return err
}
