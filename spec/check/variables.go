package check

import (
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// isComposite tells whether a type is made of others: a list, a map or a record. A variable of such a type stands for an expression
// of constants.
func isComposite(t types.Type) bool {
	_, record := t.(*types.Record)
	return record || elemOf(t) != nil
}

// variableDefault is the value that a spec gives a variable, or nil.
func (c *checker) variableDefault(e syntax.Expr, t types.Type) model.Expr {
	if isComposite(t) {
		return c.composite(e, t, `"default"`)
	}
	if k, ok := c.constant(e, t, `"default"`); ok {
		return k
	}
	return nil
}

// composite is an expression of constants, or nil.
func (c *checker) composite(e syntax.Expr, t types.Type, what string) model.Expr {
	x := &exprs{c: c, s: &scope{constant: true}}
	v := x.must(e, t, what)
	if types.IsInvalid(v.Base().Type) {
		return nil
	}
	known := len(x.causes) == 0
	model.Walk(v, func(e model.Expr) {
		switch e.(type) {
		case *model.Const, *model.New, *model.List, *model.Dict, *model.Wrap:
		default:
			known = false
		}
	})
	if !known {
		c.diags.Errorf("SG1111", e.Pos(), "%s must be made of constants", what)
		return nil
	}
	return v
}

// givenValue reads a text given from outside as a value of t: what is made of others is written as in a spec. The second result says
// what is wrong with it.
func (c *checker) givenValue(t types.Type, by, text string, at diag.Range) (model.Expr, string) {
	if !isComposite(t) {
		if k, why := parseVariable(t, text, at); why != "" {
			return nil, why
		} else {
			return k, ""
		}
	}
	f, diags := syntax.ParseFile(by, []byte("locals {\n  v = "+text+"\n}\n"))
	if diags.HasErrors() {
		return nil, diags[0].Summary
	}
	if len(f.Blocks) != 1 || len(f.Blocks[0].Attrs) != 1 || len(f.Blocks[0].Blocks) > 0 {
		return nil, "one value is expected, written as in a spec"
	}
	outer, files := c.diags, c.tree.Files
	c.diags, c.tree.Files = nil, append(files[:len(files):len(files)], f)
	v := c.composite(f.Blocks[0].Attrs[0].Value, t, "it")
	found := c.diags
	c.diags, c.tree.Files = outer, files
	for _, d := range found {
		if d.Severity == diag.Error {
			return nil, d.Summary
		}
	}
	return v, ""
}
