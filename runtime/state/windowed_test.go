package state

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/window"
)

// event is a record of the tests of windows.
type event struct {
	key     string
	time    int64
	headers []record.Header
}

// result is a row that left, or one that is there.
type result struct {
	start, end int64
	key        string
	value      entity
	timestamp  int64
	headers    string
}

// hops is a window of the tests.
type hops struct {
	size, advance, grace, retention int64
	final                           bool
	panes                           bool
	name                            bool // panes: of names only, which many a record leaves as it is
}

// add is the aggregate of the tests: it depends on the order of its records, unless it is made of panes.
func (h hops) add(e *entity, ev event) {
	if !h.name {
		e.N++
	}
	if h.panes {
		e.Name = max(e.Name, fmt.Sprint(ev.time%7))
		return
	}
	e.Name = fmt.Sprintf("%s%d.", e.Name, ev.time%7)
}

// plainly is a plain reading of what a windowed store promises: all records, one behind the other, in maps. With final it gives the results
// that leave, else the state of a row behind each change; and the rows that can be read in the end.
func (h hops) plainly(events []event) (out, rows []result, late int) {
	type id struct {
		start int64
		key   string
	}
	state := map[id]*result{}
	left := map[id]bool{}
	time, latest := int64(Never), int64(Never)
	for _, ev := range events {
		time = max(time, ev.time)
		for start := int64(0); start <= ev.time; start += h.advance {
			if start+h.size <= ev.time {
				continue
			}
			if start+h.size+h.grace <= time {
				late++
				continue
			}
			latest = max(latest, start)
			r := state[id{start, ev.key}]
			if r == nil {
				r = &result{start: start, end: start + h.size, key: ev.key}
				state[id{start, ev.key}] = r
			}
			h.add(&r.value, ev)
			r.timestamp, r.headers = max(r.timestamp, ev.time), fmt.Sprint(ev.headers)
			if !h.final {
				out = append(out, *r)
			}
		}
		if !h.final {
			continue
		}
		var due []result
		for i, r := range state {
			if r.end+h.grace <= time && !left[i] {
				left[i] = true
				due = append(due, *r)
			}
		}
		slices.SortFunc(due, compareResults)
		out = append(out, due...)
	}
	for _, r := range state {
		if r.start > latest-h.retention {
			r.headers = ""
			rows = append(rows, *r)
		}
	}
	slices.SortFunc(rows, compareResults)
	return out, rows, late
}

func compareResults(a, b result) int {
	return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.start, b.start), cmp.Compare(a.key, b.key))
}

// windowRun drives a windowed store over events, with commits, aborts, restarts and lost disks in between.
type windowRun struct {
	t       testing.TB
	h       hops
	rng     *rand.Rand
	open    func() Backend
	backend Backend
	budget  *Budget
	room    int64 // of the sums of panes; 0: any
	stores  *Stores
	w       windowedStore
	panes   *Panes[entity] // that is w, or nil

	events                  []event
	next, frozen, committed int // events
	out                     []result
	outFrozen, outCommitted int
	late                    int
	lateFrozen, lateDone    int
	epoch                   uint64
	flying                  *Frozen
	log                     []ChangelogRecord
	purged                  int // of log, as its topic does what Stores.Expired says
}

// windowedStore is Windowed or Panes.
type windowedStore interface {
	Advance(input int, time int64)
	Late(start int64) bool
	Due() bool
	Close(n int, f func(start, end int64, key []byte, r *Row[entity]) error) (more bool, err error)
	Headers(*Row[entity]) []record.Header
	UpdateAt(start int64, key []byte) (r *Row[entity], existed bool, err error)
	Unchanged()
	ChangedBy([]record.Header)
	GetAt(start int64, key []byte) (*Row[entity], error)
	Get(key []byte) (*Row[entity], error)
}

const windowsID = 3

var windowsSchemas = []Schema{{ID: windowsID, Name: "windows", Fingerprint: "v1"}, {ID: windowsID + 1, Name: "others", Fingerprint: "v1"}}

