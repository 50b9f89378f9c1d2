package emit

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/types"
)

// recordsState is what was asked for so far.
type recordsState struct {
	types       []*recordsType // in the order of the plan
	collections *recordsType   // the functions of lists and maps that stand alone
	styles      []*style       // of JSON, beside the plain one
}

// recordsType is a type of the package records with the functions that something uses.
type recordsType struct {
	*plan.Type
	recv  string // what a value of it is called in its functions: "o"
	funcs []recordsFunc
	sets  []*fieldSet
}

// recordsFunc is a function of the package.
type recordsFunc struct {
	name string
	rank rank
	code *jen.Statement
}

// rank is where a function stands in the file of its type.
type rank uint8

const (
	rankMethods rank = iota
	rankDecode
	rankScan
	rankRead
	rankAppend
	rankAppendRow
	rankReadRow
	rankRowJSON
)

func newRecordsState(p *plan.Plan) recordsState {
	s := recordsState{collections: &recordsType{Type: &plan.Type{}, recv: "v"}}
	for _, t := range p.Types {
		first, _ := utf8.DecodeRuneInString(t.Name)
		recv := string(unicode.ToLower(first))
		if strings.Contains("brijkl", recv) { // bytes, readers and indexes of loops are called that
			recv = "v"
		}
		s.types = append(s.types, &recordsType{Type: t, recv: recv})
	}
	return s
}

// declared is the type of the package that t, a record or an enum, is.
func (r *Records) declared(t types.Type) *recordsType {
	for _, d := range r.types {
		if d.Record != nil && types.Type(d.Record) == t || d.Enum != nil && types.Type(d.Enum) == t {
			return d
		}
	}
	for _, d := range r.types {
		if d.Record != nil && types.Equal(d.Record, t) || d.Enum != nil && types.Equal(d.Enum, t) {
			return d
		}
	}
	panic("emit: the plan has no Go type for " + t.String())
}

// goType is the Go form of t.
func (r *Records) goType(t types.Type) *jen.Statement {
	switch t := t.(type) {
	case types.Basic:
		switch t {
		case types.String:
			return jen.String()
		case types.Bytes:
			return jen.Index().Byte()
		case types.Bool:
			return jen.Bool()
		case types.Int32:
			return jen.Int32()
		case types.Int64:
			return jen.Int64()
		case types.Float32:
			return jen.Float32()
		case types.Float64:
			return jen.Float64()
		case types.UUID:
			return rt("uuid", "UUID")
		case types.Timestamp:
			return rt("temporal", "Timestamp")
		case types.Duration:
			return rt("temporal", "Duration")
		}
	case *types.Decimal:
		return rt("decimal", "Decimal")
	case *types.List:
		return jen.Index().Add(r.goType(t.Elem))
	case *types.Map:
		return rt("dict", "Of").Index(r.goType(t.Elem))
	case *types.Optional:
		return rt("optional", "Of").Index(r.goType(t.Elem))
	case *types.Windowed:
		return rt("window", "Key").Index(r.goType(t.Key))
	case *types.Record:
		if d := r.declared(t); d.Record.Go != nil {
			return d.typ()
		}
		return jen.Qual(r.path, r.declared(t).Name)
	case *types.Enum:
		return jen.Qual(r.path, r.declared(t).Name)
	}
	panic("emit: no Go form of type " + t.String())
}

// fieldName is the Go name of a field.
func (r *Records) fieldName(t types.Type, field string) string {
	record := t.(*types.Record)
	d := r.declared(record)
	for i, f := range d.Record.Fields {
		if f.Name == field {
			return d.Fields[i]
		}
	}
	panic(fmt.Sprintf("emit: %s has no field %q", t, field))
}

// symbol names something of the package.
func (r *Records) symbol(name string) *jen.Statement { return jen.Qual(r.path, name) }

