package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/types"
)

// laneFields is how many fields a decoder asks for in the order of their type. It bounds the length of decoders: of a wider
// record, the walk over names reads the rest.
const laneFields = 16

// lane asks for the fields in the order of the type, before the walk over whatever comes: nearly all records are written like
// that, and one comparison finds a field then. Fields that are not read are passed over, as the next one stands behind them.
// The lane ends before a list or a map, whose code would stand there twice.
func (w *objectWriter) lane(mark map[int]jen.Code) []jen.Code {
	var lane []jen.Code
	read := false
	for i, f := range w.d.Record.Fields {
		if i == laneFields || f.Name == types.Unknown || holdsLoop(f.Type) && (w.set.build[i] || w.set.check[i]) {
			break
		}
		place := jen.Id("at")
		if i == 0 {
			place = jen.Id("i")
		}
		body, isRead := w.fieldAt(i, place)
		if m := mark[i]; m != nil {
			body = append(body, m)
		}
		read = read || isRead
		if i == 0 {
			lane = body
			continue
		}
		name := rawLit("," + jsonText(w.set.style.name(f.Name)) + ":")
		lane = append(lane, jen.If(jen.Id("at").Op(":=").Add(w.on("Then", jen.Id("i"), name)), jen.Id("at").Op(">").Lit(0)).Block(body...))
	}
	if !read || len(w.d.Record.Fields) < 2 {
		return nil
	}
	first := rawLit("{" + jsonText(w.set.style.name(w.d.Record.Fields[0].Name)) + ":")
	return []jen.Code{
		jen.Comment("The fields as most records have them: in order, without white space."),
		jen.If(jen.Id("i").Op(":=").Add(w.on("First", first)), jen.Id("i").Op(">").Lit(0)).Block(append(lane, w.on("Seek", jen.Id("i")))...),
		jen.Comment("All that comes otherwise."),
	}
}

// fieldAt reads the value of a field at an offset, or passes over it if nobody asks for the field, and moves i behind it.
func (w *objectWriter) fieldAt(i int, at *jen.Statement) (body []jen.Code, read bool) {
	f := w.d.Record.Fields[i]
	if w.set.build[i] {
		if method := atMethods[f.Type]; method != "" {
			return []jen.Code{jen.List(jen.Id(w.d.recv).Dot(w.d.Fields[i]), jen.Id("i")).Op("=").Add(w.on(method, at))}, true
		}
	}
	if body, read = w.field(i); !read {
		return []jen.Code{jen.Id("i").Op("=").Add(w.on("SkipAt", at))}, false
	}
	body = append([]jen.Code{w.on("Seek", at)}, body...)
	return append(body, jen.Id("i").Op("=").Add(w.on("Offset"))), true
}

// atMethods are the methods of the reader that read a value at an offset. Others read where the reader stands.
var atMethods = map[types.Type]string{
	types.String: "TextAt", types.Int32: "Int32At", types.Int64: "Int64At", types.Float64: "Float64At",
}

// on is a call of a method of the reader.
func (w *objectWriter) on(method string, args ...jen.Code) *jen.Statement {
	return w.reader.Clone().Dot(method).Call(args...)
}

// holdsLoop says whether values of t are read by a loop that stands in the decoder itself.
func holdsLoop(t types.Type) bool {
	switch t := t.(type) {
	case *types.Optional:
		return holdsLoop(t.Elem)
	case *types.List, *types.Map:
		return true
	}
	return false
}

// rawLit is text as a literal, in backquotes if they can hold it.
func rawLit(text string) *jen.Statement {
	if !strconv.CanBackquote(text) {
		return jen.Lit(text)
	}
	return jen.Op("`" + text + "`")
}
