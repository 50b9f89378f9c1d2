package check

import (
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// each types the list of a flat_map or flat_map_values. The type of its elements is Invalid if it is none.
func (ch *chain) each(d *body) (model.Expr, types.Type) {
	s := ch.scope()
	s.emits = d.block.Type.Name == "flat_map"
	v, ok := ch.expr(d, "each", s, nil, "")
	if !ok {
		return v, types.Invalid
	}
	at, t := v.Base().Pos, v.Base().Type
	l, isList := types.NonNull(t).(*types.List)
	switch {
	case !isList:
		ch.c.diags.Errorf("SG1301", at, "\"each\" must be a list, is %s", t).WithHint("each = [ … ], each = value.lines, each = [for x in value.lines : …]")
	case types.IsOptional(t):
		src := ch.c.text(at)
		ch.c.diags.Errorf("SG1302", at, "\"each\" is a list, but %s may be null", src).WithHint("`coalesce(%s, [])`", src)
	case l.Elem == types.Null:
		ch.c.diags.Errorf("SG1312", at, "nothing says what type the elements of [] have").WithHint("no records leave an empty list: filter { where = false }")
	default:
		return v, l.Elem
	}
	return v, types.Invalid
}

func (ch *chain) flatMapValues(d *body) {
	st := &model.FlatMapValues{StepBase: ch.base(d)}
	var t types.Type
	st.Each, t = ch.each(d)
	ch.flow = ch.flow.withValue(t)
	ch.add(st, ch.flow.schema)
}

// flatMap is the step flat_map. What its records have not is that of the record that came.
func (ch *chain) flatMap(d *body) {
	st := &model.FlatMap{StepBase: ch.base(d)}
	var t types.Type
	st.Each, t = ch.each(d)
	at := st.Each.Base().Pos
	r, ok := t.(*types.Record)
	switch {
	case types.IsInvalid(t):
		ch.flow = ch.flow.withKey(types.Invalid, at).withValue(types.Invalid)
	case !ok:
		ch.c.diags.Errorf("SG1301", at, "the elements of \"each\" must be records with a key and a value, are %s", t).
			WithHint("flat_map_values keeps the key; else `[for x in … : { key = …, value = x }]`")
		ch.flow = ch.flow.withKey(types.Invalid, at).withValue(types.Invalid)
	default:
		ch.flatMapFields(r, at)
	}
	ch.add(st, ch.flow.schema)
}

// flatMapFields looks at what the elements of a flat_map have.
func (ch *chain) flatMapFields(r *types.Record, at diag.Range) {
	key, hasKey := r.Lookup("key")
	value, hasValue := r.Lookup("value")
	if !hasKey && !hasValue {
		ch.c.diags.Errorf("SG1301", at, "the elements of \"each\" must have a key or a value, have %s", r).WithHint("`{ key = …, value = … }`")
		return
	}
	for _, f := range r.Fields {
		switch f.Name {
		case "key", "value":
		case "timestamp":
			if !types.Equal(f.Type, types.Timestamp) {
				ch.c.diags.Errorf("SG1301", f.Pos, "timestamp must be timestamp, is %s", f.Type)
			}
		case "headers":
			ch.flatMapHeaders(f)
		default:
			ch.c.diags.Errorf("SG1301", at, "a record has key, value, timestamp and headers, no %q", f.Name).
				WithHint("what it holds belongs into its value: `{ key = …, value = { %s = … } }`", f.Name)
		}
	}
	if hasKey {
		ch.flow = ch.flow.withKey(key.Type, at)
	}
	if hasValue {
		ch.flow = ch.flow.withValue(value.Type)
	}
}

func (ch *chain) flatMapHeaders(f types.Field) {
	r, ok := f.Type.(*types.Record)
	if !ok {
		ch.c.diags.Errorf("SG1301", f.Pos, "headers must be names and values in braces, are %s", f.Type).WithHint(`headers = { "trace-id" = bytes(x.id) }`)
		return
	}
	for _, h := range r.Fields {
		if types.NonNull(h.Type) != types.Bytes {
			ch.c.diags.Errorf("SG1301", h.Pos, "header %q must be bytes, is %s", h.Name, h.Type)
		}
	}
}
