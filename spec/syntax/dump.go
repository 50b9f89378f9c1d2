package syntax

import (
	"fmt"
	"strings"
)

// Dump is the tree as text, without positions: what tests compare.
func Dump(p *Program) string {
	var d dumper
	for _, f := range p.Files {
		d.printf("file %s\n", f.Name)
		d.depth++
		for _, b := range f.Blocks {
			d.block(b)
		}
		d.depth--
	}
	return d.String()
}

// DumpExpr is an expression as text: a form with all brackets and no sugar.
func DumpExpr(e Expr) string {
	var d dumper
	d.expr(e)
	return d.String()
}

type dumper struct {
	strings.Builder
	depth int
}

func (d *dumper) printf(format string, args ...any) {
	d.WriteString(strings.Repeat("  ", d.depth))
	fmt.Fprintf(d, format, args...)
}

func (d *dumper) block(b *Block) {
	d.printf("%s", b.Type.Name)
	for _, l := range b.Labels {
		fmt.Fprintf(d, " %q", l.Name)
	}
	d.WriteString("\n")
	d.depth++
	for _, a := range b.Attrs {
		d.printf("%s = ", a.Name.Name)
		d.expr(a.Value)
		d.WriteString("\n")
	}
	for _, c := range b.Blocks {
		d.block(c)
	}
	d.depth--
}

// form writes (op x y).
func (d *dumper) form(op string, args ...Expr) {
	d.WriteString("(" + op)
	for _, a := range args {
		d.WriteString(" ")
		d.expr(a)
	}
	d.WriteString(")")
}

func (d *dumper) expr(e Expr) {
	switch e := e.(type) {
	case *Number:
		d.WriteString(e.Text)
	case *Text:
		fmt.Fprintf(d, "%+q", e.Value)
	case *Template:
		d.form("template", e.Parts...)
	case *Bool:
		fmt.Fprint(d, e.Value)
	case *Null:
		d.WriteString("null")
	case *Name:
		d.WriteString(e.Name)
	case *Select:
		d.expr(e.X)
		d.WriteString("." + e.Name.Name)
	case *Index:
		d.form("index", e.X, e.Key)
	case *Splat:
		d.form("splat", e.X, e.Each)
	case *SplatItem:
		d.WriteString("*")
	case *Call:
		d.form("call "+e.Name.Name, e.Args...)
	case *Unary:
		d.form(e.Op, e.X)
	case *Binary:
		d.form(e.Op, e.L, e.R)
	case *Conditional:
		d.form("?", e.Cond, e.Then, e.Else)
	case *Paren:
		d.form("paren", e.X)
	case *List:
		d.form("list", e.Items...)
	case *Object:
		d.object(e)
	case *For:
		d.forExpr(e)
	}
}

func (d *dumper) object(e *Object) {
	d.WriteString("(object")
	for _, it := range e.Items {
		if it.Key != nil {
			d.WriteString(" [")
			d.expr(it.Key)
			d.WriteString("]=")
		} else {
			fmt.Fprintf(d, " %+q=", it.Name.Name)
		}
		d.expr(it.Value)
	}
	d.WriteString(")")
}

func (d *dumper) forExpr(e *For) {
	d.WriteString("(for " + e.KeyVar.Name + " " + e.ValueVar.Name)
	for _, p := range []struct {
		name string
		x    Expr
	}{{"in", e.In}, {"key", e.Key}, {"value", e.Value}, {"if", e.If}} {
		if p.x != nil {
			d.WriteString(" " + p.name + " ")
			d.expr(p.x)
		}
	}
	d.WriteString(")")
}
