package state

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// stagedStores are a store whose rows have an index and two that have none.
var stagedStores = []Schema{{ID: 3, Name: "plain"}, {ID: 4, Name: "timed", Times: 8}, {ID: 5, Name: "other"}}

// randomEpoch changes rows of the stores and deletes ranges of them, which begin where the last one ended or anywhere.
func randomEpoch(rng *rand.Rand, epoch int, ends map[uint16]uint64) *Frozen {
	f := &Frozen{Epoch: uint64(epoch), Wall: int64(epoch) * flushAfter / 40}
	for _, s := range stagedStores {
		if rng.IntN(4) == 0 {
			from := ends[s.ID]
			if rng.IntN(3) == 0 {
				from = rng.Uint64N(100)
			}
			to := from + rng.Uint64N(30)
			ends[s.ID] = to % 100
			at := appendKey(nil, s.ID, nil)
			f.Ranges = append(f.Ranges, Range{From: binary.BigEndian.AppendUint64(at, from), To: binary.BigEndian.AppendUint64(at[:2:2], to)})
		}
		for range rng.IntN(30) {
			key := append(binary.BigEndian.AppendUint64(nil, rng.Uint64N(100)), "key"[:rng.IntN(4)]...)
			c := f.change(s.ID, key, 0)
			if rng.IntN(4) > 0 {
				c.Row = f.arena.Keep(append(f.rowTail(int64(epoch)), make([]byte, rng.IntN(100))...))
			}
		}
	}
	return f
}

// What is staged is found, in a range as by its key, as if Pebble had it, and is there after the database was closed.
func TestStagedRowsAreThere(t *testing.T) {
	seeds := uint64(30)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 8))
		fs := vfs.NewMem()
		shared := newShared(Options{Memory: 16 << 20}, fs)
		p, m := mustOpen(t, shared, "task", stagedStores...), NewMemory(stagedStores...)
		p.room = 1 << (8 + rng.IntN(9))
		ends := map[uint16]uint64{}
		staged, voided := 0, 0
		for epoch := 1; epoch <= 200; epoch++ {
			f := randomEpoch(rng, epoch, ends)
			for _, b := range []Backend{p, m} {
				if err := b.Apply(f); err != nil {
					t.Fatal(err)
				}
			}
			staged += len(p.staged.rows)
			if slices.ContainsFunc(p.staged.rows, func(r stagedRow) bool { return r.now == stagedVoid }) {
				voided++
			}
			if rng.IntN(10) == 0 {
				p.leaveOut()
			}
			for range 20 {
				s := stagedStores[rng.IntN(len(stagedStores))]
				key := append(binary.BigEndian.AppendUint64(appendKey(nil, s.ID, nil), rng.Uint64N(100)), "key"[:rng.IntN(4)]...)
				got, ok, err := p.Get(nil, key)
				want, there, _ := m.Get(nil, key)
				if err != nil || ok != there || string(got) != string(want) {
					t.Fatalf("seed %d, epoch %d: %x is %x %v %v, want %x %v", seed, epoch, key, got, ok, err, want, there)
				}
			}
			if rng.IntN(20) == 0 {
				if s := stagedStores[rng.IntN(len(stagedStores))]; !maps.Equal(everything(t, p, s.ID), everything(t, m, s.ID)) {
					t.Fatalf("seed %d, epoch %d: the rows of store %q differ", seed, epoch, s.Name)
				}
				p.direct = rng.IntN(3) // another scan follows, or none
			}
			if rng.IntN(50) == 0 {
				mustClose(t, p)
				p = mustOpen(t, shared, "task", stagedStores...)
				if p.Checkpoint().Epoch != uint64(epoch) {
					t.Fatalf("seed %d: opened at epoch %d, want %d", seed, p.Checkpoint().Epoch, epoch)
				}
				p.room = 1 << (8 + rng.IntN(9))
			}
		}
		mustClose(t, p)
		shared.Close()
		if p.room > 1<<14 && (staged == 0 || voided == 0) {
			t.Errorf("seed %d: %d rows were staged, %d epochs had some that expired: the test does not test", seed, staged, voided)
		}
	}
}

