package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// aggregate brings the cells of the row up to date. Arguments and sums that can fail are worked out before the row is touched.
// Where the record may leave the row as it is, the cells are changed in a copy, to be compared. The result is the table's value
// as it was, if it has to be compared with what it becomes.
func (f *function) aggregate(op *plan.Update, last bool) (*change, *result) {
	st := op.Store
	args := f.arguments(f.scope(op.At), st.Cells)
	always := changesAlways(st.Cells) || st.Final
	compares := comparesResult(op, last) && !op.Repeats
	row := f.updateRow(st, !always || needsExisted(st.Cells) || compares)
	var before *result
	if compares {
		before = f.resultBefore(op, row)
	}
	sums := make([]*jen.Statement, len(st.Cells))
	for i, c := range st.Cells {
		if c.Func == "sum" || c.Func == "avg" {
			sums[i] = f.sum(op, row, c, args[i].it)
		}
	}
	if always {
		for i, c := range st.Cells {
			f.change(row, row.value(), c, args[i], sums[i], true)
		}
		f.later(row)
		return row, before
	}
	next := onlyCell(st, args, sums)
	if next == nil {
		next = jen.Id(f.names.New("next"))
		f.add(next.Clone().Op(":=").Add(row.value()))
		for i, c := range st.Cells {
			f.change(row, next, c, args[i], sums[i], false)
		}
	}
	same := row.existed.Clone().Op("&&").Add(f.hand.timestamp.Clone()).Op("<=").Add(row.timestamp()).Op("&&").Add(f.sameCells(st, row.value(), next))
	f.unless(row, same, func() {
		f.add(f.keepCells(st, row.value(), next)...)
		f.later(row)
	})
	return row, before
}

// onlyCell is what a row becomes that is one cell, if that is at hand without a copy of the row.
func onlyCell(st *plan.Store, args []argument, sums []*jen.Statement) *jen.Statement {
	if len(st.Cells) != 1 || st.Cells[0].Field != "" {
		return nil
	}
	if st.Cells[0].Func == "last" {
		return args[0].it
	}
	return sums[0]
}

// result is the table's value and the row's timestamp before a record.
type result struct{ value, timestamp *jen.Statement }

// comparesResult says whether a record may change the state of aggregators and not the value that is made of it. What changes
// nothing is not sent, so the value is then worked out before and after.
func comparesResult(op *plan.Update, last bool) bool {
	a, ok := op.Step.(*model.Aggregate)
	return ok && !last && op.Store.State != nil && !showsCount(a)
}

// showsCount says whether a field of the value is a count of all records, so that each of them changes it.
func showsCount(a *model.Aggregate) bool {
	value, ok := a.Value.(*model.New)
	if !ok {
		return false
	}
	return slices.ContainsFunc(value.Fields, func(x model.Expr) bool {
		ref, ok := x.(*model.AggRef)
		return ok && a.Aggregators[ref.Index].Func == "count" && a.Aggregators[ref.Index].Arg == nil
	})
}

// resultBefore is what the row gives before the record changes it, and when: perhaps that is kept as the row that the change replaces.
func (f *function) resultBefore(op *plan.Update, c *change) *result {
	if !f.notes || op.Store.Kind == plan.Sliding {
		return f.noteResult(op, c, true)
	}
	r := &result{value: f.hand.old.typed.Value, timestamp: f.hand.before}
	if !f.notesWas {
		r.timestamp = jen.Id(f.names.New("before", "timestampBefore"))
		f.add(r.timestamp.Clone().Op(":=").Add(c.timestamp()))
	}
	return r
}

// noteResult keeps what the row gives before the record changes it, with times also when.
func (f *function) noteResult(op *plan.Update, c *change, times bool) *result {
	t := op.Store.Value
	r := &result{}
	if times {
		r.timestamp = jen.Id(f.names.New("timestampBefore"))
	}
	if isWide(t) {
		r.value = f.hold(t, "before")
	} else {
		r.value = jen.Id(f.names.New("before"))
		f.add(jen.Var().Add(r.value.Clone()).Add(f.records.Type(t)))
	}
	if times {
		f.add(r.timestamp.Clone().Op(":=").Add(c.timestamp()))
	}
	f.add(jen.If(c.existed.Clone()).Block(f.block(func() {
		f.cells = f.cellResults(op.Store, c.value())
		f.add(f.rowScope(op, c).Assign(r.value, stateValue(op.Store))...)
	})...))
	for i, cell := range op.Store.Cells {
		if worksOut(cell) { // a variable of that block
			f.names.release(f.cells[i].It)
		}
	}
	return r
}

