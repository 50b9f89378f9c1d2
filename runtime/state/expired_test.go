package state

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const expiringID = 6

func expiringKey(time uint64) []byte {
	return binary.BigEndian.AppendUint64(appendKey(nil, expiringID, nil), time)
}

// expiringEpoch writes rows of some times up to now, and lets those before gone expire, which only moves forward.
type expiringEpoch struct {
	rng          *rand.Rand
	n, now, gone uint64
}

func (e *expiringEpoch) next() *Frozen {
	e.n++
	e.now += e.rng.Uint64N(5)
	f := &Frozen{Epoch: e.n, Wall: int64(e.n)}
	if gone := e.gone + e.rng.Uint64N(8); gone+10 <= e.now {
		f.Expired = append(f.Expired, Range{From: expiringKey(e.gone), To: expiringKey(gone)})
		e.gone = gone
	}
	for range e.rng.IntN(20) {
		key := binary.BigEndian.AppendUint64(nil, e.gone+e.rng.Uint64N(e.now-e.gone+1))
		c := f.change(expiringID, key, 0)
		if e.rng.IntN(4) > 0 {
			c.Row = f.arena.Keep(append(f.rowTail(int64(e.n)), make([]byte, e.rng.IntN(2000))...))
		}
	}
	return f
}

var expiringStore = Schema{ID: expiringID, Name: "expiring"}

// Rows that have expired are not there at once, whatever Pebble has of them, and they go from the disk.
func TestExpiredRowsAreGone(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		fs := vfs.NewMem()
		shared := newShared(Options{Memory: 16 << 20}, fs)
		p, m := mustOpen(t, shared, "task", expiringStore), NewMemory(expiringStore)
		p.room = 1 << (8 + rng.IntN(9))
		e := &expiringEpoch{rng: rng}
		cuts, hidden := uint64(0), 0
		for range 200 {
			f := e.next()
			for _, b := range []Backend{p, m} {
				if err := b.Apply(f); err != nil {
					t.Fatal(err)
				}
			}
			for range 10 {
				key := expiringKey(rng.Uint64N(e.now + 1))
				got, ok, err := p.Get(nil, key)
				want, there, _ := m.Get(nil, key)
				if err != nil || ok != there || string(got) != string(want) {
					t.Fatalf("seed %d, epoch %d: %x is %x %v %v, want %x %v", seed, e.n, key, got, ok, err, want, there)
				}
			}
			hidden += len(p.expired.hidden)
			switch rng.IntN(20) {
			case 0, 1:
				if !maps.Equal(everything(t, p, expiringID), everything(t, m, expiringID)) {
					t.Fatalf("seed %d, epoch %d: other rows", seed, e.n)
				}
			case 2, 3:
				if err := p.db.Flush(); err != nil {
					t.Fatal(err)
				}
			case 4:
				cuts += p.db.Metrics().Ingest.Count
				mustClose(t, p)
				p = mustOpen(t, shared, "task", expiringStore)
				if len(p.expired.hidden) > 0 || !maps.Equal(everything(t, p, expiringID), everything(t, m, expiringID)) {
					t.Fatalf("seed %d, epoch %d: other rows after it was closed", seed, e.n)
				}
				p.room = 1 << (8 + rng.IntN(9))
			}
		}
		if cuts == 0 || hidden == 0 {
			t.Errorf("seed %d: %d cuts, %d ranges waited: the test does not test", seed, cuts, hidden)
		}
		mustClose(t, p)
		shared.Close()
	}
}

