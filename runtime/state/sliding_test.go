package state

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// naiveWindow is a window of the naive store.
type naiveWindow struct {
	text string
	time int64 // of the newest record in it
	sent bool
}

type naiveWindowKey struct {
	key   string
	start int64
}

// naiveSliding follows the rules of Kafka Streams over a map of all windows.
type naiveSliding struct {
	SlidingOptions
	clocks  []int64
	largest int64
	windows map[naiveWindowKey]naiveWindow
}

func (n *naiveSliding) clone() *naiveSliding {
	c := *n
	c.clocks, c.windows = slices.Clone(n.clocks), maps.Clone(n.windows)
	return &c
}

func (n *naiveSliding) expired(k naiveWindowKey) bool {
	return n.largest != Never && k.start <= n.largest-n.Retention && (!n.Final || n.windows[k].sent)
}

func (n *naiveSliding) name(k naiveWindowKey) string {
	return fmt.Sprintf("%s[%d,%d]", k.key, k.start, k.start+n.Difference)
}

func (n *naiveSliding) rows() (list []string) {
	for k, w := range n.windows {
		if !n.expired(k) {
			list = append(list, fmt.Sprintf("%s=%s@%d", n.name(k), w.text, w.time))
		}
	}
	return list
}

// add is what a record does. A text longer than 6 becomes null.
func (n *naiveSliding) add(input int, key, value string, t int64) (out []string, late int) {
	d := n.Difference
	n.clocks[input] = max(n.clocks[input], t)
	closing := n.clocks[input] - n.Grace
	if t+d < closing {
		return nil, 1
	}
	get := func(start int64) (naiveWindow, bool) {
		k := naiveWindowKey{key, start}
		w, ok := n.windows[k]
		return w, ok && !n.expired(k)
	}
	put := func(start int64, w naiveWindow) {
		k := naiveWindowKey{key, start}
		old, there := get(start)
		switch {
		case n.Once && there && old.text == w.text && old.time == w.time: // changes nothing
		case len(w.text) <= 6:
			w.sent = old.sent && there
			n.windows[k] = w
			n.largest = max(n.largest, start)
			out = append(out, n.name(k)+"="+w.text)
		case there:
			delete(n.windows, k)
			out = append(out, n.name(k)+" goes from "+old.text)
		}
	}
	update := func(start int64, w naiveWindow) {
		if start+d < closing {
			late++
			return
		}
		put(start, naiveWindow{text: w.text + value, time: max(w.time, t)})
	}
	var starts []int64
	for k := range n.windows {
		if k.key == key && k.start >= max(0, t-2*d) && k.start <= t+1 && !n.expired(k) {
			starts = append(starts, k.start)
		}
	}
	slices.Sort(starts)
	before := slices.Clone(starts)
	has := func(start int64) bool { return slices.Contains(before, start) }
	previous, hasLeft := int64(-1), false
	var left, behind naiveWindow
	if t < d {
		joint, hasJoint := get(0)
		for _, start := range starts {
			if start > 0 && start <= t {
				w, _ := get(start)
				behind = w
				update(start, w)
			}
		}
		if hasJoint && joint.time < t {
			previous = joint.time
		}
		if behind.text == "" && hasJoint && joint.time > t {
			behind = joint
		}
		if !has(t+1) && behind.text != "" && behind.time > t {
			put(t+1, behind)
		}
		if previous >= 0 && !has(previous+1) {
			update(previous+1, naiveWindow{time: t})
		}
		if !hasJoint {
			joint = naiveWindow{time: t}
		}
		update(0, joint)
		return out, late
	}
	slices.Reverse(starts)
	for _, start := range starts {
		w, _ := get(start)
		switch {
		case start == t+1:
		case start+d > t:
			if behind.text == "" {
				behind = w
			}
			update(start, w)
		case start+d == t:
			hasLeft = true
			update(start, w)
			if w.time == t {
				return out, late
			}
			previous = w.time
		default:
			if left.text == "" {
				left = w
				previous = w.time
			}
		}
	}
	if previous >= 0 && !has(previous+1) && previous+1+d >= t {
		update(previous+1, naiveWindow{time: t})
	}
	if !hasLeft {
		if previous < t-d {
			left = naiveWindow{}
		}
		update(t-d, naiveWindow{text: left.text, time: t})
	}
	if !has(t+1) && behind.text != "" && behind.time > t {
		put(t+1, behind)
	}
	return out, late
}

