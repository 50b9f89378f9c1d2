package syntax

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// expr reads an expression. It is only called on trees that HCL found no fault with.
func (r *reader) expr(e hclsyntax.Expression) Expr {
	r.depth++
	defer func() { r.depth-- }()
	at := node{r.rng(e.Range())}
	if r.depth > maxDepth {
		return r.deep(at)
	}
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
		return r.literal(at)
	case *hclsyntax.TemplateExpr:
		return r.template(at.Range.Start.Byte, at.Range.End.Byte, interpolations(e.Parts))
	case *hclsyntax.TemplateWrapExpr:
		return r.template(at.Range.Start.Byte, at.Range.End.Byte, []hclsyntax.Expression{e.Wrapped})
	case *hclsyntax.ScopeTraversalExpr:
		root := e.Traversal[0].(hcl.TraverseRoot)
		return r.steps(&Name{node: node{r.rng(root.SrcRange)}, Name: root.Name}, e.Traversal[1:])
	case *hclsyntax.RelativeTraversalExpr:
		return r.steps(r.expr(e.Source), e.Traversal)
	case *hclsyntax.IndexExpr:
		return &Index{node: at, X: r.expr(e.Collection), Key: r.expr(e.Key)}
	case *hclsyntax.SplatExpr:
		return &Splat{node: at, X: r.expr(e.Source), Each: r.expr(e.Each)}
	case *hclsyntax.AnonSymbolExpr:
		return &SplatItem{at}
	case *hclsyntax.FunctionCallExpr:
		return r.call(at, e)
	case *hclsyntax.UnaryOpExpr:
		return &Unary{node: at, Op: operators[e.Op], X: r.expr(e.Val)}
	case *hclsyntax.BinaryOpExpr:
		return r.binary(at, e)
	case *hclsyntax.ConditionalExpr:
		return &Conditional{node: at, Cond: r.expr(e.Condition), Then: r.expr(e.TrueResult), Else: r.expr(e.FalseResult)}
	case *hclsyntax.ParenthesesExpr:
		return &Paren{node: at, X: r.expr(e.Expression)}
	case *hclsyntax.TupleConsExpr:
		l := &List{node: at}
		for _, item := range e.Exprs {
			l.Items = append(l.Items, r.expr(item))
		}
		return l
	case *hclsyntax.ObjectConsExpr:
		return r.object(at, e)
	case *hclsyntax.ForExpr:
		return r.forExpr(at, e)
	default:
		r.diags.Errorf("SG1011", at.Range, "this form of expression is not part of the language")
		return &Null{at}
	}
}

func (r *reader) deep(at node) Expr {
	if !r.tooDeep {
		r.tooDeep = true
		r.diags.Errorf("SG1005", at.Range, "an expression of more than %d levels", maxDepth).WithHint("give parts of it names in locals")
	}
	return &Null{at}
}

// literal is a number or one of the three words; all else is a template.
func (r *reader) literal(at node) Expr {
	switch text := string(r.text[at.Range.Start.Byte:at.Range.End.Byte]); text {
	case "true", "false":
		return &Bool{node: at, Value: text == "true"}
	case "null":
		return &Null{at}
	default:
		return &Number{node: at, Text: text}
	}
}

// steps reads .name and [key] behind x.
func (r *reader) steps(x Expr, steps hcl.Traversal) Expr {
	start := x.Pos().Start.Byte
	if r.depth+len(steps) > maxDepth {
		return r.deep(node{r.at(start, steps[len(steps)-1].SourceRange().End.Byte)})
	}
	for _, step := range steps {
		rng := step.SourceRange()
		at := node{r.at(start, rng.End.Byte)}
		switch step := step.(type) {
		case hcl.TraverseAttr:
			end := rng.End.Byte
			x = &Select{node: at, X: x, Name: Ident{Name: step.Name, Range: r.at(end-len(step.Name), end)}}
		case hcl.TraverseIndex:
			x = &Index{node: at, X: x, Key: r.key(rng)}
		}
	}
	return x
}

// key reads a constant index, of which HCL's tree keeps only the value.
func (r *reader) key(brackets hcl.Range) Expr {
	start, end := brackets.Start.Byte, brackets.End.Byte
	at := node{r.at(start, end)}
	if r.text[start] == '.' {
		r.diags.Errorf("SG1011", at.Range, "an index is written in brackets").WithHint("`[%s]`", r.text[start+1:end])
		return &Null{at}
	}
	e, diags := hclsyntax.ParseExpression(r.masked[start+1:end-1], r.name, hcl.Pos{Line: 1, Column: 1, Byte: start + 1})
	if diags.HasErrors() {
		r.diags.Errorf("SG1001", at.Range, "an index is an expression")
		return &Null{at}
	}
	return r.expr(e)
}

