package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// rowJSON is the function that writes a row of a store as JSON: the value of its table, whatever the row holds.
func (e *emitter) rowJSON(s *plan.Store) *jen.Statement {
	if s.Join != nil || s.Kind == plan.Waiting {
		return rt("state", "JoinedJSON").Call(e.records.RowJSON(s.Value))
	}
	if s.State == nil {
		return e.records.RowJSON(s.Value)
	}
	f := jen.Id(stateJSONName(s))
	if readsVariable(stateValue(s)) {
		return f.Call(jen.Id("v"))
	}
	return f
}

func stateJSONName(s *plan.Store) string { return names.Lower(s.Name) + "JSON" }

// stateJSON writes the function of a store whose rows hold the state of aggregators.
func (e *emitter) stateJSON(f *file, s *plan.Store) {
	row, value := jen.Id("state"), jen.Id("value")
	n := NewNames(append(importNames(e.plan), "dst", "src", "state", "value", "err", "v", "arena")...)
	fail := func(err *jen.Statement) []jen.Code { return []jen.Code{jen.Return(jen.Id("dst"), err)} }
	list, worked := e.results(s, row, n)
	usesText := false
	var buffers []jen.Code
	scope := &Scope{
		Records: e.records, Names: n, Fail: fail, Aggregators: list, Text: jen.Id("arena"), UsesText: &usesText,
		Buffer: func(t types.Type, names ...string) *jen.Statement {
			v := jen.Id(n.New(names...))
			buffers = append(buffers, jen.Var().Add(v.Clone()).Add(e.records.Type(t)))
			return v
		},
		Variable: func(label string) *jen.Statement { return jen.Id("v").Dot(e.variableField(label)) },
		Ready:    func(kind library.Constant, text string) *jen.Statement { return e.readyVar(kind, text, s.Origin) },
	}
	body := []jen.Code{jen.Var().Add(row.Clone()).Add(e.records.Type(s.State.Record))}
	body = append(body, e.records.Decode(Decoding{
		Format: plan.Format{Name: "row", Type: s.State.Record}, Src: jen.Id("src"), Dst: row, Fail: fail,
	})...)
	for _, w := range worked {
		body = append(body, w.code)
	}
	assign := scope.Assign(value, stateValue(s))
	if usesText {
		body = append(body, jen.Var().Id("arena").Add(rt("text", "Arena")))
	}
	body = append(body, buffers...)
	body = append(body, jen.Var().Add(value.Clone()).Add(e.records.Type(s.Value)))
	body = append(body, assign...)
	if IsRecord(s.Value) {
		format := plan.Format{Name: "json", Type: s.Value}
		results := []jen.Code{e.records.Append(format, jen.Id("dst"), value)}
		if e.records.Encodable(format) {
			results = append(results, jen.Nil())
		}
		body = append(body, jen.Return(results...))
	} else {
		src := e.records.Append(plan.Format{Name: "row", Type: s.Value}, jen.Nil(), value)
		body = append(body, jen.Return(e.records.RowJSON(types.NonNull(s.Value)).Call(jen.Id("dst"), src)))
	}

	name := stateJSONName(s)
	f.Line().Add(comment(fmt.Sprintf("%s writes a row of store %q, which holds the state of aggregators, as the value of %s.", name, s.Name, s.Origin)))
	params := []jen.Code{jen.List(jen.Id("dst"), jen.Id("src")).Index().Byte()}
	results := []jen.Code{jen.Index().Byte(), jen.Error()}
	if readsVariable(stateValue(s)) {
		f.Func().Id(name).Params(jen.Id("v").Op("*").Id("variables")).Func().Params(params...).Params(results...).Block(
			jen.Return(jen.Func().Params(params...).Params(results...).Block(body...)))
		return
	}
	f.Func().Id(name).Params(params...).Params(results...).Block(body...)
}

// readsVariable says whether e reads a runtime variable.
func readsVariable(e model.Expr) (reads bool) {
	model.Walk(e, func(x model.Expr) {
		v, ok := x.(*model.Var)
		reads = reads || ok && v.Root == model.RootVariable
	})
	return reads
}
