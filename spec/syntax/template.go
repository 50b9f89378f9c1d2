package syntax

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// piece is a part of a template: a literal token, or an interpolation.
type piece struct {
	text       string
	expr       Expr // nil for a literal
	start, end int
}

// template reads a quoted string or a heredoc. HCL's own values are normalised to NFC and hold each line of a heredoc on its own
// way, so literals are read from the tokens; only the interpolated expressions come from its tree.
func (r *reader) template(start, end int, interpolated []hclsyntax.Expression) Expr {
	at := node{r.at(start, end)}
	open := r.find(start)
	pieces := r.pieces(open, interpolated)
	if bytes.HasPrefix(r.list[open].Bytes, []byte("<<-")) {
		flush(pieces)
	}
	pieces = meld(pieces)
	if len(pieces) == 0 {
		return &Text{node: at}
	}
	if len(pieces) == 1 && pieces[0].expr == nil {
		return &Text{node: at, Value: pieces[0].text}
	}
	t := &Template{node: at}
	for _, p := range pieces {
		if p.expr == nil {
			p.expr = &Text{node: node{r.at(p.start, p.end)}, Value: p.text}
		}
		t.Parts = append(t.Parts, p.expr)
	}
	return t
}

// interpolations are the parts of a template expression that are no literals.
func interpolations(parts []hclsyntax.Expression) []hclsyntax.Expression {
	var out []hclsyntax.Expression
	for _, p := range parts {
		// A string written inside of ${} is a template of its own, never a literal value.
		if lit, ok := p.(*hclsyntax.LiteralValueExpr); ok && lit.Val.Type() == cty.String {
			continue
		}
		out = append(out, p)
	}
	return out
}

func (r *reader) pieces(open int, interpolated []hclsyntax.Expression) []piece {
	var out []piece
	trim := false // the sequence before ended in ~}
	for i := open + 1; i < r.partner[open]; i++ {
		tok := r.list[i]
		switch tok.Type {
		case hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit:
			text, _ := hclsyntax.ParseStringLiteralToken(tok) // its diagnostics came from the parser
			if trim {
				text = strings.TrimLeftFunc(text, unicode.IsSpace)
			}
			trim = false
			out = append(out, piece{text: text, start: tok.Range.Start.Byte, end: tok.Range.End.Byte})
		case hclsyntax.TokenTemplateInterp:
			if n := len(out); bytes.HasSuffix(tok.Bytes, []byte("~")) && n > 0 && out[n-1].expr == nil {
				out[n-1].text = strings.TrimRightFunc(out[n-1].text, unicode.IsSpace)
			}
			var e Expr
			if len(interpolated) > 0 {
				e, interpolated = r.expr(interpolated[0]), interpolated[1:]
			} else {
				e = &Null{node{r.at(tok.Range.Start.Byte, tok.Range.End.Byte)}}
			}
			out = append(out, piece{expr: e})
			i = r.partner[i]
			trim = bytes.HasPrefix(r.list[i].Bytes, []byte("~"))
		}
	}
	return out
}

// flush takes the indent away from a <<- heredoc: as many white space characters as the line with the fewest begins with.
// Blank lines do not count and stay as they are.
func flush(pieces []piece) {
	least := math.MaxInt
	var indented []*piece
	atLineStart := true
	for i := range pieces {
		p := &pieces[i]
		if atLineStart {
			switch trimmed := strings.TrimLeftFunc(p.text, unicode.IsSpace); {
			case p.expr != nil:
				least = 0
			case trimmed == "" && strings.HasSuffix(p.text, "\n"):
			default:
				least = min(least, utf8.RuneCountInString(p.text[:len(p.text)-len(trimmed)]))
				indented = append(indented, p)
			}
		}
		atLineStart = p.expr == nil && strings.HasSuffix(p.text, "\n")
	}
	for _, p := range indented {
		for range least {
			_, n := utf8.DecodeRuneInString(p.text)
			p.text = p.text[n:]
			p.start += n
		}
	}
}

// meld joins literals that follow one another, and drops empty ones.
func meld(pieces []piece) []piece {
	var out []piece
	for i := 0; i < len(pieces); {
		p := pieces[i]
		i++
		if p.expr == nil {
			var text strings.Builder
			text.WriteString(p.text)
			for ; i < len(pieces) && pieces[i].expr == nil; i++ {
				text.WriteString(pieces[i].text)
				p.end = pieces[i].end
			}
			p.text = text.String()
			if p.text == "" {
				continue
			}
		}
		out = append(out, p)
	}
	return out
}
