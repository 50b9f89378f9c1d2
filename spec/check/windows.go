package check

import (
	"slices"
	"strings"
	"time"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

var graceAttr = attr{name: "grace", need: "how long after its end late records count", hint: `grace = "0s" drops everything late`}

// windowShapes are the attributes of each kind of window.
var windowShapes = map[model.WindowKind]*shape{
	model.Tumbling: {word: "window", labels: 1, attrs: []attr{
		{name: "size", need: "how long a window is", hint: `size = "5m"`}, graceAttr, description,
	}},
	model.Hopping: {word: "window", labels: 1, attrs: []attr{
		{name: "size", need: "how long a window is", hint: `size = "5m"`},
		{name: "advance", need: "how far apart windows begin", hint: `advance = "1m"`}, graceAttr, description,
	}},
	model.Sliding: {word: "window", labels: 1, attrs: []attr{
		{name: "difference", need: "how far apart records of a window may be", hint: `difference = "5m"`}, graceAttr, description,
	}},
	model.Session: {word: "window", labels: 1, attrs: []attr{
		{name: "gap", need: "how long a silence ends a session", hint: `gap = "30m"`},
		{name: "grace", need: "how long after its end a session takes late records", hint: `grace = "0s" drops everything late`}, description,
	}},
	model.Unlimited: {word: "window", labels: 1, attrs: []attr{
		{name: "start", need: "when it begins", hint: `start = "2024-01-01T00:00:00Z"`}, description,
	}},
}

// windowAttrs are the attributes of all kinds together, those of the step as the reference has them.
var windowAttrs = []attr{{name: "size"}, {name: "advance"}, {name: "difference"}, {name: "gap"}, {name: "start"}, {name: "grace"}, description}

// windowKinds are the kinds of this version. Which of them can be built the planner knows.
var (
	windowKinds  = []string{"tumbling", "hopping", "sliding", "session", "unlimited"}
	otherWindows = []string{"calendar", "custom"} // of the language, and not known to this version
)

// window is the step window, which the making step below it belongs to.
func (ch *chain) window(b *syntax.Block) {
	if ch.windowed != nil {
		ch.c.diags.Errorf("SG1121", b.Header, "%s has a window already", ch.d.address()).
			WithHint("two windows are two tables").WithRelated(ch.windowed.Header, "the first one")
		return
	}
	ch.windowed = b
	if len(b.Labels) != 1 {
		m := ch.c.diags.Errorf("SG1110", b.Header, "window needs one label, its kind, has %d", len(b.Labels))
		m.WithHint("window \"tumbling\" { … }; kinds: %s", strings.Join(windowKinds, ", "))
		ch.hide()
		return
	}
	kind, ok := model.WindowKindByName(b.Labels[0].Name)
	if !ok {
		if name := b.Labels[0].Name; slices.Contains(otherWindows, name) {
			ch.c.notYet(b.Header, title(b))
		} else {
			ch.c.unknown("SG1112", b.Labels[0], "kind", name, "there is no window %q", windowKinds)
		}
		ch.hide()
		return
	}
	ch.d.model.Window = ch.windowOf(ch.c.open(b, windowShapes[kind]), kind)
}

// belowWindow reports a step between a window and the making step, and a making step that cannot have a window.
func (ch *chain) belowWindow(b *syntax.Block, st *step) {
	if ch.windowed == nil || ch.made != nil || ch.opaque {
		return
	}
	switch name := b.Type.Name; {
	case name == "to_table":
		ch.c.diags.Errorf("SG1121", b.Header, "to_table keeps the latest value of a key, whatever the time: it has no windows").
			WithHint("aggregate { value = last(value) } keeps the latest of each window").WithRelated(ch.windowed.Header, "the window")
	case !st.making:
		ch.c.diags.Errorf("SG1121", ch.windowed.Header, "a window stands directly above the step that makes the table, and here is %s", name).
			WithHint("move it down, below %s", name).WithRelated(b.Header, "%s", name)
		ch.hide()
	}
}

func isWindowed(t types.Type) bool { _, ok := types.WindowedOf(t); return ok }

// windowOf reads what a window says. A length that cannot be read counts as one that is fine.
func (ch *chain) windowOf(d *body, kind model.WindowKind) *model.Window {
	w := &model.Window{Kind: kind, Pos: d.block.Header}
	length := func(name string, zero bool) time.Duration {
		v, ok := d.duration(name)
		if ok && v == 0 && !zero {
			ch.c.diags.Errorf("SG1112", d.attr(name).Value.Pos(), "%q must be longer than 0", name)
			return time.Hour
		}
		if !ok {
			return time.Hour
		}
		return v
	}
	switch kind {
	case model.Tumbling:
		w.Size = length("size", false)
		w.Advance = w.Size
	case model.Hopping:
		w.Size, w.Advance = length("size", false), length("advance", false)
		if a := d.attr("advance"); a != nil && d.has("size") && w.Advance > w.Size {
			ch.c.diags.Errorf("SG1112", a.Value.Pos(), "\"advance\" must not be longer than \"size\": records in between would be in no window").
				WithHint(`a window "tumbling" has windows that touch`)
			w.Advance = w.Size
		}
	case model.Sliding:
		w.Size = length("difference", false)
	case model.Session:
		w.Size = length("gap", true)
	case model.Unlimited:
		if v, ok := d.constant("start", types.Timestamp); ok {
			w.Start, _ = v.Value.(int64)
		}
		if w.Start < 0 {
			ch.c.diags.Errorf("SG1112", d.attr("start").Value.Pos(), "\"start\" must not be before 1970: Kafka has no such times")
		}
		return w
	}
	longest := maxWindow
	if kind == model.Sliding { // see Window.Least
		longest /= 2
	}
	if w.Grace = length("grace", true); w.Size > longest-w.Grace {
		at := d.block.Header
		if a := d.attr("grace"); a != nil {
			at = a.Value.Pos()
		}
		ch.c.diags.Errorf("SG1112", at, "window and grace together must not be longer than %d years", int(longest.Hours()/24/365))
		w.Grace = 0
	}
	w.Retention = w.Least()
	return w
}

// maxWindow bounds window and grace, so that no arithmetic on times of records overflows.
const maxWindow = time.Duration(1<<62 - 1)

// retention is how long the rows of windows can be read, as their store says.
func (ch *chain) retention(d *body) {
	a := d.attr("retention")
	if a == nil {
		return
	}
	w := ch.d.model.Window
	if w == nil || w.Kind == model.Unlimited {
		if !ch.opaque {
			ch.c.diags.Errorf("SG1101", a.Name.Range, "\"retention\" has no meaning here").
				WithDetail("Only rows of windows that close are kept for a time.").WithHint("remove it")
		}
		return
	}
	v, ok := d.duration("retention")
	switch {
	case !ok:
	case v < w.Least():
		ch.c.diags.Errorf("SG1501", a.Value.Pos(), "%s retention, but windows live %s", types.Length(v), types.Length(w.Least())).
			WithDetail("A row must be there as long as its window takes records.").WithHint("at least \"%s\"", types.Length(w.Least())).
			WithRelated(w.Pos, "the window")
	default:
		w.Retention = v
	}
}

// inWindow is what a making step sees and makes below a window.
func (ch *chain) inWindow(key types.Type) types.Type {
	w := ch.d.model.Window
	if w == nil {
		return key
	}
	w.Late = model.Schema{Key: key, Value: ch.flow.schema.Value}
	if !w.TakesNulls() {
		w.Late.Value = types.NonNull(w.Late.Value)
	}
	if types.IsInvalid(key) {
		return key
	}
	if isWindowed(key) {
		ch.c.diags.Errorf("SG1121", ch.windowed.Header, "the key has a window already: %s", key).
			WithHint("`select_key { key = key }` in a stream before drops it, and so does `group_by { key = key }`")
		return types.Invalid
	}
	return w.Key(key)
}

// windowName is window.start or window.end, of the key at hand.
func (x *exprs) windowName(e *syntax.Select) model.Expr {
	k := x.windowedKey(e.X)
	if k == nil {
		return invalid(e.Pos())
	}
	part := model.WindowStart
	switch e.Name.Name {
	case "start":
	case "end":
		part = model.WindowEnd
	default:
		x.c.unknown("SG1202", e.Name, "part", e.Name.Name, "a window has no %q", []string{"start", "end"})
		return invalid(e.Pos())
	}
	return &model.WindowPart{ExprBase: base(types.Timestamp, e.Pos(), k), X: k, Part: part}
}

// windowedKey is the key at hand with its window, for the name window at e; nil if there is none, which is reported.
func (x *exprs) windowedKey(e syntax.Expr) model.Expr {
	b, ok := x.s.lookup("key")
	if ok && types.IsInvalid(b.typ) {
		return nil
	}
	if _, windowed := types.WindowedOf(b.typ); !ok || !windowed {
		x.c.diags.Errorf("SG1204", e.Pos(), "there is no window here").
			WithDetail("Rows of a table with a window have one, and the records of its changes until their key changes.")
		return nil
	}
	v := x.narrowed(&model.Var{ExprBase: base(b.typ, e.Pos()), Root: model.RootKey}, "key")
	if types.IsOptional(v.Base().Type) {
		x.c.diags.Errorf("SG1302", e.Pos(), "the key may be null, and its window with it").WithHint("test `key != null` first")
		return nil
	}
	return v
}

// inner is the key within, of one with a window.
func inner(v model.Expr) model.Expr {
	w, ok := v.Base().Type.(*types.Windowed)
	if !ok {
		return v
	}
	return &model.WindowPart{ExprBase: base(w.Key, v.Base().Pos, v), X: v, Part: model.InnerKey}
}

// withWindow is windowed(key, window) as a key, or nil if e is something else.
func (ch *chain) withWindow(d *body, e syntax.Expr) model.Expr {
	for {
		p, ok := e.(*syntax.Paren)
		if !ok {
			break
		}
		e = p.X
	}
	call, ok := e.(*syntax.Call)
	if !ok || call.Name.Name != "windowed" {
		return nil
	}
	if len(call.Args) != 2 || pathText(call.Args[1]) != "window" {
		ch.c.diags.Errorf("SG1308", e.Pos(), "windowed takes a key and the window at hand").WithHint("windowed(value.user, window)")
		return invalid(e.Pos())
	}
	k, ok := ch.typed(d, call.Args[0], ch.scope(), nil, "")
	x := &exprs{c: ch.c, s: ch.scope(), facts: ch.flow.facts}
	whole := x.windowedKey(call.Args[1])
	if !ok || whole == nil {
		return invalid(e.Pos())
	}
	if types.IsOptional(k.Base().Type) {
		x.mayBeNull(k, call.Args[0], types.NonNull(k.Base().Type))
		return invalid(e.Pos())
	}
	t := *whole.Base().Type.(*types.Windowed)
	t.Key = k.Base().Type
	return &model.InWindow{ExprBase: base(&t, e.Pos(), k), Key: k, X: whole}
}

// late finds what a reference to the late records of a table gives to its reader.
func (c *checker) late(d *decl, e syntax.Expr) (model.Ref, flow, bool) {
	c.eval(d)
	f := unknownFlow(e.Pos())
	w := d.model.Window
	switch {
	case w == nil:
		if len(d.model.Steps) > 0 || d.model.Source != nil {
			c.diags.Errorf("SG1201", e.Pos(), "nothing is late for %s: it has no window", d.address()).WithHint("%s", d.address())
		}
		return model.Ref{}, f, false
	case d.apart != nil:
		c.diags.Errorf("SG1409", e.Pos(), "merged streams must be alike: the inputs of %s have values of different types", d.address()).
			WithDetail("Records that are too late for any of them are one stream.").
			WithHint("bring one input to the other's type in a stream of its own").WithRelated(d.apart.Header, "this one is not like those before")
		return model.Ref{}, f, false
	case w.Late.Key == nil: // no making step, which was reported
		return model.Ref{}, f, false
	case w.Kind == model.Unlimited:
		c.diags.Errorf("SG1201", e.Pos(), "nothing is late for %s: its window never closes", d.address()).WithHint("%s", d.address())
		return model.Ref{}, f, false
	}
	f.schema, f.keyed = w.Late, d.out.keyed
	return model.Ref{Block: d.model, Late: true, Pos: e.Pos()}, f, true
}

// windowedFormat reads windowed(F), of a source with what the bytes do not say: windowed(string, { kind = "time", size = "5m" }). In a
// sink that follows from the key.
func (c *checker) windowedFormat(e *syntax.Call, sink bool) model.Format {
	bad := model.Format{Type: types.Invalid, Pos: e.Pos()}
	if len(e.Args) == 0 || len(e.Args) > 2 || len(e.Args) == 1 && !sink {
		c.diags.Errorf("SG1308", e.Pos(), "windowed takes the format of the key within and what its windows are").
			WithHint(`windowed(string, { kind = "time", size = "5m" })`)
		return bad
	}
	in := c.format(e.Args[0], sink)
	if in.Optional || in.Name == "windowed" {
		c.diags.Errorf("SG1308", e.Args[0].Pos(), "the key within a windowed key is neither optional nor windowed").WithHint("optional(windowed(string, …))")
		return bad
	}
	if types.IsInvalid(in.Type) && (in.Type != nil || !sink) {
		return bad
	}
	t := &types.Windowed{Key: in.Type}
	if len(e.Args) == 2 && !c.windowsOption(e.Args[1], t) {
		return bad
	}
	return model.Format{Name: "windowed", Inner: in.Name, Type: t, JSON: in.JSON, Pos: e.Pos()}
}

// windowsOption reads what the windows of a windowed format are.
func (c *checker) windowsOption(e syntax.Expr, t *types.Windowed) bool {
	const hint = `{ kind = "time", size = "5m" }, { kind = "session" }`
	o, ok := e.(*syntax.Object)
	if !ok {
		c.diags.Errorf("SG1308", e.Pos(), "the options of windowed stand in braces").WithHint(hint)
		return false
	}
	errors := c.diags.Errors()
	var size *syntax.Item
	for i, it := range o.Items {
		switch name := it.Name.Name; name {
		case "kind":
			words := []string{"time", "sliding", "session", "unlimited"}
			t.Kind, _ = types.WindowsByName(c.jsonWord(it, words))
		case "size":
			size = &o.Items[i]
			if k, ok := c.constant(it.Value, types.Duration, "the option size"); ok {
				if t.Size, _ = k.Value.(int64); t.Size <= 0 {
					c.diags.Errorf("SG1112", it.Value.Pos(), "\"size\" must be longer than 0")
				}
			}
		default:
			at := it.Name
			if it.Key != nil {
				at.Range = it.Key.Pos()
			}
			c.unknown("SG1101", at, "option", name, "windowed has no option %q", []string{"kind", "size"})
		}
	}
	switch {
	case c.diags.Errors() > errors:
	case t.Kind == 0:
		c.diags.Errorf("SG1308", e.Pos(), "windowed needs the kind of its windows").WithHint(hint)
	case t.Kind.Sized() && size == nil:
		c.diags.Errorf("SG1308", e.Pos(), "windowed needs \"size\": the bytes of a key have no end of its window").WithHint(hint)
	case !t.Kind.Sized() && size != nil:
		c.diags.Errorf("SG1308", size.Name.Range, "windows of the kind %q have no \"size\"", t.Kind)
	}
	return c.diags.Errors() == errors
}

// sinkWindowed takes over what the format of a sink leaves to its key.
func (c *checker) sinkWindowed(e syntax.Expr, what string, f *model.Format, in types.Type) bool {
	w, ok := in.(*types.Windowed)
	if !ok {
		c.diags.Errorf("SG1801", e.Pos(), "the sink writes a key with its window, the %s is %s", what, in).WithHint("%s = string, json, …", what)
		return false
	}
	t, ok := types.NonNull(f.Type).(*types.Windowed)
	if !ok {
		return false
	}
	if t.Kind == 0 {
		t.Kind, t.Size = w.Kind, w.Size
	}
	if _, record := w.Key.(*types.Record); f.Inner == "json" && record && (types.IsInvalid(t.Key) || types.Assignable(t.Key, w.Key)) {
		t.Key = w.Key
	}
	if !types.Equal(t, w) {
		c.diags.Errorf("SG1801", e.Pos(), "the sink writes %s, the key is %s", t, w).WithHint("key = windowed(%s)", orString(naturalOf(w.Key)))
		return false
	}
	return true
}

func naturalOf(t types.Type) string {
	name, _ := types.NaturalFormat(t)
	return name
}
