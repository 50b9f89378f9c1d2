package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// store is the field of a store.
func (f *function) storeField(s *plan.Store) *jen.Statement { return jen.Id("s").Dot(s.Go) }

// update begins to change the row of the key.
func (f *function) updateRow(s *plan.Store, existed bool) {
	name := "_"
	if existed {
		name = "existed"
	}
	f.add(
		jen.List(jen.Id("row"), jen.Id(name), jen.Err()).Op(":=").Add(f.storeField(s)).Dot("Update").Call(f.hand.key.raw.Clone()),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
}

// changedBy notes the headers that go with the change at the next commit.
func (f *function) changedBy(s *plan.Store) {
	if s.Flush != nil {
		f.add(f.storeField(s).Dot("ChangedBy").Call(f.hand.headers.Clone()))
	}
}

// isTableSource says whether ops decode the value of a table and put it, and nothing else.
func (f *function) isTableSource(ops []plan.Op) bool {
	if len(ops) != 2 {
		return false
	}
	d, ok := ops[0].(*plan.Decode)
	put, last := ops[1].(*plan.Put)
	return ok && last && d.Value && put.Store.Flush == nil && types.IsOptional(d.In.Value.Type) && d.Out.Value.Typed
}

// putSource writes a table whose changes only its store sees: a null deletes the row, anything else replaces it.
func (f *function) putSource(d *plan.Decode, put *plan.Put) {
	f.comment(put.Step, "")
	if d.Key {
		f.decodeOne(d, &f.hand.key, "key", d.Out.Key.Typed, Decoding{})
	}
	f.add(jen.If(f.hand.value.absent()).Block(
		jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(f.storeField(put.Store)).Dot("Delete").Call(f.hand.key.raw.Clone(), f.hand.timestamp.Clone()),
		jen.Return(jen.Err())))
	f.hand.value.typ = put.Store.Value
	f.decodeOne(d, &f.hand.value, "value", true, Decoding{Fields: d.Fields, Check: d.Check})
	f.replace(put.Store)
}

// put writes the value into a store as the row of the key. What changes nothing ends here.
func (f *function) put(op *plan.Put) {
	f.comment(op.Step, "")
	if !types.IsOptional(f.hand.value.typ) {
		f.replace(op.Store)
		return
	}
	before := f.body
	f.body = nil
	f.add(
		jen.List(jen.Id("existed"), jen.Err()).Op(":=").Add(f.storeField(op.Store)).Dot("Delete").Call(f.hand.key.raw.Clone(), f.hand.timestamp.Clone()),
		jen.If(jen.Err().Op("!=").Nil().Op("||").Op("!").Id("existed")).Block(jen.Return(jen.Err())))
	f.changedBy(op.Store)
	deletes := f.body
	f.body = nil
	value := f.hand.value
	f.hand.value.narrow(op.Store.Value)
	f.replace(op.Store)
	f.hand.value = value
	replaces := f.body
	f.body = append(before, jen.If(value.absent()).Block(deletes...).Else().Block(replaces...))
}

// replace makes the value at hand, which is not null, the row of the key.
func (f *function) replace(s *plan.Store) {
	row := jen.Id("row")
	f.updateRow(s, true)
	f.add(jen.If(jen.Id("existed").Op("&&").Add(row.Clone()).Dot("Timestamp").Op("==").Add(f.hand.timestamp.Clone()).
		Op("&&").Add(f.records.Equal(s.Value, row.Clone().Dot("Value"), f.hand.value.typed.It, false))).Block(
		f.storeField(s).Dot("Unchanged").Call(),
		jen.Return(jen.Nil())))
	f.add(f.records.Keep(s.Value, row.Clone().Dot("Value"), f.hand.value.typed.It)...)
	f.add(row.Clone().Dot("Timestamp").Op("=").Add(f.hand.timestamp.Clone()))
	f.changedBy(s)
}

// update runs a making step on the row of the key.
func (f *function) update(op *plan.Update, last bool) {
	switch step := op.Step.(type) {
	case *model.Count:
		f.comment(step, "")
		f.updateRow(op.Store, false)
		f.add(jen.Id("row").Dot("Value").Op("++"))
		f.later()
	case *model.Reduce:
		f.comment(step, exprText(step.Add))
		f.reduce(op, step)
	case *model.Aggregate:
		f.comment(step, aggregateText(step))
		f.aggregate(op, last)
	}
	f.changedBy(op.Store)
	f.hand.timestamp = jen.Id("row").Dot("Timestamp")
	if !last {
		before := f.hand.value
		f.hand.value = f.tableValue(op.Store, op.Store.Value, jen.Id("row"), nil, op.At)
		if comparesResult(op, last) {
			f.add(jen.If(jen.Id("existed").Op("&&").Id("row").Dot("Timestamp").Op("==").Id("timestamp").
				Op("&&").Add(f.records.Equal(op.Store.Value, f.hand.value.typed.It, before.typed.It, false))).Block(jen.Return(jen.Nil())))
		}
	}
}

// comparesResult says whether a record may change the state of aggregators and not the value that is made of it. What changes
// nothing is not sent, so the value is then worked out before and after.
func comparesResult(op *plan.Update, last bool) bool {
	a, ok := op.Step.(*model.Aggregate)
	return ok && !last && op.Store.State != nil && !showsCount(a)
}

// showsCount says whether a field of the value is a count of all records, so that each of them changes it.
func showsCount(a *model.Aggregate) bool {
	value, ok := a.Value.(*model.New)
	if !ok {
		return false
	}
	for _, x := range value.Fields {
		if ref, ok := x.(*model.AggRef); ok {
			if g := a.Aggregators[ref.Index]; g.Func == "count" && g.Arg == nil {
				return true
			}
		}
	}
	return false
}

// later moves the row's timestamp to that of the record, if that is later.
func (f *function) later() {
	t := jen.Id("row").Dot("Timestamp")
	f.add(t.Clone().Op("=").Id("max").Call(t.Clone(), f.hand.timestamp.Clone()))
}

// reduce folds the value into the row. The first value is stored as it is.
func (f *function) reduce(op *plan.Update, step *model.Reduce) {
	row := jen.Id("row").Dot("Value")
	t := op.Store.Value
	f.updateRow(op.Store, true)

	outer := f.body
	f.body = nil
	f.add(f.records.Keep(t, row.Clone(), f.hand.value.typed.It)...)
	f.add(jen.Id("row").Dot("Timestamp").Op("=").Add(f.hand.timestamp.Clone()))
	first := f.body

	f.body = nil
	f.agg = Place{It: row}
	s := f.rowScope(op)
	var next *jen.Statement
	if isWide(t) {
		next = f.hold(t, "next")
		f.add(s.Assign(next, step.Add)...)
	} else {
		var before []jen.Code
		before, next = s.Var("next", step.Add)
		f.add(before...)
	}
	f.unchanged(op.Store, f.records.Equal(t, row.Clone(), next, false))
	f.add(f.records.Keep(t, row.Clone(), next)...)
	f.later()
	f.body = append(outer, jen.If(jen.Op("!").Id("existed")).Block(first...).Else().Block(f.body...))
}

// rowScope is the scope of a making step's expressions: where they fail, the row stays as it was.
func (f *function) rowScope(op *plan.Update) *Scope {
	s := f.scope(op.At)
	if fail := s.Fail; fail != nil {
		s.Fail = func(err *jen.Statement) []jen.Code {
			return append([]jen.Code{f.storeField(op.Store).Dot("Unchanged").Call()}, fail(err)...)
		}
	}
	return s
}

// unchanged ends the record if the row would be what it is, under the condition given, and its timestamp too.
func (f *function) unchanged(s *plan.Store, same *jen.Statement) {
	f.add(jen.If(f.hand.timestamp.Clone().Op("<=").Id("row").Dot("Timestamp").Op("&&").Add(same)).Block(
		f.storeField(s).Dot("Unchanged").Call(),
		jen.Return(jen.Nil())))
}
