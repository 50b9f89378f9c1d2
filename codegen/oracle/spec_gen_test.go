package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// flow is what can be read: a reference, and what it gives.
type flow struct {
	ref        string
	key, value typ
	table      bool
	moved      bool // its key is another than at its source
	read       bool
	calm       bool // of a table: it holds changes back
	history    int  // of a table: milliseconds for which its rows are known
	previous   typ  // of the row that a change replaced; "": it is not known
}

// specOf is a spec made from a seed. What it says has the right types by construction.
func specOf(seed uint64) string {
	g := &generator{random: &random{Rand: rand.New(rand.NewPCG(seed, 7)), records: map[typ][]member{}}, versions: rand.New(rand.NewPCG(seed, 8)), stores: rand.New(rand.NewPCG(seed, 10))}
	if seed%4 == 1 {
		g.ttls = rand.New(rand.NewPCG(seed, 9))
	}
	return g.spec()
}

type generator struct {
	*random
	strings.Builder
	flows   []*flow
	tables  []*flow
	globals []*flow // not yet written
	n       int

	ttls     *rand.Rand // says which rows end; nil: none do
	versions *rand.Rand // says which tables have a history, and what waits for them
	stores   *rand.Rand // says where rows of windows are stored behind steps
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.Builder, format+"\n", args...)
}

func (g *generator) label(prefix string) string {
	g.n++
	return fmt.Sprintf("%s%d", prefix, g.n)
}

func (g *generator) spec() string {
	g.line("app \"fuzz\" {\n  processing_guarantee = \"exactly_once_v2\"\n  start = \"earliest\"\n  on_error = %q\n}\n", g.one("skip", "skip", "skip", "fail"))
	g.line("enum \"Tier\" { values = [\"gold\", \"silver\"] }\n")
	for _, r := range []typ{"Inner", "Order", "Place"}[:1+g.IntN(3)] {
		g.declare(r)
	}
	for range 1 + g.IntN(2) {
		g.source(false)
	}
	for range g.IntN(3) {
		g.source(true)
	}
	for range 2 + g.IntN(6) {
		switch g.IntN(14) {
		case 0, 1, 2, 3:
			g.stream()
		case 4, 5, 6:
			g.table()
		case 7:
			g.merge()
		case 8:
			if g.chance(50) {
				g.cogroup()
			} else {
				g.calm()
			}
		case 9, 10, 11, 12:
			g.rows()
		default:
			g.branch()
		}
	}
	g.declareGlobals()
	for _, f := range g.flows {
		if !f.read || g.chance(25) {
			g.sink(f)
		}
	}
	return g.String()
}

func (g *generator) declare(r typ) {
	g.line("type %q {", string(r))
	for i := range 2 + g.IntN(3) {
		m := member{string(rune('a' + i)), typ(g.one(scalars...))}
		if r != "Inner" && g.chance(15) { // which was declared first
			m.typ = "Inner"
		}
		if g.chance(25) {
			m.typ = optionalOf(m.typ)
		}
		g.records[r] = append(g.records[r], m)
		g.line("  %s = %s", m.name, m.typ)
	}
	g.line("}\n")
}

// valueType is a type that a source or map_values has.
func (g *generator) valueType() typ {
	all := []string{"string", "int64", "float64"}
	for _, r := range []typ{"Inner", "Order", "Place"} {
		if g.records[r] != nil {
			all = append(all, string(r), string(r))
		}
	}
	return typ(g.one(all...))
}

func format(t typ) string {
	switch n := t.nonNull(); n {
	case "string", "int64", "float64", "bool", "int32":
	default:
		if f := typ("json(" + n + ")"); t.optional() {
			return "optional(" + string(f) + ")"
		} else {
			return string(f)
		}
	}
	return string(t)
}

