package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Sessions: a record finds those that it meets, the state of all of them and it is worked out, then they become one.

// sessions finds the sessions that a record meets.
func (f *function) sessions(op *plan.Windows, next []plan.Op) int {
	st := op.Store
	late := jen.Id(f.names.New("late"))
	f.add(
		jen.List(late.Clone(), jen.Err()).Op(":=").Add(storeField(st)).Dot("Find").Call(jen.Lit(op.Input), f.hand.key.raw.Clone(), f.hand.timestamp.Clone()),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.If(late).Block(f.lateEnd(op)...))
	if !st.Final {
		return 1
	}
	f.callEach(next[0].(*plan.Call))
	f.closes(st)
	return 2
}

// lateEnd ends a record that is late altogether.
func (f *function) lateEnd(op *plan.Windows) []jen.Code {
	end := []jen.Code{jen.Add(f.counter("late", op.At)).Dot("Inc").Call()}
	if op.Late == nil {
		return append(end, jen.Return(jen.Nil()))
	}
	before, call := f.invocation(op.Late)
	return append(append(end, before...), jen.Return(call))
}

// found is the session number i that the record meets, as a value of rows.
func found(st *plan.Store, i *jen.Statement) *jen.Statement {
	return storeField(st).Dot("Found").Index(i.Clone()).Dot("Row").Dot("Value")
}