// changesAlways says whether every record changes the row: one of its cells counts them.
func changesAlways(cells []plan.Cell) bool {
	return slices.ContainsFunc(cells, func(c plan.Cell) bool {
		return c.Func == "count" && c.Arg == nil || c.Func == "avg" || c.Func == "variance" || c.Func == "quantile"
	})
}

// needsExisted says whether a cell has to know that the record is the first of the row.
func needsExisted(cells []plan.Cell) bool {
	return slices.ContainsFunc(cells, func(c plan.Cell) bool {
		return c.Func == "first" || c.Func == "min" || c.Func == "max" || c.Func == "argmin" || c.Func == "argmax"
	})
}

// argument is what a record gives an aggregator, in variables.
type argument struct {
	it, by *jen.Statement // nil: there is none
}

// arguments works out what a record gives the aggregators of a row.
func (f *function) arguments(s *Scope, cells []plan.Cell) []argument {
	list := make([]argument, len(cells))
	for i, c := range cells {
		list[i] = f.argument(s, c)
	}
	return list
}

func (f *function) argument(s *Scope, c plan.Cell) (a argument) {
	var before []jen.Code
	if c.Arg != nil {
		before, a.it = s.Var(f.cellName(c), c.Arg)
		f.add(before...)
	}
	if c.By != nil {
		before, a.by = s.Var("by", c.By)
		f.add(before...)
	}
	return a
}

// cellName is a name for a local that goes into a cell.
func (f *function) cellName(c plan.Cell) string {
	if c.Field == "" {
		return "value"
	}
	return names.Lower(c.Field)
}

// cell is a cell of a row.
func (e *emitter) cell(st *plan.Store, row *jen.Statement, field string) *jen.Statement {
	if field == "" {
		return row.Clone()
	}
	return row.Clone().Dot(e.records.FieldName(rowType(st), field))
}

// cellType is the type of a cell.
func cellType(st *plan.Store, field string) types.Type {
	t := rowType(st)
	if field == "" {
		return t
	}
	fd, _ := t.(*types.Record).Lookup(field)
	return fd.Type
}

// sum writes the sum of a cell and an argument if it can fail, and returns it.
func (f *function) sum(op *plan.Update, row *change, c plan.Cell, arg *jen.Statement) *jen.Statement {
	t := cellType(op.Store, c.Field)
	if types.IsFloat(t) {
		return nil
	}
	v := jen.Id(f.names.New(f.cellName(c), f.cellName(c)+"Sum"))
	cell := f.cell(op.Store, row.value(), c.Field)
	pkg := "arith"
	if types.IsDecimal(t) {
		pkg = "decimal"
	}
	f.add(
		jen.List(v.Clone(), jen.Err()).Op(":=").Add(rt(pkg, "Add")).Call(cell, f.widened(t, c, arg)),
		jen.If(jen.Err().Op("!=").Nil()).Block(f.rowScope(op, row).Fail(jen.Err())...))
	return v
}

// widened is an argument as a value of the cell's type.
func (f *function) widened(t types.Type, c plan.Cell, arg *jen.Statement) *jen.Statement {
	if types.Equal(c.Arg.Base().Type, t) {
		return arg.Clone()
	}
	return f.records.Type(t).Call(arg.Clone())
}

// change brings a cell up to date, in the row or in a copy. sum is its new sum, if that was worked out before. With keep it
// outlives the record; lists always do.
func (f *function) change(row *change, in *jen.Statement, c plan.Cell, arg argument, sum *jen.Statement, keep bool) {
	st := row.store
	cell := f.cell(st, in, c.Field)
	set := func(field string, to *jen.Statement) []jen.Code {
		at := f.cell(st, in, field)
		if keep {
			return f.records.Keep(cellType(st, field), at, to)
		}
		return []jen.Code{at.Op("=").Add(to.Clone())}
	}
	switch c.Func {
	case "count":
		if c.Arg == nil {
			f.add(cell.Op("++"))
		} else {
			f.add(jen.If(arg.it.Clone()).Block(cell.Op("++")))
		}
	case "sum", "avg":
		if sum != nil {
			f.add(cell.Op("=").Add(sum.Clone()))
		} else {
			f.add(cell.Op("+=").Add(f.widened(cellType(st, c.Field), c, arg.it)))
		}
		if c.Func == "avg" {
			f.add(f.cell(st, in, c.Beside).Op("++"))
		}
	case "variance":
		f.add(cell.Dot("Add").Call(arg.it.Clone()))
	case "min", "max":
		better := exceeds(c, c.Type, arg.it, cell)
		f.add(jen.If(jen.Op("!").Add(row.existed.Clone()).Op("||").Add(better)).Block(set(c.Field, arg.it)...))
	case "argmin", "argmax":
		better := exceeds(c, c.By.Base().Type, arg.by, f.cell(st, in, c.Beside))
		f.add(jen.If(jen.Op("!").Add(row.existed.Clone()).Op("||").Add(better)).Block(append(set(c.Beside, arg.by), set(c.Field, arg.it)...)...))
	case "first":
		f.add(jen.If(jen.Op("!").Add(row.existed.Clone())).Block(set(c.Field, arg.it)...))
	case "last":
		f.add(set(c.Field, arg.it)...)
	default:
		f.collect(st, in, c, arg, true)
	}
}

