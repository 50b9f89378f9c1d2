package check

import (
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// namedType is a declared record or enum.
type namedType struct {
	block  *syntax.Block
	record *types.Record
	enum   *types.Enum
	used   bool
	broken bool  // it adopts a struct that cannot be used, which was reported
	state  state // while looking for records that hold themselves
}

func (t *namedType) typ() types.Type {
	if t.record != nil {
		return t.record
	}
	return t.enum
}

// declareTypes makes all types and enums known, then reads their parts, so that they may refer forward.
func (c *checker) declareTypes() {
	c.named = map[string]*namedType{}
	for _, b := range c.typeBlocks {
		name := b.Labels[0].Name
		t := &namedType{block: b}
		if b.Type.Name == "enum" {
			t.enum = &types.Enum{Name: name, Pos: b.Header}
		} else {
			t.record = &types.Record{Name: name, Pos: b.Header}
		}
		c.named[name] = t
		c.typeNames = append(c.typeNames, name)
	}
	for _, name := range c.typeNames {
		if t := c.named[name]; t.enum != nil {
			c.enumValues(t)
			c.program.Enums = append(c.program.Enums, t.enum)
		}
	}
	for _, name := range c.typeNames {
		if t := c.named[name]; t.record != nil {
			if !c.adopts(t) {
				c.fields(t)
			}
			c.program.Records = append(c.program.Records, t.record)
		}
	}
	c.readGo()
	for _, name := range c.typeNames {
		c.holdsItself(c.named[name], nil)
	}
}

// maxEnum is how many values an enum may have: its Go type is a uint8 whose zero is no value.
const maxEnum = 255

func (c *checker) enumValues(t *namedType) {
	d := c.open(t.block, topLevel("enum"))
	t.enum.Description = d.description()
	a := d.attr("values")
	if a == nil {
		return
	}
	list, ok := a.Value.(*syntax.List)
	if !ok || len(list.Items) == 0 {
		c.diags.Errorf("SG1112", a.Value.Pos(), "\"values\" must be a list of texts").WithHint(`values = ["bronze", "silver"]`)
		return
	}
	for _, it := range list.Items {
		s, ok := it.(*syntax.Text)
		switch {
		case !ok || s.Value == "":
			m := c.diags.Errorf("SG1112", it.Pos(), "a value of an enum is a text that is not empty").WithHint("`\"gold\"`")
			if n, ok := it.(*syntax.Name); ok {
				m.WithHint("`%q`", n.Name)
			}
		case t.enum.Has(s.Value):
			c.diags.Errorf("SG1203", it.Pos(), "%s has the value %q twice", t.enum.Name, s.Value).WithHint("remove one")
		case len(t.enum.Values) == maxEnum:
			c.diags.Errorf("SG1112", it.Pos(), "an enum has at most %d values", maxEnum).WithHint("use a string")
			return
		default:
			t.enum.Values = append(t.enum.Values, s.Value)
		}
	}
}

// fields reads the fields of a record. All attributes of a type are fields, so it has no description of its own, and a field may
// be called go unless a text stands there.
func (c *checker) fields(t *namedType) {
	for _, b := range t.block.Blocks {
		m := c.unknown("SG1101", b.Type, "block", b.Type.Name, title(t.block)+" has no block %q", nil).
			WithHint("a record in a record is a type of its own")
		for _, a := range b.Attrs {
			if a.Name.Name == "type" {
				m.WithHint("a field is name and type: `%s = %s`", b.Type.Name, unquoted(c.text(a.Value.Pos())))
			}
		}
	}
	seen := map[string]syntax.Ident{} // by name in Go
	for _, a := range t.block.Attrs {
		if s, ok := a.Value.(*syntax.Text); ok && a.Name.Name == "description" {
			t.record.Description = plainText(s.Value)
			continue
		}
		goName := goField(a.Name.Name)
		if first, ok := seen[goName]; ok {
			c.diags.Errorf("SG1203", a.Name.Range, "two fields of %s have the Go name %s: %q and %q", t.record.Name,
				goName, first.Name, a.Name.Name).WithHint("rename one").WithRelated(first.Range, "the first one")
			continue
		}
		seen[goName] = a.Name
		typ := c.typeExpr(a.Value, t)
		t.record.Fields = append(t.record.Fields, types.Field{Name: a.Name.Name, Type: typ, Pos: a.Name.Range})
	}
	if len(t.block.Attrs)+len(t.block.Blocks) == 0 {
		c.diags.Errorf("SG1102", t.block.Header, "%s needs at least one field", title(t.block)).WithHint("id = string")
	}
}

func goField(name string) string {
	g := goName(name)
	if initialisms[g] {
		return strings.ToUpper(g)
	}
	if g == "" {
		return g
	}
	return strings.ToUpper(g[:1]) + g[1:]
}

// holdsItself reports records that hold themselves, directly or through others: they would have no end, or in lists no bound. The field is made invalid,
// so that nobody behind runs in circles.
func (c *checker) holdsItself(t *namedType, way []string) {
	if t.record == nil || t.state == done {
		return
	}
	t.state = active
	way = append(way, t.record.Name)
	for i, f := range t.record.Fields {
		held := types.NonNull(f.Type)
		for elemOf(held) != nil {
			held = types.NonNull(elemOf(held))
		}
		inner, ok := held.(*types.Record)
		if !ok || inner.Name == "" {
			continue
		}
		next := c.named[inner.Name]
		if next.state == active {
			c.diags.Errorf("SG1206", f.Pos, "%s", strings.Join(append(way, inner.Name), " holds ")).
				WithHint("hold the key of the other record instead")
			t.record.Fields[i].Type = types.Invalid
			continue
		}
		c.holdsItself(next, way)
	}
	t.state = done
}

// windowedField reports windowed as the type of a field or a variable.
func (c *checker) windowedField(at diag.Range) types.Type {
	c.diags.Errorf("SG1315", at, "windowed is the type of a key, and no part of a value").
		WithHint("timestamps keep the bounds of a window: start = timestamp, filled in by window.start")
	return types.Invalid
}

// typeExpr reads a type. within is the declared type it is a part of, or nil.
func (c *checker) typeExpr(e syntax.Expr, within *namedType) types.Type {
	switch e := e.(type) {
	case *syntax.Name:
		if e.Name == "windowed" {
			return c.windowedField(e.Pos())
		}
		if b, ok := types.BasicByName(e.Name); ok {
			return b
		}
		if e.Name == "list" || e.Name == "map" || e.Name == "decimal" {
			c.diags.Errorf("SG1308", e.Pos(), "%s needs to know of what", e.Name).
				WithHint("%s", map[string]string{"list": "list(string)", "map": "map(string, int64)", "decimal": "decimal(12, 2)"}[e.Name])
			return types.Invalid
		}
		return c.namedType(syntax.Ident{Name: e.Name, Range: e.Pos()}, within)
	case *syntax.Call:
		if e.Name.Name == "windowed" {
			return c.windowedField(e.Pos())
		}
		switch e.Name.Name {
		case "optional":
		case "list":
			return c.listType(e, within)
		case "map":
			return c.mapType(e, within)
		case "decimal":
			return c.decimalType(e.Args, e)
		default:
			c.noType(e.Name)
			return types.Invalid
		}
		if len(e.Args) != 1 {
			c.diags.Errorf("SG1308", e.Pos(), "optional takes one type, is given %d", len(e.Args)).WithHint("optional(string)")
			return types.Invalid
		}
		elem := c.typeExpr(e.Args[0], within)
		if types.IsOptional(elem) {
			c.diags.Errorf("SG1308", e.Pos(), "optional does not nest").WithHint("%s", elem)
		}
		return types.OptionalOf(elem)
	case *syntax.Text:
		d := c.diags.Errorf("SG1201", e.Pos(), "a type is written without quotes")
		if lowerLabel.MatchString(e.Value) || upperLabel.MatchString(e.Value) {
			d.WithHint("%s", e.Value)
		}
	case *syntax.Object:
		c.diags.Errorf("SG1201", e.Pos(), "a record in a record is a type of its own").WithHint("declare a type \"Name\" { … }, and use its name here")
	case *syntax.List:
		d := c.diags.Errorf("SG1201", e.Pos(), "a type is expected here").WithHint("`list(string)`")
		if len(e.Items) == 1 {
			d.WithHint("`list(%s)`", c.text(e.Items[0].Pos()))
		}
	default:
		c.diags.Errorf("SG1201", e.Pos(), "a type is expected here").WithHint("string, int64, optional(string), the name of a type, …")
	}
	return types.Invalid
}

// listType reads list(T).
func (c *checker) listType(e *syntax.Call, within *namedType) types.Type {
	if len(e.Args) != 1 {
		c.diags.Errorf("SG1308", e.Pos(), "list takes one type, is given %d", len(e.Args)).WithHint("list(string)")
		return types.Invalid
	}
	elem := c.typeExpr(e.Args[0], within)
	if types.IsInvalid(elem) {
		return types.Invalid
	}
	return &types.List{Elem: elem}
}

// mapType reads map(string, V).
func (c *checker) mapType(e *syntax.Call, within *namedType) types.Type {
	if len(e.Args) != 2 {
		c.diags.Errorf("SG1308", e.Pos(), "map takes string and the type of its values, is given %d", len(e.Args)).WithHint("map(string, int64)")
		return types.Invalid
	}
	key, elem := c.typeExpr(e.Args[0], within), c.typeExpr(e.Args[1], within)
	if types.IsInvalid(key) || types.IsInvalid(elem) {
		return types.Invalid
	}
	if key != types.String {
		c.diags.Errorf("SG1308", e.Args[0].Pos(), "the keys of a map are strings, not %s", key).WithHint("map(string, %s)", elem)
		return types.Invalid
	}
	return &types.Map{Elem: elem}
}

// namedType finds a declared type or enum.
func (c *checker) namedType(id syntax.Ident, within *namedType) types.Type {
	t := c.named[id.Name]
	if t == nil {
		c.noType(id)
		return types.Invalid
	}
	if t != within {
		t.used = true
	}
	return t.typ()
}

func (c *checker) noType(id syntax.Ident) {
	if c.strangers[id.Name] {
		return
	}
	names := []string{"string", "bytes", "bool", "int32", "int64", "float32", "float64", "decimal", "timestamp", "duration", "uuid", "list", "map", "optional"}
	candidates := append(names, c.typeNames...)
	d := c.diags.Errorf("SG1201", id.Range, "there is no type %q", id.Name)
	if hint := elsewhereType(id.Name); hint != "" {
		d.WithHint("%s", hint)
		return
	}
	if meant := diag.Nearest(id.Name, candidates); meant != "" {
		if t := c.named[meant]; t != nil {
			d.WithHint("did you mean %s (%s)?", meant, near(t.block.Header))
			return
		}
		d.WithHint("did you mean %s?", meant)
		return
	}
	d.WithHint("types: %s", strings.Join(candidates, ", "))
}

// anonymous is the record with these fields: a declared type that equals it, else the one anonymous record of the program.
// Records with fields that could not be understood stay out of that.
func (c *checker) anonymous(fields []types.Field, origin string, at diag.Range) *types.Record {
	r := &types.Record{Fields: fields, Origin: origin, Pos: at}
	for _, f := range fields {
		if types.IsInvalid(f.Type) || f.Type == types.Null {
			return r
		}
	}
	for _, known := range c.program.Records {
		if types.Equal(known, r) {
			c.named[known.Name].used = true
			return known
		}
	}
	for _, known := range c.program.Anonymous {
		if types.Equal(known, r) {
			return known
		}
	}
	c.program.Anonymous = append(c.program.Anonymous, r)
	return r
}

// formats are the wire formats of this version, laterFormats those of the language beyond them.
var (
	formats      = []string{"string", "bytes", "bool", "int16", "int32", "int64", "float32", "float64", "uuid"}
	laterFormats = []string{"avro", "protobuf"}
)

// format reads a wire format: string, json(T), optional(F). For a sink, json may stand alone: its type is nil then.
func (c *checker) format(e syntax.Expr, sink bool) model.Format {
	bad := model.Format{Type: types.Invalid, Pos: e.Pos()}
	switch e := e.(type) {
	case *syntax.Name:
		switch {
		case slices.Contains(formats, e.Name):
			b, _ := types.BasicByName(e.Name)
			if e.Name == "int16" { // which the language does not have
				b = types.Int32
			}
			return model.Format{Name: e.Name, Type: b, Pos: e.Pos()}
		case e.Name == "json" && sink:
			return model.Format{Name: "json", Pos: e.Pos()}
		case e.Name == "json":
			c.diags.Errorf("SG1308", e.Pos(), "json needs the type that it carries").WithHint("json(Order)")
			return bad
		case e.Name == "windowed":
			c.diags.Errorf("SG1308", e.Pos(), "windowed needs the format of the key within").WithHint("windowed(string)")
			return bad
		}
		c.noFormat(syntax.Ident{Name: e.Name, Range: e.Pos()})
	case *syntax.Call:
		return c.formatCall(e, sink)
	case *syntax.Text:
		d := c.diags.Errorf("SG1201", e.Pos(), "a format is written without quotes")
		if lowerLabel.MatchString(e.Value) {
			d.WithHint("%s", e.Value)
		}
	default:
		d := c.diags.Errorf("SG1201", e.Pos(), "a format is expected here").WithHint("string, int64, json(T), …")
		if p, ok := path(e); ok && p[0].Name == "value" && !sink {
			d.WithHint("a source says how bytes are read; a key out of the value is a step: `select_key { key = %s }`", c.text(e.Pos()))
		}
	}
	return bad
}

func (c *checker) formatCall(e *syntax.Call, sink bool) model.Format {
	bad := model.Format{Type: types.Invalid, Pos: e.Pos()}
	switch e.Name.Name {
	case "json":
		if len(e.Args) == 0 {
			c.diags.Errorf("SG1308", e.Pos(), "json needs the type that it carries").WithHint("json(Order)")
			return bad
		}
		if len(e.Args) > 2 {
			c.diags.Errorf("SG1308", e.Pos(), "json takes a type and options, is given %d arguments", len(e.Args)).
				WithHint(`json(Order, { times = "unix_ms" })`)
			return bad
		}
		t := c.typeExpr(e.Args[0], nil)
		if _, ok := t.(*types.Record); !ok && !types.IsInvalid(t) {
			d := c.diags.Errorf("SG1308", e.Args[0].Pos(), "json carries a record, %s is none", t)
			switch {
			case types.IsOptional(t):
				d.WithHint("optional(json(%s))", types.NonNull(t))
			case slices.Contains(formats, t.String()):
				d.WithHint("%s", t)
			}
			return bad
		}
		f := model.Format{Name: "json", Type: t, Pos: e.Pos()}
		if len(e.Args) == 2 {
			f.JSON = c.jsonOptions(e.Args[1], t)
		}
		return f
	case "windowed":
		return c.windowedFormat(e, sink)
	case "optional":
		if len(e.Args) != 1 {
			c.diags.Errorf("SG1308", e.Pos(), "optional takes one format, is given %d", len(e.Args)).WithHint("optional(string)")
			return bad
		}
		f := c.format(e.Args[0], sink)
		if f.Optional {
			c.diags.Errorf("SG1308", e.Pos(), "optional does not nest")
		}
		f.Optional, f.Pos = true, e.Pos()
		if f.Type != nil {
			f.Type = types.OptionalOf(f.Type)
		}
		return f
	}
	if slices.Contains(formats, e.Name.Name) {
		c.diags.Errorf("SG1308", e.Pos(), "the format %s takes no arguments", e.Name.Name).WithHint("%s", e.Name.Name)
		return bad
	}
	c.noFormat(e.Name)
	return bad
}

func (c *checker) noFormat(id syntax.Ident) {
	if slices.Contains(laterFormats, id.Name) {
		c.notYet(id.Range, "the format "+id.Name)
		return
	}
	d := c.diags.Errorf("SG1201", id.Range, "there is no format %q", id.Name)
	if c.named[id.Name] != nil {
		c.named[id.Name].used = true
		d.WithHint("json(%s)", id.Name)
		return
	}
	candidates := append([]string{"json", "optional"}, formats...)
	if near := diag.Nearest(id.Name, candidates); near != "" {
		d.WithHint("did you mean %s?", near)
		return
	}
	d.WithHint("formats: json(T), optional(F), %s", strings.Join(formats, ", "))
}