// session makes one session of those that the record meets, and goes on with those that go and with the one that they become.
func (f *function) session(op *plan.Update, after []plan.Op) int {
	st, n := op.Store, 1
	var next *plan.Call
	if len(after) > 0 {
		next, n = after[0].(*plan.Call), 2
	}
	state := f.sessionState(op)
	inner, headers := f.hand.key, f.hand.headers
	gone := jen.Id(f.names.New("gone"))
	leaves := func() []jen.Code { // of the session in gone
		return f.block(func() {
			f.changedBy(st)
			if next == nil {
				return
			}
			f.hand = hand{key: inner, timestamp: gone.Clone().Dot("Timestamp"), headers: headers}
			f.inSession(op, gone.Clone().Dot("Start"), gone.Clone().Dot("End"))
			t := types.OptionalOf(st.Value)
			f.hand.value = held{typ: t, typed: &Place{It: jen.Parens(f.records.Type(t).Values())}, null: true}
			if op.Out.Old.Typed {
				old := f.tableValue(st, st.Value, gone, nil, op.At)
				f.hand.old = held{typ: t, typed: &Place{Valid: jen.True(), Value: old.typed.It}, sure: true}
			}
			if op.Out.Was {
				f.hand.before = gone.Clone().Dot("Timestamp")
			}
			f.callEach(next)
		})
	}
	if !st.Final && (next != nil || st.Flush != nil) {
		f.add(jen.For().Block(append([]jen.Code{
			jen.List(gone.Clone(), jen.Err()).Op(":=").Add(storeField(st)).Dot("Absorb").Call(),
			jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
			jen.If(isNil(gone)).Block(jen.Break()),
		}, leaves()...)...))
	}
	if types.IsOptional(state.typ) {
		end := append([]jen.Code{
			jen.List(gone.Clone(), jen.Err()).Op(":=").Add(storeField(st)).Dot("Delete").Call(),
			jen.If(jen.Err().Op("!=").Nil().Op("||").Add(gone.Clone()).Op("==").Nil()).Block(jen.Return(jen.Err())),
		}, leaves()...)
		f.add(jen.If(state.absent()).Block(append(end, jen.Return(jen.Nil()))...))
		state.narrow(types.NonNull(state.typ))
	}
	row, existed := f.newRow(st)
	asked, t := existed, rowType(st)
	if st.Final {
		asked = jen.Id("_")
	}
	f.add(
		jen.List(row.Clone(), asked.Clone(), jen.Err()).Op(":=").Add(storeField(st)).Dot("Put").Call(),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
	if !st.Final {
		f.add(jen.If(existed.Clone().Op("&&").Add(f.records.Equal(t, row.Clone().Dot("Value"), state.typed.It, false))).Block(
			storeField(st).Dot("Unchanged").Call(), jen.Return(jen.Nil())))
	}
	f.hand = hand{key: inner, headers: headers}
	c := &change{store: st, row: row, existed: existed}
	var before *result
	if f.notesWas = op.Out.Was; op.Out.Old.Typed {
		f.noteOld(c)
	} else if comparesResult(op, next == nil) {
		before = f.noteResult(op, c, false)
	}
	old := f.hand.old
	f.add(f.keepCells(st, row.Clone().Dot("Value"), state.typed.It)...)
	f.changedBy(st)
	if next == nil {
		f.hand.timestamp = row.Clone().Dot("Timestamp")
		return n
	}
	f.hand.timestamp = row.Clone().Dot("Timestamp")
	f.hand.value = f.tableValue(st, st.Value, row, nil, op.At)
	switch {
	case before != nil:
		f.add(jen.If(existed.Clone().Op("&&").Add(f.records.Equal(st.Value, f.hand.value.typed.It, before.value, false))).Block(jen.Return(jen.Nil())))
	case op.Out.Old.Typed && st.State != nil:
		f.add(jen.If(existed.Clone().Op("&&").Add(f.records.Equal(st.Value, f.hand.value.typed.It, old.it(), false))).Block(jen.Return(jen.Nil())))
	}
	f.inSession(op, storeField(st).Dot("Start"), storeField(st).Dot("End"))
	f.call(next)
	return n
}

// inSession gives the key at hand the session of a row.
func (f *function) inSession(op *plan.Update, start, end *jen.Statement) {
	inner := f.hand.key
	f.hand.key = f.sessionKey(op.Out.Key, inner.raw.Clone(), start.Clone(), end.Clone())
	if !op.Out.Key.Typed {
		return
	}
	t, _ := types.WindowedOf(op.Out.Key.Type)
	v := jen.Id(f.names.New("windowed", "keyInWindow"))
	f.add(v.Clone().Op(":=").Add(f.records.Type(t)).Values(
		keyed("Key", inner.typed.It.Clone()), keyed("Start", asTimestamp(start)), keyed("End", asTimestamp(end))))
	f.declared(v)
	f.hand.key.typed = &Place{It: v}
}

// sessionKey is a row's key with its session, as bytes in scratch memory.
func (f *function) sessionKey(c plan.Carry, key, start, end *jen.Statement) held {
	scratch := f.windowedBytes()
	f.add(scratch.Clone().Op("=").Add(rt("window", "AppendSessionKey")).Call(scratch.Clone().Index(jen.Empty(), jen.Lit(0)), key, start, end))
	return held{typ: c.Type, raw: scratch, format: c.Format, borrowed: true}
}

// windowedBytes is the scratch memory of the function for a key with its window.
func (f *function) windowedBytes() *jen.Statement {
	if f.windowKey == nil {
		f.windowKey = f.bytes("windowedKey")
	}
	return f.windowKey.Clone()
}

// sessionState works out the row of the session that the record makes: of the rows of those that it meets, in order, and it.
func (f *function) sessionState(op *plan.Update) held {
	st := op.Store
	i := jen.Id(f.names.New("i"))
	each := func(body ...jen.Code) jen.Code {
		return loop(i, i, storeField(st).Dot("Found"), body)
	}
	switch step := op.Step.(type) {
	case *model.Count:
		f.introduce(step, "")
		n := jen.Id(f.names.New("n", "counted"))
		f.add(n.Clone().Op(":=").Int64().Call(jen.Lit(1)), each(n.Clone().Op("+=").Add(found(st, i))))
		return held{typ: types.Int64, typed: &Place{It: n}}
	case *model.Reduce:
		f.introduce(step, exprText(step.Add))
		return f.sessionReduce(op, step, i, each)
	case *model.Fold:
		f.introduce(step, exprText(step.Add))
		agg := f.variable(st.Value, "agg")
		s := f.scope(op.At)
		f.add(s.Assign(agg, step.Init)...)
		f.add(each(f.block(func() {
			f.rows["left"], f.rows["right"] = Place{It: agg}, Place{It: found(st, i)}
			f.merge(op, agg, step.Merge)
			delete(f.rows, "left")
			delete(f.rows, "right")
		})...))
		f.agg = Place{It: agg}
		return f.state("next", f.scope(op.At), step.Add, nil)
	case *model.Aggregate:
		f.introduce(step, aggregateText(step))
		return f.sessionAggregate(op, i, each)
	}
	panic("a making step without sessions")
}

// variable makes a variable of type t: a field of the struct if it is wide.
func (f *function) variable(t types.Type, name string) *jen.Statement {
	if isWide(t) {
		return f.sub.hold(t, name, name+upperFirst(subject(f.plan)))
	}
	v := jen.Id(f.names.New(name))
	f.add(jen.Var().Add(v.Clone()).Add(f.records.Type(t)))
	f.declared(v)
	return v
}

// merge makes agg what e gives, which may read it.
func (f *function) merge(op *plan.Update, agg *jen.Statement, e model.Expr) {
	s := f.scope(op.At)
	t := e.Base().Type
	var merged *jen.Statement
	if isWide(t) {
		merged = f.sub.hold(t, "merged", "merged"+upperFirst(subject(f.plan)))
		f.add(s.Assign(merged, e)...)
	} else {
		var before []jen.Code
		before, merged = s.Var("merged", e)
		f.add(before...)
	}
	if holdsLists(t) { // what e makes lies where the next one is made
		f.add(f.records.Keep(t, agg.Clone(), merged)...)
		return
	}
	f.add(agg.Clone().Op("=").Add(merged))
}

// sessionReduce reduces the rows of sessions by the step's own add.
func (f *function) sessionReduce(op *plan.Update, step *model.Reduce, i *jen.Statement, each func(...jen.Code) jen.Code) held {
	st, value := op.Store, f.hand.value
	agg := f.variable(st.Value, "agg")
	f.add(each(
		jen.If(i.Clone().Op("==").Lit(0)).Block(agg.Clone().Op("=").Add(found(st, i)), jen.Continue()),
		jen.Add(jen.Null()), lines0(f.block(func() {
			f.hand.value = held{typ: value.typ, typed: &Place{It: found(st, i)}}
			if types.IsOptional(value.typ) {
				f.hand.value.typed = &Place{Valid: jen.True(), Value: found(st, i)}
			}
			f.agg = Place{It: agg}
			f.merge(op, agg, step.Add)
		})),
	))
	f.hand.value, f.agg = value, Place{It: agg}
	t := types.Type(st.Value)
	none := jen.Len(storeField(st).Dot("Found")).Op("==").Lit(0)
	if types.IsOptional(value.typ) {
		f.add(jen.If(none.Clone().Op("&&").Add(value.absent())).Block(jen.Return(jen.Nil()))) // a null makes no session
	}
	first := value
	first.narrow(t)
	f.add(jen.If(none).Block(agg.Clone().Op("=").Add(first.typed.It.Clone())).Else().Block(f.block(func() { f.merge(op, agg, step.Add) })...))
	return held{typ: t, typed: &Place{It: agg}, field: isWide(t)}
}

func lines0(body []jen.Code) jen.Code {
	s := jen.Null()
	for i, c := range body {
		if i > 0 {
			s.Line()
		}
		s.Add(c)
	}
	return s
}

// sessionAggregate merges the cells of the rows of sessions, and adds the record.
func (f *function) sessionAggregate(op *plan.Update, i *jen.Statement, each func(...jen.Code) jen.Code) held {
	st := op.Store
	args := f.arguments(f.scope(op.At), st.Cells)
	t := rowType(st)
	next := f.variable(t, "next")
	if isWide(t) {
		f.add(next.Clone().Op("=").Add(f.records.Type(t)).Values())
	}
	f.add(each(
		jen.If(i.Clone().Op("==").Lit(0)).Block(next.Clone().Op("=").Add(found(st, i)), jen.Continue()),
		lines0(f.block(func() {
			for _, c := range st.Cells {
				f.mergeCell(op, next, found(st, i), c)
			}
		})),
	))
	c := &change{store: st, at: next, existed: jen.Id(f.names.New("existed", "met"))}
	if needsExisted(st.Cells) {
		f.add(c.existed.Clone().Op(":=").Len(storeField(st).Dot("Found")).Op(">").Lit(0))
	}
	for k, cell := range st.Cells {
		var sum *jen.Statement
		if cell.Func == "sum" || cell.Func == "avg" {
			sum = f.sum(op, c, cell, args[k].it)
		}
		f.change(c, next, cell, args[k], sum, false)
	}
	return held{typ: t, typed: &Place{It: next}, field: isWide(t)}
}

// mergeCell adds a cell of a later session to that of the earlier ones.
func (f *function) mergeCell(op *plan.Update, into, from *jen.Statement, c plan.Cell) {
	st := op.Store
	a, b := f.cell(st, into, c.Field), f.cell(st, from, c.Field)
	t := cellType(st, c.Field)
	switch c.Func {
	case "count":
		f.add(a.Clone().Op("+=").Add(b))
	case "sum", "avg":
		if c.Func == "avg" {
			f.add(f.cell(st, into, c.Beside).Op("+=").Add(f.cell(st, from, c.Beside)))
		}
		if types.IsFloat(t) {
			f.add(a.Clone().Op("+=").Add(b))
			return
		}
		pkg := "arith"
		if types.IsDecimal(t) {
			pkg = "decimal"
		}
		v := jen.Id(f.names.New("sum"))
		f.add(
			jen.List(v.Clone(), jen.Err()).Op(":=").Add(rt(pkg, "Add")).Call(a.Clone(), b),
			jen.If(jen.Err().Op("!=").Nil()).Block(f.scope(op.At).Fail(jen.Err())...),
			a.Clone().Op("=").Add(v))
	case "variance":
		f.add(a.Clone().Dot("Merge").Call(addressOf(b)))
	case "min", "max":
		f.add(jen.If(exceeds(c, c.Type, b, a)).Block(a.Clone().Op("=").Add(b)))
	case "argmin", "argmax":
		by, other := f.cell(st, into, c.Beside), f.cell(st, from, c.Beside)
		f.add(jen.If(exceeds(c, c.By.Base().Type, other, by)).Block(by.Clone().Op("=").Add(other), a.Clone().Op("=").Add(b)))
	case "last":
		f.add(a.Clone().Op("=").Add(b))
	case "first":
	default:
		f.mergeCollected(st, into, from, c)
	}
}
