package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// aggregate brings the cells of the row up to date. Arguments and sums that can fail are worked out before the row is touched.
// Where the record may leave the row as it is, the cells are changed in a copy, to be compared.
func (f *function) aggregate(op *plan.Update, last bool) {
	st := op.Store
	args := make([]*jen.Statement, len(st.Cells))
	s := f.scope(op.At)
	for i, c := range st.Cells {
		if c.Arg != nil {
			var before []jen.Code
			before, args[i] = s.Var(f.cellName(st, c), c.Arg)
			f.add(before...)
		}
	}
	always := changesAlways(st.Cells)
	f.updateRow(st, !always || needsExisted(st.Cells) || comparesResult(op, last))

	row := jen.Id("row").Dot("Value")
	if comparesResult(op, last) {
		f.noteResult(op, row)
	}
	sums := make([]*jen.Statement, len(st.Cells))
	for i, c := range st.Cells {
		if c.Func == "sum" || c.Func == "avg" {
			sums[i] = f.sum(op, c, f.cell(st, row, c.Field), args[i])
		}
	}
	if always {
		for i, c := range st.Cells {
			f.change(st, row, c, args[i], sums[i], true)
		}
		f.later()
		return
	}
	next := jen.Id(f.names.New("next"))
	f.add(next.Clone().Op(":=").Add(row.Clone()))
	for i, c := range st.Cells {
		f.change(st, next, c, args[i], sums[i], false)
	}
	f.add(jen.If(jen.Id("existed").Op("&&").Add(f.hand.timestamp.Clone()).Op("<=").Id("row").Dot("Timestamp").
		Op("&&").Add(f.records.Equal(rowType(st), row.Clone(), next, false))).Block(
		f.storeField(st).Dot("Unchanged").Call(),
		jen.Return(jen.Nil())))
	f.add(f.records.Keep(rowType(st), row.Clone(), next)...)
	f.later()
}

// noteResult keeps the value that the row's state gives before the record changes it.
func (f *function) noteResult(op *plan.Update, row *jen.Statement) {
	t := op.Store.Value
	var before *jen.Statement
	if isWide(t) {
		before = f.hold(t, "before")
	} else {
		before = jen.Id(f.names.New("before"))
		f.add(jen.Var().Add(before.Clone()).Add(f.records.Type(t)))
	}
	f.cells = f.cellResults(op.Store, row)
	f.add(jen.If(jen.Id("existed")).Block(f.rowScope(op).Assign(before, stateValue(op.Store))...),
		jen.Id(f.names.New("timestamp")).Op(":=").Id("row").Dot("Timestamp"))
	f.hand.value = held{typ: t, typed: &Place{It: before}}
}

// changesAlways says whether every record changes the row: one of its cells counts it.
func changesAlways(cells []plan.Cell) bool {
	for _, c := range cells {
		if c.Func == "count" && c.Arg == nil || c.Func == "avg" && !types.IsOptional(c.Arg.Base().Type) {
			return true
		}
	}
	return false
}

// needsExisted says whether a cell has to know that the record is the first of the row.
func needsExisted(cells []plan.Cell) bool {
	for _, c := range cells {
		switch c.Func {
		case "first":
			return true
		case "min", "max":
			if !types.IsOptional(c.Arg.Base().Type) {
				return true
			}
		}
	}
	return false
}

// cellName is a name for a local that goes into a cell.
func (f *function) cellName(st *plan.Store, c plan.Cell) string {
	if c.Field == "" {
		return "value"
	}
	return names.Lower(c.Field)
}