func (r *windowRun) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *windowRun) begin() {
	r.stores = NewStores(r.backend, r.budget)
	if !r.h.panes {
		r.w = NewWindowed(r.stores, windowsID, entityCodec, WindowedOptions{Size: r.h.size, Grace: r.h.grace, Retention: r.h.retention, Final: r.h.final})
		return
	}
	r.panes = NewPanes(r.stores, windowsID, entityCodec, PanesOptions[entity]{
		Size: r.h.size, Every: r.h.advance, Grace: r.h.grace, Retention: r.h.retention,
		Add: func(sum, pane *entity) error {
			sum.N += pane.N
			sum.Name = max(sum.Name, pane.Name)
			return nil
		},
		Take: func(sum, pane *entity) bool {
			sum.N -= pane.N
			return sum.Name != pane.Name
		},
	})
	if r.room > 0 {
		r.panes.room = r.room
	}
	r.w = r.panes
}

// close lets at most n rows leave.
func (r *windowRun) close(n int) (more bool) {
	if !r.w.Due() {
		return false
	}
	more, err := r.w.Close(n, func(start, end int64, key []byte, row *Row[entity]) error {
		r.out = append(r.out, result{start, end, string(key), row.Value, row.Timestamp, fmt.Sprint(r.w.Headers(row))})
		return nil
	})
	r.check(err)
	return more
}

func (r *windowRun) process(ev event) {
	w := r.w
	w.Advance(0, ev.time)
	first, n := window.Hopping(ev.time, r.h.size, r.h.advance)
	if r.panes != nil {
		pane, late, open := r.panes.Windows(ev.time)
		r.late += int(late)
		if first, n = pane, 0; open {
			n = 1
		}
	}
	for i := range n {
		start := first + i*r.h.advance
		if r.panes == nil && w.Late(start) {
			r.late++
			continue
		}
		row, existed, err := w.UpdateAt(start, []byte(ev.key))
		r.check(err)
		before := *row
		if r.rng.IntN(5) == 0 { // a step that takes back its change
			if existed != (before.Value.Name != "") {
				r.t.Fatalf("a row that existed is %+v: %v", before, existed)
			}
			w.Unchanged()
			row, _, err = w.UpdateAt(start, []byte(ev.key))
			r.check(err)
		}
		r.h.add(&row.Value, ev)
		row.Timestamp = max(row.Timestamp, ev.time)
		w.ChangedBy(ev.headers)
		if !r.h.final {
			r.out = append(r.out, result{start, start + r.h.size, ev.key, row.Value, row.Timestamp, fmt.Sprint(ev.headers)})
		}
		if got, err := w.GetAt(start, []byte(ev.key)); err != nil || got == nil || got.Value != row.Value {
			r.t.Fatalf("the row that was changed reads as %v, %v", got, err)
		}
	}
}

func (r *windowRun) freeze() {
	if r.flying != nil {
		r.land()
	}
	r.epoch++
	f := &Frozen{}
	r.stores.Freeze(r.epoch, int64(r.epoch), f)
	r.flying, r.frozen, r.outFrozen, r.lateFrozen = f, r.next, len(r.out), r.late
}

// land commits and applies the epoch in flight.
func (r *windowRun) land() {
	for c := range r.flying.Changelog() {
		r.log = append(r.log, ChangelogRecord{c.Store, slices.Clone(c.Key), slices.Clone(c.Value), c.Timestamp})
		if c.Value == nil {
			r.log[len(r.log)-1].Value = nil
		}
	}
	r.flying.Changelogs = []ChangelogPosition{{windowsID, int64(len(r.log))}}
	r.check(r.backend.Apply(r.flying))
	r.stores.Applied(r.epoch)
	r.flying, r.committed, r.outCommitted, r.lateDone = nil, r.frozen, r.outFrozen, r.lateFrozen
	for _, p := range r.stores.Expired() {
		r.purged = int(p.Next)
	}
}

// back goes back to what is committed.
func (r *windowRun) back() {
	if r.flying != nil {
		r.epoch--
		r.flying = nil
	}
	r.next, r.out, r.late = r.committed, r.out[:r.outCommitted], r.lateDone
}

func (r *windowRun) restart(lost bool) {
	r.back()
	r.stores.Close()
	r.check(r.backend.Close())
	r.backend = r.open()
	if lost {
		x := NewRestorer(r.backend, windowsID)
		r.check(x.Reset())
		for i, c := range r.log[r.purged:] {
			_, err := x.Add(c.Key, c.Value, c.Timestamp, int64(r.purged+i))
			r.check(err)
		}
		r.check(x.Flush(int64(len(r.log))))
	}
	r.begin()
}

