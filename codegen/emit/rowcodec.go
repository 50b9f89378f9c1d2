package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/types"
)

// Codecs of rows: the engine's binary form, for stores and internal topics.

// rowNames are the functions of package row for types that are no records: their names end with these.
var rowNames = map[types.Type]string{
	types.String: "Text", types.Bytes: "Bytes", types.Bool: "Bool", types.Int32: "Int32", types.Int64: "Int64", types.Float64: "Float64",
	types.Float32: "Float32", types.Timestamp: "Timestamp", types.Duration: "Duration", types.UUID: "UUID",
}

// rowName is what the names of package row end with for a type that is no record, enum, list or map.
func rowName(t types.Type) string {
	if types.IsDecimal(t) {
		return "Decimal"
	}
	return rowNames[t]
}

// codec is the state.Codec of rows of type t.
func (r *Records) codec(t types.Type) *jen.Statement {
	return rt("state", "Codec").Index(r.goType(t)).Values(jen.Dict{
		jen.Id("Append"): r.writeRow(t),
		jen.Id("Read"):   r.readRow(t),
	})
}

// writeRow is a func(dst []byte, v *T) []byte.
func (r *Records) writeRow(t types.Type) *jen.Statement {
	switch t := t.(type) {
	case *types.Record:
		return r.symbol(r.appendRow(t))
	case *types.Enum:
		return r.symbol(r.appendEnumRow(t))
	case *types.List, *types.Map:
		return r.symbol(r.appendListRow(t))
	}
	return rt("row", "Write"+rowName(t))
}

// readRow is a func(src []byte, v *T) error that copies.
func (r *Records) readRow(t types.Type) *jen.Statement {
	switch t := t.(type) {
	case *types.Record:
		return r.symbol(r.rowReader(t, "Read", "Copy"))
	case *types.Enum:
		return r.symbol(r.enumRowReader(t))
	case *types.List, *types.Map:
		return r.symbol(r.listRowReader(t, "Read", "Copy"))
	}
	return rt("row", "Read"+rowName(t))
}

// viewRow is a func(src []byte, v *T) error whose strings are views of src.
func (r *Records) viewRow(t types.Type) *jen.Statement {
	if t, ok := t.(*types.Record); ok {
		if !holdsText(t) {
			return r.readRow(t)
		}
		return r.symbol(r.rowReader(t, "View", "View"))
	}
	switch t.(type) {
	case *types.List, *types.Map:
		return r.symbol(r.listRowReader(t, "View", "View"))
	}
	if t == types.String || t == types.Bytes {
		return rt("row", "View"+rowNames[t])
	}
	return r.readRow(t)
}

// appendRow is the encoder of a record's rows.
func (r *Records) appendRow(t *types.Record) string {
	d := r.declared(t)
	name := r.unique("Append" + d.Name + "Row")
	return d.need(name, rankAppendRow, func() *jen.Statement {
		var body []jen.Code
		for i, f := range d.Record.Fields {
			body = append(body, r.appendRowValue(f.Type, jen.Id(d.recv).Dot(d.Fields[i]), 0)...)
		}
		body = append(body, jen.Return(jen.Id("dst")))
		return jen.Comment(name+" writes "+article(d.Name)+" as a row.").Line().
			Func().Id(name).Params(jen.Id("dst").Index().Byte(), jen.Id(d.recv).Op("*").Add(d.typ())).Index().Byte().Block(body...)
	})
}

