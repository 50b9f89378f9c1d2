package emit

import (
	"fmt"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/types"
)

// Joins of two streams. Each side is a part of the function that its records come to; results of both go on in one function, which
// is given the values by pointer, nil for one that is missing; null results leave in a function of their own.

// joinState is what a join has of a sub-topology's struct while that is being written.
type joinState struct {
	other [2]*jen.Statement // fields for the rows that records meet, by their side
	row   *jen.Statement    // the field that rows are encoded in
	leave string            // the method that null results leave by; "" if no side is kept
}

// joins are the joins of the sub-topology, in the order of their stores.
func (s *sub) joins() (list []*plan.Join) {
	for _, st := range s.plan.Stores {
		if st.Join != nil && st == st.Join.Left {
			list = append(list, st.Join)
		}
	}
	return list
}

// join is what was made for a join so far.
func (s *sub) join(j *plan.Join) *joinState {
	if st := s.joined[j]; st != nil {
		return st
	}
	st := &joinState{}
	base := names.Lower(j.Step.As)
	label := j.Go
	for side, t := range [...]types.Type{j.Left.Value, j.Right.Value} {
		st.other[side] = s.hold(t, label+[...]string{"Left", "Right"}[side], base+[...]string{"Left", "Right"}[side])
	}
	st.row = s.bytes(label + "Row")
	if j.Kept[0] || j.Kept[1] {
		st.leave = s.members.New("leave"+upperFirst(label), "leave"+upperFirst(label)+"Join")
	}
	s.joined[j] = st
	return st
}

// joinField declares the field that holds the state of a join, and makes it.
func (s *sub) joinField(j *plan.Join) (typ, value *jen.Statement) {
	stores := fmt.Sprintf("// stores %q and %q", j.Left.Name, j.Right.Name)
	if j.Single() {
		stores = fmt.Sprintf("// store %q", j.Left.Name)
	}
	keeps := [...][2]string{{"KeepsNone", "KeepsRight"}, {"KeepsLeft", "KeepsBoth"}}[b2i(j.Kept[0])][b2i(j.Kept[1])]
	var within []jen.Code
	for _, part := range [...]struct {
		name string
		time.Duration
	}{{"Before", j.Step.Before}, {"After", j.Step.After}, {"Grace", j.Step.Grace}} {
		if part.Duration != 0 {
			within = append(within, keyed(part.name, durationLiteral(part.Milliseconds()).Statement))
		}
	}
	return jen.Op("*").Add(rt("state", "Joined")).Comment(stores),
		rt("state", "NewJoined").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(j.Left)), jen.Id(storeConst(j.Right)),
			rt("state", "Within").Values(within...), rt("state", keeps))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// meet takes the record at hand through the rows of the other side.
func (f *function) meet(op *plan.Meet) {
	f.introduce(op.Step, "")
	j := op.Join
	st := f.sub.join(j)
	field := jen.Id("s").Dot(j.Go)
	kept := j.Kept[op.Side]
	value := addressOf(f.hand.value.typed.It)
	key, timestamp, headers := f.hand.key.raw, f.hand.timestamp, f.hand.headers
	f.done = true

	// result goes on with the record and another row, or without.
	result := func(key, other, timestamp *jen.Statement) *jen.Statement {
		sides := []jen.Code{value.Clone(), other}
		if op.Side == 1 {
			sides = []jen.Code{other, value.Clone()}
		}
		return jen.Id("s").Dot(j.Result.Go).Call(key, sides[0], sides[1], timestamp, headers.Clone())
	}
	if types.IsOptional(f.hand.key.typ) {
		f.add(jen.If(f.hand.key.absent()).Block(jen.Comment("Without a key it meets nothing."),
			jen.Return(result(jen.Nil(), jen.Nil(), timestamp.Clone()))))
	}
	if st.leave != "" {
		f.add(ifErr(jen.Id("s").Dot(st.leave).Call(timestamp.Clone())))
	}
	met := jen.Id(f.names.New("met", "meeting"))
	f.add(jen.List(met.Clone(), jen.Err()).Op(":=").Add(field.Clone()).Dot("Meet").Call(
		rt("state", [...]string{"Left", "Right"}[op.Side]), key.Clone(), timestamp.Clone()), ifFails())
	other := st.other[1-op.Side]
	each := jen.For(met.Clone().Dot("Next").Call()).Block(
		ifErr(jen.Add(f.records.viewRow(j.Store(1-op.Side).Value)).Call(met.Clone().Dot("Row").Call(), addressOf(other))),
		ifErr(result(key.Clone(), addressOf(other), met.Clone().Dot("Timestamp").Call())))
	if j.Single() && op.Side == 0 { // it becomes a row as the right one
		f.add(each, jen.Return(jen.Nil()))
		return
	}
	if !j.Single() {
		f.add(each)
	}
	f.add(st.row.Clone().Op("=").Add(f.records.writeRow(op.Store().Value)).Call(st.row.Clone().Index(jen.Empty(), jen.Lit(0)), value.Clone()))
	if !kept {
		headers = jen.Nil()
	}
	put := field.Clone().Dot("Put").Call(addressOf(met), st.row.Clone(), headers.Clone())
	headers = f.hand.headers
	late := func() jen.Code { return jen.Add(f.counter("late", op.At)).Dot("Inc").Call() }
	switch {
	case j.Single(): // it is a row before it meets others, of which it may be one
		outcome := jen.Id(f.names.New("became"))
		f.add(outcome.Clone().Op(":=").Add(put), met.Clone().Dot("Begin").Call(), each,
			jen.If(outcome.Clone().Op("==").Add(rt("state", "Late")).Op("&&").Op("!").Add(met.Clone()).Dot("Met")).Block(late()))
	case kept:
		f.add(jen.If(put.Op("==").Add(rt("state", "Alone"))).Block(jen.Return(result(key.Clone(), jen.Nil(), timestamp.Clone()))))
	default:
		f.add(jen.If(put.Op("==").Add(rt("state", "Late"))).Block(late()))
	}
	f.add(jen.Return(jen.Nil()))
}

