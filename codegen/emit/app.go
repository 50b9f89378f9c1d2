package emit

import (
	"fmt"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// app writes app_gen.go: the package comment, the topics, and the declaration of the program.
func (e *emitter) app() *file {
	f := e.newFile("app_gen.go")
	f.PackageComment(e.packageComment())
	if topics := e.plan.Topics; len(topics) > 0 {
		f.Comment("Topics, in the order of Topology().Topics.")
		f.Const().DefsFunc(func(g *jen.Group) {
			for i, t := range topics {
				c := g.Id(t.Go)
				if i == 0 {
					c.Op("=").Iota()
				}
				c.Comment("// " + t.Origin)
			}
		})
	}
	if len(e.plan.Stores) > 0 {
		f.Line().Comment("Stores, by their prefix in a task's database.")
		f.Const().DefsFunc(func(g *jen.Group) {
			for _, s := range e.plan.Stores {
				g.Id(storeConst(s)).Op("=").Lit(s.ID).Comment("// " + s.Origin)
			}
		})
	}
	e.topology(f)
	e.variables(f)
	for _, s := range e.plan.Stores {
		if s.State != nil {
			e.stateJSON(f, s)
		}
	}
	e.declareReady(f)
	f.Line().Comment(fmt.Sprintf("The code is written for generation %d of the runtime and does not compile against another: build it anew.", generation))
	f.Var().Id("_").Index(jen.Lit(generation)).Struct().Op("=").Index(rt("", "Generation")).Struct().Values()
	return f
}

// storeConst is the constant with the id of a store.
func storeConst(s *plan.Store) string { return names.Role("store", s.Name) }

// topology writes the function Topology.
func (e *emitter) topology(f *file) {
	p := e.plan
	var fields []jen.Code
	field := func(name string, value jen.Code) { fields = append(fields, jen.Id(name).Op(":").Add(value)) }
	field("App", jen.Lit(p.App))
	field("Guarantee", rt("", map[model.Guarantee]string{model.AtLeastOnce: "AtLeastOnce", model.ExactlyOnce: "ExactlyOnce"}[p.Guarantee]))
	field("CommitInterval", duration(p.CommitInterval))
	if p.ReplicationFactor != 0 {
		field("ReplicationFactor", jen.Lit(p.ReplicationFactor))
	}
	if len(p.TopicConfig) > 0 {
		var entries []jen.Code
		for _, c := range p.TopicConfig {
			entries = append(entries, jen.Values(keyed("Key", jen.Lit(c.Key)), keyed("Value", jen.Lit(c.Value))))
		}
		field("TopicConfig", jen.Index().Add(rt("", "ConfigEntry")).Add(lines(entries)))
	}
	var topics []jen.Code
	for _, t := range p.Topics {
		topics = append(topics, jen.Id(t.Go).Op(":").Add(e.topicLiteral(t)))
	}
	field("Topics", jen.Index().Add(rt("", "Topic")).Add(lines(topics)))
	if p.DeadLetters != nil {
		field("DeadLetters", jen.Lit(p.DeadLetters.Name))
	}
	var subs []jen.Code
	for _, s := range p.SubTopologies {
		subs = append(subs, e.subLiteral(s))
	}
	field("SubTopologies", jen.Index().Add(rt("", "SubTopology")).Add(lines(subs)))
	if len(p.GlobalTables) > 0 {
		field("GlobalTables", e.globalLiterals())
	}
	if len(p.Positions) > 0 {
		field("Positions", jen.Id("positions"))
	}
	body := e.makeGlobals()
	if len(p.Variables) > 0 {
		body = append(body, jen.Id("v").Op(":=").Op("&").Id("variables").Values())
		field("Variables", e.variableLiterals())
	}
	body = append(body, jen.Return(jen.Op("&").Add(rt("", "Topology")).Add(lines(fields))))

	f.Line().Comment("Topology declares the program to the runtime.")
	f.Func().Id("Topology").Params().Op("*").Add(rt("", "Topology")).Block(body...)
}

func (e *emitter) topicLiteral(t *plan.Topic) jen.Code {
	kind := map[plan.TopicKind]string{plan.Input: "Input", plan.Output: "Output", plan.Repartition: "Repartition"}[t.Kind]
	fields := []jen.Code{
		keyed("Name", jen.Lit(t.Name)), keyed("Kind", rt("", kind)),
		keyed("Key", jen.Lit(e.formatName(t.Key))), keyed("Value", jen.Lit(e.formatName(t.Value))),
	}
	if t.Partitions != 0 {
		fields = append(fields, keyed("Partitions", jen.Lit(t.Partitions)))
	}
	if t.Buries {
		fields = append(fields, keyed("DeadLetters", jen.True()))
	}
	if len(t.Like) > 0 {
		var like []jen.Code
		for _, l := range t.Like {
			like = append(like, jen.Id(l.Go))
		}
		fields = append(fields, keyed("Like", jen.Index().Uint16().Values(like...)))
	}
	return jen.Values(fields...)
}

func (e *emitter) subLiteral(s *plan.SubTopology) jen.Code {
	var sources []jen.Code
	for _, src := range s.Sources {
		c := e.sourceLiteral(src)
		if len(s.Sources) > 1 {
			c = jen.Id(src.Go).Op(":").Add(c)
		}
		sources = append(sources, c)
	}
	fields := []jen.Code{
		keyed("Name", jen.Lit(s.Name)),
		keyed("Sources", jen.Index().Add(rt("", "Source")).Add(lines(sources))),
	}
	if len(s.Stores) > 0 {
		var stores []jen.Code
		for _, st := range s.Stores {
			stores = append(stores, e.storeLiteral(st))
		}
		fields = append(fields, keyed("Stores", jen.Index().Add(rt("", "Store")).Add(lines(stores))))
	}
	args := []jen.Code{jen.Id("t")}
	if e.readsVariables(s) {
		args = append(args, jen.Id("v"))
	}
	for _, g := range s.Globals {
		args = append(args, jen.Id(g.Go))
	}
	return lines(append(fields, keyed("New", e.constructs(s, args...))))
}

func (e *emitter) sourceLiteral(s *plan.Source) jen.Code {
	fields := []jen.Code{keyed("Name", jen.Lit(s.Origin))}
	if s.Pattern != "" {
		fields = append(fields, keyed("Pattern", jen.Lit(s.Pattern)))
	} else {
		var topics []jen.Code
		for _, t := range s.Topics {
			topics = append(topics, jen.Id(t.Go))
		}
		fields = append(fields, keyed("Topics", jen.Index().Uint16().Values(topics...)))
	}
	if s.Table {
		fields = append(fields, keyed("Table", jen.True()))
	}
	if s.Bootstrap {
		fields = append(fields, keyed("Bootstrap", jen.True()))
	}
	if !s.Table {
		switch s.Start.Kind {
		case model.Earliest:
			fields = append(fields, keyed("Start", rt("", "Earliest")))
		case model.Latest:
			fields = append(fields, keyed("Start", rt("", "Latest")))
		case model.Ago:
			fields = append(fields, keyed("Start", rt("", "Start").Call(duration(s.Start.Ago))))
		}
	}
	if s.Idle > 0 {
		fields = append(fields, keyed("Idle", duration(s.Idle)))
	}
	if s.At != nil {
		fields = append(fields, keyed("Position", jen.Id(s.At.Go)))
	}
	if s.Partitioner != "murmur2" {
		fields = append(fields, keyed("Partitioner", jen.Lit(s.Partitioner)))
	}
	return jen.Values(fields...)
}

func (e *emitter) storeLiteral(s *plan.Store) jen.Code {
	json := e.rowJSON(s)
	switch {
	case s.Kind == plan.Suppressed:
		json = rt("state", "HeldJSON").Call(json)
	case s.Final:
		json = rt("state", "HeadedJSON").Call(json)
	}
	fields := []jen.Code{
		keyed("Name", jen.Lit(s.Name)),
		keyed("ID", jen.Id(storeConst(s))),
	}
	if kind := map[plan.StoreKind]string{
		plan.Windowed: "WindowStore", plan.Sliding: "SlidingStore", plan.Sessions: "SessionStore", plan.Suppressed: "SuppressStore",
	}[s.Kind]; kind != "" {
		fields = append(fields, keyed("Kind", rt("", kind)))
	}
	switch s.Kind {
	case plan.JoinSide, plan.Waiting:
		fields = append(fields, keyed("Kind", rt("", "JoinStore")))
		if s.Waits() {
			fields = append(fields, keyed("Waits", jen.True()))
		}
	case plan.Subscriptions:
		json = rt("state", "SubscriptionJSON")
		fields = append(fields, keyed("Kind", rt("", "SubscriptionStore")))
	case plan.Versioned:
		fields = append(fields, keyed("Kind", rt("", "VersionedStore")), keyed("History", duration(s.History)))
	}
	if s.TTL > 0 {
		fields = append(fields, keyed("TTL", duration(s.TTL)))
	}
	if s.Changelog != "" {
		fields = append(fields, keyed("Changelog", jen.Lit(s.Changelog)))
	}
	if s.Reuses {
		fields = append(fields, keyed("Row", jen.Id(e.restorer(s))))
	}
	return lines(append(fields, []jen.Code{
		keyed("Key", jen.Lit(e.formatName(s.Key))),
		keyed("Value", jen.Lit(e.typeName(s.Value))),
		keyed("Fingerprint", jen.Lit(s.Fingerprint)),
		keyed("JSON", json),
	}...))
}

// rowType is the type of a store's rows.
func rowType(s *plan.Store) types.Type {
	if s.State != nil {
		return s.State.Record
	}
	return s.Value
}

// formatName is a wire format as a spec writes it, for people. Null is on no topic a matter of the format.
func (e *emitter) formatName(f plan.Format) string {
	if f.Name == "windowed" {
		w, _ := types.WindowedOf(f.Type)
		return windowedName(e.formatName(f.Elem()), w)
	}
	if f.Name == "json" || f.Name == "row" || f.Name == "answer" {
		return f.Name + "(" + e.typeName(types.NonNull(f.Type)) + ")"
	}
	return f.Name
}

// typeName is a type for people, with anonymous records by their Go names.
func (e *emitter) typeName(t types.Type) string {
	switch t := t.(type) {
	case *types.Optional:
		return "optional(" + e.typeName(t.Elem) + ")"
	case *types.Windowed:
		return windowedName(e.typeName(t.Key), t)
	case *types.Record:
		if t.Name == "" {
			return e.records.declared(t).Name
		}
	}
	return t.String()
}

// positions writes positions_gen.go, the only file in which lines of the spec are spoken of.
func (e *emitter) positions() *file {
	f := e.newFile("positions_gen.go")
	f.Comment("Steps that can refuse or drop a record.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for i, p := range e.plan.Positions {
			c := g.Id(p.Go)
			if i == 0 {
				c.Add(rt("task", "At")).Op("=").Iota()
			}
		}
	})
	var rows []jen.Code
	for _, p := range e.plan.Positions {
		fields := []jen.Code{
			keyed("Address", jen.Lit(p.Address)), keyed("File", jen.Lit(baseName(p.Pos.File))),
			keyed("Line", jen.Lit(p.Pos.Start.Line)), keyed("Column", jen.Lit(p.Pos.Start.Column)),
		}
		if p.OnError.GoesOn() {
			fields = append(fields, keyed("OnError", rt("task", map[model.OnError]string{model.Skip: "Skip", model.DeadLetter: "DeadLetter"}[p.OnError])))
		}
		rows = append(rows, jen.Id(p.Go).Op(":").Add(jen.Values(fields...)))
	}
	f.Line().Comment("positions is where the steps stand in the spec. Only this file changes when lines move.")
	f.Var().Id("positions").Op("=").Index().Add(rt("task", "Position")).Add(lines(rows))
	return f
}