func (g *generator) source(table bool) {
	f := &flow{key: typ(g.one("string", "string", "string", "int64")), value: g.valueType(), table: table}
	kind := "stream"
	if table {
		kind = "table"
	} else {
		if g.chance(70) {
			f.key = optionalOf(f.key)
		}
		if g.chance(40) {
			f.value = optionalOf(f.value)
		}
	}
	label := g.label("in")
	f.ref = kind + "." + label
	g.line("%s %q {\n  topic = %q\n  key = %s\n  value = %s\n  on_error = \"skip\"", kind, label, label, f.key, format(f.value))
	if table && g.versions.IntN(4) == 0 {
		f.history = 1 + g.versions.IntN(40)
		g.line("  store %q { history = \"%dms\" }", label, f.history)
	} else if table {
		g.store(label, false, nil)
	}
	g.line("}\n")
	g.add(f, table)
}

// add lets others read a flow. The changes of a table may be deletes.
func (g *generator) add(f *flow, deletes bool) {
	if f.table {
		row := *f
		g.tables = append(g.tables, &row)
		if deletes {
			f.value = optionalOf(f.value)
		}
	}
	g.flows = append(g.flows, f)
}

func (g *generator) pick() *flow {
	f := g.flows[g.IntN(len(g.flows))]
	f.read = true
	return f
}

// scope is the names of a record.
func (g *generator) scope(f *flow) names {
	s := g.with(nil, "key", inner(f.key))
	s = g.with(s, "value", f.value)
	if inner(f.key) != f.key {
		s = g.with(g.with(s, "window.start", "timestamp"), "window.end", "timestamp")
	}
	if f.previous != "" {
		s = g.with(s, "previous", f.previous)
	}
	return g.with(s, "timestamp", "timestamp")
}

func (g *generator) stream() { g.streamOf(*g.pick()) }

func (g *generator) streamOf(from flow) {
	f := &flow{ref: "", key: from.key, value: from.value, moved: from.moved, previous: from.previous}
	if from.table && !strings.Contains(string(from.key), "session") && !strings.Contains(string(from.key), "sliding") {
		f.previous = optionalOf(from.value.nonNull())
	}
	label := g.label("s")
	g.line("stream %q {\n  from = %s", label, from.ref)
	if g.chance(30) {
		g.line("  on_error = %q", g.one("skip", "fail"))
	}
	g.steps(f, 1+g.IntN(3), label)
	g.line("}\n")
	f.ref = "stream." + label
	g.add(f, false)
}

// steps writes steps of a stream and keeps track of what they give.
func (g *generator) steps(f *flow, n int, label string) {
	deduped := false
	for i := range n {
		s := g.scope(f)
		switch g.IntN(12) {
		case 0, 1:
			if f.value.optional() && g.chance(60) {
				g.line("  filter { where = value != null }")
				f.value = f.value.nonNull()
				continue
			}
			g.line("  %s { where = %s }", g.one("filter", "filter_not"), g.expr(s, "bool", 3))
		case 2, 3:
			f.value = g.newValue(f, "map_values { value = %s }")
			f.previous = ""
		case 4, 5:
			if w := f.key; inner(w) != w && g.chance(40) {
				g.line("  select_key { key = windowed(%s, window) }", g.expr(s, inner(w), 2))
			} else {
				f.key = g.newKey(s, "select_key { key = %s }")
			}
			f.moved, f.previous = true, ""
		case 6:
			key := g.expr(s, "string", 2)
			g.line("  map {\n    key = %s\n    headers = { h = bytes(%s), gone = null }", key, g.expr(s, "string", 2))
			if g.chance(30) {
				g.line("    timestamp = %s", g.expr(s, "timestamp", 2))
			}
			g.line("  }")
			f.key, f.moved, f.previous = "string", true, ""
		case 7:
			text := g.expr(s, "string", 1)
			g.line("  flat_map_values { each = split(%s, %q) }", text, g.one("/", "a", "1"))
			f.value, f.previous = "string", ""
		case 8:
			text := g.expr(s, "string", 1)
			g.line("  flat_map { each = [for i, w in split(%s, %q) : { key = w, value = i }] }", text, g.one("/", "a", ""))
			f.key, f.value, f.moved, f.previous = "string", "int64", true, ""
		case 9:
			if f.moved || deduped {
				continue
			}
			deduped = true
			g.line("  dedup {\n    by = %s\n    within = %q\n  }", g.expr(s, typ(g.one("string", "int64", "optional(string)")), 2), g.one("3ms", "20ms", "1s"))
		case 10:
			g.join(f, i)
		case 11:
			if g.chance(50) {
				g.streamJoin(f, i)
			} else if g.chance(50) {
				g.globalJoin(f, i)
			} else if g.chance(60) {
				g.line("  repartition %q {}", fmt.Sprintf("%s-%d", label, i))
				f.moved, f.key, f.previous = false, f.key.nonNull(), ""
			}
		}
	}
}

