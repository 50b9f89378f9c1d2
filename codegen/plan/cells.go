package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// This file says where in a row the aggregators of its table keep what they know.

// shape finds a place in the row for each aggregator. Where the value is made of nothing but results, the row is the value; else
// it holds the states of the aggregators and the value is worked out from them.
//
// With pairs, of which one row leaves and one joins the group, it has a count of the rows that are in the group, too, unless it is kept
// without any.
func (s *Store) shape(a *model.Aggregate, pairs bool) {
	rows := pairs && !a.KeepZero
	s.Cells = make([]Cell, len(a.Aggregators))
	counts := -1
	for i, g := range a.Aggregators {
		s.Cells[i].Aggregator = g
		if g.Func == "count" && g.Arg == nil {
			counts = i
		}
	}
	if (!rows || counts >= 0) && s.direct(a, pairs) {
		if rows {
			s.Rows, s.CountsRows = s.Cells[counts].Field, true
		}
		return
	}
	state := &types.Record{}
	used := map[string]bool{}
	field := func(name string, t types.Type) string {
		for i := 2; used[name]; i++ {
			name = strings.TrimRight(name, "0123456789") + strconv.Itoa(i)
		}
		used[name] = true
		state.Fields = append(state.Fields, types.Field{Name: name, Type: t})
		return name
	}
	for i := range s.Cells {
		s.Cells[i].lay(pairs, field)
	}
	if s.CountsRows = rows; rows && counts >= 0 {
		s.Rows = s.Cells[counts].Field
	} else if rows {
		s.Rows = field("rows", types.Int64)
	}
	s.State = &Type{Record: state, Origin: "store." + s.Name}
}

// lay makes the fields of a cell in a state.
func (c *Cell) lay(pairs bool, field func(name string, t types.Type) string) {
	name := c.Func
	if path := lastName(c.Arg); path != "" {
		name += "_" + path
	}
	argument := func() types.Type { return c.Arg.Base().Type }
	switch {
	case c.Func == "avg":
		c.Field, c.Beside = field(strings.Replace(name, "avg", "sum", 1), sumType(c.Arg)), field(name+"_count", types.Int64)
	case c.Func == "variance":
		c.Field = field(name, variance)
	case pairs && keepsValues(c.Func):
		c.Values = true
		c.Field, c.Beside = field(name, &types.List{Elem: argument()}), field(name+"_counts", &types.List{Elem: types.Int64})
	case c.Func == "quantile":
		c.Field, c.Beside = field(name, &types.List{Elem: types.Int32}), field(name+"_counts", &types.List{Elem: types.Int64})
	case c.Func == "approx_distinct":
		c.Field = field(name, types.Bytes)
	case c.By != nil && c.Func == "top_n":
		c.Field, c.Beside = field(name, c.Type), field(name+"_by", &types.List{Elem: c.By.Base().Type})
	case c.By != nil:
		c.Field, c.Beside = field(name, c.Type), field(name+"_by", c.By.Base().Type)
	case c.Func == "distinct":
		c.Field = field(name, &types.List{Elem: argument()})
	default:
		c.Field = field(name, c.Type)
	}
}

// collectText says what makes the rows of a store long.
func (s *Store) collectText() string {
	var most int64
	for _, c := range s.Cells {
		if c.Values {
			return "a row keeps each value of its group"
		}
		most += c.Most
	}
	if most == 0 {
		return ""
	}
	return fmt.Sprintf("a row collects up to %d values", most)
}

// keepsValues says whether an aggregator can take a value away only if it knows all that are there.
func keepsValues(name string) bool {
	return name == "min" || name == "max" || name == "top_n" || name == "distinct"
}

// stateful says whether the result of an aggregator is not what it keeps.
func stateful(g *model.Aggregator, pairs bool) bool {
	switch g.Func {
	case "avg", "variance", "distinct", "quantile", "approx_distinct":
		return true
	}
	return g.By != nil || pairs && keepsValues(g.Func)
}

// variance is the type of the state of a variance: tally.Variance.
var variance = &types.Record{
	Name: "tally.Variance",
	Fields: []types.Field{
		{Name: "n", Type: types.Int64}, {Name: "beyond", Type: types.Int64},
		{Name: "sum", Type: types.Float64}, {Name: "sum2", Type: types.Float64}, {Name: "sum3", Type: types.Float64},
		{Name: "squares", Type: types.Float64}, {Name: "squares2", Type: types.Float64}, {Name: "squares3", Type: types.Float64},
	},
	Go: &types.Struct{
		Import: runtimePath + "/tally", Package: "tally", Name: "Variance",
		Fields: []string{"N", "Beyond", "Sum", "Sum2", "Sum3", "Squares", "Squares2", "Squares3"},
	},
}

// direct puts each cell where the aggregate's value has its result, if that is all the value is made of.
func (s *Store) direct(a *model.Aggregate, pairs bool) bool {
	if slices.ContainsFunc(a.Aggregators, func(g *model.Aggregator) bool { return stateful(g, pairs) }) {
		return false
	}
	if r, ok := a.Value.(*model.AggRef); ok {
		return len(a.Aggregators) == 1 && r.Index == 0
	}
	v, ok := a.Value.(*model.New)
	if !ok || len(v.Fields) != len(a.Aggregators) {
		return false
	}
	record, ok := v.Type.(*types.Record)
	if !ok {
		return false
	}
	for i, f := range v.Fields {
		r, ok := f.(*model.AggRef)
		if !ok || s.Cells[r.Index].Field != "" || !types.Equal(record.Fields[i].Type, a.Aggregators[r.Index].Type) {
			for j := range s.Cells {
				s.Cells[j].Field = ""
			}
			return false
		}
		s.Cells[r.Index].Field = record.Fields[i].Name
	}
	return true
}

// sumType is what an average adds up: integers and decimals exactly, floats as they are.
func sumType(arg model.Expr) types.Type {
	if types.IsDecimal(arg.Base().Type) {
		return arg.Base().Type
	}
	if types.IsInteger(types.NonNull(arg.Base().Type)) {
		return types.Int64
	}
	return types.Float64
}

// lastName is the field that an aggregator's argument ends in, or nothing.
func lastName(e model.Expr) string {
	switch e := e.(type) {
	case *model.Field:
		return e.Name
	case *model.Unwrap:
		return lastName(e.X)
	case *model.Convert:
		return lastName(e.X)
	}
	return ""
}
