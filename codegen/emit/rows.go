package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Steps on rows: what passes is the change of a row, and where it is wanted the row that it replaces.

// it is the value itself, where it is known to be there.
func (h held) it() *jen.Statement {
	switch {
	case h.typed.Value != nil:
		return h.typed.Value.Clone()
	case types.IsOptional(h.typ):
		return h.typed.It.Clone().Dot("Value")
	}
	return h.typed.It.Clone()
}

// may says whether the value may be null.
func (h held) may() bool { return types.IsOptional(h.typ) && !h.sure }

// seen is the value for an expression that has a name of type t for it: where it is known to be there.
func (h held) seen(t types.Type) Place {
	if !types.IsOptional(t) {
		return Place{It: h.it()}
	}
	if h.typed.Value != nil || !types.IsOptional(h.typ) {
		return Place{Valid: jen.True(), Null: jen.False(), Value: h.it()}
	}
	return *h.typed
}

// asked is the value for an expression that has a name of type t for it: optional, it may not be there.
func (h held) asked(t types.Type) Place {
	if types.IsOptional(t) && h.may() {
		return *h.typed
	}
	return h.seen(t)
}

// optional is an optional.Of variable of type t, made null, and the held that it is.
func (f *function) optional(name string, t types.Type) held {
	h := f.unset(name, t)
	f.makeNull(h)
	return h
}

// makeNull makes an unset optional null.
func (f *function) makeNull(h held) {
	if h.field { // a variable has been declared
		f.add(h.typed.It.Clone().Dot("Valid").Op("=").False())
	}
}

// unset is an optional.Of variable of type t for what is set in any case. It may hold what it held for another record.
func (f *function) unset(name string, t types.Type) held {
	t = types.OptionalOf(t)
	h := held{typ: t}
	if isWide(t) {
		h.typed, h.field = &Place{It: f.made(t, name)}, true
		return h
	}
	v := jen.Id(f.names.New(name))
	f.add(jen.Var().Add(v.Clone()).Add(f.records.Type(t)))
	h.typed = &Place{It: v}
	return h
}

// set gives an optional the value of an expression, which may be optional itself.
func (f *function) set(s *Scope, h held, e model.Expr) {
	if types.IsOptional(e.Base().Type) {
		f.add(s.Assign(h.typed.It, e)...)
		return
	}
	f.add(s.Assign(h.typed.It.Clone().Dot("Value"), e)...)
	f.add(h.typed.It.Clone().Dot("Valid").Op("=").True())
}

// tried writes what may fail, on the way of a change: then the row is absent, as absent makes it. The record is rejected only because
// of the new row: the old one was looked at when it was new.
func (f *function) tried(at *plan.Position, fresh bool, list []model.Expr, write func(s *Scope), absent jen.Code) {
	fails := false
	for _, e := range list {
		fails = fails || CanFail(e)
	}
	s := f.scope(at)
	if !fails || f.plan.Kind == plan.FromRows || fresh && !at.OnError.GoesOn() { // the last one stops the task
		write(s)
		return
	}
	s.Fail = func(err *jen.Statement) []jen.Code { return []jen.Code{jen.Return(err)} }
	body := append(f.block(func() { write(s) }), jen.Return(jen.Nil()))
	then := []jen.Code{absent}
	if fresh {
		then = []jen.Code{ifErr(f.rejection(at, "BadLogic", jen.Err())), absent}
	}
	f.add(jen.If(jen.Err().Op(":=").Func().Params().Error().Block(body...).Call(), jen.Err().Op("!=").Nil()).Block(then...))
}

// ifThere writes code for a value that is there.
func (f *function) ifThere(h held, write func()) {
	if !h.may() {
		write()
		return
	}
	if body := f.block(write); len(body) > 0 {
		f.add(jen.If(h.there()).Block(body...))
	}
}

// rowFilter makes rows that do not pass absent.
func (f *function) rowFilter(op *plan.RowFilter) {
	f.introduce(op.Step, exprText(op.Where))
	if op.In.Old.Typed && op.Out.Old.Typed {
		f.hand.old = f.filtered(op, f.hand.old, f.hand.before, false)
	}
	f.hand.value = f.filtered(op, f.hand.value, f.hand.timestamp, true)
}

