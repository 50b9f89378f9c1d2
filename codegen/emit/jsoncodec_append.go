package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/types"
)

// Encoders of JSON: fields in the order of the type, optional ones that are null left out.

// appendJSON is the encoder of a record: func(dst []byte, v *T) []byte, with an error as second result if it holds floats.
func (r *Records) appendJSON(t *types.Record) string {
	d := r.declared(t)
	name := r.unique("Append" + d.Name)
	return d.need(name, rankAppend, func() *jen.Statement {
		w := &appendWriter{r: r, fails: holdsFloat(d.Record), dst: jen.Id("dst")}
		doc := name + " writes " + article(d.Name) + " as JSON."
		result := jen.Index().Byte()
		if w.fails {
			doc += " JSON has no NaN and no infinities: they are an error."
			result = jen.Params(jen.Index().Byte(), jen.Error())
			w.add(jen.Var().Err().Error())
		}
		w.object(d)
		return jen.Comment(doc).Line().Func().Id(name).Params(jen.Id("dst").Index().Byte(), jen.Id(d.recv).Op("*").Id(d.Name)).
			Add(result).Block(w.body...)
	})
}

// appendWriter writes an encoder.
type appendWriter struct {
	r     *Records
	fails bool
	dst   *jen.Statement
	body  []jen.Code
}

func (w *appendWriter) add(c ...jen.Code) { w.body = append(w.body, c...) }

// set is dst = call.
func (w *appendWriter) set(call *jen.Statement) { w.add(w.dst.Clone().Op("=").Add(call)) }

// literal appends text.
func (w *appendWriter) literal(text string) {
	if len(text) == 1 {
		w.set(jen.Append(w.dst.Clone(), jen.LitRune(rune(text[0]))))
		return
	}
	w.set(jen.Append(w.dst.Clone(), jen.Op("`"+text+"`").Op("...")))
}

// object writes the fields. Up to the first field that is required, a comma follows each one, as nobody knows which is the
// first; from there on it stands before each.
func (w *appendWriter) object(d *recordsType) {
	fields := d.Record.Fields
	value := func(i int) *jen.Statement { return jen.Id(d.recv).Dot(d.Fields[i]) }
	label := func(i int) string { return jsonText(fields[i].Name) + ":" }
	leading := 0
	for leading < len(fields) && types.IsOptional(fields[leading].Type) {
		leading++
	}
	if len(fields) == 0 {
		w.set(jen.Append(w.dst.Clone(), jen.Lit("{}").Op("...")))
		w.end(w.dst.Clone())
		return
	}
	pending := "{"
	if leading > 0 {
		w.literal("{")
		pending = ""
		for i := range leading {
			w.optional(fields[i], value(i), label(i), ",")
		}
	}
	if leading == len(fields) {
		last := jen.Len(w.dst.Clone()).Op("-").Lit(1)
		w.add(jen.If(w.dst.Clone().Index(last.Clone()).Op("==").LitRune(',')).Block(
			w.dst.Clone().Op("=").Add(w.dst.Clone()).Index(jen.Empty(), last.Clone())))
	}
	for i := leading; i < len(fields); i++ {
		if types.IsOptional(fields[i].Type) {
			w.optional(fields[i], value(i), ","+label(i), "")
			pending = ","
			continue
		}
		w.literal(pending + label(i))
		w.value(fields[i], value(i))
		pending = ","
	}
	w.end(jen.Append(w.dst.Clone(), jen.LitRune('}')))
}

func (w *appendWriter) end(result *jen.Statement) {
	if w.fails {
		w.add(jen.Return(result, jen.Nil()))
		return
	}
	w.add(jen.Return(result))
}

// optional writes a field if it is there, between before and behind.
func (w *appendWriter) optional(f types.Field, v *jen.Statement, before, behind string) {
	outer := w.body
	w.body = nil
	w.literal(before)
	w.value(types.Field{Name: f.Name, Type: types.NonNull(f.Type)}, v.Clone().Dot("Value"))
	if behind != "" {
		w.literal(behind)
	}
	w.body = append(outer, jen.If(v.Clone().Dot("Valid")).Block(w.body...))
}

// value writes a value that is not null.
func (w *appendWriter) value(f types.Field, v *jen.Statement) {
	try := func(call *jen.Statement) {
		w.add(jen.If(jen.List(w.dst.Clone(), jen.Err()).Op("=").Add(call), jen.Err().Op("!=").Nil()).Block(
			jen.Return(w.dst.Clone(), jen.Err())))
	}
	switch t := f.Type.(type) {
	case *types.Record:
		call := jen.Id(w.r.appendJSON(t)).Call(w.dst.Clone(), addressOf(v))
		if holdsFloat(t) {
			try(call)
			return
		}
		w.set(call)
		return
	case *types.Enum:
		w.set(rt("json", "AppendText").Call(w.dst.Clone(), v.Clone().Dot("String").Call()))
		return
	}
	switch f.Type {
	case types.Float64:
		try(rt("json", "AppendFloat64").Call(w.dst.Clone(), v.Clone(), jen.Lit(f.Name)))
	default:
		w.set(rt("json", jsonAppend[f.Type]).Call(w.dst.Clone(), v.Clone()))
	}
}

var jsonAppend = map[types.Type]string{
	types.String: "AppendText", types.Bytes: "AppendBase64", types.Bool: "AppendBool", types.Int32: "AppendInt", types.Int64: "AppendInt",
	types.Timestamp: "AppendTimestamp", types.Duration: "AppendDuration",
}

// jsonText is a field name as a JSON string. Names of the language need no escapes.
func jsonText(name string) string { return `"` + name + `"` }
