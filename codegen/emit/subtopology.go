package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/types"
)

// sub is the file of one sub-topology in the making. Its methods are written before its struct: what they need becomes the
// struct's fields.
type sub struct {
	*emitter
	plan    *plan.SubTopology
	members *Names // names of fields and methods
	callers map[*plan.Func]int
	inputs  map[*plan.Func]*hand // of functions that are called: what is at hand when they begin
	methods map[*plan.Func]jen.Code
	topics  map[*plan.Topic]string        // fields
	views   map[*plan.Func]*jen.Statement // fields for the rows of tables without a store

	usesTask, usesVariables, usesText bool
	callsUser                         bool
	guarded                           map[*plan.Func]bool // a panic of the user's ends them, and nothing else
	counters                          []counter
	scratch                           []scratch
	joined                            map[*plan.Join]*joinState
	shared                            map[string]*jen.Statement // fields of type []byte that several functions encode in
	counts                            *plan.Position            // the join whose outcomes have the plain names
	leaves                            []leaves                  // what waits in joins
}

// counter is a field that counts drops.
type counter struct {
	name, reason string
	at           *plan.Position
	outcome      bool // of a join, not a drop
}

// leaves is a method by which rows leave that wait in a join.
type leaves struct {
	store  *jen.Statement // field
	method string
	code   jen.Code
}

// scratch is a field that holds a value of the record in hand.
type scratch struct {
	name string
	typ  *jen.Statement

	made *plan.Func // the entry that makes the value anew for each record: others may use the field, too; nil: they may not
}

func constructor(s *plan.SubTopology) string { return "new" + upperFirst(s.Go) }

// subTopology writes <sub>_gen.go.
func (e *emitter) subTopology(p *plan.SubTopology) *file {
	s := &sub{
		emitter: e, plan: p, members: NewNames("task", "Process", "Flush", "close", "variables", "text"),
		callers: map[*plan.Func]int{}, inputs: map[*plan.Func]*hand{}, methods: map[*plan.Func]jen.Code{}, topics: map[*plan.Topic]string{},
		joined: map[*plan.Join]*joinState{}, shared: map[string]*jen.Statement{},
		views: map[*plan.Func]*jen.Statement{},
	}
	s.guarded = guarded(p)
	for _, f := range p.Funcs {
		s.members.New(f.Go)
		for _, callee := range callees(f) {
			s.callers[callee]++
		}
		for i, op := range f.Ops[:max(0, len(f.Ops)-1)] {
			if goesOnTwice(op) {
				for _, callee := range f.Ops[i+1].(*plan.Call).To {
					s.callers[callee]++
				}
			}
		}
	}
	for _, st := range slices.Concat(p.Globals, p.Stores) {
		if st.Join == nil {
			s.members.New(st.Go)
		}
	}
	for _, j := range s.joins() {
		s.members.New(j.Go)
	}
	for _, t := range p.Writes {
		if slices.ContainsFunc(p.Stores, func(st *plan.Store) bool { return st.Kind == plan.Subscriptions && st.Foreign.Answers == t }) {
			continue
		}
		field := strings.TrimPrefix(t.Go, "topic")
		s.topics[t] = s.members.New(lowerFirst(field), lowerFirst(field)+"Topic")
	}
	for _, src := range p.Sources {
		s.fromSource(src)
	}
	for _, st := range p.Stores {
		if st.Ended != nil {
			s.fromEnd(st)
		}
		if st.Flush != nil {
			s.fromFlush(st)
		}
	}
	for _, j := range s.joins() {
		s.fromJoin(j)
	}
	for _, fn := range p.Funcs {
		if fn.Kind == plan.FromRows {
			s.fromRows(fn)
		}
	}
	e.usesVariables[p] = s.usesVariables

	f := e.newFile(p.File)
	e.nameUsers(f.File)
	f.ImportAlias(runtimePath+"/row", "rows") // row is what a row is called
	if len(p.Sources) > 1 {
		f.Comment("Sources of the sub-topology, in the order of their priority at equal timestamps.")
		f.Const().DefsFunc(func(g *jen.Group) {
			for i, src := range p.Sources {
				c := g.Id(src.Go)
				if i == 0 {
					c.Op("=").Iota()
				}
			}
		})
		f.Line()
	}
	e.declareReady(f)
	s.declare(f)
	s.process(f)
	for _, fn := range p.Funcs {
		if m := s.methods[fn]; m != nil {
			f.Line().Add(m)
		}
	}
	for _, m := range s.leaves {
		f.Line().Add(m.code)
	}
	for _, st := range p.Stores {
		if st.Reuses {
			f.Line().Add(s.restores(st))
		}
	}
	return f
}

