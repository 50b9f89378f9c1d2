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

// entry is one name = value of an object.
type entry struct {
	name  syntax.Ident
	value syntax.Expr
}

// entries is the items of an object. Computed keys are reported: the fields of a record are known to the compiler.
func (x *exprs) entries(e *syntax.Object) []entry {
	var all []entry
	seen := map[string]bool{}
	for _, it := range e.Items {
		if it.Key != nil {
			x.c.diags.Errorf("SG1311", it.Key.Pos(), "the names of fields are fixed").WithHint("only in a map a key may be computed")
			continue
		}
		if seen[it.Name.Name] { // the parser reported it
			continue
		}
		if it.Name.Name == types.Unknown {
			x.c.diags.Errorf("SG1311", it.Name.Range, "%q stands for the fields that a record came with and its type does not have: they cannot be set", it.Name.Name)
			continue
		}
		seen[it.Name.Name] = true
		all = append(all, entry{it.Name, it.Value})
	}
	return all
}

// object is { a = 1 }: an anonymous record. want gives its fields their context.
func (x *exprs) object(e *syntax.Object, want types.Type) model.Expr {
	if wantsDict(e, want) {
		return x.dict(e, want)
	}
	context, _ := types.NonNull(want).(*types.Record)
	entries := x.entries(e)
	if len(entries) == 0 {
		if len(e.Items) == 0 {
			x.c.diags.Errorf("SG1312", e.Pos(), "a record without fields says nothing").WithHint("name at least one: { id = value.id }")
		}
		return invalid(e.Pos())
	}
	if x.s.emits {
		context = sent(entries)
		outer, inner := x.s, *x.s
		inner.emits = false
		x.s = &inner
		defer func() { x.s = outer }()
	}
	n := &model.New{}
	var fields []types.Field
	bad := false
	for _, it := range entries {
		v := x.fieldValue(it, fieldType(context, it.name.Name))
		bad = bad || types.IsInvalid(v.Base().Type)
		n.Fields = append(n.Fields, v)
		fields = append(fields, types.Field{Name: it.name.Name, Type: v.Base().Type, Pos: it.name.Range})
	}
	if bad {
		return invalid(e.Pos())
	}
	n.ExprBase = base(x.c.anonymous(fields, x.s.origin, e.Pos()), e.Pos(), n.Fields...)
	return n
}

// sent gives the parts of a record that is sent the types that they always have.
func sent(entries []entry) *types.Record {
	r := &types.Record{Fields: []types.Field{{Name: "timestamp", Type: types.Timestamp}}}
	for _, it := range entries {
		o, ok := it.value.(*syntax.Object)
		if !ok || it.name.Name != "headers" {
			continue
		}
		headers := &types.Record{}
		for _, h := range o.Items {
			headers.Fields = append(headers.Fields, types.Field{Name: h.Name.Name, Type: types.OptionalOf(types.Bytes)})
		}
		r.Fields = append(r.Fields, types.Field{Name: "headers", Type: headers})
	}
	return r
}

func fieldType(r *types.Record, name string) types.Type {
	if r == nil {
		return nil
	}
	f, ok := r.Lookup(name)
	if !ok {
		return nil
	}
	return f.Type
}

// fieldValue is the value of a field whose type follows from it.
func (x *exprs) fieldValue(it entry, want types.Type) model.Expr {
	v := x.check(it.value, want)
	switch v.Base().Type {
	case types.Null:
		x.c.diags.Errorf("SG1312", it.value.Pos(), "nothing says what type this null has").
			WithHint("give the record a type, declared with %s = optional(…)", it.name.Name)
		return invalid(it.value.Pos())
	case types.EmptyList:
		x.c.diags.Errorf("SG1312", it.value.Pos(), "nothing says what type the elements of [] have").
			WithHint("give the record a type, declared with %s = list(…)", it.name.Name)
		return invalid(it.value.Pos())
	}
	return v
}

// construct is Order({ … }), or Order(r) of a record that fits.
func (x *exprs) construct(e *syntax.Call, to *types.Record) model.Expr {
	if len(e.Args) != 1 {
		x.c.diags.Errorf("SG1308", e.Pos(), "%s takes its fields in braces", to.Name).WithHint("%s({ %s = … })", to.Name, firstField(to))
		return invalid(e.Pos())
	}
	o, ok := e.Args[0].(*syntax.Object)
	if !ok {
		v := x.must(e.Args[0], to, to.Name)
		return v
	}
	entries := x.entries(o)
	given := map[string]model.Expr{}
	var strangers []string
	bad := len(entries) < len(o.Items)
	for _, it := range entries {
		f, known := to.Lookup(it.name.Name)
		if !known {
			x.check(it.value, nil)
			strangers = append(strangers, it.name.Name)
			continue
		}
		v := x.must(it.value, f.Type, fmt.Sprintf("field %q", f.Name))
		bad = bad || types.IsInvalid(v.Base().Type)
		given[f.Name] = v
	}
	var missing []string
	n := &model.New{}
	for _, f := range to.Fields {
		v := given[f.Name]
		if v == nil {
			if !types.IsOptional(f.Type) && !types.IsInvalid(f.Type) {
				missing = append(missing, f.Name)
			}
			v = constant(f.Type, nil, e.Pos())
		}
		n.Fields = append(n.Fields, v)
	}
	if len(strangers)+len(missing) > 0 {
		x.fieldsDiffer(e, to, missing, strangers)
		return invalid(e.Pos())
	}
	if bad {
		return invalid(e.Pos())
	}
	n.ExprBase = base(to, e.Pos(), n.Fields...)
	return n
}

