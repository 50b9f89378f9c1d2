package state

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/temporal"
)

// naiveAging looks at all rows each time.
type naiveAging struct {
	ttl, clock int64
	values     map[string]modelRow
}

func (n *naiveAging) clone() *naiveAging {
	c := *n
	c.values = maps.Clone(n.values)
	return &c
}

func (n *naiveAging) rows() (list []string) {
	for k, r := range n.values {
		list = append(list, fmt.Sprintf("%q=%+v@%d", k, r.value, r.timestamp))
	}
	return list
}

// advance moves stream time and returns what ends by that, in order.
func (n *naiveAging) advance(timestamp int64) (ended []string) {
	n.clock = max(n.clock, timestamp)
	keys := slices.SortedFunc(maps.Keys(n.values), func(a, b string) int {
		return cmp.Or(cmp.Compare(n.values[a].timestamp, n.values[b].timestamp), strings.Compare(a, b))
	})
	for _, k := range keys {
		if r := n.values[k]; r.timestamp+n.ttl <= n.clock {
			ended = append(ended, fmt.Sprintf("%q=%+v@%d ended %d", k, r.value, r.timestamp, r.timestamp+n.ttl))
			delete(n.values, k)
		}
	}
	return ended
}

// Rows end as a naive reading says, whatever happens to the store: also if it is restored from its changelog, and however few of them leave at
// a time.
func TestAgingIsNaive(t *testing.T) {
	const ttl = 60
	playSchema(t, Schema{ID: 7, Name: "aging", Fingerprint: "v1", TTL: ttl}, func(m *timedRun[*naiveAging], rng *rand.Rand) {
		o := AgingOptions{TTL: ttl, Replaces: rng.IntN(2) == 0}
		step := CloseStep
		if rng.IntN(3) == 0 {
			step = 1 + rng.IntN(4)
		}
		open := m.open
		m.open = func() Backend {
			b := open()
			if _, ok := b.(*Memory); ok && rng.IntN(3) == 0 { // its disk is lost
				lost := NewMemory(m.schema)
				open = func() Backend { return lost }
				return lost
			}
			return b
		}
		keys := timedKeys(rng)
		var s *Aging[entity]
		m.make = func(stores *Stores) {
			s = NewAging(stores, 7, entityCodec, o)
			s.step = step
		}
		m.done = &naiveAging{ttl: ttl, clock: Never, values: map[string]modelRow{}}
		now := int64(0)
		m.record = func(n *naiveAging) {
			if now += rng.Int64N(4); rng.IntN(40) == 0 {
				now += rng.Int64N(3 * ttl)
			}
			key, timestamp := keys[rng.IntN(len(keys))], now-rng.Int64N(1+rng.Int64N(2*ttl))
			var got []string
			ended := func(key []byte, r *Row[entity], at int64) error {
				if r, err := s.Get(key); r != nil || err != nil {
					m.t.Fatalf("%q has ended and is there: %+v %v", key, r, err)
				}
				got = append(got, fmt.Sprintf("%q=%+v@%d ended %d", key, r.Value, r.Timestamp, at))
				return nil
			}
			m.check(s.Advance(key, timestamp, ended))
			want := n.advance(timestamp)
			if step == CloseStep && !slices.Equal(got, want) {
				m.t.Fatalf("%q at %d, stream time %d: %q, want %q", key, timestamp, n.clock, got, want)
			}
			if late := timestamp+ttl <= n.clock; s.Late(timestamp) != late {
				m.t.Fatalf("%d is late: %v, stream time %d", timestamp, !late, n.clock)
			}
			before, there := n.values[string(key)]
			switch deletes := rng.IntN(6) == 0; {
			case s.Late(timestamp) && (o.Replaces || deletes):
			case deletes:
				existed, err := s.Delete(key, timestamp)
				if m.check(err); existed != there {
					m.t.Fatalf("Delete(%q) = %v, want %v", key, existed, there)
				}
				delete(n.values, string(key))
			default:
				r, existed, err := s.Update(key)
				m.check(err)
				if existed != there || existed && (r.Value != before.value || r.Timestamp != before.timestamp) {
					m.t.Fatalf("Update(%q) = %+v %v, want %+v %v", key, r, existed, before, there)
				}
				if !existed && s.Late(timestamp) || rng.IntN(8) == 0 {
					s.Unchanged()
					break
				}
				r.Value.N++
				if r.Timestamp = max(r.Timestamp, timestamp); o.Replaces || !existed {
					r.Timestamp = timestamp
				}
				n.values[string(key)] = modelRow{r.Value, r.Timestamp}
			}
			for steps := 0; s.Due(); steps++ {
				if more, err := s.Close(step, ended); err != nil || !more && s.Due() || steps > 10_000 {
					m.t.Fatalf("more is due behind a close: %v %v", more, err)
				}
			}
			own := fmt.Sprintf("%q=", key)
			if i := slices.IndexFunc(got, func(e string) bool { return strings.HasPrefix(e, own) }); i >= 0 && step < CloseStep {
				early := got[i] // it has to leave before its record
				got, want = slices.Delete(got, i, i+1), slices.DeleteFunc(want, func(e string) bool { return e == early })
			}
			if !slices.Equal(got, want) {
				m.t.Fatalf("%q at %d, stream time %d: %q, want %q", key, timestamp, n.clock, got, want)
			}
		}
		m.row = func(key, v []byte, timestamp int64) string {
			var e entity
			m.check(entityCodec.Read(v, &e))
			return fmt.Sprintf("%q=%+v@%d", key, e, timestamp)
		}
	})
}

