package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// flow is what is known at one point between two steps.
type flow struct {
	schema model.Schema
	facts  facts      // fields that are not null
	known  atoms      // conditions that hold
	keyed  diag.Range // where the key got the type that it has

	// previous is the type of the row that a change of a table replaced, as long as key and value are that change's; nil: there is none.
	previous types.Type
}

// unknownFlow is that of what was reported already.
func unknownFlow(at diag.Range) flow {
	return flow{schema: model.Schema{Key: types.Invalid, Value: types.Invalid}, keyed: at}
}

// narrow adds what a condition proves. Of key and value that changes the type.
func (f flow) narrow(where syntax.Expr, holds bool) flow {
	f.facts = f.facts.with(proves(where, holds)...)
	if f.facts.has("key") {
		f.schema.Key = types.NonNull(f.schema.Key)
	}
	if f.facts.has("value") {
		f.schema.Value = types.NonNull(f.schema.Value)
	}
	return f
}

// withKey and withValue replace.
func (f flow) withKey(t types.Type, at diag.Range) flow {
	f.schema.Key, f.keyed, f.facts, f.known = t, at, f.facts.without("key"), f.known.without("key")
	return f.withoutPrevious()
}

func (f flow) withValue(t types.Type) flow {
	f.schema.Value, f.facts, f.known = t, f.facts.without("value"), f.known.without("value")
	return f.withoutPrevious()
}

// withoutPrevious forgets the row that was replaced.
func (f flow) withoutPrevious() flow {
	f.previous, f.facts, f.known = nil, f.facts.without("previous"), f.known.without("previous")
	return f
}

// withoutHeaders forgets what is known of headers: those that go on may be others.
func (f flow) withoutHeaders() flow {
	f.facts = f.facts.without("headers")
	return f
}

// scope is that of an expression over a record, whose key and value may be known better than what flows.
func (f flow) scope(s model.Schema, origin string) *scope {
	names := recordScope(s, origin)
	if f.previous != nil {
		names = names.with("previous", model.RootPrevious, f.previous)
	}
	return names
}

