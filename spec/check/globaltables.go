package check

import (
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// globalTable finds the meaning of a global table: a topic that each process has all rows of, to be looked into.
func (c *checker) globalTable(d *decl) {
	in := c.open(d.block, &globalSource)
	d.model.Description = in.description()
	ch := c.chain(d, in, c.source(d, in))
	if d.model.OnError = ch.policy.badInput; d.model.OnError == model.DeadLetter {
		c.diags.Errorf("SG1112", d.block.Header, "the bad input of a global table cannot become dead letters: each process reads all of it").
			WithHint(`on_error = "skip", or "fail", in %s`, d.address())
	}
	d.model.In, d.model.Deletes = ch.flow.schema, true
	named := false
	for _, b := range d.block.Blocks {
		switch name := b.Type.Name; {
		case name == "store" && c.labelsFit(b, &globalStore):
			c.open(b, &globalStore)
			ch.store(&body{c: c, block: &syntax.Block{Type: b.Type, Labels: b.Labels, Header: b.Header, Range: b.Range}, shape: &globalStore})
			named = true
		case name == "store":
		case stepNamed(name) != nil || name == "time":
			c.diags.Errorf("SG1108", b.Header, "%s is no step of a global table: it has the rows of its topic, as they are", name).
				WithHint("remove it; what joins with %s says in its value what it takes of a row", d.address())
		default:
			ch.noStep(b)
		}
	}
	if !named {
		c.stores = append(c.stores, d.block.Labels[0])
	}
	d.out = ch.flow
	d.model.Out = d.out.schema
}

// globalStore is the step store of a global table.
var globalStore = shape{word: "store", labels: 1, attrs: []attr{description}}

// onlyLookedInto reports a global table where something else is read.
func (c *checker) onlyLookedInto(d *decl, at diag.Range) {
	c.diags.Errorf("SG1412", at, "%s is only looked into: its updates trigger nothing", d.address()).
		WithHint("read the topic as a table, `table \"%s\" { … }`, whose changes are a stream", d.model.Label).
		WithRelated(d.block.Header, "the global table")
}

// rowsWithGlobal reports a join of a table with a global table.
func (ch *chain) rowsWithGlobal(d *body) {
	at := d.attr("with").Value
	if t, _ := ch.c.target(at); t != nil {
		t.used = true
		ch.c.diags.Errorf("SG1412", at.Pos(), "a table is not joined with %s, whose updates trigger nothing: the results would be out of date", t.address()).
			WithHint("read the topic as a table, `table \"%s\" { … }`, and join with that: `on` makes it a foreign key", t.model.Label).
			WithRelated(t.block.Header, "the global table")
	}
	ch.hide()
}

// ofGlobal says whether the other side of a join is a global table.
func ofGlobal(d *body) bool {
	a := d.attr("with")
	if a == nil {
		return false
	}
	p, ok := path(a.Value)
	return ok && p[0].Name == "global_table"
}

// globalJoin is join and left_join of a stream with a global table.
func (ch *chain) globalJoin(d *body, left bool) {
	side, ok := ch.side(d)
	st := &model.GlobalJoin{StepBase: ch.base(d), As: side.Name, Left: left}
	if ok {
		st.Address = ch.d.address() + "." + d.block.Type.Name + "." + side.Name
	}
	in := ch.flow.schema
	in.Value = types.NonNull(in.Value) // null values are dropped
	var row types.Type = types.Invalid
	if t := ch.with(d.attr("with").Value); t != nil {
		st.With, st.WithPos = t.model, d.attr("with").Value.Pos()
		row = t.model.Out.Value
		st.On = ch.lookupKey(d, t, in)
	}
	for _, name := range []string{"before", "after", "grace"} {
		if a := d.attr(name); a != nil {
			ch.c.diags.Errorf("SG1101", a.Name.Range, "a join with a global table has no %q: the row of the moment is met", name).WithHint("remove it")
		}
	}
	known := ch.flow.facts
	ch.flow.facts = known.without(side.Name)
	if left {
		row = types.OptionalOf(row)
	} else { // without a key to look up there is no row
		on := onPath(d)
		if on == "key" {
			in.Key = types.NonNull(in.Key)
		}
		if on != "" {
			ch.flow.facts = ch.flow.facts.with(on)
		}
	}
	s := ch.flow.scope(in, ch.d.address()).with(side.Name, model.RootJoin, row)
	var t types.Type = types.Invalid
	if ok {
		if v, ok := ch.expr(d, "value", s, nil, ""); ok {
			st.Value, t = v, v.Base().Type
		}
	}
	ch.flow.facts = known
	ch.flow = ch.flow.withValue(t)
	ch.add(st, model.Schema{Key: in.Key, Value: t})
}

// onPath is on if it is a field, or the key; else "".
func onPath(d *body) string {
	a := d.attr("on")
	if a == nil {
		return ""
	}
	p, _ := path(a.Value)
	var names []string
	for _, id := range p {
		names = append(names, id.Name)
	}
	return strings.Join(names, ".")
}

// lookupKey types on: the key of a row of t, over the left side.
func (ch *chain) lookupKey(d *body, t *decl, in model.Schema) model.Expr {
	a := d.attr("on")
	if a == nil {
		ch.c.diags.Errorf("SG1102", d.block.Header, "a join with a global table needs \"on\": the key of the row to look up").
			WithHint("on = key, or a field: on = value.id")
		return invalid(d.block.Header)
	}
	want := types.NonNull(t.model.Out.Key)
	v, ok := ch.expr(d, "on", ch.flow.scope(in, ch.d.address()), types.OptionalOf(want), "")
	if !ok || types.IsInvalid(want) {
		return v
	}
	if got := types.NonNull(v.Base().Type); !types.Equal(got, want) {
		m := ch.c.diags.Errorf("SG1401", a.Value.Pos(), "keys differ: %s here, %s at %d:%d", got, want, t.out.keyed.Start.Line, t.out.keyed.Start.Column)
		if convertible(want, got) {
			m.WithHint("`on = %s(%s)`", want, ch.c.text(a.Value.Pos()))
		} else {
			m.WithHint("\"on\" is the key of the row to look up: of type %s", want)
		}
		m.WithRelated(t.out.keyed, "%s: %s is keyed here", want, t.address())
		return invalid(a.Value.Pos())
	}
	return v
}
