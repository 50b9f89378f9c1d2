package state

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// count is the row format of counts, which is Kafka's of an int64.
var count = Codec[int64]{
	Append: func(dst []byte, v *int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(*v)) },
	Read: func(src []byte, v *int64) error {
		if len(src) != 8 {
			return errShort
		}
		*v = int64(binary.BigEndian.Uint64(src))
		return nil
	},
}

// bump adds one to a count.
func bump(t testing.TB, kv *KeyValue[int64], key string, timestamp int64) {
	t.Helper()
	r, _, err := kv.Update([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	r.Value++
	r.Timestamp = max(r.Timestamp, timestamp)
}

// run takes an epoch through freeze and apply.
func run(t testing.TB, s *Stores, b Backend, f *Frozen, epoch uint64) {
	t.Helper()
	f.Reset()
	s.Freeze(epoch, int64(epoch), f)
	if err := b.Apply(f); err != nil {
		t.Fatal(err)
	}
	s.Applied(epoch)
	s.Evict()
}

// These are the records that Kafka Streams sent for a count by key.
func TestChangelogIsThatOfKafkaStreams(t *testing.T) {
	b := NewMemory(testSchemas...)
	s := NewStores(b, nil)
	kv := NewKeyValue(s, 7, count)
	var got []string
	for epoch, in := range []struct {
		key       string
		timestamp int64
	}{{"a", 10}, {"b", 5}, {"a", 7}, {"a", 21}, {"b", -22}} {
		if in.timestamp < 0 {
			if _, err := kv.Delete([]byte(in.key), -in.timestamp); err != nil {
				t.Fatal(err)
			}
		} else {
			bump(t, kv, in.key, in.timestamp)
		}
		f := &Frozen{}
		run(t, s, b, f, uint64(epoch+1))
		for r := range f.Changelog() {
			if c, err := ParseControl(r.Key, r.Value); err != nil || c != nil {
				if err != nil || c.Epoch != uint64(epoch+1) || c.Fingerprint != "v1" {
					t.Fatalf("control %+v %v", c, err)
				}
				continue
			}
			got = append(got, fmt.Sprintf("%x %x %d", r.Key, r.Value, r.Timestamp))
		}
	}
	want := []string{"61 0000000000000001 10", "62 0000000000000001 5", "61 0000000000000002 10", "61 0000000000000003 21", "62  22"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("%q, want %q", got, want)
	}
}

func TestEmptyEpochLogsNothing(t *testing.T) {
	s := NewStores(NewMemory(testSchemas...), nil)
	kv := NewKeyValue(s, 7, count)
	NewKeyValue(s, 8, count)
	bump(t, kv, "made and deleted", 1)
	if _, err := kv.Delete([]byte("made and deleted"), 2); err != nil {
		t.Fatal(err)
	}
	bump(t, kv, "unchanged", 1)
	kv.Unchanged()
	if existed, err := kv.Delete([]byte("never was"), 1); existed || err != nil {
		t.Fatal(existed, err)
	}
	f := &Frozen{}
	s.Freeze(1, 1, f)
	for r := range f.Changelog() {
		t.Errorf("%q = %q", r.Key, r.Value)
	}
}

// A store that began empty knows that a key it has not is nowhere, until a row has left it.
func TestRowsThatLeftAreFoundAgain(t *testing.T) {
	leave := map[string]func(*KeyValue[int64], *Stores) error{
		"evicted": func(kv *KeyValue[int64], _ *Stores) error {
			for range 2 {
				kv.evict(0)
			}
			return nil
		},
		"discarded": func(kv *KeyValue[int64], s *Stores) error {
			if _, _, err := kv.Update([]byte("k")); err != nil {
				return err
			}
			return s.Discard()
		},
	}
	for name, leave := range leave {
		t.Run(name, func(t *testing.T) {
			b := NewMemory(testSchemas...)
			s := NewStores(b, nil)
			kv := NewKeyValue(s, 7, count)
			bump(t, kv, "k", 1)
			run(t, s, b, &Frozen{}, 1)
			if kv.whole != yes {
				t.Fatal("an empty store asks the backend")
			}
			if err := leave(kv, s); err != nil {
				t.Fatal(err)
			}
			if kv.table.n != 0 {
				t.Fatal("the row is still there")
			}
			if r, err := kv.Get([]byte("k")); err != nil || r == nil || r.Value != 1 {
				t.Fatalf("%+v %v", r, err)
			}
		})
	}
}

func TestStoresThatWereNotDeclared(t *testing.T) {
	s := NewStores(NewMemory(testSchemas...), nil)
	NewKeyValue(s, 7, count)
	for _, id := range []uint16{7, 9} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("store %d was made", id)
				}
			}()
			NewKeyValue(s, id, count)
		}()
	}
}