func (r *windowRun) run() {
	r.begin()
	for r.next < len(r.events) || r.committed < len(r.events) || r.flying != nil || r.w.Due() {
		if r.close(1 + r.rng.IntN(6)) {
			r.disturb()
			continue
		}
		if r.next == len(r.events) {
			if r.flying != nil || r.committed < r.next {
				r.freeze()
				r.land()
			}
			continue
		}
		ev := r.events[r.next]
		r.next++
		r.process(ev)
		r.disturb()
	}
	r.freeze()
	r.land()
}

func (r *windowRun) disturb() {
	r.stores.Evict()
	switch n := r.rng.IntN(100); {
	case n < 15:
		r.freeze()
	case n < 30 && r.flying != nil:
		r.land()
	case n < 34:
		r.back()
		r.check(r.stores.Discard())
	case n < 37:
		r.restart(false)
	case n < 39:
		r.restart(true)
	}
}

// rows are those that can be read: committed ones, as dumps see them.
func (r *windowRun) rows() (all []result) {
	err := EachRow(r.backend, windowsID, func(key []byte, timestamp int64, value []byte) error {
		inner, start, _ := window.SplitKey(WindowedKey(key))
		var err error
		if r.h.final {
			if value, err = WithoutHeaders(value); err != nil {
				return err
			}
		}
		var v entity
		err = entityCodec.Read(value, &v)
		all = append(all, result{start, start + r.h.size, string(inner), v, timestamp, ""})
		if row, gerr := r.w.Get(WindowedKey(key)); gerr != nil || row == nil || row.Value != v {
			r.t.Fatalf("the row of %q at %d reads as %v, %v", inner, start, row, gerr)
		}
		return err
	})
	r.check(err)
	slices.SortFunc(all, compareResults)
	return all
}

// Windows that are open and out of memory take next to nothing: their rows are evicted, and with them what held them.
func TestWindowedEvictsPanes(t *testing.T) {
	for _, final := range []bool{false, true} {
		b := NewMemory(windowsSchemas...)
		s := NewStores(b, NewBudget(1))
		w := NewWindowed(s, windowsID, entityCodec, WindowedOptions{Size: 10, Grace: 1 << 40, Retention: 1 << 41, Final: final})
		const windows = 200
		for i := range int64(windows) {
			w.Advance(0, 10*i)
			row, _, err := w.UpdateAt(10*i, []byte("key"))
			if err != nil {
				t.Fatal(err)
			}
			row.Value.N = i
			w.ChangedBy([]record.Header{{Key: "h"}})
		}
		var f Frozen
		s.Freeze(1, 1, &f)
		if err := b.Apply(&f); err != nil {
			t.Fatal(err)
		}
		s.Applied(1)
		for range 20 {
			s.Evict()
		}
		if held, _ := w.memory(); held > windows*2*paneMemory {
			t.Errorf("final %t: %d bytes are held for %d windows that are not in memory", final, held, windows)
		}
		for i := range int64(windows) {
			if row, err := w.GetAt(10*i, []byte("key")); err != nil || row == nil || row.Value.N != i {
				t.Fatalf("window %d reads as %v, %v", i, row, err)
			}
		}
	}
}

