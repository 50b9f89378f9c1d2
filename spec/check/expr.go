package check

import (
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// scope is what an expression may name.
type scope struct {
	names    []binding
	again    bool         // it may be evaluated again for the same row
	constant bool         // no record is at hand: variables, locals and functions only
	agg      *aggregation // aggregators may be called; their arguments have the scope agg.record
	origin   string       // address of the block, which anonymous records get
	emits    bool         // the outermost record is one that is sent: it has key, value, timestamp and headers
}

// binding is a name and what it stands for.
type binding struct {
	name string
	root model.Root
	typ  types.Type
}

// recordScope is the scope of an expression over one record.
func recordScope(s model.Schema, origin string) *scope {
	return &scope{origin: origin, names: []binding{
		{"key", model.RootKey, s.Key},
		{"value", model.RootValue, s.Value},
		{"timestamp", model.RootTimestamp, types.Timestamp},
		{"headers", model.RootHeaders, nil},
		{"topic", model.RootTopic, types.String},
		{"partition", model.RootPartition, types.Int32},
		{"offset", model.RootOffset, types.Int64},
	}}
}

// with is the scope and one name more.
func (s *scope) with(name string, root model.Root, t types.Type) *scope {
	w := *s
	w.names = append(slices.Clone(s.names), binding{name, root, t})
	return &w
}

func (s *scope) lookup(name string) (binding, bool) {
	for _, b := range s.names {
		if b.name == name {
			return b, true
		}
	}
	return binding{}, false
}

func (s *scope) nameList() []string {
	var names []string
	for _, b := range s.names {
		names = append(names, b.name)
	}
	return names
}

// cause is a part of an expression that can fail.
type cause struct {
	at  diag.Range
	why string
}

// exprs types one expression.
type exprs struct {
	c      *checker
	s      *scope
	facts  facts
	causes []cause    // what can fail and is not caught by try
	item   *model.Var // of the splat at hand: the element
	text   bool       // a text is wanted

	unknown []string // names that were reported
}

// check types e. want is the type of the context: literals and null take it. Nobody may rely on the result having it: that is
// what assign is for.
func (x *exprs) check(e syntax.Expr, want types.Type) model.Expr {
	switch e := e.(type) {
	case *syntax.Number:
		return x.number(e.Text, e.Pos(), want)
	case *syntax.Text:
		return x.literal(e, want)
	case *syntax.Template:
		return x.template(e)
	case *syntax.Bool:
		return constant(types.Bool, e.Value, e.Pos())
	case *syntax.Null:
		if types.IsOptional(want) {
			return constant(want, nil, e.Pos())
		}
		return constant(types.Null, nil, e.Pos())
	case *syntax.Name:
		return x.name(e)
	case *syntax.Select:
		return x.selection(e, want)
	case *syntax.Index:
		return x.index(e)
	case *syntax.Call:
		return x.call(e, want)
	case *syntax.Unary:
		return x.unary(e, want)
	case *syntax.Binary:
		return x.binary(e, want)
	case *syntax.Conditional:
		return x.conditional(e, want)
	case *syntax.Paren:
		return x.check(e.X, want)
	case *syntax.Object:
		return x.object(e, want)
	case *syntax.List:
		return x.list(e, want)
	case *syntax.For:
		return x.loop(e, want)
	case *syntax.Splat:
		return x.splat(e)
	case *syntax.SplatItem:
		if x.item != nil {
			return x.item
		}
	case nil:
		return invalid(diag.Range{})
	}
	return invalid(e.Pos())
}

// base is what the node of a syntax expression has. It can fail if a part of it can.
func base(t types.Type, at diag.Range, parts ...model.Expr) model.ExprBase {
	b := model.ExprBase{Type: t, Pos: at}
	for _, p := range parts {
		b.Fallible = b.Fallible || p.Base().Fallible
	}
	return b
}

func constant(t types.Type, v any, at diag.Range) *model.Const {
	return &model.Const{ExprBase: base(t, at), Value: v}
}

// fails marks a node that can fail by itself.
func (x *exprs) fails(at diag.Range, why string) { x.causes = append(x.causes, cause{at, why}) }

// in types with more facts.
func (x *exprs) in(more []string, f func()) {
	before := x.facts
	x.facts = before.with(more...)
	f()
	x.facts = before
}

func (x *exprs) name(e *syntax.Name) model.Expr {
	if b, ok := x.s.lookup(e.Name); ok {
		if b.root == model.RootHeaders {
			x.c.diags.Errorf("SG1204", e.Pos(), "headers are read by their name").WithHint(`headers["trace-id"]`)
			return invalid(e.Pos())
		}
		v := &model.Var{ExprBase: base(b.typ, e.Pos()), Root: b.root}
		if b.root == model.RootJoin || b.root == model.RootLocal {
			v.Name = b.name
		}
		return inner(x.narrowed(v, e.Name))
	}
	if e.Name == "window" && !x.s.constant {
		if x.windowedKey(e) != nil {
			x.c.diags.Errorf("SG1204", e.Pos(), "a window is no value").WithHint("window.start and window.end are; a key gets it by windowed(key, window)")
		}
		return invalid(e.Pos())
	}
	x.unknownName(e)
	return invalid(e.Pos())
}

// narrowed is v without its optional, if it is known not to be null here.
func (x *exprs) narrowed(v model.Expr, path string) model.Expr {
	t := v.Base().Type
	if !types.IsOptional(t) || !x.facts.has(path) {
		return v
	}
	return &model.Unwrap{ExprBase: base(types.NonNull(t), v.Base().Pos, v), X: v}
}

func (x *exprs) unknownName(e *syntax.Name) {
	if x.s.agg != nil {
		if _, ok := x.s.agg.record.lookup(e.Name); ok {
			x.c.diags.Errorf("SG1307", e.Pos(), "%q is one record's, and here a row is made of many", e.Name).
				WithHint("an aggregator says which: last(%s), max(%s), …", e.Name, e.Name)
			return
		}
	}
	if slices.Contains(x.unknown, e.Name) {
		return
	}
	x.unknown = append(x.unknown, e.Name)
	d := x.c.diags.Errorf("SG1204", e.Pos(), "unknown name %q", e.Name)
	known := x.s.nameList()
	if i := strings.IndexByte(e.Name, '-'); i > 0 {
		d.WithHint("in HCL a dash belongs to a name: write `%s`", strings.ReplaceAll(e.Name, "-", " - "))
		return
	}
	switch {
	case e.Name == "previous":
		d.WithHint("a stream that reads a table has it, until the key or the value is replaced")
	case x.c.named[e.Name] != nil && x.c.named[e.Name].enum != nil:
		x.c.named[e.Name].used = true
		d.WithHint("%s is an enum: a value of it is written as a text, or made by %s(text)", e.Name, e.Name)
	case x.c.named[e.Name] != nil:
		x.c.named[e.Name].used = true
		d.WithHint("%s is a type: %s({ … }) makes one", e.Name, e.Name)
	case slices.Contains(refKinds, e.Name):
		d.WithHint("a block is no value: join with it, or read it with \"from\"")
	case e.Name == "var" || e.Name == "local":
		d.WithHint("%s.name", e.Name)
	case x.c.locals[e.Name] != nil:
		d.WithHint("did you mean local.%s?", e.Name)
	case x.c.vars[e.Name] != nil:
		d.WithHint("did you mean var.%s?", e.Name)
	case library.Lookup(e.Name) != nil:
		d.WithHint("%s is a function: %s", e.Name, library.Lookup(e.Name).Signature())
	default:
		if word := elsewhereNames[e.Name]; word == "null" || word == "true" || word == "false" {
			d.WithHint("did you mean `%s`?", word)
		} else if near := diag.Nearest(e.Name, append(known, "var", "local")); near != "" {
			d.WithHint("did you mean %q?", near)
		} else if f := x.fieldOfValue(e.Name); f != "" {
			d.WithHint("did you mean %s?", f)
		} else if _, ok := x.s.lookup(elsewhereNames[e.Name]); ok {
			d.WithHint("did you mean `%s`? a record is key, value, timestamp and headers", elsewhereNames[e.Name])
		} else if x.s.constant && x.text {
			d.WithHint("a text stands in quotes: `%q`", e.Name)
		} else if x.s.constant {
			d.WithHint("only variables, locals and functions can stand here")
		} else {
			d.WithHint("names here: %s, var.x, local.x", strings.Join(known, ", "))
		}
	}
}

// fieldOfValue is value.name, if value has that field.
func (x *exprs) fieldOfValue(name string) string {
	for _, b := range x.s.names {
		if r, ok := types.NonNull(b.typ).(*types.Record); ok {
			if _, ok := r.Lookup(name); ok {
				return b.name + "." + name
			}
		}
	}
	return ""
}

// selection is x.name: a field, a variable or a local.
func (x *exprs) selection(e *syntax.Select, want types.Type) model.Expr {
	if root, ok := e.X.(*syntax.Name); ok {
		if _, shadowed := x.s.lookup(root.Name); !shadowed {
			switch root.Name {
			case "var":
				return x.variable(e)
			case "local":
				return x.local(e, want)
			case "window":
				if !x.s.constant {
					return x.windowName(e)
				}
			}
			if slices.Contains(refKinds, root.Name) {
				x.c.diags.Errorf("SG1204", e.Pos(), "%s is a block and no value", x.c.text(e.Pos())).
					WithHint("join with it, or read it with \"from\"")
				return invalid(e.Pos())
			}
		}
	}
	v := x.check(e.X, nil)
	t := v.Base().Type
	if types.IsInvalid(t) {
		return invalid(e.Pos())
	}
	if types.IsOptional(t) {
		src := x.c.text(e.X.Pos())
		if x.facts.has(doubt) {
			return invalid(e.Pos())
		}
		x.c.diags.Errorf("SG1302", e.X.Pos(), "%s may be null", src).
			WithHint("`%s == null ? null : %s`, or test `%s != null` first", src, x.c.text(e.Pos()), src)
		return invalid(e.Pos())
	}
	r, ok := t.(*types.Record)
	if !ok {
		d := x.c.diags.Errorf("SG1202", e.Name.Range, "%s has no fields: there is no %q in it", t, e.Name.Name)
		if library.Lookup(e.Name.Name) != nil {
			d.WithHint("`%s(%s)`", e.Name.Name, x.c.text(e.X.Pos()))
		}
		return invalid(e.Pos())
	}
	f, ok := r.Lookup(e.Name.Name)
	if !ok {
		x.noField(r, e.Name)
		return invalid(e.Pos())
	}
	field := &model.Field{ExprBase: base(f.Type, e.Pos(), v), X: v, Name: f.Name}
	if p := pathText(e); p != "" {
		return x.narrowed(field, p)
	}
	return field
}

// noField reports a field that a record does not have.
func (x *exprs) noField(r *types.Record, id syntax.Ident) {
	if t := x.c.named[r.Name]; t != nil && t.broken {
		return // its struct was reported, and nothing is known of it
	}
	d := x.c.diags.Errorf("SG1202", id.Range, "%s has no field %q", r, id.Name)
	if before, _, ok := strings.Cut(id.Name, "-"); ok {
		if _, ok := r.Lookup(before); ok {
			d.WithHint("in HCL a dash belongs to a name: write `%s`", strings.Replace(id.Name, "-", " - ", 1))
			return
		}
	}
	if near := diag.Nearest(id.Name, r.FieldNames()); near != "" {
		d.WithHint("did you mean %q? fields: %s", near, r.FieldList())
	} else {
		d.WithHint("fields: %s", r.FieldList())
	}
	if r.Name != "" {
		d.WithRelated(r.Pos, "%s is declared here", r.Name)
	}
}

func (x *exprs) variable(e *syntax.Select) model.Expr {
	v := x.c.vars[e.Name.Name]
	if v == nil && (x.c.collided["variable."+e.Name.Name] || x.c.strangers[e.Name.Name]) {
		return invalid(e.Pos())
	}
	if v == nil {
		m := x.c.unknown("SG1201", e.Name, "variable", e.Name.Name, "there is no variable %q", x.c.varNames)
		if m.Hint == "" {
			m.WithHint("declare it: `variable %q { … }` with its type, and a default", e.Name.Name)
		}
		return invalid(e.Pos())
	}
	v.used = true
	if k, ok := v.value.(*model.Const); ok {
		return constant(k.Type, k.Value, e.Pos())
	}
	if v.value != nil && isComposite(v.model.Type) {
		return v.value
	}
	return &model.Var{ExprBase: base(v.model.Type, e.Pos()), Root: model.RootVariable, Name: v.model.Label}
}

func (x *exprs) local(e *syntax.Select, want types.Type) model.Expr {
	l := x.c.locals[e.Name.Name]
	if l == nil {
		m := x.c.unknown("SG1201", e.Name, "local", e.Name.Name, "there is no local %q", x.c.localName)
		if m.Hint == "" {
			m.WithHint("declare it: `locals { %s = … }`", e.Name.Name)
		}
		return invalid(e.Pos())
	}
	l.used = true
	if !x.c.localSize(e.Name.Name, nil) || l.broken {
		return invalid(e.Pos())
	}
	in := &exprs{c: x.c, s: &scope{constant: true, origin: x.s.origin}}
	v := in.check(l.attr.Value, want)
	for _, f := range in.causes {
		x.fails(e.Pos(), f.why)
	}
	return v
}

// index is x[key]: of headers, a list or a map.
func (x *exprs) index(e *syntax.Index) model.Expr {
	if n, ok := e.X.(*syntax.Name); ok && n.Name == "headers" {
		if _, ok := x.s.lookup("headers"); ok {
			k, ok := x.c.constant(e.Key, types.String, "the name of a header")
			if !ok {
				return invalid(e.Pos())
			}
			name, _ := k.Value.(string)
			return x.narrowed(&model.Header{ExprBase: base(types.OptionalOf(types.Bytes), e.Pos()), Key: name}, "headers."+name)
		}
	}
	v := x.check(e.X, nil)
	t := types.NonNull(v.Base().Type)
	if types.IsInvalid(t) {
		return invalid(e.Pos())
	}
	switch c := t.(type) {
	case *types.List:
		return x.element(e, v, c.Elem, types.Int64, "there may be no such element")
	case *types.Map:
		return x.element(e, v, c.Elem, types.String, "there may be no such key")
	}
	d := x.c.diags.Errorf("SG1311", e.Pos(), "%s has no elements to index", t)
	if k, ok := e.Key.(*syntax.Text); ok {
		if _, ok := t.(*types.Record); ok {
			d.WithHint("a field is read with a dot: %s.%s", x.c.text(e.X.Pos()), k.Value)
		}
	}
	return invalid(e.Pos())
}
