package plan

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// ofTable says whether the steps of a block work on the rows of another table.
func ofTable(b *model.Block) bool {
	return b.Kind == model.Table && len(b.From) == 1 && b.From[0].Block.Kind == model.Table && !b.From[0].Late
}

// onRows is a step on rows as one on their changes: a delete stays one, and a row that does not pass is absent. What that changes
// is found by the put at the end of the block.
func onRows(s model.Step) model.Step {
	b := *s.Base()
	var value model.Expr
	switch s := s.(type) {
	case *model.Filter:
		var then, other model.Expr = changeOf(b), none(b)
		if !types.IsOptional(b.In.Value) {
			then = &model.Wrap{ExprBase: exprBase(b, b.Out.Value), X: then}
		}
		if s.Not {
			then, other = other, then
		}
		value = &model.Cond{ExprBase: exprBase(b, b.Out.Value, s.Where), If: s.Where, Then: then, Else: other}
	case *model.MapValues:
		value = s.Value
	default:
		return s
	}
	if types.IsOptional(b.In.Value) {
		if !types.IsOptional(value.Base().Type) {
			value = &model.Wrap{ExprBase: exprBase(b, b.Out.Value, value), X: value}
		}
		gone := &model.IsNull{ExprBase: exprBase(b, types.Bool), X: changeOf(b)}
		value = &model.Cond{ExprBase: exprBase(b, b.Out.Value, value), If: gone, Then: none(b), Else: value}
	}
	return &model.MapValues{StepBase: b, Value: value}
}

// exprBase is that of an expression of type t that a step is made to have.
func exprBase(b model.StepBase, t types.Type, parts ...model.Expr) model.ExprBase {
	e := model.ExprBase{Type: t, Pos: b.Pos}
	for _, p := range parts {
		e.Fallible = e.Fallible || p.Base().Fallible
	}
	return e
}

// changeOf is what comes to a step on rows, and none the change that deletes.
func changeOf(b model.StepBase) model.Expr {
	return &model.Var{ExprBase: exprBase(b, b.In.Value), Root: model.RootValue}
}

func none(b model.StepBase) model.Expr { return &model.Const{ExprBase: exprBase(b, b.Out.Value)} }
