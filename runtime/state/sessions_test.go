package state

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/window"
)

// naiveSession is a session of the naive store.
type naiveSession struct {
	key        string
	start, end int64
	text       string
	sent       bool // as final: it is closed
	header     string
}

func (s naiveSession) name() string { return fmt.Sprintf("%s[%d,%d]", s.key, s.start, s.end) }

// naiveSessions keeps all sessions that there are.
type naiveSessions struct {
	SessionOptions
	clocks  []int64
	largest int64
	list    []naiveSession
	order   []string // names of rows changed in the epoch, by first change
	headers map[string]string
}

func (n *naiveSessions) clone() *naiveSessions {
	c := *n
	c.list, c.clocks, c.order, c.headers = slices.Clone(n.list), slices.Clone(n.clocks), nil, map[string]string{}
	return &c
}

func (n *naiveSessions) expired(s naiveSession) bool {
	return n.largest != Never && s.end <= n.largest-n.Retention && (s.sent || !n.Final)
}

func (n *naiveSessions) rows() (list []string) {
	for _, s := range n.list {
		if !n.expired(s) {
			list = append(list, fmt.Sprintf("%s=%s@%d", s.name(), s.text, s.end))
		}
	}
	return list
}

func (n *naiveSessions) changed(name, header string) {
	if !slices.Contains(n.order, name) {
		n.order = append(n.order, name)
	}
	n.headers[name] = header
}

// add is what a record does, and the results of it. The value "x" makes the aggregate null.
func (n *naiveSessions) add(input int, key, value string, t int64, header string) (out []string) {
	n.clocks[input] = max(n.clocks[input], t)
	closing := n.clocks[input] - n.Grace - n.Gap
	var found, rest []naiveSession
	start, end := t, t
	for _, s := range n.list {
		if s.key == key && s.end >= t-n.Gap && s.start <= t+n.Gap && !s.sent && !n.expired(s) {
			found = append(found, s)
			start, end = min(start, s.start), max(end, s.end)
		} else {
			rest = append(rest, s)
		}
	}
	if end < closing {
		return []string{"late"}
	}
	slices.SortFunc(found, func(a, b naiveSession) int { return int(a.start - b.start) })
	text := ""
	for _, s := range found {
		text += "|" + s.text
		if start != end && !(n.Coalesce && s.start == start && s.end == end) {
			out = append(out, s.name()+" goes from "+s.text)
			n.changed(s.name(), header)
		}
	}
	next := naiveSession{key, start, end, text + value, false, header}
	n.largest = max(n.largest, end)
	if value == "x" {
		if len(found) > 0 && (start == end || n.Coalesce && found[0].start == start && found[0].end == end) {
			out = append(out, next.name()+" goes from "+found[0].text)
			n.changed(next.name(), header)
		}
		n.list = rest
		return out
	}
	n.list = append(rest, next)
	n.changed(next.name(), header)
	return append(out, next.name()+"="+next.text)
}

// closed are the sessions that can meet no record any more, in order.
func (n *naiveSessions) closed() (out []string) {
	var due []*naiveSession
	for i := range n.list {
		if s := &n.list[i]; !s.sent && s.end < before(slices.Min(n.clocks), n.Grace+n.Gap) {
			due = append(due, s)
		}
	}
	slices.SortFunc(due, func(a, b *naiveSession) int {
		return compareSpans(span{time: a.end, start: a.start}, span{time: b.end, start: b.start})*2 + map[bool]int{true: -1, false: 1}[a.key < b.key]
	})
	for _, s := range due {
		s.sent = true
		out = append(out, s.name()+"="+s.text+" by "+s.header)
	}
	return out
}

// sessionAdd plays a record into the store, as generated code does.
func sessionAdd(s *Sessions[string], input int, key, value string, t int64, headers []record.Header) (out []string, err error) {
	late, err := s.Find(input, []byte(key), t)
	if err != nil || late {
		return []string{"late"}, err
	}
	text := ""
	for _, f := range s.Found {
		text += "|" + f.Row.Value
	}
	goes := func(f *Session[string]) {
		s.ChangedBy(headers)
		out = append(out, fmt.Sprintf("%s[%d,%d] goes from %s", key, f.Start, f.End, f.Value))
	}
	for {
		f, err := s.Absorb()
		if err != nil {
			return nil, err
		}
		if f == nil {
			break
		}
		goes(f)
	}
	if value == "x" {
		f, err := s.Delete()
		if f != nil {
			goes(f)
		}
		return out, err
	}
	r, _, err := s.Put()
	if err != nil {
		return nil, err
	}
	s.ChangedBy(headers)
	r.Value = text + value
	whole := window.AppendSessionKey(nil, []byte(key), s.Start, s.End)
	if got, err := s.Get(whole); err != nil || got != nil && got != r {
		return nil, fmt.Errorf("the row of %q reads as %v, %v", whole, got, err)
	}
	return append(out, fmt.Sprintf("%s[%d,%d]=%s", key, s.Start, s.End, r.Value)), nil
}

