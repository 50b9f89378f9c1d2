package model

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/streamgen/streamgen/spec/types"
)

// Dump is the program as text: what tests compare. Everything that the checker decided is in it but positions.
func Dump(p *Program) string {
	var d dumper
	d.app(&p.App)
	for _, e := range p.Enums {
		d.printf("enum %s %q", e.Name, e.Values)
		d.description(e.Description)
	}
	for _, r := range p.Records {
		d.printf("type %s { %s }", r.Name, r.FieldList())
		d.description(r.Description)
	}
	for _, r := range p.Anonymous {
		d.printf("anonymous of %s %s", r.Origin, r)
	}
	for _, f := range p.Functions {
		d.printf("function %s", f)
		d.description(f.Description)
	}
	for _, v := range p.Variables {
		kind := "fixed"
		if v.Runtime {
			kind = "runtime"
		}
		d.printf("variable %s %s %s = %s", v.Label, v.Type, kind, DumpExpr(v.Default))
		d.description(v.Description)
	}
	for _, b := range p.Blocks {
		d.block(b)
	}
	for _, s := range p.Sinks {
		d.sink(s)
	}
	return d.String()
}

type dumper struct {
	strings.Builder
	depth int
}

func (d *dumper) printf(format string, args ...any) {
	d.WriteString(strings.Repeat("  ", d.depth))
	fmt.Fprintf(d, format, args...)
	d.WriteByte('\n')
}

// in writes what belongs to the line before.
func (d *dumper) in(f func()) {
	d.depth++
	f()
	d.depth--
}

func (d *dumper) description(text string) {
	if text != "" {
		d.in(func() { d.printf("description %q", text) })
	}
}

func (d *dumper) app(a *App) {
	d.printf("app %s %s start=%s commit=%s", a.Label, a.Guarantee, a.Start, a.CommitInterval)
	d.description(a.Description)
	d.in(func() {
		if a.ReplicationFactor > 0 {
			d.printf("replication factor %d", a.ReplicationFactor)
		}
		for _, c := range a.TopicConfig {
			d.printf("topic config %s=%s", c.Key, c.Value)
		}
	})
}

// String is the word of a spec.
func (g Guarantee) String() string {
	switch g {
	case AtLeastOnce:
		return "at_least_once"
	case ExactlyOnce:
		return "exactly_once_v2"
	}
	return "?"
}

// String is the word of a spec, or the duration.
func (s Start) String() string {
	switch s.Kind {
	case Earliest:
		return "earliest"
	case Latest:
		return "latest"
	case Ago:
		return s.Ago.String()
	}
	return "?"
}

// String is the word of a spec; "" if nothing was written.
func (e OnError) String() string { return [...]string{"", "fail", "skip", "dead_letter"}[e] }

// String is the word of a spec; "" of what makes nothing.
func (e Emit) String() string { return [...]string{"", "updates", "every", "final"}[e] }

// String is key => value.
func (s Schema) String() string { return typeText(s.Key) + " => " + typeText(s.Value) }

func typeText(t types.Type) string {
	if t == nil {
		return "-"
	}
	return t.String()
}

// String is the format as written.
func (f Format) String() string {
	s := f.Name
	switch f.Name {
	case "json":
		s = "json(" + typeText(types.NonNull(f.Type)) + f.JSON.String() + ")"
	case "windowed":
		s = typeText(types.NonNull(f.Type))
		if f.Inner == "json" {
			s = "json in " + s
		}
	}
	if f.Optional {
		s = "optional(" + s + ")"
	}
	return s
}

func (d *dumper) policy(e OnError) {
	if e != 0 {
		d.printf("on error %s", e)
	}
}

