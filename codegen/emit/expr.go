package emit

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// writer writes an expression: what must run before its value is used goes into body, in order. What must run only under a
// condition (the right side of &&, a side of ?:) is written by a nested writer, whose body becomes a block.
type writer struct {
	*Scope
	body  []jen.Code
	loops *loops // nil outside of loops
}

func (w *writer) add(c ...jen.Code) { w.body = append(w.body, c...) }

// nested writes a block.
func (w *writer) nested(write func(w *writer)) []jen.Code {
	n := &writer{Scope: w.Scope, loops: w.loops}
	write(n)
	return n.body
}

// code is a Go expression and how tightly it binds.
type code struct {
	*jen.Statement
	prec  prec
	named bool // it is a variable that was made to hold it
}

// prec is the precedence of an expression's operator.
type prec uint8

const (
	precOr prec = iota + 1
	precAnd
	precCompare
	precAdd
	precMul
	precUnary
	precPrimary
)

func primary(s *jen.Statement) code          { return code{Statement: s, prec: precPrimary} }
func operator(s *jen.Statement, p prec) code { return code{Statement: s, prec: p} }
func variable(s *jen.Statement) code         { return code{Statement: s, prec: precPrimary, named: true} }

// in is c as an operand where at least that precedence is needed.
func (c code) in(need prec) *jen.Statement {
	if c.prec < need {
		return jen.Parens(c.Statement)
	}
	return c.Statement.Clone() // a statement that grows would grow wherever else it stands
}

func (s *Scope) expr(e model.Expr) ([]jen.Code, *jen.Statement) {
	w := &writer{Scope: s}
	c := w.value(e, "")
	return w.body, c.Statement
}

func (s *Scope) variable(name string, e model.Expr) ([]jen.Code, *jen.Statement) {
	w := &writer{Scope: s}
	v := w.local(e, name)
	return w.body, v
}

func (s *Scope) assign(dst *jen.Statement, e model.Expr) []jen.Code {
	w := &writer{Scope: s}
	w.assign(dst, e)
	return w.body
}

func (s *Scope) test(e model.Expr, negate bool) ([]jen.Code, *jen.Statement) {
	w := &writer{Scope: s}
	c := w.condition(e, negate, "")
	return w.body, c.Statement
}

// value writes e. hint is a name for what it is, for a variable that has to hold it.
func (w *writer) value(e model.Expr, hint string) code {
	if u, ok := e.(*model.UserCall); ok {
		return w.userCall(u, hint)
	}
	if failsItself(e) {
		return w.checked(e, hint)
	}
	switch e := e.(type) {
	case *model.Const:
		return w.constant(e, false)
	case *model.Var:
		return w.root(e)
	case *model.AggRef:
		return w.whole(w.Aggregators[e.Index], e.Type, nameOf(e, hint))
	case *model.Field:
		return primary(w.field(e))
	case *model.Header:
		return primary(rt("record", "HeaderValue").Call(w.Headers.Clone(), jen.Lit(e.Key)))
	case *model.WindowPart:
		return primary(w.windowPart(e))
	case *model.InWindow:
		return primary(w.inWindow(e))
	case *model.Unwrap:
		_, v := w.parts(e.X)
		return v
	case *model.Wrap:
		return primary(rt("optional", "Some").Call(w.typed(e.X, hint).Statement))
	case *model.List, *model.Dict, *model.For:
		return w.made(e, hint)
	case *model.Unary:
		if e.Op == "!" {
			return w.condition(e, false, hint)
		}
		if types.IsDecimal(e.Type) {
			return primary(w.typed(e.X, "").in(precPrimary).Dot("Neg").Call())
		}
		return operator(jen.Op("-").Add(w.value(e.X, "").in(precPrimary)), precUnary)
	case *model.Binary:
		return w.binary(e, hint)
	case *model.IsNull:
		return w.condition(e, false, hint)
	case *model.Cond:
		if side := w.decided(e); side != nil {
			return w.typed(side, hint)
		}
		return variable(w.chosen(e, hint))
	case *model.Convert:
		return w.conversion(e, hint)
	case *model.Call:
		return w.call(e, hint)
	case *model.Try:
		return w.try(e, hint)
	case *model.Concat:
		return primary(w.concat(e.Parts))
	case *model.New:
		return primary(w.literal(e.Type, e.Fields))
	case *model.Merge:
		return w.merged(e, hint)
	}
	panic("emit: unknown expression")
}

// typed is value, where Go must see the type: of constants, which would take the one Go gives them.
func (w *writer) typed(e model.Expr, hint string) code {
	if k, ok := e.(*model.Const); ok {
		return w.constant(k, true)
	}
	return w.value(e, hint)
}

// constant writes a literal. typed: it must have its type by itself.
func (w *writer) constant(e *model.Const, typed bool) code {
	if e.Value == nil {
		switch e.Type.(type) {
		case *types.List, *types.Map: // empty
			if !typed {
				return primary(jen.Nil())
			}
			return primary(w.Records.goType(e.Type).Call(jen.Nil()))
		}
		return primary(w.Records.goType(e.Type).Values())
	}
	switch v := e.Value.(type) {
	case string:
		return primary(jen.Lit(v))
	case bool:
		return primary(jen.Lit(v))
	case []byte:
		return primary(jen.Index().Byte().Call(jen.Lit(string(v))))
	case float64:
		if e.Type == types.Float32 {
			return float32Literal(v, typed)
		}
		return floatLiteral(v)
	case *big.Int:
		return decimalLiteral(v)
	case [16]byte:
		return uuidLiteral(v)
	case int64:
		if t, ok := e.Type.(*types.Enum); ok {
			d := w.Records.declared(t)
			return primary(w.Records.symbol(d.Values[v]))
		}
		switch {
		case types.IsFloat(e.Type):
			return floatLiteral(float64(v))
		case e.Type == types.Duration && v != 0:
			return durationLiteral(v)
		case typed && e.Type != types.Int64 || e.Type == types.Timestamp || e.Type == types.Duration:
			return primary(w.Records.goType(e.Type).Call(jen.Lit(int(v))))
		case typed:
			return primary(jen.Int64().Call(jen.Lit(int(v))))
		}
		if v < 0 {
			return operator(jen.Lit(int(v)), precUnary)
		}
		return primary(jen.Lit(int(v)))
	}
	panic("emit: unknown constant")
}

// durationLiteral is a duration as a multiple of the largest unit that fits.
func durationLiteral(v int64) code {
	for _, u := range [...]struct {
		name string
		size int64
	}{{"Day", 24 * 60 * 60 * 1000}, {"Hour", 60 * 60 * 1000}, {"Minute", 60 * 1000}, {"Second", 1000}, {"Millisecond", 1}} {
		if n := v / u.size; v%u.size == 0 {
			if n == 1 {
				return primary(rt("temporal", u.name))
			}
			return operator(jen.Lit(int(n)).Op("*").Add(rt("temporal", u.name)), precMul)
		}
	}
	panic("emit: a duration that is no whole number of milliseconds")
}

// millis is a number of milliseconds, its digits in threes.
func millis(ms int64) *jen.Statement {
	digits := strconv.FormatInt(ms, 10)
	if len(digits) < 5 {
		return jen.Lit(int(ms))
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "_" + digits[i:]
	}
	return jen.Op(digits)
}

// float32Literal is a float32 with as few digits as tell it from others.
func float32Literal(v float64, typed bool) code {
	if math.IsNaN(v) || math.IsInf(v, 0) || v == 0 && math.Signbit(v) {
		return primary(jen.Float32().Call(floatLiteral(v).Statement))
	}
	text := jen.Op(strconv.FormatFloat(v, 'g', -1, 32))
	switch {
	case typed:
		return primary(jen.Float32().Call(text))
	case v < 0:
		return operator(text, precUnary)
	}
	return primary(text)
}

// decimalLiteral is a decimal by its coefficient.
func decimalLiteral(n *big.Int) code {
	if n.IsInt64() {
		return primary(rt("decimal", "New").Call(jen.Op(n.String())))
	}
	hi, lo := new(big.Int).DivMod(n, new(big.Int).Lsh(big.NewInt(1), 64), new(big.Int))
	return primary(rt("decimal", "Words").Call(jen.Op(hi.String()), jen.Op(lo.String())))
}

// uuidLiteral is a UUID by its bytes. It has parentheses, as a composite literal needs them in a condition.
func uuidLiteral(u [16]byte) code {
	return primary(jen.Parens(rt("uuid", "UUID").ValuesFunc(func(g *jen.Group) {
		for _, b := range u {
			g.Op(fmt.Sprintf("0x%02x", b))
		}
	})))
}

func floatLiteral(v float64) code {
	switch {
	case math.IsNaN(v):
		return primary(jen.Qual("math", "NaN").Call())
	case math.IsInf(v, 0):
		sign := 1
		if v < 0 {
			sign = -1
		}
		return primary(jen.Qual("math", "Inf").Call(jen.Lit(sign)))
	case v == 0 && math.Signbit(v):
		return primary(jen.Qual("math", "Copysign").Call(jen.Lit(0), jen.Lit(-1)))
	case v < 0:
		return operator(jen.Lit(v), precUnary)
	}
	return primary(jen.Lit(v))
}

