package oracle_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
)

// matched writes the value of a join, whose other side is called as and is of type other.
func (g *generator) matched(s names, as string, other, out typ) string {
	s = g.with(s, as, other)
	if other.optional() && g.records[other.nonNull()] != nil {
		return fmt.Sprintf("%s == null ? %s : %s", as, g.paren(g.expr(s, out, 2)), g.paren(g.expr(g.with(s.without(as), as, other.nonNull()), out, 2)))
	}
	return g.expr(s, out, 3)
}

// streamJoin meets another stream of the same key, or itself, if there is one.
func (g *generator) streamJoin(f *flow, i int) {
	for _, at := range g.Perm(len(g.flows)) {
		r := g.flows[at]
		if f.moved && r.moved { // the order of two topics counts
			continue
		}
		if r.table || r.key.nonNull() != f.key.nonNull() || inner(r.key.nonNull()) != r.key.nonNull() {
			continue
		}
		r.read = true
		kind := g.one("join", "left_join", "outer_join")
		as, left, right := fmt.Sprintf("o%d", i), f.value.nonNull(), r.value.nonNull()
		switch {
		case kind == "join" || kind == "left_join" && !f.key.optional(), kind == "outer_join" && !f.key.optional() && !r.key.optional():
			f.key = f.key.nonNull()
		default:
			f.key = optionalOf(f.key)
		}
		if kind != "join" {
			right = optionalOf(right)
		}
		if kind == "outer_join" {
			left = optionalOf(left)
		}
		out := typ(g.one("string", "int64", "float64"))
		s := g.with(g.with(nil, "key", f.key), "value", left)
		s = g.with(s, "timestamp", "timestamp")
		before, after := g.IntN(30), g.IntN(30)
		if g.chance(20) {
			after = -g.IntN(before + 1)
		}
		g.line("  %s {\n    with = %s\n    as = %s\n    before = \"%dms\"\n    after = \"%dms\"\n    grace = \"%dms\"\n    value = %s\n  }",
			kind, r.ref, as, before, after, g.IntN(2)*g.IntN(20), g.matched(s, as, right, out))
		f.value, f.moved = out, false
		return
	}
}

// globalJoin looks into a global table, which is written down at the end.
func (g *generator) globalJoin(f *flow, i int) {
	if len(g.globals) == 0 || g.chance(30) {
		t := &flow{key: typ(g.one("string", "int64")), value: g.valueType()}
		t.ref = "global_table." + g.label("g")
		g.globals = append(g.globals, t)
	}
	t := g.globals[g.IntN(len(g.globals))]
	f.value = f.value.nonNull()
	as, kind, row := fmt.Sprintf("g%d", i), "join", t.value
	if g.chance(50) {
		kind, row = "left_join", optionalOf(row)
	}
	s := g.scope(f)
	on := t.key
	if g.chance(40) {
		on = optionalOf(on)
	}
	out := typ(g.one("string", "int64", "float64"))
	g.line("  %s {\n    with = %s\n    as = %s\n    on = %s\n    value = %s\n  }", kind, t.ref, as, g.expr(s, on, 2), g.matched(s, as, row, out))
	f.value = out
}

func (g *generator) declareGlobals() {
	written := g.String()
	for _, t := range g.globals {
		if !strings.Contains(written, "with = "+t.ref+"\n") { // a stream that nobody reads may have read it
			continue
		}
		label := strings.TrimPrefix(t.ref, "global_table.")
		g.line("global_table %q {\n  topic = %q\n  key = %s\n  value = %s\n  on_error = \"skip\"\n}\n", label, label, t.key, format(t.value))
	}
}

// rowTables are tables whose rows can be looked into, and in which time has no part, and those with windows.
func (g *generator) rowTables() (list, windowed []*flow) {
	for _, t := range g.tables {
		if inner(t.key) == t.key {
			list = append(list, t)
		} else {
			windowed = append(windowed, t)
		}
	}
	return list, windowed
}

// rows is a table made of the rows of another.
func (g *generator) rows() {
	all, windowed := g.rowTables()
	regroups := len(windowed) > 0 && (len(all) == 0 || g.chance(40)) // rows of windows, perhaps joined, are grouped anew
	if regroups {
		all = windowed
	}
	if len(all) == 0 {
		g.stream()
		return
	}
	from := all[g.IntN(len(all))]
	g.reads(from)
	f := &flow{key: from.key, value: from.value, table: true}
	label := g.label("r")
	g.line("table %q {\n  from = %s", label, from.ref)
	deletes := true
	for i := range g.IntN(4) {
		s := g.scope(f)
		switch n := g.IntN(6); {
		case n == 0:
			g.line("  %s { where = %s }", g.one("filter", "filter_not"), g.expr(s, "bool", 3))
		case n == 1:
			f.value = g.newValue(f, "map_values { value = %s }").nonNull()
		case regroups:
			g.windowJoin(f, all, i)
		default:
			g.rowJoin(f, s, all, i)
		}
		if g.chance(30) && !regroups || regroups && g.stores.IntN(3) == 0 {
			g.line("  store %q {}", fmt.Sprintf("%s-%d", label, i))
		}
	}
	if regroups || g.chance(35) {
		g.regroup(f)
	}
	g.line("}\n")
	f.ref = "table." + label
	g.add(f, deletes)
}

// reads notes that the changes of a table are read.
func (g *generator) reads(t *flow) {
	for _, r := range g.flows {
		r.read = r.read || r.ref == t.ref && r.table
	}
}

