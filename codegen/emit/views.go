package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Tables without a store: a function works a row out from those of others, and ends where there is none.

// viewRow is the field that holds what a Func FromRows gives.
func (s *sub) viewRow(view *plan.Func, t types.Type) *jen.Statement {
	if s.views[view] == nil {
		s.views[view] = s.hold(types.NonNull(t), names.Lower(subject(view)), names.Lower(subject(view))+"Row")
	}
	return s.views[view].Clone()
}

// fromRows writes the function that works out a row of a table without a store.
func (s *sub) fromRows(p *plan.Func) {
	f := s.newFunction(p, "key", "exists", "timestamp")
	f.hand = hand{key: held{typ: p.In.Key.Type, raw: jen.Id("key"), format: p.In.Key.Format, borrowed: true}}
	f.write(jen.Id("key").Index().Byte())
}

// rowSlot is the field that the row goes into if op is what makes it, of type t; nil if another operation follows or it may be null.
func (f *function) rowSlot(op plan.Op, t types.Type) *jen.Statement {
	if types.IsOptional(t) || f.plan.Ops[len(f.plan.Ops)-1] != op {
		return nil
	}
	return f.viewRow(f.plan, t)
}

// sure ends a function FromRows where the row at hand is absent.
func (f *function) sure() {
	h := f.hand.value
	if h.may() {
		f.add(jen.If(h.absent()).Block(f.nothing()))
	}
	f.hand.value = held{typ: types.NonNull(h.typ), typed: &Place{It: h.it()}}
}

// sees is the scope of a step on the row at hand, which has a name of type t for it.
func (f *function) sees(t types.Type) *Scope {
	f.sure()
	s := f.scope(nil)
	s.Value = f.hand.value.seen(t)
	return s
}

// givesRow ends a function FromRows with the row at hand.
func (f *function) givesRow() {
	f.sure()
	field, row := f.viewRow(f.plan, f.hand.value.typ), f.hand.value.typed.It
	if row.GoString() != field.GoString() {
		f.add(field.Op("=").Add(row))
	}
	f.add(jen.Return(jen.True(), f.hand.timestamp.Clone(), jen.Nil()))
}

// viewFilter ends the function where the row does not pass.
func (f *function) viewFilter(op *plan.RowFilter) {
	before, cond := f.sees(op.Filter.In.Value).Test(op.Where, !op.Not)
	f.add(before...)
	f.add(jen.If(cond).Block(f.nothing()))
}

// viewMap makes a row of the row.
func (f *function) viewMap(op *plan.RowMap) {
	f.hand.value = f.computeIn(f.sees(op.MapValues.In.Value), "mapped", op.Value, f.rowSlot(op, op.Value.Base().Type))
}

// get begins with the row of a table.
func (f *function) get(op *plan.Get) {
	t := types.NonNull(op.Out.Value.Type)
	if op.Left != nil {
		f.introduce(op.Step, "")
		left := jen.Id(f.names.New("left", "hasLeft"))
		call := storeField(op.Left).Dot("Left").Call(f.hand.key.raw.Clone(), f.windowEnd(op.Left))
		f.add(
			jen.List(left.Clone(), jen.Err()).Op(":=").Add(call),
			jen.If(jen.Err().Op("!=").Nil().Op("||").Op("!").Add(left)).Block(f.gives(jen.Err())))
	}
	row := f.find(op.Rows, "base", t, true, nil)
	f.hand.value = held{typ: op.Out.Value.Type, typed: &Place{Valid: jen.True(), Value: row.value}, sure: true}
	f.hand.timestamp = row.timestamp
}

// getJoined begins with what the rows of two tables give.
func (f *function) getJoined(op *plan.GetJoined) {
	j := op.TableJoin
	f.introduce(op.Step, exprText(j.Value))
	l := types.NonNull(j.In.Value)
	left := f.find(op.Left, "left", l, j.Kind != model.Outer, nil)
	right := f.find(op.Right, names.Lower(j.As), j.With.Out.Value, j.Kind == model.Inner, nil)
	if left.there != nil && right.there != nil {
		f.add(jen.If(left.absent.Clone().Op("&&").Add(right.absent.Clone())).Block(f.nothing()))
	}
	timestamp := left.timestamp
	if left.there != nil {
		timestamp = f.latest("leftAt", jen.Lit(0), left)
	}
	timestamp = f.latest("joinedAt", timestamp, right)
	s := f.scope(nil)
	f.joinScope(j, left.held(l), right.held(j.With.Out.Value), timestamp)(s)
	f.hand.value, f.hand.timestamp = f.computeIn(s, "joined", j.Value, f.rowSlot(op, j.Value.Base().Type)), timestamp
}
