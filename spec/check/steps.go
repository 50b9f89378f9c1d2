package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// chain is the steps of a block, from the first to the one that is looked at.
type chain struct {
	c        *checker
	d        *decl
	flow     flow
	policy   policy // of the block
	isTable  bool
	made     *syntax.Block // the making step, or the block of a source table
	rows     bool          // steps see rows
	grouped  *syntax.Block // the step group_by, of rows, whose making step comes next
	opaque   bool          // a step is not available: nothing is known behind it
	stored   string        // the label of the step store directly above
	named    string        // that of the making step
	bounded  bool          // the state may grow, or does not
	kinds    map[string]int
	sides    []syntax.Ident // names given by as
	deduped  *syntax.Block  // the step dedup
	windowed *syntax.Block  // the step window
	thinned  *syntax.Block  // the step suppress
	grows    bool           // rows go because they are sessions that grow
}

func (c *checker) chain(d *decl, in *body, f flow) *chain {
	return &chain{c: c, d: d, flow: f, policy: in.policy(c.policy), kinds: map[string]int{}}
}

// run looks at the next step.
func (ch *chain) run(b *syntax.Block) {
	name := b.Type.Name
	st := stepNamed(name)
	switch {
	case st == nil && name == "time" && ch.d.model.Source != nil:
		ch.time(b)
		return
	case st == nil:
		ch.noStep(b)
		return
	case !ch.allowed(b, st):
		return
	case st.later:
		ch.c.notYet(b.Header, "the step "+name)
		ch.hide()
		return
	case ch.grouped != nil && !st.making && !ch.opaque:
		ch.ungrouped(b.Header)
		return
	case ch.rows && ch.opaque && st.making:
		return
	case ch.isTable && ch.made != nil && name != "store" && name != "suppress" && ch.grouped == nil && !ch.seesRows(name):
		ch.c.notYet(b.Header, name+" on a table")
		ch.hide()
		return
	case name == "window":
		ch.window(b)
		return
	case !ch.c.labelsFit(b, &st.shape):
		return
	}
	ch.belowWindow(b, st)
	d := ch.c.open(b, &st.shape)
	if st.making {
		ch.made = b
	}
	switch name {
	case "filter", "filter_not":
		ch.filter(d, name == "filter_not")
	case "map_values":
		ch.mapValues(d)
	case "select_key":
		ch.selectKey(d)
	case "map":
		ch.mapRecord(d)
	case "flat_map_values":
		ch.flatMapValues(d)
	case "flat_map":
		ch.flatMap(d)
	case "peek":
		ch.peek(d)
	case "dedup":
		ch.dedup(d)
	case "repartition":
		ch.repartition(d)
	case "join", "left_join", "outer_join":
		switch kind := joinKinds[name]; {
		case ch.rows:
			ch.joinRows(d, kind)
		case kind == model.Outer:
			ch.outerJoin(d)
		default:
			ch.join(d, kind == model.LeftJoin)
		}
	case "group_by":
		if ch.rows {
			ch.groupRows(d)
		} else {
			ch.groupBy(d)
		}
	case "to_table":
		ch.toTable(d)
	case "count":
		ch.makes(d)
		ch.addMaking(&model.Count{StepBase: ch.base(d), KeepZero: ch.keepZero(d)}, types.Int64)
	case "aggregate":
		ch.aggregate(d)
	case "reduce":
		ch.reduce(d)
	case "fold":
		ch.fold(d)
	case "cogroup":
		ch.cogroup(d)
	case "suppress":
		ch.suppress(d)
	case "store":
		ch.store(d)
	}
	if ch.rows || !slices.Contains(sameHeaders, name) {
		ch.flow = ch.flow.withoutHeaders()
	}
}

// sameHeaders are the steps of streams that leave headers as they are.
var sameHeaders = []string{"filter", "filter_not", "map_values", "select_key", "flat_map_values", "peek", "dedup", "repartition"}

// hide forgets what flows: a step in between is not understood.
func (ch *chain) hide() {
	ch.opaque = true
	ch.flow = unknownFlow(ch.flow.keyed)
}

func (ch *chain) noStep(b *syntax.Block) {
	var names []string
	for _, s := range steps {
		if (s.stream || ch.isTable) && !s.later {
			names = append(names, s.word)
		}
	}
	m := ch.c.unknown("SG1101", b.Type, "step", b.Type.Name, title(ch.d.block)+" has no step %q", names)
	if hint := elsewhereStep(b.Type.Name); hint != "" {
		m.WithHint("%s", hint)
	}
	ch.hide()
}

