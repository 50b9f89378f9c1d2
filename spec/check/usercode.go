package check

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/gocode"
	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// userFunction is a function block.
type userFunction struct {
	block  *syntax.Block
	ref    gocode.Ref
	at     diag.Range // of the reference
	symbol *gocode.Symbol
	model  *model.Function // nil: it cannot be used, which was reported
	used   bool
}

// declareFunctions reads the function blocks. What they stand for in Go is found by readGo.
func (c *checker) declareFunctions() {
	c.functions = map[string]*userFunction{}
	for _, b := range c.functionBlocks {
		label := b.Labels[0]
		d := c.open(b, topLevel("function"))
		f := &userFunction{block: b}
		c.functions[label.Name] = f
		c.functionNames = append(c.functionNames, label.Name)
		if library.Lookup(label.Name) != nil || isConversionName(label.Name) || isAggregator(label.Name, 1) {
			c.diags.Errorf("SG1203", label.Range, "%s is a function of the language", label.Name).WithHint("choose another label")
		}
		f.ref, f.at, _ = c.reference(d.attr("go"), `go = "example.com/shop/fraud.Score"`)
		f.model = &model.Function{Label: label.Name, Description: d.description(), Pure: d.boolean("pure"), Pos: b.Header}
	}
}

// isConversionName tells the conversions that are called like a type.
func isConversionName(name string) bool {
	_, basic := types.BasicByName(name)
	return basic || name == "decimal" || name == "list" || name == "map" || name == "optional"
}

// reference reads the value of an attribute go.
func (c *checker) reference(a *syntax.Attr, example string) (gocode.Ref, diag.Range, bool) {
	if a == nil {
		return gocode.Ref{}, diag.Range{}, false
	}
	s, ok := a.Value.(*syntax.Text)
	if !ok {
		c.diags.Errorf("SG1702", a.Value.Pos(), "\"go\" must be a text that names Go code").WithHint("%s", example)
		return gocode.Ref{}, diag.Range{}, false
	}
	ref, why := gocode.ParseRef(s.Value)
	if why != "" {
		c.diags.Errorf("SG1702", s.Pos(), "%q names no Go code: %s", s.Value, why).WithHint("%s", example)
		return gocode.Ref{}, s.Pos(), false
	}
	return ref, s.Pos(), true
}

// readGo finds what functions and adopted types are in Go, all at once. It reads nothing if the spec asks for nothing, or if the
// types that user code may import are broken.
func (c *checker) readGo() {
	request := gocode.Request{Records: c.program.Records, Enums: c.program.Enums}
	for _, b := range c.appBlocks {
		if len(b.Labels) > 0 {
			request.App = b.Labels[0].Name
		}
	}
	var first diag.Range
	want := func(ref gocode.Ref, at diag.Range) {
		if ref.Import == "" {
			return
		}
		if len(request.Refs) == 0 {
			first = at
		}
		if !slices.Contains(request.Refs, ref) {
			request.Refs = append(request.Refs, ref)
		}
	}
	for _, a := range c.adopted {
		want(a.ref, a.at)
	}
	for _, name := range c.functionNames {
		want(c.functions[name].ref, c.functions[name].at)
	}
	code := &gocode.Code{}
	reported := map[string]bool{} // packages
	switch {
	case len(request.Refs) == 0:
	case c.diags.HasErrors() || request.App == "":
		code = nil
	case c.opts.Go == nil:
		c.diags.Errorf("SG1702", first, "no Go code can be read here").WithDetail("The spec was given without a Go module around it.")
		code = nil
	default:
		var err error
		if code, err = c.opts.Go.Read(request); err != nil {
			text, hint, _ := strings.Cut(err.Error(), "\nhint: ")
			c.diags.Errorf("SG1702", first, "%s", strings.ReplaceAll(text, "\n", "; ")).WithHint("%s", hint)
			code = nil
		}
	}
	if code != nil {
		c.recordsPath = code.Records
	}
	for _, a := range c.adopted {
		if s := c.symbol(code, a.ref, a.at, reported); s != nil && c.adopt(a, s) {
			continue
		}
		a.typ.broken = true
	}
	for _, name := range c.functionNames {
		f := c.functions[name]
		if f.symbol = c.symbol(code, f.ref, f.at, reported); f.symbol == nil || !c.signature(f) {
			f.model = nil
			continue
		}
		c.program.Functions = append(c.program.Functions, f.model)
	}
}

