package task

import (
	"errors"
	"fmt"

	"github.com/streamgen/streamgen/runtime/record"
)

// ErrAborted says that an epoch did not commit. Every task of the worker is then back at its last applied epoch, and its
// inputs have to be read again from Task.Applied.
var ErrAborted = errors.New("epoch aborted")

// ErrFenced is the cause of an abort by somebody who owns the tasks or the transaction now. Processing them again is for
// that one.
var ErrFenced = errors.New("fenced: another owner of the tasks is at work")

// ApplyError says that an epoch is committed and that its rows could not be written to the task's database. The task must
// not go on: it is closed, and its rows come back from the changelog.
type ApplyError struct {
	Task *Task
	Err  error
}

func (e *ApplyError) Error() string {
	return fmt.Sprintf("%s: committed, but not written to the state directory: %v", e.Task, e.Err)
}

func (e *ApplyError) Unwrap() error { return e.Err }

// Unapplied are the tasks that err says could not apply a committed epoch.
func Unapplied(err error) (tasks []*Task) {
	switch e := err.(type) {
	case *ApplyError:
		return []*Task{e.Task}
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			tasks = append(tasks, Unapplied(err)...)
		}
	case interface{ Unwrap() error }:
		return Unapplied(e.Unwrap())
	}
	return tasks
}

// RecordError is a record that a step with the policy "fail" could not process. The process stops: going on would skip it.
type RecordError struct {
	Position  Position
	Class     Class
	Topic     string
	Partition int32
	Offset    int64
	Err       error // says what is wrong with the record, naming the field
}

func (e *RecordError) Error() string {
	p := e.Position
	return fmt.Sprintf("%s:%d:%d: %s: topic %s partition %d offset %d: %s: %v",
		p.File, p.Line, p.Column, p.Address, e.Topic, e.Partition, e.Offset, e.Class, e.Err)
}

func (e *RecordError) Unwrap() error { return e.Err }

// String is the class as people read it.
func (c Class) String() string {
	switch c {
	case BadInput:
		return "bad input"
	case BadLogic:
		return "the step failed"
	case SinkRefused:
		return "refused by the sink"
	}
	return fmt.Sprintf("class %d", uint8(c))
}

// Reject hands a record to the error policy of a step. Nil: it is skipped and counted, and the step goes on with the next
// record. Else the step returns the error.
func (t *Task) Reject(r *record.Record, at At, c Class, err error) error {
	if err := t.interrupted(c, err); err != nil {
		return err
	}
	p := t.positions[at]
	in := t.inputs.list[r.Input]
	switch p.OnError {
	case DeadLetter:
		t.bury(r, p, c, err)
		fallthrough
	case Skip:
		t.skipped(at, c).Inc()
		return nil
	}
	return &RecordError{Position: p, Class: c, Topic: in.Topic, Partition: in.Partition, Offset: r.Offset, Err: err}
}

// skipped is the counter of skipped records at a step, made when the first one comes.
func (t *Task) skipped(at At, c Class) *Counter {
	for _, s := range t.skips {
		if s.at == at && s.class == c {
			return s.counter
		}
	}
	s := skip{at, c, t.Counter(c.String(), at)}
	t.skips = append(t.skips, s)
	return s.counter
}

type skip struct {
	at      At
	class   Class
	counter *Counter
}
