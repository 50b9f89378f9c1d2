package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/types"
)

// Decoders of JSON: one walk over a record for each set of fields that something reads.

// fieldSet is what a decoder does with the fields of its record.
type fieldSet struct {
	build, check []bool // by index of the field
	style        *style
	name         string
}

func (s *fieldSet) equal(t *fieldSet) bool {
	return s.style == t.style && slices.Equal(s.build, t.build) && slices.Equal(s.check, t.check)
}

// decodeJSON is the decoder of the fields given: func(b []byte, v *T) error, or func(b []byte) error if none is built. nil
// fields are all.
func (r *Records) decodeJSON(t *types.Record, fields, check []string, purpose string, style *style) (name string, builds bool) {
	d := r.declared(t)
	set := &fieldSet{style: style, build: make([]bool, len(d.Fields)), check: make([]bool, len(d.Fields))}
	for i, f := range d.Record.Fields {
		set.build[i] = fields == nil || slices.Contains(fields, f.Name)
		set.check[i] = !set.build[i] && slices.Contains(check, f.Name)
	}
	builds = slices.Contains(set.build, true)
	for _, s := range d.sets {
		if s.equal(set) {
			return s.name, builds
		}
	}
	set.name = r.setName(d, set, purpose)
	d.sets = append(d.sets, set)
	rank := rankScan
	if !slices.Contains(set.build, false) {
		rank = rankDecode
	}
	return d.need(set.name, rank, func() *jen.Statement { return r.decoder(d, set) }), builds
}

// setName names a decoder after the fields it builds, if they are few, else after what they are for.
func (r *Records) setName(d *recordsType, set *fieldSet, purpose string) string {
	const few = 3
	named := func(in []bool) (names []string) {
		for i, is := range in {
			if is {
				names = append(names, d.Fields[i])
			}
		}
		return names
	}
	build, check := named(set.build), named(set.check)
	var candidates []string
	suffix := set.style.suffix
	switch {
	case len(build) == len(d.Fields):
		candidates = append(candidates, "Decode"+d.Name)
	case len(build) == 0:
		candidates = append(candidates, "Check"+d.Name)
		if len(check) <= few {
			candidates = append(candidates, "Check"+d.Name+strings.Join(check, ""))
		}
	case len(build) <= few:
		candidates = append(candidates, "Decode"+d.Name+strings.Join(build, ""))
	}
	candidates = append(candidates, "Decode"+d.Name+"For"+purpose)
	long := "Decode" + d.Name + strings.Join(build, "")
	if len(check) > 0 {
		long += "Check" + strings.Join(check, "")
	}
	for _, c := range append(candidates, long) {
		c += suffix
		if !slices.ContainsFunc(d.sets, func(s *fieldSet) bool { return s.name == c }) && !r.taken(c) {
			return c
		}
	}
	return r.unique(long + suffix)
}

// taken says whether a type or a value of an enum has that name.
func (r *Records) taken(name string) bool {
	return slices.ContainsFunc(r.types, func(d *recordsType) bool { return d.Name == name || slices.Contains(d.Values, name) })
}

// unique is name, or with Of behind it as often as it takes for it not to be taken.
func (r *Records) unique(name string) string {
	for r.taken(name) {
		name += "Of"
	}
	return name
}

// decoder writes a decoder of whole records.
func (r *Records) decoder(d *recordsType, set *fieldSet) *jen.Statement {
	v := d.recv
	params := []jen.Code{jen.Id("b").Index().Byte()}
	doc := set.name + " checks that b is " + article(d.Name) + " in JSON, without building it."
	if slices.Contains(set.build, true) {
		params = append(params, jen.Id(v).Op("*").Add(d.typ()))
		what := article(d.Name)
		if slices.Contains(set.build, false) {
			what = "fields of " + what
		}
		doc = set.name + " reads " + what + " from JSON."
		for i, f := range d.Record.Fields {
			if set.build[i] && holdsText(f.Type) {
				doc = strings.TrimSuffix(doc, ".") + "; its strings are views of b."
				break
			}
		}
		for i, f := range d.Record.Fields {
			if set.build[i] && holdsLists(f.Type) {
				doc += " Lists are read into the memory that they have."
				break
			}
		}
		if slices.Contains(set.check, true) {
			doc += " The others that somebody reads are checked."
		}
	}
	w := &objectWriter{r: r, d: d, set: set, name: set.name, rank: rankScan, reader: jen.Id("r"), pointer: jen.Op("&").Id("r"), names: NewNames(append(importNames(r.plan), "b", "r", v, "seen", "i", "at")...)}
	body := w.write(jen.Id("r").Op(":=").Add(rt("json", "Object")).Call(jen.Id("b")))
	body = append(body, jen.Return(jen.Id("r").Dot("Err").Call()))
	return jen.Comment(doc).Line().Func().Id(set.name).Params(params...).Error().Block(body...)
}