// newValue writes a step that gives the value of a flow another type.
func (g *generator) newValue(f *flow, step string) typ {
	t := g.valueType()
	s := g.scope(f)
	if g.chance(20) {
		t = typ(fmt.Sprintf("{%s}", g.label("r")))
		for i := range 1 + g.IntN(3) {
			m := member{string(rune('p' + i)), typ(g.one(scalars...))}
			if g.chance(30) {
				m.typ = optionalOf(m.typ)
			}
			g.records[t] = append(g.records[t], m)
		}
	}
	made := func(s names) string {
		if g.records[t] != nil && (g.chance(80) || len(s.of(t)) == 0) {
			return g.make(s, t, 2)
		}
		return g.expr(s, t, 3)
	}
	if f.value.optional() && g.chance(70) {
		g.line("  "+step, "value == null ? null : "+g.paren(made(g.with(s.without("value"), "value", f.value.nonNull()))))
		return optionalOf(t)
	}
	if g.chance(15) && !strings.HasPrefix(string(t), "{") {
		g.line("  "+step, fmt.Sprintf("%s ? %s : null", g.expr(s, "bool", 2), g.paren(made(s))))
		return optionalOf(t)
	}
	g.line("  "+step, made(s))
	return t
}

func (g *generator) newKey(s names, step string) typ {
	t := typ(g.one("string", "string", "int64"))
	if g.chance(25) {
		t = optionalOf(t)
	}
	g.line("  "+step, g.expr(s, t, 2))
	return t
}

// join meets a table of the same key, if there is one.
func (g *generator) join(f *flow, i int) {
	for _, at := range g.Perm(len(g.tables)) {
		t := g.tables[at]
		if t.key.nonNull() != f.key.nonNull() {
			continue
		}
		for _, r := range g.flows {
			r.read = r.read || r.ref == t.ref && r.table && g.chance(50)
		}
		f.value = f.value.nonNull()
		as, kind, row := fmt.Sprintf("t%d", i), "join", t.value
		if g.chance(50) {
			kind, row = "left_join", optionalOf(row)
		} else {
			f.key = f.key.nonNull()
		}
		out := g.valueType()
		s := g.with(g.scope(f), as, row)
		value := ""
		if row.optional() && g.records[row.nonNull()] != nil {
			value = fmt.Sprintf("%s == null ? %s : %s", as, g.paren(g.expr(s, out, 2)), g.paren(g.expr(g.with(s.without(as), as, row.nonNull()), out, 2)))
		} else {
			value = g.expr(s, out, 3)
		}
		grace := ""
		if t.history > 1 && g.versions.IntN(2) == 0 {
			grace = fmt.Sprintf("\n    grace = \"%dms\"", 1+g.versions.IntN(t.history-1))
		}
		g.line("  %s {\n    with = %s\n    as = %s%s\n    value = %s\n  }", kind, t.ref, as, grace, value)
		f.value, f.moved, f.previous = out, false, ""
		return
	}
}

