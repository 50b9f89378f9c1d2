package check

import (
	"strings"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// sink reads a sink.
func (c *checker) sink(b *syntax.Block) {
	in := c.open(b, topLevel("sink"))
	s := &model.Sink{Label: b.Labels[0].Name, Description: in.description(), Pos: b.Header}
	c.program.Sinks = append(c.program.Sinks, s)
	p := in.policy(c.policy)
	s.OnError, s.Refused = p.badLogic, p.sink
	f := unknownFlow(b.Header)
	if a := in.attr("from"); a != nil {
		if l, ok := a.Value.(*syntax.List); ok {
			c.diags.Errorf("SG1112", l.Pos(), "a sink has one \"from\"").WithHint("merge in a stream: stream \"all\" { from = %s }", c.text(l.Pos()))
		} else {
			s.From, f, _ = c.read(a.Value)
		}
	}
	s.In = f.schema
	c.sinkTarget(in, s, f)
	if a := in.attr("value"); a != nil {
		s.Value, s.AsValue = c.sinkFormat(a.Value, "value", s.In.Value, model.RootValue)
	}
	if a := in.attr("key"); a != nil {
		s.Key, s.AsKey = c.sinkFormat(a.Value, "key", s.In.Key, model.RootKey)
		return
	}
	if types.IsInvalid(s.In.Key) {
		return
	}
	name, ok := types.NaturalFormat(s.In.Key)
	if !ok {
		d := c.diags.Errorf("SG1102", b.Header, "%s needs \"key\": the key is %s and has no format of its own", title(b), s.In.Key)
		switch t := types.NonNull(s.In.Key).(type) {
		case *types.Record:
			d.WithHint("key = json")
		case *types.Windowed:
			d.WithHint("key = windowed(json)")
		default:
			if convertible(types.String, t) {
				d.WithHint("`select_key { key = string(key) }` in the stream before")
			}
		}
		return
	}
	s.Key = model.Format{Name: name, Optional: types.IsOptional(s.In.Key), Type: s.In.Key}
	if w, ok := types.WindowedOf(s.In.Key); ok {
		s.Key.Inner, _ = types.NaturalFormat(w.Key)
	}
}

// refusals reports sinks that write to one topic and do not agree on what the broker refuses.
func (c *checker) refusals() {
	first := map[string]*model.Sink{}
	for _, s := range c.program.Sinks {
		topics := s.Topics
		if s.Topic != "" {
			topics = []string{s.Topic}
		}
		for _, t := range topics {
			o := first[t]
			if o == nil {
				first[t] = s
				continue
			}
			if (o.Refused == model.DeadLetter) != (s.Refused == model.DeadLetter) {
				c.diags.Errorf("SG1802", s.Pos, "%s and %s write to %q and do not agree on records that the broker refuses", o.Address(), s.Address(), t).
					WithDetail("Which of the two has written a record that is refused is not known.").
					WithHint("one policy for both: on_error = { sink = \"dead_letter\" }, or \"fail\"").WithRelated(o.Pos, "the other one")
				return
			}
		}
	}
}

// sinkFormat is the format that keys or values are written in, and the conversion to its type if that is another one.
func (c *checker) sinkFormat(e syntax.Expr, what string, in types.Type, root model.Root) (model.Format, model.Expr) {
	f := c.format(e, true)
	if types.IsInvalid(in) || f.Type == types.Invalid {
		return f, nil
	}
	elem := types.NonNull(in)
	if f.Name == "windowed" && !c.sinkWindowed(e, what, &f, elem) {
		f.Type = types.Invalid
		return f, nil
	}
	switch {
	case f.Name == "json" && (f.Type == nil || types.IsInvalid(types.NonNull(f.Type))):
		if _, ok := elem.(*types.Record); !ok {
			c.wrongFormat(e, f, what, elem)
			f.Type = types.Invalid
			return f, nil
		}
		f.Type = elem
		if types.HoldsUnknown(elem) {
			f.JSON = &model.JSON{Keep: true}
		}
	case f.Name == "json" && !types.Assignable(types.NonNull(f.Type), elem):
		c.otherRecord(e, types.NonNull(f.Type), elem)
		return f, nil
	case f.Name != "json" && !types.Equal(types.NonNull(f.Type), elem):
		c.wrongFormat(e, f, what, elem)
		return f, nil
	}
	f.Type, f.Optional = types.NonNull(f.Type), types.IsOptional(in)
	if f.Optional {
		f.Type = types.OptionalOf(f.Type)
	}
	if types.Equal(f.Type, in) {
		return f, nil
	}
	x := &exprs{c: c, s: &scope{}}
	return f, x.coerce(&model.Var{ExprBase: base(in, e.Pos()), Root: root}, f.Type)
}

// wrongFormat reports a format that writes another type than arrives.
func (c *checker) wrongFormat(e syntax.Expr, f model.Format, what string, t types.Type) {
	d := c.diags.Errorf("SG1801", e.Pos(), "the sink writes %s, the %s is %s", f.Name, what, t)
	step := "map_values { value = %s(value) }"
	if what == "key" {
		step = "select_key { key = %s(key) }"
	}
	_, record := t.(*types.Record)
	natural, ok := types.NaturalFormat(t)
	switch {
	case record:
		d.WithHint("%s = json", what)
	case f.Type != nil && convertible(types.NonNull(f.Type), t) && ok:
		d.WithHint("`"+step+"`, or %s = %s", types.NonNull(f.Type), what, natural)
	case f.Type != nil && convertible(types.NonNull(f.Type), t):
		d.WithHint("`"+step+"`", types.NonNull(f.Type))
	case ok:
		d.WithHint("%s = %s", what, natural)
	case convertible(types.String, t):
		d.WithHint("`"+step+"`", "string")
	}
}

func orString(format string) string {
	if format == "" {
		return "string"
	}
	return format
}

// otherRecord reports a record that is none of the format's type.
func (c *checker) otherRecord(e syntax.Expr, to, from types.Type) {
	want, _ := to.(*types.Record)
	got, ok := from.(*types.Record)
	if want == nil || !ok {
		d := c.diags.Errorf("SG1801", e.Pos(), "the sink writes json(%s), the value is %s", to, from)
		if natural, ok := types.NaturalFormat(from); ok {
			d.WithHint("value = %s", natural)
		}
		return
	}
	reasons := recordDifference(want, got)
	d := c.diags.Errorf("SG1310", e.Pos(), "%s", reasons[0])
	if len(reasons) > 1 {
		d.WithDetail("%s", strings.Join(reasons[1:], "; "))
	}
	var extra []string
	for _, f := range got.Fields {
		if _, ok := want.Lookup(f.Name); !ok && f.Name != types.Unknown {
			extra = append(extra, f.Name)
		}
	}
	if len(extra) > 0 && len(extra) == len(reasons) {
		d.WithHint("`without(value, %s)`, or `json`", quoted(extra))
	} else {
		d.WithHint("`json` writes the record that arrives")
	}
	if want.Name != "" {
		d.WithRelated(want.Pos, "%s is declared here", want.Name)
	}
}
