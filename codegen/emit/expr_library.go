package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

func allConst(list []model.Expr) bool {
	for _, e := range list {
		if !isConst(e) {
			return false
		}
	}
	return true
}

// coalesce is x, or y where it is null. y runs only then.
func (w *writer) coalesce(e *model.Call, hint string) code {
	if w.defaults(e) {
		x := w.rowOf(e.Args[0])
		if x == nil {
			x = w.value(e.Args[0], "").in(precPrimary)
		}
		return primary(x.Dot("Or").Call(w.value(e.Args[1], "").Statement))
	}
	if w.sure(e.Args[0]) {
		return w.present(e, hint)
	}
	var c code
	w.unfolded(e, func(e *model.Cond) { c = variable(w.chosen(e, hint)) })
	return c
}

// defaults says whether coalesce is x.Or(y): evaluating y costs nothing, and x is an optional.Of.
func (w *writer) defaults(e *model.Call) bool {
	x, y := e.Args[0], e.Args[1]
	return !types.IsOptional(e.Type) && (isConst(y) || w.stays(y)) && !unwraps(y) && (w.isOf(x) || w.rowOf(x) != nil)
}

// rowOf is the *state.Row that holds the optional e, or nil.
func (w *writer) rowOf(e model.Expr) *jen.Statement {
	if v, ok := e.(*model.Var); ok {
		if row := w.place(v).Row; row != nil {
			return row.Clone()
		}
	}
	return nil
}

// sure says whether the optional e is known not to be null where it is read.
func (w *writer) sure(e model.Expr) bool {
	v, ok := e.(*model.Var)
	return ok && w.place(v).Sure
}

// present is coalesce of what is known not to be null.
func (w *writer) present(e *model.Call, hint string) code {
	if types.IsOptional(e.Type) {
		return w.value(e.Args[0], hint)
	}
	_, v := w.parts(e.Args[0])
	return v
}

// decided is the side of a choice that is known to be taken, or nil.
func (w *writer) decided(e *model.Cond) model.Expr {
	null, ok := e.If.(*model.IsNull)
	switch {
	case !ok || !w.sure(null.X):
		return nil
	case null.Not:
		return e.Then
	}
	return e.Else
}

// unfolded writes coalesce as a choice.
func (w *writer) unfolded(e *model.Call, write func(*model.Cond)) {
	x, y := e.Args[0], e.Args[1]
	if _, cell := x.(*model.AggRef); !cell && !w.stays(x) { // it is looked at twice
		outer := w.Scope
		defer func() { w.Scope = outer }()
		x = w.named(x)
	}
	var then model.Expr = &model.Unwrap{ExprBase: model.ExprBase{Type: types.NonNull(x.Base().Type)}, X: x}
	if types.IsOptional(e.Type) {
		then = x
	}
	write(&model.Cond{
		ExprBase: e.ExprBase,
		If:       &model.IsNull{ExprBase: model.ExprBase{Type: types.Bool}, X: x, Not: true},
		Then:     then,
		Else:     y,
	})
}

// hidden is a name of the scope that no spec has.
const hidden = "\x00"

// named writes e into a variable and makes that a name of the scope, which is returned.
func (w *writer) named(e model.Expr) *model.Var {
	at := Place{It: w.local(e, "")}
	scope, outer := *w.Scope, w.Join
	scope.Join = func(as string) Place {
		if as == hidden {
			return at
		}
		return outer(as)
	}
	w.Scope = &scope
	return &model.Var{ExprBase: *e.Base(), Root: model.RootJoin, Name: hidden}
}

// isOf says whether the optional e is an optional.Of.
func (w *writer) isOf(e model.Expr) bool {
	switch e := e.(type) {
	case *model.Var:
		return w.place(e).It != nil
	case *model.AggRef:
		return w.Aggregators[e.Index].It != nil
	}
	return true
}

// unwraps says whether e reads what an optional holds, which it may do only where that was tested: a row that is not there is
// a nil pointer.
func unwraps(e model.Expr) bool {
	found := false
	model.Walk(e, func(e model.Expr) {
		_, unwrap := e.(*model.Unwrap)
		found = found || unwrap
	})
	return found
}

