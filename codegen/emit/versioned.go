package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/types"
)

// Tables with a history: their rows are bytes, of which the store keeps all versions for a while.

// putVersion makes the value at hand a version of the key's row. What changes nothing ends here, and what is too old for the history.
func (f *function) putVersion(op *plan.Put) {
	f.introduce(op.Step, "")
	row := f.bytes(op.Store.Go + "Row")
	encode := row.Clone().Op("=").Add(f.records.writeRow(op.Store.Value)).Call(row.Clone().Index(jen.Empty(), jen.Lit(0)), f.valueAddress(op.Store.Value))
	value := row.Clone()
	if types.IsOptional(f.hand.value.typ) {
		value = jen.Id(f.names.New("versionBytes", op.Store.Go+"Bytes"))
		f.add(jen.Var().Add(value.Clone()).Index().Byte(), jen.If(f.hand.value.there()).Block(encode, value.Clone().Op("=").Add(row.Clone())))
	} else {
		f.add(encode)
	}
	version := jen.Id(f.names.New("version", "versionNow"))
	f.add(
		jen.List(version.Clone(), jen.Err()).Op(":=").Add(storeField(op.Store)).Dot("Put").Call(f.hand.key.raw.Clone(), value, f.hand.timestamp.Clone()),
		ifFails(),
		jen.Switch(version.Clone()).Block(f.versionEnds(op)...))
	if op.Out.Newest {
		f.hand.newest = jen.Id(f.names.New("newest", "newestVersion"))
		is := version.Clone().Op("==").Add(rt("state", "Newest"))
		if op.Repeats {
			is = version.Clone().Op("!=").Add(rt("state", "Older"))
		}
		f.add(f.hand.newest.Clone().Op(":=").Add(is))
	}
	if op.Out.Old.Typed {
		f.replacedVersion(op)
	}
}

// versionEnds are the cases of versions that do not go on. One that a join would have counted as late counts although it changes nothing.
// The row of now that is put as it is goes on where it repeats.
func (f *function) versionEnds(op *plan.Put) []jen.Code {
	end := func(counts bool, outcomes ...jen.Code) jen.Code {
		body := []jen.Code{jen.Return(jen.Nil())}
		if counts {
			body = append([]jen.Code{jen.Add(f.counter("late", op.At)).Dot("Inc").Call()}, body...)
		}
		return jen.Case(outcomes...).Block(body...)
	}
	late, quiet := []jen.Code{rt("state", "TooOld")}, []jen.Code{}
	if !op.Repeats {
		quiet = append(quiet, rt("state", "Same"))
	}
	if older := rt("state", "SameOlder"); op.Joins {
		late = append(late, older)
	} else {
		quiet = append(quiet, older)
	}
	if len(quiet) == 0 {
		return []jen.Code{end(true, late...)}
	}
	return []jen.Code{end(true, late...), end(false, quiet...)}
}

// onlyNewest ends the change of a row that is not the row of now. Like Kafka Streams, joins count it as late.
func (f *function) onlyNewest(op *plan.Newest) {
	reason := "older version"
	if op.Joins {
		reason = "late"
	}
	f.add(jen.If(jen.Op("!").Add(f.hand.newest.Clone())).Block(
		jen.Add(f.counter(reason, op.At)).Dot("Inc").Call(),
		jen.Return(jen.Nil())))
}

// replacedVersion is the row that a version replaces: the one that was valid at its time.
func (f *function) replacedVersion(op *plan.Put) {
	st := op.Store
	row, before := jen.Id(f.names.New("replaced", "replacedBytes")), jen.Id("_")
	if op.Out.Was {
		before = jen.Id(f.names.New("before", "timestampBefore"))
		f.hand.before = before
	}
	f.hand.old = f.optional("old", st.Value)
	it := f.hand.old.typed.It
	f.add(
		jen.List(row.Clone(), before.Clone()).Op(":=").Add(storeField(st)).Dot("Replaced").Call(),
		jen.If(notNil(row)).Block(
			it.Clone().Dot("Valid").Op("=").True(),
			ifErr(jen.Add(f.records.viewRow(st.Value)).Call(row.Clone(), addressOf(it.Clone().Dot("Value"))))))
	if op.Out.Was {
		f.declared(before)
	}
	f.declared(it)
}

// newestVersion is find in a table with a history.
func (f *function) newestVersion(st *plan.Store, name string, needed bool) lookup {
	row, timestamp := jen.Id(f.names.New(name+"Row", name+"Bytes")), jen.Id(f.names.New(name+"Timestamp"))
	value := f.sub.hold(st.Value, st.Go+"Version", name+"Version", name+upperFirst(subject(f.plan)))
	f.add(jen.List(row.Clone(), timestamp.Clone(), jen.Err()).Op(":=").Add(storeField(st)).Dot("Newest").Call(f.hand.key.raw.Clone()))
	f.lookedUp(isNil(row), needed)
	f.declared(timestamp)
	r := lookup{there: notNil(row), absent: isNil(row), value: value, timestamp: timestamp}
	read := jen.If(jen.Err().Op(":=").Add(f.records.viewRow(st.Value)).Call(row.Clone(), addressOf(value)), jen.Err().Op("!=").Nil()).Block(f.gives(jen.Err()))
	if needed {
		r.there = nil
		f.add(read)
		return r
	}
	f.add(jen.If(notNil(row)).Block(read))
	return r
}

// valueAddress is the address of the value at hand, which is there, of type t.
func (f *function) valueAddress(t types.Type) *jen.Statement {
	v := f.hand.value
	v.narrow(t)
	return addressOf(v.typed.It)
}

// lookupVersion finds the row that a table with a history had at the time of the record.
func (f *function) lookupVersion(op *plan.Lookup) (place Place) {
	row := jen.Id(f.names.New(names.Lower(op.As)+"Row", names.Lower(op.As)+"Bytes"))
	value := f.sub.hold(op.Store.Value, op.Store.Go+"Version", names.Lower(op.As)+"Version", names.Lower(op.As)+upperFirst(subject(f.plan)))
	get := storeField(op.Store).Dot("AsOf").Call(f.hand.key.raw.Clone(), f.hand.timestamp.Clone())
	if types.IsOptional(f.hand.key.typ) { // a null key has no row
		f.add(jen.Var().Add(row.Clone()).Index().Byte(),
			jen.If(f.hand.key.there()).Block(
				jen.Var().Err().Error(),
				jen.If(jen.List(row.Clone(), jen.Err()).Op("=").Add(get), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))))
	} else {
		f.add(jen.List(row.Clone(), jen.Err()).Op(":=").Add(get), ifFails())
	}
	read := ifErr(jen.Add(f.records.viewRow(op.Store.Value)).Call(row.Clone(), addressOf(value)))
	there := notNil(row)
	if op.Left {
		f.add(jen.If(there).Block(read))
		return Place{Valid: notNil(row), Null: isNil(row), Value: value}
	}
	f.add(jen.If(isNil(row)).Block(append(slices.Clone(f.alone), jen.Return(jen.Nil()))...), read)
	return Place{It: value}
}