func (r *Records) appendRowValue(t types.Type, v *jen.Statement, depth int) []jen.Code {
	set := func(call *jen.Statement) jen.Code { return jen.Id("dst").Op("=").Add(call) }
	switch t := t.(type) {
	case *types.Optional:
		return []jen.Code{
			set(rt("row", "AppendBool").Call(jen.Id("dst"), v.Clone().Dot("Valid"))),
			jen.If(v.Clone().Dot("Valid")).Block(r.appendRowValue(t.Elem, v.Clone().Dot("Value"), depth)...),
		}
	case *types.List:
		i := loopIndex(depth)
		return []jen.Code{
			set(rt("row", "AppendLength").Call(jen.Id("dst"), jen.Len(v.Clone()))),
			jen.For(i.Clone().Op(":=").Range().Add(v.Clone())).Block(r.appendRowValue(t.Elem, v.Clone().Index(i), depth+1)...),
		}
	case *types.Map:
		i := loopIndex(depth)
		entry := v.Clone().Index(i)
		return []jen.Code{
			set(rt("row", "AppendLength").Call(jen.Id("dst"), jen.Len(v.Clone()))),
			jen.For(i.Clone().Op(":=").Range().Add(v.Clone())).Block(append(
				r.appendRowValue(types.String, entry.Clone().Dot("Key"), depth+1), r.appendRowValue(t.Elem, entry.Clone().Dot("Value"), depth+1)...)...),
		}
	case *types.Record:
		return []jen.Code{set(jen.Id(r.appendRow(t)).Call(jen.Id("dst"), addressOf(v)))}
	case *types.Enum:
		return []jen.Code{set(rt("row", "AppendText").Call(jen.Id("dst"), v.Clone().Dot("String").Call()))}
	}
	if t == types.Timestamp || t == types.Duration {
		return []jen.Code{set(rt("row", "AppendInt64").Call(jen.Id("dst"), jen.Int64().Call(v.Clone())))}
	}
	return []jen.Code{set(rt("row", "Append"+rowName(t)).Call(jen.Id("dst"), v.Clone()))}
}

// loopIndex is the variable of a loop within so many others.
func loopIndex(depth int) *jen.Statement { return jen.Id(string(rune('i' + depth))) }

// rowReader is a decoder of whole rows.
func (r *Records) rowReader(t *types.Record, verb, from string) string {
	d := r.declared(t)
	name := r.unique(verb + d.Name + "Row")
	return d.need(name, rankReadRow, func() *jen.Statement {
		doc := name + " reads " + article(d.Name) + " from a row."
		switch {
		case !holdsText(d.Record):
			from = "View" // nothing is kept of src
		case from == "Copy":
			doc = name + " reads " + article(d.Name) + " from a row, which is copied."
		default:
			doc = name + " reads " + article(d.Name) + " from a row; its strings are views of src."
		}
		return jen.Comment(doc).Line().
			Func().Id(name).Params(jen.Id("src").Index().Byte(), jen.Id(d.recv).Op("*").Add(d.typ())).Error().Block(
			jen.Id("r").Op(":=").Add(rt("row", from)).Call(jen.Id("src")),
			jen.Id(r.rowFields(t)).Call(jen.Op("&").Id("r"), jen.Id(d.recv)),
			jen.Return(jen.Id("r").Dot("Err").Call()))
	})
}

// rowFields reads the fields of a record from where a row.Reader stands.
func (r *Records) rowFields(t *types.Record) string {
	d := r.declared(t)
	name := r.unique("read" + d.Name + "Row")
	return d.need(name, rankReadRow, func() *jen.Statement {
		var body []jen.Code
		for i, f := range d.Record.Fields {
			body = append(body, r.readRowValue(f.Type, jen.Id(d.recv).Dot(d.Fields[i]), 0)...)
		}
		return jen.Comment(name+" reads the fields of "+article(d.Name)+".").Line().
			Func().Id(name).Params(jen.Id("r").Op("*").Add(rt("row", "Reader")), jen.Id(d.recv).Op("*").Add(d.typ())).Block(body...)
	})
}

