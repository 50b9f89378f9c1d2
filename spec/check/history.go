package check

import "github.com/streamgen/streamgen/spec/model"

// history reads how long a store knows what its rows were. Only the rows of a topic have times of their own, which may come in any
// order.
func (ch *chain) history(d *body) {
	a := d.attr("history")
	if a == nil {
		return
	}
	if ch.d.model.Source == nil || ch.d.model.Kind != model.Table {
		ch.c.diags.Errorf("SG1513", a.Name.Range, "only a table that is read from a topic has a history").
			WithDetail("Rows that are made have the times of what made them last: nothing older comes.").
			WithHint("remove it, or write the rows to a topic, and read that as a table")
		return
	}
	if t := d.attr("ttl"); t != nil {
		ch.c.diags.Errorf("SG1113", t.Name.Range, "\"ttl\" and \"history\" exclude each other: a row that has ended would still be known").
			WithHint("remove one of the two").WithRelated(a.Name.Range, "history stands here")
		return
	}
	v, ok := d.duration("history")
	if ok && v == 0 {
		ch.c.diags.Errorf("SG1112", a.Value.Pos(), "\"history\" must not be zero").WithHint("history = \"1h\"")
		return
	}
	ch.d.model.History = v
}
