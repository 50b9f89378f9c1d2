package oracle

import (
	"cmp"
	"slices"

	"github.com/streamgen/streamgen/spec/model"
)

// session puts a record into the session that it makes of those that it meets.
func (o *Oracle) session(t *table, s model.Step, r record) {
	w := t.block.Window
	gap, grace := w.Size.Milliseconds(), w.Grace.Milliseconds()
	at := inWindow{key: r.key, start: r.ts, end: r.ts}
	var met []*row
	for text, row := range t.rows {
		k := row.key.(inWindow)
		if !same(k.key, r.key) || k.end < r.ts-gap || k.start > r.ts+gap || t.windows.left[text] || t.expired(k) || o.sentOn(t, k) {
			continue
		}
		met = append(met, row)
		at.start, at.end = min(at.start, k.start), max(at.end, k.end)
	}
	if at.end < t.windows.time-grace-gap {
		o.drops["late"]++
		o.leave(t.block.Address()+".late", r)
		return
	}
	slices.SortFunc(met, func(a, b *row) int { return cmp.Compare(a.key.(inWindow).start, b.key.(inWindow).start) })
	next := o.merged(s, met, r)
	if at.start != at.end || next == nil {
		for _, m := range met {
			o.change(t, nil, record{key: m.key, ts: m.ts, headers: r.headers})
		}
	}
	t.latest = max(t.latest, at.end)
	if next != nil {
		next.key, next.ts = at, at.end
		o.change(t, next, record{key: at, ts: at.end, headers: r.headers})
	}
}

// merged is the row of the session that rows and a record become; nil: none.
func (o *Oracle) merged(s model.Step, met []*row, r record) *row {
	switch s := s.(type) {
	case *model.Count:
		n := int64(1)
		for _, m := range met {
			n += m.value.(int64)
		}
		return &row{value: n}
	case *model.Reduce:
		var agg any
		for _, m := range met {
			if agg == nil {
				agg = m.value
				continue
			}
			one := r
			one.value = m.value
			agg = o.eval(s.Add, scope{record: one, agg: agg})
		}
		switch {
		case agg != nil:
			agg = o.eval(s.Add, scope{record: r, agg: agg})
		case r.value == nil:
			return nil
		default:
			agg = r.value
		}
		return &row{value: agg}
	case *model.Fold:
		agg := o.eval(s.Init, scope{})
		for _, m := range met {
			agg = o.eval(s.Merge, scope{record: record{key: r.key}, joined: map[string]any{"left": agg, "right": m.value}})
		}
		if agg = o.eval(s.Add, scope{record: r, agg: agg}); agg == nil {
			return nil
		}
		return &row{value: agg}
	case *model.Aggregate:
		var old *row
		for _, m := range met {
			if old == nil {
				old = m
				continue
			}
			both := &row{cells: slices.Clone(old.cells)}
			for i, a := range s.Aggregators {
				both.cells[i] = mergedCell(a, both.cells[i], m.cells[i])
			}
			old = both
		}
		cells := o.aggregate(s, old, r)
		return &row{cells: cells, value: o.eval(s.Value, scope{results: results(s, cells)})}
	}
	missing("sessions of such a step")
	return nil
}