// conversionFails says whether a conversion can fail.
func conversionFails(to, from types.Type) bool {
	if d, ok := to.(*types.Decimal); ok {
		return !types.DecimalFits(d, from)
	}
	if types.IsDecimal(from) {
		return types.IsInteger(to)
	}
	switch from {
	case types.String:
		return to != types.String && to != types.Bytes
	case types.Bytes:
		return to == types.String
	case types.Int64:
		return to == types.Int32
	case types.Float64:
		return types.IsInteger(to) || to == types.Float32
	case types.Float32:
		return types.IsInteger(to)
	}
	return false
}

func (w *writer) failingConversion(e *model.Convert) *jen.Statement {
	from := e.X.Base().Type
	x := w.typed(e.X, "").Statement
	if t, ok := e.Type.(*types.Enum); ok {
		return w.Records.symbol("Parse" + w.Records.declared(t).Name).Call(x)
	}
	if d, ok := from.(*types.Decimal); ok && types.IsInteger(e.Type) {
		return x.Dot(upperFirst(e.Type.String())).Call(jen.Lit(d.Scale))
	}
	if d, ok := e.Type.(*types.Decimal); ok {
		return w.toDecimal(d, from, x)
	}
	switch from {
	case types.String:
		switch e.Type {
		case types.Timestamp:
			return rt("temporal", "ParseTimestamp").Call(x)
		case types.UUID:
			return rt("uuid", "Parse").Call(x)
		case types.Duration:
			return rt("temporal", "ParseDuration").Call(x)
		}
		return rt("convert", map[types.Type]string{
			types.Int32: "ParseInt32", types.Int64: "ParseInt64", types.Float32: "ParseFloat32", types.Float64: "ParseFloat64", types.Bool: "ParseBool",
		}[e.Type]).Call(x)
	case types.Bytes:
		return rt("convert", "Text").Call(x)
	case types.Int64:
		return rt("convert", "Int32").Call(x)
	}
	switch e.Type {
	case types.Int32:
		return rt("convert", "Int32Of").Call(x)
	case types.Float32:
		return rt("convert", "Float32").Call(x)
	}
	return rt("convert", "Int64").Call(x)
}

// toDecimal is the call that makes a value a decimal, or fails.
func (w *writer) toDecimal(to *types.Decimal, from types.Type, x *jen.Statement) *jen.Statement {
	precision, scale := jen.Lit(to.Precision), jen.Lit(to.Scale)
	switch from := from.(type) {
	case *types.Decimal:
		return rt("decimal", "Convert").Call(x, jen.Lit(from.Scale), precision, scale)
	case types.Basic:
		switch from {
		case types.String:
			return rt("decimal", "Parse").Call(x, precision, scale)
		case types.Int32:
			return rt("decimal", "FromInt").Call(jen.Int64().Call(x), precision, scale)
		case types.Int64:
			return rt("decimal", "FromInt").Call(x, precision, scale)
		}
	}
	return rt("decimal", "FromFloat").Call(x, precision, scale)
}

// widerDecimal is a number as a decimal that has room for it.
func (w *writer) widerDecimal(to *types.Decimal, from types.Type, x code) code {
	digits := to.Scale
	if d, ok := from.(*types.Decimal); ok {
		digits -= d.Scale
	} else {
		n := x.Statement
		if from == types.Int32 {
			n = jen.Int64().Call(n)
		}
		x = primary(rt("decimal", "New").Call(n))
	}
	if digits == 0 {
		return x
	}
	return primary(x.in(precPrimary).Dot("Widen").Call(jen.Lit(digits)))
}

