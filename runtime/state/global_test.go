package state

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// textCodec writes strings.
var textCodec = Codec[string]{
	Append: func(dst []byte, v *string) []byte { return append(dst, *v...) },
	Read:   func(src []byte, v *string) error { *v = string(src); return nil },
}

// openGlobal makes a global table over a backend.
func openGlobal(b Backend, budget *Budget) (*Global[string], *GlobalWriter[string], *Stores) {
	g := NewGlobal(textCodec)
	s := NewStores(b, budget)
	return g, g.Open(s, 0), s
}

var globalSchema = Schema{ID: 0, Name: "products", Fingerprint: "text"}

// commitGlobal applies what was changed.
func commitGlobal(t testing.TB, b Backend, s *Stores, epoch uint64) {
	t.Helper()
	var f Frozen
	s.Freeze(epoch, int64(epoch), &f)
	if err := b.Apply(&f); err != nil {
		t.Fatal(err)
	}
	s.Applied(epoch)
}

func getGlobal(t testing.TB, g *Global[string], key string) string {
	t.Helper()
	var v string
	found, err := g.Get([]byte(key), &v)
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		return "-"
	}
	return v
}

// TestGlobalAgainstModel: what is applied is what a lookup finds, whatever is in memory; what is pending or in flight is not.
func TestGlobalAgainstModel(t *testing.T) {
	for _, memory := range []int64{0, 1, 1 << 20} {
		t.Run(fmt.Sprint(memory), func(t *testing.T) {
			var budget *Budget
			if memory > 0 {
				budget = NewBudget(memory)
			}
			b := NewMemory(globalSchema)
			g, w, s := openGlobal(b, budget)
			seen, pending := map[string]string{}, map[string]string{}
			r := rand.New(rand.NewPCG(1, uint64(memory)))
			epoch := uint64(0)
			for n := range 20_000 {
				key := "a key that is too long for its row " + strconv.Itoa(r.IntN(300))
				switch r.IntN(8) {
				case 0, 1:
					v := strconv.Itoa(n)
					pending[key] = v
					if err := w.Put([]byte(key), &v, int64(n)); err != nil {
						t.Fatal(err)
					}
				case 2:
					pending[key] = "-"
					if err := w.Delete([]byte(key), int64(n)); err != nil {
						t.Fatal(err)
					}
				case 3:
					if r.IntN(10) > 0 {
						continue
					}
					s.Evict()
					epoch++
					commitGlobal(t, b, s, epoch)
					for k, v := range pending {
						if v == "-" {
							delete(seen, k)
						} else {
							seen[k] = v
						}
					}
					clear(pending)
					if got := GlobalRows(b.Checkpoint(), 0); got != int64(len(seen)) {
						t.Fatalf("%d rows are counted, there are %d", got, len(seen))
					}
				default:
					want, ok := seen[key]
					if !ok {
						want = "-"
					}
					if got := getGlobal(t, g, key); got != want {
						t.Fatalf("step %d: %q is %q, want %q", n, key, got, want)
					}
				}
			}
			if budget != nil {
				s.Close()
				if held, pinned := budget.Used(); held != 0 || pinned != 0 {
					t.Errorf("%d and %d bytes are left", held, pinned)
				}
			}
		})
	}
}

// TestGlobalCountsAcrossEpochs: a row that is put again while the epoch that made it is in flight is one row.
func TestGlobalCountsAcrossEpochs(t *testing.T) {
	b := NewMemory(globalSchema)
	_, w, s := openGlobal(b, nil)
	v := "v"
	put := func(key string) {
		if err := w.Put([]byte(key), &v, 1); err != nil {
			t.Fatal(err)
		}
	}
	put("a")
	put("b")
	var f Frozen
	s.Freeze(1, 1, &f)
	put("a")
	if err := w.Delete([]byte("b"), 2); err != nil {
		t.Fatal(err)
	}
	if err := b.Apply(&f); err != nil {
		t.Fatal(err)
	}
	s.Applied(1)
	commitGlobal(t, b, s, 2)
	if got := GlobalRows(b.Checkpoint(), 0); got != 1 {
		t.Errorf("%d rows, want 1", got)
	}
}