func (d *dumper) block(b *Block) {
	emit := ""
	if b.Emit != 0 {
		emit = " emit=" + b.Emit.String()
	}
	if b.Deletes {
		emit += " deletes"
	}
	if b.History > 0 {
		emit += " history=" + b.History.String()
	}
	d.printf("%s%s: %s -> %s", b.Address(), emit, b.In, b.Out)
	d.description(b.Description)
	d.in(func() {
		d.policy(b.OnError)
		if s := b.Source; s != nil {
			from := fmt.Sprintf("topics %q", s.Topics)
			if s.Pattern != "" {
				from = fmt.Sprintf("pattern %q", s.Pattern)
			}
			d.printf("source %s key=%s value=%s start=%s bootstrap=%t partitioner=%s", from, s.Key, s.Value, s.Start, s.Bootstrap, s.Partitioner)
			if s.Reuse {
				d.printf("the topic is the changelog")
			}
		}
		if s := b.Source; s != nil && s.Time != nil {
			d.printf("time processing=%t invalid=%s max future %s idle %s", s.Time.Processing, s.Time.OnInvalid, s.Time.MaxFuture, s.Time.Idle)
			d.in(func() { d.expr("field", s.Time.Field) })
		}
		for _, r := range b.From {
			d.printf("from %s: %s", r.Address(), r.Schema())
		}
		if b.Window != nil {
			d.printf("%s", b.Window)
		}
		for _, s := range b.Steps {
			d.step(s)
		}
		for _, k := range b.Cases {
			where := "default"
			if k.Where != nil {
				where = DumpExpr(k.Where)
			}
			d.printf("case %s: %s -> %s", k.Address, where, k.Out)
			d.description(k.Description)
			d.in(func() { d.policy(k.OnError) })
		}
	})
}

func (d *dumper) step(s Step) {
	base := s.Base()
	d.printf("%s: %s", base.Address, base.Out)
	d.in(func() {
		d.policy(base.OnError)
		switch s := s.(type) {
		case *Filter:
			word := "where"
			if s.Not {
				word = "where not"
			}
			d.expr(word, s.Where)
		case *MapValues:
			d.expr("value", s.Value)
		case *SelectKey:
			d.expr("key", s.Key)
		case *Map:
			d.expr("key", s.Key)
			d.expr("value", s.Value)
			d.expr("timestamp", s.Timestamp)
			for _, h := range s.Headers {
				if h.Value == nil {
					d.printf("header %s removed", h.Name)
				} else {
					d.expr("header "+h.Name, h.Value)
				}
			}
		case *FlatMapValues:
			d.expr("each", s.Each)
		case *FlatMap:
			d.expr("each", s.Each)
		case *Peek:
			d.expr(s.Level, s.Message)
		case *Dedup:
			d.expr(fmt.Sprintf("by within %s", s.Within), s.By)
		case *Repartition:
			d.printf("label %s partitions %d", s.Label, s.Partitions)
		case *Join:
			d.printf("with %s as %s left=%t", s.With.Address(), s.As, s.Left)
			if s.Waits {
				d.printf("grace %s", s.Grace)
			}
			d.expr("value", s.Value)
		case *GlobalJoin:
			d.printf("with %s as %s left=%t", s.With.Address(), s.As, s.Left)
			d.expr("on", s.On)
			d.expr("value", s.Value)
		case *StreamJoin:
			d.printf("with %s as %s left=%t right=%t before %s after %s grace %s", s.With.Address(), s.As, s.Left, s.Right, s.Before, s.After, s.Grace)
		case *TableJoin:
			d.printf("%s with %s as %s", s.Kind, s.With.Address(), s.As)
			d.expr("on", s.On)
			d.expr("value", s.Value)
		case *GroupBy:
			d.expr("key", s.Key)
			d.expr("value", s.Value)
			if s.Rows {
				d.printf("rows")
			}
		case *Count:
			if s.KeepZero {
				d.printf("keep zero")
			}
		case *Aggregate:
			for i, a := range s.Aggregators {
				d.printf("#%d = %s(%s) : %s", i, a.Func, a.Args(), a.Type)
			}
			d.expr("value", s.Value)
			if s.KeepZero {
				d.printf("keep zero")
			}
		case *Reduce:
			d.expr("add", s.Add)
			d.expr("remove", s.Remove)
		case *Fold:
			d.expr("init", s.Init)
			d.expr("add", s.Add)
			d.expr("remove", s.Remove)
			d.expr("merge", s.Merge)
		case *Cogroup:
			d.expr("init", s.Init)
			d.expr("merge", s.Merge)
			for _, in := range s.Inputs {
				d.step(in)
			}
		case *Suppress:
			if s.Close {
				d.printf("until window closes")
			} else {
				d.printf("limit %s", s.Limit)
			}
			if s.MaxRecords > 0 || s.MaxBytes > 0 {
				d.printf("at most %d records %d bytes stop=%t", s.MaxRecords, s.MaxBytes, s.Stop)
			}
		case *Store:
			d.printf("label %s", s.Label)
			if s.TTL > 0 {
				d.printf("rows end %s behind their time", s.TTL)
			}
			if s.Unbounded != "" {
				d.printf("unbounded %q", s.Unbounded)
			}
		}
	})
}

