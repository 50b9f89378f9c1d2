package plan

import (
	"fmt"
	"io"
	"strings"
)

// drawing is the plan as boxes and arrows: topics, and in each sub-topology its steps and stores.
type drawing struct {
	topics   []box
	clusters []cluster
	arrows   []arrow
	drawn    map[any]bool // arrows, and ways into Funcs
	ids      map[any]string
}

// way is a Func as it is entered from a box.
type way struct {
	from string
	to   *Func
}

type box struct {
	id, text string
	shape    shape
}

type cluster struct {
	id, text string
	boxes    []box
}

type arrow struct {
	from, to string
	dotted   bool // a lookup or a write into a store
}

type shape uint8

const (
	stepShape shape = iota
	topicShape
	internalShape
	storeShape
)

func draw(p *Plan) *drawing {
	d := &drawing{ids: map[any]string{}, drawn: map[any]bool{}}
	for i, t := range p.Topics {
		b := box{fmt.Sprintf("t%d", i), t.Name, topicShape}
		if t.Kind == Repartition {
			b.shape = internalShape
		}
		d.ids[t] = b.id
		d.topics = append(d.topics, b)
	}
	for i, s := range p.GlobalTables { // their stores are looked into by what follows
		d.subTopology(len(p.SubTopologies)+i, s)
	}
	for i, s := range p.SubTopologies {
		d.subTopology(i, s)
	}
	return d
}

func (d *drawing) subTopology(i int, s *SubTopology) {
	c := cluster{id: fmt.Sprintf("s%d", i), text: s.Name}
	add := func(key any, text string, sh shape) string {
		id := fmt.Sprintf("%sn%d", c.id, len(c.boxes))
		c.boxes = append(c.boxes, box{id, text, sh})
		d.ids[key] = id
		return id
	}
	for _, st := range s.Stores {
		add(st, st.Name, storeShape)
	}
	for _, source := range s.Sources {
		if source.Pattern != "" {
			add(source, source.names()[0], topicShape)
		}
	}
	// Boxes first, so that an arrow can lead to what stands below.
	for _, f := range s.Funcs {
		if f.Kind == FromRows || f.Kind == FromTurn { // steps that are drawn where changes and records pass them
			continue
		}
		for _, op := range f.Ops {
			if name := opBox(op); name != "" {
				add(op, name, stepShape)
			}
		}
	}
	for _, source := range s.Sources {
		from := []string{d.ids[source]}
		if source.Pattern == "" {
			from = nil
			for _, t := range source.Topics {
				from = append(from, d.ids[t])
			}
		}
		for _, id := range from {
			d.function(id, source.Entry)
		}
	}
	for _, st := range s.Stores {
		if st.Ended != nil {
			d.function(d.ids[st], st.Ended)
		}
		if st.Flush != nil {
			d.function(d.ids[st], st.Flush)
		}
	}
	d.clusters = append(d.clusters, c)
}

// opBox is what an operation is called in its box; "" if it has none.
func opBox(op Op) string {
	switch op := op.(type) {
	case *Choose:
		return strings.TrimSuffix(op.Cases[0].Case.Address, "."+op.Cases[0].Case.Label)
	case *Put:
		if op.Step == nil {
			return ""
		}
	}
	if s := op.Base().Step; s != nil {
		if _, send := op.(*Send); !send {
			return s.Base().Address
		}
	}
	return ""
}

