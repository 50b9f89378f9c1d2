package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Joins of tables by a foreign key. Rows travel as bytes; what the two sides say to each other is the runtime's.

// subscribe sends the subscriptions that the change of a left row asks for.
func (f *function) subscribe(op *plan.Subscribe) {
	step := op.Foreign.Step
	f.introduce(step, exprText(step.On))
	f.done = true
	value, old := f.hand.value, f.hand.old
	change := jen.Id(f.names.New("change", "changed"))
	exists, existed := jen.True(), jen.True()
	if value.may() {
		exists = value.there()
	}
	if old.may() {
		existed = old.there()
	}
	fields := []jen.Code{
		keyed("Key", f.hand.key.raw.Clone()),
		keyed("Exists", exists),
		keyed("Existed", existed),
		keyed("Timestamp", f.hand.timestamp.Clone()),
		keyed("Headers", f.hand.headers.Clone()),
	}
	if f.plan.Kind == plan.FromFunc && f.plan.In.Record { // perhaps for each element of a flat_map
		fields = append(fields, keyed("By", jen.Id("r")))
	}
	f.add(change.Clone().Op(":=").Add(rt("foreign", "Change")).Add(lines(fields)))
	row := f.encodesIn("leftRow")
	f.ifThere(value, func() {
		f.add(f.encodeRow(row, types.NonNull(step.In.Value), value.it())...)
		f.add(change.Clone().Dot("Row").Op("=").Add(row.Clone()))
		f.foreignKey(op, value, f.hand.timestamp, change, true)
	})
	f.ifThere(old, func() { f.foreignKey(op, old, f.hand.before, change, false) })
	send := jen.Id("s").Dot(f.topics[op.Foreign.Subscriptions]).Dot("Send").Call(jen.Op("&").Add(change))
	if step.Kind == model.Inner && types.IsOptional(step.On.Base().Type) {
		f.add(jen.If(jen.Op("!").Add(send)).Block(jen.Add(f.counter("null foreign key", op.At)).Dot("Inc").Call()))
	} else {
		f.add(send)
	}
	f.add(jen.Return(jen.Nil()))
}

// foreignKey makes the foreign key of a row, which is there, a part of the change: On of a new one, Before of an old one. One that cannot be
// worked out is none, and the change of a new row has failed then.
func (f *function) foreignKey(op *plan.Subscribe, row held, timestamp, change *jen.Statement, fresh bool) {
	on, part, name := op.Foreign.Step.On, "Before", "onBefore"
	if fresh {
		part, name = "On", "on"
	}
	sees := func(s *Scope) {
		s.Value, s.Timestamp = row.seen(types.NonNull(op.Foreign.Step.In.Value)), rt("temporal", "Timestamp").Call(timestamp.Clone())
	}
	dst := change.Clone().Dot(part)
	switch t := on.Base().Type; {
	case f.triesToo(op.At, fresh, on):
		key := f.unset(name, types.NonNull(t))
		absent := jen.Add(key.typed.It.Clone().Dot("Valid").Op("=").False())
		if fresh {
			absent = jen.Add(change.Clone().Dot("Fails").Op("=").True(), jen.Line(), absent)
		}
		f.tried(op.At, fresh, []model.Expr{on}, func(s *Scope) {
			sees(s)
			f.set(s, key, on)
		}, absent)
		f.add(jen.If(key.there()).Block(f.keyBytes(op, dst, key.it(), name)...))
	case types.IsOptional(t):
		s := f.scope(op.At)
		sees(s)
		before, key := s.Var(name, on)
		f.add(before...)
		f.add(jen.If(key.Clone().Dot("Valid")).Block(f.keyBytes(op, dst, key.Clone().Dot("Value"), name)...))
	default:
		s := f.scope(op.At)
		sees(s)
		before, key := s.Expr(on)
		f.add(before...)
		f.add(f.keyBytes(op, dst, key, name)...)
	}
}

// keyBytes makes bytes of a foreign key.
func (f *function) keyBytes(op *plan.Subscribe, dst, key *jen.Statement, name string) []jen.Code {
	format := op.Foreign.Subscriptions.Key
	format.Type = types.NonNull(format.Type)
	scratch := f.encodesIn(name)
	call := f.records.Append(format, scratch.Clone().Index(jen.Empty(), jen.Lit(0)), key)
	set := []jen.Code{scratch.Clone().Op("=").Add(call)}
	if !f.records.Encodable(format) {
		encoded := jen.Id(f.names.New("encoded"))
		set = []jen.Code{
			jen.List(encoded.Clone(), jen.Err()).Op(":=").Add(call),
			jen.If(jen.Err().Op("!=").Nil()).Block(f.reject(op.At, "BadLogic")(jen.Err())...),
			scratch.Clone().Op("=").Add(encoded),
		}
	}
	return append(set, dst.Op("=").Add(rt("foreign", "Key")).Call(scratch.Clone()))
}

