package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// joinRows joins the change of one side with the row of the other. A result has the latest time of what it is made of, also where that
// is the delete of a row.
func (f *function) joinRows(op *plan.JoinRows, after []plan.Op) {
	j := op.TableJoin
	f.introduce(op.Step, exprText(j.Value))
	needed := !op.Shared && (j.Kind == model.Inner || j.Kind == model.LeftJoin && !op.Left)
	name, t := names.Lower(j.As), j.With.Out.Value
	if !op.Left {
		name, t = "left", types.NonNull(j.In.Value)
	}
	f.alone = []jen.Code{f.unmatched(op.At)}
	other := f.find(op.Other, name, t, needed, op.At)
	f.outcome(other.there, op.At)
	f.alone = nil

	timestamp := f.latest("joinedAt", f.hand.timestamp, other)
	t = types.OptionalOf(j.Value.Base().Type)
	if op.Out.Old.Typed {
		old, before := f.joined(op, f.hand.old, other, f.hand.before, false, f.oldSlot(after, t, "joinedOld")), f.hand.before
		if op.Out.Was {
			before = f.joinedBefore(op, other)
		}
		f.hand.old, f.hand.before, f.hand.zero = old, before, false
	}
	f.hand.value, f.hand.timestamp = f.joined(op, f.hand.value, other, timestamp, true, f.slot(after, t, "joined")), timestamp
}

// joinedBefore is the time of the result that is replaced: of the rows that were there.
func (f *function) joinedBefore(op *plan.JoinRows, other lookup) *jen.Statement {
	kind := op.TableJoin.Kind
	if f.hand.zero || kind == model.Inner || kind == model.LeftJoin && op.Left { // without an old row there is no result, or its time is 0
		before := f.latest("joinedBefore", f.hand.before, other)
		f.declared(before)
		return before
	}
	before := jen.Id(f.names.New("joinedBefore", "timestampBefore"))
	switch {
	case other.there == nil || other.zero:
		f.add(before.Clone().Op(":=").Add(other.timestamp.Clone()))
	case other.row != nil:
		f.add(before.Clone().Op(":=").Add(other.row.Clone()).Dot("Latest").Call(jen.Lit(0)))
	default:
		f.add(jen.Var().Add(before.Clone()).Int64(), jen.If(other.there.Clone()).Block(before.Clone().Op("=").Add(other.timestamp.Clone())))
	}
	f.add(jen.If(f.hand.old.there()).Block(before.Clone().Op("=").Id("max").Call(before.Clone(), f.hand.before.Clone())))
	f.declared(before)
	return before
}

// joined is the result of a row of the side that changed, which may not be there, and the other side's: in the field dst if that is given.
func (f *function) joined(op *plan.JoinRows, mine held, other lookup, timestamp *jen.Statement, fresh bool, dst *jen.Statement) held {
	j := op.TableJoin
	left, right := mine, other.held(j.With.Out.Value)
	if !op.Left {
		left, right = other.held(types.NonNull(j.In.Value)), mine
	}
	var gives *jen.Statement // nil: always
	switch {
	case j.Kind == model.Outer && left.may() && right.may():
		gives = left.there().Op("||").Add(right.there())
	case j.Kind == model.LeftJoin && left.may():
		gives = left.there()
	case j.Kind == model.Inner:
		gives = allThere(left, right)
	}
	name := map[bool]string{true: "joined", false: "joinedOld"}[fresh]
	return f.given(name, j.Value, dst, gives, f.joinScope(j, left, right, timestamp), op.At, fresh)
}

// allThere is the condition that values are not null, nil if none of them can be.
func allThere(list ...held) (all *jen.Statement) {
	for _, h := range list {
		switch {
		case !h.may():
		case all == nil:
			all = h.there()
		default:
			all = all.Op("&&").Add(h.there())
		}
	}
	return all
}

// joinScope is what the value of a join sees of the two sides.
func (f *function) joinScope(j *model.TableJoin, left, right held, timestamp *jen.Statement) func(s *Scope) {
	l, r := types.NonNull(j.In.Value), j.With.Out.Value
	if j.Kind == model.Outer {
		l = types.OptionalOf(l)
	}
	if j.Kind != model.Inner {
		r = types.OptionalOf(r)
	}
	return func(s *Scope) {
		s.Timestamp = rt("temporal", "Timestamp").Call(timestamp.Clone())
		s.Value = left.asked(l)
		s.Join = func(string) Place { return right.asked(r) }
	}
}
