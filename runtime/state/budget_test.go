package state

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// loaded is a task of its own whose store counts: count counts the i-th record.
type loaded struct {
	t       testing.TB
	shared  *Shared
	backend Backend
	stores  *Stores
	most    int64 // that the budget saw
	commits int
}

// load gives count the numbers below n, as a worker does: batches of 1000, a commit every 50 000 records or when the budget is full.
func load(t testing.TB, shared *Shared, dir string, n int, open func(*Stores) (count func(i int))) *loaded {
	b, err := shared.Open(dir, testSchemas)
	if err != nil {
		t.Fatal(err)
	}
	l := &loaded{t: t, shared: shared, backend: b, stores: NewStores(b, shared.Budget)}
	defer l.stores.Close()
	count := open(l.stores)
	var f Frozen
	since := 0
	commit := func() {
		l.commits++
		f.Reset()
		l.stores.Freeze(uint64(l.commits), time.Now().UnixMilli(), &f)
		if err := b.Apply(&f); err != nil {
			t.Fatal(err)
		}
		l.stores.Applied(uint64(l.commits))
		since = 0
	}
	for i := range n {
		count(i)
		if since++; since%1000 == 0 {
			l.stores.Evict()
			held, _ := shared.Budget.Used()
			l.most = max(l.most, held)
			if since >= 50_000 || l.stores.Full() {
				commit()
			}
		}
	}
	commit()
	return l
}

// scattered is the key of the i-th record: scattered over all of keys keys.
func scattered(key []byte, i, keys int) []byte {
	return binary.BigEndian.AppendUint64(append(key[:0], "customer-"...), uint64(i)*3_090_169%uint64(keys))
}

// byKey counts by key.
func byKey(t testing.TB, keys int) func(*Stores) func(int) {
	return func(s *Stores) func(int) {
		kv := NewKeyValue(s, 7, count)
		var key []byte
		return func(i int) {
			key = scattered(key, i, keys)
			r, _, err := kv.Update(key)
			if err != nil {
				t.Fatal(err)
			}
			r.Value++
		}
	}
}

// byWindow counts by key and window: each window gets perWindow records, of as many keys, and its rows leave when the next but one
// begins, so that two are live. gone counts the rows that have left.
func byWindow(t testing.TB, perWindow int, gone *int) func(*Stores) func(int) {
	return func(s *Stores) func(int) {
		w := NewWindowed(s, 7, count, WindowedOptions{Size: 1000, Grace: 1000, Retention: 2000, Final: true})
		leave := func(_, _ int64, _ []byte, r *Row[int64]) error {
			if *gone++; r.Value != 1 {
				t.Fatalf("a row left with %d", r.Value)
			}
			return nil
		}
		var key []byte
		return func(i int) {
			start := int64(i/perWindow) * 1000
			w.Advance(0, start)
			key = scattered(key, i, perWindow)
			r, _, err := w.UpdateAt(start, key)
			if err != nil {
				t.Fatal(err)
			}
			r.Value++
			w.ChangedBy(nil)
			for more := w.Due(); more; {
				if more, err = w.Close(CloseStep, leave); err != nil {
					t.Fatal(err)
				}
				s.Evict()
			}
		}
	}
}

// byPane counts by key in hopping windows of two panes: each pane gets perPane records, of as many keys, and two to three panes are live.
func byPane(t testing.TB, perPane int) func(*Stores) func(int) {
	return func(s *Stores) func(int) {
		w := NewPanes(s, 7, count, PanesOptions[int64]{
			Size: 2000, Every: 1000, Grace: 500, Retention: 2500,
			Add:  func(sum, pane *int64) error { *sum += *pane; return nil },
			Take: func(sum, pane *int64) bool { *sum -= *pane; return true },
		})
		leave := func(start, _ int64, _ []byte, r *Row[int64]) error {
			if r.Value != 2 {
				t.Fatalf("a row of the window at %d left with %d", start, r.Value)
			}
			return nil
		}
		var key []byte
		return func(i int) {
			time := int64(i/perPane)*1000 + int64(i%perPane)*1000/int64(perPane)
			w.Advance(0, time)
			pane, late, open := w.Windows(time)
			if late > 0 || !open {
				t.Fatalf("the record at %d is late for %d windows", time, late)
			}
			key = scattered(key, i, perPane)
			r, _, err := w.UpdateAt(pane, key)
			if err != nil {
				t.Fatal(err)
			}
			r.Value++
			w.ChangedBy(nil)
			for more := w.Due(); more; {
				if more, err = w.Close(CloseStep, leave); err != nil {
					t.Fatal(err)
				}
				s.Evict()
			}
		}
	}
}