// fromJoin writes the function that takes the results of a join on, and the one that null results leave by.
func (s *sub) fromJoin(j *plan.Join) {
	p := j.Result
	st := s.join(j)
	f := s.newFunction(p, "key", "left", "right", "timestamp", "headers")
	f.rowKey = jen.Id("key")
	left := pointed("left", j.Left.Value, types.IsOptional(p.In.Value.Type))
	f.hand = hand{
		key:       held{typ: p.In.Key.Type, raw: jen.Id("key"), format: p.In.Key.Format, borrowed: true},
		value:     held{typ: p.In.Value.Type, typed: &left},
		timestamp: jen.Id("timestamp"),
		headers:   jen.Id("headers"),
	}
	f.write(
		jen.Id("key").Index().Byte(), jen.Id("left").Op("*").Add(s.records.Type(j.Left.Value)), jen.Id("right").Op("*").Add(s.records.Type(j.Right.Value)),
		jen.Id("timestamp").Int64(), jen.Id("headers").Index().Add(rt("record", "Header")))
	if st.leave != "" {
		s.leaves = append(s.leaves, leaves{jen.Id("s").Dot(j.Go), st.leave, s.leaving(j, st)})
	}
}

// behind is the value of type t that a pointer leads to: in parentheses where methods or elements of it may be asked for.
func behind(name string, t types.Type) *jen.Statement {
	v := jen.Op("*").Id(name)
	switch t {
	case types.String, types.Bool, types.Int32, types.Int64, types.Float32, types.Float64:
		return v
	}
	return jen.Parens(v)
}

// pointed is the place of a value of type t that a pointer leads to, nil if it may be missing.
func pointed(name string, t types.Type, optional bool) Place {
	p := Place{It: behind(name, t)}
	if IsRecord(t) {
		p.Pointer = jen.Id(name)
	}
	if optional {
		p.Valid, p.Null, p.Value, p.It = jen.Id(name).Op("!=").Nil(), jen.Id(name).Op("==").Nil(), p.It, nil
	}
	return p
}

// joinedValue works out the value of a result.
func (f *function) joinedValue(op *plan.Joined, after []plan.Op) {
	f.introduce(op.Step, exprText(op.Value))
	matched := f.matched(op.At)
	switch kept := op.Join.Kept; {
	case kept[0] && kept[1]:
		f.add(jen.If(jen.Id("left").Op("!=").Nil().Op("&&").Id("right").Op("!=").Nil()).Block(matched).Else().Block(f.unmatched(op.At)))
	case kept[0] || kept[1]:
		f.add(jen.If(jen.Id(map[bool]string{true: "right", false: "left"}[kept[0]]).Op("!=").Nil()).Block(matched).Else().Block(f.unmatched(op.At)))
	default:
		f.add(matched)
	}
	f.rows[op.As] = pointed("right", op.Join.Right.Value, op.Join.Kept[0])
	f.hand.value = f.compute("value", op.Value, op.At, f.slot(after, op.Value.Base().Type, ""))
	delete(f.rows, op.As)
}

// leaving is the method that sends what leaves without having met anything.
func (s *sub) leaving(j *plan.Join, st *joinState) jen.Code {
	due, timestamp := jen.Id("due"), jen.Id("timestamp")
	side := func(side int) []jen.Code {
		row := st.other[side]
		values := []jen.Code{addressOf(row), jen.Nil()}
		if side == 1 {
			values = []jen.Code{jen.Nil(), addressOf(row)}
		}
		return []jen.Code{
			ifErr(jen.Add(s.records.viewRow(j.Store(side).Value)).Call(due.Clone().Dot("Row"), addressOf(row))),
			ifErr(jen.Id("s").Dot(j.Result.Go).Call(due.Clone().Dot("Key"), values[0], values[1], due.Clone().Dot("Timestamp"), due.Clone().Dot("Headers"))),
		}
	}
	var send []jen.Code
	switch {
	case j.Kept[0] && j.Kept[1]:
		send = []jen.Code{jen.If(due.Clone().Dot("Side").Op("==").Add(rt("state", "Left"))).Block(side(0)...).Else().Block(side(1)...)}
	case j.Kept[0]:
		send = side(0)
	default:
		send = side(1)
	}
	body := append([]jen.Code{
		jen.List(due.Clone(), jen.Err()).Op(":=").Id("s").Dot(j.Go).Dot("Due").Call(timestamp.Clone()),
		jen.If(jen.Err().Op("!=").Nil().Op("||").Add(due.Clone()).Op("==").Nil()).Block(jen.Return(jen.Err())),
	}, send...)
	return comment(fmt.Sprintf("%s takes on what met nothing in %s, once a record of timestamp has come and nothing can be met any more. What is more than fits into a step leaves before the next record.", st.leave, j.Step.Address)).
		Line().Func().Params(jen.Id("s").Op("*").Id(s.plan.Go)).Id(st.leave).Params(timestamp.Clone().Int64()).Error().Block(jen.For(jen.Range().Add(rt("state", "CloseStep"))).Block(body...), jen.Return(jen.Nil()))
}
