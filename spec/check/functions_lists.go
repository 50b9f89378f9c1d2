package check

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// listArg types the first argument of a function of lists and gives the type of its elements, which is nil if it is no list. That
// an element type fits is for fits to say, which is nil if all do; kinds names the types that do.
func (x *exprs) listArg(e *syntax.Call, fits func(types.Type) bool, kinds string) (model.Expr, types.Type) {
	v := x.check(e.Args[0], nil)
	t := v.Base().Type
	l, ok := t.(*types.List)
	switch {
	case types.IsInvalid(t):
		return v, nil
	case types.IsOptional(t) || t == types.Null:
		x.mayBeNull(v, e.Args[0], types.NonNull(t))
		return v, nil
	case !ok:
		x.c.diags.Errorf("SG1301", v.Base().Pos, "%s takes a list, is given %s", e.Name.Name, t)
		return v, nil
	case types.IsInvalid(l.Elem):
		return v, nil
	case l.Elem == types.Null:
		x.c.diags.Errorf("SG1312", v.Base().Pos, "nothing says what type the elements of [] have")
		return v, nil
	case fits != nil && !fits(l.Elem):
		x.c.diags.Errorf("SG1301", v.Base().Pos, "%s takes a list of %s, is given %s", e.Name.Name, kinds, t)
		return v, nil
	}
	return v, l.Elem
}

func (x *exprs) listCall(e *syntax.Call, t types.Type, args ...model.Expr) model.Expr {
	return x.ifValid(&model.Call{ExprBase: base(t, e.Pos(), args...), Func: e.Name.Name, Args: args}, args...)
}

const orderedKinds = "numbers, strings, timestamps or durations"

// sumOf is the sum of a list's numbers or durations; 0 of an empty one.
func (x *exprs) sumOf(e *syntax.Call, _ types.Type) model.Expr {
	v, elem := x.listArg(e, summable, "numbers or durations")
	if elem == nil {
		return invalid(e.Pos())
	}
	t := elem
	switch d, ok := elem.(*types.Decimal); {
	case ok:
		t = &types.Decimal{Precision: types.MaxPrecision, Scale: d.Scale}
	case elem == types.Int32:
		t = types.Int64
	case elem == types.Float32:
		t = types.Float64
	}
	return x.listCall(e, t, v)
}

func summable(t types.Type) bool { return types.IsNumber(t) || t == types.Duration }

// averageOf is the mean of a list's numbers, or null of an empty one.
func (x *exprs) averageOf(e *syntax.Call, _ types.Type) model.Expr {
	v, elem := x.listArg(e, func(t types.Type) bool { return types.IsInteger(t) || types.IsFloat(t) }, "integers or floats")
	if elem == nil {
		return invalid(e.Pos())
	}
	return x.listCall(e, types.OptionalOf(types.Float64), v)
}

// extremeOf is min_of and max_of: null of an empty list.
func (x *exprs) extremeOf(e *syntax.Call, _ types.Type) model.Expr {
	v, elem := x.listArg(e, types.IsOrdered, orderedKinds)
	if elem == nil {
		return invalid(e.Pos())
	}
	return x.listCall(e, types.OptionalOf(elem), v)
}

// endOf is first_of and last_of: null of an empty list.
func (x *exprs) endOf(e *syntax.Call, _ types.Type) model.Expr {
	v, elem := x.listArg(e, func(t types.Type) bool { return !types.IsOptional(t) }, "what cannot be null")
	if elem == nil {
		return invalid(e.Pos())
	}
	return x.listCall(e, types.OptionalOf(elem), v)
}

// quantifier is any_of and all_of.
func (x *exprs) quantifier(e *syntax.Call, _ types.Type) model.Expr {
	v, elem := x.listArg(e, func(t types.Type) bool { return t == types.Bool }, "bools")
	if elem == nil {
		if l, ok := v.Base().Type.(*types.List); ok && l.Elem != types.Bool && !types.IsInvalid(l.Elem) {
			x.c.diags[len(x.c.diags)-1].WithHint("%s([for x in %s : x > 0])", e.Name.Name, x.c.text(e.Args[0].Pos()))
		}
		return invalid(e.Pos())
	}
	return x.listCall(e, types.Bool, v)
}