// place is where a name of the scope is.
func (w *writer) place(e *model.Var) Place {
	switch e.Root {
	case model.RootKey:
		return w.Key
	case model.RootValue:
		return w.Value
	case model.RootTimestamp:
		return Place{It: w.Timestamp}
	case model.RootAgg:
		return w.Agg
	case model.RootJoin:
		return w.Join(e.Name)
	case model.RootPrevious:
		return w.Previous(e.Type)
	case model.RootVariable:
		return Place{It: w.Variable(e.Name)}
	case model.RootLocal:
		return w.locals[e.Name]
	case model.RootTopic:
		return Place{It: w.Origin("Topic")}
	case model.RootPartition:
		return Place{It: w.Origin("Partition")}
	case model.RootOffset:
		return Place{It: w.Origin("Offset")}
	}
	panic("emit: a name that no scope has")
}

func (w *writer) root(e *model.Var) code { return w.whole(w.place(e), e.Type, nameOf(e, "")) }

// whole is a place as a value of its type. An optional that is no optional.Of becomes one.
func (w *writer) whole(p Place, t types.Type, name string) code {
	if p.It != nil {
		return primary(p.It.Clone())
	}
	if p.Sure {
		return primary(rt("optional", "Some").Call(p.Value.Clone()))
	}
	v := jen.Id(w.Names.New(name, name+"OrNull"))
	w.add(jen.Var().Add(v.Clone()).Add(w.Records.goType(t)),
		jen.If(p.Valid.Clone()).Block(v.Clone().Op("=").Add(rt("optional", "Some")).Call(p.Value.Clone())))
	return variable(v)
}

// field is X.Name.
func (w *writer) field(e *model.Field) *jen.Statement {
	record := e.X.Base().Type.(*types.Record)
	switch x := e.X.(type) { // no record is built for one of its fields
	case *model.New:
		for i, f := range record.Fields {
			if f.Name == e.Name && !hasEffects(x) {
				return w.value(x.Fields[i], "").in(precPrimary)
			}
		}
	case *model.Merge:
		for _, s := range x.Set {
			if s.Name == e.Name && !hasEffects(x) {
				return w.value(s.Value, "").in(precPrimary)
			}
		}
	}
	if p := w.pointer(e.X); p != nil {
		return p.Dot(w.Records.fieldName(record, e.Name))
	}
	return w.value(e.X, "").in(precPrimary).Dot(w.Records.fieldName(record, e.Name))
}

// pointer is the pointer that leads to a record of the scope, or nil.
func (w *writer) pointer(e model.Expr) *jen.Statement {
	if u, ok := e.(*model.Unwrap); ok {
		e = u.X
	}
	if v, ok := e.(*model.Var); ok {
		if p := w.place(v); p.Pointer != nil {
			return p.Pointer.Clone()
		}
	}
	return nil
}

// parts are the condition that the optional e is not null, and its value then.
func (w *writer) parts(e model.Expr) (valid *jen.Statement, value code) {
	var p Place
	switch e := e.(type) {
	case *model.Wrap:
		return jen.True(), w.typed(e.X, "")
	case *model.Var:
		p = w.place(e)
	case *model.AggRef:
		p = w.Aggregators[e.Index]
	default:
		p = Place{It: w.local(e, "")}
	}
	valid, v := p.parts()
	if v == nil {
		v = jen.Null()
	}
	return valid, primary(v)
}

// local writes e into a variable, unless its value lies in one already.
func (w *writer) local(e model.Expr, hint string) *jen.Statement {
	c := w.typed(e, hint)
	if c.named || w.stays(e) {
		return c.Statement
	}
	name := jen.Id(w.Names.New(w.namesOf(e, hint)...))
	w.add(name.Clone().Op(":=").Add(c.Statement))
	return name
}

// stays says whether the value of e lies in a variable or field of the scope.
func (w *writer) stays(e model.Expr) bool {
	switch e := e.(type) {
	case *model.Var:
		if e.Root == model.RootLocal { // an index is converted
			_, whole := e.Type.(types.Basic)
			return !whole
		}
		return e.Root != model.RootTimestamp && e.Root != model.RootVariable && !e.Root.IsOrigin()
	case *model.Field:
		switch e.X.(type) {
		case *model.New, *model.Merge:
			return false
		}
		return w.stays(e.X)
	case *model.WindowPart:
		return w.stays(e.X)
	case *model.Unwrap:
		return w.stays(e.X)
	}
	return false
}
