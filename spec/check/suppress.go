package check

import (
	"regexp"
	"strconv"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// suppress is the step suppress: fewer changes of the table above.
func (ch *chain) suppress(d *body) {
	if ch.d.model.Deletes {
		ch.flow.schema.Value = types.OptionalOf(ch.flow.schema.Value)
	}
	st := &model.Suppress{StepBase: ch.base(d)}
	if first := ch.thinned; first != nil {
		ch.c.diags.Errorf("SG1122", d.block.Header, "%s has a suppress already", ch.d.address()).
			WithHint("write the second one in a table of its own, which reads this one").WithRelated(first.Header, "the first one")
	} else {
		ch.thinned = d.block
		ch.c.stores = append(ch.c.stores, syntax.Ident{Name: ch.d.model.Label + "-suppress", Range: d.block.Header})
	}
	until, limit := d.attr("until"), d.attr("time_limit")
	switch {
	case until != nil && limit != nil:
		ch.c.diags.Errorf("SG1113", limit.Name.Range, "a change leaves when its window closes, or after a time: \"until\" and \"time_limit\" exclude each other").
			WithHint("remove one").WithRelated(until.Name.Range, "\"until\"")
	case until != nil:
		st.Close = d.word("until", []string{"window_closes"}, nil) != ""
		ch.untilClose(d, until)
	case limit != nil:
		st.Limit, _ = d.duration("time_limit")
	default:
		ch.c.diags.Errorf("SG1102", d.block.Header, "suppress needs \"until\" or \"time_limit\": when changes leave").
			WithHint("until = \"window_closes\", or time_limit = \"10s\"")
	}
	st.MaxRecords = int64(d.integer("max_records", 1, 1<<40))
	st.MaxBytes = d.size("max_bytes")
	ch.whenFull(d, st)
	out := ch.flow.schema
	if st.Close {
		ch.d.model.Deletes = false // only what is there leaves, each window once
		out.Value = types.NonNull(out.Value)
	}
	ch.add(st, out)
	ch.flow.schema.Value = types.NonNull(out.Value)
}

// untilClose reports a suppress that waits for windows to close that are not there or never do.
func (ch *chain) untilClose(d *body, at *syntax.Attr) {
	k, windowed := types.WindowedOf(ch.flow.schema.Key)
	switch {
	case ch.opaque || types.IsInvalid(ch.flow.schema.Key):
	case !windowed:
		ch.c.diags.Errorf("SG1502", at.Value.Pos(), "%s has no windows", ch.d.address()).
			WithDetail("A change can wait until its window closes only if it has one.").WithHint("time_limit = \"10s\"")
	case k.Kind == types.UnlimitedWindows:
		ch.c.diags.Errorf("SG1502", at.Value.Pos(), "the windows of %s never close", ch.d.address()).WithHint("time_limit = \"10s\"")
	case ch.d.model.Window != nil && len(ch.d.model.Steps) > 0 && ch.aboveIsMaking():
		ch.c.diags.Warnf("SG1906", d.block.Header, "this is emit = \"final\", the long way").
			WithHint("write emit = \"final\" and remove suppress: the rows then wait where they are")
	}
}

// aboveIsMaking says whether nothing but a store stands between the making step and the end of the steps so far.
func (ch *chain) aboveIsMaking() bool {
	for i := len(ch.d.model.Steps) - 1; i >= 0; i-- {
		switch ch.d.model.Steps[i].(type) {
		case *model.Store:
		case *model.Count, *model.Aggregate, *model.Reduce, *model.Fold, *model.Cogroup:
			return true
		default:
			return false
		}
	}
	return false
}

// whenFull reads what happens when more changes are held than fit.
func (ch *chain) whenFull(d *body, st *model.Suppress) {
	bound := d.attr("max_records")
	if b := d.attr("max_bytes"); bound == nil {
		bound = b
	}
	a := d.attr("when_full")
	switch {
	case bound != nil && a == nil:
		ch.c.diags.Errorf("SG1102", d.block.Header, "suppress with a bound needs \"when_full\": what happens to a change that does not fit").
			WithHint("\"emit_early\": the oldest leaves; \"stop\": the task stops")
	case bound == nil && a != nil:
		ch.c.diags.Errorf("SG1101", a.Name.Range, "\"when_full\" has no meaning without a bound").WithHint("max_records or max_bytes, or remove it")
	case a != nil:
		word := d.word("when_full", []string{"emit_early", "stop"}, nil)
		st.Stop = word == "stop"
		if word == "emit_early" && st.Close {
			ch.c.diags.Errorf("SG1113", a.Value.Pos(), "what leaves early is not final: \"until\" and \"emit_early\" exclude each other").
				WithHint("when_full = \"stop\", or a time_limit")
		}
	}
}

// grow notes that rows of sessions go when they grow.
func (ch *chain) grow() {
	if w := ch.d.model.Window; w != nil && w.Kind == model.Session && !ch.d.model.Deletes {
		ch.d.model.Deletes, ch.grows = true, true
	}
}

// settle takes back that rows of sessions go, if each leaves once.
func (ch *chain) settle() {
	if ch.grows && ch.d.model.Emit == model.EmitFinal {
		ch.d.model.Deletes = false
	}
}

var sizeForm = regexp.MustCompile(`^([0-9]{1,15})(B|KiB|MiB|GiB)$`)

// size is a number of bytes, 0 if it is not there.
func (d *body) size(name string) int64 {
	a := d.attr(name)
	if a == nil {
		return 0
	}
	s, ok := d.text(name)
	if !ok {
		return 0
	}
	m := sizeForm.FindStringSubmatch(s)
	if m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		shift := map[string]int{"B": 0, "KiB": 10, "MiB": 20, "GiB": 30}[m[2]]
		if err == nil && n > 0 && n <= (1<<62)>>shift {
			return n << shift
		}
	}
	d.c.diags.Errorf("SG1112", a.Value.Pos(), "%q is not a size", s).WithHint("a number and a unit: \"300B\", \"64KiB\", \"1MiB\", \"2GiB\"")
	return 0
}