// distinctOf is the first of each of a list's equal elements.
func (x *exprs) distinctOf(e *syntax.Call, _ types.Type) model.Expr {
	v, elem := x.listArg(e, isPlain, "values without parts")
	if elem == nil {
		return invalid(e.Pos())
	}
	return x.listCall(e, v.Base().Type, v)
}

// isPlain says whether values of t have no parts, so that Go compares them.
func isPlain(t types.Type) bool {
	switch t := t.(type) {
	case types.Basic:
		return t != types.Bytes
	case *types.Enum, *types.Decimal:
		return true
	}
	return false
}

// sortOf is a list in ascending order.
func (x *exprs) sortOf(e *syntax.Call, _ types.Type) model.Expr {
	v, elem := x.listArg(e, types.IsOrdered, orderedKinds)
	if elem == nil {
		return invalid(e.Pos())
	}
	return x.listCall(e, v.Base().Type, v)
}

// sortBy is a list of records in ascending order of a field.
func (x *exprs) sortBy(e *syntax.Call, _ types.Type) model.Expr {
	isRecord := func(t types.Type) bool { _, ok := t.(*types.Record); return ok }
	v, elem := x.listArg(e, isRecord, "records")
	k := x.known(e.Args[1], types.String, "argument 2 of sort_by")
	if elem == nil || k == nil {
		return invalid(e.Pos())
	}
	name, _ := k.Value.(string)
	r, _ := elem.(*types.Record)
	f, ok := r.Lookup(name)
	switch {
	case !ok:
		x.noField(r, syntax.Ident{Name: name, Range: e.Args[1].Pos()})
		return invalid(e.Pos())
	case !types.IsOrdered(f.Type):
		x.c.diags.Errorf("SG1301", e.Args[1].Pos(), "sort_by takes a field of %s; %q is %s", orderedKinds, name, f.Type)
		return invalid(e.Pos())
	}
	return x.listCall(e, v.Base().Type, v, k)
}

// slice is a part of a list.
func (x *exprs) slice(e *syntax.Call, _ types.Type) model.Expr {
	v, elem := x.listArg(e, nil, "")
	args := []model.Expr{v}
	for i, a := range e.Args[1:] {
		args = append(args, x.must(a, types.Int64, "argument "+itoa(i+2)+" of slice"))
	}
	if elem == nil {
		return invalid(e.Pos())
	}
	return x.listCall(e, v.Base().Type, args...)
}

// contains is whether a part stands in a string, or an element in a list.
func (x *exprs) contains(e *syntax.Call, _ types.Type) model.Expr {
	v := x.check(e.Args[0], nil)
	t := v.Base().Type
	l, ok := t.(*types.List)
	switch {
	case types.IsInvalid(t):
		x.check(e.Args[1], nil)
		return v
	case !ok:
		if !types.IsOptional(t) && t != types.String {
			x.check(e.Args[1], nil)
			x.c.diags.Errorf("SG1301", v.Base().Pos, "contains takes a string or a list, is given %s", t)
			return invalid(e.Pos())
		}
		v = x.assign(v, types.String, "argument 1 of contains")
		return x.listCall(e, types.Bool, v, x.must(e.Args[1], types.String, "argument 2 of contains"))
	case t == types.EmptyList || l.Elem == types.Null:
		x.c.diags.Errorf("SG1312", v.Base().Pos, "nothing says what type the elements of [] have")
		return invalid(e.Pos())
	}
	return x.listCall(e, types.Bool, v, x.must(e.Args[1], l.Elem, "argument 2 of contains"))
}

// reverse is a string or a list from its end.
func (x *exprs) reverse(e *syntax.Call, _ types.Type) model.Expr {
	v := x.check(e.Args[0], nil)
	if t := v.Base().Type; t == types.String || types.IsInvalid(t) {
		return x.listCall(e, t, v)
	} else if l, ok := t.(*types.List); ok && l.Elem != types.Null {
		return x.listCall(e, t, v)
	}
	t := v.Base().Type
	if types.IsOptional(t) || t == types.Null {
		x.mayBeNull(v, e.Args[0], types.NonNull(t))
		return invalid(e.Pos())
	}
	x.c.diags.Errorf("SG1301", v.Base().Pos, "reverse takes a string or a list, is given %s", t)
	return invalid(e.Pos())
}
