package emit

import (
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// op writes the first of ops, sometimes with those behind it, and returns how many it has written.
func (f *function) op(ops []plan.Op) int {
	n := 1
	f.entering = ops[0].Base().At
	if step := ops[0].Base().Step; step != nil {
		f.address = step.Base().Address
	}
	switch op := ops[0].(type) {
	case *plan.Decode:
		if isTableSource(ops) {
			f.putSource(op, ops[1].(*plan.Put))
			return 2
		}
		f.decode(op, ops[1:])
	case *plan.EncodeKey:
		f.encodeKey(op)
	case *plan.Filter:
		f.filter(op)
	case *plan.MapValues:
		f.introduce(op.Step, exprText(op.Value))
		f.hand.value = f.compute("value", op.Value, op.At, f.slot(ops[1:], op.Value.Base().Type, ""))
	case *plan.SelectKey:
		f.introduce(op.Step, exprText(op.Key))
		f.hand.key = f.compute("key", op.Key, op.At, nil)
	case *plan.Map:
		f.mapAll(op, ops[1:])
	case *plan.FlatMap:
		f.flatMap(op, ops[1].(*plan.Call))
		return 2
	case *plan.Peek:
		f.peek(op)
	case *plan.Dedup:
		f.dedup(op)
	case *plan.DropNullKey:
		f.drop(&f.hand.key, "null key", op.At)
	case *plan.DropNullValue:
		f.drop(&f.hand.value, "null value", op.At)
	case *plan.Lookup:
		f.lookup(op, ops[1:])
	case *plan.LookupGlobal:
		f.lookupGlobal(op, ops[1:])
	case *plan.EventTime:
		f.eventTime(op)
	case *plan.Wait:
		f.wait(op)
	case *plan.Meet:
		f.meet(op)
	case *plan.Joined:
		f.joinedValue(op, ops[1:])
	case *plan.Put:
		f.put(op)
	case *plan.Age:
		f.age(op, ops[1])
	case *plan.Windows:
		n = f.windows(op, ops[1:])
	case *plan.Suppress:
		f.suppress(op)
	case *plan.Update:
		if op.Store.Kind == plan.Sessions {
			n = f.session(op, ops[1:])
			break
		}
		if op.Store.Kind == plan.Sliding {
			f.completes(op, ops[1:])
		}
		f.update(op, ops[1:])
		if len(ops) > 1 {
			f.withWindow(op)
		}
	case *plan.RowFilter:
		f.rowFilter(op)
	case *plan.RowMap:
		f.rowMap(op, ops[1:])
	case *plan.Newest:
		f.onlyNewest(op)
	case *plan.Differ:
		f.differ()
	case *plan.JoinRows:
		f.joinRows(op, ops[1:])
	case *plan.Subscribe:
		f.subscribe(op)
	case *plan.Subscribed:
		f.subscribed(op)
	case *plan.Tell:
		f.tell(op)
	case *plan.Answer:
		f.answer(op)
	case *plan.Get:
		f.get(op)
	case *plan.GetJoined:
		f.getJoined(op)
	case *plan.Regroup:
		f.regroup(op)
	case *plan.Send:
		f.send(op)
	case *plan.Choose:
		f.choose(op)
	case *plan.Call:
		f.call(op)
	}
	out := ops[n-1].Base().Out
	f.hand.key.narrow(out.Key.Type)
	f.hand.value.narrow(out.Value.Type)
	if !out.Old.Typed {
		f.hand.old, f.hand.before = held{}, nil
	}
	return n
}

// introduce writes the comment over a step: its address and text.
func (f *function) introduce(step model.Step, text string) {
	if step == nil {
		return
	}
	line := step.Base().Address
	if whole := line + ": " + text; text != "" && len("// ")+utf8.RuneCountInString(whole) <= width {
		line = whole
	}
	f.add(comment(line))
	f.add(f.enters(f.entering, model.Exprs(step)...)...)
}

// decode fills in the Go form of a key or value, or only looks at its bytes.
func (f *function) decode(op *plan.Decode, next []plan.Op) {
	if op.Key {
		f.decodeOne(op, &f.hand.key, "key", op.Out.Key.Typed, Decoding{})
	}
	if op.Value {
		d := Decoding{Fields: op.Fields, Check: op.Check}
		if op.Out.Value.Typed && !holdsLists(f.hand.value.typ) { // lists read into a field that others write would write theirs
			d.Dst = f.slot(next, f.hand.value.typ, "")
		}
		f.decodeOne(op, &f.hand.value, "value", op.Out.Value.Typed, d)
	}
}

// decodeOne decodes a key or value of the type that it is known to have. Null bytes are an error unless that is optional.
func (f *function) decodeOne(op *plan.Decode, h *held, name string, typed bool, d Decoding) {
	d.Format = plan.Format{Name: h.format.Name, Inner: h.format.Inner, Type: h.typ, JSON: h.format.JSON}
	d.Purpose = upperFirst(f.sub.plan.Go)
	d.Src = h.raw.Clone()
	d.Fail = f.decodeFail(op)
	switch {
	case !typed:
	case isWide(h.typ):
		if d.Dst == nil {
			d.Dst = f.hold(h.typ, name)
		}
		h.field = true
	case d.Dst != nil:
	default:
		d.Dst = jen.Id(f.names.New(name, name+"Value"))
		f.add(jen.Var().Add(d.Dst.Clone()).Add(f.records.Type(h.typ)))
	}
	if op.Trust && f.bounds != nil { // a row has its key and the bounds of its window apart
		f.add(f.decodeBounds(d)...)
	} else {
		f.add(f.records.Decode(d)...)
	}
	if typed {
		h.typed = &Place{It: d.Dst}
	}
}

// decodeFail is what happens to bytes that cannot be read: bad input, or on an internal topic a fault that stops the task.
func (f *function) decodeFail(op *plan.Decode) Fail {
	if op.Trust {
		return func(err *jen.Statement) []jen.Code {
			if f.plan.Kind != plan.FromSource { // the key of a row
				return []jen.Code{f.gives(err)}
			}
			f.usesTask = true
			return []jen.Code{jen.Return(jen.Id("s").Dot("task").Dot("Corrupt").Call(jen.Id("r"), err))}
		}
	}
	return f.reject(op.At, "BadInput")
}

// encodeKey makes bytes of a key.
func (f *function) encodeKey(op *plan.EncodeKey) {
	k := &f.hand.key
	k.format = op.Out.Key.Format
	format := plan.Format{Name: k.format.Name, Inner: k.format.Inner, Type: types.NonNull(k.typ), JSON: k.format.JSON}
	scratch := f.bytes("key")
	set := func(v *jen.Statement) jen.Code {
		call := f.records.Append(format, scratch.Clone().Index(jen.Empty(), jen.Lit(0)), v)
		if f.records.Encodable(format) {
			return scratch.Clone().Op("=").Add(call)
		}
		encoded := jen.Id(f.names.New("encoded"))
		return jen.List(encoded.Clone(), jen.Err()).Op(":=").Add(call).Line().
			If(jen.Err().Op("!=").Nil()).Block(f.reject(op.At, "BadLogic")(jen.Err())...).Line().
			Add(scratch.Clone()).Op("=").Add(encoded)
	}
	if types.IsOptional(k.typ) {
		v := f.names.New("keyBytes")
		value := k.typed.Value
		if value == nil {
			value = k.typed.It.Clone().Dot("Value")
		}
		f.add(jen.Var().Id(v).Index().Byte(), jen.If(k.there()).Block(set(value), jen.Id(v).Op("=").Add(scratch)))
		k.raw = jen.Id(v)
	} else {
		f.add(set(k.typed.It.Clone()))
		k.raw = scratch
	}
	k.borrowed = true
}

// filter ends the records that do not pass.
func (f *function) filter(op *plan.Filter) {
	f.introduce(op.Step, exprText(op.Where))
	before, cond := f.scope(op.At).Test(op.Where, !op.Not)
	f.add(before...)
	f.add(jen.If(cond).Block(jen.Return(jen.Nil())))
}

// mapAll replaces what a map gives. All of it is made from the record that came.
func (f *function) mapAll(op *plan.Map, after []plan.Op) {
	f.introduce(op.Step, "")
	next := f.hand
	if op.Map.Key != nil {
		next.key = f.compute("key", op.Map.Key, op.At, nil)
	}
	if op.Map.Value != nil {
		next.value = f.compute("value", op.Map.Value, op.At, f.slot(after, op.Map.Value.Base().Type, ""))
	}
	s := f.scope(op.At)
	if op.Map.Timestamp != nil {
		before, v := s.Expr(op.Map.Timestamp)
		f.add(before...)
		name := f.names.New("timestamp")
		f.add(jen.Id(name).Op(":=").Int64().Call(v))
		next.timestamp = jen.Id(name)
		f.add(jen.If(next.timestamp.Clone().Op("<").Lit(0)).Block(f.reject(op.At, "BadLogic")(rt("record", "ErrTimestamp"))...))
	}
	for i, h := range op.Map.Headers {
		if i == 0 {
			name := f.names.New("headers")
			next.headers = jen.Id(name)
			f.add(next.headers.Clone().Op(":=").Qual("slices", "Clone").Call(f.hand.headers.Clone()))
		}
		if h.Value == nil {
			f.add(next.headers.Clone().Op("=").Add(rt("record", "RemoveHeader")).Call(next.headers.Clone(), jen.Lit(h.Name)))
			continue
		}
		before, v := s.Expr(h.Value)
		f.add(before...)
		f.add(next.headers.Clone().Op("=").Add(rt("record", "SetHeader")).Call(next.headers.Clone(), jen.Lit(h.Name), v))
	}
	f.hand = next
}

// peek logs a line.
func (f *function) peek(op *plan.Peek) {
	f.introduce(op.Step, "")
	before, message := f.scope(op.At).Expr(op.Message)
	f.add(before...)
	f.usesTask = true
	level := map[string]string{"debug": "LevelDebug", "info": "LevelInfo", "warn": "LevelWarn", "error": "LevelError"}[op.Level]
	f.add(jen.Id("s").Dot("task").Dot("Log").Call(jen.Qual("log/slog", level), jen.Id(op.At.Go), message))
}

// drop ends and counts records whose key or value is null.
func (f *function) drop(h *held, reason string, at *plan.Position) {
	f.add(jen.If(h.absent()).Block(
		jen.Add(f.counter(reason, at)).Dot("Inc").Call(),
		jen.Return(jen.Nil())))
	h.narrow(types.NonNull(h.typ))
}

// lookup joins with the row of a table.
func (f *function) lookup(op *plan.Lookup, after []plan.Op) {
	f.introduce(op.Step, exprText(op.Value))
	f.alone = []jen.Code{f.unmatched(op.At)}
	defer func() { f.alone = nil }()
	if op.Store != nil && op.Store.Kind == plan.Versioned {
		f.rows[op.As] = f.lookupVersion(op)
		f.outcome(f.rows[op.As].Valid, op.At)
		f.hand.value = f.compute("value", op.Value, op.At, f.slot(after, op.Value.Base().Type, ""))
		delete(f.rows, op.As)
		return
	}
	rows := plan.Rows{Store: op.Store, View: op.View}
	at := op.At
	var other lookup
	if types.IsOptional(f.hand.key.typ) { // a null key has no row
		other = f.findIf(rows, f.hand.key.there(), names.Lower(op.As), at)
	} else {
		other = f.find(rows, names.Lower(op.As), op.With.Out.Value, !op.Left, at)
	}
	if !op.Left {
		f.outcome(nil, op.At)
		f.rows[op.As] = Place{It: other.value}
	} else {
		f.outcome(other.there, op.At)
		f.rows[op.As] = *other.place()
	}
	f.hand.value = f.compute("value", op.Value, op.At, f.slot(after, op.Value.Base().Type, ""))
	delete(f.rows, op.As)
}

// outcome counts a join with a row that is there, or may be: there says so.
func (f *function) outcome(there *jen.Statement, at *plan.Position) {
	if there == nil {
		f.add(f.matched(at))
		return
	}
	f.add(jen.If(there.Clone()).Block(f.matched(at)).Else().Block(f.unmatched(at)))
}

// encoded are the bytes of a key or value to be sent.
func (f *function) encoded(op *plan.Send, h held, format plan.Format, name string, topic *jen.Statement) *jen.Statement {
	if h.null {
		return jen.Nil()
	}
	if h.raw != nil && sameFormat(h.format, format) {
		if !h.borrowed {
			return h.raw.Clone()
		}
		v := jen.Id(f.names.New("out"+upperFirst(name), "sent"+upperFirst(name)))
		keep := topic.Clone().Dot("Copy").Call(h.raw.Clone())
		if types.IsOptional(h.typ) {
			f.add(jen.Var().Add(v.Clone()).Index().Byte(), jen.If(h.there()).Block(v.Clone().Op("=").Add(keep)))
		} else {
			f.add(v.Clone().Op(":=").Add(keep))
		}
		return v
	}
	v := f.names.New(name, name+"Bytes", "out"+upperFirst(name))
	e := Encoding{Format: plan.Format{Name: format.Name, Inner: format.Inner, Type: h.typ, JSON: format.JSON}, Src: *h.typed, Topic: topic, Var: v}
	if !f.records.Encodable(e.Format) {
		e.Fail = f.reject(op.At, "BadLogic")
	}
	f.add(f.records.Encode(e)...)
	return jen.Id(v)
}

// sameFormat says whether bytes of one format are bytes of the other.
func sameFormat(a, b plan.Format) bool {
	return a.Name == b.Name && a.Inner == b.Inner && a.JSON.Equal(b.JSON) && (a.Name != "json" && a.Name != "row" || types.Equal(types.NonNull(a.Type), types.NonNull(b.Type)))
}

// bytes makes a field of type []byte for the function.
func (f *function) bytes(name string) *jen.Statement {
	return f.sub.bytes(name, name+upperFirst(subject(f.plan)))
}

// bytes makes a field of type []byte, with the first name that is free.
func (s *sub) bytes(candidates ...string) *jen.Statement {
	x := scratch{name: s.members.New(candidates...), typ: jen.Index().Byte()}
	s.scratch = append(s.scratch, x)
	return jen.Id("s").Dot(x.name)
}
