package check

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// body reads the attributes of one block.
type body struct {
	c     *checker
	block *syntax.Block
	shape *shape
	meant []string // attributes that misspelled ones stand for
}

// open compares a block with its shape: unknown and missing attributes, inner blocks that it cannot have, attributes that stand
// below blocks. Steps are looked at where they run.
func (c *checker) open(b *syntax.Block, sh *shape) *body {
	d := &body{c: c, block: b, shape: sh}
	for _, a := range b.Attrs {
		switch known := sh.attr(a.Name.Name); {
		case known == nil:
			d.meant = append(d.meant, d.unknownAttr(a))
		case known.later:
			m := c.notYet(a.Name.Range, fmt.Sprintf("%q in %s", a.Name.Name, title(b)))
			if known.hint != "" {
				m.WithHint("%s", known.hint)
			}
		}
		if len(b.Blocks) > 0 && a.Range.Start.Byte > b.Blocks[0].Range.Start.Byte {
			c.diags.Warnf("SG1104", a.Name.Range, "%q stands among the steps but is not one", a.Name.Name).
				WithHint("attributes stand above the blocks: `streamgen fmt` moves it up")
		}
	}
	for _, a := range sh.attrs {
		if a.need != "" && d.lacks(a.name) {
			m := c.diags.Errorf("SG1102", b.Header, "%s needs %q: %s", title(b), a.name, a.need)
			if a.hint != "" {
				m.WithHint("%s", a.hint)
			}
		}
	}
	for _, in := range b.Blocks {
		if !sh.steps && !slices.Contains(sh.blocks, in.Type.Name) {
			m := c.unknown("SG1101", in.Type, "block", in.Type.Name, title(b)+" has no block %q", sh.blocks)
			if hint := elsewhereCase(in.Type.Name); hint != "" && b.Type.Name == "branch" {
				m.WithHint("%s", hint)
			}
		}
	}
	return d
}

// unknownAttr reports an attribute that the block does not have. It returns the one that is meant, or "".
func (d *body) unknownAttr(a *syntax.Attr) string {
	m := d.c.unknown("SG1101", a.Name, "attribute", a.Name.Name, title(d.block)+" has no attribute %q", d.shape.attrNames())
	meant := diag.Nearest(a.Name.Name, d.shape.attrNames())
	if meant == "" {
		var hint string
		if hint, meant = d.elsewhereAttr(a); hint != "" {
			m.WithHint("%s", hint)
		}
	}
	switch {
	case d.shape == &streamDerived || d.shape == &tableDerived:
		if a.Name.Name == "key" || a.Name.Name == "value" {
			m.WithHint("a block with \"from\" has no formats: %s follows from its steps", a.Name.Name)
		}
		if a.Name.Name == "emit" {
			m.WithHint("a stream passes each record on; \"emit\" belongs to the table that is made")
		}
	case d.shape == &tableSource && a.Name.Name == "emit":
		m.WithHint("a table that is read from a topic passes on each change; \"emit\" belongs to a table that is made")
	case d.shape == &tableSource && a.Name.Name == "start":
		m.WithHint("a table always begins at the beginning of its topic")
	}
	return meant
}

// labelsFit compares the labels of a block with the number that it must have, and their form.
func (c *checker) labelsFit(b *syntax.Block, sh *shape) bool {
	if len(b.Labels) == sh.labels {
		return sh.labels == 0 || c.labelForm(b.Type.Name, b.Labels[0])
	}
	if sh.labels == 0 {
		c.diags.Errorf("SG1110", b.Labels[0].Range, "%s has no label", b.Type.Name).WithHint("%s { … }", b.Type.Name)
		return false
	}
	m := c.diags.Errorf("SG1110", b.Header, "%s needs one label, has %d", b.Type.Name, len(b.Labels)).
		WithHint("%s \"name\" { … }", b.Type.Name)
	for _, a := range b.Attrs {
		if s, ok := a.Value.(*syntax.Text); ok && a.Name.Name == "name" && len(b.Labels) == 0 {
			m.WithHint("the label is the name: `%s %q { … }`", b.Type.Name, s.Value)
		}
	}
	return false
}

