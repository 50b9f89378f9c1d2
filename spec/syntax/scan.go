package syntax

import (
	"slices"
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/streamgen/streamgen/spec/diag"
)

// maxDepth bounds nesting, so that neither this parser nor those who walk the tree can run out of stack.
const maxDepth = 500

// tokens are the words of a file, with the partner of each bracket.
type tokens struct {
	*source
	list    hclsyntax.Tokens
	partner map[int]int // index of an opening token → index of its closing one
}

// scan splits a file into tokens and checks what can be seen without grammar: that brackets match, and that nothing is nested
// too deeply. It reports false if the brackets are wrong, since a parser would then find errors everywhere but there.
func scan(s *source, diags *diag.List) (*tokens, bool) {
	list, _ := hclsyntax.LexConfig(s.text, s.name, hcl.InitialPos) // its diagnostics come again from the parser
	t := &tokens{source: s, list: list, partner: map[int]int{}}
	b := brackets{tokens: t, diags: diags, open: []frame{{index: -1}}}
	for i := range list {
		if !b.token(i) {
			return t, false
		}
	}
	return t, b.end()
}

// brackets is the state of the bracket matching.
type brackets struct {
	*tokens
	diags   *diag.List
	open    []frame // below all brackets lies a frame with index -1
	suspect *frame  // the first block whose closing brace stands further left than its line
	closer  int     // of suspect
}

// frame is one open bracket.
type frame struct {
	index    int // of the token
	isFor    bool
	prefixes int // ! and - in a row
	nested   int // conditionals and splats of the expression at hand: each holds all that follows
}

func (b *brackets) token(i int) bool {
	tok := b.list[i]
	switch tok.Type {
	case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc,
		hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
		if tok.Type == hclsyntax.TokenTemplateControl {
			b.diags.Errorf("SG1011", b.tokenRange(i), "there are no template directives").
				WithHint("a condition is written with ? and :, as in \"${value.big ? \"big\" : \"small\"}\"; a repetition by a for expression and join; a literal %{ is %%{")
		}
		b.open = append(b.open, frame{index: i})
		return b.depth(i, len(b.open))
	case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc,
		hclsyntax.TokenTemplateSeqEnd:
		return b.close(i)
	case hclsyntax.TokenQuotedNewline:
		if top := b.top(); top.index >= 0 && b.list[top.index].Type == hclsyntax.TokenOQuote {
			d := b.diags.Errorf("SG1004", b.tokenRange(top.index), "this string is not closed on its line").
				WithHint("close it with \", write a line break as \\n, or use a heredoc: <<EOT")
			if around := b.open[len(b.open)-2].index; around >= 0 && b.list[around].Type == hclsyntax.TokenTemplateInterp {
				d.WithRelated(b.tokenRange(around), "it begins inside of this ${, which may be what is not closed")
			}
			return false
		}
	case hclsyntax.TokenIdent:
		for _, c := range tok.Bytes {
			if c >= 0x80 {
				b.diags.Errorf("SG1008", b.tokenRange(i), "the name %q has letters outside of ASCII", tok.Bytes).
					WithHint("names consist of a-z, A-Z, 0-9, _ and -")
				break
			}
		}
	}
	return b.operators(i)
}

// operators bounds the nesting that comes without brackets: !!!x, a ? b : c ? d : …, x[*][*]…
func (b *brackets) operators(i int) bool {
	top := b.top()
	switch tok := b.list[i]; tok.Type {
	case hclsyntax.TokenBang, hclsyntax.TokenMinus:
		top.prefixes++
		return b.depth(i, top.prefixes)
	case hclsyntax.TokenQuestion:
		top.prefixes = 0
		top.nested++
		return b.depth(i, top.nested)
	case hclsyntax.TokenStar:
		top.prefixes = 0
		if i > 0 && i-1 == top.index { // [*]
			around := &b.open[len(b.open)-2]
			around.nested++
			return b.depth(i, around.nested)
		}
	case hclsyntax.TokenComment:
	case hclsyntax.TokenNewline:
		if top.index < 0 || b.list[top.index].Type == hclsyntax.TokenOBrace && !top.isFor {
			top.prefixes, top.nested = 0, 0
		}
	case hclsyntax.TokenComma:
		top.prefixes, top.nested = 0, 0
	default:
		if tok.Type == hclsyntax.TokenIdent && string(tok.Bytes) == "for" && top.index >= 0 && b.first(top.index, i) {
			top.isFor = true
		}
		top.prefixes = 0
	}
	return true
}