// The task goes on with the next epoch while a committer writes the one before.
func TestPipelinedEpochs(t *testing.T) {
	shared := newShared(Options{Memory: 16 << 20, Tasks: 100}, vfs.NewMem())
	defer shared.Close()
	p := mustOpen(t, shared, "task", testSchemas...)
	defer mustClose(t, p)
	s := NewStores(p, NewBudget(200_000))
	kv := NewKeyValue(s, 7, count)

	const epochs, batches, keys = 30, 10, 3000
	frozen, applied := make(chan *Frozen), make(chan error, 1)
	var committer sync.WaitGroup
	committer.Go(func() {
		for f := range frozen {
			logged := 0
			for range f.Changelog() {
				logged++
			}
			if logged == 0 {
				t.Error("an empty epoch")
			}
			applied <- p.Apply(f)
		}
	})
	spare := [2]Frozen{}
	inFlight := uint64(0)
	wait := func() {
		if inFlight == 0 {
			return
		}
		if err := <-applied; err != nil {
			t.Fatal(err)
		}
		s.Applied(inFlight)
		inFlight = 0
	}
	n := 0
	for epoch := uint64(1); epoch <= epochs; epoch++ {
		for range batches {
			for range 100 {
				bump(t, kv, fmt.Sprint("key-", n*7919%keys), int64(n))
				n++
			}
			s.Evict()
		}
		wait()
		f := &spare[epoch%2]
		f.Reset()
		s.Freeze(epoch, 1, f)
		frozen <- f
		inFlight = epoch
	}
	wait()
	close(frozen)
	committer.Wait()
	rows := rowsOf(t, p, 7)
	if len(rows) != keys {
		t.Fatalf("%d keys", len(rows))
	}
	for key, row := range rows {
		if c := binary.BigEndian.Uint64([]byte(row)); c != epochs*batches*100/keys {
			t.Fatalf("%s is %d", key, c)
		}
	}
}

func TestUpdateOfAResidentRowDoesNotAllocate(t *testing.T) {
	b := NewMemory(testSchemas...)
	s := NewStores(b, NewBudget(1<<20))
	kv := NewKeyValue(s, 7, count).KeepSent()
	keys := testKeys(nil, 0)
	for i := range 1000 {
		keys = append(keys, fmt.Appendf(nil, "key-%d-%s", i, strings.Repeat("x", i%50)))
	}
	var f Frozen
	epoch := uint64(0)
	body := func() {
		for range 3 {
			for _, key := range keys {
				r, _, err := kv.Update(key)
				if err != nil {
					t.Fatal(err)
				}
				r.Value++
				if r, err = kv.Get(key); err != nil || r == nil {
					t.Fatal(err)
				}
			}
			s.Evict()
		}
		f.Reset()
		epoch++
		s.Freeze(epoch, 1, &f)
		s.Applied(epoch)
	}
	body()
	body()
	// An epoch has the control record of the store, which is made anew.
	if allocs := testing.AllocsPerRun(10, body); allocs > 4 {
		t.Fatalf("%v allocations for 3 updates each of %d rows", allocs, len(keys))
	}
}

// TestEachChangedGoesOn: after a panic, with the row behind the one it came up with, and from the start in the next epoch.
func TestEachChangedGoesOn(t *testing.T) {
	b := NewMemory(testSchemas...)
	s := NewStores(b, nil)
	kv := NewKeyValue(s, 7, count)
	var f Frozen
	for epoch := uint64(1); epoch <= 2; epoch++ {
		for _, key := range []string{"a", "b", "c"} {
			bump(t, kv, key, 1)
		}
		var seen string
		walk := func() (panicked bool) {
			defer func() { panicked = recover() != nil }()
			if err := kv.EachChanged(func(key []byte, _ *Row[int64], _ bool) error {
				seen += string(key)
				if seen == "ab" {
					panic("b")
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			return false
		}
		if !walk() || walk() || seen != "abc" {
			t.Errorf("epoch %d: %s", epoch, seen)
		}
		run(t, s, b, &f, epoch)
	}
}
