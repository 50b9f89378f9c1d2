package oracle

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// step runs one step on a record. What comes out is one record, or of a flat map as many as there are elements; ok is false if
// the record ends here.
func (o *Oracle) step(b *model.Block, s model.Step, r record) (out []record, ok bool) {
	base := s.Base()
	env := scope{record: r}
	pass := true
	ran := o.try("the step failed", base.OnError, base.Address, func() {
		switch s := s.(type) {
		case *model.Filter:
			pass = o.eval(s.Where, env).(bool) != s.Not
		case *model.MapValues:
			r.value = o.eval(s.Value, env)
		case *model.SelectKey:
			r.key = o.eval(s.Key, env)
		case *model.GroupBy:
			r.key = o.eval(s.Key, env)
		case *model.Map:
			r = o.mapped(s, env)
		case *model.FlatMapValues:
			for _, v := range o.eval(s.Each, env).([]any) {
				e := r
				e.value = v
				out = append(out, e)
			}
		case *model.FlatMap:
			for _, v := range o.eval(s.Each, env).([]any) {
				out = append(out, element(r, s.Each.Base().Type.(*types.List).Elem.(*types.Record), v.(map[string]any)))
			}
		case *model.Peek:
			o.eval(s.Message, env)
		case *model.Repartition, *model.Store:
		case *model.Dedup:
			pass = o.first(s, o.eval(s.By, env), r.ts)
		case *model.Join:
			if s.Waits {
				out = o.wait(s, r)
			} else {
				r, pass = o.join(s, r)
			}
		case *model.GlobalJoin:
			r, pass = o.globalJoin(s, r)
		case *model.StreamJoin:
			out = o.meet(s, 0, r)
		case *model.ToTable, *model.Count, *model.Aggregate, *model.Reduce, *model.Fold:
			o.make(o.tables[b], s, r)
			pass = false // its changes go on by themselves
		default:
			missing("the step %s", base.Address)
		}
	})
	if !ran || !pass {
		return nil, false
	}
	r.moved = r.moved || moves(s)
	for i := range out {
		out[i].moved = r.moved
	}
	if !isFlat(s) {
		out = []record{r}
	}
	return out, true
}

func isFlat(s model.Step) bool {
	switch s := s.(type) {
	case *model.Join:
		return s.Waits
	case *model.FlatMapValues, *model.FlatMap, *model.StreamJoin:
		return true
	}
	return false
}

// mapped makes all parts of the record that came.
func (o *Oracle) mapped(s *model.Map, env scope) record {
	r := env.record
	if s.Key != nil {
		r.key = o.eval(s.Key, env)
	}
	if s.Value != nil {
		r.value = o.eval(s.Value, env)
	}
	if s.Timestamp != nil {
		r.ts = timeOf(o.eval(s.Timestamp, env))
	}
	for _, h := range s.Headers {
		var v any
		if h.Value != nil {
			v = o.eval(h.Value, env)
		}
		r.headers = withHeader(r.headers, h.Name, v)
	}
	return r
}

// timeOf is a time that a record can have.
func timeOf(v any) int64 {
	if v.(int64) < 0 {
		fail("the timestamp is negative")
	}
	return v.(int64)
}

// withHeader is the headers with one value under a name, behind the others; nil: with none.
func withHeader(list []Header, name string, v any) []Header {
	list = slices.DeleteFunc(slices.Clone(list), func(h Header) bool { return h.Key == name })
	if v == nil {
		return list
	}
	return append(list, Header{name, v.([]byte)})
}

// element is the record with what an element of a flat_map has.
func element(r record, t *types.Record, v map[string]any) record {
	for _, f := range t.Fields {
		switch f.Name {
		case "key":
			r.key = v["key"]
		case "value":
			r.value = v["value"]
		case "timestamp":
			r.ts = timeOf(v["timestamp"])
		case "headers":
			for _, h := range f.Type.(*types.Record).Fields {
				r.headers = withHeader(r.headers, h.Name, v["headers"].(map[string]any)[h.Name])
			}
		}
	}
	return r
}

// sink sends a record.
func (o *Oracle) sink(s *model.Sink, r record) {
	env := scope{record: r}
	out := Record{Topic: s.Topic, Timestamp: r.ts, Headers: r.headers}
	if s.Partition != nil {
		missing("the partition of %s", s.Address())
	}
	if !o.try("the step failed", s.OnError, s.Address(), func() {
		if s.Choice != nil {
			if out.Topic = o.eval(s.Choice, env).(string); !slices.Contains(s.Topics, out.Topic) {
				fail("no topic of the sink: %q", out.Topic)
			}
		}
		part := func(v any, in types.Type, as model.Expr) []byte {
			if as != nil {
				v, in = o.eval(as, env), as.Base().Type
			}
			return encode(in, v)
		}
		out.Key, out.Value = part(r.key, s.In.Key, s.AsKey), part(r.value, s.In.Value, s.AsValue)
	}) {
		return
	}
	*o.sent = append(*o.sent, out)
}