// cell is a cell of a row.
func (f *function) cell(st *plan.Store, row *jen.Statement, field string) *jen.Statement {
	if field == "" {
		return row.Clone()
	}
	return row.Clone().Dot(f.records.FieldName(rowType(st), field))
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
func (f *function) sum(op *plan.Update, c plan.Cell, cell, arg *jen.Statement) *jen.Statement {
	t := cellType(op.Store, c.Field)
	if !types.IsInteger(types.NonNull(t)) && types.NonNull(t) != types.Duration {
		return nil
	}
	a := f.widened(types.NonNull(t), c, arg)
	v := jen.Id(f.names.New(f.cellName(op.Store, c), f.cellName(op.Store, c)+"Sum"))
	fail := jen.If(jen.Err().Op("!=").Nil()).Block(f.rowScope(op).Fail(jen.Err())...)
	if !types.IsOptional(t) && !types.IsOptional(c.Arg.Base().Type) {
		f.add(jen.List(v.Clone(), jen.Err()).Op(":=").Add(rt("arith", "Add")).Call(cell.Clone(), a), fail)
		return v
	}
	// A null is passed over. The zero cell is the sum of nothing.
	value := cell.Clone()
	if types.IsOptional(t) {
		value = cell.Clone().Dot("Value")
	}
	f.add(v.Clone().Op(":=").Add(value.Clone()), jen.If(arg.Clone().Dot("Valid")).Block(
		jen.Var().Err().Error(),
		jen.If(jen.List(v.Clone(), jen.Err()).Op("=").Add(rt("arith", "Add")).Call(value, a), jen.Err().Op("!=").Nil()).
			Block(f.rowScope(op).Fail(jen.Err())...)))
	return v
}

// widened is an argument, null or not, as a value of the cell's type.
func (f *function) widened(t types.Type, c plan.Cell, arg *jen.Statement) *jen.Statement {
	from := c.Arg.Base().Type
	a := arg.Clone()
	if types.IsOptional(from) {
		a = a.Dot("Value")
	}
	if types.Equal(types.NonNull(from), t) {
		return a
	}
	return f.records.Type(t).Call(a)
}

// change brings a cell of row up to date. sum is its new sum, if that was worked out before. With keep the row outlives the
// record.
func (f *function) change(st *plan.Store, row *jen.Statement, c plan.Cell, arg, sum *jen.Statement, keep bool) {
	cell := func() *jen.Statement { return f.cell(st, row, c.Field) }
	optional := c.Arg != nil && types.IsOptional(c.Arg.Base().Type)
	set := func(v *jen.Statement) []jen.Code {
		if keep {
			return f.records.Keep(cellType(st, c.Field), cell(), v)
		}
		return []jen.Code{cell().Op("=").Add(v.Clone())}
	}
	switch c.Func {
	case "count":
		switch {
		case c.Arg == nil:
			f.add(cell().Op("++"))
		case optional:
			f.add(jen.If(arg.Clone().Dot("Valid").Op("&&").Add(arg.Clone()).Dot("Value")).Block(cell().Op("++")))
		default:
			f.add(jen.If(arg.Clone()).Block(cell().Op("++")))
		}
	case "sum":
		f.changeSum(st, row, c, arg, sum)
	case "avg":
		f.changeSum(st, row, c, arg, sum)
		count := f.cell(st, row, c.Count).Op("++")
		if optional {
			f.add(jen.If(arg.Clone().Dot("Valid")).Block(count))
		} else {
			f.add(count)
		}
	case "min", "max":
		than := map[string]string{"min": "<", "max": ">"}[c.Func]
		if optional {
			f.add(jen.If(arg.Clone().Dot("Valid").Op("&&").Parens(jen.Op("!").Add(cell()).Dot("Valid").
				Op("||").Add(arg.Clone()).Dot("Value").Op(than).Add(cell()).Dot("Value"))).Block(set(arg)...))
		} else {
			f.add(jen.If(jen.Op("!").Id("existed").Op("||").Add(arg.Clone()).Op(than).Add(cell())).Block(set(arg)...))
		}
	case "first":
		f.add(jen.If(jen.Op("!").Id("existed")).Block(set(arg)...))
	case "last":
		f.add(set(arg)...)
	}
}

// changeSum brings the sum of a cell up to date.
func (f *function) changeSum(st *plan.Store, row *jen.Statement, c plan.Cell, arg, sum *jen.Statement) {
	cell := func() *jen.Statement { return f.cell(st, row, c.Field) }
	t := cellType(st, c.Field)
	nullable := types.IsOptional(c.Arg.Base().Type)
	value := cell()
	if types.IsOptional(t) {
		value = cell().Dot("Value")
	}
	var add []jen.Code
	if sum != nil {
		add = append(add, value.Op("=").Add(sum.Clone()))
	} else {
		add = append(add, value.Op("+=").Add(f.widened(types.NonNull(t), c, arg)))
	}
	switch {
	case nullable && types.IsOptional(t):
		add = append(add, cell().Dot("Valid").Op("=").True())
		f.add(jen.If(arg.Clone().Dot("Valid")).Block(add...))
	case nullable && sum == nil:
		f.add(jen.If(arg.Clone().Dot("Valid")).Block(add...))
	default:
		f.add(add...)
	}
}

// cellResults are the results of a row's aggregators.
func (f *function) cellResults(st *plan.Store, row *jen.Statement) []Place {
	list := make([]Place, len(st.Cells))
	for i, c := range st.Cells {
		list[i] = Place{It: f.cell(st, row, c.Field)}
		if c.Func != "avg" {
			continue
		}
		float := func(field string) *jen.Statement {
			v := f.cell(st, row, field)
			if types.Equal(cellType(st, field), types.Float64) {
				return v
			}
			return jen.Float64().Call(v)
		}
		avg := float(c.Field).Op("/").Add(float(c.Count))
		if types.IsOptional(c.Type) {
			list[i] = Place{Valid: f.cell(st, row, c.Count).Op("!=").Lit(0), Value: jen.Parens(avg)}
		} else {
			list[i] = Place{It: jen.Parens(avg)}
		}
	}
	return list
}

// The step's value, where the row holds the state of aggregators, is an expression over them.
func stateValue(st *plan.Store) model.Expr { return st.Make.(*model.Aggregate).Value }