// fromJSON is the decoder of a whole record, list or map: func(b []byte, v *T) error.
func (r *Records) fromJSON(t types.Type) string {
	if record, ok := t.(*types.Record); ok {
		name, _ := r.decodeJSON(record, nil, nil, "", plain)
		return name
	}
	d := r.collections
	name := "Decode" + r.typeName(t)
	return d.need(name, rankDecode, func() *jen.Statement {
		w := &objectWriter{
			r: r, d: d, set: &fieldSet{style: plain}, name: name, rank: rankRead, reader: jen.Id("r"), pointer: jen.Op("&").Id("r"),
			names: NewNames(append(importNames(r.plan), "b", "r", "v", "all")...),
		}
		all := jen.Id("all")
		body := []jen.Code{
			jen.Id("r").Op(":=").Add(rt("json", "Object")).Call(jen.Id("b")),
			all.Clone().Op(":=").Parens(jen.Op("*").Id("v")).Index(jen.Empty(), jen.Lit(0)),
		}
		if m, ok := t.(*types.Map); ok {
			body = append(body, w.entries(m, all, plain)...)
		} else {
			body = append(body, w.elements(t.(*types.List), all, plain)...)
		}
		body = append(body, jen.Op("*").Id("v").Op("=").Add(all))
		return jen.Comment(name+" reads "+t.String()+" from JSON.").Line().
			Func().Id(name).Params(jen.Id("b").Index().Byte(), jen.Id("v").Op("*").Add(r.goType(t))).Error().Block(
			append(body, jen.Return(jen.Id("r").Dot("Err").Call()))...)
	})
}

// readNested is the reader of a record within another: func(r *json.Reader, v *T), or with check func(r *json.Reader).
func (r *Records) readNested(t *types.Record, check bool, style *style) string {
	d := r.declared(t)
	set := &fieldSet{style: style, build: make([]bool, len(d.Fields)), check: make([]bool, len(d.Fields))}
	prefix, doc := "read", "reads "+article(d.Name)+" that is a field of another record."
	params := []jen.Code{jen.Id("r").Op("*").Add(rt("json", "Reader"))}
	for i := range d.Fields {
		set.build[i], set.check[i] = !check, check
	}
	if check {
		prefix, doc = "check", "checks "+article(d.Name)+" that is a field of another record."
	} else {
		params = append(params, jen.Id(d.recv).Op("*").Add(d.typ()))
	}
	name := r.unique(prefix + d.Name + style.suffix)
	return d.need(name, rankRead, func() *jen.Statement {
		w := &objectWriter{r: r, d: d, set: set, name: name, rank: rankRead, reader: jen.Id("r"), pointer: jen.Id("r"), names: NewNames(append(importNames(r.plan), "r", d.recv, "seen", "i", "at")...)}
		return jen.Comment(name + " " + doc).Line().Func().Id(name).Params(params...).Block(w.write(jen.Id("r").Dot("Begin").Call())...)
	})
}

// objectWriter writes the walk over the fields of an object.
type objectWriter struct {
	r       *Records
	d       *recordsType
	set     *fieldSet
	name    string         // of the function
	rank    rank           // likewise
	reader  *jen.Statement // of type json.Reader, or a pointer to one
	pointer *jen.Statement // to it
	names   *Names
}

// write writes the walk; begin enters the object.
func (w *objectWriter) write(begin jen.Code) []jen.Code {
	var body, reset []jen.Code
	var required []int
	for i, f := range w.d.Record.Fields {
		_, optional := f.Type.(*types.Optional)
		switch {
		case !w.set.build[i] && !w.set.check[i]:
		case !optional:
			required = append(required, i)
		case w.set.build[i]:
			reset = append(reset, jen.Id(w.d.recv).Dot(w.d.Fields[i]).Dot("Valid").Op("=").False())
		}
	}
	mark, decl, missing := w.required(required)
	body = append(body, decl...)
	body = append(body, reset...)
	body = append(body, begin)
	body = append(body, w.lane(mark)...)
	body = append(body, jen.For(w.reader.Clone().Dot("Next").Call()).Block(w.fields(mark, len(required) > 0)))
	return append(body, missing...)
}