// rowJoin joins a table with another, by its key or by a foreign one.
func (g *generator) rowJoin(f *flow, s names, all []*flow, i int) {
	t := all[g.IntN(len(all))]
	as, out := fmt.Sprintf("j%d", i), typ(g.one("string", "int64", "float64"))
	left, row, on := f.value, t.value, ""
	kind := g.one("join", "left_join", "outer_join")
	if t.key != f.key || g.chance(50) {
		key := t.key
		if g.chance(50) {
			key = optionalOf(key)
		}
		on = "\n    on = " + g.expr(s.without("timestamp"), key, 2)
		kind = g.one("join", "left_join")
	}
	if kind != "join" {
		row = optionalOf(row)
	}
	if kind == "outer_join" {
		left = optionalOf(left)
	}
	g.reads(t)
	s = g.with(g.with(nil, "key", f.key), "value", left)
	g.line("  %s {\n    with = %s\n    as = %s%s\n    value = %s\n  }", kind, t.ref, as, on, g.matched(s, as, row, out))
	f.value = out
}

// windowJoin joins rows of windows with those of the same ones in another table, if there is one.
func (g *generator) windowJoin(f *flow, all []*flow, i int) {
	for _, at := range g.Perm(len(all)) {
		t := all[at]
		if t.key != f.key {
			continue
		}
		as, out, kind := fmt.Sprintf("j%d", i), typ(g.one("string", "int64", "float64")), g.one("join", "left_join", "outer_join")
		left, row := f.value, t.value
		if kind != "join" {
			row = optionalOf(row)
		}
		if kind == "outer_join" {
			left = optionalOf(left)
		}
		g.reads(t)
		s := g.with(g.with(nil, "key", inner(f.key)), "value", left)
		g.line("  %s {\n    with = %s\n    as = %s\n    value = %s\n  }", kind, t.ref, as, g.matched(s, as, row, out))
		f.value = out
		return
	}
}

// regroup groups rows anew, and takes away what leaves a group.
func (g *generator) regroup(f *flow) {
	s := g.scope(f)
	key := typ(g.one("string", "int64"))
	given := key
	if g.chance(30) {
		given = optionalOf(key)
	}
	g.line("  group_by { key = %s }", g.expr(s, given, 2))
	f.key = key
	s = g.with(g.with(nil, "key", key), "value", f.value)
	switch g.IntN(4) {
	case 0:
		g.line("  count {}")
		f.value = "int64"
	case 1:
		if f.value = "int64"; g.chance(50) {
			g.line("  aggregate { value = sum(%s) }", g.expr(s, "int64", 2))
			return
		}
		g.line("  aggregate { value = count(%s) }", g.expr(s, "bool", 2))
	case 2:
		if f.value != "string" && f.value != "int64" {
			g.line("  count {}")
			f.value = "int64"
			return
		}
		a := g.with(g.with(nil, "agg", f.value), "value", f.value)
		sum := func() string {
			if f.value == "string" {
				return fmt.Sprintf("substr(%s, 0, 12)", g.expr(a, f.value, 2))
			}
			return g.expr(a, f.value, 2)
		}
		add, remove := sum(), sum()
		g.line("  reduce {\n    add = %s\n    remove = %s\n  }", add, remove)
	default:
		t := typ(g.one("string", "int64"))
		a := g.with(s, "agg", t)
		add, _ := g.adds(a, t)
		remove, _ := g.adds(a, t)
		g.line("  fold {\n    init = %s\n    add = %s\n    remove = %s\n  }", g.initial(t), add, remove)
		f.value = t
	}
}

// ambiguous says whether a part that joins reads two topics of the program which one record of a source may write to: in which order it
// comes to them is not for the oracle to say.
func ambiguous(m *model.Program, p *plan.Plan) bool {
	from := map[*plan.Topic][]*plan.SubTopology{} // by topic, who writes it
	for _, s := range p.SubTopologies {
		for _, t := range s.Writes {
			from[t] = append(from[t], s)
		}
	}
	var origins func(t *plan.Topic, seen map[*plan.Topic]bool) []*plan.Topic
	origins = func(t *plan.Topic, seen map[*plan.Topic]bool) (list []*plan.Topic) {
		if seen[t] {
			return nil
		}
		seen[t] = true
		if t.Kind != plan.Repartition {
			return []*plan.Topic{t}
		}
		for _, s := range from[t] {
			for _, src := range s.Sources {
				for _, up := range src.Topics {
					list = append(list, origins(up, seen)...)
				}
			}
		}
		return list
	}
	for _, s := range p.SubTopologies {
		seen := map[*plan.Topic]bool{}
		for _, src := range s.Sources {
			if !src.Internal {
				continue
			}
			for _, t := range src.Topics {
				for _, o := range slices.Compact(origins(t, map[*plan.Topic]bool{})) {
					if seen[o] && joins(m) {
						return true
					}
					seen[o] = true
				}
			}
		}
	}
	return false
}

// joins says whether a program has joins other than of streams with tables.
func joins(m *model.Program) bool {
	return slices.ContainsFunc(m.Blocks, func(b *model.Block) bool {
		return slices.ContainsFunc(b.Steps, func(s model.Step) bool {
			switch s.(type) {
			case *model.StreamJoin, *model.TableJoin:
				return true
			}
			return false
		})
	})
}
