package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// Function is a function of the library, as `streamgen functions` shows it. All are pure.
type Function struct {
	Name      string
	Signature string
	Doc       string
	Fails     string // when evaluating it fails; "" of a total one
	Example   string

	params []types.Type // nil: typed by hand, see call
	least  int          // how many arguments it needs; the rest of params may be left out
	result types.Type
}

// Functions is the library in alphabetical order.
func Functions() []Function { return slices.Clone(functions) }

var (
	str  = types.String
	i64  = types.Int64
	f64  = types.Float64
	flag = types.Bool
)

var functions = []Function{
	{Name: "abs", Signature: "abs(n) number", Doc: "The distance from zero, of n's type. That of the least integer overflows.", Example: "abs(value.delta)", least: 1},
	{Name: "ceil", Signature: "ceil(f float64) int64", Doc: "The least whole number that is not less than f. NaN and what int64 cannot hold overflow.", Example: "ceil(1.2) == 2", params: []types.Type{f64}, least: 1, result: i64},
	{Name: "coalesce", Signature: "coalesce(x optional(T), y T or optional(T)) T", Doc: "x, or y where x is null.", Example: `coalesce(value.note, "")`, least: 2},
	{Name: "contains", Signature: "contains(s, part string) bool", Doc: "Whether part stands in s.", Example: `contains(value.text, "error")`, params: []types.Type{str, str}, least: 2, result: flag},
	{Name: "div", Signature: "div(a, b decimal, scale) decimal(38, scale)", Doc: "a divided by b with scale digits behind the point, halves rounded away from zero. Whole numbers may stand for decimals.", Fails: "b is zero", Example: "div(10, 4, 2) == 2.5", least: 3},
	{Name: "ends_with", Signature: "ends_with(s, suffix string) bool", Doc: "Whether s ends with suffix.", Example: `ends_with(key, "-eu")`, params: []types.Type{str, str}, least: 2, result: flag},
	{Name: "floor", Signature: "floor(f float64) int64", Doc: "The greatest whole number that is not greater than f. NaN and what int64 cannot hold overflow.", Example: "floor(1.8) == 1", params: []types.Type{f64}, least: 1, result: i64},
	{Name: "index_of", Signature: "index_of(s, part string) int64", Doc: "Where part begins in s, in code points from 0; -1 if it is not there.", Example: `index_of("abc", "b") == 1`, params: []types.Type{str, str}, least: 2, result: i64},
	{Name: "length", Signature: "length(x string, list(T) or map(string, V)) int64", Doc: "How many code points, elements or keys x has.", Example: `length("héllo") == 5`, least: 1},
	{Name: "lower", Signature: "lower(s string) string", Doc: "s in lower case, by Unicode.", Example: `lower("ABC") == "abc"`, params: []types.Type{str}, least: 1, result: str},
	{Name: "max", Signature: "max(a, b, …) number, timestamp or duration", Doc: "The greatest of two or more. With one argument it is an aggregator.", Example: "max(value.amount, 0)", least: 2},
	{Name: "merge", Signature: "merge(r record, { … }) record", Doc: "r with fields replaced or added. If fields are only replaced, by values of their own types, the type stays.", Example: "merge(value, { amount = 0 })", least: 2},
	{Name: "min", Signature: "min(a, b, …) number, timestamp or duration", Doc: "The least of two or more. With one argument it is an aggregator.", Example: "min(value.amount, 100)", least: 2},
	{Name: "replace", Signature: "replace(s, old, new string) string", Doc: "s with each old replaced by new.", Example: `replace(value.text, ",", ".")`, params: []types.Type{str, str, str}, least: 3, result: str},
	{Name: "round", Signature: "round(f float64) int64", Doc: "The nearest whole number, halves away from zero. NaN and what int64 cannot hold overflow.", Example: "round(2.5) == 3", params: []types.Type{f64}, least: 1, result: i64},
	{Name: "split", Signature: "split(s, separator string) list(string)", Doc: "The parts of s between the separators; s alone if there is none, its code points if separator is empty.", Example: `split("a,b", ",") == ["a", "b"]`, params: []types.Type{str, str}, least: 2, result: &types.List{Elem: str}},
	{Name: "starts_with", Signature: "starts_with(s, prefix string) bool", Doc: "Whether s begins with prefix.", Example: `starts_with(key, "eu-")`, params: []types.Type{str, str}, least: 2, result: flag},
	{Name: "substr", Signature: "substr(s string, start int64[, n int64]) string", Doc: "n code points of s from start, or all to the end. What lies outside of s is left out.", Example: `substr("abc", 1, 1) == "b"`, params: []types.Type{str, i64, i64}, least: 2, result: str},
	{Name: "trim", Signature: "trim(s string) string", Doc: "s without white space at both ends, by Unicode.", Example: `trim(" a ") == "a"`, params: []types.Type{str}, least: 1, result: str},
	{Name: "trunc", Signature: "trunc(f float64) int64", Doc: "f without its fraction. NaN and what int64 cannot hold overflow.", Example: "trunc(-1.8) == -1", params: []types.Type{f64}, least: 1, result: i64},
	{Name: "try", Signature: "try(x T, fallback T) T", Doc: "x, or fallback where evaluating x fails.", Example: "try(int64(value.text), 0)", least: 2},
	{Name: "upper", Signature: "upper(s string) string", Doc: "s in upper case, by Unicode.", Example: `upper("abc") == "ABC"`, params: []types.Type{str}, least: 1, result: str},
	{Name: "without", Signature: `without(r record, "field", …) record`, Doc: "r without these fields.", Example: `without(value, "password")`, least: 2},
}

