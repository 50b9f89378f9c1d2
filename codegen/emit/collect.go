package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/types"
)

// Cells that collect values: lists, which rows share with what they were before. They only grow, or are replaced by others, and what is
// in them outlives the record that it is of.

// collects says whether a cell is a list of values.
func collects(c plan.Cell) bool {
	switch c.Func {
	case "collect_list", "collect_set", "top_n", "distinct", "quantile", "approx_distinct":
		return true
	}
	return c.Values
}

// bound is how many values a cell holds at most.
func bound(c plan.Cell) jen.Code { return jen.Lit(int(c.Most)) }

// collect adds a value to a cell that collects them. With clone the value is of a record, and copied if it stays.
func (f *function) collect(st *plan.Store, in *jen.Statement, c plan.Cell, arg argument, clone bool) {
	cell := f.cell(st, in, c.Field)
	switch c.Func {
	case "quantile":
		f.count(st, in, c, arg, false)
		return
	case "approx_distinct":
		f.add(cell.Clone().Op("=").Add(rt("tally", "Note")).Call(cell, hash(c.Arg.Base().Type, arg.it)))
		return
	}
	room := jen.Len(cell.Clone()).Op("<").Add(bound(c))
	kept := func(t types.Type, v *jen.Statement) *jen.Statement {
		if !clone {
			return v.Clone()
		}
		return f.kept(t, v)
	}
	grows := func() []jen.Code {
		return f.block(func() { f.add(cell.Clone().Op("=").Append(cell.Clone(), kept(c.Arg.Base().Type, arg.it))) })
	}
	inserts := func(i *jen.Statement, field string, t types.Type, v *jen.Statement) {
		at := f.cell(st, in, field)
		f.add(at.Clone().Op("=").Add(rt("tally", "Insert")).Call(at.Clone(), i.Clone(), kept(t, v), bound(c)))
	}
	i := jen.Id(f.names.New("at", "place"))
	defer f.names.release(i)
	switch c.Func {
	case "collect_list":
		f.add(jen.If(room).Block(grows()...))
	case "collect_set":
		f.add(jen.If(room.Op("&&").Op("!").Qual("slices", "Contains").Call(cell.Clone(), arg.it.Clone())).Block(grows()...))
	case "distinct":
		there := jen.Id(f.names.New("there", "known"))
		search := ordered("slices", "BinarySearch", "BinarySearchFunc", c.Arg.Base().Type, cell.Clone(), arg.it.Clone())
		f.add(jen.If(jen.List(i.Clone(), there.Clone()).Op(":=").Add(search), jen.Op("!").Add(there.Clone()).Op("&&").Add(room)).Block(
			f.block(func() { inserts(i, c.Field, c.Arg.Base().Type, arg.it) })...))
		f.names.release(there)
	case "top_n":
		field, t, v := c.Field, c.Arg.Base().Type, arg.it
		if c.By != nil {
			field, t, v = c.Beside, c.By.Base().Type, arg.by
		}
		ok := jen.Id(f.names.New("ok", "fits"))
		rank := ordered("tally", "Rank", "RankBy", t, f.cell(st, in, field), v.Clone(), bound(c))
		f.add(jen.If(jen.List(i.Clone(), ok.Clone()).Op(":=").Add(rank), ok.Clone()).Block(f.block(func() {
			inserts(i, field, t, v)
			if c.By != nil {
				inserts(i, c.Field, c.Arg.Base().Type, arg.it)
			}
		})...))
		f.names.release(ok)
	}
}

// ordered is a call of a function that compares values of type t: those that Go cannot compare have one more argument.
func ordered(pkg, name, by string, t types.Type, args ...jen.Code) *jen.Statement {
	qual := func(name string) *jen.Statement {
		if pkg == "slices" {
			return jen.Qual(pkg, name)
		}
		return rt(pkg, name)
	}
	if types.IsDecimal(t) {
		return qual(by).Call(append(args, rt("decimal", "Decimal").Dot("Cmp"))...)
	}
	return qual(name).Call(args...)
}

// kept is a value of type t for longer than the record that it views.
func (f *function) kept(t types.Type, v *jen.Statement) *jen.Statement {
	switch {
	case t == types.String:
		return jen.Qual("strings", "Clone").Call(v.Clone())
	case t == types.Bytes:
		return jen.Qual("bytes", "Clone").Call(v.Clone())
	case !holdsText(t):
		return v.Clone()
	}
	k := jen.Id(f.names.New("kept", "item"))
	defer f.names.release(k)
	f.add(jen.Var().Add(k.Clone()).Add(f.records.Type(t)))
	f.add(f.records.Keep(t, k, v)...)
	return k
}

// put adds a value to those of a group, or takes it away.
func (f *function) putValue(st *plan.Store, in *jen.Statement, c plan.Cell, arg argument, takes bool) {
	cells := jen.List(f.cell(st, in, c.Field), f.cell(st, in, c.Beside))
	name, v := "Put", arg.it
	if takes {
		name = "Take"
	} else {
		v = f.kept(c.Arg.Base().Type, v)
	}
	f.add(cells.Clone().Op("=").Add(ordered("tally", name, name+"By", c.Arg.Base().Type, cells, v.Clone())))
}

