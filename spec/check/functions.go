package check

import (
	"fmt"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// byHand types the functions whose types no list of parameters can say. The others are typed by their row in package library.
var byHand map[string]func(x *exprs, e *syntax.Call, want types.Type) model.Expr

func init() { // they call call
	byHand = map[string]func(x *exprs, e *syntax.Call, want types.Type) model.Expr{
		"abs":      (*exprs).abs,
		"ceil":     (*exprs).rounding,
		"clamp":    (*exprs).clamp,
		"coalesce": (*exprs).coalesce,
		"contains": (*exprs).contains,
		"div":      func(x *exprs, e *syntax.Call, _ types.Type) model.Expr { return x.div(e) },
		"floor":    (*exprs).rounding,
		"format":   (*exprs).format,
		"length":   (*exprs).length,
		"max":      (*exprs).minMax,
		"merge":    func(x *exprs, e *syntax.Call, _ types.Type) model.Expr { return x.merge(e) },
		"min":      (*exprs).minMax,
		"reverse":  (*exprs).reverse,
		"round":    (*exprs).rounding,
		"sign":     (*exprs).sign,
		"trunc":    (*exprs).rounding,
		"try":      (*exprs).try,
		"without":  func(x *exprs, e *syntax.Call, _ types.Type) model.Expr { return x.without(e) },

		"all_of":      (*exprs).quantifier,
		"any_of":      (*exprs).quantifier,
		"avg_of":      (*exprs).averageOf,
		"distinct_of": (*exprs).distinctOf,
		"first_of":    (*exprs).endOf,
		"last_of":     (*exprs).endOf,
		"max_of":      (*exprs).extremeOf,
		"min_of":      (*exprs).extremeOf,
		"slice":       (*exprs).slice,
		"sort_by":     (*exprs).sortBy,
		"sort_of":     (*exprs).sortOf,
		"sum_of":      (*exprs).sumOf,
	}
}

// call is f(args): a function, an aggregator, a conversion or the making of a record.
func (x *exprs) call(e *syntax.Call, want types.Type) model.Expr {
	name := e.Name.Name
	if f := x.c.functions[name]; f != nil {
		return x.userCall(e, f)
	}
	if isAggregator(name, len(e.Args)) {
		return x.aggregator(e)
	}
	if t := x.c.named[name]; t != nil {
		t.used = true
		if t.record != nil {
			return x.construct(e, t.record)
		}
		return x.conversion(e, t.enum)
	}
	if b, ok := types.BasicByName(name); ok && isConversion(b) {
		return x.conversion(e, b)
	}
	if name == "decimal" {
		return x.decimal(e)
	}
	f := library.Lookup(name)
	switch {
	case f == nil:
		x.noFunction(e)
		return invalid(e.Pos())
	case !x.countArgs(e, f):
		return invalid(e.Pos())
	case f.Typing != "":
		return byHand[name](x, e, want)
	}
	return x.plainCall(e, f)
}

// noFunction reports a call of what is no function.
func (x *exprs) noFunction(e *syntax.Call) {
	name := e.Name.Name
	if name == "windowed" {
		x.c.diags.Errorf("SG1315", e.Name.Range, "windowed makes a key, and stands alone where one is made").
			WithHint("select_key { key = windowed(value.user, window) }")
		return
	}
	if x.c.strangers[name] {
		return
	}
	of := x
	if x.s.agg != nil { // an aggregator, probably
		of = &exprs{c: x.c, s: x.s.agg.record, facts: x.s.agg.facts}
	}
	for _, a := range e.Args {
		of.check(a, nil)
	}
	var names []string
	for _, f := range library.Functions() {
		names = append(names, f.Name)
	}
	names = append(names, "string", "bytes", "int32", "int64", "float32", "float64", "decimal", "timestamp", "uuid")
	names = append(names, x.c.typeNames...)
	names = append(names, x.c.functionNames...)
	if x.s.agg != nil {
		names = append(names, aggregatorNames()...)
	}
	d := x.c.diags.Errorf("SG1209", e.Name.Range, "there is no function %q", name)
	switch near := diag.Nearest(name, names); {
	case name == "now":
		d.WithDetail("A result depends on its record alone, so that a replay gives it again.").WithHint("`timestamp` is the time of the record")
	case elsewhereFunctions[name] != "":
		d.WithHint("here it is written %s", elsewhereFunctions[name])
	case near != "" && library.Lookup(near) != nil:
		d.WithHint("did you mean %s?", library.Lookup(near).Signature())
	case near != "":
		d.WithHint("did you mean %s?", near)
	default:
		d.WithHint("`streamgen functions` lists them")
	}
}

func (x *exprs) countArgs(e *syntax.Call, f *library.Function) bool {
	n, most := len(e.Args), len(f.Params)
	if f.Typing != "" {
		most = f.Most
	}
	open := most == 0 && f.Typing != ""
	if n >= f.Least && (open || n <= most) {
		return true
	}
	for _, a := range e.Args {
		x.check(a, nil)
	}
	number := itoa(f.Least)
	switch {
	case open:
		number = "at least " + number
	case most > f.Least:
		number += " or " + itoa(most)
	}
	x.c.diags.Errorf("SG1308", e.Pos(), "%s takes %s %s, is given %d", f.Name, number, plural("argument", max(f.Least, most)), n).
		WithHint("%s", f.Signature())
	return false
}

// plainCall is a call of a function with fixed types.
func (x *exprs) plainCall(e *syntax.Call, f *library.Function) model.Expr {
	args := make([]model.Expr, len(e.Args))
	for i, a := range e.Args {
		p := &f.Params[i]
		what := fmt.Sprintf("argument %d of %s", i+1, f.Name)
		switch {
		case p.Constant != library.NotConstant:
			args[i] = x.fixedArg(a, p, what)
		case p.Text:
			args[i] = x.dataArg(a, what)
		default:
			args[i] = x.must(a, p.Type, what)
		}
	}
	for _, a := range args {
		if types.IsInvalid(a.Base().Type) {
			return invalid(e.Pos())
		}
	}
	if !x.argsFit(e, f, args) {
		return invalid(e.Pos())
	}
	n := &model.Call{ExprBase: base(f.Result, e.Pos(), args...), Func: f.Name, Args: args}
	if f.Fails != "" {
		n.Fallible = true
		x.fails(e.Pos(), f.Fails)
	}
	return n
}

// dataArg is bytes, or a string as its bytes.
func (x *exprs) dataArg(e syntax.Expr, what string) model.Expr {
	v := x.check(e, nil)
	if v.Base().Type != types.String {
		return x.assign(v, types.Bytes, what)
	}
	if k, ok := v.(*model.Const); ok {
		s, _ := k.Value.(string)
		return constant(types.Bytes, []byte(s), e.Pos())
	}
	return &model.Convert{ExprBase: base(types.Bytes, e.Pos(), v), X: v}
}