// conversion writes a conversion that cannot fail.
func (w *writer) conversion(e *model.Convert, hint string) code {
	from := e.X.Base().Type
	switch to := e.Type.(type) {
	case *types.Record:
		return primary(w.reshaped(w.local(e.X, hint), from.(*types.Record), to))
	case *types.Optional:
		x := w.local(e.X, hint)
		v := jen.Id(w.Names.New(w.namesOf(e, hint)...))
		elem := w.reshape(x.Clone().Dot("Value"), types.NonNull(from), to.Elem)
		w.add(jen.Var().Add(v.Clone()).Add(w.Records.goType(to)),
			jen.If(x.Clone().Dot("Valid")).Block(v.Clone().Op("=").Add(rt("optional", "Some")).Call(elem)))
		return variable(v)
	}
	if types.Equal(from, e.Type) {
		return w.value(e.X, hint)
	}
	x := w.typed(e.X, "")
	if d, ok := e.Type.(*types.Decimal); ok {
		return w.widerDecimal(d, from, x)
	}
	if d, ok := from.(*types.Decimal); ok && e.Type == types.Float64 {
		return primary(x.in(precPrimary).Dot("Float64").Call(jen.Lit(d.Scale)))
	}
	switch e.Type {
	case types.String:
		return primary(w.toText(from, x))
	case types.Bytes:
		return primary(rt("convert", "Bytes").Call(x.Statement))
	}
	return primary(w.Records.goType(e.Type).Call(x.Statement))
}

// toText is a value as a string. Numbers and times are written into the arena.
func (w *writer) toText(from types.Type, x code) *jen.Statement {
	if d, ok := from.(*types.Decimal); ok {
		return w.arena("Decimal").Call(x.Statement, jen.Lit(d.Scale))
	}
	if _, ok := from.(*types.Enum); ok {
		return x.in(precPrimary).Dot("String").Call()
	}
	switch from {
	case types.Bool:
		return jen.Qual("strconv", "FormatBool").Call(x.Statement)
	case types.Int64:
		return w.arena("Int").Call(x.Statement)
	case types.Int32:
		return w.arena("Int").Call(jen.Int64().Call(x.Statement))
	case types.Float32:
		return w.arena("Float32").Call(x.Statement)
	case types.UUID:
		return w.arena("UUID").Call(x.Statement)
	case types.Float64:
		return w.arena("Float").Call(x.Statement)
	case types.Timestamp:
		return w.arena("Timestamp").Call(x.Statement)
	case types.Duration:
		return w.arena("Duration").Call(x.Statement)
	}
	return x.Statement
}

// arena is a method of the text.Arena.
func (w *writer) arena(method string) *jen.Statement {
	*w.UsesText = true
	return w.Text.Clone().Dot(method)
}

// concat is the parts, one behind the other.
func (w *writer) concat(parts []model.Expr) *jen.Statement {
	var args []jen.Code
	var add func(parts []model.Expr)
	add = func(parts []model.Expr) {
		for _, p := range parts {
			switch p := p.(type) {
			case *model.Concat:
				add(p.Parts)
				continue
			case *model.Binary: // of strings: +
				add([]model.Expr{p.L, p.R})
				continue
			}
			args = append(args, w.value(p, "").Statement)
		}
	}
	add(parts)
	return w.arena("Concat").Call(args...)
}

// reshape is v, a path, as a value of another type that it is assignable to.
func (w *writer) reshape(v *jen.Statement, from, to types.Type) *jen.Statement {
	if types.Equal(from, to) {
		return v.Clone()
	}
	if o, ok := to.(*types.Optional); ok && !types.IsOptional(from) {
		return rt("optional", "Some").Call(w.reshape(v, from, o.Elem))
	}
	if r, ok := to.(*types.Record); ok {
		return w.reshaped(v, from.(*types.Record), r)
	}
	if o, ok := to.(*types.Optional); ok {
		name := jen.Id(w.Names.New("part"))
		w.add(jen.Var().Add(name.Clone()).Add(w.Records.goType(to)),
			jen.If(v.Clone().Dot("Valid")).Block(
				name.Clone().Op("=").Add(rt("optional", "Some")).Call(w.reshape(v.Clone().Dot("Value"), types.NonNull(from), o.Elem))))
		return name
	}
	return w.Records.goType(to).Call(v.Clone())
}

// reshaped is a record with the fields of another.
func (w *writer) reshaped(v *jen.Statement, from, to *types.Record) *jen.Statement {
	d := w.Records.declared(to)
	var values []jen.Code
	for i, f := range to.Fields {
		g, ok := from.Lookup(f.Name)
		if !ok { // the place for unknown fields, of which there are none
			continue
		}
		values = append(values, jen.Id(d.Fields[i]).Op(":").Add(w.reshape(v.Clone().Dot(w.Records.fieldName(from, g.Name)), g.Type, f.Type)))
	}
	return w.Records.goType(to).Values(values...)
}