func (r *reader) call(at node, e *hclsyntax.FunctionCallExpr) Expr {
	c := &Call{node: at, Name: Ident{Name: e.Name, Range: r.rng(e.NameRange)}}
	for i := range e.Name {
		if e.Name[i] == ':' {
			r.diags.Errorf("SG1011", c.Name.Range, "functions have no namespaces").WithHint("a function of your own is declared with a `function` block")
			break
		}
	}
	if e.ExpandFinal {
		r.diags.Errorf("SG1011", r.rng(e.Args[len(e.Args)-1].Range()), "a list cannot be spread over arguments").
			WithHint("use the function that takes a list, as in `sum_of(list)`")
	}
	for _, arg := range e.Args {
		c.Args = append(c.Args, r.expr(arg))
	}
	return c
}

var operators = map[*hclsyntax.Operation]string{
	hclsyntax.OpAdd: "+", hclsyntax.OpSubtract: "-", hclsyntax.OpMultiply: "*", hclsyntax.OpDivide: "/", hclsyntax.OpModulo: "%",
	hclsyntax.OpEqual: "==", hclsyntax.OpNotEqual: "!=", hclsyntax.OpLessThan: "<", hclsyntax.OpLessThanOrEqual: "<=",
	hclsyntax.OpGreaterThan: ">", hclsyntax.OpGreaterThanOrEqual: ">=", hclsyntax.OpLogicalAnd: "&&", hclsyntax.OpLogicalOr: "||",
	hclsyntax.OpNegate: "-", hclsyntax.OpLogicalNot: "!",
}

func (r *reader) binary(at node, e *hclsyntax.BinaryOpExpr) Expr {
	b := &Binary{node: at, Op: operators[e.Op], L: r.expr(e.LHS), R: r.expr(e.RHS)}
	for i := r.find(e.LHS.Range().End.Byte); i < len(r.list) && r.list[i].Range.Start.Byte < at.Range.End.Byte; i++ {
		if string(r.list[i].Bytes) == b.Op {
			b.At = r.tokenRange(i)
			break
		}
	}
	return b
}

func (r *reader) object(at node, e *hclsyntax.ObjectConsExpr) Expr {
	o := &Object{node: at}
	seen := map[string]Ident{}
	for _, item := range e.Items {
		it := Item{Value: r.expr(item.ValueExpr)}
		wrapped := item.KeyExpr.(*hclsyntax.ObjectConsKeyExpr).Wrapped
		key := r.expr(wrapped)
		switch k := key.(type) {
		case *Name:
			it.Name = Ident{Name: k.Name, Range: k.Range}
		case *Text:
			it.Name = Ident{Name: k.Value, Range: k.Range}
		case *Bool, *Null: // words like any other in this place
			rng := key.Pos()
			it.Name = Ident{Name: string(r.text[rng.Start.Byte:rng.End.Byte]), Range: rng}
		case *Paren, *Template:
			it.Key = key
		default:
			it.Key = key
			text := r.text[key.Pos().Start.Byte:key.Pos().End.Byte]
			r.diags.Errorf("SG1010", key.Pos(), "a key is a word or a string").
				WithHint("if it is to be computed, write `(%s)`", text)
		}
		if it.Key == nil {
			if first, ok := seen[it.Name.Name]; ok {
				r.diags.Errorf("SG1007", it.Name.Range, "the key %q is written twice", it.Name.Name).WithRelated(first.Range, "first here")
			} else {
				seen[it.Name.Name] = it.Name
			}
		}
		o.Items = append(o.Items, it)
	}
	return o
}

func (r *reader) forExpr(at node, e *hclsyntax.ForExpr) Expr {
	f := &For{node: at, In: r.expr(e.CollExpr), Value: r.expr(e.ValExpr)}
	f.KeyVar.Name, f.ValueVar.Name = e.KeyVar, e.ValVar
	vars := []*Ident{&f.ValueVar}
	if e.KeyVar != "" {
		vars = []*Ident{&f.KeyVar, &f.ValueVar}
	}
	// HCL keeps the names of the variables, not their places: they are the words behind "for".
	i := r.find(at.Range.Start.Byte) + 1
	for seenFor := false; len(vars) > 0 && i < len(r.list); i++ {
		if r.list[i].Type != hclsyntax.TokenIdent {
			continue
		}
		if seenFor {
			vars[0].Range = r.tokenRange(i)
			vars = vars[1:]
		}
		seenFor = true
	}
	if e.KeyExpr != nil {
		f.Key = r.expr(e.KeyExpr)
	}
	if e.CondExpr != nil {
		f.If = r.expr(e.CondExpr)
	}
	if e.Group {
		r.diags.Errorf("SG1011", at.Range, "a for expression cannot group with ...").WithHint("group in a table: `group_by` and an aggregate")
	}
	return f
}