// callees are the functions that f goes on in, once for each time it does.
func callees(f *plan.Func) []*plan.Func {
	var list []*plan.Func
	for _, op := range f.Ops {
		switch op := op.(type) {
		case *plan.Call:
			list = append(list, op.To...)
		case *plan.Windows:
			if op.Late != nil {
				list = append(list, op.Late)
			}
		case *plan.Choose:
			for _, c := range op.Cases {
				if c.To != nil {
					list = append(list, c.To)
				}
			}
		}
	}
	return list
}

// declare writes the struct and its constructor.
func (s *sub) declare(f *file) {
	var fields, values []jen.Code
	field := func(name string, typ *jen.Statement, value jen.Code) {
		fields = append(fields, jen.Id(name).Add(typ))
		if value != nil {
			values = append(values, keyed(name, value))
		}
	}
	if s.usesTask {
		field("task", jen.Op("*").Add(rt("task", "Task")), jen.Id("t"))
	}
	if s.usesVariables {
		field("variables", jen.Op("*").Id("variables"), jen.Id("v"))
	}
	params := []jen.Code{jen.Id("t").Op("*").Add(rt("task", "Task"))}
	if s.usesVariables {
		params = append(params, jen.Id("v").Op("*").Id("variables"))
	}
	params = append(params, s.globalFields(field)...)
	for _, j := range s.joins() {
		typ, value := s.joinField(j)
		field(j.Go, typ, value)
	}
	for _, st := range s.plan.Stores {
		if st.Kind == plan.JoinSide {
			continue
		}
		if st.Kind == plan.GlobalRows {
			field(st.Go, jen.Op("*").Add(rt("state", "GlobalWriter")).Index(s.records.Type(st.Value)).Comment(fmt.Sprintf("// store %q", st.Name)),
				jen.Id("rows").Dot("Open").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st))))
			params = append(params, jen.Id("rows").Add(s.globalType(st)))
			continue
		}
		if st.Kind == plan.Waiting {
			field(st.Go, jen.Op("*").Add(rt("state", "Graced")).Comment(fmt.Sprintf("// store %q", st.Name)),
				rt("state", "NewGraced").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st)), graceOf(st)))
			continue
		}
		if st.Kind == plan.Subscriptions {
			typ, value := subscribersField(st)
			field(st.Go, typ, value)
			continue
		}
		if st.Kind == plan.Times {
			field(st.Go, jen.Op("*").Add(rt("state", "Times")).Comment(fmt.Sprintf("// store %q", st.Name)),
				rt("state", "NewTimes").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st))))
			continue
		}
		if st.Kind == plan.Versioned {
			field(st.Go, jen.Op("*").Add(rt("state", "Versioned")).Comment(fmt.Sprintf("// store %q", st.Name)),
				rt("state", "NewVersioned").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st)), durationLiteral(st.History.Milliseconds()).Statement))
			continue
		}
		if st.Kind == plan.Recent {
			field(st.Go, jen.Op("*").Add(rt("state", "Recent")).Comment(fmt.Sprintf("// store %q", st.Name)),
				rt("state", "NewRecent").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st)), s.records.Codec(st.Value), within(st)))
			continue
		}
		switch st.Kind {
		case plan.Suppressed:
			field(st.Go, jen.Op("*").Add(rt("state", "Suppress")).Index(s.records.Type(st.Value)).Comment(fmt.Sprintf("// store %q", st.Name)), s.suppressStore(st))
			continue
		case plan.Windowed, plan.Sliding, plan.Sessions:
			typ, make := s.windowedStore(st)
			field(st.Go, typ.Comment(fmt.Sprintf("// store %q", st.Name)), make)
			continue
		}
		if st.TTL > 0 {
			typ, make := s.agingStore(st)
			field(st.Go, typ.Comment(fmt.Sprintf("// store %q", st.Name)), make)
			continue
		}
		t := rowType(st)
		field(st.Go, jen.Op("*").Add(rt("state", "KeyValue")).Index(s.records.Type(t)).Comment(fmt.Sprintf("// store %q", st.Name)),
			s.readsAhead(st, keepSent(st, rt("state", "NewKeyValue").Call(jen.Id("t").Dot("Stores"), jen.Id(storeConst(st)), s.records.Codec(t)))))
	}
	for _, t := range s.plan.Writes {
		if s.topics[t] == "" { // it is answered by the store of subscriptions
			continue
		}
		if j := s.subscriberOf(t); j != nil {
			typ, value := subscriberField(j)
			field(s.topics[t], typ, value)
			continue
		}
		field(s.topics[t], rt("record", "Topic"), jen.Id("t").Dot("Topic").Call(jen.Id(t.Go)))
	}
	if len(s.counters) > 0 {
		fields = append(fields, jen.Line())
	}
	for _, c := range s.counters {
		field(c.name, jen.Op("*").Add(rt("task", "Counter")), jen.Id("t").Dot(map[bool]string{false: "Counter", true: "Outcome"}[c.outcome]).Call(jen.Lit(c.reason), jen.Id(c.at.Go)))
	}
	if len(s.scratch) > 0 || s.usesText {
		fields = append(fields, jen.Line(), jen.Comment("Of the record in hand."))
	}
	for _, x := range s.scratch {
		field(x.name, x.typ, nil)
	}
	if s.usesText {
		field("text", rt("text", "Arena").Comment("// of strings that are made here"), nil)
	}

	f.Add(comment(s.what()))
	f.Type().Id(s.plan.Go).Struct(fields...)

	literal := lines(values)
	if len(values) <= 2 && len(s.plan.Stores) == 0 {
		literal = jen.Values(values...)
	}
	made := []jen.Code{jen.Return(jen.Op("&").Id(s.plan.Go).Add(literal))}
	closing := slices.Concat(s.closers(), s.idles(), s.turns())
	if len(s.subscriptions()) > 0 {
		closing = append(closing, jen.Id("t").Dot("Resumes").Call())
	}
	if len(closing) > 0 {
		made = append([]jen.Code{jen.Id("s").Op(":=").Op("&").Id(s.plan.Go).Add(literal)}, append(closing, jen.Return(jen.Id("s")))...)
	}
	f.Line().Func().Id(constructor(s.plan)).Params(params...).Op("*").Id(s.plan.Go).Block(made...)
}