// command writes the program.
func (e *emitter) command() *file {
	f := &file{name: "cmd/" + e.plan.App + "/main_gen.go", File: jen.NewFile("main")}
	f.PackageComment(fmt.Sprintf("Command %s runs the topology %q.", e.plan.App, e.plan.App))
	if baseName(e.path) == e.plan.Package {
		f.ImportName(e.path, e.plan.Package)
	} else {
		f.ImportAlias(e.path, e.plan.Package)
	}
	f.Func().Id("main").Params().Block(rt("", "Main").Call(jen.Qual(e.path, "Topology").Call()))
	return f
}

// keyed is a field of a composite literal.
func keyed(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }

// lines is the braces of a composite literal with an element a line, in the order given.
func lines(elements []jen.Code) jen.Code {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, elements...)
}

// duration is d in its largest whole unit.
func duration(d time.Duration) *jen.Statement {
	units := [...]struct {
		size time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}}
	if d == 0 {
		return jen.Lit(0)
	}
	for _, u := range units {
		if d == u.size {
			return jen.Qual("time", u.name)
		}
		if d%u.size == 0 {
			return jen.Lit(int(d/u.size)).Op("*").Qual("time", u.name)
		}
	}
	return jen.Lit(int(d)).Op("*").Qual("time", "Nanosecond")
}

// baseName is the last element of a path.
func baseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }
