package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/types"
)

// Formats of topics: which decoder and which encoder a key or value has.

// wireNames are the functions of package wire: their names end with these.
var wireNames = map[string]string{
	"string": "String", "bytes": "Bytes", "bool": "Bool", "int16": "Int16", "int32": "Int32", "int64": "Int64", "float32": "Float32", "float64": "Float64",
	"uuid": "UUID",
}

// decode writes a decoding.
func (r *Records) decode(d Decoding) []jen.Code {
	t := types.NonNull(d.Format.Type)
	check := func(dst *jen.Statement) jen.Code {
		if w, ok := t.(*types.Windowed); ok {
			return r.decodeWindowed(d, w, dst)[0]
		}
		return jen.If(jen.Err().Op(":=").Add(r.decodeCall(d, t, dst)), jen.Err().Op("!=").Nil()).Block(d.Fail(jen.Err())...)
	}
	if !types.IsOptional(d.Format.Type) {
		return []jen.Code{check(d.Dst)}
	}
	there := notNil(d.Src)
	if d.Dst == nil {
		return []jen.Code{jen.If(there).Block(check(nil))}
	}
	valid := d.Dst.Clone().Dot("Valid")
	return []jen.Code{jen.If(valid.Clone().Op("=").Add(there), valid).Block(check(d.Dst.Clone().Dot("Value")))}
}

// decodeCall is the call, of type error, that decodes a t, which is not null, into dst, or only looks at it if that is nil.
func (r *Records) decodeCall(d Decoding, t types.Type, dst *jen.Statement) *jen.Statement {
	target := func() *jen.Statement {
		if dst == nil {
			return jen.New(r.goType(t))
		}
		return addressOf(dst)
	}
	switch d.Format.Name {
	case "json":
		record, ok := t.(*types.Record)
		if !ok {
			panic("emit: json of " + t.String())
		}
		fields, check := d.Fields, d.Check
		if dst == nil {
			fields = []string{}
		}
		if fields != nil && len(fields) == 0 && len(check) == 0 {
			return rt("json", "Check").Call(d.Src.Clone())
		}
		name, builds := r.decodeJSON(record, fields, check, d.Purpose, r.styleOf(d.Format))
		if !builds {
			return r.symbol(name).Call(d.Src.Clone())
		}
		return r.symbol(name).Call(d.Src.Clone(), target())
	case "row":
		return r.viewRow(t).Call(d.Src.Clone(), target())
	}
	if dst == nil {
		return rt("wire", "Check"+wireNames[d.Format.Name]).Call(d.Src.Clone())
	}
	return rt("wire", "Decode"+wireNames[d.Format.Name]).Call(d.Src.Clone(), target())
}

// encodable says whether encoding always works.
func (r *Records) encodable(f plan.Format) bool {
	f = f.Elem()
	return f.Name != "int16" && (f.Name != "json" || !holdsFloat(f.Type))
}

// append is the call that appends v, which is not null.
func (r *Records) append(f plan.Format, dst, v *jen.Statement) *jen.Statement {
	t := types.NonNull(f.Type)
	if w, ok := t.(*types.Windowed); ok {
		return r.appendWindowed(f, w, dst, v)
	}
	switch f.Name {
	case "json":
		return r.symbol(r.appendJSON(t.(*types.Record), r.styleOf(f))).Call(dst.Clone(), addressOf(v))
	case "row":
		if name := rowName(t); name != "" && t != types.Timestamp && t != types.Duration {
			return rt("row", "Append"+name).Call(dst.Clone(), v.Clone())
		}
		return r.writeRow(t).Call(dst.Clone(), addressOf(v))
	}
	if t == types.String || t == types.Bytes {
		return jen.Append(dst.Clone(), v.Clone().Op("..."))
	}
	return rt("wire", "Append"+wireNames[f.Name]).Call(dst.Clone(), v.Clone())
}

// encode writes an encoding.
func (r *Records) encode(e Encoding) []jen.Code {
	v := jen.Id(e.Var)
	tail := e.Topic.Clone().Dot("Tail").Call()
	keep := func(b *jen.Statement) *jen.Statement { return e.Topic.Clone().Dot("Keep").Call(b) }
	write := func(src *jen.Statement, op string) []jen.Code {
		if copied := map[types.Type]string{types.String: "Text", types.Bytes: "Copy"}[types.NonNull(e.Format.Type)]; copied != "" && e.Format.Name != "row" {
			return []jen.Code{v.Clone().Op(op).Add(e.Topic.Clone()).Dot(copied).Call(src.Clone())}
		}
		call := r.append(e.Format, tail, src)
		if r.encodable(e.Format) {
			return []jen.Code{v.Clone().Op(op).Add(keep(call))}
		}
		if op == ":=" {
			return []jen.Code{
				jen.List(v.Clone(), jen.Err()).Op(":=").Add(call),
				jen.If(jen.Err().Op("!=").Nil()).Block(e.Fail(jen.Err())...),
				v.Clone().Op("=").Add(keep(v.Clone())),
			}
		}
		bytes := e.Var + "Bytes"
		return []jen.Code{
			jen.List(jen.Id(bytes), jen.Err()).Op(":=").Add(call),
			jen.If(jen.Err().Op("!=").Nil()).Block(e.Fail(jen.Err())...),
			v.Clone().Op("=").Add(keep(jen.Id(bytes))),
		}
	}
	if !types.IsOptional(e.Format.Type) {
		return write(e.Src.It, ":=")
	}
	valid, value := e.Src.parts()
	return []jen.Code{jen.Var().Add(v.Clone()).Index().Byte(), jen.If(valid).Block(write(value, "=")...)}
}

// parts are the condition that an optional is not null, and its value then.
func (p Place) parts() (valid, value *jen.Statement) {
	if p.Valid != nil {
		valid = p.Valid.Clone()
	} else {
		valid = p.It.Clone().Dot("Valid")
	}
	switch {
	case p.Value != nil:
		value = p.Value.Clone()
	case p.It != nil:
		value = p.It.Clone().Dot("Value")
	}
	return valid, value
}
