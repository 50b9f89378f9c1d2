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
func (f *function) joinRows(op *plan.JoinRows) {
	j := op.TableJoin
	f.introduce(op.Step, exprText(j.Value))
	needed := !op.Shared && (j.Kind == model.Inner || j.Kind == model.LeftJoin && !op.Left)
	name, t := names.Lower(j.As), j.With.Out.Value
	if !op.Left {
		name, t = "left", types.NonNull(j.In.Value)
	}
	if f.plan.Kind != plan.FromRows { // a row that is asked for is no result
		f.alone = []jen.Code{f.unmatched(op.At)}
	}
	other := f.find(op.Other, name, t, needed, op.At)
	if f.alone != nil {
		f.outcome(other.there, op.At)
		f.alone = nil
	}

	timestamp := jen.Id(f.names.New("joined"+"At", "timestamp"))
	if needed {
		f.add(timestamp.Clone().Op(":=").Id("max").Call(f.hand.timestamp.Clone(), other.timestamp.Clone()))
	} else {
		f.add(timestamp.Clone().Op(":=").Add(f.hand.timestamp.Clone()),
			jen.If(other.there.Clone()).Block(timestamp.Clone().Op("=").Id("max").Call(timestamp.Clone(), other.timestamp.Clone())))
	}
	if op.Out.Old.Typed {
		old, before := f.joined(op, f.hand.old, other, f.hand.before, false), f.hand.before
		if op.Out.Was {
			before = f.joinedBefore(other)
		}
		f.hand.old, f.hand.before = old, before
	}
	f.hand.value, f.hand.timestamp = f.joined(op, f.hand.value, other, timestamp, true), timestamp
}

// joinedBefore is the time of the result that is replaced: of the rows that were there.
func (f *function) joinedBefore(other lookup) *jen.Statement {
	before := jen.Id(f.names.New("joinedBefore", "timestampBefore"))
	old := f.hand.old
	latest := func() jen.Code {
		return jen.If(old.there()).Block(before.Clone().Op("=").Id("max").Call(before.Clone(), f.hand.before.Clone()))
	}
	if other.there == nil {
		f.add(before.Clone().Op(":=").Add(other.timestamp.Clone()))
	} else {
		f.add(jen.Var().Add(before.Clone()).Int64(), jen.If(other.there.Clone()).Block(before.Clone().Op("=").Add(other.timestamp.Clone())))
	}
	f.add(latest())
	f.declared(before)
	return before
}

// joined is the result of a row of the side that changed, which may not be there, and the other side's.
func (f *function) joined(op *plan.JoinRows, mine held, other lookup, timestamp *jen.Statement, fresh bool) held {
	j := op.TableJoin
	out := f.unset(map[bool]string{true: "joined", false: "joinedOld"}[fresh], types.NonNull(j.Value.Base().Type))
	left, right := mine, other.held(j.With.Out.Value)
	if !op.Left {
		left, right = other.held(types.NonNull(j.In.Value)), mine
	}
	var gives *jen.Statement // nil: always
	both := func(a, b held) *jen.Statement {
		switch {
		case !a.may() || !b.may():
			return nil
		default:
			return a.there().Op("||").Add(b.there())
		}
	}
	switch {
	case j.Kind == model.Outer:
		gives = both(left, right)
	case j.Kind == model.LeftJoin && left.may():
		gives = left.there()
	case j.Kind == model.Inner:
		gives = allThere(left, right)
	}
	body := f.block(func() { f.joinValue(j, left, right, timestamp, out, op.At, fresh) })
	if gives != nil {
		f.makeNull(out)
		f.add(jen.If(gives).Block(body...))
	} else {
		f.add(body...)
	}
	return out
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

// held is the row as a held of type t.
func (r lookup) held(t types.Type) held {
	if r.there == nil {
		return held{typ: t, typed: &Place{It: r.value}}
	}
	return held{typ: types.OptionalOf(t), typed: &Place{Valid: r.there, Value: r.value}}
}

// joinValue gives out what the two sides give.
func (f *function) joinValue(j *model.TableJoin, left, right held, timestamp *jen.Statement, out held, at *plan.Position, fresh bool) {
	f.tried(at, fresh, []model.Expr{j.Value}, func(s *Scope) {
		s.Timestamp = rt("temporal", "Timestamp").Call(timestamp.Clone())
		l, r := types.NonNull(j.In.Value), j.With.Out.Value
		if j.Kind == model.Outer {
			l = types.OptionalOf(l)
		}
		if j.Kind != model.Inner {
			r = types.OptionalOf(r)
		}
		s.Value = left.asked(l)
		s.Join = func(string) Place { return right.asked(r) }
		f.set(s, out, j.Value)
	}, out.typed.It.Clone().Dot("Valid").Op("=").False())
}

// getJoined begins with what the rows of two tables give.
func (f *function) getJoined(op *plan.GetJoined) {
	j := op.TableJoin
	f.introduce(op.Step, exprText(j.Value))
	l := types.NonNull(j.In.Value)
	left := f.find(op.Left, "left", l, j.Kind != model.Outer, nil)
	right := f.find(op.Right, names.Lower(j.As), j.With.Out.Value, j.Kind == model.Inner, nil)
	timestamp := jen.Id(f.names.New("joinedAt", "latest"))
	switch {
	case left.there == nil && right.there == nil:
		f.add(timestamp.Clone().Op(":=").Id("max").Call(left.timestamp.Clone(), right.timestamp.Clone()))
	case left.there == nil:
		f.add(timestamp.Clone().Op(":=").Add(left.timestamp.Clone()), latest(timestamp, right))
	default:
		f.add(jen.Var().Add(timestamp.Clone()).Int64(), latest(timestamp, left), latest(timestamp, right),
			jen.If(jen.Op("!").Parens(left.there.Clone().Op("||").Add(right.there.Clone()))).Block(f.nothing()))
	}
	out := f.unset("joined", types.NonNull(j.Value.Base().Type))
	f.joinValue(j, left.held(l), right.held(j.With.Out.Value), timestamp, out, nil, false)
	out.sure = !types.IsOptional(j.Value.Base().Type)
	f.hand.value, f.hand.timestamp = out, timestamp
}

// latest moves a time to that of a row, if that is there and later.
func latest(timestamp *jen.Statement, r lookup) jen.Code {
	return jen.If(r.there.Clone()).Block(timestamp.Clone().Op("=").Id("max").Call(timestamp.Clone(), r.timestamp.Clone()))
}
