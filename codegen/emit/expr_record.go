package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// assign writes e into dst, which e does not read.
func (w *writer) assign(dst *jen.Statement, e model.Expr) {
	switch e := e.(type) {
	case *model.Cond:
		if side := w.decided(e); side != nil {
			w.assign(dst, side)
			return
		}
		w.choose(dst, e)
		return
	case *model.Call:
		if e.Func == "coalesce" && !w.defaults(e) && !w.sure(e.Args[0]) {
			w.unfolded(e, func(c *model.Cond) { w.choose(dst, c) })
			return
		}
	case *model.Wrap:
		if IsRecord(e.X.Base().Type) {
			w.add(dst.Clone().Dot("Valid").Op("=").True())
			w.assign(dst.Clone().Dot("Value"), e.X)
			return
		}
	case *model.Merge:
		if types.Equal(e.Type, e.X.Base().Type) {
			w.assign(dst, e.X)
			for _, s := range e.Set {
				w.assign(dst.Clone().Dot(w.Records.fieldName(e.Type, s.Name)), s.Value)
			}
			return
		}
	}
	w.add(dst.Clone().Op("=").Add(w.value(e, "").Statement))
}

// chosen writes If ? Then : Else into a variable.
func (w *writer) chosen(e *model.Cond, hint string) *jen.Statement {
	if !isConst(e.Then) && !isConst(e.Else) {
		name := jen.Id(w.Names.New(w.namesOf(e, hint)...))
		w.add(jen.Var().Add(name.Clone()).Add(w.Records.goType(e.Type)))
		w.choose(name, e)
		return name
	}
	then, otherwise := e.Then, e.Else
	negate := !isConst(otherwise) // what costs nothing comes first
	if negate {
		then, otherwise = otherwise, then
	}
	cond := w.condition(e.If, negate, "")
	name := jen.Id(w.Names.New(w.namesOf(e, hint)...))
	if k := otherwise.(*model.Const); k.Value == nil {
		w.add(jen.Var().Add(name.Clone()).Add(w.Records.goType(e.Type)))
	} else {
		w.add(name.Clone().Op(":=").Add(w.constant(k, true).Statement))
	}
	w.add(jen.If(cond.Statement).Block(w.nested(func(w *writer) { w.assign(name, then) })...))
	return name
}

// choose writes If ? Then : Else into dst.
func (w *writer) choose(dst *jen.Statement, e *model.Cond) {
	cond := w.condition(e.If, false, "")
	choice := jen.If(cond.Statement).Block(w.nested(func(w *writer) { w.assign(dst, e.Then) })...)
	for {
		next, ok := e.Else.(*model.Cond)
		if !ok {
			break
		}
		inner := &writer{Scope: w.Scope, loops: w.loops}
		cond := inner.condition(next.If, false, "")
		if len(inner.body) > 0 {
			break
		}
		choice.Else().If(cond.Statement).Block(w.nested(func(w *writer) { w.assign(dst, next.Then) })...)
		e = next
	}
	w.add(choice.Else().Block(w.nested(func(w *writer) { w.assign(dst, e.Else) })...))
}

// literal is a record of type t with the given values of its fields.
func (w *writer) literal(t types.Type, fields []model.Expr) *jen.Statement {
	record := t.(*types.Record)
	d := w.Records.declared(record)
	var values []jen.Code
	for i, f := range record.Fields {
		if k, ok := fields[i].(*model.Const); ok && k.Value == nil {
			continue // null is the zero value
		}
		values = append(values, w.fieldValue(d, f.Name, fields[i]))
	}
	return w.composite(t, values)
}

func (w *writer) fieldValue(d *recordsType, field string, e model.Expr) jen.Code {
	return jen.Id(w.Records.fieldName(d.Record, field)).Op(":").Add(w.value(e, names.Lower(field)).Statement)
}

// composite is a literal of a record, one field a line if there are more than a few.
func (w *writer) composite(t types.Type, values []jen.Code) *jen.Statement {
	const few = 3
	if len(values) <= few {
		return w.Records.goType(t).Values(values...)
	}
	return w.Records.goType(t).ValuesFunc(func(g *jen.Group) {
		for _, v := range values {
			g.Line().Add(v)
		}
		g.Line()
	})
}

