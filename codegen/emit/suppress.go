package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// suppress holds the change at hand back, and lets leave what is due.
func (f *function) suppress(op *plan.Suppress) {
	f.introduce(op.Step, "")
	st := op.Store
	timestamp := f.hand.timestamp
	at := timestamp.Clone()
	if op.Close {
		at = f.windowEnd(st)
	}
	put := func() {
		held, known := jen.Id(f.names.New("held", "change")), jen.Id(f.names.New("known"))
		field := func(name string) *jen.Statement { return held.Clone().Dot("Value").Dot(name) }
		f.add(
			jen.List(held.Clone(), known.Clone(), jen.Err()).Op(":=").Add(storeField(st)).Dot("Put").Call(f.hand.key.raw.Clone(), at, timestamp.Clone()),
			jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
		v := f.hand.value
		keep := func() []jen.Code {
			inner := v
			inner.narrow(st.Value)
			return f.records.Keep(st.Value, field("Value"), inner.typed.It)
		}
		if types.IsOptional(v.typ) && !op.Close {
			f.add(
				field("Exists").Op("=").Add(v.there()),
				jen.If(field("Exists")).Block(keep()...))
		} else {
			f.add(append(keep(), field("Exists").Op("=").True())...)
		}
		f.add(
			field("KeepHeaders").Call(f.hand.headers.Clone()),
			storeField(st).Dot("Placed").Call(held, known))
	}
	if op.Close && types.IsOptional(f.hand.value.typ) { // a row that is gone is not sent
		f.add(jen.If(f.hand.value.absent()).Block(
			ifErr(storeField(st).Dot("Discard").Call(f.hand.key.raw.Clone(), timestamp.Clone())),
		).Else().Block(f.block(put)...))
	} else {
		put()
	}
	if st.Flush == nil {
		return
	}
	f.closes(st)
}

// windowEnd is the end of the window of the key at hand, whose bytes have it.
func (f *function) windowEnd(st *plan.Store) *jen.Statement {
	switch st.Window.Kind {
	case model.Session:
		return rt("window", "SessionEnd").Call(f.hand.key.raw.Clone())
	default:
		return rt("window", "EndOf").Call(f.hand.key.raw.Clone(), millis(st.Window.Size.Milliseconds()))
	}
}

// suppressStore is the call that makes the buffer of a suppress.
func (s *sub) suppressStore(st *plan.Store) *jen.Statement {
	step := st.Make.(*model.Suppress)
	options := []jen.Code{keyed("Wait", jen.Lit(int(st.Wait())))}
	if step.MaxRecords > 0 {
		options = append(options, keyed("MaxRecords", jen.Lit(int(step.MaxRecords))))
	}
	if step.MaxBytes > 0 {
		options = append(options, keyed("MaxBytes", jen.Lit(int(step.MaxBytes))))
	}
	if step.Stop {
		options = append(options, keyed("Stop", jen.True()))
	}
	if !step.Close {
		options = append(options, keyed("Remember", jen.True()))
	}
	return rt("state", "NewSuppress").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st)), s.records.Codec(st.Value),
		rt("state", "SuppressOptions").Values(options...))
}

// closers tell sessions that a suppress has sent them on: they do not grow any more.
func (s *sub) closers() (list []jen.Code) {
	for _, st := range s.plan.Stores {
		if st.Closer != nil {
			list = append(list, storeField(st).Dot("ClosedBy").Call(storeField(st.Closer)))
		}
	}
	return list
}

// spanStore is the type of a store of sliding windows or sessions and the call that makes it.
func (s *sub) spanStore(st *plan.Store, row *jen.Statement) (typ, make *jen.Statement) {
	w := st.Window
	name, length := "Sessions", "Gap"
	kind := "Session"
	if st.Kind == plan.Sliding {
		name, length, kind = "Sliding", "Difference", "Sliding"
	}
	options := []jen.Code{
		keyed(length, millis(w.Size.Milliseconds())), keyed("Grace", millis(w.Grace.Milliseconds())),
		keyed("Retention", millis(st.Retention())),
	}
	options = append(options, inputsOf(st)...)
	if st.Final {
		options = append(options, keyed("Final", jen.True()))
	}
	if st.Kind == plan.Sessions && st.Flush != nil && !st.Final {
		options = append(options, keyed("Coalesce", jen.True()))
	}
	if fold, ok := st.Make.(*model.Fold); ok && st.Kind == plan.Sliding && types.IsOptional(fold.Add.Base().Type) {
		options = append(options, keyed("Once", jen.True()))
	}
	return jen.Op("*").Add(rt("state", name)).Index(row),
		keepSent(st, rt("state", "New"+name).Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st)), s.records.Codec(rowType(st)),
			rt("state", kind+"Options").Values(options...)))
}

// fromSuppress writes the function that takes on what leaves a suppress.
func (s *sub) fromSuppress(st *plan.Store) {
	p := st.Flush
	f := s.newFunction(p, "key", "row")
	f.rowKey, f.rowN = jen.Id("key"), 1
	value := held{typ: p.In.Value.Type, typed: &Place{It: jen.Id("row").Dot("Value").Dot("Value")}}
	if types.IsOptional(value.typ) {
		value.typed = &Place{Valid: jen.Id("row").Dot("Value").Dot("Exists"), Value: jen.Id("row").Dot("Value").Dot("Value")}
	}
	f.hand = hand{
		key:       held{typ: p.In.Key.Type, raw: jen.Id("key"), format: p.In.Key.Format, borrowed: true},
		value:     value,
		timestamp: jen.Id("row").Dot("Timestamp"),
		headers:   jen.Id("row").Dot("Value").Dot("Headers"),
	}
	if p.In.Old.Typed && st.Make.(*model.Suppress).Close { // it leaves once
		f.hand.old, f.hand.before = f.optional("old", st.Value), jen.Lit(0)
	} else if p.In.Old.Typed {
		sent := jen.Id(f.names.New("sent", "sentRow"))
		f.add(sent.Clone().Op(":=").Add(storeField(st)).Dot("Before").Call())
		f.hand.old = held{typ: types.OptionalOf(st.Value), typed: &Place{Valid: sent.Clone().Dot("Value").Dot("Exists"), Value: sent.Clone().Dot("Value").Dot("Value")}}
		f.hand.before = sent.Clone().Dot("Timestamp")
		f.declared(sent)
	}
	f.write(jen.Id("key").Index().Byte(), jen.Id("row").Op("*").Add(rt("state", "Row")).Index(rt("state", "Held").Index(s.records.Type(st.Value))))
}