// fields is the switch over the names, in functions of its own if there are many. counted says whether fields are marked.
func (w *objectWriter) fields(mark map[int]jen.Code, counted bool) jen.Code {
	if w.wide() {
		return w.inParts(mark, counted)
	}
	cases := w.cases(mark)
	skip := w.other()
	if len(cases) == 0 {
		return skip
	}
	return jen.Switch(jen.String().Call(w.reader.Clone().Dot("Name"))).Block(append(cases, jen.Default().Block(skip))...)
}

func (w *objectWriter) cases(mark map[int]jen.Code) []jen.Code {
	var cases, unread []jen.Code
	for i, f := range w.d.Record.Fields {
		body, read := w.field(i)
		if !read {
			if f.Name != types.Unknown {
				unread = append(unread, jen.Lit(w.set.style.name(f.Name)))
			}
			continue
		}
		if m := mark[i]; m != nil {
			body = append(body, m)
		}
		cases = append(cases, jen.Case(jen.Lit(w.set.style.name(f.Name))).Block(body...))
	}
	if w.keeps() && len(unread) > 0 {
		cases = append(cases, jen.Case(unread...).Block(w.reader.Clone().Dot("Skip").Call()))
	}
	return cases
}

// keeps says whether unknown fields are kept.
func (w *objectWriter) keeps() bool {
	last := len(w.set.build) - 1
	return w.set.style.keep && w.d.Record.KeepsUnknown() && w.set.build[last]
}

// other is what is done with a field that the type does not have.
func (w *objectWriter) other() *jen.Statement {
	if !w.keeps() {
		return w.reader.Clone().Dot("Skip").Call()
	}
	return w.reader.Clone().Dot("Keep").Call(jen.Op("&").Id(w.d.recv).Dot(w.d.Fields[len(w.d.Fields)-1]))
}

// field reads the value of a field, or checks it. read is false if nobody asks for the field.
func (w *objectWriter) field(i int) (body []jen.Code, read bool) {
	f := w.d.Record.Fields[i]
	switch {
	case f.Name == types.Unknown: // it comes by no name
	case w.set.build[i]:
		return w.build(f.Type, jen.Id(w.d.recv).Dot(w.d.Fields[i]), w.below(f)), true
	case w.set.check[i]:
		return w.check(f.Type, w.below(f)), true
	}
	return nil, false
}

// required writes how the fields that must come are counted: by a bool, by the bits of an int, or of several.
func (w *objectWriter) required(fields []int) (mark map[int]jen.Code, decl, missing []jen.Code) {
	mark = map[int]jen.Code{}
	name := func(i int) jen.Code { return jen.Lit(w.set.style.name(w.d.Record.Fields[i].Name)) }
	seen := jen.Id("seen")
	report := func(seen *jen.Statement, fields []int) jen.Code {
		args := []jen.Code{seen}
		for _, i := range fields {
			args = append(args, name(i))
		}
		return w.reader.Clone().Dot("Missing").Call(args...)
	}
	switch {
	case len(fields) == 0:
	case w.wide():
		decl, missing = w.requiredWords(fields, mark, report)
	case len(fields) == 1:
		decl = []jen.Code{seen.Clone().Op(":=").False()}
		mark[fields[0]] = seen.Clone().Op("=").True()
		missing = []jen.Code{jen.If(jen.Op("!").Add(seen.Clone())).Block(report(jen.Lit(0), fields))}
	case len(fields) <= wordBits:
		var bits []jen.Code
		for n, i := range fields {
			bit := w.names.New(lowerFirst(w.d.Fields[i]), lowerFirst(w.d.Fields[i])+"Field")
			c := jen.Id(bit)
			if n == 0 {
				c = jen.Id(bit).Uint64().Op("=").Lit(1).Op("<<").Iota()
			}
			bits = append(bits, c)
			mark[i] = seen.Clone().Op("|=").Id(bit)
		}
		all := w.names.New("all", "allFields")
		bits = append(bits, jen.Id(all).Op("=").Lit(1).Op("<<").Iota().Op("-").Lit(1))
		decl = []jen.Code{jen.Const().Defs(bits...), jen.Var().Add(seen.Clone()).Uint64()}
		missing = []jen.Code{jen.If(seen.Clone().Op("!=").Id(all)).Block(report(seen.Clone(), fields))}
	default:
		decl, missing = w.requiredWords(fields, mark, report)
	}
	return mark, decl, missing
}

