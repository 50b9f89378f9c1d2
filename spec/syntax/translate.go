package syntax

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/streamgen/streamgen/spec/diag"
)

// said is what we say for one of HCL's messages.
type said struct{ summary, hint string }

// messages are by HCL's summary. What is not in it is said in HCL's words.
var messages = map[string]said{
	"Argument or block definition required": {
		"an attribute or a block is expected here", "`name = value`, or `name { … }`"},
	"Argument definition required": {
		"a block on one line holds one attribute and no block", "write what is in it on lines of its own"},
	"Invalid single-argument block definition": {
		"a block on one line holds one attribute and ends on it", "write each attribute on a line of its own"},
	"Missing newline after argument": {
		"nothing can follow an attribute on its line", "begin a new line here"},
	"Unexpected comma after argument": {
		"attributes are separated by lines, not by commas", "begin a new line here"},
	"Missing newline after block definition": {
		"nothing can follow a block on its line", "begin a new line here"},
	"Invalid argument name": {
		"the name of an attribute stands without quotes", ""},
	"Invalid block definition": {
		"a block is written `kind \"label\" {`, all on one line", ""},
	"Invalid expression":                      {"an expression is expected here", ""},
	"Missing expression":                      {"an expression is expected here, but the file ends", ""},
	"Missing attribute value":                 {"a key of an object needs a value", "`key = value`"},
	"Missing key/value separator":             {"= is expected behind the key of an object", "`key = value`"},
	"Missing attribute separator":             {"a comma or a new line is expected behind the value", ""},
	"Missing item separator":                  {"a comma is expected between items", ""},
	"Missing argument separator":              {"a comma is expected between arguments", ""},
	"Missing close bracket on index":          {"] is expected behind the index", ""},
	"Unbalanced parentheses":                  {") is expected here", ""},
	"Invalid attribute name":                  {"a name is expected behind the dot", ""},
	"Invalid number literal":                  {"this is not a number", ""},
	"Invalid multi-line string":               {"a quoted string ends on its line", "write a line break as \\n, or use a heredoc: <<EOT"},
	"Invalid legacy index syntax":             {"an index is written in brackets", "`[0][1]`"},
	"Nested splat expression not allowed":     {"a splat cannot stand behind .*", "use [*]"},
	"Missing false expression in conditional": {"a conditional needs both results", "`condition ? a : b`"},
	"Extra characters after interpolation expression": {
		"} is expected behind the expression", "a literal ${ is written $${"},
	"Unclosed template interpolation sequence": {"this ${ is not closed", "a literal ${ is written $${"},
}

// translate says one of HCL's diagnostics in our words.
func (r *reader) translate(h *hcl.Diagnostic, body *hclsyntax.Body) {
	at := r.at(0, 0)
	if h.Subject != nil {
		at = r.rng(*h.Subject)
	}
	switch h.Summary {
	case "Attribute redefined":
		name := string(r.text[at.Start.Byte:at.End.Byte])
		d := r.diags.Errorf("SG1006", at, "the attribute %q is written twice", name)
		if a := innermost(body, at.Start.Byte).Attributes[name]; a != nil {
			d.WithRelated(r.rng(a.NameRange), "first here")
		}
		return
	case "Invalid string literal":
		if strings.HasPrefix(h.Detail, "Template sequences") {
			r.diags.Errorf("SG1001", at, "a label is a plain string").WithHint("a literal ${ is written $${")
			return
		}
	case "Invalid character":
		if strings.HasPrefix(string(r.text[at.Start.Byte:at.End.Byte]), "'") {
			r.diags.Errorf("SG1001", at, "texts stand in double quotes, not in single ones").WithHint("`%s`", r.doubled(at.Start.Byte))
			return
		}
		r.diags.Errorf("SG1001", at, "%s", lower(h.Detail))
		return
	case "Unsupported operator", "Invalid escape sequence", "Invalid 'for' expression":
		r.diags.Errorf("SG1001", at, "%s", lower(h.Detail)) // the detail says it better than the summary
		return
	}
	if m, ok := messages[h.Summary]; ok {
		d := r.diags.Errorf("SG1001", at, "%s", m.summary)
		d.Hint = m.hint
		d.Hint = r.hint(h, at, d.Hint)
		return
	}
	r.diags.Errorf("SG1001", at, "%s", lower(h.Summary)).WithDetail("%s", h.Detail)
}

// hint adds what the place itself suggests.
func (r *reader) hint(h *hcl.Diagnostic, at diag.Range, hint string) string {
	switch h.Summary {
	case "Argument or block definition required":
		return r.expected(at, hint)
	case "Invalid single-argument block definition", "Missing newline after argument":
		switch string(r.text[at.Start.Byte:at.End.Byte]) {
		case "and", "AND":
			return "`&&` is the operator for and"
		case "or", "OR":
			return "`||` is the operator for or"
		case "is", "equals":
			return "`==` is the operator for equality"
		}
	case "Invalid block definition":
		before := strings.TrimSpace(string(r.text[r.lineStart(at.Start.Byte):at.Start.Byte]))
		switch name, value, ok := strings.Cut(before, " "); {
		case strings.HasPrefix(string(r.text[at.Start.Byte:]), "="):
			return "a block has no =: `" + before + " {`"
		case ok && strings.HasPrefix(strings.TrimSpace(value), `"`) && !strings.Contains(before, "{"):
			return "an attribute is set with =: `" + name + " = " + strings.TrimSpace(value) + "`"
		}
	}
	return hint
}

// expected says what was meant by a word that begins neither an attribute nor a block.
func (r *reader) expected(at diag.Range, hint string) string {
	next := r.find(at.End.Byte)
	if next >= len(r.list) {
		return hint
	}
	switch name := string(r.text[at.Start.Byte:at.End.Byte]); r.list[next].Type {
	case hclsyntax.TokenColon:
		return "`" + name + " = …`: attributes are set with ="
	case hclsyntax.TokenNumberLit, hclsyntax.TokenOBrack, hclsyntax.TokenOParen:
		return "`" + name + " = …`"
	case hclsyntax.TokenDot:
		return "an expression stands behind the name of its attribute, as in `where = " + name + ".…`"
	default:
		return hint
	}
}

// lineStart is where the line of an offset begins.
func (r *reader) lineStart(offset int) int {
	return strings.LastIndexByte(string(r.text[:offset]), '\n') + 1
}

// doubled is the text in single quotes that begins at an offset, in double ones.
func (r *reader) doubled(offset int) string {
	line, _, _ := strings.Cut(string(r.text[offset+1:]), "\n")
	text, _, ok := strings.Cut(line, "'")
	if !ok || strings.Contains(text, `"`) {
		return `"…"`
	}
	return `"` + text + `"`
}

// innermost is the body that an offset lies in.
func innermost(body *hclsyntax.Body, offset int) *hclsyntax.Body {
	for _, b := range body.Blocks {
		if b.OpenBraceRange.Start.Byte <= offset && offset < b.CloseBraceRange.End.Byte {
			return innermost(b.Body, offset)
		}
	}
	return body
}

func lower(s string) string {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'a' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