func (f *function) filtered(op *plan.RowFilter, h held, timestamp *jen.Statement, fresh bool) held {
	kept := jen.Id(f.names.New(map[bool]string{true: "kept", false: "keptOld"}[fresh], "kept"))
	initial := jen.True()
	if h.may() {
		initial = h.there()
	}
	var simple *jen.Statement
	body := f.block(func() {
		f.tried(op.At, fresh, []model.Expr{op.Where}, func(s *Scope) {
			s.Value, s.Timestamp = h.seen(op.Filter.In.Value), rt("temporal", "Timestamp").Call(timestamp.Clone())
			before, cond := s.Test(op.Where, op.Not)
			if len(before) == 0 && (!CanFail(op.Where) || f.plan.Kind == plan.FromRows) {
				simple = cond
			}
			f.add(before...)
			f.add(kept.Clone().Op("=").Add(cond))
		}, kept.Clone().Op("=").False())
	})
	switch {
	case simple != nil && !h.may():
		f.add(kept.Clone().Op(":=").Add(simple))
	case simple != nil:
		f.add(kept.Clone().Op(":=").Add(h.there()).Op("&&").Add(inAndCondition(op.Where, op.Not, simple)))
	default:
		f.add(kept.Clone().Op(":=").Add(initial))
		f.add(jen.If(kept.Clone()).Block(body...))
	}
	return held{typ: types.OptionalOf(h.typ), typed: &Place{Valid: kept, Value: h.it()}}
}

// inAndCondition is a condition as an operand of &&.
func inAndCondition(e model.Expr, not bool, cond *jen.Statement) *jen.Statement {
	if b, ok := e.(*model.Binary); ok && (b.Op == "||" || b.Op == "&&" && not) {
		return jen.Parens(cond)
	}
	return cond
}

// rowMap makes rows of rows.
func (f *function) rowMap(op *plan.RowMap, after []plan.Op) {
	f.introduce(op.Step, exprText(op.Value))
	if op.In.Old.Typed && op.Out.Old.Typed {
		f.hand.old = f.mapped(op, f.hand.old, f.hand.before, false)
	}
	if !f.hand.value.may() && !types.IsOptional(op.Out.Value.Type) {
		f.hand.value = f.compute("value", op.Value, op.At, f.slot(after, op.Value.Base().Type))
		return
	}
	f.hand.value = f.mapped(op, f.hand.value, f.hand.timestamp, true)
}

func (f *function) mapped(op *plan.RowMap, h held, timestamp *jen.Statement, fresh bool) held {
	to := f.optional(map[bool]string{true: "mapped", false: "mappedOld"}[fresh], op.Value.Base().Type)
	f.ifThere(h, func() {
		f.tried(op.At, fresh, []model.Expr{op.Value}, func(s *Scope) {
			s.Value, s.Timestamp = h.seen(op.MapValues.In.Value), rt("temporal", "Timestamp").Call(timestamp.Clone())
			f.set(s, to, op.Value)
		}, to.typed.It.Clone().Dot("Valid").Op("=").False())
	})
	return to
}

// differ ends a change that changes nothing.
func (f *function) differ() {
	value, old := f.hand.value, f.hand.old
	t := types.NonNull(value.typ)
	same := f.hand.timestamp.Clone().Op("==").Add(f.hand.before.Clone()).Op("&&").Add(f.records.Equal(t, value.it(), old.it(), false))
	if !value.may() {
		same = old.there().Op("&&").Add(same)
	} else {
		same = value.there().Op("==").Add(old.there()).Op("&&").Parens(value.absent().Op("||").Add(same))
	}
	f.add(jen.If(same).Block(jen.Return(jen.Nil())))
}

// lookup is a row that was looked up.
type lookup struct {
	there            *jen.Statement // condition; nil: it is there
	value, timestamp *jen.Statement // mean nothing unless it is there
}

// gives ends the function with an error.
func (f *function) gives(err *jen.Statement) jen.Code {
	if f.plan.Kind == plan.FromRows {
		return jen.Return(jen.False(), jen.Lit(0), err)
	}
	return jen.Return(err)
}

// nothing ends the function without a row, or the way of a change that gives none.
func (f *function) nothing() jen.Code {
	if f.plan.Kind == plan.FromRows {
		return jen.Return(jen.False(), jen.Lit(0), jen.Nil())
	}
	return jen.Return(jen.Nil())
}

