package testdriver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/internal/sample"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// ways are ways to run a topology that must all give the same outputs and rows.
var ways = map[string]struct {
	options Options
	between func(d *Test, step int)
}{
	"straight":     {},
	"tiny batches": {options: Options{BatchSize: 1, CommitEvery: 3}},
	"each record":  {options: Options{CommitEvery: 1}},
	"two workers":  {options: Options{Workers: 2, CommitEvery: 20}},
	"no memory":    {options: Options{CommitEvery: 5, BatchSize: 2, Memory: 1}},
	"failing commits": {options: Options{CommitEvery: 20, BatchSize: 8,
		FailCommit: func(n int) bool { return n%3 == 0 }}},
	"aborts": {Options{CommitEvery: 20, BatchSize: 8}, func(d *Test, step int) {
		if step%9 == 8 { // more steps than two commits need, else nothing would ever be committed
			d.Abort()
		}
	}},
	"crashes": {Options{CommitEvery: 20, BatchSize: 8}, func(d *Test, step int) {
		if step%7 == 6 {
			d.Crash()
		}
	}},
	"crashes before apply": {Options{CommitEvery: 20, BatchSize: 8}, func(d *Test, step int) {
		if step%7 == 6 {
			d.CrashBeforeApply()
		}
	}},
	"crashes without disk": {Options{CommitEvery: 20, BatchSize: 8, Workers: 3}, func(d *Test, step int) {
		if step%7 == 6 {
			d.CrashAndLoseState()
		}
	}},
	"hand-overs": {Options{CommitEvery: 20, BatchSize: 8, Workers: 3}, func(d *Test, step int) {
		if step%7 == 6 {
			d.HandOver()
		}
	}},
}

func TestEveryWayGivesTheSame(t *testing.T) {
	keys := []string{"a", "b", "c", "d", "e"}
	run := func(t *testing.T, o Options, between func(*Test, int)) (outputs, rows []string, dropped []Drop) {
		o.Partitions = 3
		var limit string
		d := Start(t, sample.Counts(&limit), o)
		for _, k := range keys[:3] {
			d.PipeJSON("names", fmt.Sprintf(`{"key": %q, "value": %q, "ts": 1}`, k, strings.ToUpper(k)))
		}
		d.Run() // the table is there before the stream, so that joins do not depend on who is first
		rnd := rand.New(rand.NewPCG(1, 2))
		for i := range 400 {
			if i%50 == 0 {
				d.PipeJSON("in", `{"value": null, "ts": 1}`)
			}
			d.PipeJSON("in", fmt.Sprintf(`{"value": %q, "ts": %d, "headers": [["i", "%d"]]}`, keys[rnd.IntN(5)], rnd.IntN(1000), i))
		}
		for i := 0; d.Step(); i++ {
			if i > 10_000 {
				t.Fatal("does not end")
			}
			if between != nil {
				between(d, i)
			}
		}
		for _, r := range d.Read("out") {
			outputs = append(outputs, fmt.Sprintf("%d %s %s", r.Partition, r.Key, r.Value))
		}
		slices.Sort(outputs)
		for _, store := range []string{"counts", "names"} {
			for _, r := range d.Store(store) {
				rows = append(rows, fmt.Sprintf("%s %d %s %s@%d", store, r.Partition, r.Key, r.JSON, r.Timestamp))
			}
		}
		return outputs, rows, d.Dropped()
	}
	wantOut, wantRows, wantDropped := run(t, Options{}, nil)
	if len(wantOut) != 400 || len(wantRows) != 8 || len(wantDropped) != 1 || wantDropped[0] != (Drop{"null value", "stream.in", 8}) {
		t.Fatalf("%d outputs, rows %q, dropped %v", len(wantOut), wantRows, wantDropped)
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			out, rows, dropped := run(t, way.options, way.between)
			if !slices.Equal(out, wantOut) {
				t.Errorf("%d outputs differ from the straight run's %d", len(out), len(wantOut))
			}
			if !slices.Equal(rows, wantRows) {
				t.Errorf("rows\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(wantRows, "\n"))
			}
			if !slices.Equal(dropped, wantDropped) {
				t.Errorf("dropped %v, want %v", dropped, wantDropped)
			}
		})
	}
}

// TestRunsAreRepeatable: two runs give the same outputs in the same order, with the same offsets.
func TestRunsAreRepeatable(t *testing.T) {
	run := func() []string {
		var limit string
		d := Start(t, sample.Counts(&limit), Options{Partitions: 4, Workers: 2, CommitEvery: 5, FailCommit: func(n int) bool { return n%4 == 0 }})
		for i := range 200 {
			d.PipeJSON("in", fmt.Sprintf(`{"value": "k%d", "ts": %d}`, i*7%11, i*13%50))
		}
		d.Run()
		return d.ReadJSON("out")
	}
	first := run()
	for range 5 {
		if again := run(); !slices.Equal(first, again) {
			t.Fatalf("got\n%s\nthen\n%s", strings.Join(first, "\n"), strings.Join(again, "\n"))
		}
	}
}

// TestCommittedOnly: what an epoch did is not seen before it is committed, and not at all if it is aborted.
func TestCommittedOnly(t *testing.T) {
	var limit string
	d := Start(t, sample.Counts(&limit), Options{})
	d.PipeJSON("in", `{"value": "a", "ts": 1}`)
	for d.Step(); len(d.Read("counts-repartition")) == 0; {
		d.Step()
	}
	d.Step() // counts it
	if len(d.Read("out")) > 0 || len(d.Store("counts")) > 0 {
		t.Error("seen before the commit")
	}
	d.Abort()
	d.Run()
	if got := d.Sent(); len(got) != 1 || string(got[0].Value) != `{"n":1,"name":null}` {
		t.Errorf("sent %v", got)
	}
	if got := d.Sent(); len(got) != 0 {
		t.Errorf("sent again %v", got)
	}
}

func TestARecordThatFailsStops(t *testing.T) {
	var limit string
	d, err := New(sample.Counts(&limit), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.PipeJSON("in", `{"value": "a"}`, `{"value": "poison"}`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := d.Run()
		var record *task.RecordError
		if !errors.As(err, &record) || record.Offset != 1 || record.Topic != "in" {
			t.Fatalf("got %v", err)
		}
	}
	if got := d.Read("counts-repartition"); len(got) != 0 {
		t.Errorf("committed %v", got)
	}
}

func TestVariables(t *testing.T) {
	var limit string
	Start(t, sample.Counts(&limit), Options{})
	if limit != "none" {
		t.Errorf("limit %q", limit)
	}
	Start(t, sample.Counts(&limit), Options{Variables: map[string]string{"limit": "7"}})
	if limit != "7" {
		t.Errorf("limit %q", limit)
	}
	if _, err := New(sample.Counts(&limit), Options{Variables: map[string]string{"limits": "7"}}); err == nil {
		t.Error("took a variable that is none")
	}
}

func TestCoPartitioning(t *testing.T) {
	var limit string
	top := sample.Counts(&limit)
	top.Topics[2].Partitions = 2
	var e *topology.CoPartitionError
	if _, err := New(top, Options{Partitions: 3}); !errors.As(err, &e) {
		t.Errorf("got %v", err)
	}
}