func (d *dumper) expr(what string, e Expr) {
	if e != nil {
		d.printf("%s = %s : %s", what, DumpExpr(e), typeText(e.Base().Type))
	}
}

func (d *dumper) sink(s *Sink) {
	topic := s.Topic
	if s.Choice != nil {
		topic = "[" + strings.Join(s.Topics, " ") + "]"
	}
	d.printf("%s topic=%s key=%s value=%s: %s", s.Address(), topic, s.Key, s.Value, s.In)
	d.description(s.Description)
	d.in(func() {
		d.policy(s.OnError)
		if s.Refused == DeadLetter {
			d.printf("if it is refused %s", s.Refused)
		}
		d.printf("from %s", s.From.Address())
		d.expr("topic", s.Choice)
		d.expr("partition", s.Partition)
		d.expr("as key", s.AsKey)
		d.expr("as value", s.AsValue)
	})
}

// DumpExpr is an expression as text: every implicit node is written, and what can fail has a question mark behind it.
func DumpExpr(e Expr) string {
	var b strings.Builder
	dumpExpr(&b, e)
	return b.String()
}

func dumpExpr(b *strings.Builder, e Expr) {
	call := func(name string, args ...Expr) {
		b.WriteString(name + "(")
		for i, a := range args {
			if i > 0 {
				b.WriteString(", ")
			}
			dumpExpr(b, a)
		}
		b.WriteString(")")
	}
	if e == nil {
		return
	}
	switch e := e.(type) {
	case *Const:
		b.WriteString(constText(e))
	case *Var:
		b.WriteString(varText(e))
	case *AggRef:
		fmt.Fprintf(b, "#%d", e.Index)
	case *Field:
		dumpExpr(b, e.X)
		b.WriteString("." + e.Name)
	case *Header:
		fmt.Fprintf(b, "headers[%q]", e.Key)
	case *List, *Dict, *Index, *For:
		dumpCollection(b, e)
	case *Unary:
		call(e.Op, e.X)
	case *Binary:
		b.WriteString("(")
		dumpExpr(b, e.L)
		b.WriteString(" " + e.Op + " ")
		dumpExpr(b, e.R)
		b.WriteString(")")
		if e.Fallible && !e.L.Base().Fallible && !e.R.Base().Fallible {
			b.WriteString("?")
		}
	case *Cond:
		b.WriteString("(")
		dumpExpr(b, e.If)
		b.WriteString(" ? ")
		dumpExpr(b, e.Then)
		b.WriteString(" : ")
		dumpExpr(b, e.Else)
		b.WriteString(")")
	case *IsNull:
		dumpExpr(b, e.X)
		if e.Not {
			b.WriteString(" != null")
		} else {
			b.WriteString(" == null")
		}
	case *Unwrap:
		dumpExpr(b, e.X)
		b.WriteString("!")
	case *Wrap:
		call("some", e.X)
	case *Convert:
		call("to "+typeText(e.Type), e.X)
		if e.Fallible && !e.X.Base().Fallible {
			b.WriteString("?")
		}
	case *Call:
		call(e.Func, e.Args...)
	case *UserCall:
		call(e.Function.Label, e.Args...)
		if e.Function.Error {
			b.WriteString("?")
		}
	case *Try:
		call("try", e.X, e.Fallback)
	case *Concat:
		call("concat", e.Parts...)
	case *New:
		dumpNew(b, e)
	case *WindowPart:
		dumpExpr(b, e.X)
		b.WriteString([...]string{"", ".key", ".start", ".end"}[e.Part])
	case *InWindow:
		call("windowed", e.Key, e.X)
	case *Merge:
		b.WriteString("merge(")
		dumpExpr(b, e.X)
		for _, s := range e.Set {
			b.WriteString(", " + s.Name + " = ")
			dumpExpr(b, s.Value)
		}
		b.WriteString(" -> " + typeText(e.Type) + ")")
	}
}