func (n *naiveSliding) closed() (out []string) {
	var due []naiveWindowKey
	for k, w := range n.windows {
		if !w.sent && k.start+n.Difference < before(slices.Min(n.clocks), n.Grace) {
			due = append(due, k)
		}
	}
	slices.SortFunc(due, func(a, b naiveWindowKey) int {
		if a.start != b.start {
			return int(a.start - b.start)
		}
		return strings.Compare(a.key, b.key)
	})
	for _, k := range due {
		w := n.windows[k]
		w.sent = true
		n.windows[k] = w
		out = append(out, n.name(k)+"="+w.text)
	}
	return out
}

// slideAdd plays a record into the store, as generated code does.
func slideAdd(s *Sliding[string], input int, key, value string, t int64) (out []string, err error) {
	if err := s.Slide(input, []byte(key), t); err != nil {
		return nil, err
	}
	for {
		ok, err := s.Next()
		if err != nil || !ok {
			return out, err
		}
		w := &s.Window
		name := fmt.Sprintf("%s[%d,%d]", key, w.Start, w.End)
		was := w.Row.Value
		if !w.Complete {
			next := was + value
			if len(next) > 6 {
				existed, err := s.Delete(max(w.Row.Timestamp, t))
				if err != nil {
					return nil, err
				}
				if existed {
					out = append(out, name+" goes from "+was)
				}
				continue
			}
			w.Row.Value, w.Row.Timestamp = next, max(w.Row.Timestamp, t)
		}
		out = append(out, name+"="+w.Row.Value)
	}
}

// Sliding windows are what a naive reading of Kafka Streams says, whatever happens to the store.
func TestSlidingIsNaive(t *testing.T) {
	playTimed(t, 8, func(m *timedRun[*naiveSliding], rng *rand.Rand) {
		o := SlidingOptions{Difference: 1 + rng.Int64N(12), Grace: rng.Int64N(30), Inputs: 1 + rng.IntN(2), Final: rng.IntN(2) == 0, Once: rng.IntN(2) == 0}
		o.Retention = 2*o.Difference + o.Grace + rng.Int64N(100)
		if rng.IntN(2) == 0 {
			o.Retention = 1 << 40
		}
		keys := timedKeys(rng)
		var s *Sliding[string]
		m.make = func(stores *Stores) { s = NewSliding(stores, 7, texts, o) }
		m.done = &naiveSliding{SlidingOptions: o, clocks: make([]int64, o.Inputs), largest: Never, windows: map[naiveWindowKey]naiveWindow{}}
		for i := range m.done.clocks {
			m.done.clocks[i] = Never
		}
		now := int64(0)
		m.record = func(n *naiveSliding) {
			now += rng.Int64N(4)
			if rng.IntN(200) == 0 {
				now += rng.Int64N(500)
			}
			key, value := string(keys[rng.IntN(len(keys))]), string(rune('a'+rng.IntN(26)))
			at := max(0, now-rng.Int64N(1+rng.Int64N(50)))
			input := rng.IntN(o.Inputs)
			got, err := slideAdd(s, input, key, value, at)
			m.check(err)
			if want, late := n.add(input, key, value, at); !slices.Equal(got, want) || late != s.Late {
				m.t.Fatalf("%+v: %s=%s@%d: %q and %d late, want %q and %d", o, key, value, at, got, s.Late, want, late)
			}
			if !o.Final {
				return
			}
			got = nil
			for s.Due() {
				_, err := s.Close(1+rng.IntN(5), func(start, end int64, key []byte, r *Row[string]) error {
					got = append(got, fmt.Sprintf("%s[%d,%d]=%s", key, start, end, r.Value))
					if found, err := s.look(bytes.Clone(key), span{time: start}); found != r { // as a join with the table does
						m.t.Fatalf("%s[%d,%d] is %v, %v", key, start, end, found, err)
					}
					return nil
				})
				m.check(err)
			}
			if want := n.closed(); !slices.Equal(got, want) {
				m.t.Fatalf("closed %q, want %q", got, want)
			}
		}
		m.row = func(key, v []byte, timestamp int64) string {
			if o.Final {
				var err error
				v, err = WithoutHeaders(v)
				m.check(err)
			}
			start := int64(binary.BigEndian.Uint64(key))
			return fmt.Sprintf("%s[%d,%d]=%s@%d", key[8:], start, start+o.Difference, v, timestamp)
		}
	})
}

