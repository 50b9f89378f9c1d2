package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/types"
)

// Tables with a history: their rows are bytes, of which the store keeps all versions for a while.

// putVersion makes the value at hand a version of the key's row. What changes nothing ends here, and what is too old for the history.
func (f *function) putVersion(op *plan.Put) {
	f.introduce(op.Step, "")
	row := f.bytes(op.Store.Go + "Row")
	encode := row.Clone().Op("=").Add(f.records.writeRow(op.Store.Value)).Call(row.Clone().Index(jen.Empty(), jen.Lit(0)), f.valueAddress(op.Store.Value))
	value := row.Clone()
	if types.IsOptional(f.hand.value.typ) {
		value = jen.Id(f.names.New("versionBytes"))
		f.add(jen.Var().Add(value.Clone()).Index().Byte(), jen.If(f.hand.value.there()).Block(encode, value.Clone().Op("=").Add(row.Clone())))
	} else {
		f.add(encode)
	}
	version := jen.Id(f.names.New("version", "versionNow"))
	f.add(
		jen.List(version.Clone(), jen.Err()).Op(":=").Add(storeField(op.Store)).Dot("Put").Call(f.hand.key.raw.Clone(), value, f.hand.timestamp.Clone()),
		ifFails(),
		jen.If(version.Clone().Op("==").Add(rt("state", "TooOld"))).Block(
			jen.Add(f.counter("late", op.At)).Dot("Inc").Call(),
			jen.Return(jen.Nil())),
		jen.If(version.Clone().Op("==").Add(rt("state", "Same"))).Block(jen.Return(jen.Nil())))
}

// valueAddress is the address of the value at hand, which is there, of type t.
func (f *function) valueAddress(t types.Type) *jen.Statement {
	v := f.hand.value
	v.narrow(t)
	return addressOf(v.typed.It)
}

// lookupVersion finds the row that a table with a history had at the time of the record.
func (f *function) lookupVersion(op *plan.Lookup) (place Place) {
	row := jen.Id(f.names.New(names.Lower(op.As)+"Row", names.Lower(op.As)+"Bytes"))
	value := f.sub.hold(op.Store.Value, op.Store.Go+"Version", names.Lower(op.As)+"Version")
	get := storeField(op.Store).Dot("AsOf").Call(f.hand.key.raw.Clone(), f.hand.timestamp.Clone())
	if types.IsOptional(f.hand.key.typ) { // a null key has no row
		f.add(jen.Var().Add(row.Clone()).Index().Byte(),
			jen.If(f.hand.key.there()).Block(
				jen.Var().Err().Error(),
				jen.If(jen.List(row.Clone(), jen.Err()).Op("=").Add(get), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))))
	} else {
		f.add(jen.List(row.Clone(), jen.Err()).Op(":=").Add(get), ifFails())
	}
	read := ifErr(jen.Add(f.records.viewRow(op.Store.Value)).Call(row.Clone(), addressOf(value)))
	there := row.Clone().Op("!=").Nil()
	if op.Left {
		f.add(jen.If(there).Block(read))
		return Place{Valid: row.Clone().Op("!=").Nil(), Null: row.Clone().Op("==").Nil(), Value: value}
	}
	f.add(jen.If(row.Clone().Op("==").Nil()).Block(jen.Return(jen.Nil())), read)
	return Place{It: value}
}