func firstField(r *types.Record) string {
	if len(r.Fields) == 0 {
		return "…"
	}
	return r.Fields[0].Name
}

// fieldsDiffer reports the fields that a constructor lacks and those that it does not know, in one message.
func (x *exprs) fieldsDiffer(e *syntax.Call, to *types.Record, missing, strangers []string) {
	var parts []string
	if len(missing) > 0 {
		parts = append(parts, fmt.Sprintf("%s needs %s", to.Name, quoted(missing)))
	}
	if len(strangers) > 0 {
		verb := "is none"
		if len(strangers) > 1 {
			verb = "are none"
		}
		owner := "its"
		if len(missing) == 0 {
			owner = to.Name + "'s"
		}
		parts = append(parts, fmt.Sprintf("%s %s of %s fields", quoted(strangers), verb, owner))
	}
	d := x.c.diags.Errorf("SG1306", e.Pos(), "%s", strings.Join(parts, "; "))
	if len(strangers) == 1 {
		if near := diag.Nearest(strangers[0], to.FieldNames()); near != "" {
			d.WithHint("did you mean %q? fields: %s", near, to.FieldList())
			return
		}
	}
	d.WithHint("fields: %s", to.FieldList()).WithRelated(to.Pos, "%s is declared here", to.Name)
}

func quoted(names []string) string {
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(q, ", ")
}

// recordArg is the first argument of merge and without.
func (x *exprs) recordArg(e *syntax.Call) (model.Expr, *types.Record) {
	v := x.check(e.Args[0], nil)
	t := v.Base().Type
	if types.IsInvalid(t) {
		return v, nil
	}
	if types.IsOptional(t) || t == types.Null {
		x.mayBeNull(v, e.Args[0], types.NonNull(t))
		return v, nil
	}
	r, ok := t.(*types.Record)
	if !ok {
		x.c.diags.Errorf("SG1301", v.Base().Pos, "%s takes a record, is given %s", e.Name.Name, t)
		return v, nil
	}
	return v, r
}

// merge is merge(r, { … }): the fields of r, replaced or added. If fields are only replaced, by values of their own types, the
// type stays.
func (x *exprs) merge(e *syntax.Call) model.Expr {
	v, r := x.recordArg(e)
	o, ok := e.Args[1].(*syntax.Object)
	if !ok {
		x.c.diags.Errorf("SG1308", e.Args[1].Pos(), "the fields to merge stand in braces").WithHint("merge(%s, { … })", x.c.text(e.Args[0].Pos()))
		return invalid(e.Pos())
	}
	m := &model.Merge{X: v}
	bad, same := r == nil, true
	entries := x.entries(o)
	bad = bad || len(entries) < len(o.Items)
	set := map[string]types.Type{}
	for _, it := range entries {
		own := fieldType(r, it.name.Name)
		val := x.fieldValue(it, own)
		bad = bad || types.IsInvalid(val.Base().Type)
		same = same && own != nil && types.Equal(own, val.Base().Type)
		set[it.name.Name] = val.Base().Type
		m.Set = append(m.Set, model.FieldSet{Name: it.name.Name, Value: val})
	}
	if bad {
		return invalid(e.Pos())
	}
	t := r
	if !same {
		var fields []types.Field
		for _, f := range r.Fields {
			if n, replaced := set[f.Name]; replaced {
				f.Type = n
			}
			fields = append(fields, f)
		}
		for _, it := range entries {
			if _, own := r.Lookup(it.name.Name); !own {
				fields = append(fields, types.Field{Name: it.name.Name, Type: set[it.name.Name], Pos: it.name.Range})
			}
		}
		if r.KeepsUnknown() { // it stays the last one
			at := len(r.Fields) - 1
			fields = append(slices.Delete(fields, at, at+1), r.Fields[at])
		}
		t = x.c.anonymous(fields, x.s.origin, e.Pos())
	}
	parts := []model.Expr{v}
	for _, s := range m.Set {
		parts = append(parts, s.Value)
	}
	m.ExprBase = base(t, e.Pos(), parts...)
	return m
}

// without is without(r, "f", …): r with fewer fields.
func (x *exprs) without(e *syntax.Call) model.Expr {
	v, r := x.recordArg(e)
	if r == nil {
		return invalid(e.Pos())
	}
	gone := map[string]bool{}
	bad := false
	for _, a := range e.Args[1:] {
		s, ok := a.(*syntax.Text)
		if !ok {
			x.c.diags.Errorf("SG1111", a.Pos(), "the name of a field is a text").WithHint(`without(%s, "field")`, x.c.text(e.Args[0].Pos()))
			bad = true
			continue
		}
		if _, ok := r.Lookup(s.Value); !ok || s.Value == types.Unknown {
			x.noField(r, syntax.Ident{Name: s.Value, Range: s.Pos()})
			bad = true
		}
		gone[s.Value] = true
	}
	var fields []types.Field
	for _, f := range r.Fields {
		if !gone[f.Name] {
			fields = append(fields, f)
		}
	}
	if !bad && (len(fields) == 0 || fields[0].Name == types.Unknown) {
		x.c.diags.Errorf("SG1312", e.Pos(), "a record without fields says nothing")
		bad = true
	}
	if bad {
		return invalid(e.Pos())
	}
	t := x.c.anonymous(fields, x.s.origin, e.Pos())
	return &model.Merge{ExprBase: base(t, e.Pos(), v), X: v}
}
