package check

import (
	"fmt"
	"strings"

	"github.com/streamgen/streamgen/spec/gocode"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Which types of the language Go's are. What generated code has for a type is that type; a signature may also have records by
// pointer and the standard library's times.

// runtimePath is where the types of the language that Go has no word for are.
const runtimePath = "github.com/streamgen/streamgen/runtime/"

var goBasics = map[string]types.Basic{
	"string": types.String, "bool": types.Bool, "int32": types.Int32, "rune": types.Int32, "int64": types.Int64, "float32": types.Float32,
	"float64": types.Float64,
}

// goValue is the type of a parameter or a result. The last result says what to write instead of one that cannot be.
func (c *checker) goValue(t gocode.Type) (types.Type, model.GoForm, string) {
	switch {
	case t.Is("time", "Time"):
		return types.Timestamp, model.GoTime, ""
	case t.Is("time", "Duration"):
		return types.Duration, model.GoTime, ""
	case t.Kind == gocode.Pointer:
		typ, why := c.goType(t.Args[0])
		if _, record := typ.(*types.Record); why == "" && record {
			return typ, model.GoPointer, ""
		}
		return nil, 0, fmt.Sprintf("a pointer to a record is possible; what may be null is optional.Of[%s]", t.Args[0].Text)
	}
	typ, why := c.goType(t)
	return typ, model.GoPlain, why
}

// goType is the type that generated code has as t. The second result says what to write instead of one that cannot be.
func (c *checker) goType(t gocode.Type) (types.Type, string) {
	switch t.Kind {
	case gocode.Basic:
		if b, ok := goBasics[t.Name]; ok {
			return b, ""
		}
		switch {
		case strings.HasPrefix(t.Name, "float") || strings.HasPrefix(t.Name, "complex"):
			return nil, "float64"
		default:
			return nil, "int64, or int32"
		}
	case gocode.Slice:
		if e := t.Args[0]; e.Kind == gocode.Basic && e.Name == "uint8" {
			return types.Bytes, ""
		}
		elem, why := c.goType(t.Args[0])
		if why != "" {
			return nil, "a list of what the language has: []" + why
		}
		return &types.List{Elem: elem}, ""
	case gocode.Pointer:
		return nil, fmt.Sprintf("optional.Of[%s] is what may be null", t.Args[0].Text)
	case gocode.Named:
		return c.goNamed(t)
	}
	if strings.HasPrefix(t.Text, "map[") {
		return nil, "dict.Of[V] of the runtime is map(string, V)"
	}
	return nil, "a type of the language: string, int64, a record, …"
}

func (c *checker) goNamed(t gocode.Type) (types.Type, string) {
	if name, ok := strings.CutPrefix(t.Import, runtimePath); ok {
		switch name + "." + t.Name {
		case "temporal.Timestamp":
			return types.Timestamp, ""
		case "temporal.Duration":
			return types.Duration, ""
		case "uuid.UUID":
			return types.UUID, ""
		case "optional.Of", "dict.Of":
			elem, why := c.goType(t.Args[0])
			switch {
			case why != "":
				return nil, t.Name + " of what the language has: " + why
			case t.Name == "Of" && name == "dict":
				return &types.Map{Elem: elem}, ""
			case types.IsOptional(elem):
				return nil, "optional does not nest"
			}
			return types.OptionalOf(elem), ""
		case "decimal.Decimal":
			return nil, "a record of the spec with a field of type decimal(p, s): the number alone does not say its scale"
		}
	}
	for _, a := range c.adopted {
		if a.ref.Import == t.Import && a.ref.Name == t.Name {
			a.typ.used = true
			return a.typ.record, ""
		}
	}
	if n := c.named[t.Name]; n != nil && t.Import == c.recordsPath && t.Import != "" {
		n.used = true
		return n.typ(), ""
	}
	switch {
	case t.Is("time", "Time"):
		return nil, "temporal.Timestamp of the runtime"
	case t.Is("time", "Duration"):
		return nil, "temporal.Duration of the runtime"
	case t.Under == "struct" && len(t.Args) == 0:
		return nil, fmt.Sprintf("type %q { go = %q } adopts the struct", t.Name, t.Import+"."+t.Name)
	case goBasics[t.Under] != 0:
		return nil, t.Under + ": the language has no type of this name"
	}
	return nil, "a type of the language: string, int64, a record, …"
}
