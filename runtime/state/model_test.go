package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/streamgen/streamgen/runtime/record"
)

// entity is a row with a part outside of it.
type entity struct {
	Name string
	N    int64
}

var entityCodec = Codec[entity]{
	Append: func(dst []byte, v *entity) []byte {
		return append(binary.AppendVarint(dst, v.N), v.Name...)
	},
	Read: func(src []byte, v *entity) error {
		n, w := binary.Varint(src)
		if w <= 0 {
			return errShort
		}
		v.N, v.Name = n, string(src[w:])
		return nil
	},
}

var testSchemas = []Schema{{ID: 7, Name: "entities", Fingerprint: "v1"}, {ID: 8, Name: "others", Fingerprint: "v1"}}

// modelRow is what a plain map holds for a key.
type modelRow struct {
	value     entity
	timestamp int64
}

// model is a plain reading of what a KeyValue promises: maps, copied where the store has epochs.
type model struct {
	t        *testing.T
	rng      *rand.Rand
	open     func() Backend // anew over the same rows
	backend  Backend
	budget   *Budget
	stores   *Stores
	kv       *KeyValue[entity]
	clock    *Clock
	keys     [][]byte
	rows     map[string]modelRow // now
	frozen   map[string]modelRow // with the epoch in flight
	applied  map[string]modelRow // in the backend
	times    [3]int64            // of the clock: now, frozen, applied
	order    []string            // keys changed in the epoch, by first change
	headers  map[string]string   // of the last record that changed them
	deletes  map[string]int64    // their timestamps, if it deleted them
	start    map[string]modelRow // at the beginning of the epoch
	epoch    uint64
	inFlight *Frozen
	spare    *Frozen

	keepsSent bool

	log []ChangelogRecord // of committed epochs
}

func (m *model) begin() {
	m.stores = NewStores(m.backend, m.budget)
	m.kv = NewKeyValue(m.stores, 7, entityCodec)
	if m.keepsSent {
		m.kv.KeepSent()
	}
	m.clock = m.stores.Clock(7, "stream")
	if m.clock.Time != m.times[2] {
		m.t.Fatalf("clock is at %d after a restart, want %d", m.clock.Time, m.times[2])
	}
	m.back()
}

// back is what an abort or a restart does.
func (m *model) back() {
	m.rows, m.frozen, m.start = maps.Clone(m.applied), nil, maps.Clone(m.applied)
	m.times[0], m.times[1] = m.times[2], m.times[2]
	m.order, m.headers, m.deletes, m.inFlight = nil, map[string]string{}, map[string]int64{}, nil
}

func (m *model) changed(key []byte) {
	if !slices.Contains(m.order, string(key)) {
		m.order = append(m.order, string(key))
	}
	header := fmt.Sprint(m.rng.IntN(1000))
	m.kv.ChangedBy([]record.Header{{Key: header}})
	m.headers[string(key)] = header
}

func (m *model) step() {
	key := m.keys[int(m.rng.ExpFloat64()*float64(len(m.keys))/8)%len(m.keys)]
	want, exists := m.rows[string(key)]
	switch n := m.rng.IntN(100); {
	case n < 5 && m.keepsSent:
		m.wasSent(nil)
	case n < 30:
		r, err := m.kv.Get(key)
		m.check(err)
		if (r != nil) != exists || exists && (r.Value != want.value || r.Timestamp != want.timestamp) {
			m.t.Fatalf("Get(%q) = %+v, want %+v %v", key, r, want, exists)
		}
	case n < 70:
		r, existed, err := m.kv.Update(key)
		m.check(err)
		if existed != exists || r.Value != want.value || r.Timestamp != want.timestamp {
			m.t.Fatalf("Update(%q) = %+v %v, want %+v %v", key, r, existed, want, exists)
		}
		if m.rng.IntN(8) == 0 {
			m.kv.Unchanged()
			return
		}
		r.Value.N++
		r.Value.Name = strings.Repeat("x", m.rng.IntN(40))
		r.Timestamp = m.rng.Int64N(1000) - 10
		m.rows[string(key)] = modelRow{r.Value, r.Timestamp}
		m.changed(key)
	case n < 85:
		timestamp := m.rng.Int64N(1000)
		existed, err := m.kv.Delete(key, timestamp)
		m.check(err)
		if existed != exists {
			m.t.Fatalf("Delete(%q) = %v, want %v", key, existed, exists)
		}
		if existed {
			delete(m.rows, string(key))
			m.deletes[string(key)] = timestamp
			m.changed(key)
		}
	case n < 88:
		m.stores.Evict()
	case n < 90:
		m.times[0] = m.rng.Int64N(1000)
		m.clock.Time = m.times[0]
	case n < 95:
		m.commit()
	case n < 97:
		m.settle()
	case n < 99:
		m.abort()
	default:
		m.restart()
	}
}

