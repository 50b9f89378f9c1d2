package check

import (
	"slices"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// joinKinds are the steps that join.
var joinKinds = map[string]model.JoinKind{"join": model.Inner, "left_join": model.LeftJoin, "outer_join": model.Outer}

// tableOfTable is a table that comes from a table: its steps see the rows of that one.
func (c *checker) tableOfTable(d *decl, in *body, e syntax.Expr) {
	ref, f, ok := c.read(e)
	ch := c.chain(d, in, f.withoutPrevious())
	ch.isTable, ch.made, ch.rows = true, d.block, true
	if ok {
		d.model.From = []model.Ref{ref}
		d.model.Deletes = ref.Block.Deletes
	}
	d.model.In = ch.flow.schema
	ch.flow.schema.Value = types.NonNull(ch.flow.schema.Value)
	for _, b := range d.block.Blocks {
		ch.run(b)
	}
	if ch.grouped != nil && !ch.opaque {
		ch.ungrouped(ch.grouped.Header)
	}
	d.out = ch.flow
	d.model.Out = d.out.schema
	if ok && keepsHistory(d.model.Steps) { // rows that lie nowhere else are known for as long
		d.model.History = ref.Block.History
	}
	switch {
	case ch.made != d.block || ch.opaque:
		d.model.Emit = c.emit(in, ch)
		if ch.made != d.block && ch.named == "" {
			c.stores = append(c.stores, d.block.Labels[0])
		}
	case in.has("emit"):
		c.diags.Errorf("SG1101", in.attr("emit").Name.Range, "\"emit\" has no meaning here").
			WithDetail("Each change of the table above is taken on when it comes.").WithHint("remove it")
	}
}

// keepsHistory says whether steps give rows that are known for as long as those that they are made of.
func keepsHistory(steps []model.Step) bool {
	return !slices.ContainsFunc(steps, func(s model.Step) bool {
		switch s.(type) {
		case *model.Filter, *model.MapValues:
			return false
		}
		return true
	})
}

// rowSteps are the steps that take rows.
var rowSteps = []string{"filter", "filter_not", "map_values", "join", "left_join", "outer_join", "group_by"}

// seesRows says whether a step stands where what comes is the change of a row, and can work on it.
func (ch *chain) seesRows(name string) bool { return ch.rows && slices.Contains(rowSteps, name) }

func isMakingWord(name string) bool { s := stepNamed(name); return s != nil && s.making }

func isMaking(s model.Step) bool {
	switch s.(type) {
	case *model.ToTable, *model.Count, *model.Aggregate, *model.Reduce, *model.Fold, *model.Cogroup:
		return true
	}
	return false
}

// rowScope is the scope of an expression over a row, whatever record changed it.
func rowScope(s model.Schema, origin string) *scope {
	return &scope{origin: origin, names: []binding{
		{"key", model.RootKey, s.Key},
		{"value", model.RootValue, s.Value},
		{"timestamp", model.RootTimestamp, types.Timestamp},
	}}
}

// groupRows is the step group_by on rows: what it makes groups of is the making step's, which comes next.
func (ch *chain) groupRows(d *body) {
	ch.change()
	st := &model.GroupBy{StepBase: ch.base(d), Rows: true}
	in := model.Schema{Key: ch.flow.schema.Key, Value: types.NonNull(ch.flow.schema.Value)}
	var key, value types.Type = types.Invalid, in.Value
	at := d.block.Header
	if a := d.attr("key"); a != nil {
		at = a.Value.Pos()
		if v := ch.withWindow(d, a.Value); v != nil {
			st.Key, key = v, v.Base().Type
		} else if v, ok := ch.expr(d, "key", rowScope(in, ch.d.address()), nil, ""); ok {
			st.Key, key = v, v.Base().Type
		}
	}
	if d.has("value") {
		value = types.Invalid
		if v, ok := ch.expr(d, "value", rowScope(in, ch.d.address()), nil, ""); ok {
			st.Value, value = v, v.Base().Type
		}
	}
	ch.flow = ch.flow.withKey(types.NonNull(key), at).withValue(types.NonNull(value))
	ch.add(st, ch.flow.schema)
	ch.grouped = d.block
}

// ungrouped reports groups of rows that nothing is made of.
func (ch *chain) ungrouped(at diag.Range) {
	ch.c.diags.Errorf("SG1123", at, "rows are grouped here, and nothing is made of the groups").
		WithDetail("group_by of a table gives its rows to groups; what a group is, the step below says.").
		WithHint("count {}, or aggregate, reduce or fold, directly below group_by").WithRelated(ch.grouped.Header, "grouped here")
	ch.hide()
	ch.grouped = nil
}

// joinRows is a join of rows with those of another table.
func (ch *chain) joinRows(d *body, kind model.JoinKind) {
	if ofGlobal(d) {
		ch.rowsWithGlobal(d)
		return
	}
	side, ok := ch.side(d)
	ch.change()
	st := &model.TableJoin{StepBase: ch.base(d), As: side.Name, Kind: kind}
	if ok {
		st.Address = ch.d.address() + "." + d.block.Type.Name + "." + side.Name
	}
	in := model.Schema{Key: ch.flow.schema.Key, Value: types.NonNull(ch.flow.schema.Value)}
	var row types.Type = types.Invalid
	if a := d.attr("with"); a != nil {
		if t := ch.with(a.Value); t != nil {
			st.With, st.WithPos = t.model, a.Value.Pos()
			row = t.model.Out.Value
			ch.meetRows(d, st, t, in)
		}
	}
	ch.noTimes(d)
	if kind != model.Inner {
		row = types.OptionalOf(row)
	}
	known := ch.flow.facts
	ch.flow.facts = known.without(side.Name)
	if kind == model.Outer {
		in.Value = types.OptionalOf(in.Value)
		ch.flow.facts = ch.flow.facts.without("value")
	}
	s := rowScope(in, ch.d.address()).with(side.Name, model.RootJoin, row)
	var t types.Type = types.Invalid
	if ok {
		if v, ok := ch.expr(d, "value", s, nil, ""); ok {
			st.Value, t = v, v.Base().Type
		}
	}
	ch.flow.facts = known
	ch.flow = ch.flow.withValue(types.NonNull(t))
	ch.add(st, model.Schema{Key: in.Key, Value: types.OptionalOf(t)})
	ch.flow.schema.Value = types.NonNull(t)
	ch.d.model.Deletes = true
}

// meetRows types what rows meet by: their keys, or a foreign key.
func (ch *chain) meetRows(d *body, st *model.TableJoin, t *decl, in model.Schema) {
	a := d.attr("on")
	if a == nil {
		ch.keysMeet(d, t)
		return
	}
	if st.Kind == model.Outer {
		ch.c.diags.Errorf("SG1411", a.Name.Range, "an outer join meets rows by their keys").
			WithDetail("By a foreign key a row of the other table without partners has no key in the result.").
			WithHint("left_join keeps the rows of this side")
		return
	}
	names := &scope{origin: ch.d.address(), names: []binding{{"key", model.RootKey, in.Key}, {"value", model.RootValue, in.Value}}}
	v, ok := ch.expr(d, "on", names, nil, "")
	if !ok || types.IsInvalid(t.model.Out.Key) {
		return
	}
	if l, r := types.NonNull(v.Base().Type), types.NonNull(t.model.Out.Key); !types.Equal(l, r) {
		m := ch.c.diags.Errorf("SG1401", a.Value.Pos(), "keys differ: \"on\" is %s, the key of %s is %s at %d:%d", l, t.address(), r,
			t.out.keyed.Start.Line, t.out.keyed.Start.Column)
		if convertible(r, l) {
			m.WithHint("on = %s(%s)", r, ch.c.text(a.Value.Pos()))
		} else {
			m.WithHint("\"on\" must be of the type of that key")
		}
		m.WithRelated(t.out.keyed, "%s: the other side is keyed here", r)
		return
	}
	st.On = v
}

// noTimes reports attributes of joins of streams.
func (ch *chain) noTimes(d *body) {
	for _, name := range []string{"before", "after", "grace"} {
		if a := d.attr(name); a != nil {
			ch.c.diags.Errorf("SG1101", a.Name.Range, "a join of tables has no %q: the rows of the moment meet", name).WithHint("remove it")
		}
	}
}

// change begins a step on rows: what comes is the change of one, null for a delete, of which no expression is asked.
func (ch *chain) change() {
	if ch.rows && ch.d.model.Deletes && !types.IsInvalid(ch.flow.schema.Value) {
		ch.flow.schema.Value = types.OptionalOf(ch.flow.schema.Value)
		ch.flow.facts = ch.flow.facts.with("value")
	}
}

// changed ends a step on rows. What it makes null is no row.
func (ch *chain) changed(st model.Step) {
	if !ch.rows || types.IsInvalid(ch.flow.schema.Value) {
		return
	}
	out := &st.Base().Out
	_, filters := st.(*model.Filter)
	if filters || types.IsOptional(st.Base().In.Value) {
		out.Value = types.OptionalOf(types.NonNull(out.Value))
	}
	ch.d.model.Deletes = ch.d.model.Deletes || types.IsOptional(out.Value)
	ch.flow.schema.Value = types.NonNull(out.Value)
	ch.flow.facts = slices.DeleteFunc(slices.Clone(ch.flow.facts), func(p string) bool { return p == "value" })
}
