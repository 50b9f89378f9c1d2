package check

import (
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// aggregator is what can be called in an aggregate only.
type aggregator struct {
	name        string
	least, most int    // arguments
	usage       string // for hints
	back        bool   // behind the group_by of rows it takes away what a row added
	none        bool   // and it has a result of no rows
}

// aggregators are all there are, in the order in which they are listed.
var aggregators = []*aggregator{
	{name: "count", most: 1, usage: "count(), or count(value.late) of those where it is true", back: true, none: true},
	{name: "sum", least: 1, most: 1, usage: "sum(value.amount)", back: true, none: true},
	{name: "avg", least: 1, most: 1, usage: "avg(value.amount)", back: true},
	{name: "variance", least: 1, most: 1, usage: "variance(value.amount)", back: true},
	{name: "min", least: 1, most: 1, usage: "min(value.amount)", back: true},
	{name: "max", least: 1, most: 1, usage: "max(value.amount)", back: true},
	{name: "first", least: 1, most: 1, usage: "first(value.amount)"},
	{name: "last", least: 1, most: 1, usage: "last(value.amount)"},
	{name: "argmin", least: 2, most: 2, usage: "argmin(value.item, value.amount): the item of the least amount"},
	{name: "argmax", least: 2, most: 2, usage: "argmax(value.item, value.amount): the item of the greatest amount"},
	{name: "any", least: 1, most: 1, usage: "any(value.late)", back: true, none: true},
	{name: "all", least: 1, most: 1, usage: "all(value.late)", back: true, none: true},
	{name: "collect_list", least: 2, most: 2, usage: "collect_list(value.item, 100): the first 100"},
	{name: "collect_set", least: 2, most: 2, usage: "collect_set(value.item, 100): the first 100 that differ"},
	{name: "top_n", least: 2, most: 3, usage: "top_n(value.amount, 10), or top_n(value.item, value.amount, 10): the items of the greatest amounts", back: true, none: true},
	{name: "quantile", least: 2, most: 2, usage: "quantile(value.amount, 0.99)", back: true},
	{name: "distinct", least: 2, most: 2, usage: "distinct(value.item, 1000): how many differ, up to 1000", back: true, none: true},
	{name: "approx_distinct", least: 1, most: 1, usage: "approx_distinct(value.item): about how many differ"},
}

func aggregatorNamed(name string) *aggregator {
	for _, f := range aggregators {
		if f.name == name {
			return f
		}
	}
	return nil
}

func aggregatorNames() (list []string) {
	for _, f := range aggregators {
		list = append(list, f.name)
	}
	return list
}

// takes says how many arguments there are.
func (f *aggregator) takes() string {
	switch {
	case f.most == 1:
		return "one argument"
	case f.least < f.most:
		return "two or three arguments"
	}
	return "two arguments"
}

// isAggregator tells whether a call is one of an aggregator: min and max are functions with several arguments.
func isAggregator(name string, args int) bool {
	if name == "min" || name == "max" {
		return args == 1
	}
	return aggregatorNamed(name) != nil
}

func aggregatorList() string { return strings.Join(aggregatorNames(), " ") }

// takesAway reports an aggregator that cannot give back what a row added to it, or has no result without any row.
func (x *exprs) takesAway(f *aggregator, args int, at diag.Range) bool {
	switch {
	case !f.back || f.name == "top_n" && args == 3:
		var can []string
		for _, g := range aggregators {
			if g.back {
				can = append(can, g.name)
			}
		}
		what := f.name
		if f.back {
			what += " by another value"
		}
		x.c.diags.Errorf("SG1507", at, "%s cannot take away what a row added: rows leave their group", what).
			WithDetail("Behind the group_by of a table these go back: %s. Of them min, max, top_n and distinct keep each different value of a group.", strings.Join(can, ", ")).
			WithHint("fold, whose remove says what is left; or read the table as a stream and aggregate its changes")
		return false
	case !f.none && x.s.agg.keepZero:
		x.c.diags.Errorf("SG1507", at, "%s of no rows is nothing, and keep_zero keeps groups without rows", f.name).
			WithHint("without keep_zero such a group has no row; count, sum and distinct are 0 then, top_n is empty, any is false and all is true")
		return false
	}
	return true
}

// mostKept is the greatest bound of what an aggregator keeps: a row has to fit into a record of its changelog.
const mostKept = 100_000

// aggregated completes an aggregator with arguments. Its type is Invalid if they do not fit, which is reported.
func (x *exprs) aggregated(e *syntax.Call, a *model.Aggregator) {
	a.Type = types.Invalid
	args := e.Args
	switch a.Func {
	case "count":
		if a.Arg = x.must(args[0], types.Bool, "the argument of count"); !types.IsInvalid(a.Arg.Base().Type) {
			a.Type = types.Int64
		}
		return
	case "collect_list", "collect_set", "top_n", "distinct":
		last := len(args) - 1
		bound := x.known(args[last], types.Int64, "the bound of "+a.Func)
		if bound == nil {
			x.check(args[0], nil)
			return
		}
		if a.Most, _ = bound.Value.(int64); a.Most < 1 || a.Most > mostKept {
			x.c.diags.Errorf("SG1309", args[last].Pos(), "%d is not between 1 and %d", a.Most, mostKept).
				WithDetail("What %s keeps lies in the row, which is written whole whenever it changes.", a.Func).WithHint("%s", aggregatorNamed(a.Func).usage)
			return
		}
		args = args[:last]
	case "quantile":
		share := x.known(args[1], types.Float64, "the share of quantile")
		if share == nil {
			x.check(args[0], nil)
			return
		}
		if a.Share, _ = share.Value.(float64); !(a.Share >= 0 && a.Share <= 1) {
			x.c.diags.Errorf("SG1309", args[1].Pos(), "%v is not between 0 and 1", a.Share).
				WithDetail("The share of all values that are not greater.").WithHint("quantile(value.amount, 0.5) is the median")
			return
		}
		args = args[:1]
	}
	a.Arg = x.check(args[0], nil)
	t := a.Arg.Base().Type
	fits := true
	if len(args) == 2 {
		a.By = x.check(args[1], nil)
		by := a.By.Base().Type
		fits = x.present(a.By, args[1]) && x.isKind(a, a.By, types.IsOrdered(by), orderedKinds)
	}
	switch {
	case types.IsInvalid(t) || !fits:
		return
	case t == types.Null || types.IsOptional(t) && a.Func != "first" && a.Func != "last" && a.Func != "argmin" && a.Func != "argmax":
		x.mayBeNull(a.Arg, args[0], types.NonNull(t))
		return
	}
	x.resultOf(a, t)
}

// present reports what may be null.
func (x *exprs) present(v model.Expr, e syntax.Expr) bool {
	switch t := v.Base().Type; {
	case types.IsInvalid(t):
		return false
	case t == types.Null || types.IsOptional(t):
		x.mayBeNull(v, e, types.NonNull(t))
		return false
	}
	return true
}

// isKind reports an argument that is not of a kind.
func (x *exprs) isKind(a *model.Aggregator, v model.Expr, is bool, kinds string) bool {
	if !is {
		x.c.diags.Errorf("SG1301", v.Base().Pos, "%s takes %s, is given %s", a.Func, kinds, v.Base().Type)
	}
	return is
}

// resultOf gives an aggregator its type, and its argument, of type t, that in which it is worked with.
func (x *exprs) resultOf(a *model.Aggregator, t types.Type) {
	decimal, isDecimal := t.(*types.Decimal)
	result := t
	switch a.Func {
	case "min", "max":
		if !x.isKind(a, a.Arg, types.IsOrdered(t), orderedKinds) {
			return
		}
	case "sum", "avg", "variance", "quantile":
		if !x.isKind(a, a.Arg, types.IsNumber(t) || a.Func == "sum" && t == types.Duration, "a number") {
			return
		}
		switch {
		case a.Func == "variance" || a.Func == "quantile":
			a.Arg, result = x.coerce(a.Arg, types.Float64), types.Float64
		case isDecimal: // summed up exactly
			result = &types.Decimal{Precision: types.MaxPrecision, Scale: decimal.Scale}
			if a.Arg = x.coerce(a.Arg, result); a.Func == "avg" {
				result = types.Float64
			}
		case a.Func == "avg":
			result = types.Float64
		case a.Func == "sum" && t == types.Int32:
			a.Arg, result = x.coerce(a.Arg, types.Int64), types.Int64
		}
	case "collect_set":
		if !x.isKind(a, a.Arg, isPlain(t), "values without parts") {
			return
		}
		result = &types.List{Elem: t}
	case "collect_list":
		result = &types.List{Elem: t}
	case "top_n":
		if a.By == nil && !x.isKind(a, a.Arg, types.IsOrdered(t), orderedKinds) {
			return
		}
		result = &types.List{Elem: t}
	case "approx_distinct":
		if !x.isKind(a, a.Arg, isPlain(t) || t == types.Bytes, "values without parts") {
			return
		}
		result = types.Int64
	case "distinct":
		if !x.isKind(a, a.Arg, types.IsOrdered(t), orderedKinds) {
			return
		}
		result = types.Int64
	}
	a.Type = result
}
