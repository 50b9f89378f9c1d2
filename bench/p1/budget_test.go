package p1_test

import (
	"testing"

	"github.com/streamgen/streamgen/bench/p1/orders"
	"github.com/streamgen/streamgen/bench/p1/pair"
	"github.com/streamgen/streamgen/runtime/record"
)

// The budget of a stateless program: no allocation a record. It has nothing to do with time, so it always runs.
func TestAllocationBudget(t *testing.T) {
	s, err := pair.Generated(orders.Make(4 * pair.BatchSize))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	batch := func() {
		if err := s.Batch(n); err != nil {
			t.Fatal(err)
		}
		n++
	}
	for range 64 { // memory of both epochs
		batch()
	}
	if allocs := testing.AllocsPerRun(256, batch); allocs != 0 {
		t.Errorf("%v allocations in a batch of %d records; none is allowed", allocs, pair.BatchSize)
	}
}

// A record's whole way through a task, from the records of a fetch to the outputs of an epoch, costs a few objects a fetch.
func TestAllocationBudgetOfTask(t *testing.T) {
	task, w, _, err := pair.NewTask()
	if err != nil {
		t.Fatal(err)
	}
	w.Add(task)
	const fetch = 4 * pair.BatchSize
	list := orders.Make(fetch)
	next := int64(0)
	round := func() {
		views := record.Chunk(fetch)
		for _, o := range list {
			views = append(views, record.Record{Key: o.Key, Value: o.Value, Timestamp: o.Timestamp, Offset: next})
			next++
		}
		task.Inputs().Append(0, views, fetch*orders.Size, next, 1)
		for left := fetch; left > 0; {
			n, err := w.Process(task, 1)
			if err != nil || n == 0 {
				t.Fatal(n, err)
			}
			left -= n
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	for range 8 {
		round()
	}
	if allocs := testing.AllocsPerRun(64, round); allocs > 8 {
		t.Errorf("%v allocations for a fetch of %d records and a commit; at most 8 are allowed", allocs, fetch)
	}
}