// allowed reports a step that cannot stand where it does.
func (ch *chain) allowed(b *syntax.Block, st *step) bool {
	name := b.Type.Name
	switch {
	case !ch.isTable && st.making:
		ch.c.diags.Errorf("SG1105", b.Header, "%s makes a table", name).
			WithHint("write it in a `table`, read its changes with `stream { from = table.x }`")
		ch.hide()
		return false
	case !ch.isTable && !st.stream: // group_by and window, store and suppress
		ch.c.diags.Errorf("SG1105", b.Header, "%s is a step of tables", name).
			WithHint("write it in a `table`, read its changes with `stream { from = table.x }`")
		ch.hide()
		return false
	case !ch.isTable || ch.opaque:
		return true
	case st.making && ch.grouped != nil && name != "to_table":
		return true
	case st.making && ch.made == ch.d.block && ch.d.model.Source == nil:
		ch.c.diags.Errorf("SG1107", b.Header, "%s is a table already: that which it reads", ch.d.address()).
			WithHint("`group_by` above it groups the rows anew, for count, aggregate, reduce and fold")
		ch.grouped = nil
		ch.hide()
		return false
	case st.making && ch.made == ch.d.block, name == "group_by" && ch.made == ch.d.block && ch.d.model.Source != nil:
		ch.c.diags.Errorf("SG1107", b.Header, "%s is a table already: its topic makes it", ch.d.address()).
			WithHint("a second table `from` the first, with `group_by`")
		ch.hide()
		return false
	case (st.making || name == "group_by") && ch.made != nil && ch.made != ch.d.block:
		ch.c.diags.Errorf("SG1107", b.Header, "a table is made once; %s at %d", ch.made.Type.Name, ch.made.Header.Start.Line).
			WithHint("a second table `from` the first, with `group_by`").WithRelated(ch.made.Header, "the first one")
		ch.hide()
		return false
	case ch.made != nil && !st.table:
		ch.c.diags.Errorf("SG1108", b.Header, "%s is no step of a table", name).
			WithHint("read the table as a stream: `stream { from = %s }`", ch.d.address())
		ch.hide()
		return false
	case ch.made == nil && (name == "store" || name == "suppress"):
		ch.c.diags.Errorf("SG1116", b.Header, "%s stands above the step that makes the table", name).
			WithHint("it belongs below: to_table, count, aggregate, reduce")
		return false
	}
	return true
}

// base is what every step has. A second step of a kind gets a number.
func (ch *chain) base(d *body) model.StepBase {
	kind := d.block.Type.Name
	ch.kinds[kind]++
	if n := ch.kinds[kind]; n > 1 {
		kind += itoa(n)
	}
	return model.StepBase{
		Address: ch.d.address() + "." + kind,
		In:      ch.flow.schema,
		OnError: d.policy(ch.policy).badLogic,
		Pos:     d.block.Header,
	}
}

// add appends a step. out is what leaves it.
func (ch *chain) add(st model.Step, out model.Schema) {
	ch.flow.schema = out
	st.Base().Out = out
	ch.d.model.Steps = append(ch.d.model.Steps, st)
	if _, names := st.(*model.Store); !names {
		ch.stored = ""
	}
}

func (ch *chain) scope() *scope { return ch.flow.scope(ch.flow.schema, ch.d.address()) }

// expr types the expression of an attribute. With what it must be of type want. What can fail in it needs a policy.
func (ch *chain) expr(d *body, name string, s *scope, want types.Type, what string) (model.Expr, bool) {
	a := d.attr(name)
	if a == nil {
		return invalid(d.block.Header), false
	}
	return ch.typed(d, a.Value, s, want, what)
}

func (ch *chain) typed(d *body, e syntax.Expr, s *scope, want types.Type, what string) (model.Expr, bool) {
	s.again = ch.rows && !isMakingWord(d.block.Type.Name)
	x := &exprs{c: ch.c, s: s, facts: ch.flow.facts}
	v := x.check(e, want)
	if what != "" {
		v = x.assign(v, want, what)
	}
	if v.Base().Type == types.Null {
		ch.c.diags.Errorf("SG1312", e.Pos(), "nothing says what type this null has").
			WithHint("`map { key = null }` drops a key")
		v = invalid(e.Pos())
	}
	ch.c.needPolicy(x.causes, d.policy(ch.policy))
	return v, !types.IsInvalid(v.Base().Type)
}

// replacement types what takes the place of a key or a value of type old. null alone is the optional of what stood there.
func (ch *chain) replacement(d *body, name string, old types.Type) (model.Expr, bool) {
	a := d.attr(name)
	if a == nil {
		return nil, false
	}
	if name == "key" {
		if v := ch.withWindow(d, a.Value); v != nil {
			return v, !types.IsInvalid(v.Base().Type)
		}
	}
	if isNull(a.Value) {
		if types.IsInvalid(old) {
			return invalid(a.Value.Pos()), false
		}
		return constant(types.OptionalOf(old), nil, a.Value.Pos()), true
	}
	return ch.expr(d, name, ch.scope(), nil, "")
}

