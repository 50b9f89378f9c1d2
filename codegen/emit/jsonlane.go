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
		body, isRead := w.field(i)
		method, before := "Then", ","
		if i == 0 {
			method, before = "First", "{"
		}
		name := before + jsonText(w.set.style.name(f.Name)) + ":"
		read = read || isRead
		switch {
		case isRead:
			if m := mark[i]; m != nil {
				body = append(body, m)
			}
		case i > 0:
			lane = append(lane, w.reader.Clone().Dot("Pass").Call(rawLit(name)))
			continue
		default:
			body = []jen.Code{w.reader.Clone().Dot("Skip").Call()}
		}
		lane = append(lane, jen.If(w.reader.Clone().Dot(method).Call(rawLit(name))).Block(body...))
	}
	if !read || len(lane) < 2 {
		return nil
	}
	lane = append([]jen.Code{jen.Comment("The fields as most records have them: in order, without white space.")}, lane...)
	return append(lane, jen.Comment("All that comes otherwise."))
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
