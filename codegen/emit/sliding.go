package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
)

// slides goes through the sliding windows that a record changes or makes.
func (f *function) slides(op *plan.Windows, next []plan.Op) int {
	st := op.Store
	field := func() *jen.Statement { return storeField(st) }
	f.add(ifErr(field().Dot("Slide").Call(jen.Lit(op.Input), f.hand.key.raw.Clone(), f.hand.timestamp.Clone())))
	f.add(jen.For(jen.Range().Add(field()).Dot("Late")).Block(jen.Add(f.counter("late", op.At)).Dot("Inc").Call()))
	if op.Late != nil {
		before, call := f.invocation(op.Late)
		f.add(jen.If(field().Dot("Late").Op(">").Lit(0)).Block(append(before, ifErr(call))...))
	}
	ok := jen.Id(f.names.New("ok", "another"))
	f.hand.start = field().Dot("Window").Dot("Start")
	f.add(jen.For().Block(append([]jen.Code{
		jen.List(ok.Clone(), jen.Err()).Op(":=").Add(field()).Dot("Next").Call(),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.If(jen.Op("!").Add(ok)).Block(jen.Break()),
	}, f.block(func() { f.callEach(next[0].(*plan.Call)) })...)...))
	if st.Final {
		f.closes(st)
	}
	return 2
}

// inputsOf is the option that a store of a cogroup has: each of its inputs has a clock of its own.
func inputsOf(st *plan.Store) []jen.Code {
	if st.Inputs < 2 {
		return nil
	}
	return []jen.Code{keyed("Inputs", jen.Lit(st.Inputs))}
}

// completes goes on with a window that is made with what another one holds: the record is not in it.
func (f *function) completes(op *plan.Update, after []plan.Op) {
	record := f.hand
	f.add(jen.If(storeField(op.Store).Dot("Window").Dot("Complete")).Block(f.block(func() {
		row := storeField(op.Store).Dot("Window").Dot("Row")
		f.changedBy(op.Store)
		if len(after) > 0 {
			f.hand.timestamp = row.Clone().Dot("Timestamp")
			f.hand.value = f.tableValue(op.Store, op.Store.Value, row, nil, op.At)
			f.noteNone(op.Store, op)
			f.withWindow(op)
			f.callEach(after[0].(*plan.Call))
		}
		f.add(jen.Return(jen.Nil()))
	})...))
	f.hand = record
}
