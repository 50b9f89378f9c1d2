package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// within is how long a store remembers.
func within(st *plan.Store) *jen.Statement {
	return durationLiteral(st.Make.(*model.Dedup).Within.Milliseconds()).Statement
}

// dedup ends the records whose key passed before.
func (f *function) dedup(op *plan.Dedup) {
	f.introduce(op.Step, exprText(op.By))
	by := f.compute("by", op.By, op.At, nil)
	optional := types.IsOptional(by.typ)
	value := by.typed.It
	if optional {
		if value = by.typed.Value; value == nil {
			value = by.typed.It.Clone().Dot("Value")
		}
	}
	key := f.bytes("dedupKey")
	seen := jen.Id(f.names.New("seen", "seenBefore"))
	look := []jen.Code{
		key.Clone().Op("=").Add(f.records.Append(op.Store.Key, key.Clone().Index(jen.Empty(), jen.Lit(0)), value.Clone())),
		jen.List(seen.Clone(), jen.Err()).Op(":=").Add(storeField(op.Store)).Dot("Seen").Call(key.Clone(), f.hand.timestamp.Clone()),
		ifFails(),
		jen.If(seen).Block(
			jen.Add(f.counter("duplicate", op.At)).Dot("Inc").Call(),
			jen.Return(jen.Nil())),
	}
	if optional {
		f.add(jen.If(by.there()).Block(look...))
		return
	}
	f.add(look...)
}

// ifFails is: if err != nil { return err }.
func ifFails() jen.Code { return jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())) }
