package check

import (
	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// aggregation collects the aggregators of one aggregate step.
type aggregation struct {
	record *scope // of the arguments
	facts  facts
	found  []*model.Aggregator

	rows     bool // what is aggregated are rows, which leave their group again
	keepZero bool // a group without any keeps its row
}

// aggregator is a call of an aggregator: its result is a part of the row.
func (x *exprs) aggregator(e *syntax.Call) model.Expr {
	name := e.Name.Name
	if x.s.agg == nil {
		d := x.c.diags.Errorf("SG1307", e.Pos(), "%s is an aggregator", name)
		switch {
		case x.s.constant:
			d.WithHint("it belongs into an aggregate")
		case name == "min" || name == "max":
			d.WithHint("only in aggregate; of several numbers: %s(a, b)", name)
		case name == "count":
			d.WithHint("only in aggregate; of a list: length(list)")
		case library.Lookup(name+"_of") != nil:
			d.WithHint("only in aggregate; of a list: %s_of(list)", name)
		default:
			d.WithHint("only in aggregate")
		}
		return invalid(e.Pos())
	}
	f := aggregatorNamed(name)
	if len(e.Args) < f.least || len(e.Args) > f.most {
		x.c.diags.Errorf("SG1308", e.Pos(), "the aggregator %s takes %s, is given %d", name, f.takes(), len(e.Args)).WithHint("%s", f.usage)
		return invalid(e.Pos())
	}
	if x.s.agg.rows && !x.takesAway(f, len(e.Args), e.Pos()) {
		return invalid(e.Pos())
	}
	if name == "any" || name == "all" {
		return x.anyOrAll(e)
	}
	a := &model.Aggregator{Func: name, Type: types.Int64, Pos: e.Pos()}
	if len(e.Args) > 0 {
		in := &exprs{c: x.c, s: x.s.agg.record, facts: x.s.agg.facts}
		in.aggregated(e, a)
		x.causes = append(x.causes, in.causes...)
		if types.IsInvalid(a.Type) {
			return invalid(e.Pos())
		}
	}
	return x.found(a)
}

// found adds an aggregator to those of the step and gives its result.
func (x *exprs) found(a *model.Aggregator) model.Expr {
	x.s.agg.found = append(x.s.agg.found, a)
	return &model.AggRef{ExprBase: base(a.Type, a.Pos), Index: len(x.s.agg.found) - 1}
}

// anyOrAll counts: any is that some record fulfils the condition, all that none fails it. A count, unlike a flag, merges with
// that of another session and goes back when a row leaves its group.
func (x *exprs) anyOrAll(e *syntax.Call) model.Expr {
	in := &exprs{c: x.c, s: x.s.agg.record, facts: x.s.agg.facts}
	v := in.must(e.Args[0], types.Bool, "the argument of "+e.Name.Name)
	x.causes = append(x.causes, in.causes...)
	if types.IsInvalid(v.Base().Type) {
		return invalid(e.Pos())
	}
	op := ">"
	if e.Name.Name == "all" {
		op, v = "==", negated(v)
	}
	n := x.found(&model.Aggregator{Func: "count", Arg: v, Type: types.Int64, Pos: e.Pos()})
	zero := constant(types.Int64, int64(0), e.Pos())
	return &model.Binary{ExprBase: base(types.Bool, e.Pos(), n, zero), Op: op, L: n, R: zero}
}

// negated is the opposite of a condition, without a double negation.
func negated(v model.Expr) model.Expr {
	if n, ok := v.(*model.Unary); ok && n.Op == "!" {
		return n.X
	}
	return &model.Unary{ExprBase: base(types.Bool, v.Base().Pos, v), Op: "!", X: v}
}

// aggregate is the step aggregate.
func (ch *chain) aggregate(d *body) {
	in := ch.makes(d)
	agg := &aggregation{record: ch.recordScope(in), facts: ch.flow.facts, rows: ch.grouped != nil}
	st := &model.Aggregate{StepBase: ch.base(d), KeepZero: ch.keepZero(d)}
	agg.keepZero = st.KeepZero
	s := &scope{agg: agg, origin: ch.d.address()}
	v, ok := ch.expr(d, "value", s, nil, "")
	if ok && len(agg.found) == 0 {
		ch.c.diags.Errorf("SG1307", v.Base().Pos, "there is no aggregator in this").
			WithHint("aggregators: %s", aggregatorList())
	}
	st.Value, st.Aggregators = v, agg.found
	ch.addMaking(st, v.Base().Type)
}

// reduce is the step reduce: the state has the type of the value.
func (ch *chain) reduce(d *body) {
	in := ch.makes(d)
	st := &model.Reduce{StepBase: ch.base(d)}
	row := types.NonNull(in.Value)
	s := ch.recordScope(in).with("agg", model.RootAgg, row)
	st.Add, _ = ch.expr(d, "add", s, row, `"add"`)
	if ch.removes(d) {
		st.Remove, _ = ch.expr(d, "remove", s, row, `"remove"`)
	}
	ch.addMaking(st, row)
}

func (ch *chain) keepZero(d *body) bool {
	if a := d.attr("keep_zero"); a != nil {
		if ch.grouped != nil {
			return d.boolean("keep_zero")
		}
		ch.c.diags.Errorf("SG1101", a.Name.Range, "\"keep_zero\" has no meaning here").
			WithDetail("Only a table that is grouped anew has groups that become empty.").WithHint("remove it")
	}
	return false
}

// makes is what the expressions of a making step see: null keys are dropped before, and null values where no window takes them.
func (ch *chain) makes(d *body) model.Schema {
	s := model.Schema{Key: types.NonNull(ch.flow.schema.Key), Value: ch.flow.schema.Value}
	if !ch.d.model.Window.TakesNulls() {
		s.Value = types.NonNull(s.Value)
	}
	return s
}

// addMaking adds the making step: the table's row has this type.
func (ch *chain) addMaking(st model.Step, row types.Type) {
	ch.flow.facts, ch.flow.known = nil, nil
	if ch.grouped != nil {
		ch.d.model.Deletes, ch.grouped = true, nil
	}
	ch.rows = true
	ch.add(st, model.Schema{Key: ch.inWindow(types.NonNull(ch.flow.schema.Key)), Value: row})
	ch.grow()
}
