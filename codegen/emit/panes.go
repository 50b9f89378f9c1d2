package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Hopping windows by panes: see state.Panes.

// panes finds the pane of a record, and puts it there if one of its windows takes it.
func (f *function) panes(op *plan.Windows, next []plan.Op) {
	st := op.Store
	pane, late, open := jen.Id(f.names.New("pane")), jen.Id(f.names.New("late")), jen.Id(f.names.New("open"))
	f.hand.start = pane
	f.add(
		jen.List(pane.Clone(), late.Clone(), open.Clone()).Op(":=").Add(storeField(st)).Dot("Windows").Call(f.hand.timestamp.Clone()),
		jen.Add(f.counter("late", op.At)).Dot("Add").Call(late.Clone()))
	if op.Late != nil {
		before, call := f.invocation(op.Late)
		f.add(jen.If(late.Clone().Op(">").Lit(0)).Block(append(before, ifErr(call))...))
	}
	f.add(jen.If(open).Block(f.block(func() { f.callEach(next[0].(*plan.Call)) })...))
	f.closes(st)
}

// panesStore is the type of a store of panes and the call that makes it.
func (s *sub) panesStore(st *plan.Store) (typ, make *jen.Statement) {
	w, row := st.Window, s.records.Type(rowType(st))
	return jen.Op("*").Add(rt("state", "Panes")).Index(row),
		rt("state", "NewPanes").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st)), s.records.Codec(rowType(st)),
			rt("state", "PanesOptions").Index(row.Clone()).Add(lines([]jen.Code{
				keyed("Size", millis(w.Size.Milliseconds())), keyed("Every", millis(w.Advance.Milliseconds())),
				keyed("Grace", millis(w.Grace.Milliseconds())), keyed("Retention", millis(st.Retention())),
				keyed("Add", s.paneFunc(st, jen.Error(), s.addPane(st))),
				keyed("Take", s.paneFunc(st, jen.Bool(), s.takePane(st))),
			})))
}

func (s *sub) paneFunc(st *plan.Store, result *jen.Statement, body []jen.Code) *jen.Statement {
	return jen.Func().Params(jen.List(jen.Id("sum"), jen.Id("pane")).Op("*").Add(s.records.Type(rowType(st)))).Add(result).Block(body...)
}

// paneCells are the aggregators of a store; a count has one, which is its row.
func paneCells(st *plan.Store) []plan.Cell {
	if len(st.Cells) > 0 {
		return st.Cells
	}
	return []plan.Cell{{Aggregator: &model.Aggregator{Func: "count", Type: types.Int64}}}
}

// paneFields are fields of both rows.
func (s *sub) paneFields(st *plan.Store, field string) (sum, pane *jen.Statement) {
	if field == "" {
		return jen.Op("*").Id("sum"), jen.Op("*").Id("pane")
	}
	return s.cell(st, jen.Id("sum"), field), s.cell(st, jen.Id("pane"), field)
}

// addPane adds the state of a pane to that of others.
func (s *sub) addPane(st *plan.Store) []jen.Code {
	body := sumErrors(st)
	for _, c := range paneCells(st) {
		sum, pane := s.paneFields(st, c.Field)
		switch t := cellType(st, c.Field); {
		case c.Func == "count":
			body = append(body, sum.Clone().Op("+=").Add(pane))
		case c.Func == "min" || c.Func == "max":
			if types.IsDecimal(t) {
				op := map[string]string{"min": "<", "max": ">"}[c.Func]
				body = append(body, jen.If(pane.Clone().Dot("Cmp").Call(sum.Clone()).Op(op).Lit(0)).Block(sum.Clone().Op("=").Add(pane.Clone())))
			} else {
				body = append(body, sum.Clone().Op("=").Id(c.Func).Call(sum.Clone(), pane))
			}
		default:
			body = append(body, jen.If(jen.List(sum.Clone(), jen.Err()).Op("=").Add(rt(arithmetic(t), "Add")).Call(sum.Clone(), pane), jen.Err().Op("!=").Nil()).
				Block(jen.Return(jen.Err())))
			if c.Func == "avg" {
				n, more := s.paneFields(st, c.Beside)
				body = append(body, n.Clone().Op("+=").Add(more))
			}
		}
	}
	return append(body, jen.Return(jen.Nil()))
}

// takePane takes the state of a pane out of that of several. What cannot be told without the others is worked out anew.
func (s *sub) takePane(st *plan.Store) []jen.Code {
	body := sumErrors(st)
	var all jen.Code
	for _, c := range paneCells(st) {
		sum, pane := s.paneFields(st, c.Field)
		switch t := cellType(st, c.Field); {
		case c.Func == "count":
			body = append(body, sum.Clone().Op("-=").Add(pane))
		case c.Func == "min" || c.Func == "max":
			differs := sum.Clone().Op("!=").Add(pane.Clone())
			if all == nil {
				all = differs
			} else {
				all = jen.Add(all).Op("&&").Add(differs)
			}
		default:
			body = append(body, jen.If(jen.List(sum.Clone(), jen.Err()).Op("=").Add(rt(arithmetic(t), "Sub")).Call(sum.Clone(), pane), jen.Err().Op("!=").Nil()).
				Block(jen.Return(jen.False())))
			if c.Func == "avg" {
				n, less := s.paneFields(st, c.Beside)
				body = append(body, n.Clone().Op("-=").Add(less))
			}
		}
	}
	if all == nil {
		all = jen.True()
	}
	return append(body, jen.Return(all))
}

// sumErrors declares the error of sums, if there are any.
func sumErrors(st *plan.Store) []jen.Code {
	if slices.ContainsFunc(st.Cells, func(c plan.Cell) bool { return c.Func == "sum" || c.Func == "avg" }) {
		return []jen.Code{jen.Var().Err().Error()}
	}
	return nil
}

func arithmetic(t types.Type) string {
	if types.IsDecimal(t) {
		return "decimal"
	}
	return "arith"
}
