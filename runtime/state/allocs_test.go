package state

import (
	"fmt"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
)

// toucher changes the row of a key by a record with headers.
type toucher func(key []byte, headers []record.Header) error

// What a record may allocate that changes a row which is there, by what is asked of the store: nothing, if the row is in memory, with
// headers or without. One that was evicted is read back, of sessions and sliding windows with what is known of its key.
func TestAllocationBudgets(t *testing.T) {
	counts := Codec[int64]{
		Append: func(dst []byte, v *int64) []byte { return append(dst, byte(*v)) },
		Read:   func(src []byte, v *int64) error { *v = int64(src[0]); return nil },
	}
	byKey := func(s *KeyValue[int64]) toucher {
		return func(key []byte, headers []record.Header) error {
			r, _, err := s.Update(key)
			if err == nil {
				r.Value++
				s.ChangedBy(headers)
			}
			return err
		}
	}
	byWindow := func(w interface {
		Advance(int, int64)
		UpdateAt(int64, []byte) (*Row[int64], bool, error)
		ChangedBy([]record.Header)
	}) toucher {
		return func(key []byte, headers []record.Header) error {
			w.Advance(0, 95)
			r, _, err := w.UpdateAt(90, key)
			if err == nil {
				r.Value++
				w.ChangedBy(headers)
			}
			return err
		}
	}
	for _, c := range []struct {
		name  string
		times int
		open  func(s *Stores) toucher
		// Of a row that was evicted, without and with headers. One of them is the backend's, which copies the key.
		evicted, both float64
	}{
		{"updates", 0, func(s *Stores) toucher { return byKey(NewKeyValue(s, 7, counts)) }, 1, 1},
		{"updates with old values", 0, func(s *Stores) toucher { return byKey(NewKeyValue(s, 7, counts).KeepSent()) }, 1, 1},
		{"updates of rows that end", 0, func(s *Stores) toucher {
			a, at := NewAging(s, 7, counts, AgingOptions{TTL: 1 << 30}), int64(0)
			return func(key []byte, headers []record.Header) error {
				at++
				if err := a.Advance(key, at, nil); err != nil {
					return err
				}
				r, _, err := a.Update(key)
				if err == nil {
					r.Value++
					r.Timestamp = at
					a.ChangedBy(headers)
				}
				return err
			}
		}, 1, 1},
		{"windows, updates", 0, func(s *Stores) toucher {
			return byWindow(NewWindowed(s, 7, counts, WindowedOptions{Size: 10, Retention: 100}))
		}, 1, 1},
		{"windows, updates with old values", 0, func(s *Stores) toucher {
			return byWindow(NewWindowed(s, 7, counts, WindowedOptions{Size: 10, Retention: 100}).KeepSent())
		}, 1, 1},
		{"windows, final", 0, func(s *Stores) toucher {
			return byWindow(NewWindowed(s, 7, counts, WindowedOptions{Size: 10, Retention: 100, Final: true}))
		}, 1, 3},
		{"panes, final", 0, func(s *Stores) toucher {
			return byWindow(NewPanes(s, 7, counts, PanesOptions[int64]{Size: 50, Every: 10, Retention: 100,
				Add:  func(sum, pane *int64) error { *sum += *pane; return nil },
				Take: func(sum, pane *int64) bool { *sum -= *pane; return true }}))
		}, 1, 3},
		{"sessions, final", 0, func(s *Stores) toucher {
			w := NewSessions(s, 7, counts, SessionOptions{Gap: 10, Retention: 100, Final: true})
			return func(key []byte, headers []record.Header) error {
				if _, err := w.Find(0, key, 95); err != nil {
					return err
				}
				r, _, err := w.Put()
				if err == nil {
					r.Value++
					w.ChangedBy(headers)
				}
				return err
			}
		}, 7, 9},
		{"sliding windows, final", SlidingTimes, func(s *Stores) toucher {
			w := NewSliding(s, 7, counts, SlidingOptions{Difference: 10, Retention: 100, Final: true})
			return func(key []byte, headers []record.Header) error {
				err := w.Slide(0, key, 95)
				for err == nil {
					var more bool
					if more, err = w.Next(); !more {
						break
					}
					w.Window.Row.Value++
					w.Window.Row.Timestamp = 95
					w.ChangedBy(headers)
				}
				return err
			}
		}, 7, 9},
	} {
		for _, headers := range [][]record.Header{nil, {{Key: "trace", Value: []byte("0123456789")}}} {
			for _, evicted := range []bool{false, true} {
				name := fmt.Sprintf("%s, headers %t, evicted %t", c.name, headers != nil, evicted)
				limit := [2][2]float64{{0, c.evicted}, {0, c.both}}[len(headers)][map[bool]int{true: 1}[evicted]]
				b := NewMemory(Schema{ID: 7, Name: "rows", Fingerprint: "v1", Times: c.times})
				budget := NewBudget(1 << 40)
				if evicted {
					budget = NewBudget(1)
				}
				s := NewStores(b, budget)
				touch := c.open(s)
				const keys = 4000
				epoch, at := uint64(0), 0
				next := func() {
					if err := touch(fmt.Appendf(nil, "key-%08d", at%keys), headers); err != nil {
						t.Fatal(err)
					}
					at++
				}
				var names [keys][]byte
				for i := range names {
					names[i] = fmt.Appendf(nil, "key-%08d", i)
				}
				for range 2 {
					for range keys {
						next()
					}
					var f Frozen
					epoch++
					s.Freeze(epoch, int64(epoch), &f)
					if err := b.Apply(&f); err != nil {
						t.Fatal(err)
					}
					s.Applied(epoch)
					for range 200 {
						s.Evict()
					}
				}
				at = 0
				if got := testing.AllocsPerRun(keys/2, func() {
					if err := touch(names[at], headers); err != nil {
						t.Fatal(err)
					}
					at++
				}); got > limit {
					t.Errorf("%s: %.0f allocations a record, not %.0f", name, got, limit)
				}
			}
		}
	}
}