// laterFunctions are functions of the language that this version does not have.
var laterFunctions = []string{"matches", "format", "now", "unix_ms", "unix_s", "sum_of", "windowed"}

func functionNamed(name string) *Function {
	for i := range functions {
		if functions[i].Name == name {
			return &functions[i]
		}
	}
	return nil
}

// call is f(args): a function, an aggregator, a conversion or the making of a record.
func (x *exprs) call(e *syntax.Call, want types.Type) model.Expr {
	name := e.Name.Name
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
	f := functionNamed(name)
	if f == nil {
		x.noFunction(e)
		return invalid(e.Pos())
	}
	if !x.countArgs(e, f) {
		return invalid(e.Pos())
	}
	if f.params != nil {
		return x.plainCall(e, f)
	}
	switch name {
	case "abs":
		return x.abs(e, want)
	case "min", "max":
		return x.minMax(e, want)
	case "coalesce":
		return x.coalesce(e, want)
	case "try":
		return x.try(e, want)
	case "merge":
		return x.merge(e)
	case "div":
		return x.div(e)
	case "length":
		return x.length(e)
	default:
		return x.without(e)
	}
}

// noFunction reports a call of what is no function.
func (x *exprs) noFunction(e *syntax.Call) {
	name := e.Name.Name
	for _, a := range e.Args {
		x.check(a, nil)
	}
	if x.c.labels["function"][name] != nil {
		return // reported as a block that is not available yet
	}
	if slices.Contains(laterFunctions, name) {
		x.c.notYet(e.Name.Range, "the function "+name)
		return
	}
	var names []string
	for _, f := range functions {
		names = append(names, f.Name)
	}
	names = append(names, "string", "bytes", "int32", "int64", "float32", "float64", "decimal", "timestamp", "uuid")
	names = append(names, x.c.typeNames...)
	if x.s.agg != nil {
		names = append(names, aggregators...)
	}
	d := x.c.diags.Errorf("SG1209", e.Name.Range, "there is no function %q", name)
	switch near := diag.Nearest(name, names); {
	case near != "" && functionNamed(near) != nil:
		d.WithHint("did you mean %s?", functionNamed(near).Signature)
	case near != "":
		d.WithHint("did you mean %s?", near)
	default:
		d.WithHint("`streamgen functions` lists them")
	}
}

func (x *exprs) countArgs(e *syntax.Call, f *Function) bool {
	n, most := len(e.Args), len(f.params)
	switch f.Name {
	case "abs", "length":
		most = 1
	case "div":
		most = 3
	case "coalesce", "try", "merge":
		most = 2
	case "min", "max", "without":
		most = n
	}
	if n >= f.least && n <= most {
		return true
	}
	for _, a := range e.Args {
		x.check(a, nil)
	}
	number := itoa(f.least)
	switch {
	case f.Name == "min" || f.Name == "max" || f.Name == "without":
		number = "at least " + number
	case most > f.least:
		number += " or " + itoa(most)
	}
	x.c.diags.Errorf("SG1308", e.Pos(), "%s takes %s %s, is given %d", f.Name, number, plural("argument", max(f.least, most)), n).
		WithHint("%s", f.Signature)
	return false
}

// plainCall is a call of a function with fixed types.
func (x *exprs) plainCall(e *syntax.Call, f *Function) model.Expr {
	var args []model.Expr
	for i, a := range e.Args {
		args = append(args, x.must(a, f.params[i], fmt.Sprintf("argument %d of %s", i+1, f.Name)))
	}
	return x.ifValid(&model.Call{ExprBase: base(f.result, e.Pos(), args...), Func: f.Name, Args: args}, args...)
}

func (x *exprs) abs(e *syntax.Call, want types.Type) model.Expr {
	v := x.check(e.Args[0], want)
	t := v.Base().Type
	switch {
	case types.IsInvalid(t):
		return v
	case types.IsOptional(t) || t == types.Null:
		x.mayBeNull(v, e.Args[0], types.NonNull(t))
		return invalid(e.Pos())
	case !types.IsNumber(t):
		x.c.diags.Errorf("SG1301", v.Base().Pos, "abs takes a number, is given %s", t)
		return invalid(e.Pos())
	}
	return &model.Call{ExprBase: base(t, e.Pos(), v), Func: "abs", Args: []model.Expr{v}}
}

