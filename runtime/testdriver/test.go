package testdriver

import "testing"

// Test is a Driver for a test: whatever goes wrong ends the test.
type Test struct {
	*Driver
	t testing.TB
}

// Pipe is Driver.Pipe.
func (d *Test) Pipe(topic string, records ...Record) {
	d.t.Helper()
	d.must(d.Driver.Pipe(topic, records...))
}

// PipeJSON is Driver.PipeJSON.
func (d *Test) PipeJSON(topic string, lines ...string) {
	d.t.Helper()
	d.must(d.Driver.PipeJSON(topic, lines...))
}

// ReadJSON is Driver.ReadJSON.
func (d *Test) ReadJSON(topic string) []string {
	d.t.Helper()
	lines, err := d.Driver.ReadJSON(topic)
	d.must(err)
	return lines
}

// Store is Driver.Store.
func (d *Test) Store(name string) []Row {
	d.t.Helper()
	rows, err := d.Driver.Store(name)
	d.must(err)
	return rows
}

// Run is Driver.Run.
func (d *Test) Run() {
	d.t.Helper()
	d.must(d.Driver.Run())
}

// Step is Driver.Step.
func (d *Test) Step() bool {
	d.t.Helper()
	worked, err := d.Driver.Step()
	d.must(err)
	return worked
}

// Abort is Driver.Abort.
func (d *Test) Abort() {
	d.t.Helper()
	d.must(d.Driver.Abort())
}

// Crash is Driver.Crash.
func (d *Test) Crash() {
	d.t.Helper()
	d.must(d.Driver.Crash())
}

// CrashBeforeApply is Driver.CrashBeforeApply.
func (d *Test) CrashBeforeApply() {
	d.t.Helper()
	d.must(d.Driver.CrashBeforeApply())
}

// CrashAndLoseState is Driver.CrashAndLoseState.
func (d *Test) CrashAndLoseState() {
	d.t.Helper()
	d.must(d.Driver.CrashAndLoseState())
}

// HandOver is Driver.HandOver.
func (d *Test) HandOver() {
	d.t.Helper()
	d.must(d.Driver.HandOver())
}

func (d *Test) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}