// function draws the way of a record from id on.
func (d *drawing) function(id string, f *Func) {
	if f == nil || d.drawn[way{id, f}] {
		return
	}
	d.drawn[way{id, f}] = true
	for _, op := range f.Ops {
		if to := d.ids[op]; to != "" {
			d.arrow(id, to, false)
			id = to
		}
		for _, r := range rowsIn(op) {
			for _, s := range r.Stores() {
				d.arrow(d.ids[s], id, true)
			}
		}
		switch op := op.(type) {
		case *LookupGlobal:
			d.arrow(d.ids[op.Store], id, true)
		case *Regroup:
			d.arrow(id, d.ids[op.Topic], false)
		case *Subscribe:
			d.arrow(id, d.ids[op.Foreign.Subscriptions], false)
		case *Subscribed:
			d.arrow(id, d.ids[op.Foreign.Store], true)
			d.arrow(id, d.ids[op.Foreign.Answers], false)
		case *Tell:
			d.arrow(d.ids[op.Foreign.Store], id, true)
			d.arrow(id, d.ids[op.Foreign.Answers], false)
		case *Wait:
			d.arrow(id, d.ids[op.Store], true)
			d.function(id, op.Then)
		case *Meet:
			d.arrow(id, d.ids[op.Store()], true)
			d.arrow(d.ids[op.Join.Store(1-op.Side)], id, true)
			d.function(id, op.Join.Result)
		case *Put:
			d.arrow(id, d.ids[op.Store], true)
		case *Dedup:
			d.arrow(id, d.ids[op.Store], true)
		case *Suppress:
			d.arrow(id, d.ids[op.Store], true)
		case *Update:
			d.arrow(id, d.ids[op.Store], true)
		case *Send:
			for _, t := range op.To() {
				d.arrow(id, d.ids[t], false)
			}
		case *Choose:
			for _, c := range op.Cases {
				d.function(id, c.To)
			}
		case *Call:
			for _, g := range op.To {
				d.function(id, g)
			}
		case *Windows:
			d.function(id, op.Late)
		}
	}
}

// arrow adds an arrow once.
func (d *drawing) arrow(from, to string, dotted bool) {
	a := arrow{from, to, dotted}
	if !d.drawn[a] {
		d.drawn[a] = true
		d.arrows = append(d.arrows, a)
	}
}

// Mermaid writes the plan as a Mermaid flowchart.
func Mermaid(w io.Writer, p *Plan) {
	d := draw(p)
	open := [...]string{stepShape: "[", topicShape: "([", internalShape: "[[", storeShape: "[("}
	shut := [...]string{stepShape: "]", topicShape: "])", internalShape: "]]", storeShape: ")]"}
	node := func(indent string, b box) {
		fmt.Fprintf(w, "%s%s%s%q%s\n", indent, b.id, open[b.shape], b.text, shut[b.shape])
	}
	fmt.Fprintln(w, "flowchart LR")
	for _, b := range d.topics {
		node("  ", b)
	}
	for _, c := range d.clusters {
		fmt.Fprintf(w, "  subgraph %s[%q]\n", c.id, c.text)
		for _, b := range c.boxes {
			node("    ", b)
		}
		fmt.Fprintln(w, "  end")
	}
	for _, a := range d.arrows {
		line := "-->"
		if a.dotted {
			line = "-.->"
		}
		fmt.Fprintf(w, "  %s %s %s\n", a.from, line, a.to)
	}
}

// Dot writes the plan in Graphviz's language.
func Dot(w io.Writer, p *Plan) {
	d := draw(p)
	shapes := [...]string{stepShape: "box", topicShape: "cds", internalShape: "cds", storeShape: "cylinder"}
	node := func(indent string, b box) {
		style := ""
		if b.shape == internalShape {
			style = " style=dashed"
		}
		fmt.Fprintf(w, "%s%s [label=%q shape=%s%s]\n", indent, b.id, b.text, shapes[b.shape], style)
	}
	fmt.Fprintf(w, "digraph %q {\n  rankdir=LR\n", p.App)
	for _, b := range d.topics {
		node("  ", b)
	}
	for _, c := range d.clusters {
		fmt.Fprintf(w, "  subgraph cluster_%s {\n    label=%q\n", c.id, c.text)
		for _, b := range c.boxes {
			node("    ", b)
		}
		fmt.Fprintln(w, "  }")
	}
	for _, a := range d.arrows {
		style := ""
		if a.dotted {
			style = " [style=dashed]"
		}
		fmt.Fprintf(w, "  %s -> %s%s\n", a.from, a.to, style)
	}
	fmt.Fprintln(w, "}")
}
