package check

import (
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// jsonOptions reads the options of a json format. They are nil if all of them say what holds without them.
func (c *checker) jsonOptions(e syntax.Expr, t types.Type) *model.JSON {
	o, ok := e.(*syntax.Object)
	if !ok {
		c.diags.Errorf("SG1308", e.Pos(), "the options of json stand in braces").WithHint(`json(Order, { times = "unix_ms" })`)
		return nil
	}
	options := &model.JSON{}
	for _, it := range o.Items {
		switch name := it.Name.Name; name {
		case "rename":
			options.Rename = c.renames(it.Value, t)
		case "times":
			if options.Times = c.jsonWord(it, []string{"rfc3339", "unix_ms", "unix_s"}); options.Times == "rfc3339" {
				options.Times = ""
			}
		case "unknown":
			if c.jsonWord(it, []string{"drop", "keep"}) == "keep" {
				options.Keep = c.keepsUnknown(it.Value, t)
			}
		case "registry":
			c.notYet(it.Name.Range, "a schema registry")
		default:
			at := it.Name
			if it.Key != nil {
				at.Range = it.Key.Pos()
			}
			c.unknown("SG1101", at, "option", name, "json has no option %q", []string{"rename", "times", "unknown", "registry"})
		}
	}
	if options.Equal(&model.JSON{}) {
		return nil
	}
	return options
}

// markUnknown finds the formats that keep unknown fields, before anything is typed: their types have a place for these.
func (c *checker) markUnknown() {
	for _, f := range c.tree.Files {
		for _, b := range f.Blocks {
			for _, a := range b.Attrs {
				if a.Name.Name == "key" || a.Name.Name == "value" {
					syntax.Walk(a.Value, c.markFormat)
				}
			}
		}
	}
}

func (c *checker) markFormat(e syntax.Expr) bool {
	call, ok := e.(*syntax.Call)
	if !ok || call.Name.Name != "json" || len(call.Args) != 2 {
		return true
	}
	name, named := call.Args[0].(*syntax.Name)
	options, ok := call.Args[1].(*syntax.Object)
	if !named || !ok || c.named[name.Name] == nil || c.named[name.Name].record == nil {
		return true
	}
	for _, it := range options.Items {
		if s, ok := it.Value.(*syntax.Text); ok && it.Name.Name == "unknown" && s.Value == "keep" {
			types.KeepUnknown(c.named[name.Name].record)
		}
	}
	return true
}

// keepsUnknown tells whether a type has a place for unknown fields, and reports where it has none.
func (c *checker) keepsUnknown(e syntax.Expr, t types.Type) bool {
	if _, literal := e.(*syntax.Text); !literal {
		c.diags.Errorf("SG1111", e.Pos(), "\"unknown\" is written out: it is part of the type").WithHint(`unknown = "keep"`)
		return false
	}
	if adopted := adoptedWithin(t); adopted != nil {
		c.diags.Errorf("SG1708", e.Pos(), "%s is a struct of yours, which has no place for fields that it does not know", adopted.Name).
			WithHint("declare the fields in the spec, or leave the option out").WithRelated(adopted.Pos, "%s is adopted here", adopted.Name)
		return false
	}
	return types.HoldsUnknown(t)
}

// adoptedWithin is a struct of the user's that a type is or holds, or nil.
func adoptedWithin(t types.Type) *types.Record {
	r := innerRecord(t)
	if r == nil || r.Go != nil {
		return r
	}
	for _, f := range r.Fields {
		if a := adoptedWithin(f.Type); a != nil {
			return a
		}
	}
	return nil
}

// jsonWord is the value of an option, one of words.
func (c *checker) jsonWord(it syntax.Item, words []string) string {
	k, ok := c.constant(it.Value, types.String, "the option "+it.Name.Name)
	if !ok {
		return ""
	}
	s, _ := k.Value.(string)
	if !slices.Contains(words, s) {
		c.notOneOf(it.Value.Pos(), it.Name.Name, s, words)
		return ""
	}
	return s
}

// renames reads { order_id = "orderId", "lines.sku" = "article" }.
func (c *checker) renames(e syntax.Expr, t types.Type) []model.Rename {
	o, ok := e.(*syntax.Object)
	if !ok {
		c.diags.Errorf("SG1308", e.Pos(), "\"rename\" is fields and their names on the wire").WithHint(`rename = { order_id = "orderId" }`)
		return nil
	}
	var all []model.Rename
	for _, it := range o.Items {
		if it.Key != nil {
			c.diags.Errorf("SG1111", it.Key.Pos(), "a field that is renamed is written out").WithHint(`rename = { order_id = "orderId", "lines.sku" = "article" }`)
			continue
		}
		k, ok := c.constant(it.Value, types.String, "a name on the wire")
		if !ok || !c.renamed(it.Name, t) {
			continue
		}
		s, _ := k.Value.(string)
		all = append(all, model.Rename{Path: it.Name.Name, Name: s})
	}
	slices.SortFunc(all, func(a, b model.Rename) int { return strings.Compare(a.Path, b.Path) })
	c.wireNames(t, "", all, e.Pos())
	return slices.DeleteFunc(all, func(r model.Rename) bool { return r.Name == r.Path[strings.LastIndexByte(r.Path, '.')+1:] })
}

// renamed tells whether a path leads to a field.
func (c *checker) renamed(path syntax.Ident, t types.Type) bool {
	for _, name := range strings.Split(path.Name, ".") {
		r := innerRecord(t)
		if r == nil {
			if !types.IsInvalid(t) {
				c.diags.Errorf("SG1202", path.Range, "%s has no fields: there is no %q in it", t, name)
			}
			return false
		}
		f, ok := r.Lookup(name)
		if !ok || name == types.Unknown {
			(&exprs{c: c}).noField(r, syntax.Ident{Name: name, Range: path.Range})
			return false
		}
		t = f.Type
	}
	return true
}

// innerRecord is the record that a type is or holds, in lists and maps too, or nil.
func innerRecord(t types.Type) *types.Record {
	t = types.NonNull(t)
	for elemOf(t) != nil {
		t = types.NonNull(elemOf(t))
	}
	r, _ := t.(*types.Record)
	return r
}

// wireNames reports fields of a record that meet on the wire.
func (c *checker) wireNames(t types.Type, prefix string, renames []model.Rename, at diag.Range) {
	r := innerRecord(t)
	if r == nil {
		return
	}
	seen := map[string]string{}
	for _, f := range r.Fields {
		name := f.Name
		inner := false
		for _, n := range renames {
			if n.Path == prefix+f.Name {
				name = n.Name
			}
			inner = inner || strings.HasPrefix(n.Path, prefix+f.Name+".")
		}
		if other, ok := seen[name]; ok {
			c.diags.Errorf("SG1203", at, "two fields of %s have the name %q on the wire: %q and %q", r, name, other, f.Name).WithHint("rename one of them to another name")
		}
		seen[name] = f.Name
		if inner {
			c.wireNames(f.Type, prefix+f.Name+".", renames, at)
		}
	}
}
