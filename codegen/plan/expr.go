package plan

import (
	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// CanFail says whether evaluating e can fail at run time: it is Fallible, or something overflows in it, which counts as bad
// logic too. What a try catches does not count. A call of a function of the user's
// always can: no try catches a panic.
func CanFail(e model.Expr) bool {
	if e == nil {
		return false
	}
	switch e := e.(type) {
	case *model.Try:
		return CanFail(e.Fallback) || model.CallsUser(e.X)
	case *model.UserCall:
		return true
	}
	if e.Base().Fallible || overflows(e) {
		return true
	}
	for _, x := range model.Parts(e) {
		if CanFail(x) {
			return true
		}
	}
	return false
}

// overflows says whether the outermost operation of e gives a whole number that may not fit its type.
func overflows(e model.Expr) bool {
	if c, ok := e.(*model.Call); ok {
		return library.Overflows(c)
	}
	t := e.Base().Type
	if d, ok := t.(*types.Decimal); ok {
		return decimalOverflows(e, d)
	}
	if !isWhole(t) {
		return false
	}
	switch e := e.(type) {
	case *model.Unary:
		return e.Op == "-"
	case *model.Binary:
		if e.Op == "/" { // the smallest integer by -1
			divisor, ok := e.R.(*model.Const)
			return !ok || divisor.Value == int64(-1)
		}
		return e.Op == "+" || e.Op == "-" || e.Op == "*"
	}
	return false
}

// decimalOverflows says whether the outermost operation of e, of type t, may give more digits than t has.
func decimalOverflows(e model.Expr, t *types.Decimal) bool {
	switch e := e.(type) {
	case *model.Binary:
		l, _ := e.L.Base().Type.(*types.Decimal)
		r, _ := e.R.Base().Type.(*types.Decimal)
		return l != nil && r != nil && types.DecimalOverflows(e.Op, l, r, t)
	case *model.Convert:
		return !types.DecimalFits(t, e.X.Base().Type)
	}
	return false
}

// isWhole says whether values of t are whole numbers, which have a largest one.
func isWhole(t types.Type) bool {
	return types.IsInteger(t) || t == types.Timestamp || t == types.Duration
}
