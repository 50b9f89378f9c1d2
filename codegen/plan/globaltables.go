package plan

import (
	"slices"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// A global table is a part of the program of its own: one task in each process that reads all partitions of a topic. Nothing flows
// from there; streams look into its rows, wherever they are.

// LookupGlobal joins with the row of a global table that On names the key of. Records with a null On end here and are counted, unless
// Left keeps them.
type LookupGlobal struct {
	OpBase
	*model.GlobalJoin
	Store *Store
	ByKey bool // On is the key, whose bytes are those of the row's
}

// byKey says whether the bytes of the key at hand are those of the key to look up.
func (n *node) byKey() bool {
	j := n.step.(*model.GlobalJoin)
	in := n.in[0].rawKey
	return keepsKey(j.On) && in != nil && in.same(*n.global.rawKey)
}

// globalLookup writes the join with a global table.
func (r *run) globalLookup(n *node) {
	j := n.step.(*model.GlobalJoin)
	at := r.p.stepPosition(j)
	r.dropNullValue(at)
	r.add(&LookupGlobal{GlobalJoin: j, Store: n.global.store, ByKey: n.byKey()}, at, j, func(out *State) {
		out.Key.Type, out.Value = j.Out.Key, fresh(j.Out.Value)
	})
}

// readsOn is what the lookup wants of the key of a record, or of its value.
func (r *reader) readsOn(n *node) {
	j := n.step.(*model.GlobalJoin)
	if !n.byKey() {
		r.read(j.On)
	}
	r.read(j.Value)
	r.nulls(j.In.Value)
}

// takeGlobals moves the parts that keep global tables up to date away from those that a group divides.
func (p *planner) takeGlobals() {
	global := func(s *SubTopology) bool { return s.Stores != nil && s.Stores[0].Kind == GlobalRows }
	for _, s := range p.plan.SubTopologies {
		if global(s) {
			s.Sources[0].Bootstrap = false
			p.plan.GlobalTables = append(p.plan.GlobalTables, s)
		}
	}
	p.plan.SubTopologies = slices.DeleteFunc(p.plan.SubTopologies, global)
}

// Parts are all that have functions: the sub-topologies, and the tasks of global tables.
func (p *Plan) Parts() []*SubTopology { return slices.Concat(p.SubTopologies, p.GlobalTables) }

// nameGlobals names the tasks of global tables.
func (p *planner) nameGlobals(used map[string]bool) {
	files := map[string]bool{}
	for _, s := range p.plan.SubTopologies {
		files[s.File] = true
	}
	for _, s := range p.plan.GlobalTables {
		label := s.Stores[0].label
		s.Name = label
		s.Go = names.Free(used, "Table", names.Role("global", label))
		used["new"+names.UpperFirst(s.Go)] = true
		s.File = names.File("global-"+label) + "_gen.go"
		for files[s.File] {
			s.File = "x" + s.File
		}
		files[s.File] = true
	}
}

// globalStore is the store of a global table.
func (p *planner) globalStore(n *node, label string) {
	s := &Store{Name: label, Kind: GlobalRows, Key: *n.rawKey, Value: types.NonNull(n.reader.Value), label: n.block.Label}
	s.Key.Type = types.NonNull(s.Key.Type)
	p.addStore(n, s)
	s.Changelog = "" // the topic is the log
}
