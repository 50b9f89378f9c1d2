package emit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
)

// packageComment describes the topology and draws it.
//
//	sub-topology enriched
//	  (repartition) ─▶ join customers ─▶ filter ─▶ orders-enriched
//	  customers ─▶ store customers
func (e *emitter) packageComment() string {
	p := e.plan
	var b strings.Builder
	fmt.Fprintf(&b, "// Package %s is the topology %q.", p.Package, p.App)
	if p.Description != "" {
		fmt.Fprintf(&b, " %s", strings.ReplaceAll(strings.TrimSpace(p.Description), "\n", "\n// "))
	}
	b.WriteByte('\n')
	for _, s := range p.SubTopologies {
		fmt.Fprintf(&b, "//\n//\tsub-topology %s\n", s.Name)
		d := &drawing{drawn: map[*plan.Func]bool{}}
		for _, src := range s.Sources {
			d.line("  "+sourceName(src), "  ", src.Entry)
		}
		for _, st := range s.Stores {
			if st.Flush != nil {
				d.line("  store "+st.Name+", at a commit", "  ", st.Flush)
			}
		}
		for _, l := range d.lines {
			b.WriteString("//\t" + l + "\n")
		}
	}
	for _, t := range p.Topics {
		if t.Kind == plan.Repartition && t.Reason != "" {
			fmt.Fprintf(&b, "//\n// Topic %s: %s", t.Name, t.Reason)
			if t.CauseText != "" {
				fmt.Fprintf(&b, "; %s", t.CauseText)
			}
			b.WriteString(".\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// sourceName is where records come from: a topic, in parentheses if it is the program's own.
func sourceName(s *plan.Source) string {
	if s.Pattern != "" {
		return "/" + s.Pattern + "/"
	}
	var names []string
	for _, t := range s.Topics {
		names = append(names, topicName(t))
	}
	return strings.Join(names, ", ")
}

func topicName(t *plan.Topic) string {
	if t.Kind == plan.Repartition {
		return "(" + t.Name + ")"
	}
	return t.Name
}

const arrow = " ─▶ "

// drawing is the drawing of one sub-topology in the making.
type drawing struct {
	lines []string
	drawn map[*plan.Func]bool // functions that several go on in are drawn once
}

// line draws a function behind head. Lines below it begin with indent.
func (d *drawing) line(head, indent string, f *plan.Func) {
	if d.drawn[f] {
		d.lines = append(d.lines, head+arrow+f.Go+", above")
		return
	}
	d.drawn[f] = true
	for _, op := range f.Ops {
		switch op := op.(type) {
		case *plan.Call:
			d.fork(head, indent, op.To, make([]string, len(op.To)))
			return
		case *plan.Choose:
			var to []*plan.Func
			var labels []string
			for _, c := range op.Cases {
				to = append(to, c.To)
				labels = append(labels, c.Case.Label)
			}
			d.fork(head, indent, to, labels)
			return
		}
		if word := opWord(op); word != "" {
			head += arrow + word
		}
	}
	d.lines = append(d.lines, head)
}

// fork draws what several functions make of a record, below each other.
func (d *drawing) fork(head, indent string, to []*plan.Func, labels []string) {
	pad := indent + strings.Repeat(" ", utf8.RuneCountInString(head)-utf8.RuneCountInString(indent))
	for i, f := range to {
		mark, below := " ┬", " │"
		switch {
		case len(to) == 1:
			mark, below = " ─", "  "
		case i == len(to)-1:
			mark, below = " └", "  "
		case i > 0:
			mark = " ├"
		}
		begin := pad
		if i == 0 {
			begin = head
		}
		begin += mark
		if labels[i] != "" {
			begin += "─▶ " + labels[i]
		} else {
			begin += "─"
		}
		if f == nil {
			d.lines = append(d.lines, begin+arrow+"dropped")
			continue
		}
		d.line(begin, pad+below, f)
	}
}

// opWord is an operation as the drawing shows it; "" for those that are no step.
func opWord(op plan.Op) string {
	switch op := op.(type) {
	case *plan.Filter:
		if op.Not {
			return "filter_not"
		}
		return "filter"
	case *plan.MapValues:
		return "map_values"
	case *plan.SelectKey:
		if _, ok := op.Step.(*model.GroupBy); ok {
			return "group_by " + short(op.Key)
		}
		return "select_key " + short(op.Key)
	case *plan.Map:
		return "map"
	case *plan.Peek:
		return "peek"
	case *plan.Lookup:
		if op.Left {
			return "left_join " + op.With.Label
		}
		return "join " + op.With.Label
	case *plan.Put:
		return "store " + op.Store.Name
	case *plan.Update:
		switch op.Step.(type) {
		case *model.Count:
			return "count, store " + op.Store.Name
		case *model.Reduce:
			return "reduce, store " + op.Store.Name
		default:
			return "aggregate, store " + op.Store.Name
		}
	case *plan.Send:
		return topicName(op.Topic)
	}
	return ""
}

// short is the text of an expression if it fits into a drawing.
func short(e model.Expr) string {
	text := strings.TrimPrefix(exprText(e), "value.")
	if utf8.RuneCountInString(text) > 24 {
		return "…"
	}
	return text
}
