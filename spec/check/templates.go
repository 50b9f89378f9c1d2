package check

import (
	"math/big"
	"strconv"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// template is "a${x}b": its parts, each made a string. Parts that are known now are joined.
func (x *exprs) template(e *syntax.Template) model.Expr {
	var parts []model.Expr
	bad := false
	for _, p := range e.Parts {
		v := x.templatePart(p)
		if types.IsInvalid(v.Base().Type) {
			bad = true
			continue
		}
		if k, ok := v.(*model.Const); ok && len(parts) > 0 {
			if before, ok := parts[len(parts)-1].(*model.Const); ok {
				a, _ := before.Value.(string)
				b, _ := k.Value.(string)
				parts[len(parts)-1] = constant(types.String, a+b, before.Pos)
				continue
			}
		}
		parts = append(parts, v)
	}
	switch {
	case bad:
		return invalid(e.Pos())
	case len(parts) == 0:
		return constant(types.String, "", e.Pos())
	case len(parts) == 1:
		if k, ok := parts[0].(*model.Const); ok {
			return constant(types.String, k.Value, e.Pos())
		}
	}
	return &model.Concat{ExprBase: base(types.String, e.Pos(), parts...), Parts: parts}
}

func (x *exprs) templatePart(p syntax.Expr) model.Expr {
	v := x.check(p, nil)
	t := v.Base().Type
	switch {
	case types.IsInvalid(t):
		return v
	case t == types.Null || types.IsOptional(t):
		x.mayBeNull(v, p, types.String)
		return invalid(p.Pos())
	}
	s := x.toString(v)
	if s == nil {
		d := x.c.diags.Errorf("SG1301", p.Pos(), "a part of a text must be a string, a number, a bool, an enum, a uuid or a time, is %s", t)
		switch t.(type) {
		case *types.Record:
			d.WithHint("name the fields that you mean")
		case types.Basic:
			d.WithHint("string(%s)", x.c.text(p.Pos()))
		}
		return invalid(p.Pos())
	}
	return s
}

// toString makes a total conversion to a string, or nil where there is none. What is known now is converted now.
func (x *exprs) toString(v model.Expr) model.Expr {
	t := v.Base().Type
	if t == types.String {
		return v
	}
	_, enum := t.(*types.Enum)
	if !enum && !types.IsNumber(t) && t != types.Bool && t != types.Timestamp && t != types.Duration && t != types.UUID {
		return nil
	}
	if k, ok := v.(*model.Const); ok {
		switch n := k.Value.(type) {
		case int64:
			if types.IsInteger(t) {
				return constant(types.String, strconv.FormatInt(n, 10), k.Pos)
			}
			if e, ok := t.(*types.Enum); ok {
				return constant(types.String, e.Values[n], k.Pos)
			}
		case *big.Int:
			return constant(types.String, model.Decimal(k), k.Pos)
		case bool:
			return constant(types.String, strconv.FormatBool(n), k.Pos)
		}
	}
	return &model.Convert{ExprBase: base(types.String, v.Base().Pos, v), X: v}
}
