package oracle

import (
	"math"

	"github.com/streamgen/streamgen/spec/model"
)

// row is a row of a table. A row that is not there is nil.
type row struct {
	key, value any
	ts         int64
	cells      []any // the aggregators' states
}

// table is the state that a block makes. Keys are the text of the row's key.
type table struct {
	name     string
	block    *model.Block
	rows     map[string]*row
	pending  []string          // with emit = "updates": keys that changed since the commit, in order of first change
	before   map[string]*row   // their rows as they were
	last     map[string]record // the record that changed each last; with emit = "final" of all rows
	sizes    map[string]int64  // of groups of rows: how many they have
	windows  *windowing        // of a table with a window
	versions *versions         // of a table with a history
	latest   int64             // the greatest start of a window that got a row
	time     int64             // of rows that end: the greatest that came
}

// memory is the times at which the values of a dedup passed, and the greatest time that came.
type memory struct {
	passed map[string]int64
	time   int64
}

// tableOf makes the table of a block, behind those that it reads.
func (o *Oracle) tableOf(b *model.Block) {
	if o.tables[b] != nil {
		return
	}
	for _, r := range b.From {
		o.tableOf(r.Block)
	}
	if b.Kind != model.Table {
		return
	}
	name, made := b.Label, maker(b)
	if made == -2 { // its rows are worked out from those of the table that it reads
		return
	}
	if made+1 < len(b.Steps) {
		if st, ok := b.Steps[made+1].(*model.Store); ok {
			name = st.Label
		}
	}
	o.tables[b] = &table{name: name, block: b, rows: map[string]*row{}, before: map[string]*row{}, last: map[string]record{}, sizes: map[string]int64{}, time: math.MinInt64}
	if b.History > 0 {
		o.tables[b].versions = &versions{rows: map[string][]*row{}, time: math.MinInt64 / 2}
	}
	if b.Window != nil {
		o.tables[b].windows = &windowing{time: math.MinInt64, left: map[string]bool{}}
	}
	o.order = append(o.order, o.tables[b])
}

// make runs a making step: null keys have no row, and only to_table has a use for null values.
func (o *Oracle) make(t *table, s model.Step, r record) {
	if r.key == nil {
		o.drops["null key"]++
		return
	}
	if _, ok := s.(*model.ToTable); ok {
		o.put(t, r)
		return
	}
	if r.value == nil && !t.block.Window.TakesNulls() {
		o.drops["null value"]++
		return
	}
	if t.windows != nil {
		o.group(t, s, r)
		return
	}
	o.add(t, s, r.key, r)
}

// add adds a record to the row of a key.
func (o *Oracle) add(t *table, s model.Step, key any, r record) {
	text := t.keyText(key)
	if !o.age(t, r.ts) && t.row(text) == nil {
		o.drops["late"]++
		return
	}
	o.addTo(t, s, key, t.row(text), r)
}

// addTo makes what a record gives with an old row the row of a key.
func (o *Oracle) addTo(t *table, s model.Step, key any, old *row, r record) {
	next := &row{key: key, value: r.value, ts: r.ts}
	if old != nil {
		next.ts = max(old.ts, r.ts)
	}
	switch s := s.(type) {
	case *model.Count:
		next.value = int64(1)
		if old != nil {
			next.value = old.value.(int64) + 1
		}
	case *model.Reduce:
		switch {
		case old != nil:
			next.value = o.eval(s.Add, scope{record: r, agg: old.value})
		case r.value == nil:
			return
		}
	case *model.Fold:
		var agg any
		if old != nil {
			agg = old.value
		} else {
			agg = o.eval(s.Init, scope{})
		}
		if next.value = o.eval(s.Add, scope{record: r, agg: agg}); next.value == nil {
			r.ts, next = next.ts, nil
		}
	case *model.Aggregate:
		next.cells = o.aggregate(s, old, r)
		next.value = o.eval(s.Value, scope{results: results(s, next.cells)})
	}
	r.key = key
	o.change(t, next, r)
}

// put makes the record's value the row, or deletes it.
func (o *Oracle) put(t *table, r record) {
	if t.versions != nil {
		o.putVersion(t, r)
		return
	}
	if !o.age(t, r.ts) {
		o.drops["late"]++
		return
	}
	if r.value == nil {
		o.change(t, nil, r)
		return
	}
	o.change(t, &row{key: r.key, value: r.value, ts: r.ts}, r)
}

// row is the row of a key. One that has expired is not there: an input of a cogroup that is behind the others can still be in time for its
// window, and makes it anew.
func (t *table) row(key string) *row {
	if r := t.rows[key]; r != nil && !t.expired(r.key) {
		return r
	}
	return nil
}

