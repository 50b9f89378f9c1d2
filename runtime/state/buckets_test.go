package state

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/window"
)

// A session that has left stays where it lies until it expires, and what comes late can begin another one of its key, start and bucket:
// that gets the next number there. Both are found, read and restored by themselves, however often the store begins anew in between.
func TestSessionsAtOnePlace(t *testing.T) {
	o := SessionOptions{Gap: 5, Grace: 30, Retention: 100, Final: true}
	records := []struct {
		key   string
		time  int64
		leave string // what leaves with it
	}{
		{"a", 10, ""}, {"z", 50, "a[10,10]=a"},
		{"a", 15, ""}, {"a", 12, ""}, {"a", 10, ""}, // [10, 15], in the bucket of [10, 10]
		{"z", 56, "a[10,15]=||aaa"},
		{"a", 21, ""}, {"a", 16, ""}, {"a", 10, "late"}, {"a", 15, ""}, {"a", 10, ""}, // [10, 21]
		{"z", 70, "a[10,21]=|||aaaa"},
	}
	for _, ways := range []struct {
		name    string
		restart int // after so many records
		evict   bool
	}{{"in memory", 100, false}, {"evicted", 100, true}, {"restarted", 1, false}, {"restarted at times", 3, true}} {
		t.Run(ways.name, func(t *testing.T) {
			schema := Schema{ID: 7, Name: "sessions", Fingerprint: "v1"}
			var log []ChangelogRecord
			backend := NewMemory(schema)
			var stores *Stores
			var s *Sessions[string]
			begin := func() {
				stores = NewStores(backend, NewBudget(1))
				s = NewSessions(stores, 7, texts, o)
			}
			begin()
			for i, r := range records {
				var left []string
				out, err := sessionAdd(s, 0, r.key, r.key, r.time, nil)
				if err != nil {
					t.Fatal(err)
				}
				if out[0] == "late" {
					left = out
				}
				if _, err := s.Close(10, func(start, end int64, key []byte, r *Row[string]) error {
					left = append(left, fmt.Sprintf("%s[%d,%d]=%s", key, start, end, r.Value))
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(left, " "); got != r.leave {
					t.Fatalf("%s@%d lets leave %q, want %q", r.key, r.time, got, r.leave)
				}
				var f Frozen
				stores.Freeze(uint64(i+1), 1, &f)
				for c := range f.Changelog() {
					c.Key, c.Value = bytes.Clone(c.Key), bytes.Clone(c.Value)
					log = append(log, c)
				}
				if err := backend.Apply(&f); err != nil {
					t.Fatal(err)
				}
				stores.Applied(uint64(i + 1))
				if ways.evict {
					stores.Evict()
				}
				if (i+1)%ways.restart == 0 {
					begin()
				}
			}
			for _, want := range []naiveSession{{start: 10, end: 10, text: "a"}, {start: 10, end: 15, text: "||aaa"}, {start: 10, end: 21, text: "|||aaaa"}} {
				r, err := s.Get(window.AppendSessionKey(nil, []byte("a"), want.start, want.end))
				if err != nil || r == nil || r.Value != want.text {
					t.Errorf("a[%d,%d] is %v, %v, want %q", want.start, want.end, r, err, want.text)
				}
			}
			restored := NewMemory(schema)
			r := NewRestorer(restored, 7)
			for i, c := range log {
				if _, err := r.Add(c.Key, c.Value, c.Timestamp, int64(i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Flush(int64(len(log))); err != nil {
				t.Fatal(err)
			}
			var numbers []uint8
			if err := EachRow(restored, 7, func(key []byte, _ int64, _ []byte) error {
				if _, of, _, nth := splitPlace(key); string(of) == "a" {
					numbers = append(numbers, nth)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(numbers, []uint8{0, 1, 2}) {
				t.Errorf("the numbers of the sessions are %v", numbers)
			}
		})
	}
}

// A record whose session is not made moves time all the same, beyond all sessions that there are: those that are not in memory leave, once.
func TestTimePassesAllSessions(t *testing.T) {
	backend := NewMemory(Schema{ID: 7, Name: "sessions", Fingerprint: "v1"})
	stores := NewStores(backend, NewBudget(1))
	s := NewSessions(stores, 7, texts, SessionOptions{Gap: 5, Grace: 30, Retention: 100, Final: true})
	for _, key := range []string{"a", "b"} {
		if _, err := sessionAdd(s, 0, key, key, 10, nil); err != nil {
			t.Fatal(err)
		}
	}
	var f Frozen
	stores.Freeze(1, 1, &f)
	if err := backend.Apply(&f); err != nil {
		t.Fatal(err)
	}
	stores.Applied(1)
	stores.Evict()
	var left []string
	for _, time := range []int64{1000, 5000} {
		if _, err := s.Find(0, []byte("z"), time); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Close(10, func(_, _ int64, key []byte, r *Row[string]) error {
			left = append(left, string(key)+"="+r.Value)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"a=a", "b=b"}; !slices.Equal(left, want) {
		t.Errorf("%q left, want %q", left, want)
	}
}