// process writes Process and Flush.
func (s *sub) process(f *file) {
	receiver := func() *jen.Statement { return f.Func().Params(jen.Id("s").Op("*").Id(s.plan.Go)) }

	call := func(src *plan.Source, r jen.Code) *jen.Statement { return jen.Id("s").Dot(src.Entry.Go).Call(r) }
	fail := jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	var each []jen.Code
	if len(s.plan.Sources) == 1 {
		each = []jen.Code{jen.If(jen.Err().Op(":=").Add(call(s.plan.Sources[0], jen.Op("&").Id("b").Dot("Records").Index(jen.Id("i")))),
			jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))}
	} else {
		var cases []jen.Code
		for _, src := range s.plan.Sources {
			cases = append(cases, jen.Case(jen.Id(src.Go)), jen.Err().Op("=").Add(call(src, jen.Id("r"))))
		}
		each = []jen.Code{
			jen.Id("r").Op(":=").Op("&").Id("b").Dot("Records").Index(jen.Id("i")),
			jen.Var().Err().Error(),
			jen.Switch(jen.Id("r").Dot("Source")).Block(cases...),
			fail,
		}
	}
	if s.callsUser { // where to go on behind a panic
		each = append([]jen.Code{jen.Id("b").Dot("Next").Op("=").Id("i").Op("+").Lit(1)}, each...)
	}
	f.Line().Comment("Process implements task.SubTopology.")
	end := []jen.Code{jen.Return(jen.Nil())}
	if len(s.departures()) > 0 { // what was left of the rows that leave: before the next record
		each = append([]jen.Code{closesBefore(jen.Id("i"))}, each...)
		end = append([]jen.Code{closesBefore(jen.Len(jen.Id("b").Dot("Records")))}, end...)
	}
	receiver().Id("Process").Params(jen.Id("b").Op("*").Add(rt("record", "Batch"))).Error().Block(
		append([]jen.Code{jen.For(jen.Id("i").Op(":=").Range().Id("b").Dot("Records")).Block(each...)}, end...)...)
	s.closing(f)
	s.flush(f)
}

