package check

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// fold is the step fold: a state of the type of init, and what makes the next one of it.
func (ch *chain) fold(d *body) {
	in := ch.makes(d)
	st := &model.Fold{StepBase: ch.base(d)}
	init, _ := ch.expr(d, "init", &scope{constant: true, origin: ch.d.address()}, nil, "")
	st.Init = init
	t := init.Base().Type
	if types.IsOptional(t) {
		ch.c.diags.Errorf("SG1302", init.Base().Pos, "\"init\" may be null, and a row is never null").
			WithHint("null from \"add\" takes the row away; the next value begins with init again")
		t = types.Invalid
	}
	s := ch.recordScope(in).with("agg", model.RootAgg, t)
	st.Add = ch.nextState(d, "add", s, t)
	if ch.removes(d) {
		st.Remove = ch.nextState(d, "remove", s, t)
	}
	st.Merge = ch.merge(d, in, t)
	if types.IsOptional(st.Add.Base().Type) {
		ch.d.model.Deletes = true
	}
	ch.addMaking(st, t)
}

// nextState types what becomes of a state of type t: another one, or if it is optional perhaps none.
func (ch *chain) nextState(d *body, name string, s *scope, t types.Type) model.Expr {
	v, ok := ch.expr(d, name, s, types.OptionalOf(t), "")
	if !ok || types.IsInvalid(t) {
		return invalid(v.Base().Pos)
	}
	to := t
	if types.IsOptional(v.Base().Type) {
		to = types.OptionalOf(t)
	}
	return (&exprs{c: ch.c, s: s, facts: ch.flow.facts}).assign(v, to, "\""+name+"\"")
}

// recordScope is what the expressions of a making step see. Rows that are grouped come through a topic with what was grouped of them.
func (ch *chain) recordScope(in model.Schema) *scope {
	if ch.grouped != nil {
		return rowScope(in, ch.d.address())
	}
	return ch.flow.scope(in, ch.d.address())
}

// removes says whether a step needs the expression remove, which it then has: rows leave their group, records do not.
func (ch *chain) removes(d *body) bool {
	a := d.attr("remove")
	switch {
	case ch.grouped == nil && a != nil:
		ch.c.diags.Errorf("SG1101", a.Name.Range, "\"remove\" has nothing to take away here").
			WithDetail("Only a table that is grouped anew takes rows out of a group.").WithHint("remove it")
		return false
	case ch.grouped != nil && a == nil:
		ch.c.diags.Errorf("SG1506", d.block.Header, "%s behind the group_by of a table needs \"remove\"", d.block.Type.Name).
			WithDetail("A row that leaves its group, or changes in it, must be taken away as it was.").
			WithHint("remove = …, over agg and value: the opposite of add").WithRelated(ch.grouped.Header, "rows are grouped here")
		return false
	}
	return ch.grouped != nil
}

// merge types what becomes of the states of two sessions that meet; nil: there are none.
func (ch *chain) merge(d *body, in model.Schema, t types.Type) model.Expr {
	w := ch.d.model.Window
	if w == nil || w.Kind != model.Session {
		ch.noMerge(d)
		return nil
	}
	if !d.has("merge") {
		ch.c.diags.Errorf("SG1505", d.block.Header, "sessions that meet must be merged, and %s in a session window has no \"merge\"", d.block.Type.Name).
			WithHint("merge = … over left and right").WithRelated(w.Pos, "the window")
		return nil
	}
	s := &scope{origin: ch.d.address(), names: []binding{{"key", model.RootKey, in.Key}}}
	s = s.with("left", model.RootJoin, t).with("right", model.RootJoin, t)
	v, _ := ch.expr(d, "merge", s, t, `"merge"`)
	return v
}

// noMerge reports merge where states never meet.
func (ch *chain) noMerge(d *body) {
	if a := d.attr("merge"); a != nil && !ch.opaque {
		ch.c.diags.Errorf("SG1101", a.Name.Range, "\"merge\" has nothing to merge here").
			WithDetail("Only the states of sessions meet.").WithHint("remove it")
	}
}
