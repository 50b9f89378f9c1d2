package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// flatMap makes all elements of a list and then goes on with each: a record that cannot be processed leaves no part of its list.
func (f *function) flatMap(op *plan.FlatMap, next *plan.Call) {
	f.introduce(op.Step, exprText(op.Each))
	before, list := f.scope(op.At).Var("each", op.Each)
	f.add(before...)
	elem := op.Each.Base().Type.(*types.List).Elem
	record := f.hand
	if _, ok := op.Step.(*model.FlatMap); ok {
		f.flatMapRecords(op, list, elem, next)
	} else {
		item := jen.Id(f.names.New("i"))
		vars, v, at := item, item, list.Clone().Index(item)
		if !IsRecord(elem) {
			at = jen.Id(f.names.New("value", "element"))
			vars, v = jen.List(jen.Id("_"), at), at
		}
		f.hand.value = held{typ: elem, typed: &Place{It: at}}
		f.add(loop(vars, v, list, f.block(func() { f.callEach(next) })))
	}
	f.hand = record
}

// flatMapRecords goes on with each element of a flat_map: what it has takes the place of what the record has.
func (f *function) flatMapRecords(op *plan.FlatMap, list *jen.Statement, elem types.Type, next *plan.Call) {
	r := elem.(*types.Record)
	i := jen.Id(f.names.New("i"))
	part := func(name string) *jen.Statement {
		return list.Clone().Index(i.Clone()).Dot(f.records.FieldName(elem, name))
	}
	for _, field := range r.Fields {
		switch field.Name {
		case "key":
			f.hand.key = held{typ: field.Type, typed: &Place{It: part("key")}}
		case "value":
			f.hand.value = held{typ: field.Type, typed: &Place{It: part("value")}}
		case "timestamp":
			f.add(loop(i, i, list, []jen.Code{
				jen.If(part("timestamp").Op("<").Lit(0)).Block(f.reject(op.At, "BadLogic")(rt("record", "ErrTimestamp"))...),
			}))
			f.hand.timestamp = jen.Int64().Call(part("timestamp"))
		}
	}
	f.add(loop(i, i, list, f.block(func() {
		if h, ok := r.Lookup("headers"); ok {
			f.elementHeaders(h.Type.(*types.Record), part("headers"))
		}
		f.callEach(next)
	})))
}

// loop runs body for each element of a list. Of an element, body may read v: what vars declare.
func loop(vars, v, list *jen.Statement, body []jen.Code) *jen.Statement {
	if !variables(body)[v.GoString()] {
		return jen.For(jen.Range().Add(list.Clone())).Block(body...)
	}
	return jen.For(vars.Clone().Op(":=").Range().Add(list.Clone())).Block(body...)
}

// elementHeaders sets and removes the headers that an element has.
func (f *function) elementHeaders(t *types.Record, from *jen.Statement) {
	headers := jen.Id(f.names.New("headers"))
	f.add(headers.Clone().Op(":=").Qual("slices", "Clone").Call(f.hand.headers.Clone()))
	for _, field := range t.Fields {
		v := from.Clone().Dot(f.records.FieldName(t, field.Name))
		set := func(v *jen.Statement) jen.Code {
			return headers.Clone().Op("=").Add(rt("record", "SetHeader")).Call(headers.Clone(), jen.Lit(field.Name), v)
		}
		if !types.IsOptional(field.Type) {
			f.add(set(v))
			continue
		}
		f.add(jen.If(v.Clone().Dot("Valid")).Block(set(v.Clone().Dot("Value"))).Else().Block(
			headers.Clone().Op("=").Add(rt("record", "RemoveHeader")).Call(headers.Clone(), jen.Lit(field.Name))))
	}
	f.hand.headers = headers
}

// callEach goes on with one element.
func (f *function) callEach(next *plan.Call) {
	for _, to := range next.To {
		before, call := f.invocation(to)
		f.add(before...)
		f.add(ifErr(call))
	}
}