// change gives a table a new row for a key. What changes nothing is not told to anybody.
func (o *Oracle) change(t *table, next *row, r record) {
	key := t.keyText(r.key)
	old := t.row(key)
	if next == nil {
		delete(t.rows, key)
	} else {
		t.rows[key] = next
	}
	if k, ok := r.key.(inWindow); ok { // a row that goes moves the time as well
		t.latest = max(t.latest, t.timeOf(k))
	}
	if t.block.Emit == model.EmitFinal {
		t.last[key] = r
		return
	}
	if _, ok := t.before[key]; !ok && t.block.Emit == model.EmitUpdates { // also one that stays as it was has its place
		t.before[key] = old
		t.pending = append(t.pending, key)
	}
	if !differ(old, next) {
		if t.repeats() && t.block.Emit != model.EmitUpdates {
			_, put := t.step().(*model.ToTable)
			c := change{key: r.key, old: next, new: next, ts: r.ts, headers: r.headers, put: put || t.step() == nil}
			if next != nil {
				c.ts = next.ts
			}
			o.repeat(t.block, maker(t.block)+1, c)
		}
		return
	}
	if t.block.Emit != model.EmitUpdates {
		o.changed(t, old, next, r)
		return
	}
	t.last[key] = r
}

// repeats says whether a row that stays as it was goes on to those who want it.
func (t *table) repeats() bool {
	if w := t.block.Window; w != nil && (w.Kind == model.Session || w.Kind == model.Sliding) {
		return false
	}
	switch t.step().(type) {
	case *model.Aggregate:
		return !ofTable(t.block)
	case *model.Count, *model.Cogroup:
		return false
	}
	return true
}

func differ(a, b *row) bool {
	if a == nil || b == nil {
		return a != b
	}
	return a.ts != b.ts || !same(a.value, b.value)
}

// step is the making step of a table; nil of one that a topic makes.
func (t *table) step() model.Step {
	if i := maker(t.block); i >= 0 {
		return t.block.Steps[i]
	}
	return nil
}

// changed takes the change of a row on: it has the time of the row and the headers of the record that changed it.
func (o *Oracle) changed(t *table, old, next *row, r record) {
	c := change{key: r.key, old: old, new: next, ts: r.ts, headers: r.headers}
	if next != nil {
		c.ts = next.ts
	}
	o.changeRows(t.block, maker(t.block)+1, c)
}

// commit sends what waits for it, table after table.
func (o *Oracle) commit() {
	for _, t := range o.order {
		pending := t.pending
		t.pending = nil
		for _, key := range pending {
			before, last := t.before[key], t.last[key]
			delete(t.before, key)
			delete(t.last, key)
			if next := t.rows[key]; differ(before, next) {
				o.changed(t, before, next, last)
			}
		}
	}
}

// join looks the row of the key up. Records without a value end, and those without a key or a row unless the join is left.
func (o *Oracle) join(s *model.Join, r record) (record, bool) {
	if r.key == nil && !s.Left {
		o.drops["null key"]++
		return r, false
	}
	if r.value == nil {
		o.drops["null value"]++
		return r, false
	}
	var found *row
	if t := o.tables[s.With]; r.key != nil && t != nil && t.versions != nil {
		found = t.known(t.keyText(r.key), r.ts)
	} else if r.key != nil {
		found = o.rowOf(s.With, r.key, false)
	}
	if found == nil && !s.Left {
		return r, false
	}
	env := scope{record: r, joined: map[string]any{s.As: nil}}
	if found != nil {
		env.joined[s.As] = found.value
	}
	r.value = o.eval(s.Value, env)
	return r, true
}

// first says whether a value passes: it did not pass at a time within reach, as far as stream time remembers.
func (o *Oracle) first(s *model.Dedup, by any, ts int64) bool {
	if by == nil {
		return true
	}
	m := o.memory[s]
	if m == nil {
		m = &memory{map[string]int64{}, ts}
		o.memory[s] = m
	}
	within := s.Within.Milliseconds()
	m.time = max(m.time, ts)
	key := string(encode(s.By.Base().Type, by))
	passed, ok := m.passed[key]
	switch {
	case ok && passed >= m.time-within && max(passed-ts, ts-passed) <= within:
		o.drops["duplicate"]++
		return false
	case ts >= m.time-within:
		m.passed[key] = ts
	}
	return true
}

func (t *table) keyText(key any) string { return t.place().keyText(key) }

// place is that of the step that makes the table.
func (t *table) place() place { return place{t.block, maker(t.block)} }
