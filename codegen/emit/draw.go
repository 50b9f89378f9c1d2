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
	b.WriteString(wrap(fmt.Sprintf("Package %s is the topology %q. %s", p.Package, p.App, p.Description)) + "\n")
	for _, s := range p.SubTopologies {
		fmt.Fprintf(&b, "//\n//\tsub-topology %s\n", s.Name)
		d := &drawing{drawn: map[*plan.Func]bool{}}
		for _, src := range s.Sources {
			d.follow(row{"  " + sourceName(src), "  "}, src.Entry)
		}
		for _, st := range s.Stores {
			if st.Ended != nil {
				d.follow(row{"  ended rows of " + st.Name, "  "}, st.Ended)
			}
			if st.Flush != nil {
				what := "changes of "
				if st.Final {
					what = "closed windows of "
				}
				if st.Kind == plan.Suppressed {
					what = "what leaves "
				}
				d.follow(row{"  " + what + st.Name, "  "}, st.Flush)
			}
		}
		for _, l := range d.lines {
			b.WriteString("//\t" + l + "\n")
		}
	}
	for _, s := range p.GlobalTables {
		fmt.Fprintf(&b, "//\n//\tglobal table %s, in each process as a whole\n//\t  %s ─▶ store %s\n", s.Name, sourceName(s.Sources[0]), s.Stores[0].Name)
	}
	for _, t := range p.Topics {
		if t.Kind == plan.Repartition {
			text := fmt.Sprintf("Topic %s is for %s.", t.Name, strings.TrimPrefix(t.Reason, "written: "))
			if t.CauseText != "" && !t.Link {
				text += fmt.Sprintf(" The key is changed by %s.", t.CauseText)
			}
			b.WriteString("//\n" + wrap(text) + "\n")
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

// drawing is the drawing of one sub-topology in the making.
type drawing struct {
	lines []string
	drawn map[*plan.Func]bool // functions that several go on in are drawn once
}

// row is a line in the making: text, and what the lines that fork from it begin with.
type row struct{ text, indent string }

// then adds a word behind an arrow.
func (r *row) then(word string) {
	if !strings.HasSuffix(r.text, "┬") && !strings.HasSuffix(r.text, "├") && !strings.HasSuffix(r.text, "└") {
		r.text += " "
	}
	r.text += "─▶ " + word
}

// follow draws what a function does to a record, and what the functions do that it calls.
func (d *drawing) follow(r row, f *plan.Func) {
	if d.drawn[f] {
		r.then(meeting(f) + ", above")
		d.lines = append(d.lines, r.text)
		return
	}
	d.drawn[f] = true
	for _, op := range f.Ops {
		switch op := op.(type) {
		case *plan.Call:
			d.fork(r, op.To, make([]string, len(op.To)))
			return
		case *plan.Choose:
			var to []*plan.Func
			var labels []string
			for _, c := range op.Cases {
				to = append(to, c.To)
				labels = append(labels, c.Case.Label)
			}
			d.fork(r, to, labels)
			return
		case *plan.Wait:
			d.follow(r, op.Then)
			return
		case *plan.Meet:
			d.follow(r, op.Join.Result)
			return
		}
		if w, ok := op.(*plan.Windows); ok && w.Late != nil {
			late := r
			late.then("too late")
			d.follow(late, w.Late)
		}
		if word := opWord(op); word != "" {
			r.then(word)
		}
	}
	d.lines = append(d.lines, r.text)
}

// fork draws the ways of a record below each other.
func (d *drawing) fork(r row, to []*plan.Func, labels []string) {
	pad := r.indent + strings.Repeat(" ", utf8.RuneCountInString(r.text)-utf8.RuneCountInString(r.indent)+1)
	for i, f := range to {
		way := row{pad + "├", pad + "│"}
		switch {
		case len(to) == 1:
			way = r
		case i == 0:
			way.text = r.text + " ┬"
		case i == len(to)-1:
			way = row{pad + "└", pad + " "}
		}
		if labels[i] != "" {
			way.then(labels[i])
		}
		if f == nil {
			way.then("dropped")
			d.lines = append(d.lines, way.text)
			continue
		}
		d.follow(way, f)
	}
}

// meeting is the block in which ways meet: that of the function's first step.
func meeting(f *plan.Func) string {
	for _, op := range f.Ops {
		if step := op.Base().Step; step != nil {
			return strings.Join(strings.SplitN(step.Base().Address, ".", 3)[:2], ".")
		}
		if send, ok := op.(*plan.Send); ok {
			return opWord(send)
		}
	}
	return f.Go
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
	case *plan.RowFilter:
		if op.Not {
			return "filter_not"
		}
		return "filter"
	case *plan.RowMap:
		return "map_values"
	case *plan.JoinRows:
		return op.Kind.String() + " " + op.TableJoin.With.Label
	case *plan.Subscribe:
		return "ask for " + op.Foreign.Step.With.Label + " ─▶ " + topicName(op.Foreign.Subscriptions)
	case *plan.Subscribed:
		return "store " + op.Foreign.Store.Name + " ─▶ " + topicName(op.Foreign.Answers)
	case *plan.Tell:
		return "tell " + op.Foreign.Store.Name + " ─▶ " + topicName(op.Foreign.Answers)
	case *plan.Answer:
		return op.Kind.String() + " " + op.TableJoin.With.Label
	case *plan.Regroup:
		return "group_by " + short(op.Key) + " ─▶ " + topicName(op.Topic)
	case *plan.Lookup:
		if op.Left {
			return "left_join " + op.With.Label
		}
		return "join " + op.With.Label
	case *plan.LookupGlobal:
		if op.Left {
			return "left_join " + op.With.Label
		}
		return "join " + op.With.Label
	case *plan.Joined:
		words := strings.Split(op.StreamJoin.Address, ".")
		return words[len(words)-2] + " " + op.StreamJoin.With.Block.Label
	case *plan.Put:
		return "store " + op.Store.Name
	case *plan.Windows:
		return op.Store.Window.Kind.String() + " window"
	case *plan.Suppress:
		return "suppress, store " + op.Store.Name
	case *plan.Update:
		switch op.Step.(type) {
		case *model.Count:
			return "count, store " + op.Store.Name
		case *model.Reduce:
			return "reduce, store " + op.Store.Name
		case *model.Fold:
			return "fold, store " + op.Store.Name
		default:
			return "aggregate, store " + op.Store.Name
		}
	case *plan.Send:
		var names []string
		for _, t := range op.To() {
			names = append(names, topicName(t))
		}
		return strings.Join(names, " or ")
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
