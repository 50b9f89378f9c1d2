package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/types"
)

// Rows that end: what has ended leaves before a record changes anything.

// age lets rows leave that have ended by the time of the record at hand. One that is too late to be put ends.
func (f *function) age(op *plan.Age, next plan.Op) {
	f.add(
		comment("Rows of "+op.Store.Name+" end "+types.Length(op.Store.TTL)+" behind their time."),
		ifErr(storeField(op.Store).Dot("Advance").Call(f.hand.key.raw.Clone(), f.hand.timestamp.Clone(), ended(op.Store))))
	late := jen.Add(f.counter("late", op.At)).Dot("Inc").Call()
	if _, put := next.(*plan.Put); put {
		f.add(jen.If(f.late(op.Store)).Block(late, jen.Return(jen.Nil())))
		return
	}
	f.tooLate = late
}

// late is the condition that the record at hand makes no row.
func (f *function) late(s *plan.Store) *jen.Statement {
	return storeField(s).Dot("Late").Call(f.hand.timestamp.Clone())
}

// ended is what takes the rows on that have ended.
func ended(s *plan.Store) *jen.Statement {
	if s.Ended == nil {
		return jen.Nil()
	}
	return jen.Id("s").Dot(s.Ended.Go)
}

// agingStore is the type of a store whose rows end and the call that makes it.
func (s *sub) agingStore(st *plan.Store) (typ, make *jen.Statement) {
	t := rowType(st)
	options := []jen.Code{keyed("TTL", durationLiteral(st.TTL.Milliseconds()).Statement)}
	if s.replaces(st) {
		options = append(options, keyed("Replaces", jen.True()))
	}
	return jen.Op("*").Add(rt("state", "Aging")).Index(s.records.Type(t)),
		s.readsAhead(st, keepSent(st, rt("state", "NewAging").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st)), s.records.Codec(t), rt("state", "AgingOptions").Values(options...))))
}

// replaces says whether records are put into a store as they are.
func (s *sub) replaces(st *plan.Store) bool {
	for _, fn := range s.plan.Funcs {
		for _, op := range fn.Ops {
			if put, ok := op.(*plan.Put); ok && put.Store == st {
				return true
			}
		}
	}
	return false
}

// fromEnd writes the function that takes the rows of a store on that have ended.
func (s *sub) fromEnd(st *plan.Store) {
	p := st.Ended
	f := s.newFunction(p, "key", "row", "ended")
	f.rowKey, f.rowN = jen.Id("key"), 1
	f.hand = hand{
		key:       held{typ: p.In.Key.Type, raw: jen.Id("key"), format: p.In.Key.Format, borrowed: true},
		value:     held{typ: p.In.Value.Type, raw: jen.Nil(), format: p.In.Value.Format, typed: &Place{It: s.records.Type(p.In.Value.Type).Values()}, null: true},
		timestamp: jen.Id("ended"),
		headers:   jen.Nil(),
	}
	row := "_"
	if p.In.Old.Typed {
		row = "row"
		f.hand.old = held{typ: st.Value, typed: &Place{It: rowValue(st, jen.Id(row))}}
		if st.State != nil {
			f.cells = f.cellResults(st, rowValue(st, jen.Id(row)))
			f.hand.old = f.compute("old", stateValue(st), s.makingPosition(st), nil)
		}
		f.hand.before = jen.Id(row).Dot("Timestamp")
	}
	f.write(jen.Id("key").Index().Byte(), jen.Id(row).Op("*").Add(rt("state", "Row")).Index(s.records.Type(rowType(st))), jen.Id("ended").Int64())
}
