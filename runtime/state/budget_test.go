package state

import (
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

// load counts n records, scattered over all of keys keys if n is no less, in a task of its own, as a worker does: batches of 1000, a commit every 50 000 records
// or when the budget is full. It returns the most that the budget saw.
func load(t testing.TB, shared *Shared, dir string, n, keys int) (b Backend, most int64, commits int) {
	b, err := shared.Open(dir, testSchemas)
	if err != nil {
		t.Fatal(err)
	}
	s := NewStores(b, shared.Budget)
	defer s.Close()
	kv := NewKeyValue(s, 7, count)
	var f Frozen
	epoch, since := uint64(0), 0
	commit := func() {
		epoch++
		f.Reset()
		s.Freeze(epoch, time.Now().UnixMilli(), &f)
		if err := b.Apply(&f); err != nil {
			t.Fatal(err)
		}
		s.Applied(epoch)
		since = 0
	}
	key := []byte("customer-\x00\x00\x00\x00\x00\x00\x00\x00")
	for i := 0; i < n; i++ {
		binary.BigEndian.PutUint64(key[9:], uint64(i)*3_090_169%uint64(keys))
		r, _, err := kv.Update(key)
		if err != nil {
			t.Fatal(err)
		}
		r.Value++
		if since++; since%1000 == 0 {
			s.Evict()
			held, _ := shared.Budget.Used()
			most = max(most, held)
			if since >= 50_000 || s.Full() {
				commit()
			}
		}
	}
	commit()
	return b, most, int(epoch)
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
	const n, keys = 150_000, 60_000
	shared := NewShared(Options{Memory: 4 << 20, Tasks: 1})
	defer shared.Close()
	b, most, commits := load(t, shared, filepath.Join(t.TempDir(), "task"), n, keys)
	checkCounts(t, b, n, keys)
	mustClose(t, b)
	limit := shared.Budget.Limit()
	// Between two looks at the budget a batch adds rows, and the table may double its slots.
	if most > limit*5/4 {
		t.Errorf("held %d bytes, the limit is %d", most, limit)
	}
	if commits <= n/50_000 {
		t.Errorf("%d commits: none was early, though the changed rows of 50 000 records do not fit", commits)
	}
}

// Five million keys in 256 MB. It takes minutes: STREAMGEN_LARGE=1 go test -run FiveMillion -v
func TestFiveMillionKeysIn256MB(t *testing.T) {
	const memory, n, keys = 256 << 20, 7_000_000, 5_000_000
	switch os.Getenv("STREAMGEN_LARGE") {
	case "":
		t.Skip("set STREAMGEN_LARGE=1 to run it")
	case "child": // a process of its own, so that the peak is its own
		shared := NewShared(Options{Memory: memory, Tasks: 1})
		defer shared.Close()
		shared.LimitMemory()
		start := time.Now()
		b, most, commits := load(t, shared, os.Getenv("STREAMGEN_DIR"), n, keys)
		took := time.Since(start)
		checkCounts(t, b, n, keys)
		mustClose(t, b)
		fmt.Printf("peak %d KiB, budget held %d of %d MiB, %d commits, %.0f records/s\n",
			peakKiB(t), most>>20, shared.Budget.Limit()>>20, commits, n/took.Seconds())
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFiveMillionKeysIn256MB$")
	cmd.Env = append(os.Environ(), "STREAMGEN_LARGE=child", "STREAMGEN_DIR="+filepath.Join(t.TempDir(), "task"))
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
	if peak > memory>>10 {
		t.Errorf("peak of %d MiB", peak>>10)
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
