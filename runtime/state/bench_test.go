package state

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
)

func benchKeys(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "customer-%04d", i)
	}
	return keys
}

// One update of a resident row: by itself, and with what a commit each 10 000 updates of other keys adds to it.
func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		for _, every := range []int{0, 10_000} {
			b.Run(fmt.Sprintf("%d keys, commit %d", n, every), func(b *testing.B) {
				keys := benchKeys(n)
				s := NewStores(NewMemory(testSchemas...), nil)
				kv := NewKeyValue(s, 7, count)
				var f Frozen
				at, epoch := 0, uint64(0)
				body := func() {
					if at += 7919; at >= n {
						at -= n
					}
					r, _, err := kv.Update(keys[at])
					if err != nil {
						b.Fatal(err)
					}
					r.Value++
				}
				commit := func() {
					epoch++
					f.Reset()
					s.Freeze(epoch, 1, &f)
					s.Applied(epoch)
				}
				for range n {
					body()
				}
				commit()
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					body()
					if i++; i == every {
						i = 0
						commit()
					}
				}
			})
		}
	}
}

// Every other update is of a new key, under a budget that holds a tenth of the rows: what eviction costs, the backend apart.
func BenchmarkUpdateUnderPressure(b *testing.B) {
	s := NewStores(NewMemory(testSchemas...), NewBudget(10<<20))
	kv := NewKeyValue(s, 7, count)
	keys := benchKeys(1_000_000)
	var f Frozen
	epoch := uint64(0)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		key := keys[uint64(i)*7919%1_000_000]
		if i%2 == 0 {
			key = keys[i/2%10_000]
		}
		r, _, err := kv.Update(key)
		if err != nil {
			b.Fatal(err)
		}
		r.Value++
		if i++; i%1000 == 0 {
			s.Evict()
			if i%10_000 == 0 {
				epoch++
				f.Reset()
				s.Freeze(epoch, 1, &f)
				s.Applied(epoch)
			}
		}
	}
}

// A record of a changelog, restored into a database on disk.
func BenchmarkRestore(b *testing.B) {
	shared := NewShared(Options{Memory: 256 << 20, Tasks: 1})
	defer shared.Close()
	p, err := shared.Open(filepath.Join(b.TempDir(), "task"), testSchemas)
	if err != nil {
		b.Fatal(err)
	}
	keys := benchKeys(1_000_000)
	value := make([]byte, 100)
	r := NewRestorer(p, 7)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, err := r.Add(keys[uint64(i)*7919%1_000_000], value, 1, int64(i)); err != nil {
			b.Fatal(err)
		}
		i++
	}
	if err := p.Close(); err != nil {
		b.Fatal(err)
	}
}

// Lookups of rows in memory, a batch at a time, with and without reading ahead.
func BenchmarkAhead(b *testing.B) {
	for _, n := range []int{1_000, 20_000, 100_000, 1_000_000} {
		for _, ahead := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d keys, ahead %t", n, ahead), func(b *testing.B) {
				s := NewStores(NewMemory(testSchemas...), nil)
				kv := NewKeyValue(s, 7, count)
				keys := benchKeys(n)
				for _, key := range keys {
					if _, _, err := kv.Update(key); err != nil {
						b.Fatal(err)
					}
				}
				batch := make([]record.Record, 1024)
				memory := make([]byte, 0, 64*len(batch))
				random := rand.New(rand.NewPCG(1, 1))
				at := len(batch)
				for b.Loop() {
					if at == len(batch) {
						at, memory = 0, memory[:0]
						for i := range batch {
							start := len(memory)
							memory = append(memory, keys[random.IntN(n)]...)
							batch[i].Key = memory[start:]
						}
						if ahead {
							kv.readAhead(batch)
						}
					}
					r, err := kv.Get(batch[at].Key)
					if err != nil || r == nil {
						b.Fatal(err)
					}
					at++
				}
			})
		}
	}
}