// readsAhead lets a store read ahead what the records of a batch look up by their keys.
func (s *sub) readsAhead(st *plan.Store, store *jen.Statement) *jen.Statement {
	if len(st.Ahead) == 0 {
		return store
	}
	var sources []jen.Code
	if len(st.Ahead) < len(s.plan.Sources) {
		for _, source := range st.Ahead {
			sources = append(sources, jen.Id(source.Go))
		}
	}
	return store.Dot("ReadAhead").Call(sources...)
}

// flush writes Flush.
func (s *sub) flush(f *file) {
	receiver := func() *jen.Statement { return f.Func().Params(jen.Id("s").Op("*").Id(s.plan.Go)) }
	var walks []jen.Code
	for _, st := range s.plan.Stores {
		if st.Flush != nil && !st.Final {
			walks = append(walks, jen.Id("s").Dot(st.Go).Dot("EachChanged").Call(jen.Id("s").Dot(st.Flush.Go)))
		}
	}
	if len(walks) == 0 {
		f.Line().Comment("Flush implements task.SubTopology: nothing is held back until a commit.")
		receiver().Id("Flush").Params().Error().Block(jen.Return(jen.Nil()))
		return
	}
	f.Line().Comment("Flush implements task.SubTopology: it sends the rows that changed since the last commit.")
	var body []jen.Code
	for i, w := range walks {
		if i == len(walks)-1 && len(s.subscriptions()) == 0 {
			body = append(body, jen.Return(w))
		} else {
			body = append(body, ifErr(w))
		}
	}
	if tells := s.tellsFlushed(); len(tells) > 0 {
		body = append(append(body, tells...), jen.Return(jen.Nil()))
	}
	receiver().Id("Flush").Params().Error().Block(body...)
}

// ifErr is: if err := call; err != nil { return err }.
func ifErr(call jen.Code) jen.Code {
	return jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
}

// series joins words as a sentence does.
func series(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// counter returns the field that counts what a step drops for one reason.
func (s *sub) counter(reason string, at *plan.Position) jen.Code { return s.count(reason, at, false) }

// matched and unmatched count the outcomes of a join.
func (s *sub) matched(at *plan.Position) jen.Code {
	return jen.Add(s.count("matched", at, true)).Dot("Inc").Call()
}

func (s *sub) unmatched(at *plan.Position) jen.Code {
	return jen.Add(s.count("unmatched", at, true)).Dot("Inc").Call()
}

func (s *sub) count(reason string, at *plan.Position, outcome bool) jen.Code {
	for _, c := range s.counters {
		if c.reason == reason && c.at == at && c.outcome == outcome {
			return jen.Id("s").Dot(c.name)
		}
	}
	words := strings.Fields(reason)
	for i := 1; i < len(words); i++ {
		words[i] = upperFirst(words[i])
	}
	base := strings.Join(words, "")
	candidates := []string{base, names.Role(base, strings.Split(at.Address, ".")[1]), base + strings.TrimPrefix(at.Go, "pos")}
	if outcome {
		if s.counts == nil {
			s.counts = at
		}
		if s.counts != at { // matched and unmatched of one join belong together
			candidates = candidates[1:]
		}
	}
	c := counter{s.members.New(candidates...), reason, at, outcome}
	s.counters = append(s.counters, c)
	return jen.Id("s").Dot(c.name)
}

// encodesIn is the field of type []byte of that name. All functions that ask for it have it in common: what is encoded there is handed
// over at once.
func (s *sub) encodesIn(name string) *jen.Statement {
	if s.shared[name] == nil {
		s.shared[name] = s.bytes(name, name+"Bytes")
	}
	return s.shared[name].Clone()
}

// hold makes a field for a value of type t, with the first name that is free.
func (s *sub) hold(t types.Type, candidates ...string) *jen.Statement {
	x := scratch{name: s.members.New(candidates...), typ: s.records.Type(t)}
	s.scratch = append(s.scratch, x)
	return jen.Id("s").Dot(x.name)
}