// commit is Flush and Freeze: the epoch is in flight afterwards.
func (m *model) commit() {
	m.settle()
	m.flush()
	m.epoch++
	f := m.spare
	f.Reset()
	m.stores.Freeze(m.epoch, int64(m.epoch)*1000, f)
	f.Sources = append(f.Sources, SourcePosition{"topic", 0, int64(m.epoch)})
	m.inFlight, m.frozen, m.start = f, maps.Clone(m.rows), maps.Clone(m.rows)
	m.times[1] = m.times[0]
	m.order, m.headers, m.deletes = nil, map[string]string{}, map[string]int64{}
}

// flush compares the changed rows with those that changed.
func (m *model) flush() {
	var got, want []string
	m.check(m.kv.EachChanged(func(key []byte, r *Row[entity], exists bool) error {
		if now, ok := m.rows[string(key)]; ok != exists || ok && (r.Value != now.value || r.Timestamp != now.timestamp) {
			m.t.Fatalf("EachChanged: %q is %+v %v, want %+v %v", key, r, exists, now, ok)
		}
		if !exists && (r.Timestamp != m.deletes[string(key)] || r.Value != entity{}) {
			m.t.Fatalf("EachChanged: deleted %q is %+v, want the timestamp %d", key, r, m.deletes[string(key)])
		}
		if h := m.kv.Headers(r); len(h) != 1 || h[0].Key != m.headers[string(key)] {
			m.t.Fatalf("EachChanged: headers of %q are %v, want %v", key, h, m.headers[string(key)])
		}
		got = append(got, string(key))
		if m.keepsSent {
			before, ok := m.start[string(key)]
			m.isRow("Before", key, m.kv.Before(r), before, ok)
			m.wasSent(got)
		}
		return nil
	}))
	for _, key := range m.order {
		_, before := m.start[key]
		_, after := m.rows[key]
		if before || after {
			want = append(want, key)
		}
	}
	if !slices.Equal(got, want) {
		m.t.Fatalf("EachChanged: %q, want %q", got, want)
	}
}

// isRow holds what a store gave to the row that it should be.
func (m *model) isRow(what string, key []byte, got *Row[entity], want modelRow, exists bool) {
	if (got != nil) != exists || exists && (got.Value != want.value || got.Timestamp != want.timestamp) {
		m.t.Fatalf("%s(%q) = %+v, want %+v %v", what, key, got, want, exists)
	}
}

// wasSent asks for a row as it was sent: those that were walked over are as they are now, others as at the beginning of the epoch.
func (m *model) wasSent(walked []string) {
	key := m.keys[m.rng.IntN(len(m.keys))]
	rows := m.start
	if slices.Contains(walked, string(key)) {
		rows = m.rows
	}
	got, err := m.kv.Sent(key)
	m.check(err)
	want, exists := rows[string(key)]
	m.isRow("Sent", key, got, want, exists)
}

// settle commits and applies the epoch in flight.
func (m *model) settle() {
	f := m.inFlight
	if f == nil {
		return
	}
	if m.rng.IntN(10) == 0 {
		m.restart() // committed, not applied: the changelog's tail is replayed
		return
	}
	m.commitLog(f)
	m.check(m.backend.Apply(f))
	if m.rng.IntN(10) == 0 {
		m.check(m.backend.Apply(f)) // as after an error
	}
	m.stores.Applied(f.Epoch)
	m.applied, m.times[2] = m.frozen, m.times[1]
	m.inFlight = nil
}

// commitLog is the epoch's transaction.
func (m *model) commitLog(f *Frozen) {
	for r := range f.Changelog() {
		r.Key, r.Value = bytes.Clone(r.Key), bytes.Clone(r.Value)
		m.log = append(m.log, r)
	}
	f.Changelogs = append(f.Changelogs, ChangelogPosition{7, int64(len(m.log))})
}

func (m *model) abort() {
	if m.inFlight != nil && m.rng.IntN(2) == 0 {
		m.settle()
	}
	m.check(m.stores.Discard())
	m.back()
	if m.clock.Time != m.times[2] {
		m.t.Fatalf("clock is at %d after an abort, want %d", m.clock.Time, m.times[2])
	}
}

// restart closes the task and opens it again. The epoch in flight, if any, has committed and is not applied.
func (m *model) restart() {
	if f := m.inFlight; f != nil {
		m.commitLog(f)
		m.applied, m.times[2] = m.frozen, m.times[1]
	}
	m.stores.Close()
	m.check(m.backend.Close())
	m.backend = m.open()
	m.check(restore(m.backend, m.log))
	m.begin()
}

