package state

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
)

// The model of a join: slices, looked through from end to end.

type joinModelRow struct {
	key, value       string
	timestamp        int64
	headers          string
	seq              int
	matched, removed bool
}

type joinModel struct {
	w      Within
	keeps  Keeps
	single bool
	rows   [2][]*joinModelRow
	clock  [2]int64
	stream int64
	seq    int
}

func newJoinModel(w Within, keeps Keeps, single bool) *joinModel {
	return &joinModel{w: w, keeps: keeps, single: single, clock: [2]int64{-1 << 60, -1 << 60}, stream: -1 << 60}
}

// reach is how long a row of a side is waited for.
func (m *joinModel) reach(s Side) int64 {
	if s == Left {
		return int64(m.w.After) + int64(m.w.Grace)
	}
	return int64(m.w.Before) + int64(m.w.Grace)
}

// input is a record of the test.
type joinInput struct {
	side      Side
	key       string
	value     string
	timestamp int64
	headers   string
}

// take is what a record gives, one text a result.
func (m *joinModel) take(in joinInput) (out []string) {
	if m.keeps != KeepsNone {
		m.stream = max(m.stream, in.timestamp)
		out = m.due()
	}
	if m.single {
		out = append(out, m.meet(Left, Left, in)...)
		m.put(Left, in, true)
		return append(out, m.meet(Right, Left, in)...)
	}
	met := m.meet(in.side, 1-in.side, in)
	out = append(out, met...)
	if m.keeps.side(in.side) && len(met) == 0 && in.timestamp+m.reach(in.side) < m.stream {
		m.clock[in.side] = max(m.clock[in.side], in.timestamp)
		return append(out, alone(in.side, in.key, in.value, in.timestamp, in.headers))
	}
	m.put(in.side, in, len(met) > 0)
	return out
}

func (m *joinModel) put(side Side, in joinInput, matched bool) {
	m.seq++
	m.clock[side] = max(m.clock[side], in.timestamp)
	m.rows[side] = append(m.rows[side], &joinModelRow{in.key, in.value, in.timestamp, in.headers, m.seq, matched, false})
}

// meet is the results of a record in a role with the rows of a side.
func (m *joinModel) meet(role, side Side, in joinInput) (out []string) {
	var rows []*joinModelRow
	for _, r := range m.rows[side] {
		from, to := in.timestamp-int64(m.w.Before), in.timestamp+int64(m.w.After)
		if role == Right {
			from, to = in.timestamp-int64(m.w.After), in.timestamp+int64(m.w.Before)
		}
		if r.key == in.key && !r.removed && from <= r.timestamp && r.timestamp <= max(to, 0) && r.timestamp > m.clock[side]-m.w.held() {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b *joinModelRow) int { return int(a.timestamp - b.timestamp) })
	for _, r := range rows {
		r.matched = true
		pair := in.value + "|" + r.value
		if role == Right {
			pair = r.value + "|" + in.value
		}
		out = append(out, fmt.Sprintf("%s %s @%d", in.key, pair, max(in.timestamp, r.timestamp)))
	}
	return out
}

func (m *joinModel) due() (out []string) {
	type leaving struct {
		*joinModelRow
		side Side
	}
	var list []leaving
	for _, side := range [...]Side{Right, Left} {
		for _, r := range m.rows[side] {
			if m.keeps.side(side) && !r.matched && !r.removed && r.timestamp+m.reach(side) < m.stream {
				list = append(list, leaving{r, side})
				r.removed = true
			}
		}
	}
	slices.SortStableFunc(list, func(a, b leaving) int {
		switch {
		case a.timestamp != b.timestamp:
			return int(a.timestamp - b.timestamp)
		case a.side != b.side:
			return int(b.side) - int(a.side)
		case a.key != b.key:
			return strings.Compare(a.key, b.key)
		default:
			return a.seq - b.seq
		}
	})
	for _, l := range list {
		out = append(out, alone(l.side, l.key, l.value, l.timestamp, l.headers))
	}
	return out
}

func alone(side Side, key, value string, timestamp int64, headers string) string {
	pair := value + "|null"
	if side == Right {
		pair = "null|" + value
	}
	return fmt.Sprintf("%s %s @%d %s", key, pair, timestamp, headers)
}

// joinRun is a join under test.
type joinRun struct {
	*Joined
	stores *Stores
	single bool
}