func (g *generator) table() {
	from := *g.pick()
	if from.table { // the changes of a table are grouped as a stream
		g.streamOf(from)
		made := g.flows[len(g.flows)-1]
		made.read = true
		from = *made
	}
	f := &flow{key: from.key, value: from.value, moved: from.moved, table: true}
	label := g.label("t")
	emits := []string{"every", "updates"}
	window := g.window()
	if inner(from.key.nonNull()) != from.key.nonNull() {
		window = nil
	}
	if window != nil && window.closes {
		emits = append(emits, "final", "final")
	}
	emit := g.one(emits...)
	g.line("table %q {\n  from = %s\n  emit = %q", label, from.ref, emit)
	if window == nil && g.chance(40) {
		g.steps(f, 1, label)
	}
	grouped := false
	if g.chance(50) {
		f.key, f.moved, grouped = g.newKey(g.scope(f), "group_by { key = %s }"), true, true
		f.previous = ""
	}
	f.key = f.key.nonNull()
	late := *f
	deletes := f.value.optional()
	making := g.IntN(5)
	if window != nil {
		if making > 1 && f.value.optional() {
			g.line("  filter { where = value != null }")
			f.value = f.value.nonNull()
		}
		late.value = f.value
		g.line("%s", window.text)
	}
	switch making {
	case 0:
		if grouped || window != nil {
			g.line("  count {}")
			f.value, deletes = "int64", false
			break
		}
		g.line("  to_table {}")
		f.value = f.value.nonNull()
	case 1:
		g.line("  count {}")
		f.value, deletes = "int64", false
	case 2:
		f.value, deletes = f.value.nonNull(), false
		s := g.with(g.with(nil, "agg", f.value), "value", f.value)
		switch {
		case f.value == "string": // else it may double with each record
			g.line("  reduce { add = substr(%s, 0, 12) }", g.expr(s, f.value, 2))
		case g.records[f.value] != nil: // which may hold strings
			g.line("  reduce { add = %s ? value : agg }", g.expr(s, "bool", 3))
		default:
			g.line("  reduce { add = %s }", g.expr(s, f.value, 3))
		}
	case 3:
		f.value, deletes = f.value.nonNull(), false
		f.value = g.aggregate(f)
	case 4:
		f.value = f.value.nonNull()
		f.value, deletes = g.fold(f, window)
	}
	if window != nil && window.kind == "session" {
		deletes = emit != "final"
	}
	deletes = g.store(label+"-rows", g.chance(50), window) || deletes
	f.calm, deletes = g.suppress(window, emit, deletes)
	g.line("}\n")
	f.moved = false
	f.ref = "table." + label
	if window != nil {
		f.key = window.key(f.key)
		if window.closes && g.chance(30) {
			late.ref, late.table, late.moved = f.ref+".late", false, false
			g.add(&late, false)
		}
	}
	g.add(f, deletes)
}

