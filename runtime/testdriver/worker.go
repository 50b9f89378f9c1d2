package testdriver

import (
	"errors"
	"fmt"

	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// worker is a task.Worker whose transactions end when the driver says so: an epoch stays in flight until the next one is
// about to be handed over, so that the two always overlap, and a run is the same each time.
type worker struct {
	*task.Worker
	driver  *Driver
	units   map[*task.Task]*unit
	list    []*unit // in the order of the topology
	outcome chan bool
	outbox  []Record // of the epoch that ended last
	since   int      // records since the last commit
}

var errInjected = errors.New("testdriver: injected abort")

func newWorker(d *Driver) *worker {
	w := &worker{driver: d, units: map[*task.Task]*unit{}, outcome: make(chan bool, 1)}
	w.Worker = task.NewWorker(committer{w}, nil)
	w.BatchSize = d.options.BatchSize
	return w
}

func (w *worker) add(u *unit) {
	w.units[u.task] = u
	w.list = append(w.list, u)
	w.Add(u.task)
}

// committer runs on the worker's committer goroutine.
type committer struct{ *worker }

// Commit implements task.Committer.
func (c committer) Commit(e *task.Epoch) error {
	if !<-c.outcome {
		return errInjected
	}
	for i := range e.Parts {
		if err := c.units[e.Parts[i].Task].commit(&e.Parts[i], &c.outbox, c.driver.topology); err != nil {
			return err
		}
	}
	return nil
}

// step is Driver.Step for one worker.
func (w *worker) step() (worked bool, err error) {
	every := w.driver.options.CommitEvery
	for _, u := range w.list {
		u.feed(w.driver)
		n, err := w.Process(u.task, w.driver.nanoseconds())
		if err != nil {
			return true, err
		}
		worked = worked || n > 0
		if w.since += n; every > 0 && w.since >= every {
			if err := w.end(); err != nil {
				return true, err
			}
		}
	}
	if worked {
		return true, nil
	}
	return w.finish()
}

// end ends the running epoch; the one before lands first.
func (w *worker) end() error {
	if err := w.land(); err != nil {
		return w.retry(err)
	}
	w.since = 0
	return w.Commit()
}

// finish ends everything: the running epoch and the one in flight. It reports whether there was any.
func (w *worker) finish() (worked bool, err error) {
	if w.InFlight() {
		return true, w.retry(w.land())
	}
	if w.since == 0 {
		return false, nil
	}
	return true, w.end()
}

// land decides the outcome of the epoch in flight, and delivers its outputs.
func (w *worker) land() error {
	if !w.InFlight() {
		return nil
	}
	d := w.driver
	d.endings++
	w.outcome <- d.options.FailCommit == nil || !d.options.FailCommit(d.endings)
	err := w.Wait()
	w.deliver()
	return err
}

// deliver moves what was committed to the topics.
func (w *worker) deliver() {
	for _, r := range w.outbox {
		w.driver.append(r.Topic, r)
		if !w.driver.repartition(r.Topic) {
			log := w.driver.logs[r.Topic][r.Partition]
			w.driver.sent = append(w.driver.sent, log[len(log)-1])
		}
	}
	w.outbox = w.outbox[:0]
}

func (d *Driver) repartition(topic string) bool {
	for i := range d.topology.Topics {
		if d.topology.Topics[i].Name == topic {
			return d.topology.Topics[i].Kind == topology.Repartition
		}
	}
	return false
}

// retry goes on after an abort; any other error stops the driver.
func (w *worker) retry(err error) error {
	if !errors.Is(err, task.ErrAborted) {
		return err
	}
	var lost *task.ApplyError
	if errors.As(err, &lost) {
		return err
	}
	w.since = 1 // the epoch that was dropped ends again, whether or not there are records in it
	for _, u := range w.list {
		u.rewind()
	}
	return nil
}

// abort is Driver.Abort for one worker.
func (w *worker) abort() error {
	if w.InFlight() {
		w.outcome <- false
	}
	return w.retry(w.Abort())
}

// crash ends the worker: the epoch in flight is aborted, or lost before it is applied.
func (w *worker) crash(c crash) error {
	if c.beforeApply {
		if err := w.land(); err != nil && !errors.Is(err, task.ErrAborted) {
			return err
		}
		for _, u := range w.list {
			u.disk.lose = true
		}
		if err := w.Commit(); err != nil {
			return fmt.Errorf("commit before the crash: %w", err)
		}
		if w.InFlight() {
			w.outcome <- true
		}
	} else if w.InFlight() {
		w.outcome <- false
	}
	err := w.Close()
	w.deliver()
	if errors.Is(err, task.ErrAborted) {
		return nil
	}
	return err
}

// close ends the worker without caring about what it was doing.
func (w *worker) close() {
	if w.InFlight() {
		w.outcome <- false
	}
	w.Close()
}
