package plan

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// CanFail says whether evaluating e can fail at run time: it is Fallible, or integers can overflow in it. What a try catches
// does not count.
func CanFail(e model.Expr) bool {
	if e == nil {
		return false
	}
	switch x := e.(type) {
	case *model.Try:
		return CanFail(x.Fallback)
	case *model.Binary:
		if checked(x.Op, x.Type) {
			return true
		}
	case *model.Unary:
		if x.Op == "-" && types.IsInteger(x.Type) {
			return true
		}
	}
	if e.Base().Fallible {
		return true
	}
	for _, x := range model.Parts(e) {
		if CanFail(x) {
			return true
		}
	}
	return false
}

// checked says whether an operator with a result of type t is checked for overflow.
func checked(op string, t types.Type) bool {
	switch op {
	case "+", "-", "*":
		return types.IsInteger(t) || t == types.Timestamp || t == types.Duration
	}
	return false
}