// count adds a number to the buckets of a quantile, or takes it away.
func (f *function) count(st *plan.Store, in *jen.Statement, c plan.Cell, arg argument, takes bool) {
	cells := jen.List(f.cell(st, in, c.Field), f.cell(st, in, c.Beside))
	call := rt("tally", map[bool]string{true: "Take", false: "Put"}[takes])
	f.add(cells.Clone().Op("=").Add(call).Call(cells, rt("tally", "Bucket").Call(arg.it.Clone())))
}

// hash is that of a value of type t, for a sketch.
func hash(t types.Type, v *jen.Statement) *jen.Statement {
	text := func(v *jen.Statement) *jen.Statement { return rt("tally", "HashText").Call(v) }
	switch t := t.(type) {
	case *types.Enum:
		return text(v.Clone().Dot("String").Call())
	case *types.Decimal:
		return rt("tally", "HashDecimal").Call(v.Clone())
	case types.Basic:
		switch t {
		case types.String, types.Bytes:
			return text(v.Clone())
		case types.UUID:
			return text(v.Clone().Index(jen.Empty(), jen.Empty()))
		case types.Bool:
			return text(jen.Qual("strconv", "FormatBool").Call(v.Clone()))
		case types.Float32:
			return rt("tally", "HashFloat").Call(jen.Float64().Call(v.Clone()))
		case types.Float64:
			return rt("tally", "HashFloat").Call(v.Clone())
		case types.Int64:
			return rt("tally", "HashInt").Call(v.Clone())
		}
	}
	return rt("tally", "HashInt").Call(jen.Int64().Call(v.Clone()))
}

// merge adds what a cell of a later session collects to that of the earlier ones.
func (f *function) mergeCollected(st *plan.Store, into, from *jen.Statement, c plan.Cell) {
	a, b := f.cell(st, into, c.Field), f.cell(st, from, c.Field)
	if c.Func == "collect_list" {
		f.add(a.Clone().Op("=").Add(rt("tally", "Join")).Call(a, b, bound(c)))
		return
	}
	switch c.Func {
	case "quantile":
		cells := jen.List(a, f.cell(st, into, c.Beside))
		f.add(cells.Clone().Op("=").Add(rt("tally", "Merge")).Call(cells, b, f.cell(st, from, c.Beside)))
		return
	case "approx_distinct":
		f.add(a.Clone().Op("=").Add(rt("tally", "Union")).Call(a, b))
		return
	}
	k := jen.Id(f.names.New("k"))
	arg := argument{it: b.Clone().Index(k.Clone())}
	if c.By != nil {
		arg.by = f.cell(st, from, c.Beside).Index(k.Clone())
	}
	f.add(loop(k, k, b, f.block(func() { f.collect(st, into, c, arg, false) })))
	f.names.release(k)
}

// sameCells is the condition that next, made of row, is what row is: lists are if they are the same ones.
func (f *function) sameCells(st *plan.Store, row, next *jen.Statement) *jen.Statement {
	lists := listsOf(st)
	if len(lists) == 0 {
		return f.records.Equal(rowType(st), row, next, false)
	}
	var all *jen.Statement
	for _, name := range fieldsOf(st) {
		a, b := f.cell(st, row, name), f.cell(st, next, name)
		same := rt("tally", "Same").Call(a, b)
		if !lists[name] {
			same = inAnd(cellType(st, name), f.records.Equal(cellType(st, name), a, b, false))
		}
		if all == nil {
			all = same
		} else {
			all.Op("&&").Add(same)
		}
	}
	return all
}

// keepCells makes row what next is, for longer than the record. Lists that cells collect are kept already.
func (f *function) keepCells(st *plan.Store, row, next *jen.Statement) (code []jen.Code) {
	lists := listsOf(st)
	if len(lists) == 0 {
		return f.records.Keep(rowType(st), row, next)
	}
	for _, name := range fieldsOf(st) {
		a, b := f.cell(st, row, name), f.cell(st, next, name)
		if lists[name] {
			code = append(code, a.Op("=").Add(b))
		} else {
			code = append(code, f.records.Keep(cellType(st, name), a, b)...)
		}
	}
	return code
}

// listsOf are the fields of a store's rows that cells collect values in; "" is a row that is one.
func listsOf(st *plan.Store) map[string]bool {
	lists := map[string]bool{}
	for _, c := range st.Cells {
		if collects(c) {
			lists[c.Field] = true
			if c.Beside != "" {
				lists[c.Beside] = true
			}
		}
	}
	return lists
}

// fieldsOf are the fields of a store's rows; "" of those that are no record of cells.
func fieldsOf(st *plan.Store) (list []string) {
	if len(st.Cells) == 1 && st.Cells[0].Field == "" {
		return []string{""}
	}
	for _, f := range rowType(st).(*types.Record).Fields {
		list = append(list, f.Name)
	}
	return list
}