// checkCounts holds what load left against what it should have: all counts together are n.
func checkCounts(t testing.TB, b Backend, n, keys int) {
	rows, sum := 0, 0
	err := EachRow(b, 7, func(_ []byte, _ int64, value []byte) error {
		rows++
		sum += int(binary.BigEndian.Uint64(value))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum != n || rows != keys {
		t.Fatalf("%d rows with a sum of %d, want %d and %d", rows, sum, keys, n)
	}
}

func TestStateLargerThanTheBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("the database takes minutes under the race detector, and nothing is shared: run without -short")
	}
	const n, keys = 150_000, 60_000
	shared := NewShared(Options{Memory: 4 << 20, Tasks: 1})
	defer shared.Close()
	l := load(t, shared, filepath.Join(t.TempDir(), "task"), n, byKey(t, keys))
	checkCounts(t, l.backend, n, keys)
	mustClose(t, l.backend)
	limit := shared.Budget.Limit()
	// Between two looks at the budget a batch adds rows, and the table may double its slots.
	if l.most > limit*5/4 {
		t.Errorf("held %d bytes, the limit is %d", l.most, limit)
	}
	if l.commits <= n/50_000 {
		t.Errorf("%d commits: none was early, though the changed rows of 50 000 records do not fit", l.commits)
	}
}

// W15: however many rows leave, no iterator is left open: the database would say so when it is closed.
func TestWindowsLargerThanTheBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("the database takes minutes under the race detector, and nothing is shared: run without -short")
	}
	const n, perWindow = 150_000, 30_000
	shared := NewShared(Options{Memory: 4 << 20, Tasks: 1})
	defer shared.Close()
	gone := 0
	l := load(t, shared, filepath.Join(t.TempDir(), "task"), n, byWindow(t, perWindow, &gone))
	mustClose(t, l.backend)
	if limit := shared.Budget.Limit(); l.most > limit*5/4 {
		t.Errorf("held %d bytes, the limit is %d", l.most, limit)
	}
	if want := n - 2*perWindow; gone != want {
		t.Errorf("%d rows have left, want %d", gone, want)
	}
}

// State many times as large as the budget, each in a process of its own, so that the peak is its own. It takes minutes, and a build as
// binaries have it, since with cgo Pebble's caches are not in the Go heap:
// CGO_ENABLED=0 STREAMGEN_LARGE=1 go test ./runtime/state -run Peak -v
// With STREAMGEN_LARGE=2 memory and rows are half of that. Below 128 MB what a process takes in any case is most of it.
func TestPeak(t *testing.T) {
	part, err := strconv.Atoi(cmp.Or(os.Getenv("STREAMGEN_LARGE"), "0"))
	if err != nil || part < 0 {
		t.Fatalf("STREAMGEN_LARGE=%s is no part", os.Getenv("STREAMGEN_LARGE"))
	}
	if part == 0 {
		t.Skip("set STREAMGEN_LARGE=1 to run it, or to 2 for half of it")
	}
	for _, c := range []struct {
		name      string
		memory, n int
		open      func(testing.TB) func(*Stores) func(int)
		check     func(testing.TB, Backend)
	}{
		{"five million keys in 256 MB", 256 << 20, 7_000_000,
			func(t testing.TB) func(*Stores) func(int) { return byKey(t, 5_000_000/part) },
			func(t testing.TB, b Backend) { checkCounts(t, b, 7_000_000/part, 5_000_000/part) }},
		{"ten million rows of two live windows in 512 MB", 512 << 20, 20_000_000,
			func(t testing.TB) func(*Stores) func(int) { return byWindow(t, 5_000_000/part, new(int)) },
			func(testing.TB, Backend) {}},
		{"panes of ten million live rows in 512 MB", 512 << 20, 20_000_000,
			func(t testing.TB) func(*Stores) func(int) { return byPane(t, 4_000_000/part) },
			func(testing.TB, Backend) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			memory, n := c.memory/part, c.n/part
			if dir := os.Getenv("STREAMGEN_DIR"); dir != "" { // the process whose peak it is
				shared := NewShared(Options{Memory: int64(memory), Tasks: 1})
				defer shared.Close()
				shared.LimitMemory()
				start := time.Now()
				l := load(t, shared, dir, n, c.open(t))
				took := time.Since(start)
				c.check(t, l.backend)
				mustClose(t, l.backend)
				fmt.Printf("peak %d KiB, budget held %d of %d MiB, %d commits, %.0f records/s\n",
					peakKiB(t), l.most>>20, shared.Budget.Limit()>>20, l.commits, float64(n)/took.Seconds())
				return
			}
			cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$")
			cmd.Env = append(os.Environ(), "STREAMGEN_DIR="+filepath.Join(t.TempDir(), "task"))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			_, rest, _ := strings.Cut(string(out), "peak ")
			number, _, _ := strings.Cut(rest, " ")
			peak, err := strconv.Atoi(number)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
			if peak > memory>>10*11/10 {
				t.Errorf("peak of %d MiB", peak>>10)
			}
		})
	}
}

// peakKiB is the most resident memory that the process ever had.
func peakKiB(t testing.TB) int {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Skip("no VmHWM")
	return 0
}