// lacks tells whether an attribute is neither there nor meant by one that was reported.
func (d *body) lacks(name string) bool { return d.attr(name) == nil && !slices.Contains(d.meant, name) }

// attr is an attribute as written, or nil.
func (d *body) attr(name string) *syntax.Attr {
	for _, a := range d.block.Attrs {
		if a.Name.Name == name {
			return a
		}
	}
	return nil
}

func (d *body) has(name string) bool { return d.attr(name) != nil }

// constant is the value of an attribute that the build fixes.
func (d *body) constant(name string, want types.Type) (*model.Const, bool) {
	a := d.attr(name)
	if a == nil {
		return nil, false
	}
	return d.c.constant(a.Value, want, fmt.Sprintf("%q", name))
}

func (d *body) text(name string) (string, bool) {
	v, ok := d.constant(name, types.String)
	if !ok {
		return "", false
	}
	s, ok := v.Value.(string)
	return s, ok
}

func (d *body) description() string {
	s, _ := d.text("description")
	return plainText(s)
}

// plainText is what a description says, without characters that no comment can hold.
func plainText(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return ' '
		}
		return r
	}, s))
}

func (d *body) boolean(name string) bool {
	v, ok := d.constant(name, types.Bool)
	if !ok {
		return false
	}
	b, _ := v.Value.(bool)
	return b
}

// integer is a whole number within bounds; 0 if it is not there.
func (d *body) integer(name string, low, high int64) int {
	v, ok := d.constant(name, types.Int64)
	if !ok {
		return 0
	}
	n, _ := v.Value.(int64)
	if n < low || n > high {
		d.c.diags.Errorf("SG1112", v.Pos, "%q must be between %d and %d, is %d", name, low, high, n)
		return 0
	}
	return int(n)
}

// duration is a length of time that is not negative.
func (d *body) duration(name string) (time.Duration, bool) {
	v, ok := d.constant(name, types.Duration)
	if !ok {
		return 0, false
	}
	ms, ok := v.Value.(int64)
	if !ok {
		return 0, false
	}
	return d.c.length(name, ms, v.Pos)
}

func (c *checker) length(name string, ms int64, at diag.Range) (time.Duration, bool) {
	if ms < 0 || ms > math.MaxInt64/int64(time.Millisecond) {
		c.diags.Errorf("SG1112", at, "%q must not be negative or longer than 292 years", name)
		return 0, false
	}
	return time.Duration(ms) * time.Millisecond, true
}

// word is one of a fixed set of words. Those of later versions are known, too.
func (d *body) word(name string, words, later []string) string {
	a := d.attr(name)
	if a == nil {
		return ""
	}
	if n, ok := a.Value.(*syntax.Name); ok && (slices.Contains(words, n.Name) || slices.Contains(later, n.Name)) {
		d.c.diags.Errorf("SG1112", n.Pos(), "%q is a text and needs quotes", n.Name).WithHint("%s = %q", name, n.Name)
		return ""
	}
	s, ok := d.text(name)
	switch {
	case !ok:
		return ""
	case slices.Contains(words, s):
		return s
	case slices.Contains(later, s):
		d.c.notYet(a.Value.Pos(), fmt.Sprintf("%s = %q", name, s))
		return ""
	}
	d.c.notOneOf(a.Value.Pos(), name, s, slices.Concat(words, later))
	return ""
}

func (c *checker) notOneOf(at diag.Range, name, s string, words []string) {
	m := c.diags.Errorf("SG1112", at, "%q cannot be %q", name, s)
	if near := diag.Nearest(s, words); near != "" {
		m.WithHint("did you mean %q?", near)
		return
	}
	m.WithHint("it is one of: %s", strings.Join(words, ", "))
}
