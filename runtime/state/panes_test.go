package state

import (
	"fmt"
	"testing"
)

// Sums of panes are, over random records with commits, aborts, restarts and lost disks at random times, what a plain map of windows
// over all records gives, and as many windows are late.
func TestPanesModel(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		windowedCase(t, seed, false, true)
	}
	for seed := uint64(1000); seed < 1008; seed++ {
		windowedCase(t, seed, true, true)
	}
}

// Records in order ask the backend for no row, however little of the panes stays in memory: those that are in the sums go whole, and are
// read one row behind the other when they leave them.
func TestPanesGoWhole(t *testing.T) {
	const keys, seconds = 500, 200
	b := &reads{Backend: NewMemory(windowsSchemas...)}
	s := NewStores(b, NewBudget(256<<10))
	defer s.Close()
	w := NewPanes(s, windowsID, count, PanesOptions[int64]{
		Size: 60_000, Every: 1000, Retention: 60_000,
		Add:  func(sum, pane *int64) error { *sum += *pane; return nil },
		Take: func(sum, pane *int64) bool { *sum -= *pane; return true },
	})
	var f Frozen
	most, left, epoch := int64(0), 0, uint64(0)
	for second := range int64(seconds) {
		for i := range keys {
			time := 1000*second + int64(i)
			w.Advance(0, time)
			pane, _, _ := w.Windows(time)
			r, _, err := w.UpdateAt(pane, fmt.Appendf(nil, "hot-%d", i))
			if err != nil {
				t.Fatal(err)
			}
			r.Value++
			r.Timestamp = time
			for more := w.Due(); more; {
				if more, err = w.Close(CloseStep, func(start, end int64, key []byte, r *Row[int64]) error {
					if want := min(end, 1000*second) - max(start, 0); r.Value*1000 != want {
						t.Fatalf("%d of %q in %d to %d, want %d", r.Value, key, start, end, want/1000)
					}
					left++
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			if i%100 == 99 {
				epoch++
				run(t, s, b, &f, epoch)
				held, _ := w.memory()
				most = max(most, held)
			}
		}
	}
	if want := (seconds - 60) * keys; left != want || b.hot > 0 || most > 256<<10 {
		t.Errorf("%d results, want %d; %d rows were asked for, %d bytes held", left, want, b.hot, most)
	}
}
