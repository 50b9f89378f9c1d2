package emit

import (
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// condition writes e, a bool, or its opposite.
func (w *writer) condition(e model.Expr, negate bool, hint string) code {
	switch e := e.(type) {
	case *model.Const:
		return primary(jen.Lit(e.Value.(bool) != negate))
	case *model.Unary:
		return w.condition(e.X, !negate, hint)
	case *model.IsNull:
		return w.presence(e.X, e.Not == negate)
	case *model.Binary:
		if e.Op == "&&" || e.Op == "||" {
			return w.logic(e, negate, hint)
		}
		return w.comparison(e, negate)
	}
	c := w.value(e, hint)
	if negate {
		return operator(jen.Op("!").Add(c.in(precPrimary)), precUnary)
	}
	return c
}

// presence is the condition that the optional e is not null, or that it is.
func (w *writer) presence(e model.Expr, null bool) code {
	var p Place
	switch e := e.(type) {
	case *model.Wrap:
		return primary(jen.Lit(!null))
	case *model.Var:
		p = w.place(e)
	case *model.AggRef:
		p = w.Aggregators[e.Index]
	case *model.Field:
		p = Place{It: w.field(e)}
	default:
		p = Place{It: w.local(e, "")}
	}
	switch {
	case null && p.Null != nil:
		return operator(p.Null.Clone(), precCompare)
	case null && p.Valid != nil:
		return operator(negated(p.Valid), precUnary)
	case p.Valid != nil:
		return operator(p.Valid.Clone(), precCompare)
	case null:
		return operator(jen.Op("!").Add(p.It.Clone()).Dot("Valid"), precUnary)
	}
	return primary(p.It.Clone().Dot("Valid"))
}

// isNil and notNil are conditions of a pointer or of bytes.
func isNil(x *jen.Statement) *jen.Statement  { return x.Clone().Op("==").Nil() }
func notNil(x *jen.Statement) *jen.Statement { return x.Clone().Op("!=").Nil() }

// negated is the opposite of a condition.
func negated(cond *jen.Statement) *jen.Statement {
	if isPath(cond.GoString()) {
		return jen.Op("!").Add(cond.Clone())
	}
	return jen.Op("!").Parens(cond.Clone())
}

// isPath says whether a Go expression is a variable or a field.
func isPath(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r != '.' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// logic writes && and ||. The right side runs only where the left one did not decide: if it needs statements, so do they.
func (w *writer) logic(e *model.Binary, negate bool, hint string) code {
	right := &writer{Scope: w.Scope, loops: w.loops}
	r := right.condition(e.R, negate, "")
	if len(right.body) == 0 {
		op, own := e.Op, precAnd
		if negate { // !(a && b) is !a || !b
			op = map[string]string{"&&": "||", "||": "&&"}[op]
		}
		if op == "||" {
			own = precOr
		}
		// An operand of the other operator gets parentheses although && binds tighter: few know.
		side := func(c code) *jen.Statement {
			if c.prec != own && c.prec < precCompare {
				return jen.Parens(c.Statement)
			}
			return c.Statement.Clone()
		}
		left := w.condition(e.L, negate, "")
		return operator(side(left).Op(op).Add(side(r)), own)
	}
	left := w.condition(e.L, false, "")
	v := jen.Id(w.Names.New(w.namesOf(e, hint)...))
	open := v.Clone()
	if e.Op == "||" {
		open = jen.Op("!").Add(open)
	}
	block := w.nested(func(w *writer) {
		r := w.condition(e.R, false, "")
		w.add(v.Clone().Op("=").Add(r.Statement))
	})
	w.add(v.Clone().Op(":=").Add(left.Statement), jen.If(open).Block(block...))
	if negate {
		return operator(jen.Op("!").Add(v), precUnary)
	}
	return variable(v)
}

// opposites of the operators of comparison.
var opposites = map[string]string{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

func (w *writer) comparison(e *model.Binary, negate bool) code {
	t := e.L.Base().Type
	if e.Op == "==" || e.Op == "!=" {
		return w.equality(t, e.L, e.R, negate != (e.Op == "!="))
	}
	if types.IsDecimal(t) {
		op := e.Op
		if negate {
			op = opposites[op]
		}
		return operator(w.value(e.L, "").in(precPrimary).Dot("Cmp").Call(w.value(e.R, "").Statement).Op(op).Lit(0), precCompare)
	}
	l, r := w.value(e.L, "").in(precAdd), w.value(e.R, "").in(precAdd)
	if negate && types.IsFloat(t) { // NaN is neither below nor not below
		return operator(jen.Op("!").Parens(l.Op(e.Op).Add(r)), precUnary)
	}
	op := e.Op
	if negate {
		op = opposites[op]
	}
	return operator(l.Op(op).Add(r), precCompare)
}

// equality is the condition that l and r, of type t, are equal, or that they differ. Floats are compared as numbers, but as
// their bits where they are fields of records.
func (w *writer) equality(t types.Type, l, r model.Expr, differ bool) code {
	op := "=="
	if differ {
		op = "!="
	}
	prefixed := func(c *jen.Statement) code {
		if differ {
			return operator(jen.Op("!").Add(c), precUnary)
		}
		return primary(c)
	}
	if o, ok := t.(*types.Optional); ok {
		return w.optionalEquality(o, l, r, differ)
	}
	if t == types.Bool {
		if k, ok := r.(*model.Const); ok {
			return w.condition(l, differ == k.Value.(bool), "")
		}
		if k, ok := l.(*model.Const); ok {
			return w.condition(r, differ == k.Value.(bool), "")
		}
	}
	_, isList := t.(*types.List)
	_, isMap := t.(*types.Map)
	if (isList || isMap) && isConst(l) {
		l, r = r, l
	}
	switch {
	case (isList || isMap) && isConst(r): // the constant is empty
		return operator(jen.Len(w.value(l, "").Statement).Op(op).Lit(0), precCompare)
	case IsRecord(t) || isList || isMap:
		return prefixed(w.Records.equal(t, w.local(l, ""), w.local(r, ""), false))
	case t == types.Bytes:
		return prefixed(jen.Qual("bytes", "Equal").Call(w.value(l, "").Statement, w.value(r, "").Statement))
	}
	return operator(w.value(l, "").in(precAdd).Op(op).Add(w.value(r, "").in(precAdd)), precCompare)
}

func (w *writer) optionalEquality(o *types.Optional, l, r model.Expr, differ bool) code {
	if _, ok := l.(*model.Wrap); ok {
		l, r = r, l
	}
	if x, ok := r.(*model.Wrap); ok { // T with optional(T)
		op, own := "&&", precAnd
		if differ {
			op, own = "||", precOr
		}
		if _, cell := l.(*model.AggRef); !cell && !w.stays(l) { // it is looked at twice
			outer := w.Scope
			defer func() { w.Scope = outer }()
			l = w.named(l)
		}
		there := w.presence(l, differ)
		inner := &writer{Scope: w.Scope, loops: w.loops}
		same := inner.equality(o.Elem, &model.Unwrap{ExprBase: model.ExprBase{Type: o.Elem}, X: l}, x.X, differ)
		if len(inner.body) == 0 {
			return operator(there.in(precCompare).Op(op).Add(same.in(precCompare)), own)
		}
	}
	if comparable(o.Elem) || types.IsFloat(o.Elem) {
		call := rt("optional", "Equal").Call(w.typed(l, "").Statement, w.typed(r, "").Statement)
		if differ {
			return operator(jen.Op("!").Add(call), precUnary)
		}
		return primary(call)
	}
	same := w.Records.equal(o, w.local(l, ""), w.local(r, ""), differ)
	if differ {
		return operator(same, precUnary)
	}
	return operator(same, precAnd)
}