func (r *Records) readRowValue(t types.Type, v *jen.Statement, depth int) []jen.Code {
	read := func(method string) *jen.Statement { return jen.Id("r").Dot(method).Call() }
	switch t := t.(type) {
	case *types.Optional:
		valid := v.Clone().Dot("Valid")
		return []jen.Code{jen.If(valid.Clone().Op("=").Add(read("Bool")), valid).Block(r.readRowValue(t.Elem, v.Clone().Dot("Value"), depth)...)}
	case *types.List:
		i := loopIndex(depth)
		return []jen.Code{
			v.Clone().Op("=").Add(rt("row", "List")).Call(jen.Id("r"), v.Clone()),
			jen.For(i.Clone().Op(":=").Range().Add(v.Clone())).Block(r.readRowValue(t.Elem, v.Clone().Index(i), depth+1)...),
		}
	case *types.Map:
		i := loopIndex(depth)
		entry := v.Clone().Index(i)
		return []jen.Code{
			v.Clone().Op("=").Add(rt("row", "List")).Call(jen.Id("r"), v.Clone()),
			jen.For(i.Clone().Op(":=").Range().Add(v.Clone())).Block(append(
				r.readRowValue(types.String, entry.Clone().Dot("Key"), depth+1), r.readRowValue(t.Elem, entry.Clone().Dot("Value"), depth+1)...)...),
		}
	case *types.Record:
		return []jen.Code{jen.Id(r.rowFields(t)).Call(jen.Id("r"), addressOf(v))}
	case *types.Enum:
		return []jen.Code{v.Clone().Op("=").Id(r.enumRowField(t)).Call(jen.Id("r"))}
	}
	if t == types.Timestamp || t == types.Duration {
		return []jen.Code{v.Clone().Op("=").Add(r.goType(t)).Call(read("Int64"))}
	}
	return []jen.Code{v.Clone().Op("=").Add(read(rowName(t)))}
}

// appendListRow and listRowReader are the codec of rows that are a list or a map.
func (r *Records) appendListRow(t types.Type) string {
	name := r.unique("Append" + r.typeName(t) + "Row")
	return r.collections.need(name, rankAppendRow, func() *jen.Statement {
		body := append(r.appendRowValue(t, jen.Parens(jen.Op("*").Id("v")), 0), jen.Return(jen.Id("dst")))
		return jen.Comment(name+" writes "+article(t.String())+" as a row.").Line().
			Func().Id(name).Params(jen.Id("dst").Index().Byte(), jen.Id("v").Op("*").Add(r.goType(t))).Index().Byte().Block(body...)
	})
}

func (r *Records) listRowReader(t types.Type, verb, from string) string {
	name := r.unique(verb + r.typeName(t) + "Row")
	return r.collections.need(name, rankReadRow, func() *jen.Statement {
		doc := name + " reads " + article(t.String()) + " from a row, which is copied."
		if from == "View" {
			doc = name + " reads " + article(t.String()) + " from a row into the memory of v; its strings are views of src."
		}
		body := []jen.Code{jen.Id("in").Op(":=").Add(rt("row", from)).Call(jen.Id("src")), jen.Id("r").Op(":=").Op("&").Id("in")}
		body = append(body, r.readRowValue(t, jen.Parens(jen.Op("*").Id("v")), 0)...)
		return jen.Comment(doc).Line().
			Func().Id(name).Params(jen.Id("src").Index().Byte(), jen.Id("v").Op("*").Add(r.goType(t))).Error().Block(
			append(body, jen.Return(jen.Id("r").Dot("Err").Call()))...)
	})
}

// enumRowField reads an enum from where a row.Reader stands. The empty name is that of no value.
func (r *Records) enumRowField(t *types.Enum) string {
	d := r.declared(t)
	name := r.unique("read" + d.Name + "Row")
	return d.need(name, rankReadRow, func() *jen.Statement {
		return jen.Comment(name+" reads "+article(d.Name)+" from a row. A row may hold none, which is the empty name.").Line().
			Func().Id(name).Params(jen.Id("r").Op("*").Add(rt("row", "Reader"))).Id(d.Name).Block(
			jen.Id("name").Op(":=").Id("r").Dot("Text").Call(),
			jen.List(jen.Id(d.recv), jen.Err()).Op(":=").Id("Parse"+d.Name).Call(jen.Id("name")),
			jen.If(jen.Err().Op("!=").Nil().Op("&&").Id("name").Op("!=").Lit("")).Block(jen.Id("r").Dot("Fail").Call(jen.Err())),
			jen.Return(jen.Id(d.recv)))
	})
}

