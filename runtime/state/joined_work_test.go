package state

import (
	"fmt"
	"testing"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// countedBackend counts the scans and the rows that they read.
type countedBackend struct {
	*Memory
	scans, rows int
}

func (b *countedBackend) Scan(from, to []byte, f func(key, row []byte) error) error {
	b.scans++
	return b.Memory.Scan(from, to, func(key, row []byte) error {
		b.rows++
		return f(key, row)
	})
}

// TestJoinedWork says that what a record costs does not depend on how many rows are held: neither where all keys are in memory, nor
// behind a restart, nor where keys leave memory as soon as they may. Keys occur once a side.
func TestJoinedWork(t *testing.T) {
	const records = 4000
	for _, held := range []int{100, 1000} { // records of each side that are held
		for _, test := range []struct {
			name           string
			restart        bool
			memory         int64
			scans, visited int // at most
		}{
			{name: "in memory", memory: 1 << 40, scans: 2},
			// Once each side is looked at and read for rows that wait; then a key is looked for while something of before may be held.
			{name: "restart", restart: true, memory: 1 << 40, scans: 2 + 3 + 6*3*held, visited: 6 * held},
			{name: "evicted", memory: 1, scans: 2 + 6*records, visited: 2 * records},
		} {
			t.Run(fmt.Sprintf("%s, %d held", test.name, held), func(t *testing.T) {
				backend := &countedBackend{Memory: NewMemory(Schema{ID: 3, Name: "left", Waits: true}, Schema{ID: 7, Name: "right", Waits: true})}
				begin := func() *joinRun {
					s := NewStores(backend, NewBudget(test.memory))
					return &joinRun{NewJoined(s, 3, 7, Within{After: 10, Grace: temporal.Duration(held - 10)}, KeepsLeft), s, false}
				}
				run := begin()
				matched, epoch := 0, uint64(0)
				for i := range records {
					if test.restart && i == records/2 {
						run.stores.Close()
						run, backend.scans, backend.rows = begin(), 0, 0
					}
					key := fmt.Sprintf("key-%d", i)
					run.take(t, joinInput{side: Left, key: key, value: "l", timestamp: int64(i)})
					if i%2 == 0 && i > 3 {
						key = fmt.Sprintf("key-%d", i-3) // one of two meets nothing
						matched += len(run.take(t, joinInput{side: Right, key: key, value: "r", timestamp: int64(i)}))
					}
					if i%100 == 99 {
						epoch++
						f := &Frozen{}
						run.stores.Freeze(epoch, 0, f)
						if err := backend.Apply(f); err != nil {
							t.Fatal(err)
						}
						run.stores.Applied(epoch)
						run.stores.Evict()
					}
				}
				if want := records/2 - 2; matched != want {
					t.Fatalf("%d matches, want %d", matched, want)
				}
				if backend.scans > test.scans || backend.rows > test.visited {
					t.Errorf("%d scans of %d rows, want at most %d of %d", backend.scans, backend.rows, test.scans, test.visited)
				}
				if n := int64(4*held + 400); int64(run.keys.n) > n || run.rows.live > n {
					t.Errorf("%d keys and %d rows in memory", run.keys.n, run.rows.live)
				}
			})
		}
	}
}
