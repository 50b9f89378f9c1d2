package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/runtime/temporal"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// variables writes the type that holds the variables of a running program. Topology makes one, and gives it to the
// sub-topologies that read it: two programs in one process share nothing.
func (e *emitter) variables(f *file) {
	if len(e.plan.Variables) == 0 {
		return
	}
	var fields []jen.Code
	for _, v := range e.plan.Variables {
		fields = append(fields, jen.Id(v.Go).Add(e.records.Type(v.Type)).Comment("// var."+v.Label))
	}
	f.Line().Comment("variables are read when the program starts, before it processes anything.")
	f.Type().Id("variables").Struct(fields...)
}

// variableField is the field of a variable.
func (e *emitter) variableField(label string) string {
	for _, v := range e.plan.Variables {
		if v.Label == label {
			return v.Go
		}
	}
	panic("emit: no variable " + label)
}

// variableLiterals declares the variables to the runtime.
func (e *emitter) variableLiterals() jen.Code {
	var list []jen.Code
	for _, v := range e.plan.Variables {
		fields := []jen.Code{keyed("Name", jen.Lit(v.Label)), keyed("Type", jen.Lit(v.Type.String()))}
		if c, ok := v.Default.(*model.Const); ok {
			fields = append(fields, keyed("Default", jen.Lit(givenText(c))), keyed("HasDefault", jen.True()))
		}
		list = append(list, jen.Values(append(fields, keyed("Set", e.setter(v)))...))
	}
	return jen.Index().Add(rt("", "Variable")).Add(lines(list))
}

// givenText is a constant as a user would give it to the program.
func givenText(c *model.Const) string {
	switch v := c.Value.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		switch c.Type {
		case types.Timestamp:
			return temporal.Timestamp(v).String()
		case types.Duration:
			return temporal.Duration(v).String()
		}
	}
	return strings.Trim(constText(c), `"`)
}

// setter is the function that parses a variable.
func (e *emitter) setter(v *plan.Variable) jen.Code {
	s := &Scope{
		Records: e.records,
		Names:   NewNames("v", "text", "err"),
		Value:   Place{It: jen.Id("text")},
		Fail:    func(err *jen.Statement) []jen.Code { return []jen.Code{jen.Return(err)} },
	}
	var x model.Expr = &model.Var{ExprBase: model.ExprBase{Type: types.String}, Root: model.RootValue}
	if v.Type != types.String {
		x = &model.Convert{ExprBase: model.ExprBase{Type: v.Type, Fallible: true}, X: x}
	}
	body := append(s.Assign(jen.Id("v").Dot(v.Go), x), jen.Return(jen.Nil()))
	return jen.Func().Params(jen.Id("text").String()).Error().Block(body...)
}

// readsVariables says whether a sub-topology needs the variables.
func (e *emitter) readsVariables(s *plan.SubTopology) bool { return e.usesVariables[s] }
