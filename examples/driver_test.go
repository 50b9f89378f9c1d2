package examples_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/streamgen/streamgen/runtime/testdriver"
)

// drive pipes data into a driver, tables first, and runs it. between is called after each step.
func drive(t *testing.T, e example, in data, o testdriver.Options, between func(d *testdriver.Test, step int)) *testdriver.Test {
	t.Helper()
	d := testdriver.Start(t, e.topology(), o)
	d.Advance(60 * 365 * 24 * time.Hour) // behind the times of all samples
	for _, r := range slices.Concat(in.tables, in.streams) {
		d.Pipe(r.Topic, r)
	}
	for step := 1; d.Step(); step++ {
		if step > 1_000_000 {
			t.Fatal("does not end")
		}
		if between != nil {
			between(d, step)
		}
	}
	return d
}

// ways are ways to run a topology. Where something is thrown away, two commits fit in between, else the run would not get on.
var ways = map[string]struct {
	options testdriver.Options
	between func(d *testdriver.Test, step int)
}{
	"one commit":           {options: testdriver.Options{}},
	"commit each record":   {options: testdriver.Options{CommitEvery: 1}},
	"commit each 7":        {options: testdriver.Options{CommitEvery: 7}},
	"commit each 1000":     {options: testdriver.Options{CommitEvery: 1000, BatchSize: 333}},
	"three workers":        {options: testdriver.Options{CommitEvery: 100, Workers: 3}},
	"failing commits":      {options: testdriver.Options{CommitEvery: 40, BatchSize: 16, FailCommit: func(n int) bool { return n%3 == 0 }}},
	"aborts":               {testdriver.Options{CommitEvery: 20, BatchSize: 8}, each(11, (*testdriver.Test).Abort)},
	"crashes":              {testdriver.Options{CommitEvery: 20, BatchSize: 8}, each(11, (*testdriver.Test).Crash)},
	"crashes before apply": {testdriver.Options{CommitEvery: 20, BatchSize: 8}, each(7, (*testdriver.Test).CrashBeforeApply)},
	"crashes without disk": {testdriver.Options{CommitEvery: 20, BatchSize: 8, Workers: 2}, each(13, (*testdriver.Test).CrashAndLoseState)},
	"everything": {
		testdriver.Options{CommitEvery: 15, BatchSize: 5, Workers: 2, FailCommit: func(n int) bool { return n%5 == 0 }},
		func(d *testdriver.Test, step int) {
			each(13, (*testdriver.Test).Abort)(d, step)
			each(29, (*testdriver.Test).Crash)(d, step)
			each(31, (*testdriver.Test).CrashBeforeApply)(d, step)
			each(47, (*testdriver.Test).CrashAndLoseState)(d, step)
		},
	},
}

func each(n int, f func(*testdriver.Test)) func(*testdriver.Test, int) {
	return func(d *testdriver.Test, step int) {
		if step%n == 0 {
			f(d)
		}
	}
}

func TestDriver(t *testing.T) {
	for _, e := range examples {
		in := e.sample(t)
		for _, partitions := range slices.Compact([]int32{1, e.partitions(3)}) {
			for name, way := range ways {
				t.Run(fmt.Sprintf("%s/%d/%s", e.name, partitions, name), func(t *testing.T) {
					o := way.options
					o.Partitions = partitions
					interrupted := 0
					between := way.between
					if between != nil {
						between = func(d *testdriver.Test, step int) { way.between(d, step); interrupted = step }
					}
					d := drive(t, e, in, o, between)
					if way.between != nil && interrupted < 40 {
						t.Errorf("only %d steps: hardly anything was interrupted", interrupted)
					}
					e.check(t, in.want, d.Read)
					if partitions == 1 {
						e.checkOrder(t, in.want, d.Read)
					}
				})
			}
		}
	}
}
