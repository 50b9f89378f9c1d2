package oracle_test

import "fmt"

// fold writes a fold with its merge in sessions, and says what it gives and whether rows can go.
func (g *generator) fold(f *flow, w *window) (t typ, deletes bool) {
	t = typ(g.one("string", "int64"))
	add, deletes := g.adds(g.with(g.scope(f), "agg", t), t)
	g.line("  fold {\n    init = %s\n    add = %s", g.initial(t), add)
	g.merges(t, w)
	g.line("  }")
	return t, deletes
}

func (g *generator) initial(t typ) string {
	if t == "string" {
		return g.one(`""`, `"-"`)
	}
	return g.one("0", "1")
}

// adds is what a value makes of a state of type t; else a state may grow with each record.
func (g *generator) adds(s names, t typ) (text string, deletes bool) {
	text = g.expr(s, t, 2)
	if t == "string" {
		text = fmt.Sprintf("substr(%s, 0, 12)", text)
	}
	if g.chance(30) {
		return fmt.Sprintf("%s ? null : %s", g.expr(s, "bool", 2), g.paren(text)), true
	}
	return text, false
}

func (g *generator) merges(t typ, w *window) {
	if w == nil || w.kind != "session" {
		return
	}
	s := g.with(g.with(nil, "left", t), "right", t)
	text := g.expr(s, t, 2)
	if t == "string" {
		text = fmt.Sprintf("substr(left + %s, 0, 12)", g.paren(text))
	}
	g.line("    merge = %s", text)
}

// store names the state of a making step, perhaps, and says whether its rows end.
func (g *generator) store(label string, named bool, w *window) (ends bool) {
	ttl := g.ttl(w)
	if named || ttl != "" {
		g.line("  store %q {%s}", label, ttl)
	}
	return ttl != ""
}

// ttl is a time to live, perhaps, of rows without a window.
func (g *generator) ttl(w *window) string {
	if w != nil || g.ttls == nil || g.ttls.IntN(3) == 0 {
		return ""
	}
	return fmt.Sprintf(" ttl = \"%dms\" ", 1+g.ttls.IntN(60))
}

// suppress writes one below a making step, perhaps, and says whether it is there and rows can go behind it.
func (g *generator) suppress(w *window, emit string, deletes bool) (there, goes bool) {
	switch {
	case !g.chance(25) || emit == "final":
		return false, deletes
	case w != nil && w.closes && g.chance(60):
		g.line("  suppress { until = \"window_closes\" }")
		return true, false
	}
	g.limit()
	return true, deletes
}

func (g *generator) limit() {
	bound := ""
	if g.chance(40) {
		bound = fmt.Sprintf("\n    max_records = %d\n    when_full = %q", 1+g.IntN(4), g.one("emit_early", "emit_early", "stop"))
	}
	g.line("  suppress {\n    time_limit = \"%dms\"%s\n  }", g.IntN(40), bound)
}

// calm is a table that sends on fewer changes of another.
func (g *generator) calm() {
	from := g.pick()
	if !from.table || from.calm {
		g.streamOf(*from)
		return
	}
	label := g.label("c")
	g.line("table %q {\n  from = %s", label, from.ref)
	g.limit()
	g.line("}\n")
	f := *from
	f.ref, f.read, f.calm, f.value = "table."+label, false, true, from.value.nonNull()
	g.add(&f, from.value.optional())
}

// cogroup is a table that several flows make.
func (g *generator) cogroup() {
	a := g.pick()
	if inner(a.key.nonNull()) != a.key.nonNull() {
		g.sink(a)
		return
	}
	inputs := []*flow{a}
	moved := a.moved
	for _, at := range g.Perm(len(g.flows)) {
		if b := g.flows[at]; b != a && b.key.nonNull() == a.key.nonNull() && len(inputs) < 3 && !(moved && b.moved) { // else the order of topics counts
			b.read, moved = true, moved || b.moved
			inputs = append(inputs, b)
		}
	}
	if len(inputs) == 1 {
		inputs = append(inputs, a)
	}
	w := g.window()
	emits := []string{"every", "updates"}
	if w != nil && w.closes {
		emits = append(emits, "final")
	}
	label, emit := g.label("g"), g.one(emits...)
	g.line("table %q {\n  emit = %q", label, emit)
	if w != nil {
		g.line("%s", w.text)
	}
	t := typ(g.one("string", "int64"))
	deletes := w != nil && w.kind == "session" && emit != "final"
	g.line("  cogroup {\n    init = %s", g.initial(t))
	g.merges(t, w)
	for _, in := range inputs {
		f := *in
		f.key = f.key.nonNull()
		if w == nil || w.kind == "sliding" {
			f.value = f.value.nonNull()
		}
		add, goes := g.adds(g.with(g.scope(&f), "agg", t), t)
		deletes = deletes || goes
		g.line("    input {\n      from = %s\n      add = %s\n    }", in.ref, add)
	}
	g.line("  }")
	deletes = g.store(label, false, w) || deletes
	f := &flow{ref: "table." + label, key: a.key.nonNull(), value: t, table: true}
	f.calm, deletes = g.suppress(w, emit, deletes)
	g.line("}\n")
	if w != nil {
		f.key = w.key(f.key)
	}
	g.add(f, deletes)
}
