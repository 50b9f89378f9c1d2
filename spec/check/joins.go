package check

import (
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
	"slices"
)

// reserved are the names that the value of a join has anyway.
var reserved = []string{
	"key", "value", "timestamp", "headers", "topic", "partition", "offset", "previous", "window", "var", "local",
}

// join is join and left_join of a stream with a table.
func (ch *chain) join(d *body, left bool) {
	if ofStreams(d) {
		ch.streamJoin(d)
		return
	}
	if ofGlobal(d) {
		ch.globalJoin(d, left)
		return
	}
	side, ok := ch.side(d)
	st := &model.Join{StepBase: ch.base(d), As: side.Name, Left: left}
	if ok {
		st.Address = ch.d.address() + "." + d.block.Type.Name + "." + side.Name
	}
	in := ch.flow.schema
	in.Value = types.NonNull(in.Value) // null values are dropped
	if !left {
		in.Key = types.NonNull(in.Key)
	}
	var row types.Type = types.Invalid
	if a := d.attr("with"); a != nil {
		t := ch.with(a.Value)
		if t != nil {
			st.With, st.WithPos = t.model, a.Value.Pos()
			row = t.model.Out.Value
			ch.keysMeet(d, t)
			ch.tableJoinAttrs(d, st, t)
		}
	}
	if left {
		row = types.OptionalOf(row)
	}
	if st.Waits { // what waits is the record
		ch.flow = ch.flow.withoutPrevious()
	}
	s := ch.flow.scope(in, ch.d.address()).with(side.Name, model.RootJoin, row)
	// A name of its own for the right side must not inherit what a filter knew about another one.
	known := ch.flow.facts
	ch.flow.facts = known.without(side.Name)
	var t types.Type = types.Invalid
	if ok { // else nobody knows what a name in value means
		if v, ok := ch.expr(d, "value", s, nil, ""); ok {
			st.Value, t = v, v.Base().Type
		}
	}
	ch.flow.facts = known
	ch.flow = ch.flow.withValue(t)
	ch.add(st, model.Schema{Key: in.Key, Value: t})
}

// side reads as: the name of the right side, and the join's identity in its block.
func (ch *chain) side(d *body) (syntax.Ident, bool) {
	a := d.attr("as")
	if a == nil {
		return syntax.Ident{}, false
	}
	n, ok := a.Value.(*syntax.Name)
	if !ok {
		m := ch.c.diags.Errorf("SG1112", a.Value.Pos(), "\"as\" must be a name")
		if t, isText := a.Value.(*syntax.Text); isText {
			m.WithHint("without quotes: as = %s", t.Value)
		}
		return syntax.Ident{}, false
	}
	id := syntax.Ident{Name: n.Name, Range: n.Pos()}
	switch {
	case n.Name == "value":
		ch.c.diags.Errorf("SG1205", n.Pos(), "\"value\" already names the left side").WithHint("choose another name")
		return id, false
	case slices.Contains(reserved, n.Name):
		ch.c.diags.Errorf("SG1205", n.Pos(), "%q has a meaning of its own here", n.Name).WithHint("choose another name")
		return id, false
	case !ch.c.labelForm("join", id):
		return id, false
	}
	for _, first := range ch.sides {
		if goName(first.Name) == goName(n.Name) {
			ch.c.diags.Errorf("SG1205", n.Pos(), "%q already names an earlier join of this block", n.Name).
				WithHint("choose another name").WithRelated(first.Range, "the first one")
			return id, false
		}
	}
	ch.sides = append(ch.sides, id)
	return id, true
}

// with finds the table of a join.
func (ch *chain) with(e syntax.Expr) *decl {
	t, p := ch.c.target(e)
	if t == nil {
		return nil
	}
	t.used = true
	switch {
	case len(p) > 2:
		if _, _, ok := ch.c.read(e); ok {
			ch.c.notYet(e.Pos(), "a join of two streams")
		}
		return nil
	case t.state == active:
		ch.c.cycle(t, e.Pos())
		return nil
	}
	ch.c.eval(t)
	return t
}

// keysMeet reports keys of two types: a record could never meet its row.
func (ch *chain) keysMeet(d *body, t *decl) { ch.keysAgree(d, t.model.Out.Key, t.out.keyed) }

// keysAgree reports the key of the other side, which has its type from right, if this side has another.
func (ch *chain) keysAgree(d *body, key types.Type, right diag.Range) {
	l, r := types.NonNull(ch.flow.schema.Key), types.NonNull(key)
	if types.IsInvalid(l) || types.IsInvalid(r) || types.Equal(l, r) {
		return
	}
	m := ch.c.diags.Errorf("SG1401", d.attr("with").Value.Pos(), "keys differ: %s here, %s at %d:%d", l, r, right.Start.Line, right.Start.Column)
	switch {
	case ch.rows:
		m.WithHint("by a foreign key: `on = …`, over the row, of the type of the other key")
	case convertible(r, l):
		m.WithHint("re-key one side: `select_key { key = %s(key) }`", r)
	case l == types.Bytes:
		m.WithHint("does the source have a key? `key = %s`; or `select_key` above the join", r)
	default:
		m.WithHint("re-key one side: `select_key { key = … }` above the join")
	}
	m.WithRelated(ch.flow.keyed, "%s: this side is keyed here", l).WithRelated(right, "%s: the other side is keyed here", r)
}

// tableJoinAttrs reports attributes that a join of a stream with a table cannot have.
func (ch *chain) tableJoinAttrs(d *body, st *model.Join, t *decl) {
	if a := d.attr("on"); a != nil {
		ch.c.diags.Errorf("SG1402", a.Name.Range, "a stream meets a table by its key").
			WithHint("`select_key { key = %s }` above the join", ch.c.text(a.Value.Pos()))
	}
	for _, name := range []string{"before", "after"} {
		if a := d.attr(name); a != nil {
			ch.c.diags.Errorf("SG1101", a.Name.Range, "a join with a table has no %q: the row of the moment is met", name).WithHint("remove it")
		}
	}
	if a := d.attr("grace"); a != nil && t.model.History == 0 {
		ch.c.diags.Errorf("SG1504", a.Name.Range, "the table has no history to look into").
			WithHint("remove it; or give %s one: store \"x\" { history = \"…\" }", t.address())
	} else if a != nil {
		st.Grace, st.Waits = d.duration("grace")
		ch.c.stores = append(ch.c.stores, syntax.Ident{Name: ch.d.model.Label + "-" + st.As + "-grace", Range: a.Name.Range})
	}
}
