package state

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMemoryAgainstMap holds the runs of a backend in memory against a map, and scans against the rows that were there when they began.
func TestMemoryAgainstMap(t *testing.T) {
	for seed := range uint64(30) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		m, want := NewMemory(Schema{ID: 0}), map[string]string{}
		key := func() string { return fmt.Sprintf("\x00\x00%03d", rnd.IntN(400)) }
		for range 200 {
			f := &Frozen{}
			if rnd.IntN(5) == 0 {
				from, to := key(), key()
				f.Ranges = []Range{{[]byte(from), []byte(to)}}
				maps.DeleteFunc(want, func(k, _ string) bool { return from <= k && k < to })
			}
			for range rnd.IntN(40) {
				k := key()
				c := Change{Key: []byte(k)}
				if rnd.IntN(3) == 0 {
					delete(want, k)
				} else {
					want[k] = fmt.Sprint(rnd.Int())
					c.Row = []byte(want[k])
				}
				f.Changes = append(f.Changes, c)
			}
			from, to := key(), key()
			var got, rows []string
			before := slices.Sorted(maps.Keys(collect(t, m, "\x00\x00", "\x00\x01")))
			read := 0
			if err := m.Scan([]byte{0, 0}, []byte{0, 1}, func(k, _ []byte) error {
				if read++; read == 1 { // what is applied meanwhile is not seen
					if err := m.Apply(f); err != nil {
						t.Fatal(err)
					}
				}
				got = append(got, string(k))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, before) {
				t.Fatalf("seed %d: scanned\n%q, there were\n%q", seed, got, before)
			}
			if read == 0 {
				if err := m.Apply(f); err != nil {
					t.Fatal(err)
				}
			}
			for k, v := range collect(t, m, from, to) {
				rows = append(rows, k+v)
			}
			slices.Sort(rows)
			var model []string
			for k, v := range want {
				if from <= k && k < to {
					model = append(model, k+v)
				}
				if row, ok, _ := m.Get(nil, []byte(k)); !ok || string(row) != v {
					t.Fatalf("seed %d: %q is %q, want %q", seed, k, row, v)
				}
			}
			slices.Sort(model)
			if !slices.Equal(rows, model) || m.len() != len(want) {
				t.Fatalf("seed %d: %d rows, from %q to %q\n%q, want %d,\n%q", seed, m.len(), from, to, rows, len(want), model)
			}
		}
	}
}

func collect(t *testing.T, m *Memory, from, to string) map[string]string {
	t.Helper()
	rows, last := map[string]string{}, ""
	if err := m.Scan([]byte(from), []byte(to), func(k, row []byte) error {
		if string(k) <= last {
			t.Fatalf("%q behind %q", k, last)
		}
		last = string(k)
		rows[last] = string(row)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}
