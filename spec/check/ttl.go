package check

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// ttl reads how long rows live that nothing touches. They are deleted: so it must be their table that says which rows there are, not a window,
// a history, or the rows that they are made of.
func (ch *chain) ttl(d *body, st *model.Store) {
	a := d.attr("ttl")
	if a == nil || ch.opaque {
		return
	}
	refuse := func(detail, hint string) {
		ch.c.diags.Errorf("SG1514", a.Name.Range, "these rows do not end by a time to live").WithDetail("%s", detail).WithHint("%s", hint)
	}
	steps := ch.d.model.Steps
	n := len(steps)
	switch w := ch.d.model.Window; {
	case w != nil && w.Kind == model.Unlimited:
		refuse("A window that never ends has a row for each key, and keeps it.", `no window at all, or one that ends; unbounded = "why it may grow"`)
		return
	case w != nil:
		refuse("The rows of windows end some time after their window.", `retention = "`+types.Length(2*w.Least())+`"`)
		return
	case n > 1 && isMaking(steps[n-1]) && ofRows(steps[n-2]):
		refuse("A row is taken out of its group as it went in; from a group that has ended, nothing can be taken.",
			"a ttl in the store of the table whose rows are grouped: they leave their groups when they end")
		return
	case n > 0 && !isMaking(steps[n-1]) || n == 0 && ch.d.model.Source == nil:
		refuse("They are made of other rows, and end with those.", "a store with ttl directly below what makes the table, or in the table that it is made of")
		return
	}
	v, ok := d.duration("ttl")
	if ok && v == 0 {
		ch.c.diags.Errorf("SG1112", a.Value.Pos(), "\"ttl\" must not be zero").WithHint("ttl = \"24h\"")
		return
	}
	st.TTL, ch.d.model.Deletes = v, true
}

// ofRows says whether a step groups rows.
func ofRows(s model.Step) bool {
	g, ok := s.(*model.GroupBy)
	return ok && g.Rows
}
