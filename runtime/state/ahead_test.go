package state

import (
	"fmt"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
)

// Reading ahead finds the rows of all records, whatever their keys are like and whether there are rows, changes nothing and allocates nothing.
func TestAhead(t *testing.T) {
	s := NewStores(NewMemory(testSchemas...), NewBudget(1<<40))
	kv := NewKeyValue(s, 7, count)
	key := func(i int) []byte { return fmt.Appendf(nil, "%0*d", 6+i%3*20, i) } // in the row, and in slabs
	for i := 0; kv.table.memory() < 2*aheadMemory; i++ {
		r, _, err := kv.Update(key(i))
		if err != nil {
			t.Fatal(err)
		}
		r.Value = int64(i)
	}
	if _, err := kv.Delete(key(5), 0); err != nil {
		t.Fatal(err)
	}
	held, pinned := kv.memory()
	var records []record.Record
	for i := range 200 {
		records = append(records, record.Record{Key: key(i), Source: uint8(i % 3)})
	}
	records[7].Key, records[8].Key, records[9].Key = nil, []byte{}, []byte(strings.Repeat("no row", 9))

	found := func(sources ...uint8) uint64 {
		before := kv.touched
		s.ahead = nil
		kv.ReadAhead(sources...)
		s.Ahead(records)
		return kv.touched - before
	}
	var want [4]uint64 // the lengths of the keys of rows, and the first bytes of those in slabs
	for i := range records {
		if n := len(key(i)); i < 7 || i > 9 {
			want[i%3] += uint64(n)
			if n > inlineKey {
				want[i%3] += '0'
			}
		}
	}
	for source, want := range want {
		if got := found(uint8(source)); got != want {
			t.Errorf("source %d: %d, not %d", source, got, want)
		}
	}
	if got := found(); got != want[0]+want[1]+want[2] {
		t.Errorf("of all sources: %d, not %d", got, want)
	}
	if n := testing.AllocsPerRun(10, func() { s.Ahead(records) }); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
	for i := range 200 {
		r, err := kv.Get(key(i))
		if i == 5 != (r == nil) || err != nil || r != nil && r.Value != int64(i) {
			t.Fatalf("row %d: %v, %v", i, r, err)
		}
	}
	if h, p := kv.memory(); h != held || p != pinned {
		t.Errorf("memory %d, %d, not %d, %d", h, p, held, pinned)
	}
}