// An update of a row that is in memory, and the closing of its window, allocate nothing a row.
func TestWindowedAllocations(t *testing.T) {
	for _, final := range []bool{false, true} {
		b := NewMemory(windowsSchemas...)
		s := NewStores(b, nil)
		w := NewWindowed(s, windowsID, Codec[int64]{
			Append: func(dst []byte, v *int64) []byte { return append(dst, byte(*v)) },
			Read:   func(src []byte, v *int64) error { *v = int64(src[0]); return nil },
		}, WindowedOptions{Size: 100, Retention: 100, Final: final})
		keys := make([][]byte, 50)
		for i := range keys {
			keys[i] = fmt.Appendf(nil, "k%02d", i)
		}
		time, left := int64(0), 0
		leave := func(int64, int64, []byte, *Row[int64]) error { left++; return nil }
		var f Frozen
		epoch := uint64(0)
		run := func() {
			for range 100 {
				time++
				for _, k := range keys {
					w.Advance(0, time)
					start, n := window.Hopping(time, 100, 50)
					for i := range n {
						at := start + 50*i
						if w.Late(at) {
							continue
						}
						row, _, err := w.UpdateAt(at, k)
						if err != nil {
							t.Fatal(err)
						}
						row.Value++
						w.ChangedBy(nil)
					}
					if w.Due() {
						if _, err := w.Close(1000, leave); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			epoch++
			s.Freeze(epoch, int64(epoch), &f)
			s.Applied(epoch)
			f.Reset()
		}
		for range 3 {
			run()
		}
		const records, windows = 100 * 50, 2
		// A window is a pane with an overlay of its own: a few dozen allocations each, whatever the number of its records.
		if got := testing.AllocsPerRun(20, run); got > 60*windows {
			t.Errorf("final %t: %.0f allocations for %d records", final, got, records)
		}
		if final && left == 0 {
			t.Error("no row left")
		}
	}
}

func events(rng *rand.Rand, n int) []event {
	list := make([]event, n)
	now := int64(0)
	for i := range list {
		switch rng.IntN(30) {
		case 0:
			now += rng.Int64N(200)
		case 1:
			now += rng.Int64N(5000) // a jump over all that is open
		default:
			now += rng.Int64N(4)
		}
		ev := event{key: fmt.Sprintf("%c%s", 'a'+rune(rng.IntN(6)), []string{"", "a key that is longer than its row"}[rng.IntN(2)]), time: max(0, now-rng.Int64N(40))}
		for range rng.IntN(3) * rng.IntN(2) {
			h := record.Header{Key: fmt.Sprint("h", rng.IntN(3))}
			if rng.IntN(3) > 0 {
				h.Value = []byte(fmt.Sprint(i))
			}
			ev.headers = append(ev.headers, h)
		}
		list[i] = ev
	}
	return list
}

// A windowed store gives, over random records with commits, aborts, restarts and lost disks at random times, what a plain map over all
// records gives: results, late windows, rows.
func TestWindowedModel(t *testing.T) {
	purged := 0
	for seed := range uint64(40) {
		if windowedCase(t, seed, false, false) > 0 {
			purged++
		}
	}
	if purged < 20 { // restores read the rest only
		t.Errorf("of %d changelogs in 40 a part may be deleted", purged)
	}
	for seed := uint64(1000); seed < 1008; seed++ {
		windowedCase(t, seed, true, false)
	}
}

// windowedCase plays a random run, and returns how much of its changelog was deleted.
func windowedCase(t testing.TB, seed uint64, disk, panes bool) (purged int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	h := hops{size: 1 + rng.Int64N(30), grace: rng.Int64N(3) * rng.Int64N(20), final: rng.IntN(3) > 0}
	h.advance = 1 + rng.Int64N(h.size)
	if h.panes = panes; panes {
		h.final, h.name = true, rng.IntN(3) == 0
		if rng.IntN(2) == 0 {
			h.size = h.advance * (1 + rng.Int64N(8))
		} else { // more often than not no multiple
			h.advance = 1 + rng.Int64N(max(1, h.size/2))
		}
	}
	h.retention = h.size + h.grace + rng.Int64N(2)*rng.Int64N(500)
	r := &windowRun{t: t, h: h, rng: rng, events: events(rng, 100)}
	if panes && rng.IntN(2) == 0 {
		r.room = 1 // a key at a time
	}
	if disk {
		s := newShared(Options{Memory: 64 << 20, Tasks: 1}, vfs.NewMem())
		defer s.Close()
		r.open = func() Backend {
			p, err := s.Open("windows", windowsSchemas)
			r.check(err)
			return p
		}
	} else {
		m := NewMemory(windowsSchemas...)
		r.open = func() Backend { return r.backend }
		r.backend = m
	}
	if disk {
		r.backend = r.open()
	}
	if rng.IntN(2) == 0 {
		r.budget = NewBudget(1) // nothing that can go stays
	}
	r.run()
	out, rows, late := h.plainly(r.events)
	if !slices.Equal(r.out, out) {
		t.Fatalf("seed %d, %+v: results are\n%v\nnot\n%v", seed, h, r.out, out)
	}
	if r.late != late {
		t.Fatalf("seed %d, %+v: %d windows were late, should be %d", seed, h, r.late, late)
	}
	if got := r.rows(); !panes && !slices.Equal(got, rows) { // else they are of panes
		t.Fatalf("seed %d, %+v: rows are\n%v\nnot\n%v", seed, h, got, rows)
	}
	r.stores.Close()
	r.check(r.backend.Close())
	return r.purged
}

// FuzzWindowed is TestWindowedModel over more seeds.
func FuzzWindowed(f *testing.F) {
	f.Add(uint64(1), false, false)
	f.Add(uint64(2), true, false)
	f.Add(uint64(3), false, true)
	f.Fuzz(func(t *testing.T, seed uint64, disk, panes bool) { windowedCase(t, seed, disk, panes) })
}