// The windows of records in any order, none of them late: one that ends with each record, one that begins behind each record that
// has another in it, and a joint one for those before the first difference.
func TestSlidingWindowsAreThoseOfTheDefinition(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		d := 1 + rng.Int64N(12)
		stores := NewStores(NewMemory(Schema{ID: 7, Name: "sliding", Fingerprint: "v1", Times: 8}), nil)
		s := NewSliding(stores, 7, texts, SlidingOptions{Difference: d, Grace: 1 << 30, Retention: 1 << 40})
		type rec struct {
			at    int64
			value string
		}
		var records []rec
		got := map[string]string{}
		for range 1 + rng.IntN(6) {
			r := rec{rng.Int64N(40), string(rune('a' + len(records)))}
			records = append(records, r)
			out, err := slideAdd(s, 0, "k", r.value, r.at)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range out {
				name, text, _ := strings.Cut(o, "=")
				got[name] = text
			}
		}
		want := map[string]string{}
		window := func(start int64, behind int64) {
			text, others := "", false
			for _, r := range records {
				if r.at >= start && r.at <= start+d {
					text += r.value
					others = others || r.at > behind
				}
			}
			if others {
				want[fmt.Sprintf("k[%d,%d]", start, start+d)] = text
			}
		}
		for _, r := range records {
			window(max(0, r.at-d), -1)
			window(r.at+1, r.at)
		}
		if !maps.Equal(got, want) {
			t.Fatalf("difference %d, records %v: %v, want %v", d, records, got, want)
		}
	}
}

// A record in order changes two windows or three, whatever else the key has, and allocates only for a row that is new.
func TestSlidingTouchesWhatARecordIsIn(t *testing.T) {
	stores := NewStores(NewMemory(Schema{ID: 7, Name: "sliding", Fingerprint: "v1", Times: 8}), nil)
	s := NewSliding(stores, 7, count, SlidingOptions{Difference: 10, Grace: 1 << 40, Retention: 1 << 41})
	key := []byte("user")
	windows := 0
	add := func(at int64) {
		if err := s.Slide(0, key, at); err != nil {
			t.Fatal(err)
		}
		for {
			ok, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				return
			}
			windows++
			if !s.Window.Complete {
				s.Window.Row.Value++
			}
		}
	}
	for i := range int64(50_000) {
		add(i * 5)
	}
	if windows > 200_000 {
		t.Errorf("%d windows for 50 000 records", windows)
	}
	at := int64(0)
	if n := testing.AllocsPerRun(1000, func() { at += 95; add(at / 5 * 5) }); n > 0 {
		t.Errorf("%.1f allocations a record", n)
	}
}

// What has expired goes with the commit of the record that moved the clock so far, also if that record leaves no row.
func TestSlidingExpiresWithoutAChange(t *testing.T) {
	backend := NewMemory(Schema{ID: 7, Name: "sliding", Fingerprint: "v1", Times: 8})
	stores := NewStores(backend, nil)
	s := NewSliding(stores, 7, texts, SlidingOptions{Difference: 5, Grace: 10, Retention: 20})
	for epoch, r := range []struct {
		value string
		at    int64
		rows  int
	}{{"a", 10, 1}, {"too long", 1000, 0}} {
		if _, err := slideAdd(s, 0, "k", r.value, r.at); err != nil {
			t.Fatal(err)
		}
		var f Frozen
		stores.Freeze(uint64(epoch+1), 1, &f)
		if err := backend.Apply(&f); err != nil {
			t.Fatal(err)
		}
		stores.Applied(uint64(epoch + 1))
		rows := 0
		if err := EachRow(backend, 7, func([]byte, int64, []byte) error { rows++; return nil }); err != nil || rows != r.rows {
			t.Errorf("%d rows after %s@%d, want %d; %v", rows, r.value, r.at, r.rows, err)
		}
	}
}
