package state

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

func mustOpen(t *testing.T, s *Shared, dir string, stores ...Schema) *Pebble {
	t.Helper()
	p, err := s.Open(dir, stores)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustClose(t *testing.T, b Backend) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// rowsOf reads a store whole.
func rowsOf(t *testing.T, b Backend, store uint16) map[string]string {
	t.Helper()
	rows := map[string]string{}
	err := EachRow(b, store, func(key []byte, _ int64, value []byte) error {
		rows[string(key)] = string(value)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// After a power cut a database holds the rows of the first epochs that were applied, of how many says its checkpoint, and
// it can go on from there.
func TestCrashLeavesAPrefixOfEpochs(t *testing.T) {
	const epochs = 40
	behind := 0
	for seed := range 25 {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		fs := vfs.NewCrashableMem()
		shared := newShared(Options{Memory: 16 << 20, Tasks: 1000}, fs)
		p := mustOpen(t, shared, "task", testSchemas...)
		after := []map[string]string{{}} // by epoch
		apply := func(epoch uint64) {
			rows := maps.Clone(after[epoch-1])
			f := &Frozen{Epoch: epoch, Wall: int64(epoch), Changelogs: []ChangelogPosition{{7, int64(epoch) * 10}},
				Sources: []SourcePosition{{"topic", 0, int64(epoch) * 100}}, Clocks: []ClockValue{{7, "stream", int64(epoch)}}}
			for range rng.IntN(60) {
				key := []byte{byte(rng.IntN(100))}
				c := f.change(7, key, 0)
				if rng.IntN(4) == 0 {
					delete(rows, string(key))
					continue
				}
				value := strings.Repeat(string(rune('a'+rng.IntN(26))), rng.IntN(4000))
				rows[string(key)] = value
				c.Row = f.arena.Keep(append(f.rowTail(0), value...))
			}
			if err := p.Apply(f); err != nil {
				t.Fatal(err)
			}
			after = append(after, rows)
		}
		verify := func(p *Pebble) uint64 {
			c := p.Checkpoint()
			if got := rowsOf(t, p, 7); !maps.Equal(got, after[c.Epoch]) {
				t.Fatalf("seed %d: not the rows of epoch %d", seed, c.Epoch)
			}
			position, _ := c.Changelog(7)
			source, _ := c.Source("topic", 0)
			if e := int64(c.Epoch); position != e*10 || source != e*100 || c.Wall != e || e > 0 && c.Clocks[0].Time != e {
				t.Fatalf("seed %d: checkpoint %+v", seed, c)
			}
			return c.Epoch
		}
		crash := 1 + rng.IntN(epochs)
		for epoch := 1; epoch <= crash; epoch++ {
			apply(uint64(epoch))
		}
		crashed := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(3) * 40, RNG: rng})
		mustClose(t, p)
		shared.Close()

		shared = newShared(Options{Memory: 16 << 20}, crashed)
		p = mustOpen(t, shared, "task", testSchemas...)
		found := verify(p)
		if found < uint64(crash) {
			behind++
		}
		after = after[:found+1]
		for epoch := found + 1; epoch <= epochs; epoch++ {
			apply(epoch)
		}
		mustClose(t, p)
		p = mustOpen(t, shared, "task", testSchemas...) // closed in order: nothing is lost
		if e := verify(p); e != epochs {
			t.Fatalf("seed %d: epoch %d after Close, want %d", seed, e, epochs)
		}
		mustClose(t, p)
		shared.Close()
	}
	if behind == 0 {
		t.Fatal("no crash lost an epoch: the test does not test")
	}
}

// While a task commits, what it applied reaches the disk by itself.
func TestApplyFlushesNowAndThen(t *testing.T) {
	fs := vfs.NewCrashableMem()
	shared := newShared(Options{Memory: 16 << 20}, fs)
	defer shared.Close()
	p := mustOpen(t, shared, "task", testSchemas...)
	flushed := p.db.Metrics().Flush.Count
	for epoch := range uint64(3) {
		if err := p.Apply(&Frozen{Epoch: epoch + 1, Wall: 1 + int64(epoch)*flushAfter/2}); err != nil {
			t.Fatal(err)
		}
	}
	deadline := time.Now().Add(10 * time.Second)
	for p.db.Metrics().Flush.Count == flushed {
		if time.Now().After(deadline) {
			t.Fatal("nothing was flushed")
		}
		runtime.Gosched()
	}
	crashed := newShared(Options{Memory: 16 << 20}, fs.CrashClone(vfs.CrashCloneCfg{}))
	defer crashed.Close()
	mustClose(t, p)
	p = mustOpen(t, crashed, "task", testSchemas...)
	defer mustClose(t, p)
	if e := p.Checkpoint().Epoch; e != 3 {
		t.Fatalf("epoch %d is on disk, want 3", e)
	}
}

func TestOpenHoldsSchemasAgainstTheDirectory(t *testing.T) {
	shared := newShared(Options{Memory: 16 << 20}, vfs.NewMem())
	defer shared.Close()
	a, b := Schema{ID: 1, Name: "a", Fingerprint: "string:int64"}, Schema{ID: 2, Name: "b", Fingerprint: "string:row(x)"}
	p := mustOpen(t, shared, "task", a, b)
	f := &Frozen{Epoch: 1, Changelogs: []ChangelogPosition{{1, 5}, {2, 6}}, Clocks: []ClockValue{{1, "c", 1}, {2, "c", 2}}}
	for _, id := range []uint16{1, 2} {
		f.change(id, []byte("k"), 0).Row = make([]byte, TimestampLen)
	}
	if err := p.Apply(f); err != nil {
		t.Fatal(err)
	}
	mustClose(t, p)

	for _, c := range []struct {
		stores []Schema
		says   string
	}{
		{[]Schema{a, {ID: 2, Name: "b", Fingerprint: "string:row(y)"}}, `store "b" in task was written with another format of its rows: string:row(x) there, string:row(y) in the program`},
		{[]Schema{{ID: 1, Name: "new", Fingerprint: "string:int64"}, {ID: 2, Name: "a", Fingerprint: "string:int64"}, {ID: 3, Name: "b", Fingerprint: "string:row(x)"}}, `store 1 in task is "a", the program has "new" there`},
	} {
		_, err := shared.Open("task", c.stores)
		var schema *SchemaError
		if !errors.As(err, &schema) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Open for %v: %v", c.stores, err)
		}
	}

	// A store that is gone is dropped, and comes back empty.
	mustClose(t, mustOpen(t, shared, "task", a))
	p = mustOpen(t, shared, "task", a, b)
	defer mustClose(t, p)
	c := p.Checkpoint()
	if len(rowsOf(t, p, 1)) != 1 || len(rowsOf(t, p, 2)) != 0 || len(c.Clocks) != 1 || len(c.Changelogs) != 1 || c.Changelogs[0].Store != 1 {
		t.Fatalf("%v, %v, %+v", rowsOf(t, p, 1), rowsOf(t, p, 2), c)
	}
}

func TestOpenRefusesWhatIsNoStateDirectory(t *testing.T) {
	shared := NewShared(Options{Memory: 16 << 20})
	defer shared.Close()

	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "thesis.txt"), []byte("…"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	db, err := pebble.Open(other, &pebble.Options{Logger: logger{shared.logger}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Set([]byte("k"), nil, pebble.Sync), db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{files, other} {
		if _, err := shared.Open(dir, testSchemas); !errors.Is(err, ErrForeign) {
			t.Errorf("Open: %v", err)
		}
	}
	if err := shared.Remove(files); !errors.Is(err, ErrForeign) {
		t.Errorf("Remove: %v", err)
	}
	if _, err := os.Stat(filepath.Join(files, "thesis.txt")); err != nil {
		t.Error(err)
	}

	used := filepath.Join(t.TempDir(), "a", "b")
	p := mustOpen(t, shared, used, testSchemas...)
	if _, err := shared.Open(used, testSchemas); !errors.Is(err, ErrLocked) {
		t.Errorf("Open twice: %v", err)
	}
	mustClose(t, p)
	for range 2 {
		if err := shared.Remove(used); err != nil {
			t.Fatal(err)
		}
	}
	mustClose(t, mustOpen(t, shared, used, testSchemas...))
}

func TestDamageIsAnError(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"sst":      func(path string) error { return os.WriteFile(path, []byte("no table"), 0o600) },
		"MANIFEST": os.Remove,
	} {
		shared := NewShared(Options{Memory: 16 << 20})
		dir := filepath.Join(t.TempDir(), "task")
		p := mustOpen(t, shared, dir, testSchemas...)
		f := &Frozen{Epoch: 1}
		f.change(7, []byte("k"), 0).Row = make([]byte, TimestampLen)
		if err := p.Apply(f); err != nil {
			t.Fatal(err)
		}
		mustClose(t, p)
		shared.Close()
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		damaged := 0
		for _, e := range entries {
			if strings.Contains(e.Name(), name) && !strings.HasPrefix(e.Name(), "marker") {
				damaged++
				if err := damage(filepath.Join(dir, e.Name())); err != nil {
					t.Fatal(err)
				}
			}
		}
		shared = NewShared(Options{Memory: 16 << 20})
		p, err = shared.Open(dir, testSchemas)
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), dir) || damaged == 0 {
			t.Errorf("%s: %d files damaged: %v %v", name, damaged, p, err)
		}
		shared.Close()
	}
}
