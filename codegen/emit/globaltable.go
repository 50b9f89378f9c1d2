package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/types"
)

// Global tables: Topology makes their rows, and gives them to the task that changes them and to all that look into them.

// lookupGlobal joins with a row of a global table, which is copied.
func (f *function) lookupGlobal(op *plan.LookupGlobal, after []plan.Op) {
	f.introduce(op.Step, "on "+exprText(op.On))
	row := f.sub.hold(op.Store.Value, names.Lower(op.As), names.Lower(op.As)+"Row", names.Lower(op.As)+upperFirst(subject(f.plan)))
	found := jen.Id(f.names.New("found", names.Lower(op.As)+"Found"))
	get := func(key *jen.Statement) *jen.Statement {
		return jen.Id("s").Dot(op.Store.Go).Dot("Get").Call(key, jen.Op("&").Add(row.Clone()))
	}
	there, absent, key := f.lookupKey(op)
	if !op.Left {
		if absent != nil {
			f.add(jen.If(absent).Block(jen.Add(f.counter("null key", op.At)).Dot("Inc").Call(), jen.Return(jen.Nil())))
		}
		f.add(
			jen.List(found.Clone(), jen.Err()).Op(":=").Add(get(key())),
			jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
			jen.If(jen.Op("!").Add(found.Clone())).Block(f.unmatched(op.At), jen.Return(jen.Nil())),
			f.matched(op.At))
		f.rows[op.As] = Place{It: row}
	} else if there == nil {
		f.add(
			jen.List(found.Clone(), jen.Err()).Op(":=").Add(get(key())),
			jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
		f.rows[op.As] = Place{Valid: found, Value: row}
	} else {
		f.add(jen.Var().Add(found.Clone()).Bool(), jen.If(there).Block(f.block(func() {
			bytes := key()
			f.add(
				jen.Var().Err().Error(),
				jen.If(jen.List(found.Clone(), jen.Err()).Op("=").Add(get(bytes)), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
		})...))
		f.rows[op.As] = Place{Valid: found, Value: row}
	}
	f.declared(found)
	if op.Left {
		f.outcome(found, op.At)
	}
	f.hand.key.narrow(op.Out.Key.Type)
	f.hand.value = f.compute("value", op.Value, op.At, f.slot(after, op.Value.Base().Type, ""))
	delete(f.rows, op.As)
}

// lookupKey is the conditions that there is a key to look up and that there is none, nil if there always is one, and what writes its
// bytes behind that.
func (f *function) lookupKey(op *plan.LookupGlobal) (there, absent *jen.Statement, key func() *jen.Statement) {
	if op.ByKey {
		if types.IsOptional(f.hand.key.typ) {
			there, absent = f.hand.key.there(), f.hand.key.absent()
		}
		return there, absent, func() *jen.Statement { return f.hand.key.raw.Clone() }
	}
	s := f.scope(op.At)
	before, on := s.Var("on", op.On)
	f.add(before...)
	if types.IsOptional(op.On.Base().Type) {
		there, on = on.Clone().Dot("Valid"), on.Clone().Dot("Value")
		absent = jen.Op("!").Add(there.Clone())
	}
	return there, absent, func() *jen.Statement {
		scratch := f.encodesIn("on")
		format := op.Store.Key
		call := f.records.Append(format, scratch.Clone().Index(jen.Empty(), jen.Lit(0)), on)
		if f.records.Encodable(format) {
			f.add(scratch.Clone().Op("=").Add(call))
			return scratch
		}
		encoded := jen.Id(f.names.New("encoded"))
		f.add(
			jen.List(encoded.Clone(), jen.Err()).Op(":=").Add(call),
			jen.If(jen.Err().Op("!=").Nil()).Block(f.reject(op.At, "BadLogic")(jen.Err())...),
			scratch.Clone().Op("=").Add(encoded))
		return scratch
	}
}

// globalFields are those of the global tables that a sub-topology looks into, with the parameters that they come from.
func (s *sub) globalFields(field func(name string, typ *jen.Statement, value jen.Code)) (params []jen.Code) {
	for _, g := range s.plan.Globals {
		field(g.Go, s.globalType(g).Comment(fmt.Sprintf("// global table %q", g.Name)), jen.Id(g.Go))
		params = append(params, jen.Id(g.Go).Add(s.globalType(g)))
	}
	return params
}

// globalType is the rows of a global table.
func (e *emitter) globalType(g *plan.Store) *jen.Statement {
	return jen.Op("*").Add(rt("state", "Global")).Index(e.records.Type(g.Value))
}

// makeGlobals makes the rows of global tables, which Topology then hands out.
func (e *emitter) makeGlobals() (body []jen.Code) {
	for _, t := range e.plan.GlobalTables {
		g := t.Stores[0]
		body = append(body, jen.Id(g.Go).Op(":=").Add(rt("state", "NewGlobal")).Call(e.records.Codec(g.Value)))
	}
	return body
}

// globalLiterals declares the global tables to the runtime.
func (e *emitter) globalLiterals() jen.Code {
	var tables []jen.Code
	for _, t := range e.plan.GlobalTables {
		g := t.Stores[0]
		tables = append(tables, lines([]jen.Code{
			keyed("Source", rt("", "Source").Add(e.sourceLiteral(t.Sources[0]))),
			keyed("Store", rt("", "Store").Add(e.storeLiteral(g))),
			keyed("New", e.constructs(t, jen.Id("t"), jen.Id(g.Go))),
		}))
	}
	return jen.Index().Add(rt("", "GlobalTable")).Add(lines(tables))
}

// constructs is the function that makes a task's code.
func (e *emitter) constructs(s *plan.SubTopology, args ...jen.Code) jen.Code {
	return jen.Func().Params(jen.Id("t").Op("*").Add(rt("task", "Task"))).
		Params(rt("task", "SubTopology"), jen.Error()).
		Block(jen.Return(jen.Id(constructor(s)).Call(args...), jen.Nil()))
}

// isGlobal says whether the part is the task of a global table.
func (s *sub) isGlobal() bool {
	return len(s.plan.Stores) > 0 && s.plan.Stores[0].Kind == plan.GlobalRows
}

// what says what the type of a part is.
func (s *sub) what() string {
	if s.isGlobal() {
		return fmt.Sprintf("%s keeps the rows of %s up to date, in one task a process.", s.plan.Go, s.plan.Blocks[0])
	}
	return fmt.Sprintf("%s is the sub-topology %q in one task: %s.", s.plan.Go, s.plan.Name, series(s.plan.Blocks))
}

// putGlobal writes a global table: a null deletes the row, anything else replaces it.
func (f *function) putGlobal(d *plan.Decode, put *plan.Put) {
	if d.Key {
		f.decodeOne(d, &f.hand.key, "key", d.Out.Key.Typed, Decoding{})
	}
	f.add(jen.If(f.hand.value.absent()).Block(jen.Return(f.deleteRow(put.Store))))
	f.hand.value.typ = put.Store.Value
	into := Decoding{Fields: d.Fields, Check: d.Check}
	if !isWide(put.Store.Value) { // a local would move to the heap
		into.Dst = f.sub.hold(put.Store.Value, "value", put.Store.Go+"Value")
	}
	f.decodeOne(d, &f.hand.value, "value", true, into)
	f.add(jen.Return(f.rowCall(put.Store, "Put", addressOf(f.hand.value.typed.It), f.hand.timestamp.Clone())))
	f.done = true
}
