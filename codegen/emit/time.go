package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
)

// eventTime gives the record its time. One that is negative is none.
func (f *function) eventTime(op *plan.EventTime) {
	text := "the record's"
	switch {
	case op.Processing:
		text = "the wall clock"
	case op.Field != nil:
		text = exprText(op.Field)
	}
	f.address = op.Address
	f.add(comment(op.Address + ": " + text))
	if op.Field != nil {
		f.add(f.enters(op.At, op.Field)...)
	}
	timestamp := jen.Id(f.names.New("timestamp", "eventTime"))
	now := func() *jen.Statement {
		f.usesTask = true
		return jen.Id("s").Dot("task").Dot("Now").Call()
	}
	invalid := f.invalidTime(op)
	switch {
	case op.Processing:
		f.add(timestamp.Clone().Op(":=").Add(now()))
		f.hand.timestamp = timestamp
		return
	case op.Field == nil:
		f.add(timestamp.Clone().Op(":=").Add(f.hand.timestamp.Clone()))
	default:
		var e model.Expr = op.Field
		if op.Store != nil && plan.CanFail(e) { // what cannot be read is no time
			e = &model.Try{ExprBase: model.ExprBase{Type: e.Base().Type}, X: e, Fallback: &model.Const{ExprBase: model.ExprBase{Type: e.Base().Type}, Value: int64(-1)}}
		}
		s := f.scope(op.At)
		s.Fail = invalid
		before, v := s.Expr(e)
		f.add(before...)
		f.add(timestamp.Clone().Op(":=").Int64().Call(v))
	}
	if op.Future != nil {
		f.add(jen.If(timestamp.Clone().Op(">").Add(now()).Op("+").Add(millis(op.MaxFuture.Milliseconds()))).Block(
			f.reject(op.Future, "BadInput")(rt("record", "ErrFuture"))...))
	}
	if f.hand.timestamp = timestamp; f.plan.Kind == plan.FromTurn {
		return
	}
	if op.Store != nil {
		f.usesTask = true
		f.add(timestamp.Clone().Op("=").Add(storeField(op.Store)).Dot("Seen").Call(jen.Id("s").Dot("task").Dot("TopicOf").Call(jen.Id("r")), timestamp.Clone()))
	}
	f.add(jen.If(timestamp.Clone().Op("<").Lit(0)).Block(invalid(rt("record", "ErrTimestamp"))...))
}

// invalidTime ends a record without a time.
func (f *function) invalidTime(op *plan.EventTime) Fail {
	if op.OnInvalid != model.InvalidSkips || f.plan.Kind == plan.FromTurn {
		return f.reject(op.At, "BadInput")
	}
	return func(*jen.Statement) []jen.Code {
		return []jen.Code{jen.Add(f.counter("invalid time", op.At)).Dot("Inc").Call(), jen.Return(jen.Nil())}
	}
}

// turns tell the task by which times the records of sources take their turns.
func (s *sub) turns() (list []jen.Code) {
	for _, src := range s.plan.Sources {
		if src.Turn == nil {
			continue
		}
		index := jen.Lit(0)
		if len(s.plan.Sources) > 1 {
			index = jen.Id(src.Go)
		}
		list = append(list, jen.Id("t").Dot("EventTimes").Call(index, jen.Id("s").Dot(src.Turn.Go)))
	}
	return list
}
