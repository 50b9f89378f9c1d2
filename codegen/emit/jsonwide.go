package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/types"
)

// manyFields is from how many fields on a codec is written in several functions: the Go compiler takes much longer for one.
const manyFields = 256

// wide says whether more fields are read than one function does.
func (w *objectWriter) wide() bool {
	n := 0
	for i, is := range w.set.build {
		if is || w.set.check[i] {
			n++
		}
	}
	return n > manyFields
}

// inParts is the switch over the names in functions that say whether the field was one of theirs.
func (w *objectWriter) inParts(mark map[int]jen.Code, counted bool) jen.Code {
	inner := *w
	inner.pointer = inner.reader // r is a pointer there
	cases := inner.cases(mark)
	params := []jen.Code{jen.Id("r").Op("*").Add(rt("json", "Reader"))}
	args := []jen.Code{w.pointer.Clone()}
	for _, is := range w.set.build {
		if is {
			params = append(params, jen.Id(w.d.recv).Op("*").Add(w.d.typ()))
			args = append(args, jen.Id(w.d.recv))
			break
		}
	}
	if counted {
		words := 0
		for i, f := range w.d.Record.Fields {
			if (w.set.build[i] || w.set.check[i]) && !types.IsOptional(f.Type) {
				words++
			}
		}
		params = append(params, jen.Id("seen").Op("*").Index(jen.Lit((words+wordBits-1)/wordBits)).Uint64())
		args = append(args, jen.Op("&").Id("seen"))
	}
	var parts []jen.Code
	for from := 0; from < len(cases); from += manyFields {
		part := slices.Clone(cases[from:min(from+manyFields, len(cases))])
		name := w.r.unique(fmt.Sprintf("%sFields%d", lowerFirst(w.name), from+1))
		w.d.need(name, w.rank, func() *jen.Statement {
			return jen.Commentf("%s reads the value of a field, if it is one of %d from the %d. on that %s reads.", name, len(part), from+1, w.name).Line().
				Func().Id(name).Params(params...).Bool().Block(
				jen.Switch(jen.String().Call(jen.Id("r").Dot("Name"))).Block(append(part, jen.Default().Block(jen.Return(jen.False())))...),
				jen.Return(jen.True()))
		})
		parts = append(parts, jen.Case(jen.Id(name).Call(args...)))
	}
	return jen.Switch().Block(append(parts, jen.Default().Block(w.other()))...)
}

// fieldsFrom is the fields from the i-th on, in functions of their own, each as an encoder writes it behind a required field.
func (w *appendWriter) fieldsFrom(i int, d *recordsType, name string, write func(i int)) {
	for from := i; from < len(d.Fields); from += manyFields {
		outer := w.body
		w.body = nil
		result := jen.Index().Byte()
		if w.fails {
			result = jen.Params(jen.Index().Byte(), jen.Error())
			w.add(jen.Var().Err().Error())
		}
		to := min(from+manyFields, len(d.Fields))
		for i := from; i < to; i++ {
			write(i)
		}
		w.end(w.dst.Clone())
		part := w.r.unique(fmt.Sprintf("%sFields%d", lowerFirst(name), from+1))
		body := w.body
		d.need(part, rankAppend, func() *jen.Statement {
			return jen.Commentf("%s writes the fields %d to %d of %s.", part, from+1, to, article(d.Name)).Line().
				Func().Id(part).Params(jen.Id("dst").Index().Byte(), jen.Id(d.recv).Op("*").Add(d.typ())).Add(result).Block(body...)
		})
		w.body = outer
		call := jen.Id(part).Call(w.dst.Clone(), jen.Id(d.recv))
		if w.fails {
			w.try(call)
		} else {
			w.set(call)
		}
	}
}