// need makes the function of that name, the first time it is asked for. Functions that call others need those first, while
// they are made; types do not contain themselves, so that ends.
func (d *recordsType) need(name string, rank rank, write func() *jen.Statement) string {
	for _, f := range d.funcs {
		if f.name == name {
			return name
		}
	}
	d.funcs = append(d.funcs, recordsFunc{name: name, rank: rank, code: write()})
	return name
}

// files writes the package.
func (r *Records) files() []RecordsFile {
	var files []RecordsFile
	for _, d := range r.types {
		f := jen.NewFilePathName(r.path, "records")
		r.nameImports(f)
		nameUsers(f, r.plan)
		if len(files) == 0 {
			f.PackageComment("Package records is the types of the topology " + quoted(r.plan.App) + ", how they are read and written, and how state keeps them.")
		}
		switch {
		case d.Record != nil && d.Record.Go != nil: // the user's
			if len(d.funcs) == 0 {
				continue
			}
		case d.Record != nil:
			f.Add(r.recordDecl(d))
		default:
			f.Add(r.enumDecl(d))
		}
		d.writeFuncs(f)
		files = append(files, RecordsFile{Name: snake(d.Name) + "_gen.go", File: f})
	}
	if len(r.collections.funcs) > 0 {
		f := jen.NewFilePathName(r.path, "records")
		r.nameImports(f)
		nameUsers(f, r.plan)
		if len(files) == 0 {
			f.PackageComment("Package records is how the topology " + quoted(r.plan.App) + " keeps lists and maps in its state.")
		}
		r.collections.writeFuncs(f)
		name := "collections"
		for slices.ContainsFunc(files, func(f RecordsFile) bool { return f.Name == name+"_gen.go" }) {
			name += "_of"
		}
		files = append(files, RecordsFile{Name: name + "_gen.go", File: f})
	}
	return files
}

func (r *Records) nameImports(f *jen.File) {
	for _, name := range [...]string{"decimal", "dict", "json", "list", "optional", "row", "tally", "temporal", "uuid", "wire"} {
		nameImports(f, runtimePath+"/"+name)
	}
}

// writeFuncs writes the functions that were asked for.
func (d *recordsType) writeFuncs(f *jen.File) {
	slices.SortStableFunc(d.funcs, func(a, b recordsFunc) int { return int(a.rank) - int(b.rank) })
	for _, fn := range d.funcs {
		f.Line().Add(fn.code)
	}
}

// recordDecl declares the struct.
func (r *Records) recordDecl(d *recordsType) *jen.Statement {
	return jen.Comment(typeDoc(d, d.Record.Description)).Line().Type().Id(d.Name).StructFunc(func(g *jen.Group) {
		for i, f := range d.Record.Fields {
			field := g.Id(d.Fields[i]).Add(r.goType(f.Type))
			if f.Name == types.Unknown {
				field.Comment("// fields that the spec does not know: members of the JSON object, as they came")
			}
		}
	})
}

// enumDecl declares the enum, its values and its names.
func (r *Records) enumDecl(d *recordsType) *jen.Statement {
	list := lowerFirst(d.Name) + "Names"
	c := jen.Comment(typeDoc(d, d.Enum.Description) + " The zero " + d.Name + " is none of its values.").Line().Type().Id(d.Name).Uint8().Line().Line()
	c.Comment("The values of " + d.Name + ".").Line().Const().DefsFunc(func(g *jen.Group) {
		for i, v := range d.Values {
			if i == 0 {
				g.Id(v).Id(d.Name).Op("=").Iota().Op("+").Lit(1)
			} else {
				g.Id(v)
			}
		}
	}).Line().Line()
	c.Var().Id(list).Op("=").Index(jen.Op("...")).String().ValuesFunc(func(g *jen.Group) {
		g.Lit("")
		for _, v := range d.Enum.Values {
			g.Lit(v)
		}
	}).Line().Line()
	c.Comment("String is the name of " + d.recv + " in the spec and on the wire.").Line().
		Func().Params(jen.Id(d.recv).Id(d.Name)).Id("String").Params().String().Block(
		jen.Return(jen.Id(list).Index(jen.Id(d.recv)))).Line().Line()
	err := "errNo" + d.Name
	c.Var().Id(err).Op("=").Qual("errors", "New").Call(jen.Lit("not a " + d.Name + ": one of " + strings.Join(d.Enum.Values, ", "))).Line().Line()
	c.Comment("Parse"+d.Name+" is the value of that name.").Line().
		Func().Id("Parse"+d.Name).Params(jen.Id("name").String()).Params(jen.Id(d.Name), jen.Error()).Block(
		jen.Switch(jen.Id("name")).BlockFunc(func(g *jen.Group) {
			for i, v := range d.Enum.Values {
				g.Case(jen.Lit(v)).Block(jen.Return(jen.Id(d.Values[i]), jen.Nil()))
			}
		}),
		jen.Return(jen.Lit(0), jen.Id(err)))
	return c
}

