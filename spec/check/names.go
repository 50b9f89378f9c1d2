package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/syntax"
)

var (
	lowerLabel = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	upperLabel = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	fieldName  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	topicName  = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)
)

// labelForm checks how a label is written: types and enums begin in upper case, all else in lower case, so the two never meet.
func (c *checker) labelForm(kind string, l syntax.Ident) bool {
	if kind == "type" || kind == "enum" {
		if !upperLabel.MatchString(l.Name) {
			m := c.diags.Errorf("SG1207", l.Range, "%q cannot be the name of %s %s", l.Name, article(kind), kind).
				WithHint("types and enums are written in UpperCamel: letters and digits, the first one upper case")
			if meant := camel(l.Name); upperLabel.MatchString(meant) {
				m.WithHint("did you mean %q? types and enums are written in UpperCamel", meant)
			}
			return false
		}
		return true
	}
	if !lowerLabel.MatchString(l.Name) {
		m := c.diags.Errorf("SG1207", l.Range, "%q cannot be the label of %s %s", l.Name, article(kind), kind).
			WithHint("labels are lower case: a letter, then letters, digits, _ and -")
		if meant := snake(l.Name); lowerLabel.MatchString(meant) {
			m.WithHint("did you mean %q? labels are lower case: a letter, then letters, digits, _ and -", meant)
		}
		return false
	}
	return true
}

func article(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an"
	}
	return "a"
}

// register enters a block under its kind and label. Labels of a kind must differ, in Go too. Types and enums share a space.
func (c *checker) register(b *syntax.Block) bool {
	if len(b.Labels) == 0 {
		return true
	}
	kind, l := b.Type.Name, b.Labels[0]
	if kind == "enum" {
		kind = "type"
	}
	if c.labels[kind] == nil {
		c.labels[kind] = map[string]*syntax.Block{}
	}
	if first, ok := c.goNames[kind+"."+goName(l.Name)]; ok {
		if c.sameName(kind, l, first) {
			c.collided[kind+"."+l.Name] = true
			return false
		}
		return true
	}
	c.goNames[kind+"."+goName(l.Name)] = l
	c.labels[kind][l.Name] = b
	c.order[kind] = append(c.order[kind], l.Name)
	return true
}

// sameName reports two names of one space that are equal or would be in Go.
func (c *checker) sameName(kind string, l, first syntax.Ident) bool {
	switch {
	case l.Name == first.Name:
		c.diags.Errorf("SG1203", l.Range, "there are two %s with the name %q", plural(kind, 2), l.Name).
			WithHint("rename one").WithRelated(first.Range, "the first one")
	case goName(l.Name) == goName(first.Name):
		c.diags.Errorf("SG1203", l.Range, "two %s have the Go name %s: %q and %q", plural(kind, 2), goName(l.Name), first.Name, l.Name).
			WithHint("rename one").WithRelated(first.Range, "the first one")
	default:
		return false
	}
	return true
}

// initialisms are words that Go writes in upper case. Only names with upper case letters of their own, as fields may have, meet
// because of them: order_id and orderID.
var initialisms = map[string]bool{
	"api": true, "cpu": true, "db": true, "dns": true, "html": true, "http": true, "https": true, "id": true, "ip": true, "json": true,
	"os": true, "rpc": true, "sql": true, "tcp": true, "tls": true, "ttl": true, "udp": true, "ui": true, "uid": true, "uri": true,
	"url": true, "utf8": true, "uuid": true, "xml": true,
}

// goName is the part of a Go name that comes from a label: words joined in camel case.
func goName(label string) string {
	words := strings.FieldsFunc(label, func(r rune) bool { return r == '-' || r == '_' })
	for i, w := range words {
		switch {
		case i == 0:
		case initialisms[w]:
			words[i] = strings.ToUpper(w)
		default:
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// stateNames reports stores that would share a name, and with it a changelog.
func (c *checker) stateNames() {
	seen := map[string]syntax.Ident{}
	for _, s := range c.stores {
		if first, ok := seen[goName(s.Name)]; ok {
			c.sameName("store", s, first)
			continue
		}
		seen[goName(s.Name)] = s
	}
}

// path takes a reference apart: stream.orders, branch.orders.big.
func path(e syntax.Expr) ([]syntax.Ident, bool) {
	switch e := e.(type) {
	case *syntax.Name:
		return []syntax.Ident{{Name: e.Name, Range: e.Pos()}}, true
	case *syntax.Select:
		if p, ok := path(e.X); ok {
			return append(p, e.Name), true
		}
	}
	return nil, false
}

// kinds that references begin with.
var refKinds = []string{"stream", "table", "branch", "global_table", "sink"}

// target finds the block that a reference means. It reports what it cannot find.
func (c *checker) target(e syntax.Expr) (*decl, []syntax.Ident) {
	p, ok := path(e)
	if !ok {
		m := c.diags.Errorf("SG1201", e.Pos(), "a reference is expected here").WithHint("stream.x, table.x or branch.x.case")
		if hint := c.meantReference(e); hint != "" {
			m.WithHint("%s", hint)
		}
		return nil, nil
	}
	kind := p[0].Name
	if !slices.Contains(refKinds, kind) || len(p) < 2 {
		m := c.diags.Errorf("SG1201", e.Pos(), "%q is no reference", c.text(e.Pos()))
		for _, k := range refKinds {
			if c.labels[k][kind] != nil {
				m.WithHint("did you mean %s.%s?", k, kind)
				return nil, nil
			}
		}
		if near := diag.Nearest(kind, refKinds); near != "" && len(p) > 1 {
			m.WithHint("did you mean %s.%s?", near, p[1].Name)
			return nil, nil
		}
		m.WithHint("stream.x, table.x or branch.x.case")
		return nil, nil
	}
	label := p[1]
	b := c.labels[kind][label.Name]
	switch {
	case b == nil:
		c.noBlock(kind, label)
		return nil, nil
	case kind == "sink":
		c.diags.Errorf("SG1201", e.Pos(), "sink.%s is an end: nothing can be read from it", label.Name).
			WithHint("read what the sink reads, or the topic in a source of its own").WithRelated(b.Header, "the sink")
		return nil, nil
	}
	return c.decl(kind, label.Name), p
}

// noBlock reports a reference to a block that is not there.
func (c *checker) noBlock(kind string, label syntax.Ident) {
	if c.collided[kind+"."+label.Name] || c.strangers[label.Name] {
		return
	}
	m := c.diags.Errorf("SG1201", label.Range, "there is no %s %q", kind, label.Name)
	for _, k := range refKinds {
		if k != kind && c.labels[k][label.Name] != nil {
			m.WithHint("did you mean %s?", c.place(k, label.Name))
			return
		}
	}
	if near := diag.Nearest(label.Name, c.order[kind]); near != "" {
		m.WithHint("did you mean %s?", c.place(kind, near))
		return
	}
	if names := c.order[kind]; len(names) > 0 {
		m.WithHint("%s: %s", plural(kind, len(names)), strings.Join(names, ", "))
	}
}

func (c *checker) place(kind, label string) string {
	return fmt.Sprintf("%s.%s (%s)", kind, label, near(c.labels[kind][label].Header))
}