// TestGlobalReadersSeeTheNewest: readers on other goroutines never see a row go back, and at the end all see the last one, also
// those that looked into the database while the row was being replaced.
func TestGlobalReadersSeeTheNewest(t *testing.T) {
	shared := newShared(Options{Memory: 8 << 20, Tasks: 1}, vfs.NewMem())
	b, err := shared.Open("global", []Schema{globalSchema})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		shared.Close()
	}()
	g, w, s := openGlobal(b, shared.Budget)
	const keys, rounds = 40, 300
	key := func(i int) []byte { return []byte("key " + strconv.Itoa(i)) }
	var done atomic.Bool
	var applied atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			var last [keys]int
			for n := 0; !done.Load(); n++ {
				i := n % keys
				least := int(applied.Load())
				var v string
				found, err := g.Get(key(i), &v)
				if err != nil {
					t.Error(err)
					return
				}
				at, _ := strconv.Atoi(v)
				if found && at < last[i] || found && at < least || !found && least > 0 {
					t.Errorf("key %d: %d after %d, with %d applied", i, at, last[i], least)
					return
				}
				last[i] = at
			}
		})
	}
	for n := 1; n <= rounds; n++ {
		v := strconv.Itoa(n)
		for i := range keys {
			if err := w.Put(key(i), &v, int64(n)); err != nil {
				t.Fatal(err)
			}
		}
		s.Evict()
		commitGlobal(t, b, s, uint64(n))
		applied.Store(int64(n))
	}
	done.Store(true)
	all.Wait()
	for i := range keys {
		if got := getGlobal(t, g, string(key(i))); got != strconv.Itoa(rounds) {
			t.Errorf("key %d: %s at the end", i, got)
		}
	}
}

// TestGlobalStaysInItsBudget: of a table that is larger than the memory there is, what was not used lately goes.
func TestGlobalStaysInItsBudget(t *testing.T) {
	budget := NewBudget(8 << 20)
	b := NewMemory(globalSchema)
	g, w, s := openGlobal(b, budget)
	const rows = 100_000
	value := string(make([]byte, 200))
	for i := range rows {
		if err := w.Put([]byte(strconv.Itoa(i)), &value, 1); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 999 {
			commitGlobal(t, b, s, uint64(i))
		}
	}
	for i := range rows {
		if getGlobal(t, g, strconv.Itoa(i)) == "-" {
			t.Fatalf("row %d is missing", i)
		}
		if m := g.memory(); i%1000 == 0 && m > budget.Limit() {
			t.Fatalf("%d bytes after %d rows, of a budget of %d", m, i, budget.Limit())
		}
	}
	s.Evict()
	if held, _ := budget.Used(); held > budget.Limit() {
		t.Errorf("%d bytes are held, of %d", held, budget.Limit())
	}
}

// asked counts what is looked up in a backend.
type asked struct {
	Backend
	gets int
}

func (a *asked) Get(dst, key []byte) ([]byte, bool, error) {
	a.gets++
	return a.Backend.Get(dst, key)
}

// TestGlobalKeepsWhatComes: a table that memory holds is there once it was loaded, also after a row changed or was deleted.
func TestGlobalKeepsWhatComes(t *testing.T) {
	b := &asked{Backend: NewMemory(globalSchema)}
	g, w, s := openGlobal(b, nil)
	for _, v := range []string{"old", "new"} {
		for _, key := range []string{"a", "b"} {
			if err := w.Put([]byte(key), &v, 1); err != nil {
				t.Fatal(err)
			}
		}
		commitGlobal(t, b, s, 1)
	}
	if err := w.Delete([]byte("b"), 2); err != nil {
		t.Fatal(err)
	}
	commitGlobal(t, b, s, 2)
	b.gets = 0
	if got := getGlobal(t, g, "a"); got != "new" || b.gets != 0 {
		t.Errorf("a is %q, with %d lookups in the database", got, b.gets)
	}
	if got := getGlobal(t, g, "b"); got != "-" {
		t.Errorf("b is %q", got)
	}
}

// TestGlobalGetAllocatesNothing: what is in memory is found and copied without any.
func TestGlobalGetAllocatesNothing(t *testing.T) {
	b := NewMemory(globalSchema)
	g, w, s := openGlobal(b, nil)
	v := "a pen"
	key, missing := []byte("pen"), []byte("ink")
	if err := w.Put(key, &v, 1); err != nil {
		t.Fatal(err)
	}
	commitGlobal(t, b, s, 1)
	var got string
	n := testing.AllocsPerRun(100, func() {
		if found, err := g.Get(key, &got); err != nil || !found || got != v {
			t.Fatal(found, err, got)
		}
		if found, err := g.Get(missing, &got); err != nil || found {
			t.Fatal(found, err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
