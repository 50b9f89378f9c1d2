package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

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
		return Place{Valid: jen.True(), Null: jen.False(), Value: h.it(), Sure: true}
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
	t := e.Base().Type
	switch e.(type) {
	case *model.Cond, *model.Call: // perhaps several assignments
	default:
		if !types.IsOptional(t) && !isWide(t) {
			e = &model.Wrap{ExprBase: model.ExprBase{Type: types.OptionalOf(t), Pos: e.Base().Pos}, X: e}
			t = types.OptionalOf(t)
		}
	}
	if types.IsOptional(t) {
		f.add(s.Assign(h.typed.It, e)...)
		return
	}
	f.add(s.Assign(h.typed.It.Clone().Dot("Value"), e)...)
	f.add(h.typed.It.Clone().Dot("Valid").Op("=").True())
}

// given is the value of an expression where a condition holds, nil for always, and null elsewhere: in the field dst if that is given.
func (f *function) given(name string, e model.Expr, dst, where *jen.Statement, sees func(s *Scope), at *plan.Position, fresh bool) held {
	t := e.Base().Type
	always := where == nil && !types.IsOptional(t)
	if always && dst == nil && !isWide(t) && !f.triesToo(at, fresh, e) {
		s := f.scope(at)
		sees(s)
		before, v := s.Var(name, e)
		f.add(before...)
		f.declared(v)
		return held{typ: t, typed: &Place{It: v}}
	}
	out := held{typ: types.OptionalOf(t), typed: &Place{It: dst}, field: true}
	if dst == nil {
		out = f.unset(name, t)
	}
	valid := out.typed.It.Clone().Dot("Valid")
	if where != nil && out.field && !types.IsOptional(t) && !f.triesToo(at, fresh, e) {
		f.add(jen.If(valid.Clone().Op("=").Add(where), valid.Clone()).Block(f.block(func() {
			s := f.scope(at)
			sees(s)
			f.add(s.Assign(out.typed.It.Clone().Dot("Value"), e)...)
		})...))
		return out
	}
	body := f.block(func() {
		f.tried(at, fresh, []model.Expr{e}, func(s *Scope) {
			sees(s)
			f.set(s, out, e)
		}, valid.Clone().Op("=").False())
	})
	if where == nil {
		f.add(body...)
		return out
	}
	f.makeNull(out)
	f.add(jen.If(where).Block(body...))
	return out
}

// triesToo says whether a row is absent where one of its expressions fails, rather than that the record is rejected and ends.
func (f *function) triesToo(at *plan.Position, fresh bool, list ...model.Expr) bool {
	return slices.ContainsFunc(list, CanFail) && (!fresh || at.OnError.GoesOn()) && f.plan.Kind != plan.FromRows
}