// find looks up the row of the key at hand, a value of type t. With needed the function ends where there is none.
func (f *function) find(rows plan.Rows, name string, t types.Type, needed bool, at *plan.Position) lookup {
	key := f.hand.key.raw.Clone()
	if rows.View != nil {
		exists, timestamp := jen.Id(f.names.New(name+"Exists")), jen.Id(f.names.New(name+"Timestamp"))
		named := timestamp.Clone()
		f.add(jen.List(exists.Clone(), named, jen.Err()).Op(":=").Id("s").Dot(rows.View.Go).Call(key))
		f.listed(named)
		r := lookup{there: exists, value: f.viewRow(rows.View, t), timestamp: timestamp}
		f.lookedUp(jen.Op("!").Add(exists.Clone()), needed)
		f.declared(exists)
		if needed {
			r.there = nil
		}
		return r
	}
	if rows.Store.Kind == plan.Versioned {
		return f.newestVersion(rows.Store, name, needed)
	}
	row := jen.Id(f.names.New(name, name+"Row"))
	f.add(jen.List(row.Clone(), jen.Err()).Op(":=").Add(getRow(rows, key)))
	f.lookedUp(row.Clone().Op("==").Nil(), needed)
	f.declared(row)
	r := lookup{there: row.Clone().Op("!=").Nil(), timestamp: row.Clone().Dot("Timestamp")}
	if needed {
		r.there = nil
		r.value = f.tableValue(rows.Store, rows.Store.Value, row, nil, at).typed.It
		return r
	}
	if r.value = rowValue(rows.Store, row); rows.Store.State != nil {
		r.value = f.resultIf(rows.Store, row, r.there, at, name)
	}
	return r
}

