package emit

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/runtime/json"
	"github.com/streamgen/streamgen/spec/types"
)

// Encoders of JSON: fields in the order of the type, optional ones that are null left out.

// appendJSON is the encoder of a record: func(dst []byte, v *T) []byte, with an error as second result if it holds floats.
func (r *Records) appendJSON(t *types.Record, s *style) string {
	d := r.declared(t)
	name := r.unique("Append" + d.Name + s.suffix)
	return d.need(name, rankAppend, func() *jen.Statement {
		w := &appendWriter{r: r, fails: holdsFloat(d.Record), dst: jen.Id("dst"), style: s}
		doc := name + " writes " + article(d.Name) + " as JSON."
		result := jen.Index().Byte()
		if w.fails {
			doc += " JSON has no NaN and no infinities: they are an error."
			result = jen.Params(jen.Index().Byte(), jen.Error())
			w.add(jen.Var().Err().Error())
		}
		w.object(d, name)
		return jen.Comment(doc).Line().Func().Id(name).Params(jen.Id("dst").Index().Byte(), jen.Id(d.recv).Op("*").Add(d.typ())).
			Add(result).Block(w.body...)
	})
}

// appendWriter writes an encoder.
type appendWriter struct {
	r     *Records
	style *style
	fails bool
	dst   *jen.Statement
	body  []jen.Code
}

func (w *appendWriter) add(c ...jen.Code) { w.body = append(w.body, c...) }

// set is dst = call.
func (w *appendWriter) set(call *jen.Statement) { w.add(w.dst.Clone().Op("=").Add(call)) }

