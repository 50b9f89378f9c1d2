package check

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// inputShape is an input of a cogroup.
var inputShape = shape{word: "input", attrs: []attr{
	{name: "from", need: "the stream that it reads", hint: "from = stream.x"},
	{name: "add", need: "how a value is added to the state", hint: "add = agg + value"},
	onError, description,
}}

// tableCogroup is a table that names what it reads in its cogroup.
var tableCogroup = shape{word: "cogroup table", steps: true, attrs: []attr{{name: "emit"}, onError, description}}

// hasCogroup says whether a table is made by a cogroup.
func hasCogroup(b *syntax.Block) bool {
	for _, s := range b.Blocks {
		if s.Type.Name == "cogroup" {
			return true
		}
	}
	return false
}

// cogroupTable is a table that several streams make.
func (c *checker) cogroupTable(d *decl) {
	in := c.open(d.block, &tableCogroup)
	d.model.Description = in.description()
	ch := c.chain(d, in, unknownFlow(d.block.Header))
	ch.isTable = true
	for _, b := range d.block.Blocks {
		if st := stepNamed(b.Type.Name); ch.made == nil && st != nil && !st.making && b.Type.Name != "window" && b.Type.Name != "store" && b.Type.Name != "suppress" {
			c.diags.Errorf("SG1108", b.Header, "%s stands above the cogroup, where there are no records yet", b.Type.Name).
				WithHint("write it in a stream of its own, which the input reads")
			continue
		}
		ch.run(b)
	}
	c.finish(d, in, ch)
}

// cogroup is the step cogroup: a state that several inputs add to.
func (ch *chain) cogroup(d *body) {
	if ch.d.block.Blocks != nil && (&body{c: ch.c, block: ch.d.block}).has("from") {
		ch.c.diags.Errorf("SG1113", d.block.Header, "\"from\" and cogroup exclude each other").
			WithHint("each input of the cogroup has a \"from\" of its own")
		ch.hide()
		return
	}
	st := &model.Cogroup{StepBase: ch.base(d)}
	init, _ := ch.expr(d, "init", &scope{constant: true, origin: ch.d.address()}, nil, "")
	st.Init = init
	t := init.Base().Type
	if types.IsOptional(t) {
		ch.c.diags.Errorf("SG1302", init.Base().Pos, "\"init\" may be null, and a row is never null").
			WithHint("null from \"add\" takes the row away; the next value begins with init again")
		t = types.Invalid
	}
	var key types.Type
	var first *syntax.Block
	var late model.Schema
	outer := ch.flow
	for _, b := range d.block.Blocks {
		if b.Type.Name != "input" || !ch.c.labelsFit(b, &inputShape) {
			continue
		}
		in := ch.c.open(b, &inputShape)
		f := ch.input(in, t, st)
		if !ch.d.model.Window.TakesNulls() {
			f.schema.Value = types.NonNull(f.schema.Value)
		}
		switch k := types.NonNull(f.schema.Key); {
		case first == nil:
			key, first, outer = k, b, f
			late = model.Schema{Key: k, Value: f.schema.Value}
		case !types.IsInvalid(key) && !types.IsInvalid(k) && !types.Equal(key, k):
			ch.c.diags.Errorf("SG1401", b.Header, "keys differ: %s here, %s in the first input", k, key).
				WithDetail("records meet by the bytes of their keys").WithHint("re-key one side in a stream of its own: select_key { key = … }").
				WithRelated(first.Header, "the first input")
		}
		if v, ok := types.Unify(late.Value, f.schema.Value); ok {
			late.Value = v
		} else {
			ch.d.apart, late.Value = b, types.Invalid
		}
	}
	if len(st.Inputs) < 2 {
		ch.c.diags.Errorf("SG1102", d.block.Header, "cogroup needs at least two blocks \"input\"").
			WithHint("one stream alone: table { from = stream.x  fold { … } }")
	}
	ch.flow = outer
	ch.d.model.In = model.Schema{Key: ch.flow.schema.Key, Value: ch.flow.schema.Value}
	st.Merge = ch.merge(d, model.Schema{Key: types.NonNull(ch.flow.schema.Key)}, t)
	ch.addMaking(st, t)
	for _, in := range st.Inputs {
		in.Init, in.Merge, in.Out = st.Init, st.Merge, st.Out
	}
	if w := ch.d.model.Window; w != nil {
		w.Late = late
	}
}

// input reads an input, whose records add to a state of type t, and returns what comes in.
func (ch *chain) input(d *body, t types.Type, st *model.Cogroup) flow {
	a := d.attr("from")
	if a == nil {
		return unknownFlow(d.block.Header)
	}
	ref, f, ok := ch.c.read(a.Value)
	ch.flow = f
	in := &model.Fold{StepBase: ch.base(d)}
	s := recordScope(ch.makes(d), ch.d.address()).with("agg", model.RootAgg, t)
	made := ch.made
	ch.made = nil // the expression reads the record of the input, not a row
	in.Add = ch.nextState(d, "add", s, t)
	ch.made = made
	if types.IsOptional(in.Add.Base().Type) {
		ch.d.model.Deletes = true
	}
	if ok {
		ch.d.model.From = append(ch.d.model.From, ref)
		st.Inputs = append(st.Inputs, in)
	}
	return f
}