// symbol finds what a reference names; nil if it cannot be used, which is reported once a package.
func (c *checker) symbol(code *gocode.Code, ref gocode.Ref, at diag.Range, reported map[string]bool) *gocode.Symbol {
	if code == nil || ref.Import == "" {
		return nil
	}
	var faults []gocode.Fault
	for _, f := range code.Faults {
		if f.Import == ref.Import {
			faults = append(faults, f)
		}
	}
	s := code.Symbols[ref]
	switch {
	case len(faults) > 0 && reported[ref.Import]:
		return nil
	case len(faults) > 0:
		reported[ref.Import] = true
		c.faults(ref, at, faults)
		return nil
	case s == nil:
		c.diags.Errorf("SG1702", at, "there is no %s in package %s", ref.Name, ref.Import)
		return nil
	}
	return s
}

// faults reports a package that cannot be used.
func (c *checker) faults(ref gocode.Ref, at diag.Range, faults []gocode.Fault) {
	if !slices.ContainsFunc(faults, func(f gocode.Fault) bool { return f.Build }) {
		d := c.diags.Errorf("SG1702", at, "package %s cannot be used: %s", ref.Import, faults[0].Text)
		if faults[0].Range.Start.Line > 0 {
			d.WithRelated(faults[0].Range, "here")
		}
		if owner := ref.Import[strings.LastIndexByte(ref.Import, '.')+1:]; token.IsExported(owner) && token.IsIdentifier(owner) {
			d.WithHint("%s.%s would be a method: write a function that calls it", owner, ref.Name)
		}
		return
	}
	d := c.diags.Errorf("SG1703", at, "package %s does not compile", ref.Import)
	const most = 3
	for i, f := range faults {
		if i == most {
			d.WithDetail("There are %d mistakes in all; `go vet %s` says them.", len(faults), ref.Import)
			break
		}
		if f.Range.Start.Line == 0 {
			d.WithDetail("%s", f.Text)
		} else {
			d.WithRelated(f.Range, "%s", f.Text)
		}
		if strings.Contains(f.Text, "undefined: records.") {
			d.WithHint("package records has what the spec declares: types and enums")
		}
	}
}

// signature takes a function's signature over into the model.
func (c *checker) signature(f *userFunction) bool {
	s, m := f.symbol, f.model
	m.Import, m.Package, m.Name = s.Import, s.Package, s.Name
	refuse := func(code, format string, args ...any) *diag.Diagnostic {
		return c.diags.Errorf(code, f.at, format, args...).WithRelated(s.Range, "%s is declared here", s.Name)
	}
	switch {
	case s.Func == nil:
		what := s.Kind
		if what == "" {
			what = "no function"
		}
		refuse("SG1702", "%s is %s, and a function is expected", s.Name, what).
			WithHint("func %s(…) (T, error)", s.Name)
		return false
	case s.Func.Generic:
		refuse("SG1704", "%s is generic: nothing says with which types", s.Name).WithHint("write a function with fixed types that calls it")
		return false
	case s.Func.Variadic:
		refuse("SG1704", "%s takes any number of arguments", s.Name).WithHint("take a list: a slice as a parameter of its own")
		return false
	}
	params, results := s.Func.Params, s.Func.Results
	if len(params) > 0 && params[0].Type.Is("context", "Context") {
		m.Context, params = true, params[1:]
	}
	if n := len(results); n > 0 && results[n-1].Type.Is("", "error") {
		m.Error, results = true, results[:n-1]
	}
	if len(results) != 1 {
		refuse("SG1704", "%s must give one result, and may give an error behind it; it gives %d", s.Name, len(results)).
			WithHint("a record holds several: give a type of the spec")
		return false
	}
	ok := true
	value := func(v gocode.Var, what string) model.GoValue {
		t, form, why := c.goValue(v.Type)
		if why == "" {
			return model.GoValue{Type: t, Form: form}
		}
		ok = false
		at := v.Range
		if at.Start.Line == 0 {
			at = s.Range
		}
		c.diags.Errorf("SG1704", f.at, "%s of %s is %s, which no type of the language is", what, s.Name, v.Type.Text).
			WithHint("%s", why).WithRelated(at, "here")
		return model.GoValue{Type: types.Invalid}
	}
	for i, p := range params {
		what := fmt.Sprintf("parameter %d", i+1)
		if p.Name != "" && p.Name != "_" {
			what = "parameter " + p.Name
		}
		m.Params = append(m.Params, value(p, what))
	}
	m.Result = value(results[0], "the result")
	return ok
}

