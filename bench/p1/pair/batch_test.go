package pair

import (
	"fmt"
	"slices"
	"testing"

	"github.com/streamgen/streamgen/bench/p1/orders"
	"github.com/streamgen/streamgen/runtime/record"
)

// TestS07BatchesOfAnySize: what comes out does not depend on where batches end.
func TestS07BatchesOfAnySize(t *testing.T) {
	list := orders.Make(5000)
	sent := func(size int) (out []string) {
		task, w, code, err := NewTask()
		if err != nil {
			t.Fatal(err)
		}
		w.Add(task)
		w.committed.show = func(o record.Out) {
			out = append(out, fmt.Sprintf("%d %s %s %d", o.Partition, o.Key, o.Value, o.Timestamp))
		}
		for from := 0; from < len(list); from += size {
			var b record.Batch
			for i := from; i < min(from+size, len(list)); i++ {
				b.Records = append(b.Records, record.Record{Key: list[i].Key, Value: list[i].Value, Timestamp: list[i].Timestamp, Offset: int64(i)})
			}
			if err := code.Process(&b); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := w.Wait(); err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := sent(1)
	if len(want) < len(list)/4 {
		t.Fatalf("%d records of %d", len(want), len(list))
	}
	for _, size := range []int{1023, 1024, 1025, len(list)} {
		if got := sent(size); !slices.Equal(got, want) {
			t.Errorf("batches of %d: %d records, or others than the %d of single ones", size, len(got), len(want))
		}
	}
}
