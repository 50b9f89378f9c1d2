package task

import (
	"fmt"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/temporal"
)

// passed is a store that notes how far its stream time has passed.
type passed struct{ by []int64 }

func (p *passed) Pass(by int64) { p.by = append(p.by, by) }

// quiet does nothing with records, and with nothing else.
type quiet struct{}

func (quiet) Process(*record.Batch) error { return nil }
func (quiet) Flush() error                { return nil }

const ms = int64(1_000_000)

// newQuiet makes a task with a source for each idle time, in milliseconds, all of which lead to one store.
func newQuiet(t *testing.T, behind temporal.Duration, idles ...int64) (*Task, *passed) {
	t.Helper()
	var inputs []Input
	for i, idle := range idles {
		inputs = append(inputs, Input{Topic: fmt.Sprint(i), Source: uint8(i), Idle: idle * ms})
	}
	p := &passed{}
	task, err := New(Config{SubTopology: "quiet", Backend: state.NewMemory(), Inputs: inputs, Partitions: []int32{1}, Positions: positions},
		func(t *Task) (SubTopology, error) {
			t.Idle(p, behind)
			return quiet{}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return task, p
}

// run is a step of the worker at a time in milliseconds.
func (p *passed) run(t *Task, now int64) string {
	p.by = nil
	var b record.Batch
	t.inputs.Fill(&b, 100, now*ms)
	if len(b.Records) == 0 {
		t.pass(now * ms)
	}
	return fmt.Sprint(p.by)
}

func TestIdlePassesWithProof(t *testing.T) {
	task, p := newQuiet(t, 0, 30)
	in := &task.inputs
	for _, step := range []struct {
		about string
		now   int64
		do    func()
		want  string
	}{
		{"nothing is known of the source", 100, func() {}, "[]"},
		{"it has a record", 110, func() { in.Append(0, records(0, 0, 5), 1, 1, 110*ms) }, "[]"},
		{"its fetch has stalled: nothing comes, and nobody has asked", 500, func() {}, "[]"},
		{"it is behind its end", 510, func() { in.SetEnd(0, 3, 505*ms) }, "[]"},
		{"what came was in order", 520, func() { in.Append(0, records(0, 1, 6, 7), 1, 3, 520*ms) }, "[]"},
		{"its end is old", 600, func() {}, "[]"},
		{"the silence that is proven is too short", 601, func() { in.SetEnd(0, 3, 549*ms) }, "[]"},
		{"time passes as far as silence is proven, not to now", 700, func() { in.SetEnd(0, 3, 551*ms) }, "[31]"},
		{"once", 701, func() {}, "[]"},
		{"a step is as long as idle", 702, func() { in.SetEnd(0, 3, 580*ms) }, "[]"},
		{"or longer", 703, func() { in.SetEnd(0, 3, 600*ms) }, "[49]"},
		{"with a record silence begins anew", 800, func() { in.Append(0, records(0, 3, 8), 1, 4, 800*ms) }, "[]"},
		{"from when it was processed", 831, func() { in.SetEnd(0, 4, 831*ms) }, "[31]"},
	} {
		step.do()
		if got := p.run(task, step.now); got != step.want {
			t.Errorf("%s: passed by %s, want %s", step.about, got, step.want)
		}
	}
	if got := fmt.Sprint(in.Unknown(nil, 850*ms), in.Unknown(nil, 861*ms)); got != "[] [0]" {
		t.Errorf("the end of %s has to be asked for", got)
	}
}

func TestIdleWaitsForAllSources(t *testing.T) {
	task, p := newQuiet(t, 0, 30, 50)
	in := &task.inputs
	p.run(task, 100)
	in.SetEnd(0, 0, 140*ms)
	in.SetEnd(1, 0, 140*ms)
	if got := p.run(task, 140); got != "[]" {
		t.Errorf("passed by %s before the second source was silent for its time", got)
	}
	in.SetEnd(0, 0, 160*ms)
	in.SetEnd(1, 0, 155*ms)
	if got := p.run(task, 160); got != "[55]" {
		t.Errorf("passed by %s, want the shorter silence", got)
	}
	in.Append(1, records(1, 0, 1), 1, 1, 170*ms)
	in.SetEnd(0, 0, 300*ms)
	p.run(task, 300)
	if got := p.run(task, 300); got != "[]" {
		t.Errorf("passed by %s while the second source had a record", got)
	}
	if task, p := newQuiet(t, 0, 30, 0); p.run(task, 1) == "[]" {
		task.inputs.SetEnd(0, 0, 900*ms)
		task.inputs.SetEnd(1, 0, 900*ms)
		if got := p.run(task, 900); got != "[]" {
			t.Errorf("passed by %s with a source that is never idle", got)
		}
	}
}

// What comes to a store late because another one holds it back is waited for.
func TestIdleWaitsBehindOthers(t *testing.T) {
	task, p := newQuiet(t, 40, 30)
	p.run(task, 100)
	for _, step := range []struct {
		at   int64
		want string
	}{{165, "[]"}, {170, "[30]"}, {200, "[30]"}} {
		task.inputs.SetEnd(0, 0, step.at*ms)
		if got := p.run(task, step.at); got != step.want {
			t.Errorf("at %d passed by %s, want %s", step.at, got, step.want)
		}
	}
}

// A topic of the program's own is silent while nothing is on its way there, whatever its end is.
func TestIdleOfWhatTheProgramWrites(t *testing.T) {
	task, p := newQuiet(t, 0, 30)
	in := &task.inputs
	in.list[0].Fed = true
	p.run(task, 100)
	in.SetEnd(0, 0, 500*ms)
	if got := p.run(task, 500); got != "[]" {
		t.Errorf("passed by %s though something may be on its way", got)
	}
	if got := fmt.Sprint(in.Unknown(nil, 500*ms), in.Unsettled(nil, 500*ms)); got != "[] [0]" {
		t.Errorf("asked for %s", got)
	}
	in.SetSettled(0, 0, 450*ms)
	if got := p.run(task, 500); got != "[350]" {
		t.Errorf("passed by %s, want 350", got)
	}
}
