package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Joins with a table that wait for late rows: a record is kept as bytes until it leaves.

// wait lets the record at hand wait, after those that leave because of it.
func (f *function) wait(op *plan.Wait) {
	f.introduce(op.Step, "grace "+op.Grace.String())
	f.done = true
	f.fromWait(op)
	value, key, timestamp, headers := addressOf(f.hand.value.typed.It), f.hand.key.raw, f.hand.timestamp, f.hand.headers
	then := func(key *jen.Statement) *jen.Statement {
		return jen.Id("s").Dot(op.Then.Go).Call(key, value.Clone(), timestamp.Clone(), headers.Clone())
	}
	if types.IsOptional(f.hand.key.typ) {
		f.add(jen.If(f.hand.key.absent()).Block(jen.Comment("Without a key it has no row to wait for."), jen.Return(then(jen.Nil()))))
	}
	leave := f.members.New("leave" + upperFirst(op.Store.Go))
	f.leaves = append(f.leaves, leaves{storeField(op.Store), leave, f.waited(op, leave)})
	row := f.bytes(op.Store.Go + "Row")
	waits := jen.Id(f.names.New("waits", "graced"))
	f.add(
		ifErr(jen.Id("s").Dot(leave).Call(timestamp.Clone())),
		row.Clone().Op("=").Add(f.records.writeRow(op.Store.Value)).Call(row.Clone().Index(jen.Empty(), jen.Lit(0)), value.Clone()),
		jen.List(waits.Clone(), jen.Err()).Op(":=").Add(storeField(op.Store)).Dot("Wait").Call(key.Clone(), row.Clone(), timestamp.Clone(), headers.Clone()),
		jen.If(jen.Err().Op("!=").Nil().Op("||").Add(waits)).Block(jen.Return(jen.Err())),
		jen.Return(then(key.Clone())))
}

// fromWait writes the function that goes on with the records that leave.
func (s *sub) fromWait(op *plan.Wait) {
	p := op.Then
	f := s.newFunction(p, "key", "record", "timestamp", "headers")
	f.rowKey = jen.Id("key")
	value := pointed("record", op.Store.Value, false)
	f.hand = hand{
		key:       held{typ: p.In.Key.Type, raw: jen.Id("key"), format: p.In.Key.Format, borrowed: true},
		value:     held{typ: p.In.Value.Type, typed: &value},
		timestamp: jen.Id("timestamp"),
		headers:   jen.Id("headers"),
	}
	f.write(
		jen.Id("key").Index().Byte(), jen.Id("record").Op("*").Add(s.records.Type(op.Store.Value)),
		jen.Id("timestamp").Int64(), jen.Id("headers").Index().Add(rt("record", "Header")))
}

// waited is the method that goes on with the records whose grace is over.
func (s *sub) waited(op *plan.Wait, name string) jen.Code {
	due := jen.Id("due")
	value := s.hold(op.Store.Value, op.Store.Go+"Record")
	return comment(fmt.Sprintf("%s goes on with what waited long enough in %s, once a record of timestamp has come. What is more than fits into a step leaves before the next record.", name, op.Address)).
		Line().Func().Params(jen.Id("s").Op("*").Id(s.plan.Go)).Id(name).Params(jen.Id("timestamp").Int64()).Error().Block(jen.For(jen.Range().Add(rt("state", "CloseStep"))).Block(
		jen.List(due.Clone(), jen.Err()).Op(":=").Add(storeField(op.Store)).Dot("Due").Call(jen.Id("timestamp")),
		jen.If(jen.Err().Op("!=").Nil().Op("||").Add(due.Clone()).Op("==").Nil()).Block(jen.Return(jen.Err())),
		ifErr(jen.Add(s.records.viewRow(op.Store.Value)).Call(due.Clone().Dot("Row"), addressOf(value))),
		ifErr(jen.Id("s").Dot(op.Then.Go).Call(due.Clone().Dot("Key"), addressOf(value), due.Clone().Dot("Timestamp"), due.Clone().Dot("Headers"))),
	), jen.Return(jen.Nil()))
}

// graceOf is how long the records of a store wait.
func graceOf(st *plan.Store) *jen.Statement {
	return durationLiteral(st.Make.(*model.Join).Grace.Milliseconds()).Statement
}
