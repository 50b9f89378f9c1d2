package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
)

// send writes to a topic. Bytes that are in the topic's format already pass through.
func (f *function) send(op *plan.Send) {
	key, value := f.hand.key, f.hand.value
	var topic, partition *jen.Statement
	if op.Sink != nil {
		f.address = op.Sink.Address()
		f.add(comment(f.address))
	}
	if op.Topic != nil {
		topic = jen.Id("s").Dot(f.topics[op.Topic])
	} else {
		topic = f.chooseTopic(op)
	}
	if op.Sink != nil {
		if op.Sink.AsKey != nil {
			key = f.compute("key", op.Sink.AsKey, op.At, nil)
		}
		if op.Sink.AsValue != nil {
			value = f.compute("value", op.Sink.AsValue, op.At, nil)
		}
		if op.Sink.Partition != nil {
			partition = f.compute("partition", op.Sink.Partition, op.At, nil).typed.It
		}
	}
	k := f.encoded(op, key, op.Key, "key", topic)
	v := f.encoded(op, value, op.Value, "value", topic)
	if by := partitionedBy(key.typ, k.Clone()); by != nil && partition == nil {
		f.add(topic.Clone().Dot("SendPartitioned").Call(by, k, v, f.hand.timestamp.Clone(), f.hand.headers.Clone()))
		return
	}
	if partition == nil {
		f.add(topic.Clone().Dot("Send").Call(k, v, f.hand.timestamp.Clone(), f.hand.headers.Clone()))
		return
	}
	call := topic.Clone().Dot("SendTo").Call(partition.Clone(), k, v, f.hand.timestamp.Clone(), f.hand.headers.Clone())
	f.add(jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(f.reject(op.At, "BadLogic")(jen.Err())...))
}

// chooseTopic finds the topic whose name the sink's expression gives, in a variable. A name that is none of its topics ends the
// record.
func (f *function) chooseTopic(op *plan.Send) *jen.Statement {
	name := f.compute("name", op.Sink.Choice, op.At, nil).typed.It
	topic := jen.Id(f.names.New("topic"))
	field := func(t *plan.Topic) *jen.Statement { return jen.Op("&").Id("s").Dot(f.topics[t]) }
	var cases []jen.Code
	rest := op.Topics
	if plan.StraysFrom(op.Sink) {
		f.add(jen.Var().Add(topic.Clone()).Op("*").Add(rt("record", "Topic")))
		cases = []jen.Code{jen.Default().Block(f.reject(op.At, "BadLogic")(rt("record", "ErrTopic"))...)}
	} else {
		f.add(topic.Clone().Op(":=").Add(field(op.Topics[0])))
		rest = rest[1:]
	}
	var list []jen.Code
	for _, t := range rest {
		list = append(list, jen.Case(jen.Lit(t.Name)).Block(topic.Clone().Op("=").Add(field(t))))
	}
	if list = append(list, cases...); len(list) > 0 {
		f.add(jen.Switch(name.Clone()).Block(list...))
	}
	return topic
}
