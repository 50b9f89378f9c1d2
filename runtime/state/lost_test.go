package state

import (
	"fmt"
	"slices"
	"testing"
)

// What an input in time makes in a window that has expired goes on at the commit, in the order of all changes, but for what is taken back.
func TestExpiredWindows(t *testing.T) {
	w := NewWindowed(NewStores(NewMemory(windowsSchemas...), nil), windowsID, Codec[int64]{
		Append: func(dst []byte, v *int64) []byte { return append(dst, byte(*v)) },
		Read:   func(src []byte, v *int64) error { *v = int64(src[0]); return nil },
	}, WindowedOptions{Size: 10, Retention: 10, Inputs: 2})
	update := func(input int, time int64, key string, value int64) {
		w.Advance(input, time)
		row, existed, err := w.UpdateAt(time/10*10, []byte(key))
		if err != nil || existed {
			t.Fatal(key, time, existed, err)
		}
		if value == 0 {
			w.Unchanged()
			return
		}
		row.Value, row.Timestamp = value, time
		w.ChangedBy(nil)
	}
	update(0, 100, "a", 1)
	update(1, 5, "a", 2)
	update(1, 6, "a", 0) // 2 stays
	update(1, 7, "b", 0)
	update(1, 7, "b", 0)
	update(1, 8, "b", 3)
	update(1, 9, "b", 4)
	update(1, 9, "c", 0)
	update(0, 101, "d", 5)
	update(1, 4, "e", 6)
	var got []string
	if err := w.EachChanged(func(start, _ int64, key []byte, r *Row[int64], exists bool) error {
		got = append(got, fmt.Sprintf("%s@%d %d@%d %t", key, start, r.Value, r.Timestamp, exists))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"a@100 1@100 true", "a@0 2@5 true", "b@0 4@9 true", "d@100 5@101 true", "e@0 6@4 true"}; !slices.Equal(got, want) {
		t.Errorf("%q are sent, want %q", got, want)
	}
}