// encodeRow makes bytes of a row in a field.
func (f *function) encodeRow(field *jen.Statement, t types.Type, value *jen.Statement) []jen.Code {
	return []jen.Code{field.Clone().Op("=").Add(f.records.writeRow(t)).Call(field.Clone().Index(jen.Empty(), jen.Lit(0)), addressOf(value))}
}

// subscribed takes a subscription, and answers it.
func (f *function) subscribed(op *plan.Subscribed) {
	j := op.Foreign
	f.introduce(op.Step, "")
	f.done = true
	f.usesTask = true
	subscribers := storeField(j.Store)
	asks := jen.Id(f.names.New("asks", "subscription"))
	timestamp, row := jen.Id(f.names.New("timestamp", "answeredAt")), jen.Id(f.names.New("answer", "answerRow"))
	f.add(
		jen.List(asks.Clone(), jen.Err()).Op(":=").Add(rt("foreign", "ParseSubscription")).Call(jen.Id("r").Dot("Value")),
		jen.If(jen.Err().Op("!=").Nil()).Block(f.corrupt(jen.Err())),
		jen.If(jen.Op("!").Add(subscribers.Clone()).Dot("Take").Call(jen.Id("r").Dot("Key"), addressOf(asks), jen.Id("r").Dot("Timestamp"))).Block(jen.Return(jen.Nil())),
		jen.Var().Add(row.Clone()).Index().Byte(),
		timestamp.Clone().Op(":=").Id("r").Dot("Timestamp"))
	t := j.Step.With.Out.Value
	scratch := f.encodesIn(names.Lower(j.Step.As) + "Row")
	f.add(jen.If(jen.Id("r").Dot("Key").Op("!=").Nil()).Block(f.block(func() {
		other := f.find(op.Right, names.Lower(j.Step.As), t, false, nil)
		f.add(jen.If(other.there.Clone()).Block(append(f.encodeRow(scratch, t, other.value),
			jen.List(row.Clone(), timestamp.Clone()).Op("=").List(rt("foreign", "Key").Call(scratch.Clone()), jen.Id("max").Call(timestamp.Clone(), other.timestamp.Clone())))...))
	})...))
	f.add(
		jen.If(jen.Op("!").Add(asks.Clone()).Dot("Ends").Call()).Block(
			jen.If(notNil(row)).Block(f.matched(op.At)).Else().Block(f.unmatched(op.At))),
		jen.If(jen.Err().Op(":=").Add(subscribers.Clone()).Dot("Answer").Call(addressOf(asks), row, timestamp, f.hand.headers.Clone()), jen.Err().Op("!=").Nil()).Block(f.corrupt(jen.Err())),
		jen.Return(jen.Nil()))
}

// corrupt ends the function because the message at hand is none that the program writes.
func (f *function) corrupt(err *jen.Statement) jen.Code {
	f.usesTask = true
	return jen.Return(jen.Id("s").Dot("task").Dot("Corrupt").Call(jen.Id("r"), err))
}

// tell lets the change of a right row be told to those who are subscribed to it.
func (f *function) tell(op *plan.Tell) {
	j := op.Foreign
	f.introduce(op.Step, "")
	f.done = true
	t := j.Step.With.Out.Value
	row := jen.Id(f.names.New("answer", "answerRow"))
	scratch := f.encodesIn(names.Lower(j.Step.As) + "Row")
	f.add(jen.Var().Add(row.Clone()).Index().Byte())
	f.ifThere(f.hand.value, func() {
		f.add(f.encodeRow(scratch, t, f.hand.value.it())...)
		f.add(row.Clone().Op("=").Add(rt("foreign", "Key")).Call(scratch.Clone()))
	})
	f.add(
		storeField(j.Store).Dot("Tell").Call(f.hand.key.raw.Clone(), row, f.hand.timestamp.Clone(), f.hand.headers.Clone()),
		jen.Return(jen.Nil()))
}

