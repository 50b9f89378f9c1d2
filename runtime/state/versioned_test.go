package state

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// versionsModel keeps every version of every key that was taken, for ever.
type versionsModel struct {
	history, clock int64
	keys           map[string]map[int64]*string
}

func (m *versionsModel) put(key string, value *string, ts int64) Version {
	if ts < m.clock-m.history {
		return TooOld
	}
	m.clock = max(m.clock, ts)
	versions := m.keys[key]
	if versions == nil {
		versions = map[int64]*string{}
		m.keys[key] = versions
	}
	existed := len(versions) > 0
	valid, at := (*string)(nil), int64(-1)
	newest := true
	for t, v := range versions {
		newest = newest && t <= ts
		if t <= ts && t > at {
			valid, at = v, t
		}
	}
	same := at == ts && (valid == nil) == (value == nil) && (valid == nil || *valid == *value)
	gone := value == nil && (!existed || at >= 0 && valid == nil)
	versions[ts] = value
	if value == nil && newest && at == ts && valid != nil {
		if before := valueBefore(versions, ts); before == nil {
			delete(versions, ts)
		}
	}
	switch {
	case (same || gone) && !newest:
		return SameOlder
	case same || gone:
		return Same
	case newest:
		return Newest
	}
	return Older
}

// valueBefore is what was valid just before a time.
func valueBefore(versions map[int64]*string, ts int64) (valid *string) {
	at := int64(-1)
	for t, v := range versions {
		if t < ts && t > at {
			valid, at = v, t
		}
	}
	return valid
}

func (m *versionsModel) asOf(key string, ts int64) *string {
	var valid *string
	at, newest := int64(-1), int64(-1)
	for t, v := range m.keys[key] {
		newest = max(newest, t)
		if t <= ts && t > at {
			valid, at = v, t
		}
	}
	if ts < m.clock-m.history && at != newest {
		return nil
	}
	return valid
}

// TestVersionedAgainstModel puts and asks at random, and goes on from the backend now and then.
func TestVersionedAgainstModel(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		model := &versionsModel{history: int64(rnd.IntN(30)), clock: -1 << 40, keys: map[string]map[int64]*string{}}
		backend := NewMemory(Schema{ID: 4, Name: "versions"})
		stores := NewStores(backend, NewBudget(1))
		store := NewVersioned(stores, 4, temporal.Duration(model.history))
		now := int64(10)
		for i := range 500 {
			now += int64(rnd.IntN(4))
			key := fmt.Sprint("k", rnd.IntN(4))
			ts := max(0, now-int64(rnd.IntN(40)))
			if rnd.IntN(3) == 0 {
				want, got := model.asOf(key, ts), ""
				v, err := store.AsOf([]byte(key), ts)
				if err != nil {
					t.Fatal(err)
				}
				if got = string(v); (v == nil) != (want == nil) || want != nil && *want != got {
					t.Fatalf("seed %d step %d: %s as of %d: %q, want %v", seed, i, key, ts, got, want)
				}
				continue
			}
			var value *string
			var b []byte
			if rnd.IntN(4) > 0 {
				s := fmt.Sprint("v", rnd.IntN(3))
				value, b = &s, []byte(s)
			}
			got, err := store.Put([]byte(key), b, ts)
			if err != nil {
				t.Fatal(err)
			}
			if want := model.put(key, value, ts); got != want {
				t.Fatalf("seed %d step %d: put %s %q at %d: %d, want %d", seed, i, key, b, ts, got, want)
			}
			if rnd.IntN(10) == 0 {
				f := &Frozen{}
				stores.Freeze(uint64(i), 0, f)
				if err := backend.Apply(f); err != nil {
					t.Fatal(err)
				}
				stores.Applied(uint64(i))
				stores.Evict()
				if rnd.IntN(3) == 0 {
					stores = NewStores(backend, NewBudget(1))
					store = NewVersioned(stores, 4, temporal.Duration(model.history))
				}
			}
		}
	}
}