// origin tells what a stream or table begins with: attributes that exclude one another.
func (c *checker) origin(d *decl) string {
	var found []string
	options := []string{"topic", "topics", "topic_pattern", "from"}
	if d.model.Kind == model.Table {
		options = []string{"topic", "from"}
	}
	in := &body{c: c, block: d.block}
	for _, name := range options {
		if in.has(name) {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		if d.model.Kind == model.Table && hasCogroup(d.block) {
			return "cogroup"
		}
		for _, a := range d.block.Attrs {
			if near := diag.Nearest(a.Name.Name, options); near != "" {
				c.diags.Errorf("SG1101", a.Name.Range, "%s has no attribute %q", title(d.block), a.Name.Name).WithHint("did you mean %q?", near)
				return ""
			}
		}
		c.diags.Errorf("SG1102", d.block.Header, "%s needs \"topic\" or \"from\": where its records come from", title(d.block)).
			WithHint("with a topic it is a source; with \"from\" it is derived from another block")
		return ""
	case 1:
		return found[0]
	}
	c.diags.Errorf("SG1113", in.attr(found[1]).Name.Range, "%q and %q exclude each other", found[0], found[1]).
		WithHint("a block is a source or derived; a source has one of topic, topics and topic_pattern")
	return ""
}

// stream finds the meaning of a stream.
func (c *checker) stream(d *decl) {
	d.out = unknownFlow(d.block.Header)
	from := c.origin(d)
	var ch *chain
	switch from {
	case "":
		return
	case "from":
		in := c.open(d.block, &streamDerived)
		d.model.Description = in.description()
		ch = c.chain(d, in, c.from(d, in.attr("from").Value))
		d.model.OnError = ch.policy.badInput
	default:
		in := c.open(d.block, &streamSource)
		d.model.Description = in.description()
		ch = c.chain(d, in, c.source(d, in))
		d.model.OnError = ch.policy.badInput
	}
	d.model.In = ch.flow.schema
	for _, b := range d.block.Blocks {
		ch.run(b)
	}
	d.out = ch.flow
	d.model.Out = d.out.schema
}

// table finds the meaning of a table.
func (c *checker) table(d *decl) {
	d.out = unknownFlow(d.block.Header)
	d.model.Out = d.out.schema
	switch c.origin(d) {
	case "topic":
		c.sourceTable(d)
	case "from":
		c.derivedTable(d)
	case "cogroup":
		c.cogroupTable(d)
	}
}

func (c *checker) sourceTable(d *decl) {
	in := c.open(d.block, &tableSource)
	d.model.Description = in.description()
	if in.lacks("key") {
		c.diags.Errorf("SG1102", d.block.Header, "%s needs \"key\": the format of keys", title(d.block)).WithHint("key = string")
	}
	ch := c.chain(d, in, c.source(d, in))
	d.model.OnError = ch.policy.badInput
	d.model.In = ch.flow.schema
	d.model.Deletes = true
	ch.isTable, ch.made, ch.rows = true, d.block, true
	for _, b := range d.block.Blocks {
		ch.run(b)
	}
	c.reuse(d, in)
	d.out = ch.flow
	d.model.Out = d.out.schema
}

// reuse refuses reuse_source where the topic alone does not tell the rows: their time is not that of the record, or they have a history.
func (c *checker) reuse(d *decl, in *body) {
	if !d.model.Source.Reuse {
		return
	}
	exclude := func(what string, at diag.Range, why string) {
		c.diags.Errorf("SG1113", in.attr("reuse_source").Name.Range, "\"reuse_source\" and %q exclude each other: %s", what, why).
			WithHint("remove one of the two: without reuse_source the rows have a changelog of their own").
			WithRelated(at, "%s stands here", what)
	}
	for _, b := range d.block.Blocks {
		for _, a := range b.Attrs {
			switch name := a.Name.Name; {
			case b.Type.Name == "time" && name != "idle" && name != "description":
				exclude(name, a.Name.Range, "the time of a row is not that of its record in the topic")
			case b.Type.Name == "store" && name == "history":
				exclude(name, a.Name.Range, "a topic that is compacted keeps no history")
			case b.Type.Name == "store" && name == "ttl":
				exclude(name, a.Name.Range, "the topic still has the rows that have ended")
			}
		}
	}
}

func (c *checker) derivedTable(d *decl) {
	in := c.open(d.block, &tableDerived)
	d.model.Description = in.description()
	e := in.attr("from").Value
	if p, ok := path(e); ok && (p[0].Name == "table" && len(p) == 2 || !slices.Contains(refKinds, p[0].Name)) {
		if t, _ := c.target(e); t != nil {
			t.used = true
			c.tableOfTable(d, in, e)
		}
		return
	}
	if l, ok := e.(*syntax.List); ok {
		c.diags.Errorf("SG1112", l.Pos(), "a table has one \"from\"").
			WithHint("merge in a stream, and make the table from that: stream \"all\" { from = %s }", c.text(l.Pos()))
		return
	}
	ch := c.chain(d, in, c.from(d, e))
	d.model.In = ch.flow.schema
	ch.isTable = true
	for _, b := range d.block.Blocks {
		ch.run(b)
	}
	if ch.made == nil && !ch.opaque {
		c.diags.Errorf("SG1106", d.block.Header, "nothing makes this stream a table").
			WithHint("`to_table {}` keeps the latest value of each key; or count, aggregate, reduce")
	}
	c.finish(d, in, ch)
}

// finish ends a table that a step has made.
func (c *checker) finish(d *decl, in *body, ch *chain) {
	d.model.Emit = c.emit(in, ch)
	if ch.made == nil {
		return
	}
	ch.settle()
	d.out = ch.flow
	d.model.Out = d.out.schema
	store := ch.named
	if store == "" {
		store = d.model.Label
		c.stores = append(c.stores, d.block.Labels[0])
	}
	w := d.model.Window
	if !d.model.Deletes && !ch.bounded && !ch.opaque && (w == nil || w.Kind == model.Unlimited) {
		ends := fmt.Sprintf(`store %q { ttl = "30d" } ends rows that nothing touches`, store)
		if w != nil {
			ends = "a window of another kind ends"
		}
		c.diags.Warnf("SG1901", d.block.Header, "%s grows with each new key", d.address()).
			WithHint(`%s; or say why it may grow: store %q { unbounded = "one row a user" }`, ends, store)
	}
}

// emit reads what leaves the making step.
func (c *checker) emit(in *body, ch *chain) model.Emit {
	switch in.word("emit", []string{"updates", "every", "final"}, nil) {
	case "every":
		return model.EmitEvery
	case "final":
		switch w := ch.d.model.Window; {
		case w != nil && w.Kind == model.Unlimited:
			c.diags.Errorf("SG1503", in.attr("emit").Value.Pos(), "this window never closes").
				WithHint(`"updates": the last state of each changed row, at commits; "every": each change`)
		case w != nil:
			return model.EmitFinal
		case !ch.opaque:
			c.diags.Errorf("SG1503", in.attr("emit").Value.Pos(), "without a window nothing is ever final").
				WithHint(`"updates": the last state of each changed row, at commits; "every": each change`)
		}
	}
	if ch.d.model.Window != nil && in.lacks("emit") {
		c.diags.Errorf("SG1103", ch.d.block.Header, "a windowed table needs \"emit\"").
			WithHint("\"final\": one result a window; \"updates\" or \"every\": each change")
	}
	return model.EmitUpdates
}

// source reads the attributes of what a topic feeds.
func (c *checker) source(d *decl, in *body) flow {
	s := &model.Source{Partitioner: "murmur2", Start: c.program.App.Start}
	d.model.Source = s
	table := d.model.HoldsRows()
	s.Topics = c.sourceTopics(in)
	s.Pattern = c.pattern(in)
	if w := in.word("partitioner", []string{"murmur2", "fnv1a", "crc32", "manual"}, nil); w != "" {
		s.Partitioner = w
	}
	if table {
		s.Start = model.Start{Kind: model.Earliest}
		s.Bootstrap = in.word("bootstrap", []string{"wait", "none"}, nil) != "none"
		s.Reuse = in.boolean("reuse_source")
	} else if st, ok := in.start(); ok {
		s.Start = st
	}
	f := unknownFlow(d.block.Header)
	s.Key = model.Format{Name: "bytes", Optional: true, Type: types.OptionalOf(types.Bytes)}
	if a := in.attr("key"); a != nil {
		s.Key = c.format(a.Value, false)
		f.keyed = a.Value.Pos()
	} else if table || !in.lacks("key") {
		s.Key = model.Format{Type: types.Invalid}
	}
	s.Value.Type = types.Invalid
	if a := in.attr("value"); a != nil {
		s.Value = c.format(a.Value, false)
	}
	if table {
		for _, p := range []struct {
			name   string
			format *model.Format
			why    string
		}{{"key", &s.Key, "a record without a key has no row"}, {"value", &s.Value, "a null deletes the row"}} {
			if p.format.Optional {
				c.diags.Errorf("SG1114", p.format.Pos, "the %s of a table is never optional: %s", p.name, p.why).
					WithHint("%s = %s", p.name, strings.TrimSuffix(strings.TrimPrefix(c.text(p.format.Pos), "optional("), ")"))
				p.format.Type = types.Invalid
			}
		}
	}
	f.schema = model.Schema{Key: s.Key.Type, Value: s.Value.Type}
	return f
}

// sourceTopics are what a source reads, other than by a pattern.
func (c *checker) sourceTopics(in *body) []string {
	if a := in.attr("topic"); a != nil && in.shape.attr("topics") != nil {
		if l, ok := a.Value.(*syntax.List); ok {
			c.diags.Errorf("SG1301", l.Pos(), "\"topic\" is one topic").WithHint("several are read by `topics = %s`", c.text(l.Pos()))
			return nil
		}
	}
	if s, ok := in.text("topic"); ok {
		if !c.topicForm(s, in.attr("topic").Value.Pos()) {
			return nil
		}
		return []string{s}
	}
	if in.has("topics") {
		return c.topics(in)
	}
	return nil
}

// topics reads the attribute: names, each once.
func (c *checker) topics(in *body) []string {
	a := in.attr("topics")
	l, ok := a.Value.(*syntax.List)
	if !ok || len(l.Items) == 0 {
		c.diags.Errorf("SG1112", a.Value.Pos(), "\"topics\" must be a list of names").WithHint(`topics = ["orders-eu", "orders-us"]`)
		return nil
	}
	var all []string
	for _, it := range l.Items {
		v, ok := c.constant(it, types.String, "a topic")
		if !ok {
			continue
		}
		s, _ := v.Value.(string)
		switch {
		case !c.topicForm(s, it.Pos()):
		case slices.Contains(all, s):
			c.diags.Errorf("SG1203", it.Pos(), "the topic %q stands here twice", s).WithHint("remove one")
		default:
			all = append(all, s)
		}
	}
	return all
}

// topicForm checks a name by the broker's rules.
func (c *checker) topicForm(s string, at diag.Range) bool {
	if topicName.MatchString(s) && s != "." && s != ".." {
		return true
	}
	c.diags.Errorf("SG1112", at, "%q cannot be the name of a topic", shorten(s)).
		WithHint("letters, digits, '.', '_' and '-', at most 249")
	return false
}

func (c *checker) pattern(in *body) string {
	s, ok := in.text("topic_pattern")
	if !ok {
		return ""
	}
	if _, err := regexp.Compile(s); err != nil {
		c.diags.Errorf("SG1309", in.attr("topic_pattern").Value.Pos(), "%q is no regular expression: %s", shorten(s), regexpReason(err))
		return ""
	}
	return s
}

func regexpReason(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

// from reads the blocks that a derived block reads. Several are merged: their types must be equal, and are optional where one is.
func (c *checker) from(d *decl, e syntax.Expr) flow {
	l, ok := e.(*syntax.List)
	if !ok {
		ref, f, ok := c.read(e)
		if ok {
			d.model.From = []model.Ref{ref}
		}
		return f
	}
	if len(l.Items) == 0 {
		c.diags.Errorf("SG1112", l.Pos(), "\"from\" needs at least one block").WithHint("from = [stream.a, stream.b]")
		return unknownFlow(l.Pos())
	}
	var all flow
	for i, it := range l.Items {
		ref, f, ok := c.read(it)
		if ok {
			d.model.From = append(d.model.From, ref)
		}
		if i == 0 {
			all = f
			continue
		}
		all.schema.Key = c.merged("keys", all.schema.Key, f.schema.Key, l.Items[0], it)
		all.schema.Value = c.merged("values", all.schema.Value, f.schema.Value, l.Items[0], it)
		all.facts, all.known = all.facts.both(f.facts), all.known.both(f.known)
	}
	return all.withoutPrevious()
}

func (c *checker) merged(what string, a, b types.Type, first, here syntax.Expr) types.Type {
	t, ok := types.Unify(a, b)
	if !ok {
		c.diags.Errorf("SG1409", here.Pos(), "merged streams must be alike: %s are %s here, %s before", what, b, a).
			WithHint("bring one side to the other's type in a stream of its own").WithRelated(first.Pos(), "%s are %s", what, a)
		return types.Invalid
	}
	if types.IsInvalid(a) || types.IsInvalid(b) {
		return types.Invalid
	}
	return t
}

// read finds what a reference gives to its reader.
func (c *checker) read(e syntax.Expr) (model.Ref, flow, bool) {
	bad := unknownFlow(e.Pos())
	d, p := c.target(e)
	if d == nil {
		return model.Ref{}, bad, false
	}
	d.used = true
	if d.state == active {
		c.cycle(d, e.Pos())
		return model.Ref{}, bad, false
	}
	if d.model.Kind != model.Branch {
		if len(p) > 2 {
			if d.model.Kind == model.Table && p[2].Name == "late" && len(p) == 3 {
				return c.late(d, e)
			}
			c.diags.Errorf("SG1201", p[2].Range, "%s has no part %q", d.address(), p[2].Name).WithHint("%s", d.address())
			return model.Ref{}, bad, false
		}
		if d.model.Kind == model.GlobalTable {
			c.onlyLookedInto(d, e.Pos())
			return model.Ref{}, bad, false
		}
		c.eval(d)
		ref := model.Ref{Block: d.model, Pos: e.Pos()}
		f := d.out
		f.schema = ref.Schema()
		if types.IsInvalid(d.out.schema.Value) {
			f.schema.Value = types.Invalid
		}
		if d.model.Kind == model.Table {
			f.previous = types.OptionalOf(d.out.schema.Value)
		}
		return ref, f, true
	}
	c.eval(d)
	var labels []string
	for _, k := range d.model.Cases {
		labels = append(labels, k.Label)
	}
	if len(p) != 3 {
		m := c.diags.Errorf("SG1201", e.Pos(), "%s is several streams: name one of its cases", d.address())
		if len(labels) > 0 {
			m.WithHint("%s.%s", d.address(), strings.Join(labels, ", "+d.address()+"."))
		}
		return model.Ref{}, bad, false
	}
	for i, k := range d.model.Cases {
		if k.Label == p[2].Name {
			d.take(k)
			return model.Ref{Block: d.model, Case: k, Pos: e.Pos()}, d.cases[i], true
		}
	}
	c.unknown("SG1201", p[2], "case", p[2].Name, fmt.Sprintf("%s has no case %%q", d.address()), labels)
	return model.Ref{}, bad, false
}
