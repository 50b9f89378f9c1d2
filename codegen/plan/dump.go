package plan

import (
	"fmt"
	"io"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Dump is the whole plan as text, for goldens: what Text says, the Go types, which rows are read ahead, and every Func with its operations.
func Dump(p *Plan) string {
	var b strings.Builder
	Text(&b, p)
	if len(p.Types) > 0 {
		b.WriteString("\ntypes\n")
	}
	for _, t := range p.Types {
		fmt.Fprintf(&b, "  %s  (%s)  %s\n", t.Name, t.Origin, strings.Join(append(t.Fields, t.Values...), " "))
	}
	for _, s := range p.Parts() {
		fmt.Fprintf(&b, "\nfuncs of %s (type %s, %s)\n", s.Name, s.Go, s.File)
		for _, store := range s.Stores {
			for _, source := range store.Ahead {
				fmt.Fprintf(&b, "  ahead of %s: rows of %s\n", source.Origin, store.Name)
			}
		}
		for _, f := range s.Funcs {
			dumpFunc(&b, f)
		}
	}
	return b.String()
}

func dumpFunc(w io.Writer, f *Func) {
	fmt.Fprintf(w, "  %s: %s\n    in %s\n", f.Go, f.Doc, f.In)
	state := f.In
	for _, op := range f.Ops {
		b := op.Base()
		line := "    " + opText(op)
		if b.At != nil {
			line += "  @" + b.At.Go
		}
		if !sameState(b.Out, state) {
			line += "  -> " + b.Out.String()
		}
		fmt.Fprintln(w, line)
		state = b.Out
	}
}

// opText is an operation on one line.
func opText(op Op) string {
	switch op := op.(type) {
	case *Decode:
		s := "decode"
		if op.Key {
			s += " key"
			if !op.Out.Key.Typed {
				s += " (check)"
			}
		}
		if op.Value {
			s += " value"
			if !op.Out.Value.Typed {
				s += " (check)"
			}
			switch {
			case op.Fields == nil || !op.Out.Value.Typed:
			case len(op.Fields) == 0:
				s += " {}"
			default:
				s += " {" + strings.Join(op.Fields, " ") + "}"
			}
			if len(op.Check) > 0 {
				s += " check {" + strings.Join(op.Check, " ") + "}"
			}
		}
		if op.Trust {
			s += " trusted"
		}
		return s
	case *EncodeKey:
		return "encode key"
	case *DropNullKey:
		return "drop null key"
	case *DropNullValue:
		return "drop null value"
	case *Lookup:
		return "lookup " + Rows{Store: op.Store, View: op.View}.String() + " for " + op.Join.Address
	case *LookupGlobal:
		return "lookup global " + op.Store.Name + " for " + op.GlobalJoin.Address
	case *RowFilter:
		return "row " + op.Filter.Address
	case *RowMap:
		return "row " + op.MapValues.Address
	case *Newest:
		return "only the newest"
	case *Differ:
		return "differ"
	case *JoinRows:
		side := "right"
		if op.Left {
			side = "left"
		}
		return side + " of " + op.TableJoin.Address + " with " + op.Other.String()
	case *Get:
		if op.Left != nil {
			return "get what has left " + op.Left.Name + " of " + op.Rows.String()
		}
		return "get " + op.Rows.String()
	case *GetJoined:
		return "get " + op.TableJoin.Address + " of " + op.Left.String() + " and " + op.Right.String()
	case *Regroup:
		return "regroup to " + op.Topic.Name + " by " + op.GroupBy.Address
	case *Subscribe:
		return "subscribe by " + op.Foreign.Subscriptions.Name
	case *Subscribed:
		return "subscribed in " + op.Foreign.Store.Name + ", answer with " + op.Right.String() + " by " + op.Foreign.Answers.Name
	case *Tell:
		return "tell those in " + op.Foreign.Store.Name + " by " + op.Foreign.Answers.Name
	case *Answer:
		return "answer for " + op.Left.String()
	case *Dedup:
		return "dedup by " + op.Store.Name
	case *EventTime:
		return "event time"
	case *Wait:
		return "wait in " + op.Store.Name + " and go on in " + op.Then.Go
	case *Meet:
		return "meet " + op.Join.Store(1-op.Side).Name + " and go on in " + op.Join.Result.Go
	case *Joined:
		return "result of " + op.StreamJoin.Address
	case *Put:
		return "put " + op.Store.Name
	case *Age:
		return "age " + op.Store.Name
	case *Windows:
		text := "windows of " + op.Store.Name
		if op.Late != nil {
			text += ", late → " + op.Late.Go
		}
		return text
	case *Suppress:
		return "suppress into " + op.Store.Name
	case *Update:
		return "update " + op.Store.Name + " by " + op.Step.Base().Address
	case *Send:
		return fmt.Sprintf("send to %s as %s, %s", strings.Join(topicNames(op.To()), " or "), op.Key, op.Value)
	case *Choose:
		var cases []string
		for _, c := range op.Cases {
			to := "nobody"
			if c.To != nil {
				to = c.To.Go
			}
			cases = append(cases, c.Case.Label+" → "+to)
		}
		return "choose " + strings.Join(cases, ", ")
	case *Call:
		var to []string
		for _, f := range op.To {
			to = append(to, f.Go)
		}
		return "call " + strings.Join(to, ", ")
	default:
		return op.Base().Step.Base().Address
	}
}

// String is the store, or the Func.
func (r Rows) String() string {
	if r.Store != nil {
		return r.Store.Name
	}
	return r.View.Go
}

// String is the state on one line: "key string raw; value Order {amount} raw as json(Order)".
func (s State) String() string {
	text := "key " + s.Key.String() + "; value " + s.Value.String()
	if s.Window {
		text += "; window"
	}
	if s.Newest {
		text += "; newest"
	}
	if s.Old.Typed {
		text += "; old " + s.Old.String()
	}
	if s.Timestamp {
		text += "; timestamp"
	}
	if s.Headers {
		text += "; headers"
	}
	if !s.Record {
		text += "; no record"
	}
	return text
}

// String is the carry in few words.
func (c Carry) String() string {
	s := c.Type.String()
	if c.Typed {
		s += " typed"
		if c.Fields != nil {
			s += " {" + strings.Join(c.Fields, " ") + "}"
		}
	}
	if c.Raw {
		s += " raw " + c.Format.Name
		if c.Format.Inner != "" {
			s += "(" + c.Format.Inner + ")"
		}
		if c.Borrowed {
			s += " borrowed"
		}
	}
	return s
}

// Text writes what `streamgen plan` shows.
func Text(w io.Writer, p *Plan) {
	fmt.Fprintf(w, "app %s: %s, commit every %s, package %s\n", p.App, guarantee(p.Guarantee), types.Length(p.CommitInterval), p.Package)
	for _, s := range p.SubTopologies {
		fmt.Fprintf(w, "\nsub-topology %s: %s\n", s.Name, strings.Join(s.Blocks, ", "))
		t := table{indent: "  "}
		for _, source := range s.Sources {
			for _, name := range source.names() {
				t.row("reads", name, source.Origin, brief(source.Key)+", "+brief(source.Value), readText(source))
			}
		}
		for _, store := range s.Stores {
			t.row("store", store.Name, store.Origin, brief(store.Key)+", "+brief(store.Row()), emitText(store))
		}
		for _, g := range s.Globals {
			t.row("looks into", g.Name, g.Origin, g.Key.String()+", "+g.Value.String(), "")
		}
		for _, topic := range s.Writes {
			t.row("writes", topic.Name, topic.Origin, brief(topic.Key)+", "+brief(topic.Value), "")
		}
		t.write(w)
	}
	for _, s := range p.GlobalTables {
		fmt.Fprintf(w, "\nglobal table %s: all rows in each process, complete before anything is processed\n", s.Name)
		t, source := table{indent: "  "}, s.Sources[0]
		t.row("reads", source.Topics[0].Name, source.Origin, source.Key.String()+", "+source.Value.String(), "all partitions, without a group")
		t.row("store", s.Stores[0].Name, s.Stores[0].Origin, s.Stores[0].Key.String()+", "+s.Stores[0].Row().String(), "")
		t.write(w)
	}
	repartitionsText(w, p)
	storesText(w, p)
}

func repartitionsText(w io.Writer, p *Plan) {
	title := "\nrepartitions\n"
	for _, t := range p.Topics {
		if t.Kind != Repartition {
			continue
		}
		fmt.Fprintf(w, "%s  %s\n    for %s\n", title, t.Name, t.Reason)
		title = ""
		if t.Link {
			fmt.Fprintf(w, "    the foreign key stands at %s: %s\n", t.Cause, t.CauseText)
		} else if t.CauseText != "" {
			fmt.Fprintf(w, "    the key changed at %s by %s\n", t.Cause, t.CauseText)
		}
		if t.Partitions > 0 {
			fmt.Fprintf(w, "    %d partitions\n", t.Partitions)
			continue
		}
		fmt.Fprintf(w, "    as many partitions as %s\n", strings.Join(topicNames(t.Like), ", "))
	}
}

func storesText(w io.Writer, p *Plan) {
	if len(p.Stores) == 0 {
		return
	}
	fmt.Fprint(w, "\nstores\n")
	t := table{indent: "  "}
	for _, s := range p.Stores {
		log := s.Changelog
		if s.Kind == GlobalRows {
			log = "no changelog: its topic is the log"
		} else if s.Reuses {
			log += ", which it is read from"
		}
		t.row(s.Name, s.Origin, log, s.Fingerprint)
	}
	t.write(w)
}

// names are the topics of a source, or its pattern.
func (s *Source) names() []string {
	if s.Pattern != "" {
		return []string{"/" + s.Pattern + "/"}
	}
	return topicNames(s.Topics)
}

// readText says what of a record is read.
func readText(s *Source) string {
	for _, op := range s.Entry.Ops {
		if d, ok := op.(*Decode); ok && d.Value {
			return fieldsText(d)
		}
	}
	return ""
}

// fieldsText is the fields that are built and those that are only checked.
func fieldsText(d *Decode) string {
	var parts []string
	if d.Out.Value.Typed {
		if d.Fields == nil {
			parts = append(parts, "all")
		} else {
			parts = append(parts, d.Fields...)
		}
	}
	if len(d.Check) > 0 {
		parts = append(parts, "(checked: "+strings.Join(d.Check, " ")+")")
	}
	return strings.Join(parts, " ")
}

func emitText(s *Store) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(s.windowText())
	if s.TTL > 0 {
		add("rows end " + types.Length(s.TTL) + " behind their time")
	}
	leave := ""
	switch {
	case s.Flush == nil:
	case s.Kind == Suppressed:
		leave = "changes are held back"
	case s.Final:
		leave = "rows leave when their window closes"
	default:
		leave = "changes leave at commits"
	}
	add(leave)
	add(s.collectText())
	return strings.Join(parts, "; ")
}

// brief leaves the fields of an anonymous record out where they would make the table wide.
func brief(of fmt.Stringer) string {
	s := of.String()
	from, to := strings.IndexByte(s, '{'), strings.LastIndexByte(s, '}')
	if from < 0 || to < from || len(s) <= 60 {
		return s
	}
	return s[:from] + "{…}" + s[to+1:]
}

// place is a position without the directory, in which a plan is the same.
func place(r diag.Range) string {
	r.File = baseName(r.File)
	return r.String()
}

func baseName(file string) string { return file[strings.LastIndexByte(file, '/')+1:] }

func guarantee(g model.Guarantee) string {
	if g == model.ExactlyOnce {
		return "exactly_once_v2"
	}
	return "at_least_once"
}

// table aligns columns. Trailing empty cells take no space.
type table struct {
	indent string
	rows   [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(w io.Writer) {
	var width []int
	for _, r := range t.rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len([]rune(c)))
		}
	}
	for _, r := range t.rows {
		line := t.indent
		for i, c := range r {
			line += c + strings.Repeat(" ", width[i]-len([]rune(c))+2)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}
