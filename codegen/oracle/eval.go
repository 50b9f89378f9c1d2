package oracle

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/runtime/arith"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// scope is what the names of an expression stand for.
type scope struct {
	record  record
	agg     any
	results []any // of aggregators
	joined  map[string]any
	locals  map[string]any
}

// eval is the value of an expression. It panics with a failure.
func (o *Oracle) eval(e model.Expr, env scope) any {
	switch e := e.(type) {
	case *model.Const:
		return constant(e)
	case *model.Var:
		return o.name(e, env)
	case *model.AggRef:
		return env.results[e.Index]
	case *model.Field:
		return o.eval(e.X, env).(map[string]any)[e.Name]
	case *model.Header:
		for _, h := range slices.Backward(env.record.headers) {
			if h.Key != e.Key {
				continue
			}
			if h.Value == nil {
				return nil
			}
			return h.Value
		}
		return nil
	case *model.List:
		return o.all(e.Items, env)
	case *model.Dict:
		keys, values := o.all(e.Keys, env), o.all(e.Values, env)
		dict := map[string]any{}
		for i, k := range keys {
			dict[k.(string)] = values[i]
		}
		return dict
	case *model.Index:
		return index(o.eval(e.X, env), o.eval(e.Key, env))
	case *model.For:
		return o.each(e, env)
	case *model.Unary:
		x := o.eval(e.X, env)
		switch x := x.(type) {
		case bool:
			return !x
		case float64:
			return -x
		}
		return arithmetic("-", e.Type, int64(0), x)
	case *model.Binary:
		return o.binary(e, env)
	case *model.Cond:
		if o.eval(e.If, env).(bool) {
			return o.eval(e.Then, env)
		}
		return o.eval(e.Else, env)
	case *model.IsNull:
		return (o.eval(e.X, env) == nil) != e.Not
	case *model.WindowPart:
		return windowPart(e, o.eval(e.X, env).(inWindow))
	case *model.InWindow:
		k := o.eval(e.X, env).(inWindow)
		k.key = o.eval(e.Key, env)
		return k
	case *model.Unwrap:
		return o.eval(e.X, env)
	case *model.Wrap:
		return o.eval(e.X, env)
	case *model.Convert:
		return convertTo(e.Type, e.X.Base().Type, o.eval(e.X, env))
	case *model.Call:
		if e.Func == "coalesce" {
			if x := o.eval(e.Args[0], env); x != nil {
				return x
			}
			return o.eval(e.Args[1], env)
		}
		return call(e, o.all(e.Args, env))
	case *model.Try:
		var x any
		if attempt(func() { x = o.eval(e.X, env) }) != nil {
			x = o.eval(e.Fallback, env)
		}
		return x
	case *model.Concat:
		var b strings.Builder
		for _, p := range e.Parts {
			b.WriteString(o.eval(p, env).(string))
		}
		return b.String()
	case *model.New:
		made := map[string]any{}
		for i, f := range e.Type.(*types.Record).Fields {
			made[f.Name] = o.eval(e.Fields[i], env)
		}
		return made
	case *model.Merge:
		made := maps.Clone(o.eval(e.X, env).(map[string]any))
		for _, s := range e.Set {
			made[s.Name] = o.eval(s.Value, env)
		}
		t := e.Type.(*types.Record)
		maps.DeleteFunc(made, func(name string, _ any) bool { _, ok := t.Lookup(name); return !ok })
		return made
	}
	missing("an expression: %s", model.DumpExpr(e))
	return nil
}

func constant(e *model.Const) any {
	switch t := types.NonNull(e.Type).(type) {
	case *types.Enum:
		if i, ok := e.Value.(int64); ok {
			return t.Values[i]
		}
	case *types.List:
		if e.Value == nil && !types.IsOptional(e.Type) {
			return []any{}
		}
	case *types.Map:
		if e.Value == nil && !types.IsOptional(e.Type) {
			return map[string]any{}
		}
	}
	if n, ok := e.Value.(int64); ok && types.IsFloat(e.Type) {
		return float64(n)
	}
	return e.Value
}