// A crash may leave rows that have expired, but takes none that had not by the epoch that it goes back to.
func TestCrashBehindACut(t *testing.T) {
	cuts := uint64(0)
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 10))
		fs := vfs.NewCrashableMem()
		shared := newShared(Options{Memory: 16 << 20}, fs)
		p, m := mustOpen(t, shared, "task", expiringStore), NewMemory(expiringStore)
		p.room = 1 << 10
		e := &expiringEpoch{rng: rng}
		after, gone := []map[string]string{{}}, []uint64{0} // by epoch
		for range 60 + rng.IntN(60) {
			f := e.next()
			for _, b := range []Backend{p, m} {
				if err := b.Apply(f); err != nil {
					t.Fatal(err)
				}
			}
			after, gone = append(after, everything(t, m, expiringID)), append(gone, e.gone)
			if rng.IntN(8) == 0 {
				if err := p.db.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		cuts += p.db.Metrics().Ingest.Count
		crashed := newShared(Options{Memory: 16 << 20}, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(3) * 40, RNG: rng}))
		mustClose(t, p)
		shared.Close()
		p = mustOpen(t, crashed, "task", expiringStore)
		epoch := p.Checkpoint().Epoch
		rows := everything(t, p, expiringID)
		for key := range rows {
			if key < string(expiringKey(gone[epoch])) {
				delete(rows, key)
			}
		}
		if !maps.Equal(rows, after[epoch]) {
			t.Fatalf("seed %d: %d rows, and not the %d of epoch %d", seed, len(rows), len(after[epoch]), epoch)
		}
		mustClose(t, p)
		crashed.Close()
	}
	if cuts == 0 {
		t.Error("nothing was cut: the test does not test")
	}
}

// A changelog has rows that have expired since. What restores them comes behind what let them.
func TestRestoreOfExpiredRows(t *testing.T) {
	shared := newShared(Options{Memory: 16 << 20}, vfs.NewMem())
	defer shared.Close()
	p := mustOpen(t, shared, "task", expiringStore)
	defer func() { mustClose(t, p) }()
	if err := p.Apply(&Frozen{Epoch: 1, Expired: []Range{{From: expiringKey(0), To: expiringKey(10)}}}); err != nil {
		t.Fatal(err)
	}
	r := NewRestorer(p, expiringID)
	key := expiringKey(5)[PrefixLen:]
	if _, err := r.Add(key, []byte("value"), 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Flush(1); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if rows := rowsOf(t, p, expiringID); len(rows) != 1 || rows[string(key)] != "value" {
			t.Errorf("the rows are %q", rows)
		}
		mustClose(t, p)
		p = mustOpen(t, shared, "task", expiringStore)
	}
}

// Of rows that live for a while nothing reaches Pebble as long as those that live have room, however many have been there.
func TestRowsThatExpireSoonStayStaged(t *testing.T) {
	shared := newShared(Options{Memory: 16 << 20}, vfs.NewMem())
	defer shared.Close()
	p := mustOpen(t, shared, "task", expiringStore)
	defer mustClose(t, p)
	const rows, lives, epochs = 100, 20, 1000
	for epoch := range uint64(epochs) {
		f := &Frozen{Epoch: epoch + 1}
		if epoch > lives {
			f.Expired = append(f.Expired, Range{From: expiringKey(epoch - lives - 1), To: expiringKey(epoch - lives)})
		}
		for i := range byte(rows) {
			f.change(expiringID, append(expiringKey(epoch)[PrefixLen:], i), 0).Row = make([]byte, TimestampLen)
		}
		if err := p.Apply(f); err != nil {
			t.Fatal(err)
		}
		if p.writes > 0 {
			t.Fatalf("epoch %d went to Pebble", p.checkpoint.Epoch)
		}
		if n := len(p.expired.hidden); epoch > lives && n != 1 {
			t.Fatalf("%d ranges, want one", n)
		}
	}
	if p.staged.memory() > p.room || epochs*rows*40 < 2*p.room {
		t.Errorf("%d bytes are staged, of %d", p.staged.memory(), p.room)
	}
	if found := everything(t, p, expiringID); len(found) != rows*(lives+1) {
		t.Errorf("%d rows, want %d", len(found), rows*(lives+1))
	}
}
