package check

import (
	"time"

	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// timeShape is the block time of a source.
var timeShape = shape{word: "time", attrs: []attr{
	{name: "field"}, {name: "format"}, {name: "on_invalid"}, {name: "max_future"}, {name: "idle"}, {name: "processing"}, description,
}}

// time reads the block time: what the event time of a source's records is.
func (ch *chain) time(b *syntax.Block) {
	s := ch.d.model.Source
	if s.Time != nil {
		ch.c.diags.Errorf("SG1107", b.Header, "a source has one block time; the first at %d", s.Time.Pos.Start.Line).
			WithHint("remove one").WithRelated(s.Time.Pos, "the first one")
		return
	}
	d := ch.c.open(b, &timeShape)
	t := &model.Time{OnInvalid: model.InvalidFails, Address: ch.d.address() + ".time", Pos: b.Header}
	s.Time = t
	switch ch.policy.badInput {
	case model.Skip:
		t.OnInvalid = model.InvalidSkips
	case model.DeadLetter:
		t.OnInvalid = model.InvalidBuries
	}
	if t.Processing = d.boolean("processing"); t.Processing {
		for _, a := range b.Attrs {
			if a.Name.Name != "processing" && a.Name.Name != "description" {
				ch.c.diags.Errorf("SG1113", a.Name.Range, "%q and \"processing\" exclude each other", a.Name.Name).
					WithHint("the wall clock at arrival is always valid: remove one of the two")
				return
			}
		}
		return
	}
	switch d.word("on_invalid", []string{"fail", "skip", "partition_time"}, nil) {
	case "fail":
		t.OnInvalid = model.InvalidFails
	case "skip":
		t.OnInvalid = model.InvalidSkips
	case "partition_time":
		t.OnInvalid = model.InvalidPartitionTime
	}
	t.MaxFuture, t.AnyFuture = d.durationOrNever("max_future", "clocks never agree", "1h")
	t.Idle, t.NeverIdle = d.durationOrNever("idle", "each record would be late for the one before", "30s")
	if t.MaxFuture == 0 && t.Idle == 0 && !d.has("field") && !d.has("on_invalid") { // "never" is as if there were no block
		t.OnInvalid = 0
	}
	if a := d.attr("field"); a != nil {
		t.Field = ch.timeField(d, a)
	} else if a := d.attr("format"); a != nil {
		ch.c.diags.Errorf("SG1113", a.Name.Range, "\"format\" says how a field is written, and there is none").WithHint("field = value.at")
	}
}

// durationOrNever reads a duration that is not zero, or "never".
func (d *body) durationOrNever(name, why, usual string) (v time.Duration, never bool) {
	a := d.attr(name)
	if a == nil {
		return 0, false
	}
	if text, ok := a.Value.(*syntax.Text); ok && text.Value == "never" {
		return 0, true
	}
	v, ok := d.duration(name)
	if ok && v == 0 {
		d.c.diags.Errorf("SG1112", a.Value.Pos(), "%q must not be zero: %s", name, why).WithHint("%s = %q, or \"never\"", name, usual)
	}
	return v, false
}

// timeField is the expression of the event time. For numbers and texts the format says how they are a time.
func (ch *chain) timeField(d *body, a *syntax.Attr) model.Expr {
	in := ch.d.model.In
	table := ch.d.model.Kind == model.Table
	if table {
		in.Value = types.OptionalOf(in.Value) // a delete has none
	}
	s := recordScope(in, ch.d.address())
	x := &exprs{c: ch.c, s: s}
	if table {
		x.facts = facts{"value"}
	}
	v := x.check(a.Value, nil)
	from := v.Base().Type
	format, formatted := d.text("format")
	pos := a.Value.Pos()
	made := func(name string, args ...model.Expr) model.Expr {
		n := &model.Call{ExprBase: base(types.Timestamp, pos, args...), Func: name, Args: args}
		n.Fallible = n.Fallible || library.Lookup(name).Fails != ""
		return n
	}
	layout := func() *model.Const {
		k := constant(types.String, format, d.attr("format").Value.Pos())
		if why, hint := notOfKind(k, library.Layout); why != "" {
			ch.c.diags.Errorf("SG1309", k.Pos, "%s", why).WithHint("%s", hint)
		}
		return k
	}
	var out model.Expr
	switch {
	case types.IsInvalid(from) || formatted != d.has("format"):
		return invalid(pos)
	case types.IsOptional(from) || from == types.Null:
		ch.c.diags.Errorf("SG1302", pos, "%s may be null", ch.c.text(pos)).
			WithHint("coalesce(%s, timestamp): without it the record has its own time", ch.c.text(pos))
		return invalid(pos)
	case from == types.Timestamp && !formatted:
		out = v
	case from == types.Timestamp:
		ch.c.diags.Errorf("SG1113", d.attr("format").Name.Range, "a timestamp has no format").WithHint("remove it")
		return invalid(pos)
	case types.IsInteger(from) && (format == "unix_ms" || format == "unix_s"):
		out = made("from_"+format, x.coerce(v, types.Int64))
	case from == types.String && format == "rfc3339":
		c := &model.Convert{ExprBase: base(types.Timestamp, pos, v), X: v}
		c.Fallible, out = true, c
	case from == types.String && formatted && format != "unix_ms" && format != "unix_s":
		out = made("parse_time", v, layout())
	default:
		m := ch.c.diags.Errorf("SG1301", pos, "the time of a record must be a timestamp, is %s", from)
		switch {
		case types.IsInteger(from):
			m.WithHint(`format = "unix_ms", or "unix_s"`)
		case from == types.String:
			m.WithHint(`format = "rfc3339", or a layout of Go: "2006-01-02 15:04:05"`)
		}
		return invalid(pos)
	}
	if table {
		gone := &model.IsNull{ExprBase: base(types.Bool, pos), X: &model.Var{ExprBase: base(in.Value, pos), Root: model.RootValue}}
		c := &model.Cond{ExprBase: base(types.Timestamp, pos, out), If: gone, Then: &model.Var{ExprBase: base(types.Timestamp, pos), Root: model.RootTimestamp}, Else: out}
		out = c
	}
	return out
}
