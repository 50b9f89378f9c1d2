package syntax

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/streamgen/streamgen/spec/diag"
)

// reader turns HCL's tree of one file into ours.
type reader struct {
	*tokens
	masked  []byte // what HCL parses: text, see mask
	diags   *diag.List
	depth   int
	tooDeep bool
}

// ParseFile reads one file. name is how positions call it, with slashes. The file is never nil; where the list has errors it is
// incomplete and must not be checked.
func ParseFile(name string, src []byte) (*File, diag.List) {
	var diags diag.List
	s := newSource(name, src, &diags)
	f := &File{Name: name, Source: s.text}
	if diags.HasErrors() {
		return f, diags
	}
	t, ok := scan(s, &diags)
	f.empty = t.blank()
	if !ok {
		return f, diags
	}
	r := &reader{tokens: t, diags: &diags}
	r.masked = r.mask()
	body := r.parse()
	if diags.HasErrors() {
		diags.Sort()
		return f, diags
	}
	for _, a := range r.attrs(body) {
		diags.Errorf("SG1013", a.Name.Range, "the attribute %q stands outside of a block", a.Name.Name).
			WithHint("put it into `locals { … }`")
	}
	f.Blocks = r.blocks(body)
	diags.Sort()
	return f, diags
}

// parse runs HCL's parser.
func (r *reader) parse() (body *hclsyntax.Body) {
	body = &hclsyntax.Body{}
	defer func() {
		if fault := recover(); fault != nil {
			r.diags.Errorf("SG1001", r.at(0, 0), "the text is not HCL, and the parser cannot say where").WithDetail("%v", fault)
		}
	}()
	file, ds := hclsyntax.ParseConfig(r.masked, r.name, hcl.InitialPos)
	body = file.Body.(*hclsyntax.Body)
	said := map[int]bool{} // one a line: the rest follows from the first, and the lexer's come first
	for _, d := range ds {
		line := 0
		if d.Subject != nil {
			line = r.pos(d.Subject.Start.Byte).Line
		}
		if !said[line] {
			said[line] = true
			r.translate(d, body)
		}
	}
	return body
}

// mask joins the lines of each heredoc, at the same length. HCL handles each line as a part of its own and joins them in
// quadratic time; the values are read from the tokens anyway.
func (r *reader) mask() []byte {
	out := r.text
	for open, close := range r.partner {
		if r.list[open].Type != hclsyntax.TokenOHeredoc {
			continue
		}
		for i := open + 1; i < close-1; i++ {
			tok := r.list[i]
			if tok.Type != hclsyntax.TokenStringLit || !bytes.HasSuffix(tok.Bytes, []byte("\n")) {
				continue
			}
			if &out[0] == &r.text[0] {
				out = bytes.Clone(out)
			}
			out[tok.Range.End.Byte-1] = ' '
		}
	}
	return out
}

// blank tells whether a file has nothing but white space and comments.
func (t *tokens) blank() bool {
	for _, tok := range t.list {
		switch tok.Type {
		case hclsyntax.TokenNewline, hclsyntax.TokenComment, hclsyntax.TokenEOF:
		default:
			return false
		}
	}
	return true
}

// rng takes the offsets of one of HCL's ranges; its columns count characters, and its lines those of the masked text.
func (r *reader) rng(h hcl.Range) diag.Range { return r.at(h.Start.Byte, h.End.Byte) }

// sortedAttrs are the attributes of a body as written: HCL has them in a map.
func sortedAttrs(body *hclsyntax.Body) []*hclsyntax.Attribute {
	out := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, a := range body.Attributes {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *hclsyntax.Attribute) int {
		return cmp.Compare(a.NameRange.Start.Byte, b.NameRange.Start.Byte)
	})
	return out
}

func (r *reader) attrs(body *hclsyntax.Body) []*Attr {
	var out []*Attr
	for _, a := range sortedAttrs(body) {
		value := r.expr(a.Expr)
		out = append(out, &Attr{
			Name:  Ident{Name: a.Name, Range: r.rng(a.NameRange)},
			Value: value,
			Range: r.at(a.NameRange.Start.Byte, value.Pos().End.Byte),
		})
	}
	return out
}

func (r *reader) blocks(body *hclsyntax.Body) []*Block {
	var out []*Block
	for _, h := range body.Blocks {
		b := &Block{
			Type:  Ident{Name: h.Type, Range: r.rng(h.TypeRange)},
			Range: r.at(h.TypeRange.Start.Byte, h.CloseBraceRange.End.Byte),
		}
		b.Header = b.Type.Range
		for i, label := range h.Labels {
			l := Ident{Name: label, Range: r.rng(h.LabelRanges[i])}
			r.label(l)
			b.Labels = append(b.Labels, l)
			b.Header.End = l.Range.End
		}
		b.Attrs = r.attrs(h.Body)
		b.Blocks = r.blocks(h.Body)
		out = append(out, b)
	}
	return out
}

func (r *reader) label(l Ident) {
	switch {
	case r.text[l.Range.Start.Byte] != '"':
		r.diags.Errorf("SG1009", l.Range, "a label stands in quotes").WithHint("%q", l.Name)
	case l.Name == "":
		r.diags.Errorf("SG1009", l.Range, "a label cannot be empty").
			WithDetail("It is the identity of the block: physical names come from it.")
	}
}
