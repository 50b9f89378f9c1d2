package check

import (
	"cmp"
	"math"
	"math/big"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// fold is an operator over two constants, worked out now: an overflow is found here and not by every record, and Go, which refuses
// constant expressions that overflow, never sees one. The result is nil if there is nothing to work out.
func (x *exprs) fold(op string, t types.Type, l, r model.Expr, at diag.Range) model.Expr {
	a, ok := l.(*model.Const)
	b, also := r.(*model.Const)
	if !ok || !also {
		return nil
	}
	switch v := a.Value.(type) {
	case int64:
		w, ok := b.Value.(int64)
		if !ok {
			return nil
		}
		if known, ok := compare(op, v, w); ok {
			return constant(types.Bool, known, at)
		}
		return x.foldInts(op, t, v, w, at)
	case float64:
		w, ok := b.Value.(float64)
		if !ok {
			return nil
		}
		if known, ok := compare(op, v, w); ok {
			return constant(types.Bool, known, at)
		}
		f := foldFloats(op, v, w)
		if t == types.Float32 { // rounding twice is rounding once: float64 has more than twice the digits
			f = float64(float32(f))
		}
		return constant(t, f, at)
	case *big.Int: // operands of comparisons have one type, so their coefficients compare
		w, ok := b.Value.(*big.Int)
		if !ok {
			return nil
		}
		if known, ok := compare(op, v.Cmp(w), 0); ok {
			return constant(types.Bool, known, at)
		}
	case string:
		w, ok := b.Value.(string)
		if !ok {
			return nil
		}
		if known, ok := compare(op, v, w); ok {
			return constant(types.Bool, known, at)
		}
		return constant(t, v+w, at)
	case bool:
		w, ok := b.Value.(bool)
		switch {
		case ok && op == "==":
			return constant(types.Bool, v == w, at)
		case ok && op == "!=":
			return constant(types.Bool, v != w, at)
		}
	}
	return nil
}

// foldInts works out an operator on integers, timestamps and durations. The divisor is not zero.
func (x *exprs) foldInts(op string, t types.Type, a, b int64, at diag.Range) model.Expr {
	l, r, n := big.NewInt(a), big.NewInt(b), new(big.Int)
	switch op {
	case "+":
		n.Add(l, r)
	case "-":
		n.Sub(l, r)
	case "*":
		n.Mul(l, r)
	case "/":
		n.Quo(l, r)
	case "%":
		n.Rem(l, r)
	default:
		return nil
	}
	if !n.IsInt64() || t == types.Int32 && (n.Int64() < math.MinInt32 || n.Int64() > math.MaxInt32) {
		x.c.diags.Errorf("SG1305", at, "the result, %s, does not fit %s", n, t)
		return invalid(at)
	}
	return constant(t, n.Int64(), at)
}

func foldFloats(op string, a, b float64) float64 {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	default:
		return math.Mod(a, b)
	}
}

// compare is a comparison of constants, of floats by IEEE; the second result is false if op is none.
func compare[T cmp.Ordered](op string, a, b T) (result, ok bool) {
	switch op {
	case "==":
		return a == b, true
	case "!=":
		return a != b, true
	case "<":
		return a < b, true
	case "<=":
		return a <= b, true
	case ">":
		return a > b, true
	case ">=":
		return a >= b, true
	}
	return false, false
}
