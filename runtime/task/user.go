package task

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"runtime"
	"strings"

	"github.com/streamgen/streamgen/runtime/record"
)

// This file is how a task runs code of the user's: with a context, and with a boundary for panics that costs a defer a batch.
//
// Generated code says Enter before a step that calls a function of the user's, and keeps Batch.Next. A panic in the function is
// then that step's failure on that record, class BadLogic: its error policy decides, and if it says skip, the batch goes on
// with the next record. Where the record has other ways to go, the way with the step has a boundary of its own. Any other panic is a fault of ours or of the machine's, and ends the process as panics do.

// ErrNil is the failure of a function whose result is a pointer and which returned nil without an error.
var ErrNil = errors.New("the function returned nil")

// entered is the last step that has called a function of the user's.
type entered struct {
	any  bool
	at   At
	key  []byte                   // in a Flush: of the row
	open interface{ Unchanged() } // a store whose row is being changed
}

// Context is for functions of the user's: it ends when the process begins to drain.
func (t *Task) Context() context.Context { return t.context }

// Enter says that code of the user's runs next, for a step.
func (t *Task) Enter(at At) { t.user = entered{any: true, at: at} }

// EnterRow is Enter where no record is at hand: for a changed row, which the key names.
func (t *Task) EnterRow(key []byte, at At) { t.user = entered{any: true, at: at, key: key} }

// Open says, behind Enter, that the code runs while a row of s is being changed: a panic takes that back.
func (t *Task) Open(s interface{ Unchanged() }) { t.user.open = s }

// PanicError is a panic of a function of the user's.
type PanicError struct {
	Value any
	Place string // where it came up: "fraud.Score (score.go:12)"
	Stack string // from there to the generated code, in the same form
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic in %s: %v", e.Place, e.Value) }

// Unwrap is the value of the panic, if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// process runs the batch, or with More a part of it: Records is then the rest. Behind a panic that the policy lets pass it goes on.
func (t *Task) process() error {
	for {
		t.batch.Next, t.batch.More = 0, false
		err := t.attempt(func() error { return t.code.Process(&t.batch) })
		if t.batch.More && err == nil {
			t.batch.Records = t.batch.Records[t.batch.Next:]
			return nil
		}
		p, ok := err.(*PanicError)
		if !ok || t.batch.Next == 0 {
			return err
		}
		if err := t.refuse(&t.batch.Records[t.batch.Next-1], p); err != nil {
			return err
		}
		t.batch.Records = t.batch.Records[t.batch.Next:]
	}
}

// flush sends what is coalesced. Behind a panic that the policy lets pass it goes on with the next row, since the stores know
// how far they were walked.
func (t *Task) flush() error {
	for {
		err := t.attempt(t.code.Flush)
		p, ok := err.(*PanicError)
		if !ok {
			return err
		}
		if err := t.refuseRow(p); err != nil {
			return err
		}
	}
}

// attempt turns a panic of the user's into an error.
func (t *Task) attempt(run func() error) (err error) {
	t.user = entered{}
	defer func() {
		if !t.user.any {
			return // nothing of the user's has run, so the panic, if there is one, goes on
		}
		if v := recover(); v != nil {
			err = t.caught(v)
		}
	}()
	return run()
}

// Recover is deferred by a function that takes a record one of several ways: a panic of the user's in it ends this way only, as an
// error would. It costs a defer a record, which only programs pay that call code of the user's in one way of several.
func (t *Task) Recover(r *record.Record, outcome *error) {
	if !t.user.any {
		return
	}
	if v := recover(); v != nil {
		*outcome = t.refuse(r, t.caught(v))
	}
}

// RecoverRow is Recover where no record is at hand.
func (t *Task) RecoverRow(key []byte, outcome *error) {
	if !t.user.any {
		return
	}
	if v := recover(); v != nil {
		t.user.key = key
		*outcome = t.refuseRow(t.caught(v))
	}
}

// caught is the error of a panic of the user's. Any other goes on.
func (t *Task) caught(v any) *PanicError {
	stack := origin()
	if stack == nil {
		panic(v)
	}
	if t.user.open != nil {
		t.user.open.Unchanged()
	}
	return &PanicError{Value: v, Place: stack[0], Stack: strings.Join(stack, " < ")}
}

// refuse hands a record to the policy of the step that panicked, refuseRow the row that was entered.
func (t *Task) refuse(r *record.Record, p *PanicError) error {
	topic, partition := t.Input(r.Input)
	t.logPanic(p, "topic", topic, "partition", partition, "offset", r.Offset)
	return t.Reject(r, t.user.at, BadLogic, p)
}

func (t *Task) refuseRow(p *PanicError) error {
	t.logPanic(p, "key", string(t.user.key))
	return t.RejectRow(t.user.key, t.user.at, BadLogic, p)
}

// origin is where a panic came up that is being recovered, and what has called that, up to the generated code. It is nil unless that was
// in code of the user's: in what the innermost function of the generated package has called, if that is no function of the runtime,
// of the standard library or of the package records.
func origin() (stack []string) {
	frames := panicking()
	generated := ""
	for _, f := range frames { // the outermost one that is not the runtime's is Process or Flush
		if p := packageOf(f.Function); !ours(p) {
			generated = p
		}
	}
	called := ""
	for _, f := range frames {
		p := packageOf(f.Function)
		if len(stack) > 0 || !standard(p) && !ours(p) {
			stack = append(stack, fmt.Sprintf("%s (%s:%d)", f.Function[strings.LastIndexByte(f.Function, '/')+1:], path.Base(f.File), f.Line))
		}
		if p == generated {
			break
		}
		called = p
	}
	if called == "" || standard(called) || ours(called) || called == generated+"/records" {
		return nil
	}
	return stack
}

// panicking is the frames between a panic and attempt, which recovers it, innermost first.
func panicking() (inner []runtime.Frame) {
	callers := make([]uintptr, 4096)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	found := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			found, inner = true, inner[:0]
		case found && f.Function == own+"task.(*Task).attempt" || !more:
			return inner
		case found:
			inner = append(inner, f)
		}
	}
}

// own is the prefix of the packages of the runtime.
const own = "github.com/streamgen/streamgen/runtime/"

func ours(pkg string) bool { return strings.HasPrefix(pkg+"/", own) }

// packageOf is the import path in the full name of a function.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	pkg, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + strings.ReplaceAll(pkg, "%2e", ".")
}

// standard tells the packages of the standard library. A module may have a path without a dot, too, but none of these.
func standard(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return strings.Contains(standardRoots, " "+first+" ")
}

const standardRoots = " archive bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash " +
	"html image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync " +
	"syscall testing text time unicode unique unsafe vendor weak "

func (t *Task) logPanic(p *PanicError, coordinates ...any) {
	at := t.positions[t.user.at]
	attrs := append([]any{"at", at.Address, "spec", fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column), "task", t.String()}, coordinates...)
	t.limited(slog.LevelError, t.user.at, p.Error(), append(attrs, "stack", p.Stack)...)
}

// interrupted is the error for a step that failed because the process drains, nil for any other: a record that was given up
// half way is no bad one, and is processed again by whoever has the task next.
func (t *Task) interrupted(c Class, err error) error {
	if c != BadLogic || t.context.Err() == nil || !errors.Is(err, t.context.Err()) {
		return nil
	}
	return fmt.Errorf("%w: the process ends: %w", ErrAborted, err)
}
