package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// atom is a comparison of a path with a constant that is known to hold. It is what warnings of conditions without effect go by;
// types go by facts.
type atom struct {
	path  string // value.amount
	op    string
	value any // int64, float64, string or bool
	enum  int // of an enum: how many values it has
}

// atoms are what is known at a place. A list is never changed once made.
type atoms []atom

// without drops what is known about name and all below it, because name was replaced.
func (k atoms) without(name string) atoms {
	return slices.DeleteFunc(slices.Clone(k), func(a atom) bool { return a.path == name || strings.HasPrefix(a.path, name+".") })
}

// both is what is known in k and in other.
func (k atoms) both(other atoms) atoms {
	return slices.DeleteFunc(slices.Clone(k), func(a atom) bool { return !slices.Contains(other, a) })
}

// assume adds what is known if a condition holds, or does not.
func (k atoms) assume(e model.Expr, holds bool) atoms {
	switch e := e.(type) {
	case *model.Unary:
		if e.Op == "!" {
			return k.assume(e.X, !holds)
		}
	case *model.Binary:
		if e.Op == "&&" && holds || e.Op == "||" && !holds {
			return k.assume(e.L, holds).assume(e.R, holds)
		}
	}
	a, ok := atomOf(e)
	if !ok {
		return k
	}
	if !holds {
		if _, float := a.value.(float64); float {
			return k // of NaN neither a comparison nor its opposite holds
		}
		a.op = opposite[a.op]
	}
	return append(slices.Clip(k), a)
}

// settles tells whether a condition is known to hold, or not to, where k is known.
func (k atoms) settles(e model.Expr) (holds, known bool) {
	switch e := e.(type) {
	case *model.Const:
		b, ok := e.Value.(bool)
		return b, ok
	case *model.Unary:
		if e.Op == "!" {
			holds, known = k.settles(e.X)
			return !holds, known
		}
	case *model.Binary:
		switch e.Op {
		case "&&", "||":
			decides := e.Op == "||" // what one side must be to decide alone
			l, lKnown := k.settles(e.L)
			if lKnown && l == decides {
				return decides, true
			}
			r, rKnown := k.assume(e.L, !decides).settles(e.R)
			if rKnown && r == decides {
				return decides, true
			}
			return !decides, lKnown && rKnown
		case "==", "!=", "<", "<=", ">", ">=":
			if p := pathOf(e.L); p != "" && p == pathOf(e.R) && !types.IsFloat(types.NonNull(e.L.Base().Type)) {
				return e.Op == "==" || e.Op == "<=" || e.Op == ">=", true
			}
		}
	}
	a, ok := atomOf(e)
	if !ok {
		return false, false
	}
	switch {
	case k.implies(a):
		return true, true
	case k.implies(atom{a.path, opposite[a.op], a.value, a.enum}):
		return false, true
	}
	return false, false
}

// implies tells whether a follows from one of k, or, of an enum, from all of them together.
func (k atoms) implies(a atom) bool {
	excluded := 0
	var seen []any
	for _, b := range k {
		if b.path != a.path {
			continue
		}
		if b.implies(a) {
			return true
		}
		if b.op == "!=" && b.value != a.value && !slices.Contains(seen, b.value) {
			seen = append(seen, b.value)
			excluded++
		}
	}
	return a.enum > 0 && a.op == "==" && excluded == a.enum-1
}

// implies tells whether b follows from a, of one path.
func (a atom) implies(b atom) bool {
	order := compareValues(a.value, b.value) // of the constants
	switch a.op {
	case "==":
		switch b.op {
		case "==":
			return order == 0
		case "!=":
			return order != 0
		case "<":
			return order < 0
		case "<=":
			return order <= 0
		case ">":
			return order > 0
		case ">=":
			return order >= 0
		}
	case "!=":
		return b.op == "!=" && order == 0
	case "<":
		return (b.op == "<" || b.op == "<=") && order <= 0 || b.op == "!=" && order <= 0
	case "<=":
		return b.op == "<=" && order <= 0 || (b.op == "<" || b.op == "!=") && order < 0
	case ">":
		return (b.op == ">" || b.op == ">=") && order >= 0 || b.op == "!=" && order >= 0
	case ">=":
		return b.op == ">=" && order >= 0 || (b.op == ">" || b.op == "!=") && order > 0
	}
	return false
}

func compareValues(a, b any) int {
	switch a := a.(type) {
	case int64:
		b, _ := b.(int64)
		return cmp.Compare(a, b)
	case float64:
		b, _ := b.(float64)
		return cmp.Compare(a, b)
	case string:
		b, _ := b.(string)
		return strings.Compare(a, b)
	case bool:
		if a == b {
			return 0
		}
	}
	return 1
}

var (
	opposite = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
	mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
)

// atomOf reads a condition that compares a path of the record with a constant, or is a path of type bool.
func atomOf(e model.Expr) (atom, bool) {
	if p := pathOf(e); p != "" && e.Base().Type == types.Bool {
		return atom{path: p, op: "==", value: true}, true
	}
	b, ok := e.(*model.Binary)
	if !ok || opposite[b.Op] == "" {
		return atom{}, false
	}
	l, r, op := b.L, b.R, b.Op
	if _, ok := unwrapped(l).(*model.Const); ok {
		l, r, op = r, l, mirrored[op]
	}
	k, ok := unwrapped(r).(*model.Const)
	path := pathOf(l)
	if !ok || path == "" || types.IsOptional(l.Base().Type) {
		return atom{}, false
	}
	switch k.Value.(type) {
	case int64, float64, string, bool:
	default:
		return atom{}, false
	}
	a := atom{path: path, op: op, value: k.Value}
	if t, ok := k.Type.(*types.Enum); ok {
		a.enum = len(t.Values)
	}
	return a, true
}

func unwrapped(e model.Expr) model.Expr {
	if w, ok := e.(*model.Wrap); ok {
		return w.X
	}
	return e
}

// pathOf is a path below the key or the value, or "". Widening an integer changes no comparison.
func pathOf(e model.Expr) string {
	switch e := e.(type) {
	case *model.Var:
		switch e.Root {
		case model.RootKey:
			return "key"
		case model.RootValue:
			return "value"
		}
	case *model.Field:
		if p := pathOf(e.X); p != "" {
			return p + "." + e.Name
		}
	case *model.Unwrap:
		return pathOf(e.X)
	case *model.WindowPart: // of the key, and gone with it
		switch p := pathOf(e.X); {
		case p == "" || e.Part == model.InnerKey:
			return p
		case e.Part == model.WindowStart:
			return p + ".window.start"
		default:
			return p + ".window.end"
		}
	}
	return ""
}