// Sessions are what a naive reading of them says, whatever happens to the store: late and early records, merges, epochs in flight,
// aborts, eviction, restarts, closing in pieces.
func TestSessionsAreNaive(t *testing.T) {
	playTimed(t, 0, func(m *timedRun[*naiveSessions], rng *rand.Rand) {
		o := SessionOptions{Gap: rng.Int64N(12), Grace: rng.Int64N(30), Inputs: 1 + rng.IntN(2), Final: rng.IntN(2) == 0, Coalesce: rng.IntN(2) == 0}
		o.Retention = o.Gap + o.Grace + rng.Int64N(100)
		if rng.IntN(2) == 0 {
			o.Retention = 1 << 40
		}
		keys := timedKeys(rng)
		var s *Sessions[string]
		m.make = func(stores *Stores) { s = NewSessions(stores, 7, texts, o) }
		m.done = &naiveSessions{SessionOptions: o, clocks: make([]int64, o.Inputs), largest: Never, headers: map[string]string{}}
		for i := range m.done.clocks {
			m.done.clocks[i] = Never
		}
		closed := func(n *naiveSessions) {
			var got []string
			for s.Due() {
				more, err := s.Close(1+rng.IntN(5), func(start, end int64, key []byte, r *Row[string]) error {
					header := ""
					for _, h := range s.Headers(r) {
						header += h.Key
					}
					got = append(got, fmt.Sprintf("%s[%d,%d]=%s by %s", key, start, end, r.Value, header))
					if r.Timestamp != end {
						m.t.Fatalf("%d", r.Timestamp)
					}
					if found, err := s.look(bytes.Clone(key), span{time: end, start: start}); found != r { // as a join with the table does
						m.t.Fatalf("%s[%d,%d] is %v, %v", key, start, end, found, err)
					}
					return nil
				})
				m.check(err)
				if !more && s.Due() {
					m.t.Fatal("closing went through, and more is due")
				}
			}
			if want := n.closed(); !slices.Equal(got, want) {
				m.t.Fatalf("closed %q, want %q", got, want)
			}
		}
		now := int64(0)
		m.record = func(n *naiveSessions) {
			now += rng.Int64N(5)
			if rng.IntN(200) == 0 {
				now += rng.Int64N(500)
			}
			key, value := string(keys[rng.IntN(len(keys))]), string(rune('a'+rng.IntN(26)))
			at := max(0, now-rng.Int64N(1+rng.Int64N(60)))
			input, header := rng.IntN(o.Inputs), fmt.Sprint(rng.IntN(1000))
			headers := []record.Header{{Key: header}}
			if o.Final && rng.IntN(3) == 0 {
				header, headers = "", nil
			}
			got, err := sessionAdd(s, input, key, value, at, headers)
			m.check(err)
			if want := n.add(input, key, value, at, header); !slices.Equal(got, want) {
				m.t.Fatalf("%+v: %s=%s@%d: %q, want %q", o, key, value, at, got, want)
			}
			if o.Final {
				closed(n)
			}
		}
		m.row = func(key, v []byte, timestamp int64) string {
			if o.Final {
				var err error
				v, err = WithoutHeaders(v)
				m.check(err)
			}
			_, of, start, _ := splitPlace(key)
			return fmt.Sprintf("%s[%d,%d]=%s@%d", of, start, timestamp, v, timestamp)
		}
		m.flush = func(now, before *naiveSessions) {
			if o.Final {
				return
			}
			text := func(n *naiveSessions) map[string]string {
				m := map[string]string{}
				for _, s := range n.list {
					m[s.name()] = s.text
				}
				return m
			}
			was, is := text(before), text(now)
			var got, want []string
			m.check(s.EachChanged(func(start, end int64, key []byte, r *Row[string], exists bool) error {
				name := fmt.Sprintf("%s[%d,%d]", key, start, end)
				if v, ok := is[name]; ok != exists || v != r.Value || r.Timestamp != end {
					m.t.Fatalf("changed: %s is %+v %v, want %q %v", name, r, exists, v, ok)
				}
				got = append(got, name+" "+s.Headers(r)[0].Key)
				return nil
			}))
			for _, name := range now.order {
				_, a := was[name]
				_, b := is[name]
				if a || b {
					want = append(want, name+" "+now.headers[name])
				}
			}
			if !slices.Equal(got, want) {
				m.t.Fatalf("changed: %q, want %q", got, want)
			}
		}
	})
}

// W13: what a record costs does not depend on how many sessions there are, of its key or of others: only those within the gap are looked
// at, and nothing is allocated.
func TestSessionsTouchWhatTheyMeet(t *testing.T) {
	stores := NewStores(NewMemory(Schema{ID: 7, Name: "sessions", Fingerprint: "v1"}), nil)
	s := NewSessions(stores, 7, count, SessionOptions{Gap: 5, Grace: 1 << 40, Retention: 1 << 41})
	key := []byte("a rather long key of a user")
	add := func(at int64) {
		late, err := s.Find(0, key, at)
		if err != nil || late {
			t.Fatal(late, err)
		}
		n := int64(1)
		for _, f := range s.Found {
			n += f.Row.Value
		}
		r, _, err := s.Put()
		if err != nil {
			t.Fatal(err)
		}
		r.Value = n
	}
	for i := range int64(100_000) {
		add(i * 10)
	}
	at, met := int64(0), map[int]int{}
	if n := testing.AllocsPerRun(1000, func() {
		at += 997
		add(at / 10 * 10)
		met[len(s.Found)]++
	}); n > 0 {
		t.Errorf("%.1f allocations a record", n)
	}
	if !maps.Equal(met, map[int]int{1: 1001}) {
		t.Errorf("sessions met: %v", met)
	}
	var f Frozen
	stores.Freeze(1, 1, &f)
	if len(f.Changes) != 100_000 {
		t.Errorf("%d rows", len(f.Changes))
	}
}
