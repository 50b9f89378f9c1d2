package check

import (
	"fmt"
	"math/big"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

func (x *exprs) unary(e *syntax.Unary, want types.Type) model.Expr {
	if e.Op == "!" {
		v := x.must(e.X, types.Bool, "the operand of !")
		if k, ok := v.(*model.Const); ok {
			if b, ok := k.Value.(bool); ok {
				return constant(types.Bool, !b, e.Pos())
			}
		}
		return x.ifValid(&model.Unary{ExprBase: base(types.Bool, e.Pos(), v), Op: "!", X: v}, v)
	}
	inner := e.X
	for {
		p, ok := inner.(*syntax.Paren)
		if !ok {
			break
		}
		inner = p.X
	}
	if n, ok := inner.(*syntax.Number); ok {
		return x.number("-"+n.Text, e.Pos(), want)
	}
	v := x.check(e.X, want)
	t := v.Base().Type
	switch {
	case types.IsInvalid(t):
		return v
	case types.IsOptional(t) || t == types.Null:
		x.mayBeNull(v, e.X, types.NonNull(t))
		return invalid(e.Pos())
	case !types.IsNumber(t):
		x.c.diags.Errorf("SG1311", e.Pos(), "- is not defined for %s", t)
		return invalid(e.Pos())
	}
	if k, ok := v.(*model.Const); ok {
		switch n := k.Value.(type) {
		case int64:
			return x.foldInts("-", t, 0, n, e.Pos())
		case float64:
			return constant(t, -n, e.Pos())
		case *big.Int:
			return constant(t, new(big.Int).Neg(n), e.Pos())
		}
	}
	return &model.Unary{ExprBase: base(t, e.Pos(), v), Op: "-", X: v}
}

// ifValid is n, or what was invalid among its parts.
func (x *exprs) ifValid(n model.Expr, parts ...model.Expr) model.Expr {
	for _, p := range parts {
		if types.IsInvalid(p.Base().Type) {
			return invalid(n.Base().Pos)
		}
	}
	return n
}

func (x *exprs) binary(e *syntax.Binary, want types.Type) model.Expr {
	switch e.Op {
	case "&&", "||":
		return x.logic(e)
	case "==", "!=":
		return x.equality(e)
	case "<", "<=", ">", ">=":
		l, r := x.operands(e, nil)
		return x.order(e, l, r)
	default:
		l, r := x.operands(e, want)
		return x.arithmetic(e, l, r)
	}
}

// operands types both sides of an operator. The side that is not made of literals gives the other one its type.
func (x *exprs) operands(e *syntax.Binary, want types.Type) (l, r model.Expr) {
	if x.c.flexible(e.L) && !x.c.flexible(e.R) {
		r = x.check(e.R, want)
		return x.check(e.L, x.partner(e, r.Base().Type, e.L)), r
	}
	l = x.check(e.L, want)
	t := l.Base().Type
	if t == types.Null {
		t = want
	}
	return l, x.check(e.R, x.partner(e, t, e.R))
}

// partner is the type that a literal has beside an operand of type t: a duration beside a timestamp that it is added to, and beside
// a decimal one that its own digits need.
func (x *exprs) partner(e *syntax.Binary, t types.Type, literal syntax.Expr) types.Type {
	if text := literalText(literal); text != "" && types.IsDecimal(types.NonNull(t)) {
		if own := ownDecimal(text); own != nil {
			return own
		}
	}
	if types.NonNull(t) != types.Timestamp || literal != e.R || e.Op != "+" && e.Op != "-" {
		return t
	}
	if s, ok := literal.(*syntax.Text); ok && e.Op == "-" {
		if _, why := parseTimestamp(s.Value); why == "" {
			return types.Timestamp
		}
	}
	return types.Duration
}

// logic is && and ||. The right side is only looked at if the left one did not decide, so it may rely on what that proves.
func (x *exprs) logic(e *syntax.Binary) model.Expr {
	side := "the operand of " + e.Op
	l := x.must(e.L, types.Bool, side)
	var r model.Expr
	x.in(proved(e.L, l, e.Op == "&&"), func() { r = x.must(e.R, types.Bool, side) })
	if k, ok := l.(*model.Const); ok {
		if b, ok := k.Value.(bool); ok {
			if b == (e.Op == "&&") {
				return r
			}
			return x.ifValid(l, l, r)
		}
	}
	return x.ifValid(&model.Binary{ExprBase: base(types.Bool, e.Pos(), l, r), Op: e.Op, L: l, R: r}, l, r)
}

// equality is == and !=, of one type or of T with optional(T).
func (x *exprs) equality(e *syntax.Binary) model.Expr {
	if isNull(e.L) || isNull(e.R) {
		return x.nullTest(e)
	}
	l, r := x.operands(e, nil)
	lt, rt := l.Base().Type, r.Base().Type
	if types.IsInvalid(lt) || types.IsInvalid(rt) {
		return invalid(e.Pos())
	}
	t, ok := types.Unify(lt, rt)
	if !ok {
		var wide types.Type
		if wide, ok = types.Widen(types.NonNull(lt), types.NonNull(rt)); ok && !types.IsOptional(lt) && !types.IsOptional(rt) {
			t = wide
		} else {
			x.mismatch(e, lt, rt, "compare")
			return invalid(e.Pos())
		}
	}
	l, r = x.coerce(l, t), x.coerce(r, t)
	if k := x.fold(e.Op, types.Bool, l, r, e.Pos()); k != nil {
		return k
	}
	return &model.Binary{ExprBase: base(types.Bool, e.Pos(), l, r), Op: e.Op, L: l, R: r}
}

// nullTest is x == null or x != null. Of what is never null it is known now.
func (x *exprs) nullTest(e *syntax.Binary) model.Expr {
	operand := e.L
	if isNull(e.L) {
		operand = e.R
	}
	not := e.Op == "!="
	if isNull(operand) {
		x.c.diags.Warnf("SG1904", e.Pos(), "null is null: this is always %t", !not)
		return constant(types.Bool, !not, e.Pos())
	}
	v := x.check(operand, nil)
	t := v.Base().Type
	switch {
	case types.IsInvalid(t):
		return v
	case !types.IsOptional(t):
		x.c.diags.Warnf("SG1904", e.Pos(), "%s is never null here: this is always %t", x.c.text(operand.Pos()), not).
			WithHint("remove the test")
		return constant(types.Bool, not, e.Pos())
	}
	return &model.IsNull{ExprBase: base(types.Bool, e.Pos(), v), X: v, Not: not}
}

func (x *exprs) order(e *syntax.Binary, l, r model.Expr) model.Expr {
	lt, rt := l.Base().Type, r.Base().Type
	switch {
	case types.IsInvalid(lt) || types.IsInvalid(rt):
		return invalid(e.Pos())
	case x.optionalOperand(l, e.L, rt) || x.optionalOperand(r, e.R, lt):
		return invalid(e.Pos())
	}
	t, ok := types.Widen(lt, rt)
	switch {
	case !ok:
		x.mismatch(e, lt, rt, "compare")
		return invalid(e.Pos())
	case !types.IsOrdered(t):
		x.c.diags.Errorf("SG1311", e.At, "%s is not defined for %s", e.Op, t)
		return invalid(e.Pos())
	}
	l, r = x.coerce(l, t), x.coerce(r, t)
	if k := x.fold(e.Op, types.Bool, l, r, e.Pos()); k != nil {
		return k
	}
	return &model.Binary{ExprBase: base(types.Bool, e.Pos(), l, r), Op: e.Op, L: l, R: r}
}

// optionalOperand reports an operand that may be null.
func (x *exprs) optionalOperand(v model.Expr, e syntax.Expr, other types.Type) bool {
	t := v.Base().Type
	if !types.IsOptional(t) && t != types.Null {
		return false
	}
	if t == types.Null {
		t = other
	}
	x.mayBeNull(v, e, types.NonNull(t))
	return true
}

func (x *exprs) arithmetic(e *syntax.Binary, l, r model.Expr) model.Expr {
	lt, rt := l.Base().Type, r.Base().Type
	switch {
	case types.IsInvalid(lt) || types.IsInvalid(rt):
		return invalid(e.Pos())
	case x.optionalOperand(l, e.L, rt) || x.optionalOperand(r, e.R, lt):
		return invalid(e.Pos())
	}
	if t := timeArithmetic(e.Op, lt, rt); t != types.Invalid {
		if k := x.fold(e.Op, t, l, r, e.Pos()); k != nil {
			return k
		}
		return &model.Binary{ExprBase: base(t, e.Pos(), l, r), Op: e.Op, L: l, R: r}
	}
	if e.Op == "+" && lt == types.String && rt == types.String {
		if k := x.fold(e.Op, types.String, l, r, e.Pos()); k != nil {
			return k
		}
		return &model.Binary{ExprBase: base(types.String, e.Pos(), l, r), Op: e.Op, L: l, R: r}
	}
	if e.Op == "+" {
		if _, ok := lt.(*types.List); ok {
			return x.concatLists(e, l, r)
		}
	}
	if a, ok := lt.(*types.Decimal); ok {
		if b, ok := rt.(*types.Decimal); ok {
			return x.decimalArithmetic(e, l, r, a, b)
		}
	}
	t, ok := types.Widen(lt, rt)
	if !ok {
		verb := map[string]string{"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "divide"}[e.Op]
		x.mismatch(e, lt, rt, verb)
		return invalid(e.Pos())
	}
	if !types.IsNumber(t) {
		d := x.c.diags.Errorf("SG1311", e.At, "%s is not defined for %s", e.Op, t)
		if t == types.Timestamp && e.Op == "+" {
			d.WithHint("a timestamp and a duration, or timestamp - timestamp")
		}
		return invalid(e.Pos())
	}
	l, r = x.coerce(l, t), x.coerce(r, t)
	fallible := false
	if (e.Op == "/" || e.Op == "%") && types.IsInteger(t) {
		k, known := r.(*model.Const)
		if known && k.Value == int64(0) {
			x.c.diags.Errorf("SG1313", e.R.Pos(), "division by zero")
			return invalid(e.Pos())
		}
		fallible = !known
	}
	if k := x.fold(e.Op, t, l, r, e.Pos()); k != nil {
		return k
	}
	n := &model.Binary{ExprBase: base(t, e.Pos(), l, r), Op: e.Op, L: l, R: r}
	if fallible {
		n.Fallible = true
		x.fails(e.Pos(), "division by zero")
	}
	return n
}

// concatLists is list + list.
func (x *exprs) concatLists(e *syntax.Binary, l, r model.Expr) model.Expr {
	t, ok := types.Unify(l.Base().Type, r.Base().Type)
	if !ok {
		x.mismatch(e, l.Base().Type, r.Base().Type, "add")
		return invalid(e.Pos())
	}
	l, r = x.coerce(l, t), x.coerce(r, t)
	return &model.Binary{ExprBase: base(t, e.Pos(), l, r), Op: "+", L: l, R: r}
}

// timeArithmetic is the type of an operation on times, or Invalid if it is none.
func timeArithmetic(op string, l, r types.Type) types.Type {
	switch {
	case op == "-" && l == types.Timestamp && r == types.Timestamp:
		return types.Duration
	case (op == "+" || op == "-") && l == types.Timestamp && r == types.Duration:
		return types.Timestamp
	case (op == "+" || op == "-") && l == types.Duration && r == types.Duration:
		return types.Duration
	}
	return types.Invalid
}

// mismatch reports operands of two types, with the conversion that would help.
func (x *exprs) mismatch(e *syntax.Binary, l, r types.Type, verb string) {
	d := x.c.diags.Errorf("SG1303", e.Pos(), "%s and %s do not %s", l, r, verb)
	lt, rt := types.NonNull(l), types.NonNull(r)
	literal := func(s syntax.Expr, other types.Type) string {
		t, ok := s.(*syntax.Text)
		if !ok || !types.IsNumber(other) {
			return ""
		}
		if _, why := parseNumber(t.Value, other); why != "" {
			return ""
		}
		return t.Value
	}
	switch {
	case literal(e.R, lt) != "":
		d.WithHint("a number is written without quotes: `%s`", literal(e.R, lt))
	case literal(e.L, rt) != "":
		d.WithHint("a number is written without quotes: `%s`", literal(e.L, rt))
	case lt == types.String && rt != types.String && convertible(types.String, rt) && verb == "add":
		d.WithHint("`string(%s)`, or a template: \"${…}${…}\"", x.c.text(e.R.Pos()))
	case rt == types.String && lt != types.String && convertible(types.String, lt) && verb == "add":
		d.WithHint("`string(%s)`, or a template: \"${…}${…}\"", x.c.text(e.L.Pos()))
	case types.IsDecimal(lt) && types.IsInteger(rt):
		d.WithHint("`decimal(%s, 19, 0)`", x.c.text(e.R.Pos()))
	case types.IsDecimal(rt) && types.IsInteger(lt):
		d.WithHint("`decimal(%s, 19, 0)`", x.c.text(e.L.Pos()))
	case types.IsFloat(lt) && types.IsInteger(rt):
		d.WithHint("`%s(%s)`", lt, x.c.text(e.R.Pos()))
	case types.IsFloat(rt) && types.IsInteger(lt):
		d.WithHint("`%s(%s)`", rt, x.c.text(e.L.Pos()))
	case lt == types.Duration && types.IsInteger(rt) && (verb == "multiply" || verb == "divide"):
		d.WithHint("`from_ms(to_ms(%s) %s %s)`", x.c.text(e.L.Pos()), e.Op, x.c.text(e.R.Pos()))
	case lt == types.Timestamp && types.IsInteger(rt) && verb == "compare":
		d.WithHint("`from_unix_ms(%s)`", x.c.text(e.R.Pos()))
	case (lt == types.Timestamp || lt == types.Duration) && types.IsInteger(rt):
		d.WithHint("a text with a unit, `\"5m\"`, or `from_ms(%s)`", x.c.text(e.R.Pos()))
	case convertible(lt, rt):
		d.WithHint("`%s(%s)`", lt, x.c.text(e.R.Pos()))
	case convertible(rt, lt):
		d.WithHint("`%s(%s)`", rt, x.c.text(e.L.Pos()))
	}
}

// proved is what a condition that was typed proves.
func proved(e syntax.Expr, v model.Expr, holds bool) []string {
	if types.IsInvalid(v.Base().Type) {
		return []string{doubt}
	}
	return proves(e, holds)
}

// conditional is c ? a : b. Both sides are of one type; T and null give optional(T).
func (x *exprs) conditional(e *syntax.Conditional, want types.Type) model.Expr {
	warnings := x.c.diags.Warnings()
	cond := x.must(e.Cond, types.Bool, "the condition")
	if k, ok := cond.(*model.Const); ok && !types.IsInvalid(k.Type) && x.c.diags.Warnings() == warnings && !build(e.Cond) {
		x.c.diags.Warnf("SG1904", e.Cond.Pos(), "this is always %t", k.Value == true).WithHint("remove the other side")
	}
	var a, b model.Expr
	left := func(want types.Type) { x.in(proved(e.Cond, cond, true), func() { a = x.check(e.Then, want) }) }
	right := func(want types.Type) { x.in(proved(e.Cond, cond, false), func() { b = x.check(e.Else, want) }) }
	context := func(v model.Expr) types.Type {
		if t := v.Base().Type; t != types.Null && !types.IsInvalid(t) {
			if types.IsOptional(want) {
				return types.OptionalOf(t)
			}
			return t
		}
		return want
	}
	if x.c.flexible(e.Then) && !x.c.flexible(e.Else) {
		right(want)
		left(context(b))
	} else {
		left(want)
		right(context(a))
	}
	t, ok := types.Unify(a.Base().Type, b.Base().Type)
	if !ok {
		x.c.diags.Errorf("SG1303", e.Pos(), "the sides of ?: are %s and %s", a.Base().Type, b.Base().Type).
			WithHint("both must be of one type").
			WithRelated(e.Then.Pos(), "%s", a.Base().Type).WithRelated(e.Else.Pos(), "%s", b.Base().Type)
		return invalid(e.Pos())
	}
	if types.IsInvalid(cond.Base().Type) || types.IsInvalid(a.Base().Type) || types.IsInvalid(b.Base().Type) {
		return invalid(e.Pos())
	}
	a, b = x.coerce(a, t), x.coerce(b, t)
	if k, ok := cond.(*model.Const); ok {
		if k.Value == true {
			return a
		}
		return b
	}
	return &model.Cond{ExprBase: base(t, e.Pos(), cond, a, b), If: cond, Then: a, Else: b}
}

// mayBeNull reports a null where none may be.
func (x *exprs) mayBeNull(v model.Expr, e syntax.Expr, t types.Type) {
	if v.Base().Type == types.Null {
		x.c.diags.Errorf("SG1302", e.Pos(), "null cannot stand here")
		return
	}
	x.nullError(v.Base().Pos, x.c.text(e.Pos()), t)
}

func (x *exprs) nullError(at diag.Range, src string, t types.Type) {
	if x.facts.has(doubt) {
		return
	}
	x.c.diags.Errorf("SG1302", at, "%s may be null", src).
		WithHint("`coalesce(%s, %s)`, or test `%s != null` first", src, sample(t), src)
}

// sample is a value of a type, for hints.
func sample(t types.Type) string {
	switch t := t.(type) {
	case *types.Enum:
		if len(t.Values) > 0 {
			return fmt.Sprintf("%q", t.Values[0])
		}
	case types.Basic:
		switch t {
		case types.String, types.Bytes:
			return `""`
		case types.Bool:
			return "false"
		case types.Int32, types.Int64:
			return "0"
		case types.Float32, types.Float64:
			return "0.0"
		case types.Duration:
			return `"0s"`
		}
	case *types.Decimal:
		return "0"
	case *types.List:
		return "[]"
	}
	return "…"
}