// first tells whether nothing but white space stands between two tokens.
func (b *brackets) first(open, i int) bool {
	for _, t := range b.list[open+1 : i] {
		if t.Type != hclsyntax.TokenNewline && t.Type != hclsyntax.TokenComment {
			return false
		}
	}
	return true
}

func (b *brackets) depth(i, n int) bool {
	if n <= maxDepth {
		return true
	}
	b.diags.Errorf("SG1005", b.tokenRange(i), "more than %d levels of nesting", maxDepth).WithHint("give parts of it names in locals")
	return false
}

func (b *brackets) top() *frame { return &b.open[len(b.open)-1] }

func (b *brackets) close(i int) bool {
	top := b.top()
	opener := closes[b.list[i].Type]
	if !slices.ContainsFunc(b.open, func(f frame) bool { return f.index >= 0 && open(b.list[f.index].Type) == opener }) {
		b.diags.Errorf("SG1004", b.tokenRange(i), "nothing is open that this %s closes", b.list[i].Bytes).
			WithHint("delete it, or look for a block above that was closed too early")
		return false
	}
	if opener != open(b.list[top.index].Type) {
		b.unclosed(*top).WithRelated(b.tokenRange(i), "this %s comes first", word(b.list[i]))
		return false
	}
	b.partner[top.index] = i
	if b.list[i].Type == hclsyntax.TokenCBrace && b.suspect == nil && b.leftOf(i, top.index) {
		f := *top
		b.suspect, b.closer = &f, i
	}
	b.open = b.open[:len(b.open)-1]
	return true
}

// leftOf tells whether a closing brace begins its line further left than the line of its partner begins.
func (b *brackets) leftOf(closer, opener int) bool {
	start := b.list[closer].Range.Start.Byte
	return b.indent(start) == b.pos(start).Column-1 && b.indent(start) < b.indent(b.list[opener].Range.Start.Byte)
}

// end looks at what is still open at the end of the file.
func (b *brackets) end() bool {
	top := b.top()
	if top.index < 0 {
		return true
	}
	if b.suspect != nil && b.list[top.index].Type == hclsyntax.TokenOBrace {
		b.unclosed(*b.suspect).WithRelated(b.tokenRange(b.closer), "this } closes it, but stands as if it closed a block around it")
	} else {
		b.unclosed(*top)
	}
	return false
}

func (b *brackets) unclosed(f frame) *diag.Diagnostic {
	tok := b.list[f.index]
	if tok.Type == hclsyntax.TokenOHeredoc {
		return b.diags.Errorf("SG1004", b.tokenRange(f.index), "this heredoc has no end").
			WithHint("its marker stands alone on a line")
	}
	return b.diags.Errorf("SG1004", b.tokenRange(f.index), "this %s is not closed", word(tok))
}

func (t *tokens) tokenRange(i int) diag.Range {
	r := t.list[i].Range
	end := r.End.Byte
	for end > r.Start.Byte && t.text[end-1] == '\n' {
		end--
	}
	return t.at(r.Start.Byte, end)
}

// find is the index of the first token that begins at or behind an offset.
func (t *tokens) find(offset int) int {
	return sort.Search(len(t.list), func(i int) bool { return t.list[i].Range.Start.Byte >= offset })
}

// closes gives the opening partner of a closing token.
var closes = map[hclsyntax.TokenType]hclsyntax.TokenType{
	hclsyntax.TokenCBrace:         hclsyntax.TokenOBrace,
	hclsyntax.TokenCBrack:         hclsyntax.TokenOBrack,
	hclsyntax.TokenCParen:         hclsyntax.TokenOParen,
	hclsyntax.TokenCQuote:         hclsyntax.TokenOQuote,
	hclsyntax.TokenCHeredoc:       hclsyntax.TokenOHeredoc,
	hclsyntax.TokenTemplateSeqEnd: hclsyntax.TokenTemplateInterp,
}

// open treats both openings of a template sequence as one.
func open(t hclsyntax.TokenType) hclsyntax.TokenType {
	if t == hclsyntax.TokenTemplateControl {
		return hclsyntax.TokenTemplateInterp
	}
	return t
}

func word(tok hclsyntax.Token) string {
	switch tok.Type {
	case hclsyntax.TokenOQuote, hclsyntax.TokenCQuote:
		return "quote"
	case hclsyntax.TokenOHeredoc, hclsyntax.TokenCHeredoc:
		return "heredoc"
	default:
		return string(tok.Bytes)
	}
}
