package foreign

import (
	"fmt"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
)

// TestAllocations: neither a change of a left row nor an answer costs an allocation, and that of a right row a few to look at the disk.
func TestAllocations(t *testing.T) {
	out := &record.Output{}
	topic := record.NewTopic(&out, 0, 4, 0)
	left := NewSubscriber(topic, 1, Inner)
	b := state.NewMemory(state.Schema{ID: 1, Name: "subscriptions"})
	stores := state.NewStores(b, nil)
	right := NewSubscribers(stores, 1, topic)
	var keys, ons [100][]byte
	for i := range keys {
		keys[i], ons[i] = fmt.Appendf(nil, "key %d", i), fmt.Appendf(nil, "on %d", i/10)
	}
	row := []byte("a row")
	epoch, frozen := uint64(0), &state.Frozen{}
	measure := func(what string, limit float64, work func(i int) error) {
		all := func() {
			for i := range keys {
				if err := work(i); err != nil {
					t.Fatal(err)
				}
			}
			out.Reset()
			epoch++
			stores.Freeze(epoch, 0, frozen)
			frozen.Reset() // nothing is applied: what is measured is the task's side
			stores.Applied(epoch)
		}
		all()
		all()
		if n := testing.AllocsPerRun(100, all) / float64(len(keys)); n > limit {
			t.Errorf("%s: %.3f allocations", what, n)
		}
	}
	measure("a left row", 0.01, func(i int) error {
		left.Send(&Change{Key: keys[i], Exists: true, Existed: true, On: ons[i], Before: ons[(i+10)%100], Row: row, Timestamp: 1})
		return nil
	})
	measure("an answer", 0.01, func(i int) error {
		sub := Subscription{Request: Join, Partition: 1, Key: keys[i]}
		right.Take(ons[i], &sub, 1)
		return right.Answer(&sub, row, 1, nil)
	})
	measure("a right row", 1, func(i int) error {
		right.Tell(ons[i], row, 1, nil)
		_, err := right.Close(1000)
		return err
	})
}