func dumpCollection(b *strings.Builder, e Expr) {
	switch e := e.(type) {
	case *List:
		b.WriteString("[")
		for i, x := range e.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			dumpExpr(b, x)
		}
		b.WriteString("]")
	case *Dict:
		b.WriteString("map{")
		for i, k := range e.Keys {
			if i > 0 {
				b.WriteString(", ")
			}
			dumpExpr(b, k)
			b.WriteString(" = ")
			dumpExpr(b, e.Values[i])
		}
		b.WriteString("}")
	case *Index:
		dumpExpr(b, e.X)
		b.WriteString("[")
		dumpExpr(b, e.Key)
		b.WriteString("]?")
	case *For:
		b.WriteString("[for ")
		if e.Place != "" {
			b.WriteString(e.Place + ", ")
		}
		b.WriteString(e.Item + " in ")
		dumpExpr(b, e.X)
		b.WriteString(" : ")
		if e.Key != nil {
			dumpExpr(b, e.Key)
			b.WriteString(" => ")
		}
		dumpExpr(b, e.Value)
		if e.If != nil {
			b.WriteString(" if ")
			dumpExpr(b, e.If)
		}
		b.WriteString("]")
	}
}

func dumpNew(b *strings.Builder, e *New) {
	r, _ := e.Type.(*types.Record)
	if r == nil {
		b.WriteString("{?}")
		return
	}
	b.WriteString(r.Name + "{ ")
	for i, f := range e.Fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(r.Fields[i].Name + " = ")
		dumpExpr(b, f)
	}
	b.WriteString(" }")
}

// constText is a literal, with its type where the text alone would not tell.
func constText(e *Const) string {
	t := typeText(e.Type)
	switch v := e.Value.(type) {
	case nil:
		switch e.Type.(type) {
		case *types.List:
			return "[]"
		case *types.Map:
			return "map{}"
		}
		return "null"
	case string:
		return strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case []byte:
		return t + " " + strconv.Quote(string(v))
	case *big.Int:
		return t + " " + Decimal(e)
	case [16]byte:
		return t + " " + uuidText(v)
	case float64:
		return t + " " + strconv.FormatFloat(v, 'g', -1, 64)
	case int64:
		if enum, ok := e.Type.(*types.Enum); ok && v >= 0 && v < int64(len(enum.Values)) {
			return t + " " + strconv.Quote(enum.Values[v])
		}
		if e.Type == types.Int64 {
			return strconv.FormatInt(v, 10)
		}
		return t + " " + strconv.FormatInt(v, 10)
	}
	return "?"
}

// Decimal is the digits of a decimal constant: "12.50".
func Decimal(e *Const) string {
	n, _ := e.Value.(*big.Int)
	t, _ := types.NonNull(e.Type).(*types.Decimal)
	if n == nil || t == nil {
		return "?"
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil)
	return new(big.Rat).SetFrac(n, unit).FloatString(t.Scale)
}

func uuidText(u [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

func varText(e *Var) string {
	switch e.Root {
	case RootKey:
		return "key"
	case RootValue:
		return "value"
	case RootTimestamp:
		return "timestamp"
	case RootHeaders:
		return "headers"
	case RootPrevious:
		return "previous"
	case RootAgg:
		return "agg"
	case RootVariable:
		return "var." + e.Name
	case RootTopic:
		return "topic"
	case RootPartition:
		return "partition"
	case RootOffset:
		return "offset"
	}
	return e.Name
}

// Args are the arguments of an aggregator, as DumpExpr has them.
func (a *Aggregator) Args() string {
	s := DumpExpr(a.Arg)
	if a.By != nil {
		s += ", " + DumpExpr(a.By)
	}
	if a.Most > 0 {
		s += ", " + strconv.FormatInt(a.Most, 10)
	}
	if a.Func == "quantile" {
		s += ", " + strconv.FormatFloat(a.Share, 'g', -1, 64)
	}
	return s
}