func (ch *chain) filter(d *body, not bool) {
	ch.change()
	st := &model.Filter{StepBase: ch.base(d), Not: not}
	holds, settled := ch.condition(d, &st.Where)
	if settled {
		if holds != not {
			ch.c.diags.Warnf("SG1904", st.Where.Base().Pos, "this lets everything through").WithHint("remove the step")
		} else {
			ch.c.diags.Warnf("SG1904", st.Where.Base().Pos, "this lets nothing through").WithHint("remove the block, or change the condition")
		}
	}
	if a := d.attr("where"); a != nil {
		ch.flow = ch.flow.narrow(a.Value, !not)
		if !settled && !build(a.Value) {
			ch.flow.known = ch.flow.known.assume(st.Where, !not)
		}
	}
	ch.add(st, ch.flow.schema)
	ch.changed(st)
}

// condition types where and tells whether it is settled, by itself or by what stands above, and nothing has been said of it. One
// that a variable decides is chosen by the build, and never settled.
func (ch *chain) condition(d *body, where *model.Expr) (holds, settled bool) {
	warnings, errors := ch.c.diags.Warnings(), ch.c.diags.Errors()
	var ok bool
	*where, ok = ch.expr(d, "where", ch.scope(), types.Bool, "where")
	if types.IsInvalid((*where).Base().Type) {
		ch.flow.facts = ch.flow.facts.with(doubt)
	}
	if !ok || ch.c.diags.Warnings() > warnings || ch.c.diags.Errors() > errors || build(d.attr("where").Value) {
		return false, false
	}
	return ch.flow.known.settles(*where)
}

// build tells whether an expression depends on a variable or a local.
func build(e syntax.Expr) bool {
	found := false
	syntax.Walk(e, func(e syntax.Expr) bool {
		n, ok := e.(*syntax.Name)
		found = found || ok && (n.Name == "var" || n.Name == "local")
		return true
	})
	return found
}

func (ch *chain) mapValues(d *body) {
	ch.change()
	st := &model.MapValues{StepBase: ch.base(d)}
	var t types.Type = types.Invalid
	if v, ok := ch.replacement(d, "value", ch.flow.schema.Value); ok {
		st.Value, t = v, v.Base().Type
		if v, same := v.(*model.Var); same && v.Root == model.RootValue {
			ch.c.diags.Warnf("SG1905", d.block.Header, "the value stays as it is").WithHint("remove the step")
		}
	}
	ch.flow = ch.flow.withValue(t)
	ch.add(st, ch.flow.schema)
	ch.changed(st)
}

func (ch *chain) selectKey(d *body) {
	st := &model.SelectKey{StepBase: ch.base(d)}
	at := d.block.Header
	var t types.Type = types.Invalid
	if a := d.attr("key"); a != nil {
		at = a.Value.Pos()
		if n, ok := a.Value.(*syntax.Name); ok && n.Name == "key" && !types.IsInvalid(ch.flow.schema.Key) && !isWindowed(ch.flow.schema.Key) {
			ch.c.diags.Warnf("SG1905", d.block.Header, "the key stays as it is").WithHint("remove the step")
		}
	}
	if v, ok := ch.replacement(d, "key", ch.flow.schema.Key); ok {
		st.Key, t = v, v.Base().Type
	}
	ch.flow = ch.flow.withKey(t, at)
	ch.add(st, ch.flow.schema)
}

// mapRecord is the step map.
func (ch *chain) mapRecord(d *body) {
	ch.mapForm(d)
	st := &model.Map{StepBase: ch.base(d)}
	out := ch.flow
	if a := d.attr("key"); a != nil {
		var t types.Type = types.Invalid
		if v, ok := ch.replacement(d, "key", ch.flow.schema.Key); ok {
			st.Key, t = v, v.Base().Type
		}
		out = out.withKey(t, a.Value.Pos())
	}
	if d.has("value") {
		var t types.Type = types.Invalid
		if v, ok := ch.replacement(d, "value", ch.flow.schema.Value); ok {
			st.Value, t = v, v.Base().Type
		}
		out = out.withValue(t)
	}
	if d.has("timestamp") {
		st.Timestamp, _ = ch.expr(d, "timestamp", ch.scope(), types.Timestamp, "timestamp")
	}
	st.Headers = ch.headers(d)
	ch.flow = out
	ch.add(st, out.schema)
}

