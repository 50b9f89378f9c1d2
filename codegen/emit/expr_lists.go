package emit

import (
	"maps"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Lists and maps that expressions make lie in buffers, fields of the struct whose memory is used again: each expression has its own.
// One that is evaluated once for a record fills its buffer from the beginning. One within a loop appends: its values are parts of the
// buffer, which is emptied before the outermost loop.

// loops is the outermost loop that is being written.
type loops struct {
	empty []jen.Code // what runs before it: buffers of the lists within
}

// made is the list or map that e makes.
func (w *writer) made(e model.Expr, hint string) code {
	t := e.Base().Type
	buffer := w.Buffer(t, append(w.namesOf(e, hint), "list")...)
	empty := buffer.Clone().Op("=").Add(buffer.Clone()).Index(jen.Empty(), jen.Lit(0))
	_, isMap := t.(*types.Map)
	if w.loops == nil {
		w.add(empty)
		w.fill(buffer, e)
		if isMap {
			w.add(buffer.Clone().Op("=").Add(rt("dict", "Sort")).Call(buffer.Clone()))
		}
		return variable(buffer)
	}
	w.loops.empty = append(w.loops.empty, empty)
	begin := jen.Id(w.Names.New("begin"))
	w.add(begin.Clone().Op(":=").Len(buffer.Clone()))
	w.fill(buffer, e)
	v := jen.Id(w.Names.New(append(w.namesOf(e, hint), "list")...))
	part := buffer.Clone().Index(begin.Clone(), jen.Empty())
	if isMap {
		part = rt("dict", "Sort").Call(part)
	}
	w.add(v.Clone().Op(":=").Add(part))
	return variable(v)
}

// fill appends the elements of e to a buffer.
func (w *writer) fill(buffer *jen.Statement, e model.Expr) {
	args := []jen.Code{buffer.Clone()}
	set := func(call *jen.Statement) { w.add(buffer.Clone().Op("=").Add(call)) }
	switch e := e.(type) {
	case *model.List:
		for _, it := range e.Items {
			args = append(args, w.value(it, "").Statement)
		}
		set(jen.Append(args...))
	case *model.Dict:
		for i, k := range e.Keys {
			args = append(args, w.entry(e.Type.(*types.Map), w.value(k, "").Statement, e.Values[i]))
		}
		set(jen.Append(args...))
	case *model.For:
		w.loop(buffer, e)
	default:
		switch l, r, text := parts(e); {
		case r == nil:
			set(jen.Append(buffer.Clone(), w.value(e, "").in(precPrimary).Op("...")))
		case text:
			set(rt("text", "Split").Call(buffer.Clone(), w.value(l, "").Statement, w.value(r, "").Statement))
		default:
			w.fill(buffer, l)
			w.fill(buffer, r)
		}
	}
}

// parts are the operands of list + list, or with text the arguments of split; nil of anything else.
func parts(e model.Expr) (l, r model.Expr, text bool) {
	switch e := e.(type) {
	case *model.Binary:
		return e.L, e.R, false
	case *model.Call:
		if e.Func == "split" {
			return e.Args[0], e.Args[1], true
		}
	}
	return nil, nil, false
}

// entry is an entry of a map.
func (w *writer) entry(t *types.Map, key *jen.Statement, value model.Expr) *jen.Statement {
	return rt("dict", "Entry").Index(w.Records.goType(t.Elem)).Values(
		jen.Id("Key").Op(":").Add(key), jen.Id("Value").Op(":").Add(w.value(value, "").Statement))
}

// loop is a for expression that appends to a buffer.
func (w *writer) loop(buffer *jen.Statement, e *model.For) {
	over := w.local(e.X, "")
	inner := &writer{loops: w.loops}
	if inner.loops == nil {
		inner.loops = &loops{}
	}
	scope := *w.Scope
	scope.locals = map[string]Place{}
	maps.Copy(scope.locals, w.locals)
	inner.Scope = &scope
	head, vars := inner.walk(e, over)
	body := func(w *writer) {
		var element *jen.Statement
		if t, ok := e.Type.(*types.Map); ok {
			key := w.value(e.Key, "").Statement
			element = w.entry(t, key, e.Value)
		} else {
			element = w.value(e.Value, "").Statement
		}
		w.add(buffer.Clone().Op("=").Append(buffer.Clone(), element))
	}
	if e.If == nil {
		body(inner)
	} else {
		cond := inner.condition(e.If, false, "")
		inner.add(jen.If(cond.Statement).Block(inner.nested(body)...))
	}
	if w.loops == nil {
		w.add(inner.loops.empty...)
	}
	w.add(jen.For(head).Block(inner.body...))
	w.Names.release(vars...)
}

// walk makes the variables of a for expression, and the head of its loop. Records are looked at where they lie.
func (w *writer) walk(e *model.For, over *jen.Statement) (head jen.Code, vars []*jen.Statement) {
	reads := map[string]bool{}
	for _, p := range model.Parts(e)[1:] {
		model.Walk(p, func(x model.Expr) {
			if v, ok := x.(*model.Var); ok && v.Root == model.RootLocal {
				reads[v.Name] = true
			}
		})
	}
	_, isMap := e.X.Base().Type.(*types.Map)
	index, item := jen.Id("_"), (*jen.Statement)(nil)
	byIndex := func() *jen.Statement {
		index = jen.Id(w.Names.New("i"))
		return over.Clone().Index(index.Clone())
	}
	switch {
	case isMap:
		if reads[e.Item] || reads[e.Place] {
			entry := byIndex()
			w.locals[e.Item], w.locals[e.Place] = Place{It: entry.Clone().Dot("Value")}, Place{It: entry.Clone().Dot("Key")}
		}
	case !reads[e.Item]:
	case IsRecord(elemType(e.X)):
		w.locals[e.Item] = Place{It: byIndex()}
	default:
		item = jen.Id(w.Names.New(names.Lower(e.Item)))
		w.locals[e.Item] = Place{It: item}
	}
	if !isMap && reads[e.Place] {
		if index.GoString() == "_" {
			index = jen.Id(w.Names.New(names.Lower(e.Place), "i"))
		}
		w.locals[e.Place] = Place{It: jen.Int64().Call(index.Clone())}
	}
	switch {
	case item != nil:
		return jen.List(index, item).Op(":=").Range().Add(over.Clone()), []*jen.Statement{index, item}
	case index.GoString() == "_":
		return jen.Range().Add(over.Clone()), nil
	}
	return index.Clone().Op(":=").Range().Add(over.Clone()), []*jen.Statement{index}
}

// elemType is the type of the elements of a list or a map.
func elemType(e model.Expr) types.Type {
	switch t := e.Base().Type.(type) {
	case *types.List:
		return t.Elem
	case *types.Map:
		return t.Elem
	}
	panic("emit: neither a list nor a map")
}

// element is the call that looks up X[Key].
func (w *writer) element(e *model.Index) *jen.Statement {
	pkg := "list"
	if _, ok := e.X.Base().Type.(*types.Map); ok {
		pkg = "dict"
	}
	return rt(pkg, "At").Call(w.value(e.X, "").Statement, w.value(e.Key, "").Statement)
}
