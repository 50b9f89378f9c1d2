package oracle

import (
	"math"
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// change is what passes steps on rows: what a row is now and what it was, nil where it is not. The time is that of the change, also of
// one that deletes.
type change struct {
	key      any
	old, new *row
	ts       int64
	headers  []Header
	version  bool // of a table with a history: old is what was valid at the time
	older    bool // and a newer one is there
	worked   bool // of one that repeats: a step has worked on its row
	put      bool // and it was put
}

func (c change) record() record {
	r := record{key: c.key, ts: c.ts, headers: c.headers}
	if c.old != nil {
		r.previous = c.old.value
	}
	if c.new != nil {
		r.value, r.ts = c.new.value, c.new.ts
	}
	return r
}

// place is a place in a block where rows are kept as they were sent: behind a step, or at the end.
type place struct {
	block *model.Block
	step  int
}

// kept are the rows that were sent at a place.
func (o *Oracle) kept(at place) map[string]*row {
	if o.sentRows == nil {
		o.sentRows = map[place]map[string]*row{}
	}
	if o.sentRows[at] == nil {
		o.sentRows[at] = map[string]*row{}
	}
	return o.sentRows[at]
}

// schema is what rows are there.
func (at place) schema() model.Schema {
	switch {
	case at.step < 0:
		return at.block.In
	case at.step < len(at.block.Steps):
		return at.block.Steps[at.step].Base().Out
	}
	return at.block.Out
}

func (at place) keyText(key any) string { return string(encode(types.NonNull(at.schema().Key), key)) }

// passes makes a change one against what was sent at a place; false: it changes nothing.
func (o *Oracle) passes(at place, c *change) bool {
	rows := o.kept(at)
	key := at.keyText(c.key)
	gone := o.expired(at.block, c.key)
	if at.stored() {
		gone = o.letGo(at, c.key)
	}
	if !gone {
		c.old = rows[key]
	}
	switch {
	case c.new == nil, gone && at.stored():
		delete(rows, key)
	default:
		rows[key] = c.new
		o.brought(at, c.key)
	}
	return differ(c.old, c.new)
}

// maker is the place of the step that makes a table, -1 if that is its topic, and -2 if it is made of another table's rows.
func maker(b *model.Block) int {
	if b.Source != nil {
		return -1
	}
	if i := slices.IndexFunc(b.Steps, func(s model.Step) bool { return makes(s) }); i >= 0 {
		return i
	}
	return -2
}

func makes(s model.Step) bool {
	switch s.(type) {
	case *model.ToTable, *model.Count, *model.Aggregate, *model.Reduce, *model.Fold, *model.Cogroup:
		return true
	}
	return false
}

// derived says whether the rows above a step are worked out from those of the table, of which some changes change nothing.
func derived(b *model.Block, step int) bool {
	return slices.ContainsFunc(b.Steps[max(0, maker(b)+1):step], func(s model.Step) bool { _, ok := s.(*model.Store); return !ok })
}

// changeRows takes the change of a row through a block from a step on.
func (o *Oracle) changeRows(b *model.Block, from int, c change) {
	for i := from; i < len(b.Steps); i++ {
		switch s := b.Steps[i].(type) {
		case *model.Store:
			if c.version && i-1 == maker(b) {
				continue
			}
			if c.version, c.older = false, false; i-1 != maker(b) && !o.passes(place{b, i}, &c) {
				if !sharedJoin(b, i-1) {
					o.repeat(b, i+1, again(c))
				}
				return
			}
		case *model.TableJoin:
			o.joinSide(b, i, c, true)
			return
		case *model.Suppress:
			if c.older {
				o.drops["older version"]++
				return
			}
			if derived(b, i) && !differ(c.old, c.new) {
				return
			}
			o.suppress(b, s, c.record(), func(r record, was *row) {
				out := change{key: r.key, old: was, ts: r.ts, headers: r.headers}
				if r.value != nil {
					out.new = &row{key: r.key, value: r.value, ts: r.ts}
				}
				o.changeRows(b, i+1, out)
			})
			return
		case *model.GroupBy:
			switch {
			case c.older:
				o.drops["older version"]++
			case differ(c.old, c.new), shows(b.Steps[i+1]):
				o.regroup(b, i, s, c)
			}
			return
		default:
			c.new, c.old = o.onRow(b.Steps[i], c.key, c.new, true), o.onRow(b.Steps[i], c.key, c.old, false)
		}
	}
	switch {
	case !worksOnRows(b):
	case c.version:
		if !differ(c.old, c.new) {
			return
		}
	case !(place{b, len(b.Steps) - 1}).stored() && !o.passes(place{b, len(b.Steps)}, &c):
		o.repeat(b, len(b.Steps), again(c))
		return
	}
	for _, next := range o.readers[b.Address()] {
		switch {
		case next.sink != nil:
			o.sink(next.sink, c.record())
		case next.rows != nil:
			o.joinSide(next.block, next.at, c, false)
		case ofTable(next.block):
			o.changeRows(next.block, 0, c)
		default:
			o.read(next, c.record())
		}
	}
}

// worksOnRows says whether a block has steps that make other rows of those that it has.
func worksOnRows(b *model.Block) bool {
	return slices.ContainsFunc(b.Steps[max(maker(b), -1)+1:], func(s model.Step) bool {
		switch s.(type) {
		case *model.Filter, *model.MapValues, *model.TableJoin:
			return true
		}
		return false
	})
}

func ofTable(b *model.Block) bool {
	return b.Kind == model.Table && len(b.From) == 1 && b.From[0].Block.Kind == model.Table && !b.From[0].Late
}

// onRow is what a filter or a map makes of a row. Where it fails there is none, which counts when the row is new.
func (o *Oracle) onRow(s model.Step, key any, r *row, fresh bool) (out *row) {
	if r == nil {
		return nil
	}
	work := func() {
		env := scope{record: record{key: key, value: r.value, ts: r.ts}}
		switch s := s.(type) {
		case *model.Filter:
			if o.eval(s.Where, env).(bool) != s.Not {
				out = r
			}
		case *model.MapValues:
			if v := o.eval(s.Value, env); v != nil {
				out = &row{key: key, value: v, ts: r.ts}
			}
		default:
			missing("the step %s", s.Base().Address)
		}
	}
	o.tryRow(s, fresh, work)
	return out
}

// tryRow runs what may fail; only a new row is rejected.
func (o *Oracle) tryRow(s model.Step, fresh bool, work func()) bool {
	if !fresh {
		return attempt(work) == nil
	}
	return o.try("the step failed", s.Base().OnError, s.Base().Address, work)
}

// joinSide joins the change of a row of one side with the row of the other.
func (o *Oracle) joinSide(b *model.Block, i int, c change, left bool) {
	j := b.Steps[i].(*model.TableJoin)
	if c.older {
		o.drops["late"]++
		return
	}
	switch {
	case j.On != nil && left:
		o.subscribe(b, i, c)
		return
	case j.On != nil:
		o.tell(b, i, c)
		return
	}
	var other *row
	if left {
		other = o.rowOf(j.With, c.key, true)
	} else {
		other = o.rowAt(b, i-1, c.key, true)
	}
	give := func(mine *row, fresh bool) *row {
		if left {
			return o.joinRows(j, c.key, mine, other, fresh)
		}
		return o.joinRows(j, c.key, other, mine, fresh)
	}
	out := change{key: c.key, old: give(c.old, false), new: give(c.new, true), ts: c.ts, headers: c.headers}
	if other != nil {
		out.ts = max(out.ts, other.ts)
	}
	if out.new != nil {
		out.new.ts = out.ts
	}
	if _, windowed := c.key.(inWindow); windowed && (place{b, i + 1}).stored() { // the store knows what was sent
		if out.old != nil || out.new != nil || sharedJoin(b, i) {
			o.changeRows(b, i+1, out)
		}
		return
	}
	// Where one change changes both sides, the other one may be the new row already: what is replaced is what was sent.
	at := place{b, i}
	sent := o.kept(at)[at.keyText(c.key)]
	if o.expired(b, c.key) {
		sent = out.old
	}
	if sent == nil && out.old == nil || sent != nil && out.old != nil && same(sent.value, out.old.value) && sent.ts >= out.old.ts {
		sent = out.old
	}
	o.passes(at, &out)
	if out.old = sent; i+1 < len(b.Steps) && !differ(out.old, out.new) {
		return
	}
	o.changeRows(b, i+1, out)
}

// expired says whether a row that those of a table are worked out from has expired, so that nobody knows what was sent.
func (o *Oracle) expired(b *model.Block, key any) bool {
	for _, s := range b.Steps {
		if j, ok := s.(*model.TableJoin); ok && j.On == nil && o.expired(j.With, key) {
			return true
		}
	}
	if s := suppressOf(b); s != nil && !s.Close { // it keeps what it sent
		return false
	}
	if t := o.tables[b]; t != nil {
		return t.expired(key)
	}
	return len(b.From) == 1 && o.expired(b.From[0].Block, key)
}

// joinRows is the row that two give.
func (o *Oracle) joinRows(j *model.TableJoin, key any, left, right *row, fresh bool) (out *row) {
	switch {
	case j.Kind == model.Inner && (left == nil || right == nil), j.Kind == model.LeftJoin && left == nil, left == nil && right == nil:
		return nil
	}
	r := record{key: key}
	env := scope{joined: map[string]any{j.As: nil}}
	if left != nil {
		r.value, r.ts = left.value, left.ts
	}
	if right != nil {
		env.joined[j.As], r.ts = right.value, max(r.ts, right.ts)
	}
	env.record = r
	o.tryRow(j, fresh, func() {
		if v := o.eval(j.Value, env); v != nil {
			out = &row{key: key, value: v, ts: r.ts}
		}
	})
	return out
}

// rowOf is a row of a table as its readers know it: with sent as it was sent last, else as it is. One that a left or outer join gave has
// the time with which it was sent.
func (o *Oracle) rowOf(b *model.Block, key any, sent bool) *row {
	last := len(b.Steps) - 1
	for last >= 0 {
		if _, names := b.Steps[last].(*model.Store); !names {
			break
		}
		last--
	}
	if last >= 0 {
		if j, ok := b.Steps[last].(*model.TableJoin); ok && j.Kind != model.Inner {
			if (place{b, len(b.Steps) - 1}).stored() {
				return o.rowAt(b, len(b.Steps)-1, key, sent)
			}
			at := place{b, len(b.Steps)}
			return o.kept(at)[at.keyText(key)]
		}
	}
	return o.rowAt(b, len(b.Steps)-1, key, sent)
}

// rowAt is a row as it leaves step i of a block.
func (o *Oracle) rowAt(b *model.Block, i int, key any, sent bool) *row {
	made := maker(b)
	switch {
	case i == made:
		t := o.tables[b]
		text := t.keyText(key)
		if t.versions != nil {
			return t.known(text, math.MaxInt64)
		}
		if before, pending := t.before[text]; sent && pending {
			return before
		}
		return t.row(text)
	case i < 0:
		return o.rowOf(b.From[0].Block, key, sent)
	}
	switch s := b.Steps[i].(type) {
	case *model.Store:
		if i-1 == made {
			return o.rowAt(b, i-1, key, sent)
		}
		at := place{b, i}
		if o.letGo(at, key) {
			return nil
		}
		return o.kept(at)[at.keyText(key)]
	case *model.TableJoin:
		if at := (place{b, i}); s.On != nil {
			return o.kept(at)[at.keyText(key)]
		}
		return o.joinRows(s, key, o.rowAt(b, i-1, key, sent), o.rowOf(s.With, key, sent), false)
	}
	if s, holds := b.Steps[i].(*model.Suppress); holds {
		return o.sentBy(b, i, s, key)
	}
	return o.onRow(b.Steps[i], key, o.rowAt(b, i-1, key, sent), false)
}

// regroup sends what a row was and what it is to their groups, together if that is one.
func (o *Oracle) regroup(b *model.Block, i int, g *model.GroupBy, c change) {
	half := func(r *row, fresh bool) (key, value any) {
		if r == nil {
			return nil, nil
		}
		env := scope{record: record{key: c.key, value: r.value, ts: r.ts}}
		ok := o.tryRow(g, fresh, func() {
			key, value = o.eval(g.Key, env), r.value
			if g.Value != nil {
				value = o.eval(g.Value, env)
			}
		})
		if !ok || key == nil || value == nil {
			return nil, nil
		}
		return key, value
	}
	from, remove := half(c.old, false)
	to, add := half(c.new, true)
	send := func(key, add, remove any) {
		part := o.part(key)
		part.later(func() { part.pair(b, i+1, record{key: key, ts: c.ts, headers: c.headers}, add, remove) })
	}
	if from != nil && to != nil && same(from, to) {
		send(to, add, remove)
		return
	}
	if from != nil {
		send(from, nil, remove)
	}
	if to != nil {
		send(to, add, nil)
	}
}

// pair takes a value out of a group and adds one.
func (o *Oracle) pair(b *model.Block, i int, r record, add, remove any) {
	t, step := o.tables[b], b.Steps[i]
	old := t.rows[t.keyText(r.key)]
	next := &row{key: r.key, ts: r.ts}
	if old != nil {
		next.ts = max(old.ts, r.ts)
	}
	with := func(v any) record { return record{key: r.key, value: v, ts: r.ts} }
	n := int64(0) // rows in the group
	if old != nil {
		n = t.sizes[t.keyText(r.key)]
	}
	keep := false
	if !o.try("the step failed", step.Base().OnError, step.Base().Address, func() {
		if remove != nil && old != nil {
			n--
		}
		if add != nil {
			n++
		}
		switch s := step.(type) {
		case *model.Count:
			next.value, keep = n, s.KeepZero
		case *model.Aggregate:
			keep = s.KeepZero
			next.cells = make([]any, len(s.Aggregators))
			if old != nil {
				copy(next.cells, old.cells)
			}
			for k, a := range s.Aggregators {
				if remove != nil && old != nil {
					next.cells[k] = takeAway(a, next.cells[k], o.sample(a, with(remove)))
				}
				if add != nil {
					next.cells[k] = accumulate(a, next.cells[k], o.sample(a, with(add)), true)
				}
				if next.cells[k] == nil {
					next.cells[k] = zeroOf(a)
				}
			}
			if n > 0 || keep {
				next.value = o.eval(s.Value, scope{results: results(s, next.cells)})
			}
		case *model.Reduce:
			if keep = true; old != nil {
				next.value = old.value
			}
			if remove != nil && next.value != nil {
				next.value = o.eval(s.Remove, scope{record: with(remove), agg: next.value})
			}
			if add != nil && next.value != nil {
				next.value = o.eval(s.Add, scope{record: with(add), agg: next.value})
			} else if add != nil {
				next.value = add
			}
		case *model.Fold:
			if keep = true; old != nil {
				next.value = old.value
			}
			if remove != nil && next.value != nil {
				next.value = o.eval(s.Remove, scope{record: with(remove), agg: next.value})
			}
			if add != nil {
				if next.value == nil {
					next.value = o.eval(s.Init, scope{})
				}
				next.value = o.eval(s.Add, scope{record: with(add), agg: next.value})
			}
		}
	}) {
		return
	}
	if old == nil && add == nil || n <= 0 && !keep || next.value == nil {
		r.ts, next = next.ts, nil
	}
	t.sizes[t.keyText(r.key)] = n
	o.change(t, next, r)
}