// userCall is a call of a function of the user's.
func (x *exprs) userCall(e *syntax.Call, f *userFunction) model.Expr {
	f.used = true
	m := f.model
	if m == nil {
		for _, a := range e.Args {
			x.check(a, nil)
		}
		return invalid(e.Pos())
	}
	if !x.mayCallUser(e, m) {
		return invalid(e.Pos())
	}
	label := m.Label
	if len(e.Args) != len(m.Params) {
		for _, a := range e.Args {
			x.check(a, nil)
		}
		x.c.diags.Errorf("SG1701", e.Pos(), "%s takes %d %s, is given %d", label, len(m.Params), plural("argument", len(m.Params)), len(e.Args)).
			WithHint("%s(%s)", label, paramTypes(m)).WithRelated(f.symbol.Range, "%s is declared here", m.Name)
		return invalid(e.Pos())
	}
	params := f.symbol.Func.Params[len(f.symbol.Func.Params)-len(m.Params):]
	var args []model.Expr
	for i, a := range e.Args {
		t := m.Params[i].Type
		v := x.check(a, t)
		from := v.Base().Type
		switch {
		case types.IsInvalid(from) || types.Assignable(t, from):
		case types.IsOptional(from) && types.Assignable(t, types.NonNull(from)), from == types.Null:
		default:
			d := x.c.diags.Errorf("SG1701", a.Pos(), "%s takes %s, is given %s", m.Name, params[i].Type.Text, from).
				WithRelated(params[i].Range, "the parameter is %s, in the language %s", params[i].Type.Text, t)
			if convertible(t, from) {
				d.WithHint("`%s(%s)`", t, x.c.text(a.Pos()))
			} else if to, ok := t.(*types.Record); ok {
				if r, ok := from.(*types.Record); ok {
					d.WithDetail("%s", strings.Join(recordDifference(to, r), "; "))
				}
			}
			v = invalid(a.Pos())
		}
		args = append(args, x.assign(v, t, fmt.Sprintf("argument %d of %s", i+1, label)))
	}
	call := &model.UserCall{ExprBase: base(m.Result.Type, e.Pos(), args...), Function: m, Args: args}
	if m.Error {
		call.Fallible = true
		x.fails(e.Pos(), label+" can give an error")
	}
	return x.ifValid(call, args...)
}

func paramTypes(m *model.Function) string {
	list := make([]string, len(m.Params))
	for i, p := range m.Params {
		list[i] = p.Type.String()
	}
	return strings.Join(list, ", ")
}

// mayCallUser reports a call where the program does not know when, or how often, it would be made.
func (x *exprs) mayCallUser(e *syntax.Call, m *model.Function) bool {
	switch {
	case x.s.constant:
		x.c.diags.Errorf("SG1706", e.Pos(), "%s is Go code and runs when the program does: it can be no part of a constant or a local", m.Label).
			WithHint("call it in a step")
	case x.s.agg != nil:
		x.c.diags.Errorf("SG1706", e.Pos(), "%s cannot stand here: what aggregators give is put together whenever a row is read", m.Label).
			WithHint("call it in an aggregator's argument, or in a map_values of a stream that reads the table")
	case x.s.again && !m.Pure:
		x.c.diags.Errorf("SG1706", e.Pos(), "%s may have effects, and a step of a table can be asked again for a row that it has seen", m.Label).
			WithHint("pure = true in function %q says that it has none", m.Label)
	default:
		return true
	}
	return false
}
