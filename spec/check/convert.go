package check

import (
	"fmt"
	"strings"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// must types an expression that has to be of type want. what names it in messages.
func (x *exprs) must(e syntax.Expr, want types.Type, what string) model.Expr {
	return x.assign(x.check(e, want), want, what)
}

// assign makes v a value of type to, by nodes that say how, or reports that it cannot be one.
func (x *exprs) assign(v model.Expr, to types.Type, what string) model.Expr {
	from := v.Base().Type
	if types.IsInvalid(from) || types.IsInvalid(to) {
		return v
	}
	if !types.Assignable(to, from) {
		x.notAssignable(v, to, what)
		return invalid(v.Base().Pos)
	}
	return x.coerce(v, to)
}

func (x *exprs) notAssignable(v model.Expr, to types.Type, what string) {
	from, at := v.Base().Type, v.Base().Pos
	src := x.c.text(at)
	switch {
	case from == types.Null:
		d := x.c.diags.Errorf("SG1302", at, "%s is %s and cannot be null", what, to)
		if strings.HasPrefix(what, "field ") {
			d.WithHint("`%s`, or declare it optional(%s)", sample(to), to)
		}
		return
	case types.IsOptional(from) && x.facts.has(doubt):
		return
	case types.IsOptional(from) && types.Assignable(to, types.NonNull(from)):
		x.c.diags.Errorf("SG1302", at, "%s is %s, but %s may be null", what, to, src).
			WithHint("`coalesce(%s, %s)`, or test `%s != null` first", src, sample(to), src)
		return
	}
	d := x.c.diags.Errorf("SG1301", at, "%s must be %s, is %s", what, to, from)
	a, b := types.NonNull(to), types.NonNull(from)
	ra, aRecord := a.(*types.Record)
	rb, bRecord := b.(*types.Record)
	switch {
	case aRecord && bRecord:
		d.WithDetail("%s", strings.Join(recordDifference(ra, rb), "; "))
	case x.misquoted(src, to, from) != "":
		d.WithHint("%s", x.misquoted(src, to, from))
	case a == types.Bool && types.IsNumber(b):
		d.WithHint("`%s > 0`?", src)
	case !types.IsOptional(from) && convertible(a, b):
		d.WithHint("`%s(%s)`", a, src)
	}
}

// recordDifference says why a record of type from is none of type to, a line a reason.
func recordDifference(to, from *types.Record) []string {
	var all []string
	for _, f := range from.Fields {
		if _, ok := to.Lookup(f.Name); !ok && f.Name != types.Unknown {
			all = append(all, fmt.Sprintf("field %q is not in %s", f.Name, to))
		}
	}
	for _, f := range to.Fields {
		g, ok := from.Lookup(f.Name)
		switch {
		case f.Name == types.Unknown:
		case !ok:
			all = append(all, fmt.Sprintf("field %q (%s) is missing", f.Name, f.Type))
		case !types.Assignable(f.Type, g.Type):
			all = append(all, fmt.Sprintf("field %q must be %s, is %s", f.Name, f.Type, g.Type))
		}
	}
	return all
}

// coerce makes v a value of type t, which it fits by Assignable, Unify or Widen.
func (x *exprs) coerce(v model.Expr, t types.Type) model.Expr {
	from, at := v.Base().Type, v.Base().Pos
	if types.IsInvalid(from) || types.IsInvalid(t) || types.Equal(from, t) {
		return v
	}
	if c, ok := v.(*model.Cond); ok {
		a, b := x.coerce(c.Then, t), x.coerce(c.Else, t)
		return &model.Cond{ExprBase: base(t, at, c.If, a, b), If: c.If, Then: a, Else: b}
	}
	if k, ok := v.(*model.Const); ok && k.Value == nil && elemOf(from) == nil {
		return constant(t, nil, at)
	}
	if to, ok := t.(*types.Optional); ok {
		if !types.IsOptional(from) {
			in := x.coerce(v, to.Elem)
			return &model.Wrap{ExprBase: base(t, at, in), X: in}
		}
		return x.coerceOptional(v, to)
	}
	if to, ok := t.(*types.Record); ok {
		return x.coerceRecord(v, to)
	}
	if from == types.EmptyList {
		return constant(t, nil, at)
	}
	if k, ok := v.(*model.Const); ok {
		if d, ok := t.(*types.Decimal); ok {
			if n := rescale(k, d); n != nil {
				return n
			}
		}
		if _, isInt := k.Value.(int64); isInt && t == types.Int64 {
			return constant(t, k.Value, at)
		}
	}
	return &model.Convert{ExprBase: base(t, at, v), X: v}
}

// coerceOptional makes an optional record one of another type.
func (x *exprs) coerceOptional(v model.Expr, to *types.Optional) model.Expr {
	at := v.Base().Pos
	if w, ok := v.(*model.Wrap); ok {
		in := x.coerce(w.X, to.Elem)
		return &model.Wrap{ExprBase: base(to, at, in), X: in}
	}
	if !isPath(v) {
		return &model.Convert{ExprBase: base(to, at, v), X: v}
	}
	in := x.coerce(&model.Unwrap{ExprBase: base(types.NonNull(v.Base().Type), at, v), X: v}, to.Elem)
	return &model.Cond{
		ExprBase: base(to, at, in),
		If:       &model.IsNull{ExprBase: base(types.Bool, at, v), X: v},
		Then:     constant(to, nil, at),
		Else:     &model.Wrap{ExprBase: base(to, at, in), X: in},
	}
}

// coerceRecord makes a record of another type with the same fields.
func (x *exprs) coerceRecord(v model.Expr, to *types.Record) model.Expr {
	from, ok := v.Base().Type.(*types.Record)
	at := v.Base().Pos
	if !ok || !takesApart(v) {
		return &model.Convert{ExprBase: base(to, at, v), X: v}
	}
	n := &model.New{}
	for _, f := range to.Fields {
		g, ok := from.Lookup(f.Name)
		switch {
		case ok:
			n.Fields = append(n.Fields, x.coerce(fieldOf(v, g), f.Type))
		case f.Name == types.Unknown:
			n.Fields = append(n.Fields, constant(f.Type, nil, at))
		default:
			return invalid(at)
		}
	}
	n.ExprBase = base(to, at, n.Fields...)
	return n
}

// isPath tells whether v is a name or fields of one, so that evaluating it twice costs and changes nothing.
func isPath(v model.Expr) bool {
	switch v := v.(type) {
	case *model.Var:
		return true
	case *model.Field:
		return isPath(v.X)
	case *model.Unwrap:
		return isPath(v.X)
	}
	return false
}

// takesApart tells whether fieldOf can name the fields of v.
func takesApart(v model.Expr) bool {
	switch v := v.(type) {
	case *model.New:
		return true
	case *model.Merge:
		return takesApart(v.X)
	}
	return isPath(v)
}

// fieldOf is one field of a record that takesApart.
func fieldOf(v model.Expr, f types.Field) model.Expr {
	switch v := v.(type) {
	case *model.New:
		r, _ := v.Type.(*types.Record)
		for i, g := range r.Fields {
			if g.Name == f.Name {
				return v.Fields[i]
			}
		}
	case *model.Merge:
		for _, s := range v.Set {
			if s.Name == f.Name {
				return s.Value
			}
		}
		return fieldOf(v.X, f)
	}
	return &model.Field{ExprBase: base(f.Type, v.Base().Pos, v), X: v, Name: f.Name}
}

// conversion is what T(x) does.
type conversion struct {
	total bool
	why   string // it fails
}

// conversionOf is the conversion from one type to another, if the language has it.
func conversionOf(to, from types.Type) (conversion, bool) {
	total := conversion{total: true}
	if e, ok := to.(*types.Enum); ok {
		switch {
		case types.Equal(to, from):
			return total, true
		case from == types.String:
			return conversion{why: "no value of " + e.Name}, true
		}
		return conversion{}, false
	}
	if d, ok := to.(*types.Decimal); ok {
		switch {
		case from == types.String || types.IsFloat(from):
			return conversion{why: "not a number that fits " + d.String()}, true
		case types.IsNumber(from):
			return conversion{total: types.DecimalFits(d, from), why: "it may not fit " + d.String()}, true
		}
		return conversion{}, false
	}
	if !isConversion(to) {
		return conversion{}, false
	}
	_, enum := from.(*types.Enum)
	switch {
	case types.Equal(to, from):
		return total, true
	case to == types.String:
		if from == types.Bytes {
			return conversion{why: "not UTF-8"}, true
		}
		if enum || types.IsNumber(from) || from == types.Bool || from == types.Timestamp || from == types.Duration || from == types.UUID {
			return total, true
		}
	case to == types.UUID:
		if from == types.String {
			return conversion{why: "not a UUID"}, true
		}
	case to == types.Bytes:
		if from == types.String {
			return total, true
		}
	case to == types.Timestamp:
		if from == types.String {
			return conversion{why: "not RFC 3339"}, true
		}
	case from == types.String:
		return conversion{why: "not a number"}, true
	case types.IsInteger(to) && (types.IsFloat(from) || types.IsDecimal(from)):
		return conversion{why: "not a whole number, or out of range"}, true
	case to == types.Int64 && from == types.Int32, types.IsFloat(to) && types.IsInteger(from), to == types.Float64 && types.IsNumber(from):
		return total, true
	case to == types.Float32 && from == types.Float64:
		return conversion{why: "no float32 is exactly that"}, true
	case to == types.Int32 && from == types.Int64:
		return conversion{why: "out of range"}, true
	}
	return conversion{}, false
}

func convertible(to, from types.Type) bool {
	_, ok := conversionOf(to, from)
	return ok && !types.Equal(to, from)
}

// isConversion tells whether the name of t, written as a function, converts.
func isConversion(t types.Type) bool {
	switch t {
	case types.String, types.Bytes, types.Int32, types.Int64, types.Float32, types.Float64, types.Timestamp, types.UUID:
		return true
	}
	return false
}

// conversion is T(x), with T a basic type or an enum.
func (x *exprs) conversion(e *syntax.Call, to types.Type) model.Expr {
	if len(e.Args) != 1 {
		m := x.c.diags.Errorf("SG1308", e.Pos(), "%s converts one value, is given %d", e.Name.Name, len(e.Args)).WithHint("`%s(x)`", e.Name.Name)
		if _, ok := x.s.lookup(e.Name.Name); ok && len(e.Args) == 0 {
			m.WithHint("without parentheses: `%s`", e.Name.Name)
		}
		return invalid(e.Pos())
	}
	return x.convertTo(e, to)
}

// convertTo converts the first argument of a call.
func (x *exprs) convertTo(e *syntax.Call, to types.Type) model.Expr {
	var want types.Type
	if x.c.flexible(e.Args[0]) && to != types.String {
		want = to
	}
	v := x.check(e.Args[0], want)
	from := v.Base().Type
	switch {
	case types.IsInvalid(from):
		return v
	case types.IsOptional(from) || from == types.Null:
		x.mayBeNull(v, e.Args[0], types.NonNull(from))
		return invalid(e.Pos())
	}
	k, ok := conversionOf(to, from)
	if !ok {
		d := x.c.diags.Errorf("SG1301", v.Base().Pos, "there is no conversion from %s to %s", from, to)
		if to == types.Int64 && from == types.Timestamp {
			d.WithHint("`timestamp - \"1970-01-01T00:00:00Z\"` is a duration")
		}
		return invalid(e.Pos())
	}
	if types.Equal(to, from) {
		return v
	}
	if to == types.String && k.total {
		if s := x.toString(v); s != nil {
			return s
		}
	}
	n := &model.Convert{ExprBase: base(to, e.Pos(), v), X: v}
	if !k.total {
		n.Fallible = true
		x.fails(e.Pos(), k.why)
	}
	return n
}