// wordBits is how many fields one word counts.
const wordBits = 64

// requiredWords counts fields by the bits of several ints.
func (w *objectWriter) requiredWords(fields []int, mark map[int]jen.Code, report func(*jen.Statement, []int) jen.Code) (decl, missing []jen.Code) {
	seen := jen.Id("seen")
	words := (len(fields) + wordBits - 1) / wordBits
	decl = []jen.Code{jen.Var().Add(seen.Clone()).Index(jen.Lit(words)).Uint64()}
	for n, i := range fields {
		mark[i] = seen.Clone().Index(jen.Lit(n / wordBits)).Op("|=").Lit(1).Op("<<").Lit(n % wordBits)
	}
	for n := range words {
		part := fields[n*wordBits : min((n+1)*wordBits, len(fields))]
		one := seen.Clone().Index(jen.Lit(n))
		missing = append(missing, jen.If(one.Clone().Op("!=").Lit(1).Op("<<").Lit(len(part)).Op("-").Lit(1)).Block(report(one.Clone(), part)))
	}
	return decl, missing
}

// below is the style of a field's value.
func (w *objectWriter) below(f types.Field) *style { return w.set.style.below(w.r, f.Name, f.Type) }

// build reads a value of type t into dst.
func (w *objectWriter) build(t types.Type, dst *jen.Statement, s *style) []jen.Code {
	switch t := t.(type) {
	case *types.Optional:
		valid := dst.Clone().Dot("Valid")
		return []jen.Code{jen.If(valid.Clone().Op("=").Op("!").Add(w.reader.Clone()).Dot("Null").Call(), valid).Block(
			w.build(t.Elem, dst.Clone().Dot("Value"), s)...)}
	case *types.Record:
		return []jen.Code{jen.Id(w.r.readNested(t, false, s)).Call(w.pointer.Clone(), addressOf(dst))}
	case *types.List:
		return append([]jen.Code{emptied(dst)}, w.elements(t, dst, s)...)
	case *types.Map:
		return append([]jen.Code{emptied(dst)}, w.entries(t, dst, s)...)
	}
	return []jen.Code{dst.Clone().Op("=").Add(w.read(t, s))}
}

// scalar says whether one call reads a value of t.
func scalar(t types.Type) bool {
	switch t.(type) {
	case *types.Optional, *types.Record, *types.List, *types.Map:
		return false
	}
	return true
}

// emptied takes the elements out of a list or a map, and leaves it the memory.
func emptied(dst *jen.Statement) jen.Code {
	return dst.Clone().Op("=").Add(dst.Clone()).Index(jen.Empty(), jen.Lit(0))
}

// elements reads a list into dst, which is empty, and the memory that it has.
func (w *objectWriter) elements(t *types.List, dst *jen.Statement, s *style) []jen.Code {
	var body []jen.Code
	if scalar(t.Elem) {
		body = []jen.Code{dst.Clone().Op("=").Append(dst.Clone(), w.read(t.Elem, s))}
	} else {
		body = w.element(t.Elem, dst, s)
	}
	return []jen.Code{w.reader.Clone().Dot("Begin").Call(), jen.For(w.reader.Clone().Dot("More").Call()).Block(body...)}
}

// element makes one more element of dst, which holds elements of type t, and reads it.
func (w *objectWriter) element(t types.Type, dst *jen.Statement, s *style) []jen.Code {
	more := dst.Clone().Op("=").Add(rt("list", "More")).Call(dst.Clone())
	last := dst.Clone().Index(jen.Len(dst.Clone()).Op("-").Lit(1))
	if record, ok := t.(*types.Record); ok {
		return []jen.Code{more, jen.Id(w.r.readNested(record, false, s)).Call(w.pointer.Clone(), addressOf(last))}
	}
	e := w.names.New("element")
	at := jen.Id(e)
	if !types.IsOptional(t) { // fields are selected from the pointer itself
		at = behind(e, t)
	}
	return append([]jen.Code{more, jen.Id(e).Op(":=").Add(addressOf(last))}, w.build(t, at, s)...)
}

