package state

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// naive is a plain reading of what a timed store promises: slices that are copied where the store has epochs.
type naive[N any] interface {
	clone() N
	rows() []string // the store's content: what has not expired
}

// timedRun plays records against a store and a naive one, with epochs in flight, aborts, evictions and restarts in between.
type timedRun[N naive[N]] struct {
	t      *testing.T
	rng    *rand.Rand
	schema Schema
	open   func() Backend
	make   func(*Stores)       // the store, anew
	record func(n N)           // one step of both, compared
	flush  func(now, before N) // nil, or compares the changed rows
	row    func(key, v []byte, timestamp int64) string

	backend                  Backend
	budget                   *Budget
	stores                   *Stores
	now, frozen, done, begun N
	inFlight                 *Frozen
	epoch                    uint64
	log                      []ChangelogRecord
}

func (m *timedRun[N]) begin() {
	m.stores = NewStores(m.backend, m.budget)
	m.make(m.stores)
	m.now, m.begun, m.inFlight = m.done.clone(), m.done.clone(), nil
}

func (m *timedRun[N]) check(err error) {
	if err != nil {
		m.t.Helper()
		m.t.Fatal(err)
	}
}

func (m *timedRun[N]) step() {
	switch n := m.rng.IntN(1000); {
	case n < 900:
		m.record(m.now)
	case n < 940:
		m.stores.Evict()
	case n < 970:
		m.commit()
	case n < 985:
		m.settle()
	case n < 993:
		if m.inFlight != nil && m.rng.IntN(2) == 0 {
			m.settle()
		}
		m.check(m.stores.Discard())
		m.now, m.begun, m.inFlight = m.done.clone(), m.done.clone(), nil
	default:
		m.restart()
	}
}

func (m *timedRun[N]) commit() {
	m.settle()
	if m.flush != nil {
		m.flush(m.now, m.begun)
	}
	m.epoch++
	f := &Frozen{}
	m.stores.Freeze(m.epoch, int64(m.epoch), f)
	m.now, m.inFlight, m.frozen, m.begun = m.now.clone(), f, m.now.clone(), m.now.clone()
}

func (m *timedRun[N]) settle() {
	f := m.inFlight
	if f == nil {
		return
	}
	m.append(f)
	m.check(m.backend.Apply(f))
	if m.rng.IntN(10) == 0 {
		m.check(m.backend.Apply(f)) // as after an error
	}
	m.stores.Applied(f.Epoch)
	m.done, m.inFlight = m.frozen, nil
}

func (m *timedRun[N]) append(f *Frozen) {
	for r := range f.Changelog() {
		r.Key, r.Value = bytes.Clone(r.Key), bytes.Clone(r.Value)
		m.log = append(m.log, r)
	}
	f.Changelogs = append(f.Changelogs, ChangelogPosition{m.schema.ID, int64(len(m.log))})
}

func (m *timedRun[N]) restart() {
	if f := m.inFlight; f != nil {
		m.append(f)
		m.done = m.frozen
	}
	m.stores.Close()
	m.check(m.backend.Close())
	m.backend = m.open()
	m.check(m.restore(m.backend))
	m.begin()
}

func (m *timedRun[N]) restore(b Backend) error {
	r := NewRestorer(b, m.schema.ID)
	for i := max(0, r.Next()); i < int64(len(m.log)); i++ {
		if _, err := r.Add(m.log[i].Key, m.log[i].Value, m.log[i].Timestamp, i); err != nil {
			return err
		}
	}
	return r.Flush(int64(len(m.log)))
}

// compare holds the rows and the index of a backend against what should be in it. Rows that expired may still be there if exact
// is false.
func (m *timedRun[N]) compare(b Backend, exact bool) {
	m.t.Helper()
	var got []string
	rows := 0
	m.check(EachRow(b, m.schema.ID, func(key []byte, timestamp int64, value []byte) error {
		got = append(got, m.row(key, value, timestamp))
		rows++
		return nil
	}))
	want := m.done.rows()
	slices.Sort(got)
	slices.Sort(want)
	if exact && !slices.Equal(got, want) {
		m.t.Fatalf("the backend holds\n%q, want\n%q", got, want)
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			m.t.Fatalf("the backend lacks %q", w)
		}
	}
	entries := 0
	all := wholeStore(m.schema.ID)
	m.check(b.Scan(all.From, all.To, func(key, _ []byte) error {
		if m.schema.Times > 0 && isIndex(key) {
			entries++
		}
		return nil
	}))
	if m.schema.Times == 0 {
		rows = 0
	}
	if entries != rows {
		m.t.Fatalf("%d entries in the index, %d rows", entries, rows)
	}
}

// playTimed runs seeds of a store on both backends.
func playTimed[N naive[N]](t *testing.T, times int, begin func(m *timedRun[N], rng *rand.Rand)) {
	playSchema(t, Schema{ID: 7, Name: "timed", Fingerprint: "v1", Times: times}, begin)
}

