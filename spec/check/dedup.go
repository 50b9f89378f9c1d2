package check

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
)

// dedup lets through one record of each key and time. Its store is named after the block, so a block has one.
func (ch *chain) dedup(d *body) {
	st := &model.Dedup{StepBase: ch.base(d)}
	at := d.block.Header
	if first := ch.deduped; first != nil {
		ch.c.diags.Errorf("SG1120", at, "%s has a dedup already", ch.d.address()).
			WithHint("write the second one in a stream of its own, which reads this one").WithRelated(first.Header, "the first one")
	} else {
		ch.deduped = d.block
		ch.c.stores = append(ch.c.stores, syntax.Ident{Name: ch.d.model.Label + "-dedup", Range: at})
	}
	st.By, _ = ch.expr(d, "by", ch.scope(), nil, "")
	if within, ok := d.duration("within"); ok {
		st.Within = within
		if within == 0 {
			ch.c.diags.Errorf("SG1112", d.attr("within").Value.Pos(), "\"within\" must be longer than 0")
		}
	}
	ch.add(st, ch.flow.schema)
}