// mapForm reports a map that has a shorter name.
func (ch *chain) mapForm(d *body) {
	n := 0
	for _, name := range []string{"key", "value", "timestamp", "headers"} {
		if d.has(name) {
			n++
		}
	}
	key := d.attr("key")
	switch {
	case n == 0:
		ch.c.diags.Errorf("SG1102", d.block.Header, "map needs at least one of \"key\", \"value\", \"timestamp\" and \"headers\"")
	case n == 1 && d.has("value"):
		ch.c.diags.Errorf("SG1117", d.block.Header, "a map of the value alone is map_values").
			WithHint("map_values { value = %s }", ch.c.text(d.attr("value").Value.Pos()))
	case n == 1 && key != nil && !isNull(key.Value):
		ch.c.diags.Errorf("SG1117", d.block.Header, "a map of the key alone is select_key").
			WithHint("select_key { key = %s }", ch.c.text(key.Value.Pos()))
	}
}

// headers reads { name = bytes }: null removes a header, those that are not named stay.
func (ch *chain) headers(d *body) []model.HeaderSet {
	a := d.attr("headers")
	if a == nil {
		return nil
	}
	o, ok := a.Value.(*syntax.Object)
	if !ok {
		ch.c.diags.Errorf("SG1301", a.Value.Pos(), "\"headers\" must be names and values in braces").
			WithHint(`headers = { "trace-id" = bytes(value.id), old = null }`)
		return nil
	}
	var all []model.HeaderSet
	for _, it := range o.Items {
		if it.Key != nil {
			ch.c.diags.Errorf("SG1311", it.Key.Pos(), "the name of a header is a text").WithHint(`"trace-id" = …`)
			continue
		}
		h := model.HeaderSet{Name: it.Name.Name}
		if !isNull(it.Value) {
			h.Value, _ = ch.typed(d, it.Value, ch.scope(), types.Bytes, fmt.Sprintf("header %q", h.Name))
		}
		all = append(all, h)
	}
	return all
}

func (ch *chain) peek(d *body) {
	st := &model.Peek{StepBase: ch.base(d), Level: "info"}
	st.Message, _ = ch.expr(d, "message", ch.scope(), types.String, "message")
	if w := d.word("level", []string{"debug", "info", "warn", "error"}, nil); w != "" {
		st.Level = w
	}
	ch.add(st, ch.flow.schema)
}

// maxPartitions bounds a written number of partitions.
const maxPartitions = 100_000

func (ch *chain) repartition(d *body) {
	st := &model.Repartition{StepBase: ch.base(d), Label: d.block.Labels[0].Name}
	if d.has("partitions") {
		st.Partitions = d.integer("partitions", 1, maxPartitions)
	}
	ch.flow = ch.flow.withoutPrevious()
	out := ch.flow.schema
	out.Key = types.NonNull(out.Key)
	ch.add(st, out)
}

func (ch *chain) groupBy(d *body) {
	st := &model.GroupBy{StepBase: ch.base(d)}
	if a := d.attr("value"); a != nil {
		ch.c.diags.Errorf("SG1101", a.Name.Range, "\"value\" has no meaning here").
			WithDetail("Only a table that is grouped anew says what is grouped.").WithHint("map_values { value = %s } above", ch.c.text(a.Value.Pos()))
	}
	var t types.Type = types.Invalid
	at := d.block.Header
	if a := d.attr("key"); a != nil {
		at = a.Value.Pos()
		if v := ch.withWindow(d, a.Value); v != nil {
			st.Key, t = v, v.Base().Type
		} else if v, ok := ch.expr(d, "key", ch.scope(), nil, ""); ok {
			st.Key, t = v, v.Base().Type
		}
	}
	ch.flow = ch.flow.withKey(t, at)
	ch.add(st, ch.flow.schema)
}

func (ch *chain) toTable(d *body) {
	v := ch.flow.schema.Value
	ch.d.model.Deletes = types.IsOptional(v)
	ch.addMaking(&model.ToTable{StepBase: ch.base(d)}, types.NonNull(v))
}

func (ch *chain) store(d *body) {
	l := d.block.Labels[0]
	if ch.stored != "" {
		ch.c.diags.Errorf("SG1116", d.block.Header, "the state above has a name already").WithHint("remove one")
		return
	}
	ch.stored = l.Name
	ch.c.stores = append(ch.c.stores, l)
	if n := len(ch.d.model.Steps); n > 0 && isMaking(ch.d.model.Steps[n-1]) {
		ch.named = l.Name
	}
	st := &model.Store{StepBase: ch.base(d), Label: l.Name}
	if s, ok := d.text("unbounded"); ok {
		st.Unbounded = strings.TrimSpace(s)
		ch.bounded = st.Unbounded != ""
	}
	for _, name := range []string{"ttl", "history"} {
		ch.bounded = ch.bounded || d.has(name)
	}
	ch.history(d)
	ch.retention(d)
	ch.ttl(d, st)
	ch.add(st, ch.flow.schema)
}
