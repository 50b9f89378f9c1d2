package check

import (
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// elemOf is the type of the elements of a list or a map, or nil.
func elemOf(t types.Type) types.Type {
	switch t := types.NonNull(t).(type) {
	case *types.List:
		return t.Elem
	case *types.Map:
		return t.Elem
	}
	return nil
}

// list is [a, b]. Its elements take the type of the context, else that of each other.
func (x *exprs) list(e *syntax.List, want types.Type) model.Expr {
	var elem types.Type
	if l, ok := types.NonNull(want).(*types.List); ok {
		elem = l.Elem
	}
	if len(e.Items) == 0 {
		t := types.EmptyList
		if elem != nil {
			t = &types.List{Elem: elem}
		}
		return constant(t, nil, e.Pos())
	}
	items, t := x.oneType(e.Items, elem, "the elements of a list")
	if t == nil {
		return invalid(e.Pos())
	}
	return &model.List{ExprBase: base(&types.List{Elem: t}, e.Pos(), items...), Items: items}
}

// oneType types expressions that must have one type: that of the context if they all fit it, else their own. It is nil if they have
// none.
func (x *exprs) oneType(list []syntax.Expr, context types.Type, what string) ([]model.Expr, types.Type) {
	items := make([]model.Expr, len(list))
	bad := false
	one := func(i int, want types.Type) {
		items[i] = x.check(list[i], want)
		bad = bad || types.IsInvalid(items[i].Base().Type)
	}
	want := context
	for i, it := range list {
		if !x.c.flexible(it) {
			if one(i, want); want == nil && items[i].Base().Type != types.Null {
				want = items[i].Base().Type
			}
		}
	}
	for i, it := range list {
		if x.c.flexible(it) {
			if one(i, want); want == nil && items[i].Base().Type != types.Null {
				want = items[i].Base().Type
			}
		}
	}
	if bad {
		return nil, nil
	}
	t, fits := context, context != nil
	for _, it := range items {
		fits = fits && types.Assignable(context, it.Base().Type)
	}
	if !fits {
		t = types.Invalid
		for _, it := range items {
			u, ok := types.Unify(t, it.Base().Type)
			if !ok {
				x.c.diags.Errorf("SG1303", it.Base().Pos, "%s have one type, here are %s and %s", what, t, it.Base().Type)
				return nil, nil
			}
			t = u
		}
	}
	for i := range items {
		items[i] = x.coerce(items[i], t)
	}
	return items, t
}

// dict is { "a" = x, (e) = y } where a map is wanted, or where a key is computed.
func (x *exprs) dict(e *syntax.Object, want types.Type) model.Expr {
	var elem types.Type
	if m, ok := types.NonNull(want).(*types.Map); ok {
		elem = m.Elem
	}
	n := &model.Dict{}
	var values []syntax.Expr
	bad := false
	for _, it := range e.Items {
		k := model.Expr(constant(types.String, it.Name.Name, it.Name.Range))
		if it.Key != nil {
			k = x.must(it.Key, types.String, "a key")
			bad = bad || types.IsInvalid(k.Base().Type)
		}
		n.Keys = append(n.Keys, k)
		values = append(values, it.Value)
	}
	if len(values) == 0 {
		return constant(&types.Map{Elem: elem}, nil, e.Pos())
	}
	var t types.Type
	n.Values, t = x.oneType(values, elem, "the values of a map")
	switch {
	case bad || t == nil:
		return invalid(e.Pos())
	case t == types.Null:
		x.nullElement(e.Pos())
		return invalid(e.Pos())
	}
	n.ExprBase = base(&types.Map{Elem: t}, e.Pos(), append(n.Keys[:len(n.Keys):len(n.Keys)], n.Values...)...)
	return n
}

func (x *exprs) nullElement(at diag.Range) {
	x.c.diags.Errorf("SG1312", at, "nothing says what type this null has").WithHint("stand it beside a value of the type, or in a field that is declared")
}

// wantsDict tells whether an object is a map: it is wanted, or a key is computed.
func wantsDict(e *syntax.Object, want types.Type) bool {
	if _, ok := types.NonNull(want).(*types.Map); ok {
		return true
	}
	for _, it := range e.Items {
		if it.Key != nil {
			return true
		}
	}
	return false
}

// element is v[key].
func (x *exprs) element(e *syntax.Index, v model.Expr, elem, key types.Type, why string) model.Expr {
	k := x.must(e.Key, key, "the index")
	switch {
	case types.IsOptional(v.Base().Type):
		src := x.c.text(e.X.Pos())
		if !x.facts.has(doubt) {
			x.c.diags.Errorf("SG1302", e.X.Pos(), "%s may be null", src).WithHint("test `%s != null` first", src)
		}
		return invalid(e.Pos())
	case types.IsInvalid(k.Base().Type) || types.IsInvalid(elem) || elem == types.Null:
		return invalid(e.Pos())
	}
	n := &model.Index{ExprBase: base(elem, e.Pos(), v, k), X: v, Key: k}
	n.Fallible = true
	x.fails(e.Pos(), why)
	return n
}

// collection types what a for or a splat walks over: its elements and their places, or nil.
func (x *exprs) collection(e syntax.Expr) (v model.Expr, elem, place types.Type) {
	v = x.check(e, nil)
	t := v.Base().Type
	switch {
	case types.IsInvalid(t):
		return v, nil, nil
	case types.IsOptional(t) || t == types.Null:
		if _, ok := types.NonNull(t).(*types.List); ok {
			x.mayBeNull(v, e, types.NonNull(t))
			return v, nil, nil
		}
	}
	switch c := t.(type) {
	case *types.List:
		if c.Elem == types.Null {
			x.c.diags.Errorf("SG1312", e.Pos(), "nothing says what type the elements of [] have")
			return v, nil, nil
		}
		return v, c.Elem, types.Int64
	case *types.Map:
		return v, c.Elem, types.String
	}
	x.c.diags.Errorf("SG1311", e.Pos(), "%s is no list and no map: there is nothing to walk over", t)
	return v, nil, nil
}

// loop is a for expression.
func (x *exprs) loop(e *syntax.For, want types.Type) model.Expr {
	v, elem, place := x.collection(e.In)
	if elem == nil {
		return invalid(e.Pos())
	}
	n := &model.For{X: v, Place: e.KeyVar.Name, Item: e.ValueVar.Name}
	outer := x.s
	for _, name := range []struct {
		id syntax.Ident
		t  types.Type
	}{{e.KeyVar, place}, {e.ValueVar, elem}} {
		if name.id.Name == "" {
			continue
		}
		if _, taken := x.s.lookup(name.id.Name); taken || name.id.Name == "var" || name.id.Name == "local" {
			x.c.diags.Errorf("SG1205", name.id.Range, "%q already names something here", name.id.Name).WithHint("choose another name")
			x.s = outer
			return invalid(e.Pos())
		}
		x.s = x.s.with(name.id.Name, model.RootLocal, name.t)
	}
	var proven []string
	if e.If != nil {
		n.If = x.must(e.If, types.Bool, "the condition")
		proven = proves(e.If, true)
	}
	context := elemOf(want)
	x.in(proven, func() {
		if e.Key != nil {
			n.Key = x.must(e.Key, types.String, "a key")
		}
		n.Value = x.check(e.Value, context)
	})
	x.s = outer
	if context != nil && types.Assignable(context, n.Value.Base().Type) {
		n.Value = x.coerce(n.Value, context)
	}
	t := n.Value.Base().Type
	for _, p := range model.Parts(n) {
		if types.IsInvalid(p.Base().Type) {
			return invalid(e.Pos())
		}
	}
	if t == types.Null {
		x.nullElement(e.Value.Pos())
		return invalid(e.Pos())
	}
	if n.Key != nil {
		n.ExprBase = base(&types.Map{Elem: t}, e.Pos(), model.Parts(n)...)
	} else {
		n.ExprBase = base(&types.List{Elem: t}, e.Pos(), model.Parts(n)...)
	}
	return n
}

// splat is x[*].f: the list of what stands behind the star, for each element.
func (x *exprs) splat(e *syntax.Splat) model.Expr {
	v, elem, place := x.collection(e.X)
	switch {
	case elem == nil:
		return invalid(e.Pos())
	case place != types.Int64:
		x.c.diags.Errorf("SG1311", e.Pos(), "[*] is for lists").WithHint("`[for v in %s : v]`", x.c.text(e.X.Pos()))
		return invalid(e.Pos())
	}
	outer := x.item
	name := "item"
	if outer != nil {
		name = outer.Name + "_" + name
	}
	for _, taken := x.s.lookup(name); taken; _, taken = x.s.lookup(name) {
		name += "_"
	}
	x.item = &model.Var{ExprBase: base(elem, e.X.Pos()), Root: model.RootLocal, Name: name}
	each := x.check(e.Each, nil)
	x.item = outer
	t := each.Base().Type
	if types.IsInvalid(t) {
		return invalid(e.Pos())
	}
	return &model.For{ExprBase: base(&types.List{Elem: t}, e.Pos(), v, each), X: v, Item: name, Value: each}
}