// age counts keys in a store of rows that end.
func age(t *testing.T, s *Aging[int64], timestamp int64, keys ...string) (ended []string) {
	t.Helper()
	for _, k := range keys {
		err := s.Advance([]byte(k), timestamp, func(key []byte, r *Row[int64], at int64) error {
			ended = append(ended, fmt.Sprintf("%s=%d@%d", key, r.Value, at))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := s.Update([]byte(k))
		if err != nil {
			t.Fatal(err)
		}
		r.Value++
		r.Timestamp = max(r.Timestamp, timestamp)
	}
	return ended
}

// listed are the entries of store 7.
func listed(t *testing.T, b Backend) (list []string) {
	t.Helper()
	r := wholeStore(7 | deadlineStore)
	if err := b.Scan(r.From, r.To, func(entry, _ []byte) error {
		at, key := splitDeadline(entry)
		list = append(list, fmt.Sprintf("%s@%d", key, at))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// A row that is touched all the time has one entry, and what has ended has none.
func TestAgingListsEachRowOnce(t *testing.T) {
	schema := Schema{ID: 7, Name: "aging", Fingerprint: "v1", TTL: 1000}
	b := NewMemory(schema)
	stores := NewStores(b, nil)
	s := NewAging(stores, 7, count, AgingOptions{TTL: 1000})
	var f Frozen
	epoch := uint64(0)
	for at := range int64(5000) {
		if age(t, s, at, "hot"); at < 100 {
			age(t, s, at, fmt.Sprint("cold ", at))
		}
		if at%10 == 9 {
			epoch++
			run(t, stores, b, &f, epoch)
		}
		if n := len(listed(t, b)); n > 101 {
			t.Fatalf("%d entries at %d", n, at)
		}
	}
	if got := listed(t, b); len(got) != 1 || !strings.HasPrefix(got[0], "hot@") {
		t.Errorf("%q are listed", got)
	}
	if held, _ := s.memory(); held > 1<<20 {
		t.Errorf("%d bytes are held", held)
	}
}

// A store that is opened with another time to live, or with its first one, ends its rows by that.
func TestAgingWithAnotherTimeToLive(t *testing.T) {
	shared := newShared(Options{Memory: 16 << 20}, vfs.NewMem())
	defer shared.Close()
	epoch := uint64(0)
	for _, c := range []struct {
		ttl   int64
		ended string
	}{{0, ""}, {50, "[a=1@60]"}, {1000, ""}, {10, "[c=1@70 b=3@110]"}, {0, ""}, {5, "[a=1@39 b=1@59 d=1@205]"}} {
		b, err := shared.Open("task", []Schema{{ID: 7, Name: "aging", Fingerprint: "v1", TTL: c.ttl}, {ID: 9, Name: "other", Fingerprint: "v1"}})
		if err != nil {
			t.Fatal(err)
		}
		stores := NewStores(b, nil)
		if epoch++; c.ttl == 0 { // a store like any other
			kv := NewKeyValue(stores, 7, count)
			for i, k := range []string{"a", "b"} {
				r, existed, err := kv.Update([]byte(k))
				if err != nil {
					t.Fatal(err)
				}
				if k == "a" || !existed {
					r.Value, r.Timestamp = r.Value+1, int64(10+i*20+int(epoch-1)*6)
				}
			}
		} else {
			s := NewAging(stores, 7, count, AgingOptions{TTL: temporal.Duration(c.ttl)})
			var got []string
			switch c.ttl {
			case 50:
				got = age(t, s, 60, "b", "c")
			case 1000:
				got = age(t, s, 100, "b")
			case 10:
				got = age(t, s, 200, "d")
			case 5:
				got = age(t, s, 230, "e")
			}
			if s := fmt.Sprint(got); c.ended != "" && s != c.ended || c.ended == "" && len(got) > 0 {
				t.Errorf("with %d ended %v, want %s", c.ttl, got, c.ended)
			}
		}
		var f Frozen
		run(t, stores, b, &f, epoch)
		stores.Close()
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Rows that end at the end of time do not, wherever stream time is.
func TestAgingAtTheEndOfTime(t *testing.T) {
	b := NewMemory(Schema{ID: 7, Name: "aging", Fingerprint: "v1", TTL: 10})
	stores := NewStores(b, nil)
	s := NewAging(stores, 7, count, AgingOptions{TTL: 10})
	var f Frozen
	if got := age(t, s, 1, "a"); got != nil {
		t.Errorf("%v ended", got)
	}
	run(t, stores, b, &f, 1)
	if got := fmt.Sprint(age(t, s, math.MaxInt64, "b", "c")); got != "[a=1@11]" {
		t.Errorf("%s ended", got)
	}
	run(t, stores, b, &f, 2)
	s.Pass(5)
	for range 3 {
		if more, err := s.Close(10, nil); more || err != nil || s.Due() {
			t.Errorf("%v %v is due at the end of time", more, err)
		}
	}
	if r, err := s.Get([]byte("c")); r == nil || err != nil {
		t.Errorf("c has ended: %v", err)
	}
}

// The delete of a row that ended has no headers, whoever changed it before.
func TestAgingEndsWithoutHeaders(t *testing.T) {
	stores := NewStores(NewMemory(Schema{ID: 7, Name: "aging", Fingerprint: "v1", TTL: 10}), nil)
	s := NewAging(stores, 7, count, AgingOptions{TTL: 10}).KeepSent()
	var f Frozen
	age(t, s, 1, "a")
	run(t, stores, stores.backend, &f, 1)
	age(t, s, 5, "a")
	s.ChangedBy([]record.Header{{Key: "trace"}})
	if got := fmt.Sprint(age(t, s, 15, "b")); got != "[a=2@15]" {
		t.Fatalf("%s ended", got)
	}
	var got []string
	err := s.EachChanged(func(key []byte, r *Row[int64], exists bool) error {
		got = append(got, fmt.Sprintf("%s %v %d %d %v", key, exists, r.Timestamp, len(s.Headers(r)), s.Before(r) != nil))
		return nil
	})
	if want := "[a false 15 0 true b true 15 0 false]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v %v, want %s", got, err, want)
	}
}

// However many rows end at once, they leave a number at a time, each once and in order, and all of that fits the memory of a fourth of them.
func TestAgingEndsManyRowsInSteps(t *testing.T) {
	const rows, step = 100_000, 1000
	b := NewMemory(Schema{ID: 7, Name: "aging", Fingerprint: "v1", TTL: 10_000})
	stores := NewStores(b, NewBudget(1<<20))
	defer stores.Close()
	s := NewAging(stores, 7, count, AgingOptions{TTL: 10_000})
	s.step = step
	var f Frozen
	epoch, most, left := uint64(0), int64(0), 0
	key := func(i int) []byte { return fmt.Appendf(nil, "key-%08d", i) }
	ended := func(k []byte, r *Row[int64], at int64) error {
		if want := int64(left) / 100; string(k) != string(key(left)) || at != want+10_000 || r.Value != 1 {
			t.Fatalf("%q ended at %d with %d, want %q", k, at, r.Value, key(left))
		}
		left++
		return nil
	}
	commit := func() {
		epoch++
		run(t, stores, b, &f, epoch)
		held, _ := s.memory()
		most = max(most, held)
	}
	change := func(i int, at int64) {
		if err := s.Advance(key(i), at, ended); err != nil {
			t.Fatal(err)
		}
		r, _, err := s.Update(key(i))
		if err != nil {
			t.Fatal(err)
		}
		r.Value, r.Timestamp = r.Value+1, at
	}
	for i := range rows {
		if change(i, int64(i)/100); i%step == step-1 {
			commit()
		}
	}
	change(rows, 1_000_000)
	for more := true; more; commit() {
		before := left
		var err error
		if more, err = s.Close(step, ended); err != nil {
			t.Fatal(err)
		}
		if left-before > step {
			t.Fatalf("%d rows left at a time", left-before)
		}
	}
	if left != rows || len(listed(t, b)) != 1 {
		t.Errorf("%d rows left, %d are listed, want %d and one", left, len(listed(t, b)), rows)
	}
	if most > rows*int64(unsafe.Sizeof(Row[int64]{}))/4 {
		t.Errorf("%d bytes were held", most)
	}
}
