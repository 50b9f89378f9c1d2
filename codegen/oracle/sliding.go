package oracle

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// slide puts a record into the sliding windows that it is in, and makes those that begin or end with it or with the record before.
func (o *Oracle) slide(t *table, s model.Step, r record) {
	w := t.block.Window
	d, at := w.Size.Milliseconds(), r.ts
	closing := t.windows.time - w.Grace.Milliseconds()
	late := 0
	defer func() {
		if late > 0 {
			o.drops["late"] += late
			o.leave(t.block.Address()+".late", r)
		}
	}()
	if at+d < closing {
		late++
		return
	}
	rows := map[int64]row{} // as they are before the record
	var starts []int64
	for _, x := range t.rows {
		k := x.key.(inWindow)
		if same(k.key, r.key) && k.start >= max(0, at-2*d) && k.start <= at+1 && !t.expired(k) {
			rows[k.start] = *x
			starts = append(starts, k.start)
		}
	}
	slices.Sort(starts)
	window := func(start int64) inWindow { return inWindow{r.key, start, start + d} }
	has := func(start int64) bool { _, ok := rows[start]; return ok }
	add := func(start int64, old *row) {
		if start+d < closing {
			late++
			return
		}
		o.perWindow(s, func() { o.addTo(t, s, window(start), old, r) })
	}
	change := func(start int64) {
		x := rows[start]
		add(start, &x)
	}
	var behind *row // what the newest window that holds the record held
	note := func(start int64) {
		x := rows[start]
		behind = &x
	}
	copied := func() {
		if !has(at+1) && behind != nil && behind.ts > at {
			x := *behind
			x.key = window(at + 1)
			o.change(t, &x, record{key: x.key, ts: x.ts, headers: r.headers})
		}
	}
	previous := int64(-1)
	if at < d {
		for _, start := range starts {
			if start > 0 && start <= at {
				note(start)
				change(start)
			}
		}
		joint, ok := rows[0]
		if ok && joint.ts < at {
			previous = joint.ts
		}
		if behind == nil && ok && joint.ts > at {
			behind = &joint
		}
		copied()
		if previous >= 0 && !has(previous+1) {
			add(previous+1, nil)
		}
		if ok {
			change(0)
		} else {
			add(0, nil)
		}
		return
	}
	var left *row
	slices.Reverse(starts)
	for _, start := range starts {
		x := rows[start]
		switch {
		case start == at+1:
		case start+d > at:
			if behind == nil {
				note(start)
			}
			change(start)
		case start+d == at:
			change(start)
			if x.ts == at {
				return
			}
			previous = x.ts
		case left == nil:
			left, previous = &x, x.ts
		}
	}
	if previous >= 0 && previous+1+d >= at && !has(previous+1) {
		add(previous+1, nil)
	}
	switch {
	case has(at - d):
	case previous >= 0 && previous+1 == at-d: // the same window once more
		o.again(t, s, window(at-d), r, closing, &late)
	case left != nil && previous >= at-d:
		add(at-d, left)
	default:
		add(at-d, nil)
	}
	copied()
}

// again begins a window that was begun for the record before already. As Kafka Streams has it, it is sent once more, unless rows can
// go.
func (o *Oracle) again(t *table, s model.Step, at inWindow, r record, closing int64, late *int) {
	if at.end < closing {
		*late++
		return
	}
	if f, ok := s.(*model.Fold); ok && types.IsOptional(f.Add.Base().Type) || t.block.Emit != model.EmitEvery {
		return
	}
	if x := t.rows[t.keyText(at)]; x != nil {
		r.key = at
		o.changed(t, x, x, r)
		return
	}
	o.perWindow(s, func() { o.addTo(t, s, at, nil, r) })
}