// everything is a store with its index.
func everything(t *testing.T, b Backend, store uint16) map[string]string {
	t.Helper()
	rows := map[string]string{}
	all := wholeStore(store)
	if err := b.Scan(all.From, all.To, func(key, row []byte) error {
		rows[string(key)] = string(row)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

// Others read while epochs are staged and go to Pebble.
func TestReadersOfStagedRows(t *testing.T) {
	shared := newShared(Options{Memory: 16 << 20}, vfs.NewMem())
	defer shared.Close()
	p := mustOpen(t, shared, "task", stagedStores...)
	defer mustClose(t, p)
	p.room = 4 << 10
	var readers sync.WaitGroup
	done := make(chan struct{})
	for n := range 2 {
		readers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				key := binary.BigEndian.AppendUint64(appendKey(nil, 3, nil), uint64(i%10))
				row, ok, err := p.Get(nil, key)
				if err != nil || ok && string(row[TimestampLen:]) != string(key[PrefixLen:]) {
					t.Errorf("%x is %x, %v", key, row, err)
				}
				if n == 0 && i%100 == 0 {
					everything(t, p, 3)
				}
			}
		})
	}
	for epoch := range uint64(500) {
		f := &Frozen{Epoch: epoch + 1}
		for i := range uint64(10) {
			key := binary.BigEndian.AppendUint64(nil, i)
			f.change(3, key, 0).Row = append(make([]byte, TimestampLen), key...)
		}
		if err := p.Apply(f); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	readers.Wait()
}

// Rows that change in each epoch and those that expire do not reach Pebble.
func TestStagedRowsSpareWork(t *testing.T) {
	shared := newShared(Options{Memory: 16 << 20}, vfs.NewMem())
	defer shared.Close()
	p := mustOpen(t, shared, "task", stagedStores...)
	defer mustClose(t, p)
	p.room = 32 << 10 // for less than the rows of all epochs
	f := &Frozen{}
	epoch := func() {
		f.Reset()
		next := p.checkpoint.Epoch + 1
		f.Epoch = next
		gone := binary.BigEndian.AppendUint64(appendKey(nil, 5, nil), next)
		f.Ranges = append(f.Ranges, Range{From: binary.BigEndian.AppendUint64(gone[:2:2], next-1), To: gone})
		for i := range uint64(100) {
			f.change(3, binary.BigEndian.AppendUint64(nil, i), 0).Row = make([]byte, TimestampLen)
		}
		f.change(5, binary.BigEndian.AppendUint64(nil, next), 0).Row = make([]byte, TimestampLen)
		if err := p.Apply(f); err != nil {
			t.Fatal(err)
		}
	}
	for range 1000 {
		epoch()
	}
	if row, closer, err := p.db.Get(checkpointKey); err != nil {
		t.Error(err)
	} else if c, err := readCheckpoint(row); err != nil || c.Epoch != 0 {
		t.Errorf("Pebble has epoch %d, %v: rows went there", c.Epoch, err)
	} else if err := closer.Close(); err != nil {
		t.Error(err)
	}
	if rows, most := len(p.staged.rows), 800; rows > most || len(p.staged.ranges) != 1 {
		t.Errorf("%d rows and %d ranges are staged, want at most %d rows and one range", rows, len(p.staged.ranges), most)
	}
	if rows := everything(t, p, 3); len(rows) != 100 {
		t.Errorf("%d rows, want 100", len(rows))
	}
	if rows := everything(t, p, 5); len(rows) != 1 {
		t.Errorf("%d rows have not expired, want 1", len(rows))
	}
}

// Keys and rows that are too long to be staged go to Pebble at once, and are there like others.
func TestLongRowsAreNotStaged(t *testing.T) {
	shared := newShared(Options{Memory: 1 << 30}, vfs.NewMem())
	defer shared.Close()
	p := mustOpen(t, shared, "task", stagedStores...)
	defer mustClose(t, p)
	for i, long := range []struct{ key, row int }{{9, maxStaged + 1}, {maxStaged - 2, 9}, {9, maxStaged}, {maxStaged - PrefixLen - stagedIndex, 9}} {
		f := &Frozen{Epoch: uint64(i + 1)}
		f.change(4, make([]byte, long.key), 0).Row = make([]byte, long.row)
		if err := p.Apply(f); err != nil {
			t.Fatal(err)
		}
		if staged := len(p.staged.rows) > 0; staged != (i > 1) {
			t.Errorf("a key of %d and a row of %d bytes: staged is %v", long.key, long.row, staged)
		}
		row, ok, err := p.Get(nil, f.Changes[0].Key)
		if err != nil || !ok || len(row) != long.row {
			t.Errorf("a key of %d and a row of %d bytes: %d bytes are found, %v, %v", long.key, long.row, len(row), ok, err)
		}
	}
}