// length is that of a string, a list or a map.
func (x *exprs) length(e *syntax.Call) model.Expr {
	v := x.check(e.Args[0], nil)
	t := v.Base().Type
	switch {
	case types.IsInvalid(t):
		return v
	case types.IsOptional(t) || t == types.Null:
		x.mayBeNull(v, e.Args[0], types.NonNull(t))
		return invalid(e.Pos())
	case t != types.String && elemOf(t) == nil || t == types.EmptyList:
		x.c.diags.Errorf("SG1301", v.Base().Pos, "length takes a string, a list or a map, is given %s", t)
		return invalid(e.Pos())
	}
	return &model.Call{ExprBase: base(types.Int64, e.Pos(), v), Func: "length", Args: []model.Expr{v}}
}

// minMax is min and max of several numbers or times of one type.
func (x *exprs) minMax(e *syntax.Call, want types.Type) model.Expr {
	args := make([]model.Expr, len(e.Args))
	var t types.Type = types.Invalid
	bad := false
	one := func(i int, want types.Type) {
		a := e.Args[i]
		args[i] = x.check(a, want)
		at := args[i].Base().Type
		switch {
		case types.IsInvalid(at):
			bad = true
		case types.IsOptional(at) || at == types.Null:
			x.mayBeNull(args[i], a, types.NonNull(at))
			bad = true
		case !types.IsNumber(at) && at != types.Timestamp && at != types.Duration:
			x.c.diags.Errorf("SG1301", a.Pos(), "%s takes numbers, timestamps or durations, is given %s", e.Name.Name, at)
			bad = true
		case types.IsInvalid(t):
			t = at
		default:
			wide, ok := types.Widen(t, at)
			if !ok {
				x.c.diags.Errorf("SG1303", a.Pos(), "%s takes values of one type, here are %s and %s", e.Name.Name, t, at)
				bad = true
				return
			}
			t = wide
		}
	}
	for i, a := range e.Args {
		if !x.c.flexible(a) {
			one(i, want)
		}
	}
	for i, a := range e.Args {
		if x.c.flexible(a) {
			if !types.IsInvalid(t) {
				want = t
			}
			one(i, want)
		}
	}
	if bad {
		return invalid(e.Pos())
	}
	for i := range args {
		args[i] = x.coerce(args[i], t)
	}
	return &model.Call{ExprBase: base(t, e.Pos(), args...), Func: e.Name.Name, Args: args}
}

// coalesce is x, or y where x is null.
func (x *exprs) coalesce(e *syntax.Call, want types.Type) model.Expr {
	v := x.check(e.Args[0], nil)
	t := v.Base().Type
	if types.IsInvalid(t) {
		x.check(e.Args[1], want)
		return v
	}
	if !types.IsOptional(t) {
		if t == types.Null {
			x.mayBeNull(v, e.Args[0], t)
			return invalid(e.Pos())
		}
		x.c.diags.Warnf("SG1904", e.Pos(), "%s is never null: coalesce changes nothing", x.c.text(e.Args[0].Pos())).
			WithHint("%s", x.c.text(e.Args[0].Pos()))
	}
	elem := types.NonNull(t)
	y := x.check(e.Args[1], elem)
	yt := y.Base().Type
	if types.IsInvalid(yt) {
		return y
	}
	result := elem
	if types.IsOptional(yt) || yt == types.Null {
		result = types.OptionalOf(elem)
	}
	y = x.assign(y, result, "argument 2 of coalesce")
	if types.IsInvalid(y.Base().Type) {
		return y
	}
	if !types.IsOptional(t) {
		return x.coerce(v, result)
	}
	return &model.Call{ExprBase: base(result, e.Pos(), v, y), Func: "coalesce", Args: []model.Expr{v, y}}
}

// try is x, or fallback where x fails. What is fallible in x is handled by that.
func (x *exprs) try(e *syntax.Call, want types.Type) model.Expr {
	before := len(x.causes)
	v := x.check(e.Args[0], want)
	x.causes = slices.Clip(x.causes[:before])
	context := v.Base().Type
	if types.IsInvalid(context) || context == types.Null {
		context = want
	}
	f := x.check(e.Args[1], context)
	if types.IsInvalid(v.Base().Type) || types.IsInvalid(f.Base().Type) {
		return invalid(e.Pos())
	}
	t, ok := types.Unify(v.Base().Type, f.Base().Type)
	if !ok {
		x.c.diags.Errorf("SG1303", e.Pos(), "try gives %s, or else %s", v.Base().Type, f.Base().Type).WithHint("both must be of one type")
		return invalid(e.Pos())
	}
	v, f = x.coerce(v, t), x.coerce(f, t)
	n := &model.Try{ExprBase: base(t, e.Pos(), f), X: v, Fallback: f}
	return n
}

// aggregators are those of this version, laterAggregators the others.
var (
	aggregators      = []string{"count", "sum", "min", "max", "first", "last", "avg"}
	laterAggregators = []string{"argmin", "argmax", "collect_list", "collect_set", "top_n", "distinct", "approx_distinct", "variance", "quantile", "any", "all"}
)

// isAggregator tells whether a call is one of an aggregator: min and max are functions with several arguments.
func isAggregator(name string, args int) bool {
	if name == "min" || name == "max" {
		return args == 1
	}
	return slices.Contains(aggregators, name) || slices.Contains(laterAggregators, name)
}

func aggregatorList() string { return strings.Join(aggregators, " ") }
