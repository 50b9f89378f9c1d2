package check

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// tableOfTable is a table that comes from a table: its steps see the rows of that one.
func (c *checker) tableOfTable(d *decl, in *body, e syntax.Expr) {
	ref, f, ok := c.read(e)
	ch := c.chain(d, in, f)
	ch.isTable, ch.made, ch.rows = true, d.block, true
	if a := in.attr("emit"); a != nil {
		c.diags.Errorf("SG1101", a.Name.Range, "\"emit\" has no meaning here").
			WithDetail("Each change of the table above is taken on when it comes.").WithHint("remove it")
	}
	if ok {
		d.model.From = []model.Ref{ref}
		d.model.Deletes = ref.Block.Deletes
	}
	d.model.In = ch.flow.schema
	ch.flow.schema.Value = types.NonNull(ch.flow.schema.Value)
	for _, b := range d.block.Blocks {
		ch.run(b)
	}
	d.out = ch.flow
	d.model.Out = d.out.schema
	if ok && ch.stored == "" { // rows that lie nowhere else are known for as long
		d.model.History = ref.Block.History
	}
	if ch.stored == "" && len(d.model.Steps) > 0 {
		c.stores = append(c.stores, d.block.Labels[0])
	}
}

// seesRows says whether a step stands where what comes is the change of a row, and can work on it.
func (ch *chain) seesRows(name string) bool {
	return ch.rows && ch.stored == "" && (name == "filter" || name == "filter_not" || name == "map_values")
}

// change begins a step on rows: what comes is the change of one, null for a delete, of which no expression is asked.
func (ch *chain) change() {
	if ch.rows && ch.d.model.Deletes && !types.IsInvalid(ch.flow.schema.Value) {
		ch.flow.schema.Value = types.OptionalOf(ch.flow.schema.Value)
		ch.flow.facts = ch.flow.facts.with("value")
	}
}

// changed ends a step on rows. What it makes null is no row.
func (ch *chain) changed(st model.Step) {
	if !ch.rows || types.IsInvalid(ch.flow.schema.Value) {
		return
	}
	out := &st.Base().Out
	_, filters := st.(*model.Filter)
	if filters || types.IsOptional(st.Base().In.Value) {
		out.Value = types.OptionalOf(types.NonNull(out.Value))
	}
	ch.d.model.Deletes = ch.d.model.Deletes || types.IsOptional(out.Value)
	ch.flow.schema.Value = types.NonNull(out.Value)
	ch.flow.facts = slices.DeleteFunc(slices.Clone(ch.flow.facts), func(p string) bool { return p == "value" })
}
