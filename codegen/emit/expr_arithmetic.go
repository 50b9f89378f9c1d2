package emit

import (
	"math"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// canFail says whether evaluating e can fail, an overflow included.
func canFail(e model.Expr) bool {
	if t, ok := e.(*model.Try); ok {
		return canFail(t.Fallback)
	}
	if failsItself(e) {
		return true
	}
	for _, p := range model.Parts(e) {
		if canFail(p) {
			return true
		}
	}
	return false
}

// failsItself says whether e can fail although its parts did not: then it is a call with an error as second result.
func failsItself(e model.Expr) bool {
	t := e.Base().Type
	switch e := e.(type) {
	case *model.Unary:
		return e.Op == "-" && isWhole(t)
	case *model.Binary:
		switch e.Op {
		case "+", "-", "*":
			return isWhole(t) || overflows(e)
		case "/", "%":
			k, ok := e.R.(*model.Const)
			// The smallest integer divided by -1 overflows.
			return types.IsInteger(t) && (!ok || k.Value == int64(0) || e.Op == "/" && k.Value == int64(-1))
		}
	case *model.Index:
		return true
	case *model.Convert:
		return conversionFails(t, e.X.Base().Type)
	case *model.Call:
		return libraryFails(e)
	case *model.UserCall:
		return userFails(e)
	}
	return false
}

// overflows says whether an operation on decimals may have more digits than its type.
func overflows(e *model.Binary) bool {
	l, ok := e.L.Base().Type.(*types.Decimal)
	r, also := e.R.Base().Type.(*types.Decimal)
	t, decimal := e.Type.(*types.Decimal)
	return ok && also && decimal && types.DecimalOverflows(e.Op, l, r, t)
}

// isWhole says whether t is an integer or made of one.
func isWhole(t types.Type) bool {
	return types.IsInteger(t) || t == types.Timestamp || t == types.Duration
}

// checked writes an operation that can fail: its result goes into a variable, and its error to Fail.
func (w *writer) checked(e model.Expr, hint string) code {
	call := w.operation(e)
	v := jen.Id(w.Names.New(w.namesOf(e, hint)...))
	w.add(
		jen.List(v.Clone(), jen.Err()).Op(":=").Add(call),
		jen.If(jen.Err().Op("!=").Nil()).Block(w.Fail(jen.Err())...))
	return variable(v)
}

// operation is the call of an operation that can fail. What its operands need runs before.
func (w *writer) operation(e model.Expr) *jen.Statement {
	switch e := e.(type) {
	case *model.Unary:
		return rt("arith", "Neg").Call(w.typed(e.X, "").Statement)
	case *model.Index:
		return w.element(e)
	case *model.Binary:
		return w.checkedBinary(e)
	case *model.Convert:
		return w.failingConversion(e)
	case *model.Call:
		return w.failingCall(e)
	case *model.UserCall:
		return w.goCall(e)
	}
	panic("emit: not an operation that can fail")
}

func (w *writer) checkedBinary(e *model.Binary) *jen.Statement {
	name := map[string]string{"+": "Add", "-": "Sub", "*": "Mul", "/": "Div", "%": "Rem"}[e.Op]
	lt, rt2 := e.L.Base().Type, e.R.Base().Type
	if lt == types.Timestamp {
		if rt2 == types.Timestamp {
			name = "Since"
		}
		return w.typed(e.L, "").in(precPrimary).Dot(name).Call(w.value(e.R, "").Statement)
	}
	l, r := w.value(e.L, "").Statement, w.value(e.R, "").Statement
	if types.IsDecimal(lt) {
		return rt("decimal", name).Call(l, r)
	}
	if isConst(e.L) && isConst(e.R) { // nothing else says what type they have
		l = w.typed(e.L, "").Statement
	}
	return rt("arith", name).Call(l, r)
}

func isConst(e model.Expr) bool { _, ok := e.(*model.Const); return ok }

// binary writes an operation that cannot fail.
func (w *writer) binary(e *model.Binary, hint string) code {
	t := e.Type
	switch e.Op {
	case "+":
		if t == types.String {
			return primary(w.concat([]model.Expr{e.L, e.R}))
		}
		if _, ok := t.(*types.List); ok {
			return w.made(e, hint)
		}
	case "-", "*", "/", "%":
	default:
		return w.condition(e, false, hint)
	}
	if l, ok := e.L.(*model.Const); ok && types.IsFloat(t) {
		if r, ok := e.R.(*model.Const); ok { // Go computes with constants exactly, and has no NaN among them
			return floatLiteral(compute(e.Op, floatOf(l), floatOf(r)))
		}
	}
	if types.IsDecimal(t) {
		name := map[string]string{"+": "Plus", "-": "Minus", "*": "Times"}[e.Op]
		return primary(w.value(e.L, "").in(precPrimary).Dot(name).Call(w.value(e.R, "").Statement))
	}
	if e.Op == "%" && types.IsFloat(t) {
		mod := func(x model.Expr) *jen.Statement {
			if t == types.Float32 {
				return jen.Float64().Call(w.typed(x, "").Statement)
			}
			return w.value(x, "").Statement
		}
		c := jen.Qual("math", "Mod").Call(mod(e.L), mod(e.R))
		if t == types.Float32 {
			c = jen.Float32().Call(c)
		}
		return primary(c)
	}
	own := precAdd
	if e.Op == "*" || e.Op == "/" || e.Op == "%" {
		own = precMul
	}
	return operator(w.value(e.L, "").in(own).Op(e.Op).Add(w.value(e.R, "").in(own+1)), own)
}

func floatOf(k *model.Const) float64 {
	if n, ok := k.Value.(int64); ok {
		return float64(n)
	}
	return k.Value.(float64)
}

func compute(op string, a, b float64) float64 {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	}
	return math.Mod(a, b)
}