// entries reads a map into dst, as elements does.
func (w *objectWriter) entries(t *types.Map, dst *jen.Statement, s *style) []jen.Code {
	key := w.reader.Clone().Dot("Key").Call()
	var body []jen.Code
	if scalar(t.Elem) {
		body = []jen.Code{dst.Clone().Op("=").Append(dst.Clone(), rt("dict", "Entry").Index(w.r.goType(t.Elem)).Values(
			jen.Id("Key").Op(":").Add(key), jen.Id("Value").Op(":").Add(w.read(t.Elem, s))))}
	} else {
		e := jen.Id(w.names.New("entry"))
		body = []jen.Code{
			dst.Clone().Op("=").Add(rt("list", "More")).Call(dst.Clone()),
			e.Clone().Op(":=").Add(addressOf(dst.Clone().Index(jen.Len(dst.Clone()).Op("-").Lit(1)))),
			e.Clone().Dot("Key").Op("=").Add(key),
		}
		body = append(body, w.build(t.Elem, e.Clone().Dot("Value"), s)...)
	}
	return []jen.Code{
		w.reader.Clone().Dot("Begin").Call(),
		jen.For(w.reader.Clone().Dot("Next").Call()).Block(body...),
		dst.Clone().Op("=").Add(rt("dict", "Sort")).Call(dst.Clone()),
	}
}

// check reads a value of type t and forgets it.
func (w *objectWriter) check(t types.Type, s *style) []jen.Code {
	walk := func(step string, elem types.Type) []jen.Code {
		return []jen.Code{w.reader.Clone().Dot("Begin").Call(), jen.For(w.reader.Clone().Dot(step).Call()).Block(w.check(elem, s)...)}
	}
	switch t := t.(type) {
	case *types.Optional:
		return []jen.Code{jen.If(jen.Op("!").Add(w.reader.Clone()).Dot("Null").Call()).Block(w.check(t.Elem, s)...)}
	case *types.Record:
		return []jen.Code{jen.Id(w.r.readNested(t, true, s)).Call(w.pointer.Clone())}
	case *types.List:
		return walk("More", t.Elem)
	case *types.Map:
		return walk("Next", t.Elem)
	case types.Basic:
		switch t {
		case types.String:
			return []jen.Code{w.reader.Clone().Dot("SkipText").Call()}
		case types.Bytes:
			return []jen.Code{w.reader.Clone().Dot("SkipBase64").Call()}
		}
	}
	return []jen.Code{w.read(t, s)}
}

// read is the call that reads a value of type t.
func (w *objectWriter) read(t types.Type, s *style) *jen.Statement {
	switch t := t.(type) {
	case *types.Enum:
		return jen.Id(w.r.readEnum(t)).Call(w.pointer.Clone())
	case *types.Decimal:
		return w.reader.Clone().Dot("Decimal").Call(jen.Lit(t.Precision), jen.Lit(t.Scale))
	}
	method := map[types.Type]string{
		types.String: "Text", types.Bytes: "Base64", types.Bool: "Bool", types.Int32: "Int32", types.Int64: "Int64",
		types.Float32: "Float32", types.Float64: "Float64", types.Timestamp: "Timestamp", types.Duration: "Duration", types.UUID: "UUID",
	}[t]
	if unix := unixTimes[s.times]; unix != "" && t == types.Timestamp {
		method = unix
	}
	return w.reader.Clone().Dot(method).Call()
}

// unixTimes are what methods that read timestamps as numbers are called, and the functions that write them behind Append.
var unixTimes = map[string]string{"unix_ms": "UnixMillis", "unix_s": "UnixSeconds"}

// readEnum is the reader of an enum.
func (r *Records) readEnum(t *types.Enum) string {
	d := r.declared(t)
	name := r.unique("read" + d.Name)
	return d.need(name, rankRead, func() *jen.Statement {
		return jen.Comment(name+" reads "+article(d.Name)+" from JSON.").Line().
			Func().Id(name).Params(jen.Id("r").Op("*").Add(rt("json", "Reader"))).Id(d.Name).Block(
			jen.List(jen.Id(d.recv), jen.Err()).Op(":=").Id("Parse"+d.Name).Call(jen.Id("r").Dot("Text").Call()),
			jen.If(jen.Err().Op("!=").Nil()).Block(jen.Id("r").Dot("Refuse").Call(jen.Err().Dot("Error").Call())),
			jen.Return(jen.Id(d.recv)))
	})
}