// tried writes what may fail, on the way of a change: then the row is absent, as absent makes it. The record is rejected only because
// of the new row: the old one was looked at when it was new.
func (f *function) tried(at *plan.Position, fresh bool, list []model.Expr, write func(s *Scope), absent jen.Code) {
	s := f.scope(at)
	if !f.triesToo(at, fresh, list...) {
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
	if f.plan.Kind == plan.FromRows {
		f.viewFilter(op)
		return
	}
	if op.In.Old.Typed && op.Out.Old.Typed {
		f.hand.old, f.hand.zero = f.filtered(op, f.hand.old, f.hand.before, false), false
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
			if len(before) == 0 && !CanFail(op.Where) {
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
	if f.plan.Kind == plan.FromRows {
		f.viewMap(op)
		return
	}
	t := op.Value.Base().Type
	if op.In.Old.Typed && op.Out.Old.Typed {
		f.hand.old, f.hand.zero = f.mapped(op, f.hand.old, f.hand.before, false, f.oldSlot(after, t, "mappedOld")), false
	}
	if !f.hand.value.may() && !types.IsOptional(op.Out.Value.Type) {
		f.hand.value = f.compute("value", op.Value, op.At, f.slot(after, t, ""))
		return
	}
	f.hand.value = f.mapped(op, f.hand.value, f.hand.timestamp, true, f.slot(after, types.OptionalOf(t), "mapped"))
}

func (f *function) mapped(op *plan.RowMap, h held, timestamp *jen.Statement, fresh bool, dst *jen.Statement) held {
	var there *jen.Statement
	if h.may() {
		there = h.there()
	}
	return f.given(map[bool]string{true: "mapped", false: "mappedOld"}[fresh], op.Value, dst, there, func(s *Scope) {
		s.Value, s.Timestamp = h.seen(op.MapValues.In.Value), rt("temporal", "Timestamp").Call(timestamp.Clone())
	}, op.At, fresh)
}

// differ ends a change that changes nothing.
func (f *function) differ() {
	value, old := f.hand.value, f.hand.old
	t := types.NonNull(value.typ)
	same := f.hand.timestamp.Clone().Op("==").Add(f.hand.before.Clone()).Op("&&").Add(f.records.Equal(t, value.it(), old.it(), false))
	switch {
	case !value.may() && !old.may():
	case !value.may():
		same = old.there().Op("&&").Add(same)
	case !old.may():
		same = value.there().Op("&&").Add(same)
	default:
		same = value.there().Op("==").Add(old.there()).Op("&&").Parens(value.absent().Op("||").Add(same))
	}
	f.add(jen.If(same).Block(jen.Return(jen.Nil())))
}

// lookup is a row that was looked up.
type lookup struct {
	there, absent    *jen.Statement // conditions; nil: it is there
	value, timestamp *jen.Statement // mean nothing unless it is there
	row              *jen.Statement // the *state.Row, nil if it is not there; nil: there is none
	behind           bool           // value is that of row, not made of it
	whole            bool           // and all of it
	zero             bool           // timestamp is 0 if it is not there
}

// latest is the later of a time and that of the row, if it is there, in a variable of that name.
func (f *function) latest(name string, timestamp *jen.Statement, r lookup) *jen.Statement {
	v := jen.Id(f.names.New(name))
	switch {
	case r.there == nil || r.zero:
		f.add(v.Clone().Op(":=").Id("max").Call(timestamp.Clone(), r.timestamp.Clone()))
	case r.row != nil:
		f.add(v.Clone().Op(":=").Add(r.row.Clone()).Dot("Latest").Call(timestamp.Clone()))
	default:
		f.add(v.Clone().Op(":=").Add(timestamp.Clone()),
			jen.If(r.there.Clone()).Block(v.Clone().Op("=").Id("max").Call(v.Clone(), r.timestamp.Clone())))
	}
	return v
}

// held is the row as a held of type t.
func (r lookup) held(t types.Type) held {
	if r.there == nil {
		return held{typ: t, typed: &Place{It: r.value}}
	}
	return held{typ: types.OptionalOf(t), typed: r.place()}
}

// place is the row as an optional value.
func (r lookup) place() *Place {
	p := &Place{Valid: r.there, Null: r.absent, Value: r.value, Behind: r.behind}
	if r.whole {
		p.Row = r.row
	}
	return p
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
		r := lookup{there: exists, absent: negated(exists), value: f.viewRow(rows.View, t), timestamp: timestamp, zero: true}
		f.lookedUp(r.absent.Clone(), needed)
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
	f.lookedUp(isNil(row), needed)
	f.declared(row)
	r := lookup{there: notNil(row), absent: isNil(row), timestamp: row.Clone().Dot("Timestamp"), row: row}
	if needed {
		r.there = nil
		r.value = f.tableValue(rows.Store, rows.Store.Value, row, nil, at).typed.It
		return r
	}
	f.valueOf(&r, rows.Store, at, name)
	return r
}

// valueOf fills in the value of a row of a store that may not be there.
func (f *function) valueOf(r *lookup, st *plan.Store, at *plan.Position, name string) {
	if st.State != nil {
		r.value = f.resultIf(st, r.row, r.there, at, name)
		return
	}
	r.value, r.behind, r.whole = rowValue(st, r.row), true, st.Kind != plan.Suppressed
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
		return lookup{there: exists, absent: negated(exists), value: f.viewRow(rows.View, rows.View.Ops[len(rows.View.Ops)-1].Base().Out.Value.Type)}
	}
	row := jen.Id(f.names.New(name, name+"Row"))
	held := f.records.Type(rowType(rows.Store))
	if rows.Store.Kind == plan.Suppressed {
		held = rt("state", "Held").Index(held)
	}
	f.add(jen.Var().Add(row.Clone()).Op("*").Add(rt("state", "Row")).Index(held), fails(getRow(rows, key), row.Clone()))
	f.declared(row)
	r := lookup{there: notNil(row), absent: isNil(row), row: row}
	f.valueOf(&r, rows.Store, at, name)
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

// noteOld keeps the row that is about to change.
func (f *function) noteOld(c *change) {
	st := c.store
	if st.Kind == plan.Sliding { // a row that is there may have been made for the record
		f.declared(c.existed)
		f.noteWas(st)
		return
	}
	f.hand.zero = true
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
	f.hand.zero = true
	was := jen.Id(f.names.New("was", "wasRow"))
	f.add(was.Clone().Op(":=").Add(storeField(st)).Dot("Was").Call())
	there := notNil(was)
	if f.notesWas {
		f.hand.before = jen.Id(f.names.New("before", "timestampBefore"))
		f.add(jen.Var().Add(f.hand.before.Clone()).Int64(),
			jen.If(there.Clone()).Block(f.hand.before.Clone().Op("=").Add(was.Clone()).Dot("Timestamp")))
		f.declared(f.hand.before)
	}
	if st.State != nil {
		value := f.resultIf(st, was, there, f.entering, "old")
		f.hand.old = held{typ: types.OptionalOf(st.Value), typed: &Place{Valid: there, Null: isNil(was), Value: value}}
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
		f.hand.before, f.hand.zero = jen.Lit(0), true
	}
}

// noteRow keeps the row of the key as it is before it is put.
func (f *function) noteRow(op *plan.Put) {
	st := op.Store
	f.hand.zero = true
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
		).Else().If(notNil(was)).Block(keeps...))
	if op.Out.Was {
		f.declared(f.hand.before)
	}
	f.declared(old.typed.It)
	f.hand.old = old
}

// flushed begins a function FromFlush: a row that is as it was sent last is not sent again.
func (f *function) flushed(st *plan.Store) {
	f.hand.zero = true
	if st.Final && f.plan.In.Old.Typed { // it leaves once
		f.hand.old = f.optional("old", st.Value)
		f.hand.before = jen.Lit(0)
	}
	if !st.KeepsSent {
		return
	}
	sent := jen.Id(f.names.New("sent", "sentRow"))
	f.add(sent.Clone().Op(":=").Id("s").Dot(st.Go).Dot("Before").Call(jen.Id("row")))
	there := notNil(sent)
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
		f.hand.old = held{typ: types.OptionalOf(st.Value), typed: &Place{Valid: there, Null: isNil(sent), Value: value}}
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
