package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/runtime/json"
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
		if v.Default != nil {
			fields = append(fields, keyed("Default", jen.Lit(defaultText(v))), keyed("HasDefault", jen.True()))
		}
		list = append(list, jen.Values(append(fields, keyed("Set", e.setter(v)))...))
	}
	return jen.Index().Add(rt("", "Variable")).Add(lines(list))
}

// isComposite says whether a type is made of others. Users write values of such types as JSON.
func isComposite(t types.Type) bool { return !scalar(t) }

// defaultText is the default of a variable as a user would give it to the program.
func defaultText(v *plan.Variable) string {
	if c, ok := v.Default.(*model.Const); ok && !isComposite(v.Type) {
		return givenText(c)
	}
	return string(appendConstant(nil, v.Default))
}

// appendConstant appends an expression of constants as JSON.
func appendConstant(dst []byte, e model.Expr) []byte {
	switch e := e.(type) {
	case *model.Wrap:
		return appendConstant(dst, e.X)
	case *model.List:
		dst = append(dst, '[')
		for i, x := range e.Items {
			dst = appendConstant(comma(dst, i), x)
		}
		return append(dst, ']')
	case *model.Dict:
		dst = append(dst, '{')
		for i, k := range e.Keys {
			dst = append(appendConstant(comma(dst, i), k), ':')
			dst = appendConstant(dst, e.Values[i])
		}
		return append(dst, '}')
	case *model.New:
		dst = append(dst, '{')
		n := 0
		for i, f := range e.Type.(*types.Record).Fields {
			if k, ok := e.Fields[i].(*model.Const); ok && types.IsOptional(f.Type) && k.Value == nil {
				continue
			}
			dst = append(json.AppendText(comma(dst, n), f.Name), ':')
			dst = appendConstant(dst, e.Fields[i])
			n++
		}
		return append(dst, '}')
	}
	c := e.(*model.Const)
	t := types.NonNull(c.Type)
	_, isEnum := t.(*types.Enum)
	switch {
	case c.Value == nil:
		return append(dst, constText(c)...)
	case t == types.Bytes:
		return json.AppendBase64(dst, c.Value.([]byte))
	case isEnum, t == types.String, t == types.UUID, t == types.Timestamp, t == types.Duration:
		return json.AppendText(dst, givenText(c))
	}
	return append(dst, givenText(c)...)
}

// comma begins element n of a list.
func comma(dst []byte, n int) []byte {
	if n > 0 {
		return append(dst, ',')
	}
	return dst
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
	if isComposite(v.Type) {
		read := e.records.FromJSON(v.Type).Call(jen.Index().Byte().Parens(jen.Id("text")), addressOf(jen.Id("v").Dot(v.Go)))
		return jen.Func().Params(jen.Id("text").String()).Error().Block(jen.Return(read))
	}
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