// findIf is find under a condition: that the key is there.
func (f *function) findIf(rows plan.Rows, there *jen.Statement, name string, at *plan.Position) lookup {
	key := f.hand.key.raw.Clone()
	fails := func(call *jen.Statement, results ...jen.Code) jen.Code {
		return jen.If(there).Block(jen.Var().Err().Error(),
			jen.If(jen.List(append(results, jen.Err())...).Op("=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
	}
	if rows.View != nil {
		exists := jen.Id(f.names.New(name + "Exists"))
		f.add(jen.Var().Add(exists.Clone()).Bool(), fails(jen.Id("s").Dot(rows.View.Go).Call(key), exists.Clone(), jen.Id("_")))
		return lookup{there: exists, value: f.viewRow(rows.View, rows.View.Ops[len(rows.View.Ops)-1].Base().Out.Value.Type)}
	}
	row := jen.Id(f.names.New(name, name+"Row"))
	held := f.records.Type(rowType(rows.Store))
	if rows.Store.Kind == plan.Suppressed {
		held = rt("state", "Held").Index(held)
	}
	f.add(jen.Var().Add(row.Clone()).Op("*").Add(rt("state", "Row")).Index(held), fails(getRow(rows, key), row.Clone()))
	f.declared(row)
	r := lookup{there: row.Clone().Op("!=").Nil(), value: rowValue(rows.Store, row)}
	if rows.Store.State != nil {
		r.value = f.resultIf(rows.Store, row, r.there, at, name)
	}
	return r
}

// rowValue is what a row of a store holds.
func rowValue(st *plan.Store, row *jen.Statement) *jen.Statement {
	if st.Kind == plan.Suppressed {
		return row.Clone().Dot("Value").Dot("Value")
	}
	return row.Clone().Dot("Value")
}

// getRow is the call that looks into a store.
func getRow(rows plan.Rows, key *jen.Statement) *jen.Statement {
	get := "Get"
	if rows.Sent || rows.Store.Kind == plan.Suppressed {
		get = "Sent"
	}
	return storeField(rows.Store).Dot(get).Call(key)
}

// lookedUp ends the function if looking a row up failed, or if it is not there although it is needed.
func (f *function) lookedUp(missing *jen.Statement, needed bool) {
	switch {
	case needed && f.plan.Kind == plan.FromRows:
		f.add(jen.If(jen.Err().Op("!=").Nil().Op("||").Add(missing)).Block(f.gives(jen.Err())))
	case needed:
		f.add(jen.If(jen.Err().Op("!=").Nil()).Block(f.gives(jen.Err())), jen.If(missing).Block(append(slices.Clone(f.alone), f.nothing())...))
	default:
		f.add(jen.If(jen.Err().Op("!=").Nil()).Block(f.gives(jen.Err())))
	}
}

// resultIf works out the value of a table whose rows hold the state of aggregators, if the row is there.
func (f *function) resultIf(st *plan.Store, row, there *jen.Statement, at *plan.Position, name string) *jen.Statement {
	dst := f.sub.hold(st.Value, name, name+"Value")
	f.add(jen.If(there.Clone()).Block(f.block(func() {
		f.cells = f.cellResults(st, row.Clone().Dot("Value"))
		f.add(f.scope(at).Assign(dst, stateValue(st))...)
	})...))
	return dst
}

// viewRow is the field that holds what a Func FromRows gives.
func (s *sub) viewRow(view *plan.Func, t types.Type) *jen.Statement {
	if s.views[view] == nil {
		s.views[view] = s.hold(types.NonNull(t), names.Lower(subject(view)), names.Lower(subject(view))+"Row")
	}
	return s.views[view].Clone()
}

// fromRows writes the function that works out a row of a table without a store.
func (s *sub) fromRows(p *plan.Func) {
	f := s.newFunction(p, "key", "exists", "timestamp")
	f.hand = hand{key: held{typ: p.In.Key.Type, raw: jen.Id("key"), format: p.In.Key.Format, borrowed: true}}
	f.write(jen.Id("key").Index().Byte())
}

// givesRow ends a function FromRows with the row at hand.
func (f *function) givesRow() {
	h := f.hand.value
	field := f.viewRow(f.plan, h.typ)
	f.add(field.Clone().Op("=").Add(h.it()))
	there := jen.True()
	if h.may() {
		there = h.there()
	}
	f.add(jen.Return(there, f.hand.timestamp.Clone(), jen.Nil()))
}

// get begins with the row of a table.
func (f *function) get(op *plan.Get) {
	t := types.NonNull(op.Out.Value.Type)
	if op.Left != nil {
		f.introduce(op.Step, "")
		left := jen.Id(f.names.New("left", "hasLeft"))
		call := storeField(op.Left).Dot("Left").Call(f.hand.key.raw.Clone(), f.windowEnd(op.Left))
		f.add(
			jen.List(left.Clone(), jen.Err()).Op(":=").Add(call),
			jen.If(jen.Err().Op("!=").Nil().Op("||").Op("!").Add(left)).Block(f.gives(jen.Err())))
	}
	row := f.find(op.Rows, "base", t, true, nil)
	f.hand.value = held{typ: op.Out.Value.Type, typed: &Place{Valid: jen.True(), Value: row.value}, sure: true}
	f.hand.timestamp = row.timestamp
}

// noteOld keeps the row that is about to change.
func (f *function) noteOld(c *change) {
	st := c.store
	if st.Kind == plan.Sliding { // a row that is there may have been made for the record
		f.declared(c.existed)
		f.noteWas(st)
		return
	}
	if f.notesWas {
		f.hand.before = jen.Id(f.names.New("before", "timestampBefore"))
		f.add(f.hand.before.Clone().Op(":=").Add(c.timestamp()))
		f.declared(f.hand.before)
	}
	var value *jen.Statement
	if st.State == nil {
		value = f.copied(st.Value, c.value(), "old")
	} else {
		value = f.resultIf(st, c.row, c.existed, f.entering, "old")
	}
	f.declared(value)
	f.declared(c.existed)
	f.hand.old = held{typ: types.OptionalOf(st.Value), typed: &Place{Valid: c.existed.Clone(), Value: value}}
}

// noteWas keeps the row of the sliding window in hand as it was before the record.
func (f *function) noteWas(st *plan.Store) {
	was := jen.Id(f.names.New("was", "wasRow"))
	f.add(was.Clone().Op(":=").Add(storeField(st)).Dot("Was").Call())
	there := was.Clone().Op("!=").Nil()
	if f.notesWas {
		f.hand.before = jen.Id(f.names.New("before", "timestampBefore"))
		f.add(jen.Var().Add(f.hand.before.Clone()).Int64(),
			jen.If(there.Clone()).Block(f.hand.before.Clone().Op("=").Add(was.Clone()).Dot("Timestamp")))
		f.declared(f.hand.before)
	}
	if st.State != nil {
		value := f.resultIf(st, was, there, f.entering, "old")
		f.hand.old = held{typ: types.OptionalOf(st.Value), typed: &Place{Valid: there, Value: value}}
		return
	}
	f.hand.old = f.optional("old", st.Value)
	f.add(jen.If(there).Block(f.hand.old.typed.It.Clone().Op("=").Add(rt("optional", "Some")).Call(was.Clone().Dot("Value"))))
	f.declared(f.hand.old.typed.It)
}

// noteNone notes that a row was not there before.
func (f *function) noteNone(st *plan.Store, op *plan.Update) {
	if op.Out.Old.Typed {
		t := types.OptionalOf(st.Value)
		f.hand.old = held{typ: t, typed: &Place{It: jen.Parens(f.records.Type(t).Values())}, null: true}
	}
	if op.Out.Was {
		f.hand.before = jen.Lit(0)
	}
}

// noteRow keeps the row of the key as it is before it is put.
func (f *function) noteRow(op *plan.Put) {
	st := op.Store
	old := f.optional("old", st.Value)
	was := jen.Id(f.names.New("was", "wasRow"))
	keeps := []jen.Code{old.typed.It.Clone().Op("=").Add(rt("optional", "Some")).Call(was.Clone().Dot("Value"))}
	if op.Out.Was {
		f.hand.before = jen.Id(f.names.New("before", "timestampBefore"))
		f.add(jen.Var().Add(f.hand.before.Clone()).Int64())
		keeps = append(keeps, f.hand.before.Clone().Op("=").Add(was.Clone()).Dot("Timestamp"))
	}
	f.add(
		jen.If(jen.List(was.Clone(), jen.Err()).Op(":=").Add(storeField(st)).Dot("Get").Call(f.hand.key.raw.Clone()), jen.Err().Op("!=").Nil()).Block(
			jen.Return(jen.Err()),
		).Else().If(was.Clone().Op("!=").Nil()).Block(keeps...))
	if op.Out.Was {
		f.declared(f.hand.before)
	}
	f.declared(old.typed.It)
	f.hand.old = old
}

// flushed begins a function FromFlush: a row that is as it was sent last is not sent again.
func (f *function) flushed(st *plan.Store) {
	if st.Final && f.plan.In.Old.Typed { // it leaves once
		f.hand.old = f.optional("old", st.Value)
		f.hand.before = jen.Lit(0)
	}
	if !st.KeepsSent {
		return
	}
	sent := jen.Id(f.names.New("sent", "sentRow"))
	f.add(sent.Clone().Op(":=").Id("s").Dot(st.Go).Dot("Before").Call(jen.Id("row")))
	there := sent.Clone().Op("!=").Nil()
	value := sent.Clone().Dot("Value")
	if st.State != nil {
		value = f.resultIf(st, sent, there, f.makingPosition(st), "sent")
	}
	same := there.Clone().Op("&&")
	if types.IsOptional(f.plan.In.Value.Type) {
		same.Id("exists").Op("&&")
	}
	same.Id("row").Dot("Timestamp").Op("==").Add(sent.Clone()).Dot("Timestamp").Op("&&").Add(
		f.records.Equal(st.Value, f.hand.value.it(), value, false))
	f.add(jen.If(same).Block(jen.Return(jen.Nil())))
	var notes []jen.Code
	switch {
	case !f.plan.In.Old.Typed:
	case st.State != nil:
		f.hand.old = held{typ: types.OptionalOf(st.Value), typed: &Place{Valid: there, Value: value}}
	default:
		f.hand.old = f.optional("old", st.Value)
		notes = append(notes, f.hand.old.typed.It.Clone().Op("=").Add(rt("optional", "Some")).Call(value))
	}
	if f.plan.In.Was {
		f.hand.before = jen.Id(f.names.New("before", "timestampBefore"))
		f.add(jen.Var().Add(f.hand.before.Clone()).Int64())
		notes = append(notes, f.hand.before.Clone().Op("=").Add(sent.Clone()).Dot("Timestamp"))
	}
	if len(notes) > 0 {
		f.add(jen.If(there.Clone()).Block(notes...))
	}
	if f.plan.In.Was {
		f.declared(f.hand.before)
	}
	if old := f.hand.old.typed; old != nil && old.It != nil {
		f.declared(old.It)
	}
}

// keepSent is a store that keeps rows as they were sent, if it has to.
func keepSent(st *plan.Store, store *jen.Statement) *jen.Statement {
	if st.KeepsSent {
		return store.Dot("KeepSent").Call()
	}
	return store
}
