package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// variable is a variable block. Of one that the build fixes, value is what stands for it.
type variable struct {
	model *model.Variable
	value model.Expr // nil of a runtime variable
	used  bool
}

// local is an attribute of locals. It stands for its expression, which is typed where it is used: a number takes the type of
// that place.
type local struct {
	attr     *syntax.Attr
	state    state // while its size is being found
	size     int
	flexible bool
	broken   bool // it was reported by itself: its users say nothing
	used     bool
}

// maxLocal bounds how many nodes a local may stand for, with those of the locals in it.
const maxLocal = 10_000

// declareVariables reads variables and locals. Their expressions know variables and locals only.
func (c *checker) declareVariables() {
	c.vars = map[string]*variable{}
	c.locals = map[string]*local{}
	for _, b := range c.varBlocks {
		if b.Type.Name == "variable" {
			c.variable(b)
		}
	}
	for _, label := range sortedKeys(c.opts.Vars) {
		if c.vars[label] == nil {
			d := c.diags.Errorf("SG1115", diag.Range{}, "there is no variable %q to set", label)
			if near := diag.Nearest(label, c.varNames); near != "" {
				d.WithHint("did you mean --var %s=…?", near)
			}
		}
	}
	for _, b := range c.varBlocks {
		if b.Type.Name == "locals" {
			c.declareLocals(b)
		}
	}
	for _, name := range c.localName {
		l := c.locals[name]
		if c.localSize(name, nil) {
			before := c.diags.Errors()
			x := &exprs{c: c, s: &scope{constant: true}}
			x.check(l.attr.Value, nil)
			l.broken = c.diags.Errors() > before
		}
	}
}

func (c *checker) variable(b *syntax.Block) {
	d := c.open(b, topLevel("variable"))
	label := b.Labels[0].Name
	v := &variable{model: &model.Variable{Label: label, Description: d.description(), Type: types.Invalid, Runtime: d.boolean("runtime"), Pos: b.Header}}
	c.vars[label] = v
	c.varNames = append(c.varNames, label)
	c.program.Variables = append(c.program.Variables, v.model)
	if a := d.attr("type"); a != nil {
		v.model.Type = c.typeExpr(a.Value, nil)
		if types.IsOptional(v.model.Type) {
			c.diags.Errorf("SG1112", a.Value.Pos(), "a variable has a value: it is never optional").WithHint("%s", types.NonNull(v.model.Type))
			v.model.Type = types.Invalid
		}
	}
	if a := d.attr("default"); a != nil {
		v.model.Default = c.variableDefault(a.Value, v.model.Type)
	}
	given, set := c.opts.Vars[label]
	by := "--var " + label
	if !set && !v.model.Runtime && c.opts.Env != nil { // one of the running program is none of the build's business
		by = variableEnv(label)
		given, set = c.opts.Env(by)
	}
	switch {
	case types.IsInvalid(v.model.Type):
	case v.model.Runtime && set:
		c.diags.Errorf("SG1115", b.Header, "%s is read when the program starts, not set by the build", title(b)).
			WithHint("give it to the program, or change its default")
	case v.model.Runtime:
		return
	case set:
		e, why := c.givenValue(v.model.Type, by, given, b.Header)
		if why != "" {
			c.diags.Errorf("SG1115", b.Header, "%s=%s: %s", by, given, why)
			break
		}
		v.model.Default = e
	case !d.has("default"):
		c.diags.Errorf("SG1115", b.Header, "%s has no value", title(b)).
			WithHint("a default here, --var %s=…, or %s in the environment", label, variableEnv(label))
	}
	v.value = v.model.Default
	if v.value == nil {
		v.value = invalid(b.Header)
	}
}

// variableEnv is the environment variable for a variable, of the build and of a running program alike.
func variableEnv(label string) string {
	return "STREAMGEN_VAR_" + strings.ToUpper(strings.ReplaceAll(label, "-", "_"))
}

