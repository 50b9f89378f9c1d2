package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/types"
)

// Content of lists and maps: a map is a list of entries, of which both parts count.

// entry is the Go type of the elements of a list or a map.
func (r *Records) entry(t, elem types.Type) *jen.Statement {
	if _, ok := t.(*types.Map); ok {
		return rt("dict", "Entry").Index(r.goType(elem))
	}
	return r.goType(elem)
}

// pointee is what the pointer p to an element points at, as an operand: fields are selected from the pointer itself.
func pointee(elem types.Type, p string) *jen.Statement {
	if o, ok := elem.(*types.Optional); ok && !comparable(o.Elem) {
		return jen.Id(p)
	}
	return jen.Op("*").Id(p)
}

// equalLists is the condition that two lists or maps of type t have the same content.
func (r *Records) equalLists(t, elem types.Type, a, b *jen.Statement) *jen.Statement {
	if comparable(elem) {
		return jen.Qual("slices", "Equal").Call(a.Clone(), b.Clone())
	}
	_, isMap := t.(*types.Map)
	if record, ok := elem.(*types.Record); ok && !isMap {
		return rt("list", "Equal").Call(a.Clone(), b.Clone(), r.method(record, r.needEqual(record)))
	}
	var same *jen.Statement
	if isMap {
		same = jen.Id("a").Dot("Key").Op("==").Id("b").Dot("Key").Op("&&").Add(
			inAnd(elem, r.equal(elem, jen.Id("a").Dot("Value"), jen.Id("b").Dot("Value"), false)))
	} else {
		same = r.equal(elem, pointee(elem, "a"), pointee(elem, "b"), false)
	}
	return rt("list", "Equal").Call(a.Clone(), b.Clone(),
		jen.Func().Params(jen.List(jen.Id("a"), jen.Id("b")).Op("*").Add(r.entry(t, elem))).Bool().Block(jen.Return(same)))
}

// inAnd is an equality as an operand of &&.
func inAnd(t types.Type, same *jen.Statement) *jen.Statement {
	if o, ok := t.(*types.Optional); ok && !comparable(o.Elem) {
		return jen.Parens(same) // && and || together
	}
	return same
}

// method is a method of a record as a function of pointers.
func (r *Records) method(t *types.Record, name string) *jen.Statement {
	if r.adopted(t) {
		return r.symbol(name)
	}
	return jen.Parens(jen.Op("*").Add(r.goType(t))).Dot(name)
}

// keepLists writes src into dst if they differ. It gets memory of its own: somebody may still hold what dst was.
func (r *Records) keepLists(t, elem types.Type, dst, src *jen.Statement) []jen.Code {
	var clone *jen.Statement
	_, isMap := t.(*types.Map)
	record, isRecord := elem.(*types.Record)
	switch {
	case !isMap && !holdsText(elem):
		clone = jen.Qual("slices", "Clone").Call(src.Clone())
	case !isMap && isRecord:
		clone = rt("list", "Keep").Call(src.Clone(), r.method(record, r.needKeep(record)))
	default:
		var body []jen.Code
		if isMap {
			body = append(body, jen.Id("dst").Dot("Key").Op("=").Qual("strings", "Clone").Call(jen.Id("src").Dot("Key")))
			body = append(body, r.keep(elem, jen.Id("dst").Dot("Value"), jen.Id("src").Dot("Value"))...)
		} else {
			dst, src := jen.Op("*").Id("dst"), jen.Op("*").Id("src")
			if types.IsOptional(elem) { // fields are selected from the pointers themselves
				dst, src = jen.Id("dst"), jen.Id("src")
			}
			body = r.keep(elem, dst, src)
		}
		clone = rt("list", "Keep").Call(src.Clone(),
			jen.Func().Params(jen.List(jen.Id("dst"), jen.Id("src")).Op("*").Add(r.entry(t, elem))).Block(body...))
	}
	return []jen.Code{jen.If(r.equal(t, dst, src, true)).Block(dst.Clone().Op("=").Add(clone))}
}