// exceeds is the condition that a, of type t, takes the place of b in a cell of a least or a greatest value.
func exceeds(c plan.Cell, t types.Type, a, b *jen.Statement) *jen.Statement {
	op := "<"
	if c.Func == "max" || c.Func == "argmax" {
		op = ">"
	}
	if types.IsDecimal(t) {
		return a.Clone().Dot("Cmp").Call(b.Clone()).Op(op).Lit(0)
	}
	return a.Clone().Op(op).Add(b.Clone())
}

// cellResults are the results of a row's aggregators. It writes those that have to be worked out.
func (f *function) cellResults(st *plan.Store, row *jen.Statement) []Place {
	list, worked := f.results(st, row, f.names)
	for _, w := range worked {
		f.add(w.code)
		f.declared(w.name)
	}
	return list
}

// worked is a result that is not in a cell, in a variable.
type worked struct{ name, code *jen.Statement }

func (e *emitter) results(st *plan.Store, row *jen.Statement, n *Names) (list []Place, out []worked) {
	list = make([]Place, len(st.Cells))
	for i, c := range st.Cells {
		if !worksOut(c) {
			list[i] = Place{It: e.found(st, row, c)}
			continue
		}
		v := jen.Id(n.New(names.Lower(resultName(c))))
		out = append(out, worked{v, v.Clone().Op(":=").Add(e.result(st, row, c))})
		list[i] = Place{It: v}
	}
	return list, out
}

// worksOut says whether the result of a cell is not what lies in it.
func worksOut(c plan.Cell) bool {
	switch c.Func {
	case "avg", "variance", "distinct", "quantile", "approx_distinct":
		return true
	}
	return c.Values && c.Func == "top_n"
}

// found is the result of a cell that lies in it.
func (e *emitter) found(st *plan.Store, row *jen.Statement, c plan.Cell) *jen.Statement {
	cell := e.cell(st, row, c.Field)
	switch {
	case c.Values && c.Func == "min":
		return cell.Index(jen.Lit(0))
	case c.Values && c.Func == "max":
		return cell.Clone().Index(jen.Len(cell).Op("-").Lit(1))
	}
	return cell
}

// resultName is what a result that is worked out is called.
func resultName(c plan.Cell) string {
	if c.Func == "avg" {
		return strings.TrimSuffix(c.Beside, "_count")
	}
	return c.Field
}

// result works the result of a cell out.
func (e *emitter) result(st *plan.Store, row *jen.Statement, c plan.Cell) *jen.Statement {
	cell := e.cell(st, row, c.Field)
	switch {
	case c.Func == "avg":
		float := func(field string) *jen.Statement {
			v := e.cell(st, row, field)
			switch t := cellType(st, field).(type) {
			case *types.Decimal:
				return v.Dot("Float64").Call(jen.Lit(t.Scale))
			case types.Basic:
				if t == types.Float64 {
					return v
				}
			}
			return jen.Float64().Call(v)
		}
		return float(c.Field).Op("/").Add(float(c.Beside))
	case c.Func == "variance":
		return cell.Dot("Value").Call()
	case c.Func == "quantile":
		return rt("tally", "Quantile").Call(cell, e.cell(st, row, c.Beside), jen.Lit(c.Share))
	case c.Func == "approx_distinct":
		return rt("tally", "Differ").Call(cell)
	case c.Func == "top_n":
		return rt("tally", "Top").Call(cell, e.cell(st, row, c.Beside), jen.Lit(int(c.Most)))
	case c.Values:
		return jen.Int64().Call(jen.Id("min").Call(jen.Len(cell), jen.Lit(int(c.Most))))
	}
	return jen.Int64().Call(jen.Len(cell))
}

// stateValue is the value of a table whose rows hold the state of aggregators: an expression over their results.
func stateValue(st *plan.Store) model.Expr { return st.Make.(*model.Aggregate).Value }