// answer joins an answer with the left row that it is for.
func (f *function) answer(op *plan.Answer) {
	step := op.TableJoin
	f.introduce(op.Step, exprText(step.Value))
	answer := jen.Id(f.names.New("answer", "answered"))
	l, r := types.NonNull(step.In.Value), step.With.Out.Value
	f.add(
		jen.List(answer.Clone(), jen.Err()).Op(":=").Add(rt("foreign", "ParseAnswer")).Call(jen.Id("r").Dot("Value")),
		jen.If(jen.Err().Op("!=").Nil()).Block(f.corrupt(jen.Err())))
	left := f.find(op.Left, "left", l, false, op.At)
	row := f.encodesIn("leftRow")
	f.add(jen.If(left.there.Clone()).Block(f.encodeRow(row, l, left.value)...))
	stale := jen.Add(f.counter("stale answer", op.At)).Dot("Inc").Call()
	if step.Kind == model.Inner {
		stale = jen.If(jen.Op("!").Add(answer.Clone()).Dot("Settles")).Block(stale)
	}
	f.add(jen.If(jen.Op("!").Add(answer.Clone()).Dot("IsFor").Call(left.there.Clone(), row.Clone())).Block(stale, jen.Return(jen.Nil())))

	out := f.optional("joined", types.NonNull(step.Value.Base().Type))
	right := f.made(r, names.Lower(step.As))
	found := answer.Clone().Dot("Found")
	read := jen.If(jen.Err().Op(":=").Add(f.records.viewRow(r)).Call(answer.Clone().Dot("Row"), addressOf(right)), jen.Err().Op("!=").Nil()).Block(f.corrupt(jen.Err()))
	gives := left.there.Clone().Op("&&").Add(found.Clone())
	of := held{typ: r, typed: &Place{It: right}}
	if step.Kind == model.LeftJoin {
		gives = left.there.Clone().Op("&&").Op("!").Add(answer.Clone()).Dot("Withdrawn")
		of = held{typ: types.OptionalOf(r), typed: &Place{Valid: found.Clone(), Value: right}}
	}
	f.add(jen.If(gives).Block(f.block(func() {
		if step.Kind == model.LeftJoin {
			f.add(jen.If(found.Clone()).Block(read))
		} else {
			f.add(read)
		}
		sees := f.joinScope(step, held{typ: l, typed: &Place{It: left.value}}, of, f.hand.timestamp)
		f.tried(op.At, true, []model.Expr{step.Value}, func(s *Scope) {
			sees(s)
			f.set(s, out, step.Value)
		}, out.typed.It.Clone().Dot("Valid").Op("=").False())
	})...))
	f.hand.value = out
}

// subscriberOf is the join by a foreign key that a topic has the subscriptions of, nil if there is none.
func (s *sub) subscriberOf(t *plan.Topic) *plan.Foreign {
	for _, fn := range s.plan.Funcs {
		for _, op := range fn.Ops {
			if op, ok := op.(*plan.Subscribe); ok && op.Foreign.Subscriptions == t {
				return op.Foreign
			}
		}
	}
	return nil
}

// subscriberField is what a topic of subscriptions is held in.
func subscriberField(j *plan.Foreign) (typ, value *jen.Statement) {
	return rt("foreign", "Subscriber"), rt("foreign", "NewSubscriber").Call(
		jen.Id("t").Dot("Topic").Call(jen.Id(j.Subscriptions.Go)), jen.Id("t").Dot("Partition"),
		rt("foreign", map[model.JoinKind]string{model.Inner: "Inner", model.LeftJoin: "Left"}[j.Step.Kind]))
}

// subscribersField is what a store of subscriptions is held in.
func subscribersField(st *plan.Store) (typ, value *jen.Statement) {
	return jen.Op("*").Add(rt("foreign", "Subscribers")).Comment(fmt.Sprintf("// store %q", st.Name)),
		rt("foreign", "NewSubscribers").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st)), jen.Id("t").Dot("Topic").Call(jen.Id(st.Foreign.Answers.Go)))
}

// subscriptions are the stores of subscriptions.
func (s *sub) subscriptions() (list []*plan.Store) {
	for _, st := range s.plan.Stores {
		if st.Kind == plan.Subscriptions {
			list = append(list, st)
		}
	}
	return list
}

// tellsFlushed tells, behind a Flush, what it changed.
func (s *sub) tellsFlushed() (body []jen.Code) {
	for _, st := range s.subscriptions() {
		s.usesTask = true
		body = append(body, jen.If(storeField(st).Dot("Due").Call()).Block(
			jen.List(jen.Id("more"), jen.Err()).Op(":=").Add(storeField(st)).Dot("Close").Call(rt("state", "CloseStep")),
			ifFails(),
			jen.If(jen.Id("more")).Block(jen.Id("s").Dot("task").Dot("Unfinished").Call())))
	}
	return body
}
