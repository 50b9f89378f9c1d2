package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/spec/library"
)

// ready is a variable of the package that holds what a constant of the spec is made into before the program processes anything: a
// regular expression, a time zone, a JSON path. The same constant is made once.
type ready struct {
	kind library.Constant
	text string
	name string
}

// readyVar is the variable for a constant. It is named after the block whose expression it stands in; a zone after itself. It is
// declared in the file that is written next.
func (e *emitter) readyVar(kind library.Constant, text, address string) *jen.Statement {
	for _, r := range e.made {
		if r.kind == kind && r.text == text {
			return jen.Id(r.name)
		}
	}
	words := strings.Split(address, ".")
	candidates := []string{names.Role(kind.String(), words[min(1, len(words)-1)]), names.Role(kind.String(), words[1:]...)}
	if kind == library.Zone {
		candidates = []string{names.Role(kind.String(), strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '_' || r == '+' || r == '-' })...)}
	}
	r := ready{kind, text, e.globals().New(candidates...)}
	e.made, e.pending = append(e.made, r), append(e.pending, r)
	return jen.Id(r.name)
}

// globals are the names of the package.
func (e *emitter) globals() *Names {
	if e.names != nil {
		return e.names
	}
	e.names = NewNames(append(importNames(e.plan), "Topology", "positions", "variables")...)
	for _, t := range e.plan.Topics {
		e.names.New(t.Go)
	}
	for _, s := range e.plan.Stores {
		e.names.New(storeConst(s))
	}
	for _, p := range e.plan.Positions {
		e.names.New(p.Go)
	}
	for _, s := range e.plan.SubTopologies {
		e.names.New(s.Go)
		e.names.New(constructor(s))
		for _, src := range s.Sources {
			e.names.New(src.Go)
		}
	}
	return e.names
}

// declareReady writes the variables that what was written since the last call needs.
func (e *emitter) declareReady(f *file) {
	if len(e.pending) == 0 {
		return
	}
	f.Comment("Made once from constants of the spec.")
	f.Var().DefsFunc(func(g *jen.Group) {
		for _, r := range e.pending {
			g.Id(r.name).Op("=").Add(r.value())
		}
	})
	f.Line()
	e.pending = nil
}

func (r ready) value() *jen.Statement {
	text := jen.Lit(r.text)
	switch r.kind {
	case library.Pattern:
		if !strings.Contains(r.text, "`") && strings.Contains(r.text, `\`) {
			text = jen.Id("`" + r.text + "`")
		}
		return jen.Qual("regexp", "MustCompile").Call(text)
	case library.Zone:
		return rt("calendar", "MustZone").Call(text)
	default:
		return rt("json", "MustPath").Call(text)
	}
}