// parseVariable reads a text given from outside as a value of t. The second result says what is wrong with it.
func parseVariable(t types.Type, text string, at diag.Range) (*model.Const, string) {
	k := &model.Const{ExprBase: model.ExprBase{Type: t, Pos: at}}
	switch t {
	case types.String:
		k.Value = text
	case types.Bytes:
		k.Value = []byte(text)
	case types.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, "true or false is expected"
		}
		k.Value = b
	case types.UUID:
		u, ok := parseUUID(text)
		if !ok {
			return nil, "it is no uuid"
		}
		k.Value = u
	case types.Int32, types.Int64, types.Float32, types.Float64:
		v, why := parseNumber(text, t)
		if why != "" {
			return nil, why
		}
		k.Value = v
	default:
		if d, ok := t.(*types.Decimal); ok {
			n := parseDecimal(text, d.Scale)
			if !fitsDecimal(n, d) {
				return nil, "it does not fit " + d.String()
			}
			k.Value = n
			break
		}
		v, why := parseText(text, t)
		if why != "" {
			return nil, why
		}
		k.Value = v
	}
	return k, ""
}

func (c *checker) declareLocals(b *syntax.Block) {
	for _, in := range b.Blocks {
		c.unknown("SG1101", in.Type, "block", in.Type.Name, "locals has no block %q", nil).WithHint("a local is name = expression")
	}
	for _, a := range b.Attrs {
		if first := c.locals[a.Name.Name]; first != nil {
			c.sameName("local", a.Name, first.attr.Name)
			continue
		}
		c.locals[a.Name.Name] = &local{attr: a}
		c.localName = append(c.localName, a.Name.Name)
	}
}

// localSize finds how many nodes a local stands for and tells whether it may be used: not if it is made of itself or too large,
// which is reported once.
func (c *checker) localSize(name string, way []string) bool {
	l := c.locals[name]
	switch l.state {
	case done:
		return l.size <= maxLocal
	case active:
		l.size = maxLocal + 1
		c.diags.Errorf("SG1206", l.attr.Name.Range, "local.%s", strings.Join(append(way, name), " is made of local.")).
			WithHint("one of them must be written without the others")
		return false
	}
	l.state = active
	way = append(way, name)
	size, ok := 0, true
	syntax.Walk(l.attr.Value, func(e syntax.Expr) bool {
		size++
		s, isSelect := e.(*syntax.Select)
		if !isSelect {
			return true
		}
		root, isName := s.X.(*syntax.Name)
		if !isName || root.Name != "local" || c.locals[s.Name.Name] == nil {
			return true
		}
		c.locals[s.Name.Name].used = true
		if c.localSize(s.Name.Name, way) {
			size += c.locals[s.Name.Name].size
		} else {
			ok = false
		}
		return false
	})
	l.state = done
	if !ok {
		l.size = maxLocal + 1
		return false
	}
	l.size = min(max(size, l.size), maxLocal+1)
	if l.size > maxLocal {
		c.diags.Errorf("SG1314", l.attr.Name.Range, "local.%s stands for an expression of more than %d parts", name, maxLocal).
			WithHint("write it with fewer locals in each other")
		return false
	}
	l.flexible = c.flexible(l.attr.Value)
	return true
}

// constant is the value of an expression that the build must fix. want gives literals their type and is checked unless it is nil.
func (c *checker) constant(e syntax.Expr, want types.Type, what string) (*model.Const, bool) {
	x := &exprs{c: c, s: &scope{constant: true}, text: want == types.String}
	v := x.check(e, want)
	if want != nil {
		v = x.assign(v, want, what)
	}
	if types.IsInvalid(v.Base().Type) {
		return nil, false
	}
	k, ok := v.(*model.Const)
	if !ok {
		d := c.diags.Errorf("SG1111", e.Pos(), "%s must be a constant", what)
		if usesRuntime(v) {
			d.WithDetail("A variable with runtime = true gets its value when the program starts, and this is needed before.").
				WithHint("without \"runtime\" the build is given it")
		}
		return nil, false
	}
	return k, true
}

func usesRuntime(e model.Expr) bool {
	found := false
	model.Walk(e, func(e model.Expr) {
		v, ok := e.(*model.Var)
		found = found || ok && v.Root == model.RootVariable
	})
	return found
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