func (o *Oracle) name(e *model.Var, env scope) any {
	switch e.Root {
	case model.RootKey:
		return env.record.key
	case model.RootValue:
		return env.record.value
	case model.RootTimestamp:
		return env.record.ts
	case model.RootPrevious:
		return env.record.previous
	case model.RootAgg:
		return env.agg
	case model.RootJoin:
		return env.joined[e.Name]
	case model.RootLocal:
		return env.locals[e.Name]
	case model.RootVariable:
		for _, v := range o.program.Variables {
			if v.Label == e.Name && v.Default != nil {
				return o.eval(v.Default, env)
			}
		}
	}
	missing("the name %s", model.DumpExpr(e))
	return nil
}

func (o *Oracle) all(list []model.Expr, env scope) []any {
	values := make([]any, len(list))
	for i, e := range list {
		values[i] = o.eval(e, env)
	}
	return values
}

func index(x, key any) any {
	switch x := x.(type) {
	case []any:
		if i := key.(int64); i >= 0 && i < int64(len(x)) {
			return x[i]
		}
	case map[string]any:
		if v, ok := x[key.(string)]; ok {
			return v
		}
	}
	fail("there is no element %v", key)
	return nil
}

// each runs a for expression. A map is gone through by its keys in ascending order.
func (o *Oracle) each(e *model.For, env scope) any {
	list, dict := []any{}, map[string]any{}
	one := func(place, item any) {
		inner := env
		inner.locals = maps.Clone(env.locals)
		if inner.locals == nil {
			inner.locals = map[string]any{}
		}
		inner.locals[e.Place], inner.locals[e.Item] = place, item
		switch {
		case e.If != nil && !o.eval(e.If, inner).(bool):
		case e.Key != nil:
			dict[o.eval(e.Key, inner).(string)] = o.eval(e.Value, inner)
		default:
			list = append(list, o.eval(e.Value, inner))
		}
	}
	switch x := o.eval(e.X, env).(type) {
	case []any:
		for i, v := range x {
			one(int64(i), v)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			one(k, x[k])
		}
	}
	if e.Key != nil {
		return dict
	}
	return list
}

func (o *Oracle) binary(e *model.Binary, env scope) any {
	l := o.eval(e.L, env)
	if e.Op == "&&" || e.Op == "||" {
		if l.(bool) == (e.Op == "||") {
			return l
		}
		return o.eval(e.R, env)
	}
	r := o.eval(e.R, env)
	switch e.Op {
	case "==":
		return equal(l, r)
	case "!=":
		return !equal(l, r)
	case "<":
		return less(l, r)
	case ">":
		return less(r, l)
	case "<=":
		return less(l, r) || equal(l, r)
	case ">=":
		return less(r, l) || equal(l, r)
	}
	switch x := l.(type) {
	case string:
		return x + r.(string)
	case []any:
		return slices.Concat(x, r.([]any))
	case float64:
		return floats(e.Op, x, r.(float64))
	}
	return arithmetic(e.Op, e.Type, l, r)
}

func floats(op string, a, b float64) float64 {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	}
	return math.Mod(a, b)
}

// arithmetic is that of whole numbers, which is exact or fails.
func arithmetic(op string, t types.Type, l, r any) any {
	a, b := l.(int64), r.(int64)
	f := map[string]func(int64, int64) (int64, error){
		"+": arith.Add[int64], "-": arith.Sub[int64], "*": arith.Mul[int64], "/": arith.Div[int64], "%": arith.Rem[int64],
	}[op]
	n, err := f(a, b)
	if err != nil {
		panic(failure{err})
	}
	if t == types.Int32 && int64(int32(n)) != n {
		fail("%d does not fit int32", n)
	}
	return n
}

func less(a, b any) bool {
	switch a := a.(type) {
	case int64:
		return a < b.(int64)
	case float64:
		return a < b.(float64)
	}
	return a.(string) < b.(string)
}

// equal compares as == does: floats as numbers, but as bits within records, lists and maps.
func equal(a, b any) bool {
	if isFloat(a) && isFloat(b) {
		return a.(float64) == b.(float64)
	}
	return same(a, b)
}

// same says whether two values of a type are one.
func same(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case []byte:
		b, ok := b.([]byte)
		return ok && slices.Equal(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, same)
	case float64:
		b, ok := b.(float64)
		return ok && math.Float64bits(a) == math.Float64bits(b)
	}
	return a == b
}

func isFloat(v any) bool { _, ok := v.(float64); return ok }

func toFloat(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v.(float64)
}
