package dict

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// Entries in any order make the map that a Go map would be.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var m Of[int]
		want := map[string]int{}
		for i := range r.IntN(12) {
			key := strconv.Itoa(r.IntN(8))
			m = append(m, Entry[int]{key, i})
			want[key] = i
		}
		m = Sort(m)
		keys := slices.Sorted(maps.Keys(want))
		if len(m) != len(keys) {
			t.Fatalf("%v, want %v", m, want)
		}
		for i, e := range m {
			if e.Key != keys[i] || e.Value != want[e.Key] {
				t.Fatalf("%v, want %v", m, want)
			}
			if v, err := At(m, e.Key); v != e.Value || err != nil || !m.Has(e.Key) {
				t.Fatalf("%s: %d, %v", e.Key, v, err)
			}
		}
		if v, err := At(m, "x"); v != 0 || !errors.Is(err, ErrKey) || m.Has("x") {
			t.Fatalf("x: %d, %v", v, err)
		}
	}
}

func TestAllocations(t *testing.T) {
	m := make(Of[int], 0, 3)
	if n := testing.AllocsPerRun(100, func() {
		m = Sort(append(m[:0], Entry[int]{"b", 1}, Entry[int]{"a", 2}, Entry[int]{"b", 3}))
	}); n != 0 || len(m) != 2 || m[1].Value != 3 {
		t.Errorf("%v allocations, %v", n, m)
	}
}
