package state

import (
	"fmt"
	"slices"
	"testing"
)

// What leaves at one time leaves in steps of any size, behind each of which an epoch may be committed, go back or be all that a restart
// finds: each row once, in order.
func TestClosingOfOneTimeIsResumable(t *testing.T) {
	const rows = 1000
	keys := make([]string, rows)
	for i := range keys {
		keys[i] = fmt.Sprintf("key %04d", i)
	}
	type closer interface {
		Due() bool
		Close(n int, f func(start, end int64, key []byte, r *Row[string]) error) (more bool, err error)
	}
	for _, c := range []struct {
		name string
		open func(s *Stores) (w closer, add func(key string, at int64) error)
	}{
		{"sessions", func(s *Stores) (closer, func(string, int64) error) {
			w := NewSessions(s, 7, texts, SessionOptions{Gap: 5, Retention: 1000, Final: true})
			return w, func(key string, at int64) error {
				_, err := w.Find(0, []byte(key), at)
				if err == nil {
					_, _, err = w.Put()
				}
				return err
			}
		}},
		{"sliding", func(s *Stores) (closer, func(string, int64) error) {
			w := NewSliding(s, 7, texts, SlidingOptions{Difference: 5, Retention: 1000, Final: true})
			return w, func(key string, at int64) error {
				err := w.Slide(0, []byte(key), at)
				for more := true; more && err == nil; {
					more, err = w.Next()
				}
				return err
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			b := NewMemory(Schema{ID: 7, Name: "rows", Fingerprint: "v1", Times: map[string]int{"sliding": SlidingTimes}[c.name]})
			s := NewStores(b, NewBudget(1)) // nothing that can go stays
			w, add := c.open(s)
			for _, i := range []int64{7, 3} { // in no order
				for n := range int64(rows) {
					if n%10 == i || i == 3 && n%10 != 7 {
						check(add(keys[n], 10))
					}
				}
			}
			check(add("other", 100))
			var got, committed []string
			epoch := uint64(0)
			commit := func() {
				epoch++
				var f Frozen
				s.Freeze(epoch, int64(epoch), &f)
				check(b.Apply(&f))
				s.Applied(epoch)
				committed = slices.Clone(got)
			}
			for step := 1; w.Due(); step++ {
				left := len(got)
				_, err := w.Close(7, func(start, end int64, key []byte, r *Row[string]) error {
					got = append(got, string(key))
					return nil
				})
				check(err)
				if n := len(got) - left; n > 7 {
					t.Fatalf("%d rows left in a step", n)
				}
				switch {
				case step%5 == 0:
					check(s.Discard())
					got = slices.Clone(committed)
				case step%7 == 0: // a restart
					s = NewStores(b, NewBudget(1))
					w, add = c.open(s)
					got = slices.Clone(committed)
				case step%2 == 0:
					commit()
				}
				for range 3 {
					s.Evict()
				}
			}
			if !slices.Equal(got, keys) {
				t.Errorf("%d rows left, not each of %d once and in order: %.20q …", len(got), rows, got)
			}
			check(add("last", 101))
		})
	}
}
