package plan

import (
	"slices"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// typesPass lists the types that the program uses, in order of first use in the spec, and names them in Go. An anonymous record
// is named by where it is made: by its block if it is what the block gives, else by its step, or the field it lies in.
func (p *planner) typesPass() {
	t := &typeList{p: p, byName: map[string]bool{}, used: map[string]bool{}}
	for _, e := range p.model.Enums {
		t.used[e.Name] = true
	}
	for _, r := range p.model.Records {
		t.used[r.Name] = true
	}
	byFile := slices.Clone(p.nodes)
	slices.SortStableFunc(byFile, func(a, b *node) int { return a.rank - b.rank })
	for _, n := range byFile {
		t.node(n)
	}
	for _, v := range p.model.Variables {
		if v.Runtime {
			t.add(v.Type, names.Role("", v.Label))
			p.plan.Variables = append(p.plan.Variables, &Variable{Variable: v})
		}
	}
	if len(p.model.Functions) > 0 { // user code may import whatever the spec declares
		for _, e := range p.model.Enums {
			t.add(e, e.Name)
		}
		for _, r := range p.model.Records {
			t.add(r, r.Name)
		}
	}
	for _, s := range p.plan.Stores {
		if s.State != nil {
			s.State.Record.Name = names.Free(t.used, "Row", names.Role("", s.Name)+"State")
			for _, f := range s.State.Record.Fields {
				t.add(f.Type, names.Role(s.State.Record.Name, f.Name))
			}
			t.list(s.State)
		}
	}
	p.typeNames()
}

// typeList collects types.
type typeList struct {
	p      *planner
	byName map[string]bool // declared ones that are listed
	used   map[string]bool // Go names
	origin string          // of what is being added
}

func (t *typeList) list(g *Type) { t.p.plan.Types = append(t.p.plan.Types, g) }

func (t *typeList) node(n *node) {
	t.origin = n.owner()
	name := names.Role("", n.label())
	if n.kind == sourceNode {
		t.add(n.block.Source.Key.Type, name+"Key")
		t.add(n.block.Source.Value.Type, name)
		t.exprs(name, n.exprs()...)
	}
	if n.sink != nil {
		t.exprs(name, model.SinkExprs(n.sink)...)
		t.add(n.sink.Key.Type, name+"Key")
		t.add(n.sink.Value.Type, name)
		return
	}
	if n.step != nil {
		at := n.step.Base()
		if out := types.NonNull(at.Out.Value); !types.Equal(out, types.NonNull(n.block.Out.Value)) {
			name = names.Role("", addressWords(at.Address)...)
		}
		t.add(at.Out.Value, name)
		t.add(at.Out.Key, name+"Key")
		t.exprs(name, model.Exprs(n.step)...)
	}
	if n.kind == groupNode {
		t.add(n.reader.Value, names.Role("", n.block.Label, "change"))
	}
	if n.kind == branchNode {
		for _, c := range n.block.Cases {
			t.exprs(name, c.Where)
		}
	}
}

// exprs adds the types of expressions and their parts.
func (t *typeList) exprs(name string, list ...model.Expr) {
	for _, e := range list {
		model.Walk(e, func(x model.Expr) { t.add(x.Base().Type, name) })
	}
}

// add lists a type, what it is made of first.
func (t *typeList) add(typ types.Type, name string) {
	switch typ := types.NonNull(typ).(type) {
	case *types.Enum:
		if !t.byName[typ.Name] {
			t.byName[typ.Name] = true
			g := &Type{Name: typ.Name, Enum: typ, Origin: "enum." + typ.Name}
			for _, v := range typ.Values {
				g.Values = append(g.Values, names.Role(typ.Name, v))
			}
			t.list(g)
		}
	case *types.Record:
		t.record(typ, name)
	case *types.List:
		t.add(typ.Elem, name+"Item")
	case *types.Map:
		t.add(typ.Elem, name+"Entry")
	case *types.Windowed:
		t.add(typ.Key, name)
	}
}

func (t *typeList) record(r *types.Record, name string) {
	if r.Name == "" {
		if d := t.declared(r); d != nil {
			r = d
		}
	}
	origin := t.origin
	switch {
	case r.Name != "" && t.byName[r.Name]:
		return
	case r.Name != "":
		t.byName[r.Name] = true
		if name, origin = r.Name, "type."+r.Name; r.Go != nil && isRuntime(r.Go.Import) { // of a state: the spec knows nothing of it
			name, origin = names.Free(t.used, "State", r.Go.Name, r.Go.Name+"State"), "state"
		}
	case slices.ContainsFunc(t.p.plan.Types, func(g *Type) bool { return g.Record != nil && types.Equal(g.Record, r) }):
		return
	default:
		name = names.Free(t.used, "Value", name)
	}
	g := &Type{Name: name, Record: r, Origin: origin}
	for i, f := range r.Fields {
		g.Fields = append(g.Fields, goField(r, i))
		t.add(f.Type, names.Role(name, f.Name))
	}
	t.list(g)
}

// declared is the declared type that an anonymous record is, or nil.
func (t *typeList) declared(r *types.Record) *types.Record {
	for _, d := range t.p.model.Records {
		if types.Equal(d, r) {
			return d
		}
	}
	return nil
}

// typeNames reports names that meet in Go: fields of a record, values of an enum, and the constants of an enum with other types.
func (p *planner) typeNames() {
	var all []names.Named
	for _, g := range p.plan.Types {
		if g.Record != nil {
			g.Name = g.goName()
			var fields []names.Named
			g.Fields = g.Fields[:0]
			for i, f := range g.Record.Fields {
				id := goField(g.Record, i)
				g.Fields = append(g.Fields, id)
				if f.Name != types.Unknown {
					fields = append(fields, names.Named{Name: f.Name, Go: id, At: f.Pos})
				}
			}
			p.diags.Append(names.Distinct("fields of "+g.Name, fields))
			all = append(all, names.Named{Name: g.Name, Go: g.Name, At: g.Record.Pos})
			continue
		}
		all = append(all, names.Named{Name: g.Name, Go: g.Name, At: g.Enum.Pos})
		for i, v := range g.Enum.Values {
			all = append(all, names.Named{Name: v, Go: g.Values[i], At: g.Enum.Pos})
		}
	}
	p.diags.Append(names.Distinct("types and enum values", all))
}

// goField is the Go name of a field: in a struct of the user's it has one.
func goField(r *types.Record, i int) string {
	if r.Go != nil && i < len(r.Go.Fields) {
		return r.Go.Fields[i]
	}
	if r.Fields[i].Name == types.Unknown {
		return unknownField(r)
	}
	return names.Upper(r.Fields[i].Name)
}

// unknownField is the Go name of the place for unknown fields: one that no field of the spec has.
func unknownField(r *types.Record) string {
	used := map[string]bool{}
	for _, f := range r.Fields {
		if f.Name != types.Unknown {
			used[names.Upper(f.Name)] = true
		}
	}
	return names.Free(used, "X", "Unknown", "UnknownFields")
}

// goName is the name of a record: a state has it from the planner.
func (g *Type) goName() string {
	if g.Name == "" {
		return g.Record.Name
	}
	return g.Name
}
