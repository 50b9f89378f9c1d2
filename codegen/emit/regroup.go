package emit

import (
	"maps"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// regroup sends the halves of a change to the groups of the rows: the old row leaves its group before the new one joins another.
func (f *function) regroup(op *plan.Regroup) {
	f.introduce(op.Step, exprText(op.Key))
	pair := op.Topic.Value.Type
	change := f.sub.hold(pair, "change", "change"+upperFirst(subject(f.plan)))
	from := f.half(op, f.hand.old, f.hand.before, change, "Old", false)
	to := f.half(op, f.hand.value, f.hand.timestamp, change, "New", true)

	// A row that stays in its group leaves it and joins it in one record.
	half := f.sub.hold(pair, "half", "half"+upperFirst(subject(f.plan)))
	same := func(differ bool) *jen.Statement {
		return f.records.Equal(types.NonNull(to.typ), to.it(), from.it(), differ)
	}
	moves := same(true)
	if to.may() {
		moves = jen.Op("!").Parens(to.there().Op("&&").Add(same(false)))
	}
	if from.may() {
		moves = from.there().Op("&&").Add(moves)
	}
	f.add(jen.If(moves).Block(append([]jen.Code{
		half.Clone().Op("=").Add(f.records.Type(pair)).Values(keyed("Old", change.Clone().Dot("Old"))),
		change.Clone().Dot("Old").Dot("Valid").Op("=").False(),
	}, f.block(func() {
		outer := f.names
		f.names = &Names{taken: maps.Clone(outer.taken)}
		f.sendHalf(op, from, half)
		f.names = outer
	})...)...))
	f.ifThere(to, func() { f.sendHalf(op, to, change) })
}

// sendHalf sends a change to a group.
func (f *function) sendHalf(op *plan.Regroup, group held, change *jen.Statement) {
	topic := jen.Id("s").Dot(f.topics[op.Topic])
	format := op.Topic.Key
	format.Type = types.NonNull(group.typ)
	key, value := f.names.New("key", "keyBytes"), f.names.New("value", "valueBytes")
	e := Encoding{Format: format, Src: Place{It: group.it()}, Topic: topic, Var: key}
	if !f.records.Encodable(format) {
		e.Fail = f.reject(op.At, "BadLogic")
	}
	f.add(f.records.Encode(e)...)
	f.add(f.records.Encode(Encoding{Format: op.Topic.Value, Src: Place{It: change}, Topic: topic, Var: value})...)
	f.add(topic.Clone().Dot("Send").Call(jen.Id(key), jen.Id(value), f.hand.timestamp.Clone(), f.hand.headers.Clone()))
}

// half works out the group of a row and what is grouped of it, a field of change. Without either the row is in no group.
func (f *function) half(op *plan.Regroup, h held, timestamp, change *jen.Statement, field string, fresh bool) held {
	name := map[bool]string{true: "group", false: "groupOld"}[fresh]
	t := op.Key.Base().Type
	sees := func(s *Scope) {
		s.Value, s.Timestamp = h.seen(types.NonNull(h.typ)), rt("temporal", "Timestamp").Call(timestamp.Clone())
	}
	grouped := held{typ: types.OptionalOf(types.NonNull(h.typ)), typed: &Place{It: change.Clone().Dot(field)}}
	list := []model.Expr{op.Key}
	if op.Value != nil {
		grouped.typ = types.OptionalOf(op.Value.Base().Type)
		list = append(list, op.Value)
	}
	if !h.may() && !types.IsOptional(t) && !f.triesToo(op.At, fresh, list...) && (op.Value == nil || !types.IsOptional(op.Value.Base().Type)) {
		s := f.scope(op.At)
		sees(s)
		before, group := s.Var(name, op.Key)
		f.add(before...)
		f.group(s, op, h, grouped)
		return held{typ: t, typed: &Place{It: group}}
	}
	group := f.optional(name, types.NonNull(t))
	whole := op.Value == nil && !h.typed.Behind // the row can be looked at where it is absent
	if !whole {
		f.add(grouped.typed.It.Clone().Dot("Valid").Op("=").False())
	}
	f.ifThere(h, func() {
		f.tried(op.At, fresh, list, func(s *Scope) {
			sees(s)
			f.set(s, group, op.Key)
			if !whole {
				f.group(s, op, h, grouped)
			}
		}, group.typed.It.Clone().Dot("Valid").Op("=").False())
	})
	switch {
	case whole:
		f.add(grouped.typed.It.Clone().Op("=").Add(rt("optional", "If")).Call(h.it(), group.there()))
		return group
	case op.Value != nil && types.IsOptional(op.Value.Base().Type):
		f.add(group.typed.It.Clone().Dot("Valid").Op("=").Add(group.there()).Op("&&").Add(grouped.there()))
	}
	if types.IsOptional(t) || op.At != nil {
		f.add(jen.If(group.absent()).Block(grouped.typed.It.Clone().Dot("Valid").Op("=").False()))
	}
	return group
}

// group makes what is grouped of a row that is there.
func (f *function) group(s *Scope, op *plan.Regroup, row, grouped held) {
	if op.Value != nil {
		f.set(s, grouped, op.Value)
		return
	}
	f.add(grouped.typed.It.Clone().Op("=").Add(rt("optional", "Some")).Call(row.it()))
}

// updatePairs runs a making step on the row of a group: what leaves it is taken away, then what joins it is added.
func (f *function) updatePairs(op *plan.Update, last bool) {
	pair := f.hand.value.it()
	record := types.NonNull(f.hand.value.typ).(*types.Record)
	part := func(name string) held {
		fd, _ := record.Lookup(name)
		return held{typ: fd.Type, typed: &Place{It: pair.Clone().Dot(f.records.FieldName(record, name))}}
	}
	add, remove := part("new"), part("old")
	switch step := op.Step.(type) {
	case *model.Count:
		f.introduce(step, "")
		f.countPairs(op, step, add, remove)
	case *model.Reduce:
		f.introduce(step, exprText(step.Add))
		f.reducePairs(op, step, add, remove)
	case *model.Fold:
		f.introduce(step, exprText(step.Add))
		f.foldPairs(op, step, add, remove)
	case *model.Aggregate:
		f.introduce(step, aggregateText(step))
		f.aggregatePairs(op, add, remove, last)
	}
}

// countPairs counts the rows of a group.
func (f *function) countPairs(op *plan.Update, step *model.Count, add, remove held) {
	c := f.updateRow(op.Store, true)
	n := jen.Id(f.names.New("n"))
	f.add(n.Clone().Op(":=").Add(c.value()),
		jen.If(remove.there().Op("&&").Add(n.Clone()).Op(">").Lit(0)).Block(n.Clone().Op("--")),
		jen.If(add.there()).Block(n.Clone().Op("++")))
	there := n.Clone().Op(">").Lit(0)
	if step.KeepZero {
		there = c.existed.Clone().Op("||").Add(add.there())
	}
	next := jen.Id(f.names.New("next"))
	f.add(next.Clone().Op(":=").Add(rt("optional", "If")).Call(n.Clone(), there))
	f.settle(c, held{typ: types.OptionalOf(types.Int64), typed: &Place{It: next}})
}

// reducePairs takes a value out of the row and adds one; the first is stored as it is.
func (f *function) reducePairs(op *plan.Update, step *model.Reduce, add, remove held) {
	c := f.updateRow(op.Store, true)
	f.opens(c, step.Add, step.Remove)
	next := f.begins(c)
	s := f.rowScope(op, c)
	value := next.typed.It.Clone().Dot("Value")
	s.Agg = Place{It: value}
	with := func(v held, e model.Expr) []jen.Code {
		return f.block(func() {
			s.Value = Place{It: v.it()}
			after := f.state("after", s, e, nil)
			f.add(value.Clone().Op("=").Add(after.it()))
		})
	}
	f.add(jen.If(remove.there().Op("&&").Add(next.there())).Block(with(remove, step.Remove)...))
	f.add(jen.If(add.there().Op("&&").Add(next.there())).Block(with(add, step.Add)...).Else().If(add.there()).Block(
		next.typed.It.Clone().Op("=").Add(add.typed.It.Clone())))
	f.settle(c, next)
}

// begins is the state of a row before a change, if there is one.
func (f *function) begins(c *change) held {
	t := c.store.Value
	init := rt("optional", "If").Call(c.value(), c.existed.Clone())
	if isWide(t) {
		v := f.hold(types.OptionalOf(t), "next")
		f.add(v.Clone().Op("=").Add(init))
		return held{typ: types.OptionalOf(t), typed: &Place{It: v}, field: true}
	}
	v := jen.Id(f.names.New("next"))
	f.add(v.Clone().Op(":=").Add(init))
	return held{typ: types.OptionalOf(t), typed: &Place{It: v}}
}

// foldPairs takes a value out of the state and adds one. Either may leave nothing.
func (f *function) foldPairs(op *plan.Update, step *model.Fold, add, remove held) {
	c := f.updateRow(op.Store, true)
	f.opens(c, step.Init, step.Add, step.Remove)
	next := f.begins(c)
	s := f.rowScope(op, c)
	it := next.typed.It
	value := it.Clone().Dot("Value")
	s.Agg = Place{It: value}
	with := func(v held, e model.Expr) {
		s.Value = Place{It: v.it()}
		after := f.state("after", s, e, nil)
		if types.IsOptional(e.Base().Type) {
			f.add(it.Clone().Op("=").Add(after.typed.It.Clone()))
		} else {
			f.add(it.Clone().Op("=").Add(rt("optional", "Some")).Call(after.it()))
		}
	}
	f.add(jen.If(remove.there().Op("&&").Add(next.there())).Block(f.block(func() { with(remove, step.Remove) })...))
	f.add(jen.If(add.there()).Block(f.block(func() {
		f.add(jen.If(next.absent()).Block(f.block(func() { f.add(s.Assign(value, step.Init)...) })...))
		with(add, step.Add)
	})...))
	f.settle(c, next)
}

// aggregatePairs takes a value out of the cells of the row and adds one.
func (f *function) aggregatePairs(op *plan.Update, add, remove held, last bool) {
	st := op.Store
	c := f.updateRow(st, true)
	row := f.copied(rowType(st), c.value(), "next")
	each := func(v held, takes bool) []jen.Code {
		return f.block(func() {
			s := f.rowScope(op, c)
			s.Value = Place{It: v.it()}
			for _, cell := range st.Cells {
				f.cellPair(op, s, row, cell, takes)
			}
			if st.CountsRows && !countsIn(st) {
				f.add(f.cell(st, row, st.Rows).Op(map[bool]string{true: "--", false: "++"}[takes]))
			}
		})
	}
	f.add(jen.If(remove.there().Op("&&").Add(c.existed.Clone())).Block(each(remove, true)...))
	f.add(jen.If(add.there()).Block(each(add, false)...))
	there := c.existed.Clone().Op("||").Add(add.there())
	var none *jen.Statement
	if st.CountsRows {
		there, none = f.cell(st, row, st.Rows).Op(">").Lit(0), f.cell(st, row, st.Rows).Op("==").Lit(0)
	}
	var before *result
	if st.State != nil && !last {
		before = f.resultBefore(op, c)
	}
	f.settle(c, held{typ: types.OptionalOf(rowType(st)), typed: &Place{Valid: there, Null: none, Value: row}})
	if st.State == nil || last {
		return
	}
	valid := jen.Id(f.names.New("counted"))
	f.add(valid.Clone().Op(":=").Add(there.Clone()))
	value := f.resultIf(st, c.row, valid, op.At, "value")
	f.hand.value = held{typ: types.OptionalOf(st.Value), typed: &Place{Valid: valid, Value: value}}
	f.add(jen.If(c.existed.Clone().Op("&&").Add(valid.Clone()).Op("&&").Add(c.timestamp()).Op("==").Add(before.timestamp).
		Op("&&").Add(f.records.Equal(st.Value, value, before.value, false))).Block(jen.Return(jen.Nil())))
}

// countsIn says whether a cell that the value is made of counts the rows of the group.
func countsIn(st *plan.Store) bool {
	for _, c := range st.Cells {
		if c.Func == "count" && c.Arg == nil && c.Field == st.Rows {
			return true
		}
	}
	return false
}

// cellPair adds an argument to a cell, or takes it away.
func (f *function) cellPair(op *plan.Update, s *Scope, row *jen.Statement, c plan.Cell, takes bool) {
	st := op.Store
	cell := f.cell(st, row, c.Field)
	by := map[bool]string{true: "--", false: "++"}[takes]
	arg := f.argument(s, c)
	switch {
	case c.Values:
		f.putValue(st, row, c, arg, takes)
		return
	case c.Func == "quantile":
		f.count(st, row, c, arg, takes)
		return
	case c.Func == "variance":
		f.add(cell.Dot(map[bool]string{true: "Take", false: "Add"}[takes]).Call(arg.it))
		return
	case c.Func == "count" && arg.it == nil:
		f.add(cell.Op(by))
		return
	case c.Func == "count":
		f.add(jen.If(arg.it).Block(cell.Op(by)))
		return
	}
	t := cellType(st, c.Field)
	if types.IsFloat(t) {
		f.add(cell.Op(map[bool]string{true: "-=", false: "+="}[takes]).Add(f.widened(t, c, arg.it)))
	} else {
		pkg := "arith"
		if types.IsDecimal(t) {
			pkg = "decimal"
		}
		v := jen.Id(f.names.New(f.cellName(c)+"Sum", "sum"))
		f.add(jen.List(v.Clone(), jen.Err()).Op(":=").Add(rt(pkg, map[bool]string{true: "Sub", false: "Add"}[takes])).Call(cell.Clone(), f.widened(t, c, arg.it)),
			jen.If(jen.Err().Op("!=").Nil()).Block(s.Fail(jen.Err())...),
			cell.Clone().Op("=").Add(v))
	}
	if c.Func == "avg" {
		f.add(f.cell(st, row, c.Beside).Op(by))
	}
}