// appendEnumRow and enumRowReader are the codec of rows that are an enum.
func (r *Records) appendEnumRow(t *types.Enum) string {
	d := r.declared(t)
	name := r.unique("Append" + d.Name + "Row")
	return d.need(name, rankAppendRow, func() *jen.Statement {
		return jen.Comment(name+" writes "+article(d.Name)+" as a row.").Line().
			Func().Id(name).Params(jen.Id("dst").Index().Byte(), jen.Id(d.recv).Op("*").Add(d.typ())).Index().Byte().Block(
			jen.Return(rt("row", "AppendText").Call(jen.Id("dst"), jen.Id(d.recv).Dot("String").Call())))
	})
}

func (r *Records) enumRowReader(t *types.Enum) string {
	d := r.declared(t)
	name := r.unique("Read" + d.Name + "Row")
	return d.need(name, rankReadRow, func() *jen.Statement {
		return jen.Comment(name+" reads "+article(d.Name)+" from a row.").Line().
			Func().Id(name).Params(jen.Id("src").Index().Byte(), jen.Id(d.recv).Op("*").Add(d.typ())).Error().Block(
			jen.Id("r").Op(":=").Add(rt("row", "View")).Call(jen.Id("src")),
			jen.Op("*").Id(d.recv).Op("=").Id(r.enumRowField(t)).Call(jen.Op("&").Id("r")),
			jen.Return(jen.Id("r").Dot("Err").Call()))
	})
}

// rowJSON is the function that writes a row of type t as JSON.
func (r *Records) rowJSON(t types.Type) *jen.Statement {
	switch t := t.(type) {
	case *types.Decimal:
		return rt("row", "DecimalJSON").Call(jen.Lit(t.Scale))
	case types.Basic:
		return rt("row", rowNames[t]+"JSON")
	}
	d := r.of(t)
	what := r.typeName(t)
	name := r.unique(what + "RowJSON")
	return r.symbol(d.need(name, rankRowJSON, func() *jen.Statement {
		v := jen.Id(d.recv)
		body := []jen.Code{jen.Var().Add(v.Clone()).Add(r.goType(t))}
		var read *jen.Statement
		var write []jen.Code
		switch t := t.(type) {
		case *types.Record:
			read = jen.Id(r.rowReader(t, "View", "View")).Call(jen.Id("src"), addressOf(v))
			call := jen.Id(r.appendJSON(t, r.stateStyle(t))).Call(jen.Id("dst"), addressOf(v))
			if holdsFloat(t) {
				write = []jen.Code{jen.Return(call)}
			} else {
				write = []jen.Code{jen.Return(call, jen.Nil())}
			}
		case *types.Enum:
			read = jen.Id(r.enumRowReader(t)).Call(jen.Id("src"), addressOf(v))
			write = []jen.Code{jen.Return(rt("json", "AppendText").Call(jen.Id("dst"), v.Clone().Dot("String").Call()), jen.Nil())}
		default:
			what = t.String()
			read = jen.Id(r.listRowReader(t, "View", "View")).Call(jen.Id("src"), addressOf(v))
			w := &appendWriter{r: r, fails: holdsFloat(t), dst: jen.Id("dst"), style: r.stateStyle(t)}
			if w.fails {
				w.add(jen.Var().Err().Error())
			}
			w.value(types.Field{Type: t}, v, w.style, 0)
			write = append(w.body, jen.Return(jen.Id("dst"), jen.Nil()))
		}
		body = append(body, jen.If(jen.Err().Op(":=").Add(read), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Id("dst"), jen.Err())))
		return jen.Comment(name+" writes a row of "+what+" as JSON.").Line().
			Func().Id(name).Params(jen.Id("dst"), jen.Id("src").Index().Byte()).Params(jen.Index().Byte(), jen.Error()).Block(append(body, write...)...)
	}))
}