func (r *joinRun) take(t *testing.T, in joinInput) (out []string) {
	t.Helper()
	key, value := []byte(in.key), []byte(in.value)
	headers := []record.Header{{Key: "h", Value: []byte(in.headers)}}
	if in.headers == "" {
		headers = nil
	}
	if r.keeps != KeepsNone {
		for {
			u, err := r.Due(in.timestamp)
			if err != nil {
				t.Fatal(err)
			}
			if u == nil {
				break
			}
			out = append(out, alone(u.Side, string(u.Key), string(u.Row), u.Timestamp, headerText(u.Headers)))
		}
	}
	pairs := func(m *Meeting, role Side) {
		for m.Next() {
			pair := in.value + "|" + string(m.Row())
			if role == Right {
				pair = string(m.Row()) + "|" + in.value
			}
			out = append(out, fmt.Sprintf("%s %s @%d", in.key, pair, m.Timestamp()))
		}
	}
	meet := func(role Side) Meeting {
		m, err := r.Meet(role, key, in.timestamp)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if r.single {
		m := meet(Left)
		pairs(&m, Left)
		m = meet(Right)
		r.Put(&m, value, nil)
		m.Begin()
		pairs(&m, Right)
		return out
	}
	m := meet(in.side)
	pairs(&m, in.side)
	if r.Put(&m, value, headers) == Alone {
		out = append(out, alone(in.side, in.key, in.value, in.timestamp, in.headers))
	}
	return out
}

func headerText(list []record.Header) string {
	var b strings.Builder
	for _, h := range list {
		b.Write(h.Value)
	}
	return b.String()
}

// TestJoinedAgainstModel holds joins against the model, through commits, aborts, crashes with and without the disk, and with rows
// that leave the memory all the time.
func TestJoinedAgainstModel(t *testing.T) {
	windows := []Within{{10, 10, 5}, {20, 5, 3}, {20, -5, 2}, {15, 0, 0}, {-3, 9, 4}, {0, 0, 7}, {300, 200, 50}}
	for seed := range uint64(140) {
		rnd := rand.New(rand.NewPCG(seed, 6))
		w := windows[seed%uint64(len(windows))]
		keeps := Keeps(rnd.IntN(4))
		single := keeps == KeepsNone && rnd.IntN(3) == 0
		t.Run(fmt.Sprintf("%d %v keeps %d single %t", seed, w, keeps, single), func(t *testing.T) {
			playJoin(t, rnd, w, keeps, single)
		})
	}
}

func playJoin(t *testing.T, rnd *rand.Rand, w Within, keeps Keeps, single bool) {
	var inputs []joinInput
	var want [][]string
	model := newJoinModel(w, keeps, single)
	now := int64(rnd.IntN(40)) - 20
	spread := int(w.held()) + 20
	for i := range 300 {
		now += int64(rnd.IntN(5))
		if rnd.IntN(60) == 0 {
			now += int64(rnd.IntN(3 * spread))
		}
		in := joinInput{
			side: Side(rnd.IntN(2)), key: strings.Repeat(string(rune('a'+rnd.IntN(5))), 1+30*rnd.IntN(2)), value: fmt.Sprintf("v%d", i),
			timestamp: now - int64(rnd.IntN(spread))*int64(rnd.IntN(2)),
		}
		if rnd.IntN(4) == 0 {
			in.headers = fmt.Sprintf("h%d", i)
		}
		inputs = append(inputs, in)
		want = append(want, model.take(in))
	}

	schemas := []Schema{{ID: 3, Name: "left", Fingerprint: "l", Waits: true}, {ID: 7, Name: "right", Fingerprint: "r", Waits: true}}
	changelog := map[uint16][]ChangelogRecord{}
	purged := map[uint16]int64{} // how much of them is gone, as Stores.Expired says
	backend := NewMemory(schemas...)
	budget := NewBudget(1)
	var run *joinRun
	begin := func() {
		for _, s := range schemas {
			r := NewRestorer(backend, s.ID)
			from := max(purged[s.ID], r.Next())
			for i, c := range changelog[s.ID][from:] {
				if _, err := r.Add(c.Key, c.Value, c.Timestamp, from+int64(i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Flush(int64(len(changelog[s.ID]))); err != nil {
				t.Fatal(err)
			}
		}
		stores := NewStores(backend, budget)
		right := uint16(7)
		if single {
			right = 3
		}
		run = &joinRun{NewJoined(stores, 3, right, w, keeps), stores, single}
	}
	begin()
	at, applied, frozenAt := 0, 0, 0
	epoch := uint64(0)
	var frozen *Frozen
	land := func() { // the epoch in flight commits
		if frozen == nil {
			return
		}
		for c := range frozen.Changelog() {
			changelog[c.Store] = append(changelog[c.Store], ChangelogRecord{c.Store, bytes.Clone(c.Key), bytes.Clone(c.Value), c.Timestamp})
		}
		for _, s := range schemas {
			frozen.Changelogs = append(frozen.Changelogs, ChangelogPosition{s.ID, int64(len(changelog[s.ID]))})
		}
		if err := backend.Apply(frozen); err != nil {
			t.Fatal(err)
		}
		run.stores.Applied(epoch)
		frozen, applied = nil, frozenAt
		for _, p := range run.stores.Expired() {
			purged[p.Store] = p.Next
		}
	}
	defer func() {
		if len(inputs) > 0 && w.held() < 100 && purged[3] == 0 && !t.Failed() {
			t.Error("nothing of the changelog was ever outdated")
		}
	}()
	for at < len(inputs) {
		got := run.take(t, inputs[at])
		if !slices.Equal(got, want[at]) {
			t.Fatalf("input %d %+v:\n got %q\nwant %q", at, inputs[at], got, want[at])
		}
		at++
		switch rnd.IntN(12) {
		case 0, 1:
			land()
			epoch++
			frozen, frozenAt = &Frozen{}, at
			run.stores.Freeze(epoch, 0, frozen)
		case 2:
			land()
		case 3:
			run.stores.Evict()
		case 4:
			if rnd.IntN(3) > 0 {
				continue
			}
			switch rnd.IntN(3) {
			case 0:
				if err := run.stores.Discard(); err != nil {
					t.Fatal(err)
				}
			case 1: // crash
				run.stores.Close()
				begin()
			case 2: // with the disk
				run.stores.Close()
				backend = NewMemory(schemas...)
				begin()
			}
			frozen, at = nil, applied
		}
	}
}

// TestJoinedForgets says that neither memory nor backend keep what expired.
func TestJoinedForgets(t *testing.T) {
	backend := NewMemory(Schema{ID: 3, Name: "left", Waits: true}, Schema{ID: 7, Name: "right", Waits: true})
	stores := NewStores(backend, nil)
	j := NewJoined(stores, 3, 7, Within{10, 10, 0}, KeepsLeft)
	run := &joinRun{j, stores, false}
	for i := range 5000 {
		run.take(t, joinInput{side: Side(i % 2), key: fmt.Sprint(i / 2), value: "v", timestamp: int64(i)})
		if i%100 == 99 {
			f := &Frozen{}
			stores.Freeze(uint64(i), 0, f)
			if err := backend.Apply(f); err != nil {
				t.Fatal(err)
			}
			stores.Applied(uint64(i))
		}
	}
	rows := 0
	for _, id := range []uint16{3, 7} {
		if err := EachRow(backend, id, func([]byte, int64, []byte) error { rows++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if j.keys.n > 200 || j.rows.live > 400 || rows > 400 {
		t.Errorf("%d keys and %d rows in memory, %d in the backend", j.keys.n, j.rows.live, rows)
	}
}

// TestJoinedAllocates says that a record on its way through a join allocates nothing.
func TestJoinedAllocates(t *testing.T) {
	backend := NewMemory(Schema{ID: 3, Name: "left", Waits: true}, Schema{ID: 7, Name: "right", Waits: true})
	stores := NewStores(backend, nil)
	j := NewJoined(stores, 3, 7, Within{50, 50, 0}, KeepsBoth)
	var keys [40][]byte
	for i := range keys {
		keys[i] = []byte(fmt.Sprintf("key-%d", i))
	}
	value, at, epoch := []byte("some value"), int64(0), uint64(0)
	f := &Frozen{}
	record := func() {
		side := Side(at & 1)
		at++
		for {
			u, err := j.Due(at)
			if err != nil {
				t.Fatal(err)
			}
			if u == nil {
				break
			}
		}
		m, err := j.Meet(side, keys[at*7%40], at)
		if err != nil {
			t.Fatal(err)
		}
		for m.Next() {
			_ = m.Row()
		}
		j.Put(&m, value, nil)
	}
	commit := func() {
		epoch++
		stores.Freeze(epoch, 0, f)
		f.Reset()
		stores.Applied(epoch)
	}
	for range 5000 {
		record()
		if at%500 == 0 {
			commit()
		}
	}
	commit()
	if n := testing.AllocsPerRun(400, record); n > 0 {
		t.Errorf("%v allocations a record", n)
	}
}
