package syntax

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/streamgen/streamgen/spec/diag"
)

// edit replaces the text between two offsets.
type edit struct {
	start, end int
	text       []byte
}

// apply makes edits, which do not overlap. Insertions at one place keep their order.
func apply(src []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return src
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	out := make([]byte, 0, len(src))
	at := 0
	for _, e := range edits {
		out = append(out, src[at:e.start]...)
		out = append(out, e.text...)
		at = e.end
	}
	return append(out, src[at:]...)
}

// lift moves the attributes of each block above its first inner block.
func lift(src []byte) []byte {
	var diags diag.List
	t, ok := scan(newSource("", src, &diags), &diags)
	if !ok {
		return src
	}
	r := &reader{tokens: t, diags: &diags}
	r.masked = r.mask()
	var edits []edit
	for _, b := range r.parse().Blocks {
		edits = r.liftBlock(b, edits)
	}
	return apply(src, edits)
}

func (r *reader) liftBlock(b *hclsyntax.Block, edits []edit) []edit {
	if len(b.Body.Blocks) == 0 {
		return edits
	}
	first := b.Body.Blocks[0].TypeRange.Start.Byte
	to := r.lineEnd(b.OpenBraceRange.End.Byte)
	for _, a := range sortedAttrs(b.Body) {
		start, end := r.attrLines(a)
		if a.NameRange.Start.Byte < first {
			to = end
			continue
		}
		edits = append(edits, edit{to, to, r.text[start:end]}, edit{start, end, nil})
	}
	for _, inner := range b.Body.Blocks {
		edits = r.liftBlock(inner, edits)
	}
	return edits
}

// attrLines is the extent of the lines of an attribute, with the comments directly above it.
func (t *tokens) attrLines(a *hclsyntax.Attribute) (start, end int) {
	start = a.NameRange.Start.Byte
	for i := t.find(start) - 1; i >= 0; i-- {
		tok := t.list[i]
		// The comment /* */ has its line feed as a token of its own; the others hold theirs.
		if tok.Type == hclsyntax.TokenNewline && i > 0 && t.isBlockComment(i-1) {
			i--
			tok = t.list[i]
		}
		if tok.Type != hclsyntax.TokenComment || !t.beginsLine(tok.Range.Start.Byte) {
			break
		}
		start = tok.Range.Start.Byte
	}
	return t.lines[t.pos(start).Line-1], t.lineEnd(a.SrcRange.End.Byte)
}

func (t *tokens) isBlockComment(i int) bool {
	return t.list[i].Type == hclsyntax.TokenComment && bytes.HasPrefix(t.list[i].Bytes, []byte("/*"))
}

// beginsLine tells whether only white space stands before an offset on its line.
func (t *tokens) beginsLine(offset int) bool {
	return len(bytes.TrimSpace(t.text[t.lines[t.pos(offset).Line-1]:offset])) == 0
}

// lineEnd is the offset behind the line on which the text before an offset ends, with the comments on it.
func (t *tokens) lineEnd(offset int) int {
	for i := t.find(offset); i < len(t.list); i++ {
		switch tok := t.list[i]; {
		case tok.Type == hclsyntax.TokenNewline, tok.Type == hclsyntax.TokenComment && bytes.HasSuffix(tok.Bytes, []byte("\n")):
			return tok.Range.End.Byte
		case tok.Type != hclsyntax.TokenComment:
			return tok.Range.Start.Byte
		}
	}
	return len(t.text)
}

// tidy takes blank lines away: all behind an opening and before a closing bracket and at both ends of the file, elsewhere all
// but one. White space at the end of a line goes, and the last line gets its line feed.
func tidy(src []byte) []byte {
	var diags diag.List
	t, ok := scan(newSource("", src, &diags), &diags)
	if !ok {
		return src
	}
	var edits []edit
	blank := true // the line before is blank, or opens something, or there is none
	for i := 0; i < len(t.list); {
		run := i // the Newline tokens of blank lines from here
		for run < len(t.list) && t.list[run].Type == hclsyntax.TokenNewline && t.beginsLine(t.list[run].Range.Start.Byte) {
			run++
		}
		if run == i {
			blank = opens(t.list[i])
			if t.list[i].Type == hclsyntax.TokenNewline && i > 0 {
				blank = opens(t.list[i-1])
			}
			i++
			continue
		}
		keep := 1
		if blank || run < len(t.list) && ends(t.list[run].Type) {
			keep = 0
		}
		start := t.lines[t.pos(t.list[i].Range.Start.Byte).Line-1]
		edits = append(edits, edit{start, t.list[run-1].Range.End.Byte, bytes.Repeat([]byte("\n"), keep)})
		i = run
	}
	out := bytes.TrimRight(apply(src, edits), " \t")
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return out
}

func opens(tok hclsyntax.Token) bool {
	switch tok.Type {
	case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen:
		return true
	}
	return false
}

func ends(t hclsyntax.TokenType) bool {
	switch t {
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenEOF:
		return true
	}
	return false
}
