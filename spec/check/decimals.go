package check

import (
	"math/big"
	"strings"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// decimalType reads decimal(p, s).
func (c *checker) decimalType(args []syntax.Expr, e syntax.Expr) types.Type {
	const form = "decimal(12, 2): 12 digits, 2 of them behind the point"
	if len(args) != 2 {
		c.diags.Errorf("SG1308", e.Pos(), "decimal takes its digits, and how many of them stand behind the point").WithHint("%s", form)
		return types.Invalid
	}
	var n [2]int64
	for i, a := range args {
		k, ok := c.constant(a, types.Int64, "the size of a decimal")
		if !ok {
			return types.Invalid
		}
		n[i], _ = k.Value.(int64)
	}
	switch p, s := n[0], n[1]; {
	case p < 1 || p > types.MaxPrecision:
		c.diags.Errorf("SG1308", args[0].Pos(), "a decimal has 1 to %d digits, not %d", types.MaxPrecision, p).WithHint("%s", form)
		return types.Invalid
	case s < 0 || s > p:
		c.diags.Errorf("SG1308", args[1].Pos(), "of %d digits 0 to %d stand behind the point, not %d", p, p, s).WithHint("%s", form)
		return types.Invalid
	}
	return &types.Decimal{Precision: int(n[0]), Scale: int(n[1])}
}

// parseDecimal is the coefficient that digits of the source have with scale digits behind the point. It is nil if they need more.
func parseDecimal(text string, scale int) *big.Int {
	r, ok := parseRat(text)
	if !ok {
		return nil
	}
	r.Mul(r, new(big.Rat).SetInt(tens(scale)))
	if !r.IsInt() {
		return nil
	}
	return r.Num()
}

// parseRat reads a number. One whose exponent no decimal could hold is none: it would only cost memory.
func parseRat(text string) (*big.Rat, bool) {
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 2 {
		return nil, false
	}
	if len(text) > 400 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func tens(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// fitsDecimal tells whether a coefficient has no more digits than the type.
func fitsDecimal(n *big.Int, t *types.Decimal) bool {
	return n != nil && n.CmpAbs(tens(t.Precision)) < 0
}

// ownDecimal is the narrowest decimal that the digits of a literal fit, or nil: beside a decimal in an operator a literal is that.
func ownDecimal(text string) *types.Decimal {
	for scale := range types.MaxPrecision + 1 {
		n := parseDecimal(text, scale)
		if n == nil {
			continue
		}
		t := &types.Decimal{Precision: max(len(new(big.Int).Abs(n).String()), scale, 1), Scale: scale}
		if t.Precision > types.MaxPrecision {
			return nil
		}
		return t
	}
	return nil
}

// literalText is the digits of a number literal, with its sign, or "".
func literalText(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Number:
		return e.Text
	case *syntax.Paren:
		return literalText(e.X)
	case *syntax.Unary:
		if t := literalText(e.X); t != "" && e.Op == "-" && !strings.HasPrefix(t, "-") {
			return "-" + t
		}
	}
	return ""
}

// decimalArithmetic is an operator on decimals.
func (x *exprs) decimalArithmetic(e *syntax.Binary, l, r model.Expr, lt, rt *types.Decimal) model.Expr {
	if e.Op == "/" || e.Op == "%" {
		x.c.diags.Errorf("SG1311", e.At, "%s is not defined for decimals: nothing says how many digits the result has", e.Op).
			WithHint("`div(%s, %s, 2)`", x.c.text(e.L.Pos()), x.c.text(e.R.Pos()))
		return invalid(e.Pos())
	}
	t, ok := types.DecimalResult(e.Op, lt, rt)
	if !ok {
		x.c.diags.Errorf("SG1311", e.At, "%s %s %s has %d digits behind the point, a decimal at most %d", lt, e.Op, rt, t.Scale, types.MaxPrecision).
			WithHint("`decimal(%s, %d, 2)` has less", x.c.text(e.L.Pos()), types.MaxPrecision)
		return invalid(e.Pos())
	}
	if e.Op != "*" {
		l, r = x.coerce(l, t), x.coerce(r, t)
	}
	if k := x.foldDecimals(e.Op, t, l, r, e); k != nil {
		return k
	}
	return &model.Binary{ExprBase: base(t, e.Pos(), l, r), Op: e.Op, L: l, R: r}
}

// foldDecimals works out + - * of constants, or is nil.
func (x *exprs) foldDecimals(op string, t *types.Decimal, l, r model.Expr, e syntax.Expr) model.Expr {
	a, ok := l.(*model.Const)
	b, also := r.(*model.Const)
	if !ok || !also {
		return nil
	}
	v, ok := a.Value.(*big.Int)
	w, also := b.Value.(*big.Int)
	if !ok || !also {
		return nil
	}
	n := new(big.Int)
	switch op {
	case "+":
		n.Add(v, w)
	case "-":
		n.Sub(v, w)
	default:
		n.Mul(v, w)
	}
	k := constant(t, n, e.Pos())
	if !fitsDecimal(n, t) {
		x.c.diags.Errorf("SG1305", e.Pos(), "the result, %s, does not fit %s", model.Decimal(k), t)
		return invalid(e.Pos())
	}
	return k
}

// rescale is a constant decimal as one of another type that it fits, or nil.
func rescale(k *model.Const, t *types.Decimal) model.Expr {
	n, ok := k.Value.(*big.Int)
	from, also := k.Type.(*types.Decimal)
	if !ok || !also {
		return nil
	}
	r := new(big.Rat).SetFrac(new(big.Int).Mul(n, tens(t.Scale)), tens(from.Scale))
	if !r.IsInt() || !fitsDecimal(r.Num(), t) {
		return nil
	}
	return constant(t, r.Num(), k.Pos)
}

// decimal is decimal(x, p, s): x as a number with p digits, s of them behind the point.
func (x *exprs) decimal(e *syntax.Call) model.Expr {
	if len(e.Args) != 3 {
		x.c.diags.Errorf("SG1308", e.Pos(), "decimal converts a value to a number of so many digits, so many of them behind the point").
			WithHint("decimal(value.amount, 12, 2)")
		return invalid(e.Pos())
	}
	t, ok := x.c.decimalType(e.Args[1:], e).(*types.Decimal)
	if !ok {
		return invalid(e.Pos())
	}
	return x.convertTo(e, t)
}

// div is div(a, b, scale): the quotient of decimals with so many digits behind the point.
func (x *exprs) div(e *syntax.Call) model.Expr {
	scale, ok := x.c.constant(e.Args[2], types.Int64, "the third argument of div")
	if !ok {
		return invalid(e.Pos())
	}
	s, _ := scale.Value.(int64)
	if s < 0 || s > types.MaxPrecision {
		x.c.diags.Errorf("SG1308", e.Args[2].Pos(), "0 to %d digits stand behind the point, not %d", types.MaxPrecision, s)
		return invalid(e.Pos())
	}
	n := &model.Call{ExprBase: base(&types.Decimal{Precision: types.MaxPrecision, Scale: int(s)}, e.Pos()), Func: "div"}
	for _, a := range e.Args[:2] {
		var want types.Type
		if text := literalText(a); text != "" {
			if own := ownDecimal(text); own != nil {
				want = own
			}
		}
		v := x.check(a, want)
		switch t := v.Base().Type; {
		case types.IsInvalid(t):
			return v
		case types.IsOptional(t) || t == types.Null:
			x.mayBeNull(v, a, types.NonNull(t))
			return invalid(e.Pos())
		case t == types.Int32:
			v = x.coerce(v, &types.Decimal{Precision: 10})
		case t == types.Int64:
			v = x.coerce(v, &types.Decimal{Precision: 19})
		case !types.IsDecimal(t):
			x.c.diags.Errorf("SG1301", v.Base().Pos, "div takes decimals and whole numbers, is given %s", t)
			return invalid(e.Pos())
		}
		n.Args = append(n.Args, v)
	}
	k, known := n.Args[1].(*model.Const)
	divisor, _ := constValue(k).(*big.Int)
	switch {
	case known && divisor != nil && divisor.Sign() == 0:
		x.c.diags.Errorf("SG1313", e.Args[1].Pos(), "division by zero")
		return invalid(e.Pos())
	case !known:
		n.Fallible = true
		x.fails(e.Pos(), "division by zero")
	}
	n.Args = append(n.Args, scale)
	n.Fallible = n.Fallible || n.Args[0].Base().Fallible || n.Args[1].Base().Fallible
	return n
}

func constValue(k *model.Const) any {
	if k == nil {
		return nil
	}
	return k.Value
}
