package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// change is a row of a store while it is changed.
type change struct {
	store        *plan.Store
	field        *jen.Statement // of the store
	row, existed *jen.Statement // variables
	at           *jen.Statement // of a row that is only worked out: its value; row and field are nil then
}

func (c *change) value() *jen.Statement {
	if c.at != nil {
		return c.at.Clone()
	}
	return c.row.Clone().Dot("Value")
}
func (c *change) timestamp() *jen.Statement { return c.row.Clone().Dot("Timestamp") }

// updateRow begins to change the row of the key. asks says whether it matters if the row was there.
func (f *function) updateRow(s *plan.Store, asks bool) *change {
	c := &change{store: s, field: storeField(s)}
	c.row, c.existed = f.newRow(s)
	existed := c.existed
	if !asks && !f.notes && f.tooLate == nil {
		existed = jen.Id("_")
	}
	f.add(
		jen.List(c.row.Clone(), existed.Clone(), jen.Err()).Op(":=").Add(f.rowCall(s, "Update")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
	if f.tooLate != nil {
		f.add(jen.If(jen.Op("!").Add(c.existed.Clone()).Op("&&").Add(f.late(s))).Block(append([]jen.Code{f.tooLate}, c.leaves()...)...))
		f.tooLate = nil
	}
	if f.notes {
		f.noteOld(c)
	}
	return c
}

func storeField(s *plan.Store) *jen.Statement { return jen.Id("s").Dot(s.Go) }

// leaves writes the end of a record that changes nothing.
func (c *change) leaves() []jen.Code {
	return []jen.Code{c.field.Clone().Dot("Unchanged").Call(), jen.Return(jen.Nil())}
}

// changedBy notes the headers that go with the change at the next commit.
func (f *function) changedBy(s *plan.Store) {
	if s.Flush != nil { // at a commit or when a window closes
		f.add(storeField(s).Dot("ChangedBy").Call(f.hand.headers.Clone()))
	}
}

// later moves the row's timestamp to that of the record, if that is later.
func (f *function) later(c *change) {
	f.add(c.timestamp().Op("=").Id("max").Call(c.timestamp(), f.hand.timestamp.Clone()))
}

// block collects the statements that write writes.
func (f *function) block(write func()) []jen.Code {
	outer := f.body
	f.body = nil
	write()
	inner := f.body
	f.body = outer
	return inner
}

// isTableSource says whether ops decode the value of a table and put it, and nothing else.
func isTableSource(ops []plan.Op) bool {
	if len(ops) != 2 {
		return false
	}
	d, ok := ops[0].(*plan.Decode)
	put, last := ops[1].(*plan.Put)
	return ok && last && d.Value && (put.Store.Kind == plan.KeyValue || put.Store.Kind == plan.GlobalRows) && put.Store.Flush == nil && !put.Out.Old.Typed &&
		types.IsOptional(d.In.Value.Type) && d.Out.Value.Typed
}

// putSource writes a table whose changes only its store sees: a null deletes the row, anything else replaces it.
func (f *function) putSource(d *plan.Decode, put *plan.Put) {
	f.introduce(put.Step, "")
	if put.Store.Kind == plan.GlobalRows {
		f.putGlobal(d, put)
		return
	}
	if d.Key {
		f.decodeOne(d, &f.hand.key, "key", d.Out.Key.Typed, Decoding{})
	}
	f.add(jen.If(f.hand.value.absent()).Block(
		jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(f.deleteRow(put.Store)),
		jen.Return(jen.Err())))
	f.hand.value.typ = put.Store.Value
	f.decodeOne(d, &f.hand.value, "value", true, Decoding{Fields: d.Fields, Check: d.Check})
	f.replace(put.Store, false)
}

func (f *function) deleteRow(s *plan.Store) *jen.Statement {
	return f.rowCall(s, "Delete", f.hand.timestamp.Clone())
}

// put writes the value into a store as the row of the key. What changes nothing ends here.
func (f *function) put(op *plan.Put) {
	if op.Store.Kind == plan.Versioned {
		f.putVersion(op)
		return
	}
	f.introduce(op.Step, "")
	if op.Out.Old.Typed {
		f.noteRow(op)
	}
	if !types.IsOptional(f.hand.value.typ) {
		f.replace(op.Store, op.Repeats)
		return
	}
	value := f.hand.value
	deletes := f.block(func() {
		if op.Repeats {
			f.add(jen.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(f.deleteRow(op.Store)), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
			f.changedBy(op.Store)
			return
		}
		f.add(
			jen.List(jen.Id("existed"), jen.Err()).Op(":=").Add(f.deleteRow(op.Store)),
			jen.If(jen.Err().Op("!=").Nil().Op("||").Op("!").Id("existed")).Block(jen.Return(jen.Err())))
		f.changedBy(op.Store)
	})
	replaces := f.block(func() {
		f.hand.value.narrow(op.Store.Value)
		f.replace(op.Store, op.Repeats)
		f.hand.value = value
	})
	f.add(jen.If(value.absent()).Block(deletes...).Else().Block(replaces...))
}

// replace makes the value at hand, which is not null, the row of the key. One that changes nothing ends, unless it repeats.
func (f *function) replace(s *plan.Store, repeats bool) {
	c := f.updateRow(s, true)
	v := f.hand.value.it()
	same := jen.If(c.existed.Clone().Op("&&").Add(c.timestamp()).Op("==").Add(f.hand.timestamp.Clone()).
		Op("&&").Add(f.records.Equal(s.Value, c.value(), v, false)))
	writes := f.block(func() {
		f.add(f.records.Keep(s.Value, c.value(), v)...)
		f.add(c.timestamp().Op("=").Add(f.hand.timestamp.Clone()))
		f.changedBy(s)
	})
	if repeats {
		f.add(same.Block(c.field.Clone().Dot("Unchanged").Call()).Else().Block(writes...))
		return
	}
	f.add(same.Block(c.leaves()...))
	f.add(writes...)
}

// update runs a making step on the row of the key.
func (f *function) update(op *plan.Update, after []plan.Op) {
	last := len(after) == 0
	var c *change
	var before *result
	f.notes, f.notesWas, f.repeats = op.Out.Old.Typed, op.Out.Was, op.Repeats
	if op.Pairs {
		f.updatePairs(op, last)
		f.notes = false
		return
	}
	switch step := op.Step.(type) {
	case *model.Count:
		f.introduce(step, "")
		c = f.updateRow(op.Store, false)
		f.add(c.value().Op("++"))
		f.later(c)
	case *model.Reduce:
		f.introduce(step, exprText(step.Add))
		c = f.reduce(op, step)
	case *model.Aggregate:
		f.introduce(step, aggregateText(step))
		c, before = f.aggregate(op, last)
	case *model.Fold:
		f.introduce(step, exprText(step.Add))
		f.fold(op, step, after)
		f.notes = false
		return
	}
	f.notes = false
	f.changedBy(op.Store)
	f.hand.timestamp = c.timestamp()
	if last {
		return
	}
	f.hand.value = f.tableValue(op.Store, op.Store.Value, c.row, nil, op.At)
	if before != nil {
		f.add(jen.If(c.existed.Clone().Op("&&").Add(c.timestamp()).Op("==").Add(before.timestamp).
			Op("&&").Add(f.records.Equal(op.Store.Value, f.hand.value.typed.It, before.value, false))).Block(jen.Return(jen.Nil())))
	}
}

// reduce folds the value into the row. The first value is stored as it is.
func (f *function) reduce(op *plan.Update, step *model.Reduce) *change {
	t := op.Store.Value
	c := f.updateRow(op.Store, true)
	first := f.block(func() {
		v := f.hand.value
		if types.IsOptional(v.typ) { // a null makes no row
			f.add(jen.If(v.absent()).Block(c.leaves()...))
			v.narrow(t)
		}
		f.add(f.records.Keep(t, c.value(), v.typed.It)...)
		f.add(c.timestamp().Op("=").Add(f.hand.timestamp.Clone()))
	})
	more := f.block(func() {
		f.agg = Place{It: c.value()}
		s := f.rowScope(op, c)
		f.opens(c, step.Add)
		var next *jen.Statement
		if isWide(t) {
			next = f.hold(t, "next")
			f.add(s.Assign(next, step.Add)...)
		} else {
			var before []jen.Code
			before, next = s.Var("next", step.Add)
			f.add(before...)
		}
		same := f.hand.timestamp.Clone().Op("<=").Add(c.timestamp()).Op("&&").Add(f.records.Equal(t, c.value(), next, false))
		f.unless(c, same, func() {
			f.add(f.records.Keep(t, c.value(), next)...)
			f.later(c)
		})
	})
	f.add(jen.If(jen.Op("!").Add(c.existed.Clone())).Block(first...).Else().Block(more...))
	return c
}

// unless writes what changes a row. Where the record leaves it the same it ends here, or goes on with the row as it is; a final result
// counts each record, for it has the headers of the last one.
func (f *function) unless(c *change, same *jen.Statement, writes func()) {
	switch {
	case c.store.Final:
		writes()
	case f.repeats:
		f.add(jen.If(same).Block(c.field.Clone().Dot("Unchanged").Call()).Else().Block(f.block(writes)...))
	default:
		f.add(jen.If(same).Block(c.leaves()...))
		writes()
	}
}

// rowScope is the scope of a making step's expressions: where they fail, the row stays as it was.
func (f *function) rowScope(op *plan.Update, c *change) *Scope {
	s := f.scope(op.At)
	if fail := s.Fail; fail != nil && c.field != nil {
		s.Fail = func(err *jen.Statement) []jen.Code {
			return append([]jen.Code{c.field.Clone().Dot("Unchanged").Call()}, fail(err)...)
		}
	}
	return s
}