func playSchema[N naive[N]](t *testing.T, schema Schema, begin func(m *timedRun[N], rng *rand.Rand)) {
	seeds, steps := 24, 2500
	if testing.Short() {
		seeds, steps = 8, 1500
	}
	for _, kind := range []string{"memory", "pebble"} {
		for seed := range seeds {
			t.Run(fmt.Sprintf("%s/%d", kind, seed), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(seed), 7))
				m := &timedRun[N]{t: t, rng: rng, schema: schema}
				if rng.IntN(3) > 0 {
					m.budget = NewBudget(int64(1 + rng.IntN(200_000)))
				}
				if kind == "memory" {
					memory := NewMemory(schema)
					m.open = func() Backend { return memory }
				} else {
					shared := newShared(Options{Memory: 16 << 20}, vfs.NewMem())
					defer shared.Close()
					m.open = func() Backend {
						p, err := shared.Open("task", []Schema{schema})
						m.check(err)
						return p
					}
				}
				begin(m, rng)
				m.backend = m.open()
				m.begin()
				for range steps {
					m.step()
				}
				m.record(m.now)
				m.commit()
				m.settle()
				m.compare(m.backend, true)

				lost := NewMemory(schema)
				m.check(m.restore(lost))
				m.compare(lost, false)
				m.check(m.backend.Close())
				m.stores.Close()
			})
		}
	}
}

// texts is a row of the tests: what went into it, in order.
var texts = Codec[string]{
	Append: func(dst []byte, v *string) []byte { return append(dst, *v...) },
	Read:   func(src []byte, v *string) error { *v = string(src); return nil },
}

func timedKeys(rng *rand.Rand) [][]byte {
	keys := [][]byte{{}, {0}, {0xff}, bytes.Repeat([]byte{0}, 16), bytes.Repeat([]byte{0xff}, 40)}
	for i := range rng.IntN(40) {
		keys = append(keys, fmt.Appendf(nil, "key-%d", i))
	}
	return keys
}

// What has expired or left leaves memory, too, without any need for it: keys, rows and places in queues.
func TestTimedStoresForgetWhatIsOver(t *testing.T) {
	for _, c := range []struct {
		name  string
		times int
		make  func(s *Stores) (add func(key []byte, at int64) error, memory func() (int64, int64))
	}{
		{"sessions", 0, func(s *Stores) (func([]byte, int64) error, func() (int64, int64)) {
			w := NewSessions(s, 7, texts, SessionOptions{Gap: 5, Grace: 10, Retention: 100})
			return func(key []byte, at int64) error {
				_, err := sessionAdd(w, 0, string(key), "v", at, nil)
				return err
			}, w.memory
		}},
		{"final sessions", 0, func(s *Stores) (func([]byte, int64) error, func() (int64, int64)) {
			w := NewSessions(s, 7, texts, SessionOptions{Gap: 5, Grace: 10, Retention: 100, Final: true})
			return func(key []byte, at int64) error {
				_, err := sessionAdd(w, 0, string(key), "v", at, nil)
				if err == nil && w.Due() {
					_, err = w.Close(1000, func(_, _ int64, _ []byte, _ *Row[string]) error { return nil })
				}
				return err
			}, w.memory
		}},
		{"sliding", 8, func(s *Stores) (func([]byte, int64) error, func() (int64, int64)) {
			w := NewSliding(s, 7, texts, SlidingOptions{Difference: 5, Grace: 10, Retention: 100})
			return func(key []byte, at int64) error {
				_, err := slideAdd(w, 0, string(key), "vvvv", at)
				return err
			}, w.memory
		}},
		{"suppress", 8, func(s *Stores) (func([]byte, int64) error, func() (int64, int64)) {
			b := NewSuppress(s, 7, texts, SuppressOptions{Wait: 20})
			return func(key []byte, at int64) error {
				r, held, err := b.Put(key, at, at)
				if err != nil {
					return err
				}
				r.Value.Value, r.Value.Exists = "v", true
				b.Placed(r, held)
				_, err = b.Close(1000, func([]byte, *Row[Held[string]]) error { return nil })
				return err
			}, b.memory
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			backend := NewMemory(Schema{ID: 7, Name: "timed", Fingerprint: "v1", Times: c.times})
			stores := NewStores(backend, nil)
			add, memory := c.make(stores)
			var early int64
			for epoch := range uint64(60) {
				for i := range int64(500) {
					at := int64(epoch)*500 + i
					if err := add(fmt.Appendf(nil, "key-%d", at/3), max(0, at-at%7)); err != nil {
						t.Fatal(err)
					}
				}
				var f Frozen
				stores.Freeze(epoch+1, 1, &f)
				if err := backend.Apply(&f); err != nil {
					t.Fatal(err)
				}
				stores.Applied(epoch + 1)
				held, _ := memory()
				switch {
				case epoch == 10:
					early = held
				case epoch > 10 && held > early+early/2:
					t.Fatalf("%d bytes after %d epochs, %d after 10", held, epoch, early)
				}
			}
			if n := backend.len(); n > 600 {
				t.Errorf("%d rows and entries are left in the backend", n)
			}
		})
	}
}