// restore reads a changelog from the backend's position to its end.
func restore(b Backend, log []ChangelogRecord) error {
	r := NewRestorer(b, 7)
	for i := max(0, r.Next()); i < int64(len(log)); i++ {
		if _, err := r.Add(log[i].Key, log[i].Value, log[i].Timestamp, i); err != nil {
			return err
		}
	}
	return r.Flush(int64(len(log)))
}

func (m *model) check(err error) {
	if err != nil {
		m.t.Helper()
		m.t.Fatal(err)
	}
}

// compare holds the rows of a backend against those that should be in it.
func (m *model) compare(b Backend) {
	m.t.Helper()
	got := map[string]modelRow{}
	m.check(EachRow(b, 7, func(key []byte, timestamp int64, value []byte) error {
		var v entity
		err := entityCodec.Read(value, &v)
		got[string(key)] = modelRow{v, timestamp}
		return err
	}))
	if !maps.Equal(got, m.applied) {
		m.t.Fatalf("the backend holds %v, want %v", got, m.applied)
	}
}

func testKeys(rng *rand.Rand, n int) [][]byte {
	keys := [][]byte{{}, {0xff}, {0xff, 'S', 'G'}, {0xff, 'S', 'G', 0, 'c'}, {0xff, 'S', 'G', 1}, bytes.Repeat([]byte{0xff}, 40)}
	for i := range n {
		key := fmt.Appendf(nil, "key-%d", i)
		for len(key) < i%5*30 {
			key = append(key, '-', byte('a'+rng.IntN(26)))
		}
		keys = append(keys, key)
	}
	return append(keys, bytes.Repeat([]byte("long"), 10_000))
}

// A store does what a map does, whatever happens to it: epochs in flight, aborts, eviction, restarts.
func TestKeyValueIsAMap(t *testing.T) {
	seeds, steps := 50, 5000
	if testing.Short() {
		seeds, steps = 6, 3000
	}
	for _, kind := range []string{"memory", "pebble"} {
		t.Run(kind, func(t *testing.T) {
			for seed := range seeds {
				rng := rand.New(rand.NewPCG(uint64(seed), 1))
				m := &model{t: t, rng: rng, keepsSent: seed%2 == 1, budget: NewBudget(int64(1 + rng.IntN(200_000))), spare: &Frozen{},
					keys: testKeys(rng, 20+rng.IntN(1500)), applied: map[string]modelRow{}, times: [3]int64{Never, Never, Never}}
				if kind == "memory" {
					memory := NewMemory(testSchemas...)
					m.open = func() Backend { return memory }
				} else {
					shared := newShared(Options{Memory: 16 << 20}, vfs.NewMem())
					defer shared.Close()
					m.open = func() Backend {
						p, err := shared.Open("task", testSchemas)
						m.check(err)
						return p
					}
				}
				m.backend = m.open()
				m.begin()
				for range steps {
					m.step()
				}
				m.settle()
				m.compare(m.backend)
				if c := m.backend.Checkpoint(); len(c.Changelogs) == 1 && c.Changelogs[0].Next != int64(len(m.log)) {
					t.Fatalf("position %d, want %d", c.Changelogs[0].Next, len(m.log))
				}

				lost := NewMemory(testSchemas...)
				m.check(restore(lost, m.log))
				m.compare(lost)
				restored, kept := lost.Checkpoint(), m.backend.Checkpoint()
				if !slices.Equal(restored.Clocks, kept.Clocks) {
					t.Fatalf("clocks %v, want %v", restored.Clocks, kept.Clocks)
				}
				m.check(m.backend.Close())
				m.stores.Close()
				if held, pinned := m.budget.Used(); held != 0 || pinned != 0 {
					t.Fatalf("%d and %d bytes left in the budget", held, pinned)
				}
			}
		})
	}
}

func TestFreezeWhileInFlightPanics(t *testing.T) {
	s := NewStores(NewMemory(testSchemas...), nil)
	s.Freeze(1, 1, &Frozen{})
	defer func() {
		if recover() == nil {
			t.Fatal("two epochs in flight")
		}
	}()
	s.Freeze(2, 2, &Frozen{})
}

func TestBrokenRowIsAnError(t *testing.T) {
	b := NewMemory(testSchemas...)
	err := b.Apply(&Frozen{Changes: []Change{{Key: appendKey(nil, 7, []byte("k")), Row: make([]byte, TimestampLen)}}})
	if err != nil {
		t.Fatal(err)
	}
	kv := NewKeyValue(NewStores(b, nil), 7, entityCodec)
	for range 2 {
		if _, err := kv.Get([]byte("k")); !errors.Is(err, errShort) || !strings.Contains(err.Error(), `store "entities"`) {
			t.Fatalf("%v", err)
		}
	}
}