func (g *generator) aggregate(f *flow) typ {
	s := g.scope(f)
	one := func() (string, typ) {
		t := typ(g.one("int64", "float64", "string"))
		ordered := func() string { return g.expr(s, typ(g.one("int64", "float64", "string")), 2) }
		switch g.IntN(16) {
		case 15:
			return "approx_distinct(" + g.expr(s, typ(g.one("int64", "string", "bool")), 2) + ")", "int64"
		case 14:
			return "quantile(" + g.expr(s, "int64", 1) + g.one(", 0.5)", ", 0.9)", ", 0.0)", ", 1.0)"), "float64"
		case 0:
			return "count()", "int64"
		case 7:
			return "variance(" + g.expr(s, "int64", 1) + ")", "float64"
		case 8, 9:
			return g.one("argmin", "argmax") + "(" + g.expr(s, t, 2) + ", " + ordered() + ")", t
		case 10:
			return g.collected("collect_list("+g.expr(s, t, 2), 4)
		case 11:
			return g.collected("collect_set("+g.expr(s, t, 2), 3)
		case 12:
			if g.chance(50) {
				return g.collected("top_n("+g.expr(s, t, 2)+", "+ordered(), 3)
			}
			return g.collected("top_n("+ordered(), 3)
		case 13:
			return fmt.Sprintf("distinct(%s, %d)", ordered(), 1+g.IntN(4)), "int64"
		case 6: // a null is one of those that come
			t = typ(g.one("int64", "string"))
			return fmt.Sprintf("coalesce(%s(%s), %s)", g.one("first", "last"), g.expr(s, optionalOf(t), 2), g.expr(names{}, t, 0)), t
		case 5:
			return g.one("any", "all") + "(" + g.expr(s, "bool", 2) + ")", "bool"
		case 1:
			return "count(" + g.expr(s, "bool", 2) + ")", "int64"
		case 2:
			t = typ(g.one("int64", "float64"))
			return "sum(" + g.expr(s, t, 2) + ")", t
		case 3:
			return "avg(" + g.expr(s, typ(g.one("int64", "float64")), 2) + ")", "float64"
		case 4:
			return g.one("min", "max") + "(" + g.expr(s, t, 2) + ")", t
		}
		return g.one("first", "last") + "(" + g.expr(s, t, 2) + ")", t
	}
	if g.chance(30) {
		text, t := one()
		g.line("  aggregate { value = %s }", text)
		return t
	}
	r := typ(fmt.Sprintf("{%s}", g.label("r")))
	var fields []string
	for i := range 1 + g.IntN(3) {
		m := member{name: string(rune('u' + i))}
		var text string
		text, m.typ = one()
		if m.typ == "int64" && g.chance(25) {
			text += g.one(" % 3", " * 2", " / 4")
		}
		g.records[r] = append(g.records[r], m)
		fields = append(fields, m.name+" = "+text)
	}
	g.line("  aggregate { value = { %s } }", strings.Join(fields, ", "))
	return r
}

// collected is what is made of a list that an aggregator collects.
func (g *generator) collected(call string, most int) (string, typ) {
	list := fmt.Sprintf("%s, %d)", call, 1+g.IntN(most))
	if g.chance(50) {
		return "length(" + list + ")", "int64"
	}
	return "join([for x in " + list + ` : "${x}"], ",")`, "string"
}

// merge unites flows of one type.
func (g *generator) merge() {
	a := g.pick()
	for _, b := range g.flows {
		if b == a || b.key.nonNull() != a.key.nonNull() || b.value.nonNull() != a.value.nonNull() {
			continue
		}
		b.read = true
		label := g.label("m")
		f := &flow{ref: "stream." + label, key: a.key, value: a.value, moved: a.moved || b.moved}
		if b.key.optional() {
			f.key = b.key
		}
		if b.value.optional() {
			f.value = b.value
		}
		g.line("stream %q {\n  from = [%s, %s]", label, a.ref, b.ref)
		g.line("}\n")
		g.add(f, false)
		return
	}
	g.sink(a)
}

func (g *generator) branch() {
	from := g.pick()
	label := g.label("b")
	g.line("branch %q {\n  from = %s", label, from.ref)
	f := *from
	f.table, f.read = false, false
	s := g.scope(&f)
	if f.value.optional() {
		g.line("  case \"nulls\" { where = value == null }")
		f.value = f.value.nonNull()
		s = g.with(s.without("value"), "value", f.value)
	}
	var made []string
	for i := range 1 + g.IntN(2) {
		made = append(made, fmt.Sprintf("c%d", i))
		g.line("  case \"c%d\" { where = %s }", i, g.expr(s, "bool", 3))
	}
	if g.chance(60) {
		made = append(made, "rest")
		g.line("  default \"rest\" {}")
	}
	g.line("}\n")
	for _, c := range made {
		out := f
		out.ref = "branch." + label + "." + c
		g.add(&out, false)
	}
}

func (g *generator) sink(f *flow) {
	f.read = true
	label := g.label("out")
	value := format(f.value.nonNull())
	if strings.HasPrefix(value, "json({") {
		value = "json"
	}
	g.line("sink %q {\n  from = %s\n  topic = %q\n  value = %s\n}\n", label, f.ref, label, value)
}
