package check

import (
	"fmt"
	"math"
	"time"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// ofStreams says whether the other side of a join is a stream.
func ofStreams(d *body) bool {
	a := d.attr("with")
	if a == nil {
		return d.has("before") || d.has("after")
	}
	p, ok := path(a.Value)
	return ok && (p[0].Name == "stream" || p[0].Name == "branch")
}

// streamJoin is join, left_join and outer_join of two streams.
func (ch *chain) streamJoin(d *body) {
	name := d.block.Type.Name
	side, ok := ch.side(d)
	st := &model.StreamJoin{StepBase: ch.base(d), As: side.Name, Left: name != "join", Right: name == "outer_join"}
	if ok {
		st.Address = ch.d.address() + "." + name + "." + side.Name
	}
	right := model.Schema{Key: types.Invalid, Value: types.Invalid}
	if a := d.attr("with"); a != nil {
		if ref, f, found := ch.c.read(a.Value); found {
			st.With, st.WithPos, right = ref, a.Value.Pos(), f.schema
			ch.keysAgree(d, f.schema.Key, f.keyed)
		}
	}
	if a := d.attr("on"); a != nil {
		ch.c.diags.Errorf("SG1402", a.Name.Range, "streams meet by their keys").
			WithHint("`select_key { key = %s }` above the join, and the key of the other side in a stream of its own", ch.c.text(a.Value.Pos()))
	}
	ch.joinWindow(d, st)

	in, row := ch.flow.schema, types.NonNull(right.Value) // null values are dropped
	in.Value = types.NonNull(in.Value)
	switch {
	case st.Right:
		in.Value, row = types.OptionalOf(in.Value), types.OptionalOf(row)
		if types.IsOptional(right.Key) {
			in.Key = types.OptionalOf(in.Key)
		}
	case st.Left:
		row = types.OptionalOf(row)
	default:
		in.Key = types.NonNull(in.Key)
	}
	s := recordScope(in, ch.d.address()).with(side.Name, model.RootJoin, row)
	known := ch.flow.facts
	ch.flow.facts = known.without(side.Name)
	if st.Right { // the row may not be there
		ch.flow.facts = ch.flow.facts.without("value")
	}
	var t types.Type = types.Invalid
	if ok { // else nobody knows what a name in value means
		if v, ok := ch.expr(d, "value", s, nil, ""); ok {
			st.Value, t = v, v.Base().Type
		}
	}
	ch.flow.facts = known
	if types.IsOptional(in.Key) {
		ch.flow.facts = ch.flow.facts.without("key")
	}
	ch.flow = ch.flow.withValue(t)
	ch.add(st, model.Schema{Key: in.Key, Value: t})
	for _, side := range [...]string{"left", "right"} {
		if ok {
			ch.c.stores = append(ch.c.stores, syntax.Ident{Name: ch.d.model.Label + "-" + st.As + "-" + side, Range: d.block.Header})
		}
	}
}

// joinWindow reads before, after and grace.
func (ch *chain) joinWindow(d *body, st *model.StreamJoin) {
	given := true
	for _, a := range []struct {
		name, need, hint string
		into             *time.Duration
	}{
		{"before", "how much older than a record of this side the other one may be", `before = "10m"`, &st.Before},
		{"after", "how much younger than a record of this side the other one may be", `after = "10m"`, &st.After},
		{"grace", "how long after its window a record that came late is still met", `grace = "1m"`, &st.Grace},
	} {
		if !d.has(a.name) {
			given = false
			if !d.lacks(a.name) {
				continue
			}
			ch.c.diags.Errorf("SG1102", d.block.Header, "a join of two streams needs %q: %s", a.name, a.need).WithHint("%s", a.hint)
			continue
		}
		var ok bool
		if a.name == "grace" {
			*a.into, ok = d.duration(a.name)
		} else {
			*a.into, ok = d.signed(a.name)
		}
		given = given && ok
	}
	switch {
	case !given:
	case st.Before+st.After < 0:
		ch.c.diags.Errorf("SG1510", d.attr("after").Value.Pos(), "no record can be met: the window ends before it begins").
			WithDetail("it reaches from %s before a record to %s after it", st.Before, st.After).
			WithHint("a negative \"before\" or \"after\" moves the window: the other one must be at least as long")
	case st.Before+st.After+st.Grace == 0:
		ch.c.diags.Errorf("SG1511", d.attr("grace").Value.Pos(), "no record can be met: nothing is held for any time").
			WithDetail("a record is held for before + after + grace").WithHint(`grace = "1s"`)
	}
}

// maxJoin bounds each part of a window, so that sums of them are times.
const maxJoin = math.MaxInt64 / 4 / int64(time.Millisecond)

// signed is a length of time that may be negative.
func (d *body) signed(name string) (time.Duration, bool) {
	v, ok := d.constant(name, types.Duration)
	if !ok {
		return 0, false
	}
	ms, ok := v.Value.(int64)
	if !ok {
		return 0, false
	}
	if ms < -maxJoin || ms > maxJoin {
		d.c.diags.Errorf("SG1112", v.Pos, "%q must not be longer than %s", name, fmt.Sprintf("%d days", maxJoin/int64(24*time.Hour/time.Millisecond)))
		return 0, false
	}
	return time.Duration(ms) * time.Millisecond, true
}

// outerJoin is outer_join: a stream has one with a stream only.
func (ch *chain) outerJoin(d *body) {
	if ofStreams(d) {
		ch.streamJoin(d)
		return
	}
	at := d.block.Header
	if a := d.attr("with"); a != nil {
		at = a.Value.Pos()
		if ch.with(a.Value) == nil {
			ch.hide()
			return
		}
	}
	ch.c.diags.Errorf("SG1512", at, "a stream has no outer join with a table").
		WithDetail("a row that no record meets gives nothing: only a record triggers a result").
		WithHint("left_join keeps the records; two tables have an outer_join")
	ch.hide()
}