// merged is X with fields replaced, added or left out.
func (w *writer) merged(e *model.Merge, hint string) code {
	from, to := e.X.Base().Type.(*types.Record), e.Type.(*types.Record)
	if types.Equal(from, to) {
		x := w.value(e.X, hint)
		if !x.named {
			v := jen.Id(w.Names.New(w.namesOf(e, hint)...))
			w.add(v.Clone().Op(":=").Add(x.Statement))
			x = variable(v)
		}
		for _, s := range e.Set {
			w.assign(x.in(precPrimary).Dot(w.Records.fieldName(to, s.Name)), s.Value)
		}
		return x
	}
	set := map[string]model.Expr{}
	for _, s := range e.Set {
		set[s.Name] = s.Value
	}
	x := w.pointer(e.X)
	if x == nil {
		x = w.local(e.X, "")
	}
	d := w.Records.declared(to)
	var values []jen.Code
	for _, f := range to.Fields {
		if v, ok := set[f.Name]; ok {
			if k, ok := v.(*model.Const); ok && k.Value == nil {
				continue // null is the zero value
			}
			values = append(values, w.fieldValue(d, f.Name, v))
			continue
		}
		g, _ := from.Lookup(f.Name)
		values = append(values, jen.Id(w.Records.fieldName(to, f.Name)).Op(":").Add(
			w.reshape(x.Clone().Dot(w.Records.fieldName(from, f.Name)), g.Type, f.Type)))
	}
	return primary(w.composite(to, values))
}

// namesOf are names for a variable that holds e, the best one first.
func (w *writer) namesOf(e model.Expr, hint string) []string {
	list := []string{nameOf(e, hint)}
	switch e := e.(type) {
	case *model.Cond:
		for _, side := range [...]model.Expr{e.Then, e.Else} {
			if x := pathName(side); x != "" && hint == "" {
				list = append(list, "chosen"+upperFirst(x))
			}
		}
	case *model.Binary:
		if l := pathName(e.L); l != "" && operatorNames[e.Op] != "" {
			list = append(list, l+upperFirst(operatorNames[e.Op]))
		}
	case *model.Convert:
		if x := pathName(e.X); x != "" {
			kind := e.Type.String()
			if t, ok := e.Type.(*types.Optional); ok {
				kind = t.Elem.String()
			}
			list = append(list, x+upperFirst(names.Lower(kind)))
		}
	case *model.UserCall:
		list = append(list, userNames(e)...)
	case *model.Call:
		if x, f := pathName(e.Args[0]), functionNames[e.Func]; x != "" && f != "" {
			list = append(list, x+upperFirst(f))
		}
	}
	if w.About != "" {
		list = append(list, w.About+upperFirst(list[0]))
	}
	return list
}

// pathName is the name of a field or of a name of the scope, "" of anything else.
func pathName(e model.Expr) string {
	switch e := e.(type) {
	case *model.Var:
		if e.Name != hidden {
			return nameOf(e, "")
		}
	case *model.Field, *model.WindowPart:
		return nameOf(e, "")
	case *model.Unwrap:
		return pathName(e.X)
	}
	return ""
}

// nameOf is a name for a variable that holds e: hint, or what e is.
func nameOf(e model.Expr, hint string) string {
	if hint != "" {
		return hint
	}
	switch e := e.(type) {
	case *model.Var:
		switch e.Root {
		case model.RootKey:
			return "key"
		case model.RootValue:
			return "value"
		case model.RootTimestamp:
			return "timestamp"
		case model.RootAgg:
			return "agg"
		case model.RootPrevious:
			return "previous"
		}
		return names.Lower(e.Name)
	case *model.AggRef:
		return "result"
	case *model.WindowPart:
		return map[model.Part]string{model.InnerKey: "key", model.WindowStart: "start", model.WindowEnd: "end"}[e.Part]
	case *model.Field:
		return names.Lower(e.Name)
	case *model.Header:
		return names.Lower(e.Key)
	case *model.Unwrap:
		return nameOf(e.X, "")
	case *model.Wrap:
		return nameOf(e.X, "")
	case *model.Convert:
		if n := nameOf(e.X, ""); n != "" {
			return n
		}
	case *model.Unary:
		if e.Op == "-" {
			return "negative"
		}
		return "holds"
	case *model.Binary:
		if n := operatorNames[e.Op]; n != "" {
			if e.Type == types.String {
				return "text"
			}
			if _, ok := e.Type.(*types.List); ok {
				return "list"
			}
			return n
		}
		return "holds"
	case *model.UserCall:
		return userNames(e)[0]
	case *model.Call:
		if n := functionNames[e.Func]; n != "" {
			return n
		}
		return "holds" // the others are of type bool
	case *model.Concat:
		return "text"
	case *model.Cond:
		return "chosen"
	case *model.Try:
		return nameOf(e.X, "")
	case *model.Index:
		return "element"
	case *model.List, *model.Dict, *model.For:
		return "list"
	case *model.New, *model.Merge:
		if r := e.Base().Type.(*types.Record); r.Name != "" {
			return names.Lower(r.Name)
		}
		return "made"
	}
	return "given"
}

// What the results of operators and functions are called.
var (
	operatorNames = map[string]string{"+": "sum", "-": "difference", "*": "product", "/": "quotient", "%": "remainder"}
	functionNames = map[string]string{
		"abs": "distance", "ceil": "ceiling", "coalesce": "given", "div": "quotient", "floor": "floor", "index_of": "index", "length": "length", "lower": "lower",
		"max": "greatest", "min": "least", "replace": "replaced", "round": "rounded", "split": "parts", "substr": "part", "trim": "trimmed", "trunc": "whole", "upper": "upper",
	}
)
