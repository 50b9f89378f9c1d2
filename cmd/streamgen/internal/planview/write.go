package planview

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Formats are the names of the forms that Write knows.
var Formats = []string{"text", "json", "mermaid", "dot"}

// Write writes a view in the form of that name.
func (v *View) Write(w io.Writer, format string) error {
	var b strings.Builder
	switch format {
	case "text":
		v.text(&b)
	case "json":
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return err
		}
	case "mermaid":
		v.mermaid(&b)
	case "dot":
		v.dot(&b)
	default:
		return fmt.Errorf("a plan is written as %s, not as %q", strings.Join(Formats, ", "), format)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (v *View) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s, commits each %s\n", v.App, v.Guarantee, v.CommitInterval)
	for _, s := range v.SubTopologies {
		fmt.Fprintf(b, "\nsub-topology %s\n", s.Name)
		rows(b, "reads", len(s.Reads), func(i int) string { return s.Reads[i].String() })
		rows(b, "steps", len(s.Steps), func(i int) string { return s.Steps[i] })
		rows(b, "stores", len(s.Stores), func(i int) string { return s.Stores[i] })
		rows(b, "writes", len(s.Writes), func(i int) string { return s.Writes[i] })
	}
	b.WriteString("\ntopics\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, t := range v.Topics {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", t.Name, t.Kind, brief(t.Key), brief(t.Value), strings.Join(nonEmpty(t.Origin, t.partitions()), ", "))
	}
	w.Flush()
	for _, t := range v.Topics {
		if t.Reason == "" {
			continue
		}
		fmt.Fprintf(b, "\n%s: %s\n", t.Name, t.Reason)
		if t.At != "" {
			fmt.Fprintf(b, "  %s\n", strings.Join(nonEmpty(t.At, t.Cause), ": "))
		}
	}
	if len(v.Stores) == 0 {
		return
	}
	b.WriteString("\nstores\n")
	w = tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, s := range v.Stores {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\tchangelog %s\n", s.Name, brief(s.Key), brief(s.Value), s.Origin, s.Changelog)
	}
	w.Flush()
}

// brief leaves the fields of an anonymous record out where they would make the table wide.
func brief(s string) string {
	from, to := strings.IndexByte(s, '{'), strings.LastIndexByte(s, '}')
	if from < 0 || to < from || len(s) <= 40 {
		return s
	}
	return s[:from] + "{…}" + s[to+1:]
}

// rows writes a list below a word.
func rows(b *strings.Builder, word string, n int, row func(int) string) {
	for i := range n {
		fmt.Fprintf(b, "  %-6s  %s\n", word, row(i))
		word = ""
	}
}

// String is an input as text: its topics, and where it stands in the spec.
func (r Read) String() string {
	from := strings.Join(r.Topics, ", ")
	if r.Pattern != "" {
		from = "topics like " + r.Pattern
	}
	return fmt.Sprintf("%s (%s)", from, r.Origin)
}

func (t Topic) partitions() string {
	switch {
	case t.Partitions > 0:
		return fmt.Sprintf("%d partitions", t.Partitions)
	case len(t.Like) > 0:
		return "partitions as " + strings.Join(t.Like, ", ")
	default:
		return ""
	}
}

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// edges calls node for each topic, sub-topology and store, then edge for what flows between them. Identifiers are t0, s0, d0.
func (v *View) edges(node func(id, kind, label string), edge func(from, to string)) {
	topics := map[string]string{}
	for i, t := range v.Topics {
		id := fmt.Sprintf("t%d", i)
		topics[t.Name] = id
		node(id, t.Kind, t.Name)
	}
	stores := map[string]string{}
	for i, s := range v.Stores {
		id := fmt.Sprintf("d%d", i)
		stores[s.Name] = id
		node(id, "store", s.Name)
	}
	for i, s := range v.SubTopologies {
		id := fmt.Sprintf("s%d", i)
		node(id, "sub-topology", s.Name)
		for j, r := range s.Reads {
			if r.Pattern != "" {
				pattern := fmt.Sprintf("p%d_%d", i, j)
				node(pattern, "input", "/"+r.Pattern+"/")
				edge(pattern, id)
			}
			for _, t := range r.Topics {
				edge(topics[t], id)
			}
		}
		for _, st := range s.Stores {
			edge(id, stores[st])
		}
		for _, t := range s.Writes {
			edge(id, topics[t])
		}
	}
}

func (v *View) mermaid(b *strings.Builder) {
	b.WriteString("flowchart LR\n")
	shapes := map[string][2]string{
		"input": {"([", "])"}, "output": {"([", "])"}, "repartition": {"{{", "}}"}, "store": {"[(", ")]"}, "sub-topology": {"[", "]"},
	}
	escape := strings.NewReplacer(`"`, "#quot;", "#", "#35;")
	v.edges(
		func(id, kind, label string) {
			fmt.Fprintf(b, "  %s%s\"%s\"%s\n", id, shapes[kind][0], escape.Replace(label), shapes[kind][1])
		},
		func(from, to string) { fmt.Fprintf(b, "  %s --> %s\n", from, to) },
	)
}

func (v *View) dot(b *strings.Builder) {
	fmt.Fprintf(b, "digraph %q {\n  rankdir = LR\n", v.App)
	shapes := map[string]string{
		"input": "ellipse", "output": "ellipse", "repartition": "hexagon", "store": "cylinder", "sub-topology": "box",
	}
	v.edges(
		func(id, kind, label string) { fmt.Fprintf(b, "  %s [label=%q shape=%s]\n", id, label, shapes[kind]) },
		func(from, to string) { fmt.Fprintf(b, "  %s -> %s\n", from, to) },
	)
	b.WriteString("}\n")
}