func TestAccountsShareTheBudget(t *testing.T) {
	b := NewBudget(1600)
	large, small, idle := b.Open(), b.Open(), b.Open()
	large.Set(1500, 500)
	small.Set(500, 0)
	if held, pinned := b.Used(); held != 2000 || pinned != 500 {
		t.Fatal(held, pinned)
	}
	// 500 bytes above 15/16 of the limit, from 1000 and 500 that can be evicted.
	if l, s, i := large.excess(), small.excess(), idle.excess(); l != 333 || s != 166 || i != 0 {
		t.Fatal(l, s, i)
	}
	if large.Full() {
		t.Fatal("500 of 1600 is full")
	}
	large.Set(1500, 900)
	if !large.Full() || small.Full() {
		t.Fatal("the one that holds it should be full, and no other")
	}
	large.Set(600, 0)
	if large.excess() != 0 || large.Full() {
		t.Fatal("below the limit")
	}
	for _, a := range []*Account{large, small, idle} {
		a.Close()
		a.Set(5, 5)
	}
	if held, pinned := b.Used(); held != 0 || pinned != 0 {
		t.Fatal(held, pinned)
	}
	var none *Budget
	a := none.Open()
	a.Set(5, 5)
	if a.Full() || a.excess() != 0 {
		t.Fatal("no budget is never full")
	}
	a.Close()
}

// reads counts the rows that a backend is asked for.
type reads struct {
	Backend
	hot int
}

func (r *reads) Get(dst, key []byte) ([]byte, bool, error) {
	if strings.Contains(string(key), "hot") {
		r.hot++
	}
	return r.Backend.Get(dst, key)
}

// The hot rows stay when a scan of others passes through.
func TestEvictionKeepsWhatIsUsed(t *testing.T) {
	b := &reads{Backend: NewMemory(testSchemas...)}
	s := NewStores(b, NewBudget(1<<20))
	defer s.Close()
	kv := NewKeyValue(s, 7, count)
	rng := rand.New(rand.NewPCG(1, 1))
	const hot, epochs = 500, 200
	var f Frozen
	for epoch := range uint64(epochs) {
		for i := range 300 {
			bump(t, kv, fmt.Sprint("cold-", epoch, "-", i), 1)
			bump(t, kv, fmt.Sprint("hot-", rng.IntN(hot)), 1)
		}
		run(t, s, b, &f, epoch+1)
	}
	if kv.table.n > epochs*300/2 || b.hot > hot {
		t.Fatalf("%d rows are resident, and %d reads of %d hot keys reached the backend", kv.table.n, b.hot, hot)
	}
}

func TestDirtyBytes(t *testing.T) {
	b := NewMemory(testSchemas...)
	s := NewStores(b, NewBudget(1))
	defer s.Close()
	kv := NewKeyValue(s, 7, entityCodec)
	dirty := func(least, most int64) {
		t.Helper()
		s.Evict()
		if _, pinned := s.account.budget.Used(); pinned != s.DirtyBytes() || pinned < least || pinned > most {
			t.Fatalf("%d dirty bytes, %d in the budget, want %d to %d", s.DirtyBytes(), pinned, least, most)
		}
	}
	change := func() {
		t.Helper()
		for i := range 100 {
			r, _, err := kv.Update(fmt.Appendf(nil, "key-%d", i))
			if err != nil {
				t.Fatal(err)
			}
			r.Value.Name = strings.Repeat("x", 1000)
		}
	}
	dirty(0, 0)
	if _, _, err := kv.Update([]byte("k")); err != nil {
		t.Fatal(err)
	}
	kv.Unchanged()
	dirty(0, 0)
	change()
	dirty(5000, 20_000) // what the values hold is learnt when they are encoded
	f := &Frozen{}
	s.Freeze(1, 1, f)
	dirty(200_000, 300_000) // encoded, and as rows
	change()
	dirty(300_000, 400_000)
	if err := b.Apply(f); err != nil {
		t.Fatal(err)
	}
	s.Applied(1)
	dirty(100_000, 150_000)
	if err := s.Discard(); err != nil {
		t.Fatal(err)
	}
	dirty(0, 0)
	if held, _ := s.memory(); held > 100_000 {
		t.Fatalf("%d bytes held of a store that holds nothing", held)
	}
}

func TestEvictionGivesMemoryBack(t *testing.T) {
	const rows = 20_000
	b := NewMemory(testSchemas...)
	s := NewStores(b, nil)
	kv := NewKeyValue(s, 7, entityCodec)
	keys := testKeys(rand.New(rand.NewPCG(1, 1)), rows)
	for range 2 {
		for _, key := range keys {
			r, _, err := kv.Update(key)
			if err != nil {
				t.Fatal(err)
			}
			r.Value.Name = strings.Repeat("x", 100)
		}
		run(t, s, b, &Frozen{}, 1)
		if held, _ := kv.memory(); held < rows*(72+100+60) {
			t.Fatalf("%d bytes held by %d rows", held, rows)
		}
		for range 20 {
			kv.table.inserted = rows
			kv.evict(0)
		}
		if held, _ := kv.memory(); kv.table.n != 0 || held > 100_000+4*int64(cap(kv.table.changed)) {
			t.Fatalf("%d bytes held by %d rows", held, kv.table.n)
		}
		for _, key := range keys {
			if _, err := kv.Get(key); err != nil {
				t.Fatal(err)
			}
		}
		if kv.table.variable < rows*100 {
			t.Fatalf("%d bytes of values were read", kv.table.variable)
		}
	}
}