// try writes X, or the fallback where it fails.
func (w *writer) try(e *model.Try, hint string) code {
	if !canFail(e.X) {
		return w.value(e.X, hint)
	}
	x, null := e.X, false
	if some, ok := x.(*model.Wrap); ok {
		if k, ok := e.Fallback.(*model.Const); ok && k.Value == nil {
			x, null = some.X, true // try(f(…), null)
		}
	}
	var call *jen.Statement
	if isOperation(x) && !partsFail(x) {
		call = w.operation(x)
	} else {
		call = w.attempt(x)
	}
	v := jen.Id(w.Names.New(w.namesOf(x, hint)...))
	w.add(jen.List(v.Clone(), jen.Err()).Op(":=").Add(call))
	if null { // now: the next operation that can fail has the same err
		o := jen.Id(w.Names.New(w.namesOf(e, hint)...))
		w.add(o.Clone().Op(":=").Add(rt("optional", "If")).Call(v, jen.Err().Op("==").Nil()))
		return variable(o)
	}
	w.add(jen.If(jen.Err().Op("!=").Nil()).Block(w.nested(func(w *writer) { w.assign(v, e.Fallback) })...))
	return variable(v)
}

func partsFail(e model.Expr) bool {
	for _, p := range model.Parts(e) {
		if canFail(p) {
			return true
		}
	}
	return false
}

// attempt is the call of a function literal that evaluates e and returns its value and error: several parts of e can fail, and
// all of them end in one place.
func (w *writer) attempt(e model.Expr) *jen.Statement {
	t := e.Base().Type
	inner := &writer{Scope: w.Scope, loops: w.loops}
	scope := *w.Scope
	scope.Fail = func(err *jen.Statement) []jen.Code { return []jen.Code{jen.Return(w.zero(t), err)} }
	inner.Scope = &scope
	if isOperation(e) {
		inner.add(jen.Return(inner.operation(e)))
	} else {
		v := inner.value(e, "")
		inner.add(jen.Return(v.Statement, jen.Nil()))
	}
	return jen.Func().Params().Params(w.Records.goType(t), jen.Error()).Block(inner.body...).Call()
}

// zero is the zero value of t.
func (w *writer) zero(t types.Type) *jen.Statement {
	switch t {
	case types.String:
		return jen.Lit("")
	case types.Bool:
		return jen.False()
	case types.Bytes:
		return jen.Nil()
	case types.UUID:
		return w.Records.goType(t).Values()
	}
	switch t.(type) {
	case *types.List, *types.Map:
		return jen.Nil()
	case *types.Optional, *types.Record, *types.Decimal:
		return w.Records.goType(t).Values()
	}
	return jen.Lit(0)
}