// try is dst = call, whose second result is an error.
func (w *appendWriter) try(call *jen.Statement) {
	w.add(jen.If(jen.List(w.dst.Clone(), jen.Err()).Op("=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(w.dst.Clone(), jen.Err())))
}

// literal appends text.
func (w *appendWriter) literal(text string) {
	if len(text) == 1 {
		w.set(jen.Append(w.dst.Clone(), jen.LitRune(rune(text[0]))))
		return
	}
	quoted := "`" + text + "`"
	if !strconv.CanBackquote(text) {
		quoted = strconv.Quote(text)
	}
	w.set(jen.Append(w.dst.Clone(), jen.Op(quoted).Op("...")))
}

// object writes the fields. Up to the first field that is required, a comma follows each one, as nobody knows which is the
// first; from there on it stands before each.
func (w *appendWriter) object(d *recordsType, name string) {
	fields := d.Record.Fields
	value := func(i int) *jen.Statement { return jen.Id(d.recv).Dot(d.Fields[i]) }
	label := func(i int) string { return jsonText(w.style.name(fields[i].Name)) + ":" }
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
	one := func(i int) {
		if types.IsOptional(fields[i].Type) {
			w.optional(fields[i], value(i), ","+label(i), "")
		} else {
			w.literal(pending + label(i))
			w.value(fields[i], value(i), w.below(fields[i]), 0)
		}
		pending = ","
	}
	inline := len(fields)
	if len(fields) > leading+manyFields {
		inline = leading + 1
	}
	for i := leading; i < inline; i++ {
		one(i)
	}
	w.fieldsFrom(inline, d, name, one)
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
	if f.Name == types.Unknown {
		w.unknown(v, strings.HasPrefix(before, ","), behind)
		return
	}
	outer := w.body
	w.body = nil
	w.literal(before)
	w.value(types.Field{Name: f.Name, Type: types.NonNull(f.Type)}, v.Clone().Dot("Value"), w.below(f), 0)
	if behind != "" {
		w.literal(behind)
	}
	w.body = append(outer, jen.If(v.Clone().Dot("Valid")).Block(w.body...))
}

// unknown writes the fields that the type does not have, with a comma in front of them or behind them.
func (w *appendWriter) unknown(v *jen.Statement, comma bool, behind string) {
	if !w.style.keep {
		return
	}
	outer := w.body
	w.body = nil
	if comma {
		w.literal(",")
	}
	w.set(jen.Append(w.dst.Clone(), v.Clone().Dot("Value").Op("...")))
	if behind != "" {
		w.literal(behind)
	}
	w.body = append(outer, jen.If(v.Clone().Dot("Valid")).Block(w.body...))
}

// below is the style of a field's value.
func (w *appendWriter) below(f types.Field) *style { return w.style.below(w.r, f.Name, f.Type) }

// value writes a value that is not null, within so many loops.
func (w *appendWriter) value(f types.Field, v *jen.Statement, s *style, depth int) {
	switch t := f.Type.(type) {
	case *types.Record:
		call := jen.Id(w.r.appendJSON(t, s)).Call(w.dst.Clone(), addressOf(v))
		if holdsFloat(t) {
			w.try(call)
			return
		}
		w.set(call)
		return
	case *types.Enum:
		w.set(rt("json", "AppendText").Call(w.dst.Clone(), v.Clone().Dot("String").Call()))
		return
	case *types.Decimal:
		w.set(rt("json", "AppendDecimal").Call(w.dst.Clone(), v.Clone(), jen.Lit(t.Scale)))
		return
	case *types.List:
		w.list('[', ']', v, depth, func(i *jen.Statement) { w.element(f.Name, t.Elem, v.Clone().Index(i), s, depth+1) })
		return
	case *types.Map:
		w.list('{', '}', v, depth, func(i *jen.Statement) {
			w.set(rt("json", "AppendText").Call(w.dst.Clone(), v.Clone().Index(i).Dot("Key")))
			w.literal(":")
			w.element(f.Name, t.Elem, v.Clone().Index(i).Dot("Value"), s, depth+1)
		})
		return
	}
	switch {
	case types.IsFloat(f.Type):
		w.try(rt("json", "Append"+upperFirst(f.Type.String())).Call(w.dst.Clone(), v.Clone(), jen.Lit(f.Name)))
	case f.Type == types.Timestamp && unixTimes[s.times] != "":
		w.set(rt("json", "Append"+unixTimes[s.times]).Call(w.dst.Clone(), v.Clone()))
	default:
		w.set(rt("json", jsonAppend[f.Type]).Call(w.dst.Clone(), v.Clone()))
	}
}

var jsonAppend = map[types.Type]string{
	types.String: "AppendText", types.Bytes: "AppendBase64", types.Bool: "AppendBool", types.Int32: "AppendInt", types.Int64: "AppendInt",
	types.Timestamp: "AppendTimestamp", types.Duration: "AppendDuration", types.UUID: "AppendUUID",
}

// list writes the elements of a list or a map between brackets.
func (w *appendWriter) list(open, end rune, v *jen.Statement, depth int, element func(i *jen.Statement)) {
	i := loopIndex(depth)
	w.literal(string(open))
	outer := w.body
	w.body = []jen.Code{jen.If(i.Clone().Op(">").Lit(0)).Block(w.dst.Clone().Op("=").Append(w.dst.Clone(), jen.LitRune(',')))}
	element(i)
	w.body = append(outer, jen.For(i.Clone().Op(":=").Range().Add(v.Clone())).Block(w.body...))
	w.literal(string(end))
}

// element writes a value of a list or a map, which may be null.
func (w *appendWriter) element(field string, t types.Type, v *jen.Statement, s *style, depth int) {
	o, ok := t.(*types.Optional)
	if !ok {
		w.value(types.Field{Name: field, Type: t}, v, s, depth)
		return
	}
	outer := w.body
	w.body = nil
	w.value(types.Field{Name: field, Type: o.Elem}, v.Clone().Dot("Value"), s, depth)
	w.body = append(outer, jen.If(v.Clone().Dot("Valid")).Block(w.body...).Else().Block(
		w.dst.Clone().Op("=").Append(w.dst.Clone(), jen.Lit("null").Op("..."))))
}

// jsonText is a field name as a JSON string.
func jsonText(name string) string { return string(json.AppendText(nil, name)) }