// typeDoc is the doc comment of a type: where it comes from, and what the spec says of it.
func typeDoc(d *recordsType, description string) string {
	doc := d.Name + " is " + d.Origin + "."
	if d.Origin != "" && !strings.HasPrefix(d.Origin, "type.") && !strings.HasPrefix(d.Origin, "enum.") {
		doc = d.Name + " is the value of " + d.Origin + "."
	}
	if description != "" {
		doc += " " + strings.TrimSuffix(strings.Join(strings.Fields(description), " "), ".") + "."
	}
	return doc
}

// holdsText says whether values of t hold strings, bytes, lists or maps: memory that may be that of the record in hand.
func holdsText(t types.Type) bool {
	switch t := t.(type) {
	case *types.List, *types.Map:
		return true
	case *types.Optional:
		return holdsText(t.Elem)
	case *types.Record:
		return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return holdsText(f.Type) })
	}
	return t == types.String || t == types.Bytes
}

// holdsFloat says whether values of t hold floats, which JSON cannot always write.
func holdsFloat(t types.Type) bool {
	switch t := t.(type) {
	case *types.Optional:
		return holdsFloat(t.Elem)
	case *types.Record:
		return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return holdsFloat(f.Type) })
	case *types.List:
		return holdsFloat(t.Elem)
	case *types.Map:
		return holdsFloat(t.Elem)
	}
	return types.IsFloat(t)
}

// holdsLists says whether values of t hold lists or maps, whose memory decoders use again.
func holdsLists(t types.Type) bool {
	switch t := t.(type) {
	case *types.List, *types.Map:
		return true
	case *types.Optional:
		return holdsLists(t.Elem)
	case *types.Record:
		return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return holdsLists(f.Type) })
	}
	return false
}

// typeName names a type in the names of functions: StringList, OrderMap.
func (r *Records) typeName(t types.Type) string {
	switch t := t.(type) {
	case *types.Record, *types.Enum:
		return r.declared(t).Name
	case *types.List:
		return r.typeName(t.Elem) + "List"
	case *types.Map:
		return r.typeName(t.Elem) + "Map"
	case *types.Optional:
		return "Optional" + r.typeName(t.Elem)
	case *types.Decimal:
		return fmt.Sprintf("Decimal%dx%d", t.Precision, t.Scale)
	}
	return upperFirst(t.String())
}

// of is where the functions of t stand: with its type if it has one.
func (r *Records) of(t types.Type) *recordsType {
	switch t.(type) {
	case *types.Record, *types.Enum:
		return r.declared(t)
	}
	return r.collections
}

// snake is the file name of a Go name: OrderEnriched → order_enriched, URLs → urls.
func snake(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, c := range runes {
		if unicode.IsUpper(c) && i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// quoted is s in quotes, for comments.
func quoted(s string) string { return `"` + s + `"` }

// article is the word with a or an before it.
func article(word string) string {
	if word != "" && strings.ContainsRune("AEIOUaeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}
