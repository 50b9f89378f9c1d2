package check

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// anyNumber types the argument of a function that takes any number; it is nil if that is none.
func (x *exprs) anyNumber(e *syntax.Call, want types.Type) model.Expr {
	v := x.check(e.Args[0], want)
	t := v.Base().Type
	switch {
	case types.IsInvalid(t):
		return nil
	case types.IsOptional(t) || t == types.Null:
		x.mayBeNull(v, e.Args[0], types.NonNull(t))
		return nil
	case !types.IsNumber(t):
		x.c.diags.Errorf("SG1301", v.Base().Pos, "%s takes a number, is given %s", e.Name.Name, t)
		return nil
	}
	return v
}

func (x *exprs) abs(e *syntax.Call, want types.Type) model.Expr {
	v := x.anyNumber(e, want)
	if v == nil {
		return invalid(e.Pos())
	}
	return &model.Call{ExprBase: base(v.Base().Type, e.Pos(), v), Func: "abs", Args: []model.Expr{v}}
}

// rounding is the whole number near a float or a decimal.
func (x *exprs) rounding(e *syntax.Call, _ types.Type) model.Expr {
	var want types.Type
	if literalText(e.Args[0]) != "" {
		want = types.Float64
	}
	v := x.anyNumber(e, want)
	if v == nil {
		return invalid(e.Pos())
	}
	switch t := v.Base().Type; {
	case types.IsFloat(t):
		v = x.coerce(v, types.Float64)
	case !types.IsDecimal(t):
		x.c.diags.Errorf("SG1301", v.Base().Pos, "%s takes a float or a decimal, is given %s", e.Name.Name, t).WithHint("a whole number is one already")
		return invalid(e.Pos())
	}
	return &model.Call{ExprBase: base(types.Int64, e.Pos(), v), Func: e.Name.Name, Args: []model.Expr{v}}
}

// sign is -1, 0 or 1.
func (x *exprs) sign(e *syntax.Call, _ types.Type) model.Expr {
	v := x.anyNumber(e, nil)
	if v == nil {
		return invalid(e.Pos())
	}
	return &model.Call{ExprBase: base(types.Int64, e.Pos(), v), Func: "sign", Args: []model.Expr{v}}
}

// clamp is min(max(x, low), high).
func (x *exprs) clamp(e *syntax.Call, want types.Type) model.Expr {
	c, ok := x.minMax(e, want).(*model.Call)
	if !ok {
		return invalid(e.Pos())
	}
	inner := &model.Call{ExprBase: base(c.Type, e.Pos(), c.Args[:2]...), Func: "max", Args: c.Args[:2]}
	return &model.Call{ExprBase: c.ExprBase, Func: "min", Args: []model.Expr{inner, c.Args[2]}}
}

// length is that of a string, a list or a map.
func (x *exprs) length(e *syntax.Call, _ types.Type) model.Expr {
	v := x.check(e.Args[0], nil)
	t := v.Base().Type
	switch {
	case types.IsInvalid(t):
		return v
	case types.IsOptional(t) || t == types.Null:
		x.mayBeNull(v, e.Args[0], types.NonNull(t))
		return invalid(e.Pos())
	case t != types.String && elemOf(t) == nil || t == types.EmptyList:
		x.c.diags.Errorf("SG1301", v.Base().Pos, "length takes a string, a list or a map, is given %s", t)
		return invalid(e.Pos())
	}
	return &model.Call{ExprBase: base(types.Int64, e.Pos(), v), Func: "length", Args: []model.Expr{v}}
}

// minMax is min and max of several numbers or times of one type.
func (x *exprs) minMax(e *syntax.Call, want types.Type) model.Expr {
	args := make([]model.Expr, len(e.Args))
	var t types.Type = types.Invalid
	bad := false
	one := func(i int, want types.Type) {
		a := e.Args[i]
		args[i] = x.check(a, want)
		at := args[i].Base().Type
		switch {
		case types.IsInvalid(at):
			bad = true
		case types.IsOptional(at) || at == types.Null:
			x.mayBeNull(args[i], a, types.NonNull(at))
			bad = true
		case !types.IsNumber(at) && at != types.Timestamp && at != types.Duration:
			x.c.diags.Errorf("SG1301", a.Pos(), "%s takes numbers, timestamps or durations, is given %s", e.Name.Name, at)
			bad = true
		case types.IsInvalid(t):
			t = at
		default:
			wide, ok := types.Widen(t, at)
			if !ok {
				x.c.diags.Errorf("SG1303", a.Pos(), "%s takes values of one type, here are %s and %s", e.Name.Name, t, at)
				bad = true
				return
			}
			t = wide
		}
	}
	for i, a := range e.Args {
		if !x.c.flexible(a) {
			one(i, want)
		}
	}
	for i, a := range e.Args {
		if x.c.flexible(a) {
			if !types.IsInvalid(t) {
				want = t
			}
			one(i, want)
		}
	}
	if bad {
		return invalid(e.Pos())
	}
	for i := range args {
		args[i] = x.coerce(args[i], t)
	}
	return &model.Call{ExprBase: base(t, e.Pos(), args...), Func: e.Name.Name, Args: args}
}

// coalesce is x, or y where x is null.
func (x *exprs) coalesce(e *syntax.Call, want types.Type) model.Expr {
	v := x.check(e.Args[0], nil)
	t := v.Base().Type
	if types.IsInvalid(t) {
		x.check(e.Args[1], want)
		return v
	}
	if !types.IsOptional(t) {
		if t == types.Null {
			x.mayBeNull(v, e.Args[0], t)
			return invalid(e.Pos())
		}
		x.c.diags.Warnf("SG1904", e.Pos(), "%s is never null: coalesce changes nothing", x.c.text(e.Args[0].Pos())).
			WithHint("%s", x.c.text(e.Args[0].Pos()))
	}
	elem := types.NonNull(t)
	y := x.check(e.Args[1], elem)
	yt := y.Base().Type
	if types.IsInvalid(yt) {
		return y
	}
	result := elem
	if types.IsOptional(yt) || yt == types.Null {
		result = types.OptionalOf(elem)
	}
	y = x.assign(y, result, "argument 2 of coalesce")
	if types.IsInvalid(y.Base().Type) {
		return y
	}
	if !types.IsOptional(t) {
		return x.coerce(v, result)
	}
	return &model.Call{ExprBase: base(result, e.Pos(), v, y), Func: "coalesce", Args: []model.Expr{v, y}}
}

// try is x, or fallback where x fails. What is fallible in x is handled by that.
func (x *exprs) try(e *syntax.Call, want types.Type) model.Expr {
	before := len(x.causes)
	v := x.check(e.Args[0], want)
	x.causes = slices.Clip(x.causes[:before])
	context := v.Base().Type
	if types.IsInvalid(context) || context == types.Null {
		context = want
	}
	f := x.check(e.Args[1], context)
	if types.IsInvalid(v.Base().Type) || types.IsInvalid(f.Base().Type) {
		return invalid(e.Pos())
	}
	t, ok := types.Unify(v.Base().Type, f.Base().Type)
	if !ok {
		x.c.diags.Errorf("SG1303", e.Pos(), "try gives %s, or else %s", v.Base().Type, f.Base().Type).WithHint("both must be of one type")
		return invalid(e.Pos())
	}
	v, f = x.coerce(v, t), x.coerce(f, t)
	n := &model.Try{ExprBase: base(t, e.Pos(), f), X: v, Fallback: f}
	return n
}
