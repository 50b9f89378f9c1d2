package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/types"
)

// Equality and keeping: what stores do with values.

// comparable says whether == of Go compares content as equal does.
func comparable(t types.Type) bool {
	switch t := t.(type) {
	case types.Basic:
		return t != types.Bytes && !types.IsFloat(t)
	case *types.Decimal, *types.Enum:
		return true
	}
	return false
}

// equal is the condition that a and b have the same content.
func (r *Records) equal(t types.Type, a, b *jen.Statement, negate bool) *jen.Statement {
	op, not := "==", ""
	if negate {
		op, not = "!=", "!"
	}
	prefixed := func(c *jen.Statement) *jen.Statement {
		if negate {
			return jen.Op(not).Add(c)
		}
		return c
	}
	switch t := t.(type) {
	case *types.Record:
		if name := r.needEqual(t); r.adopted(t) {
			return prefixed(r.symbol(name).Call(addressOf(a), addressOf(b)))
		} else {
			return prefixed(a.Clone().Dot(name).Call(addressOf(b)))
		}
	case *types.Optional:
		if comparable(t.Elem) {
			return prefixed(rt("optional", "Equal").Call(a.Clone(), b.Clone()))
		}
		same := a.Clone().Dot("Valid").Op("==").Add(b.Clone()).Dot("Valid").Op("&&").Parens(
			jen.Op("!").Add(a.Clone()).Dot("Valid").Op("||").Add(r.equal(t.Elem, a.Clone().Dot("Value"), b.Clone().Dot("Value"), false)))
		if negate {
			return jen.Op("!").Parens(same)
		}
		return same
	}
	switch t := t.(type) {
	case *types.List:
		return prefixed(r.equalLists(t, t.Elem, a, b))
	case *types.Map:
		return prefixed(r.equalLists(t, t.Elem, a, b))
	}
	switch t {
	case types.Bytes:
		return prefixed(jen.Qual("bytes", "Equal").Call(a.Clone(), b.Clone()))
	case types.Float32:
		return jen.Qual("math", "Float32bits").Call(a.Clone()).Op(op).Qual("math", "Float32bits").Call(b.Clone())
	case types.Float64:
		return jen.Qual("math", "Float64bits").Call(a.Clone()).Op(op).Qual("math", "Float64bits").Call(b.Clone())
	}
	return a.Clone().Op(op).Add(b.Clone())
}

// addressOf is &x, or p for x = *p.
func addressOf(x *jen.Statement) *jen.Statement { return jen.Op("&").Add(x.Clone()) }

// method is the name of a method, the second one if a field is called like the first.
func (d *recordsType) method(name, or string) string {
	if slices.Contains(d.Fields, name) {
		return or
	}
	return name
}

// needEqual makes the method Equal of a record, or of a struct of the user's, which can have none of ours, a function.
func (r *Records) needEqual(t *types.Record) (name string) {
	d := r.declared(t)
	if name = d.method("Equal", "EqualTo"); r.adopted(t) {
		name = r.unique("Equal" + d.Name)
	}
	return d.need(name, rankMethods, func() *jen.Statement {
		other := "p"
		if d.recv == other {
			other = "q"
		}
		doc := name + " says whether " + d.recv + " and " + other + " have the same content."
		if holdsFloat(t) {
			doc += " Floats are equal if their bits are: NaN equals itself, 0 and -0 differ."
		}
		var all *jen.Statement
		for i, f := range d.Record.Fields {
			one := r.equal(f.Type, jen.Id(d.recv).Dot(d.Fields[i]), jen.Id(other).Dot(d.Fields[i]), false)
			if o, ok := f.Type.(*types.Optional); ok && !comparable(o.Elem) && len(d.Fields) > 1 {
				one = jen.Parens(one) // && and || together
			}
			if all == nil {
				all = one
			} else {
				all.Op("&&").Line().Add(one)
			}
		}
		if all == nil {
			all = jen.True()
		}
		return jen.Comment(doc).Line().Add(r.onTwo(d, name, d.recv, other)).Bool().Block(jen.Return(all))
	})
}

// keep writes src into dst, copying strings and bytes that differ.
func (r *Records) keep(t types.Type, dst, src *jen.Statement) []jen.Code {
	switch t := t.(type) {
	case *types.Record:
		if !holdsText(t) {
			break
		}
		if name := r.needKeep(t); r.adopted(t) {
			return []jen.Code{r.symbol(name).Call(addressOf(dst), addressOf(src))}
		} else {
			return []jen.Code{dst.Clone().Dot(name).Call(addressOf(src))}
		}
	case *types.Optional:
		if !holdsText(t) {
			break
		}
		return []jen.Code{
			jen.If(dst.Clone().Dot("Valid").Op("=").Add(src.Clone()).Dot("Valid"), dst.Clone().Dot("Valid")).Block(
				r.keep(t.Elem, dst.Clone().Dot("Value"), src.Clone().Dot("Value"))...),
		}
	}
	switch t := t.(type) {
	case *types.List:
		return r.keepLists(t, t.Elem, dst, src)
	case *types.Map:
		return r.keepLists(t, t.Elem, dst, src)
	}
	switch t {
	case types.String:
		return []jen.Code{jen.If(dst.Clone().Op("!=").Add(src.Clone())).Block(
			dst.Clone().Op("=").Qual("strings", "Clone").Call(src.Clone()))}
	case types.Bytes:
		return []jen.Code{jen.If(jen.Op("!").Qual("bytes", "Equal").Call(dst.Clone(), src.Clone())).Block(
			dst.Clone().Op("=").Qual("bytes", "Clone").Call(src.Clone()))}
	}
	return []jen.Code{dst.Clone().Op("=").Add(src.Clone())}
}

// needKeep makes the method Keep of a record, or the function for a struct of the user's.
func (r *Records) needKeep(t *types.Record) (name string) {
	d := r.declared(t)
	if name = d.method("Keep", "KeepFrom"); r.adopted(t) {
		name = r.unique("Keep" + d.Name)
	}
	return d.need(name, rankMethods, func() *jen.Statement {
		from, what := "from", "strings and bytes"
		if holdsLists(t) {
			what = "strings, bytes and lists"
		}
		var body []jen.Code
		for i, f := range d.Record.Fields {
			body = append(body, r.keep(f.Type, jen.Id(d.recv).Dot(d.Fields[i]), jen.Id(from).Dot(d.Fields[i]))...)
		}
		return jen.Comment(name + " makes " + d.recv + " what from is, for longer than the record that from views: " + what + " that differ are copied.").Line().
			Add(r.onTwo(d, name, d.recv, from)).Block(body...)
	})
}
