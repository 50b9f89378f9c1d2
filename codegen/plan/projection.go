package plan

import (
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// need is what a node and all behind it want of a record in its Go form.
type need struct {
	key   bool
	value bool     // the Go form at all, if only to tell a null
	build fieldSet // of a record value: the fields to fill in
	old   bool     // the row that a change replaces
	was   bool     // and its time
	// newest: whether a row with a history is that of now
	newest bool
	check  fieldSet // the fields that must be well-formed, beyond build: bytes that pass through carry them on
}

// fieldSet is a set of fields of a record, or all of them.
type fieldSet struct {
	all   bool
	names map[string]bool
}

func (s *fieldSet) add(names ...string) {
	for _, n := range names {
		if s.names == nil {
			s.names = map[string]bool{}
		}
		s.names[n] = true
	}
}

func (s *fieldSet) merge(o fieldSet) {
	s.all = s.all || o.all
	for n := range o.names {
		s.add(n)
	}
}

func (s fieldSet) has(name string) bool { return s.all || s.names[name] }

// list is the fields of t in the set, in type order; nil if that is all of them.
func (s fieldSet) list(t *types.Record) []string {
	names := []string{}
	for _, f := range t.Fields {
		if s.has(f.Name) {
			names = append(names, f.Name)
		}
	}
	if len(names) == len(t.Fields) && len(names) > 0 {
		return nil
	}
	return names
}

func (d *need) merge(o need) {
	d.key, d.value, d.old, d.was, d.newest = d.key || o.key, d.value || o.value, d.old || o.old, d.was || o.was, d.newest || o.newest
	d.build.merge(o.build)
	d.check.merge(o.check)
}

// whole asks for the whole value.
func (d *need) whole() { d.value, d.build.all = true, true }

// projectionPass works out, from the sinks back to the sources, which parts of each record are read. A source builds the
// fields that its own sub-topology reads, and checks those that bytes carry on to where they are read: to a later
// sub-topology, or out of the program. So bad input is found where it comes in, whatever a filter would have hidden.
//
// A step that makes a new value makes it whole; what it reads for that ends the question.
func (p *planner) projectionPass() {
	for i := len(p.nodes) - 1; i >= 0; i-- {
		n := p.nodes[i]
		var after need // of what leaves n
		for _, m := range n.out {
			after.merge(m.wants())
		}
		n.need = n.through(after)
	}
}

// wants is what the node asks of the node in front of it: across a topic, only the bytes and that they are sound.
func (n *node) wants() need {
	if n.kind != repartitionNode {
		return n.need
	}
	if n.repartition.link != nil { // its writers know what they need
		return need{}
	}
	var w need
	in := n.in[0]
	w.key = in.rawKey == nil
	if in.rawValue == nil {
		w.whole()
	} else {
		w.check.merge(n.need.build)
		w.check.merge(n.need.check)
	}
	return w
}

// through is what a node needs of a record if after is needed of what it sends on.
func (n *node) through(after need) need {
	if n.kind == sideNode || n.kind == waitNode { // the rows that it makes are read elsewhere
		d := need{key: n.in[0].rawKey == nil}
		d.whole()
		return d
	}
	if d, is := n.needOfForeign(after); is {
		return d
	}
	d := after
	d.newest = n.ofNewest() || d.newest && (n.kind == rowNode || n.kind == differNode)
	in := n
	if len(n.in) > 0 {
		in = n.in[0]
	}
	r := reader{n: &d, key: in.rawKey, value: in.rawValue}
	if n.updates() { // what is behind the Flush takes key and value from the row
		d.key = false
	}
	if n.stateful() && r.key == nil {
		d.key = true // to be encoded
	}
	cut := func() { d.value, d.build, d.check = false, fieldSet{}, fieldSet{} }
	if n.ofRows(&d, &r) {
		return d
	}
	if !n.passesOld() {
		d.old, d.was = false, false
	}
	switch s := n.step.(type) {
	case *model.Filter:
		r.read(s.Where)
	case *model.Peek:
		r.read(s.Message)
	case *model.Dedup:
		r.read(s.By)
	case *model.SelectKey:
		d.key = false
		r.read(s.Key)
	case *model.GroupBy:
		d.key = false
		r.read(s.Key)
	case *model.MapValues:
		cut()
		r.read(s.Value)
	case *model.FlatMapValues:
		cut()
		r.read(s.Each)
	case *model.FlatMap:
		if has(elements(s), "key") {
			d.key = false
		}
		if has(elements(s), "value") {
			cut()
		}
		r.read(s.Each)
	case *model.Map:
		if s.Key != nil {
			d.key = false
		}
		if s.Value != nil {
			cut()
		}
		for _, e := range model.Exprs(s) {
			r.read(e)
		}
	case *model.Join:
		cut()
		r.read(s.Value)
		r.nulls(s.In.Value)
	case *model.GlobalJoin:
		cut()
		r.readsOn(n)
	case *model.StreamJoin:
		cut()
		r.key = n.rawKey
		r.read(s.Value)
	case *model.Count:
		cut()
		r.nulls(s.In.Value)
	case *model.Aggregate:
		cut()
		r.nulls(s.In.Value)
		for _, a := range s.Aggregators {
			for _, e := range []model.Expr{a.Arg, a.By} {
				if e != nil {
					r.read(e)
				}
			}
		}
	case *model.Reduce:
		cut()
		d.whole()
		r.read(s.Add)
	case *model.Fold:
		cut()
		r.nulls(s.In.Value)
		r.read(s.Add)
		if s.Merge != nil {
			r.read(s.Merge)
		}
	}
	switch n.kind {
	case sourceNode:
		for _, e := range n.exprs() {
			r.read(e)
		}
	case putNode, suppressNode:
		d.whole()
	case branchNode:
		for _, c := range n.block.Cases {
			if c.Where != nil {
				r.read(c.Where)
			}
		}
	case sinkNode:
		r.sink(n.sink)
	}
	return d
}

// passesOld says whether the row that a change replaced is at hand behind a step of a stream as it was in front of it.
func (n *node) passesOld() bool {
	switch n.kind {
	case stepNode, dedupNode, windowNode, branchNode, caseNode:
		return true
	}
	return false
}

// ofRows is through, of nodes that take changes of rows: those are whole.
func (n *node) ofRows(d *need, r *reader) bool {
	switch n.kind {
	case rowNode, joinNode:
		for _, e := range model.Exprs(n.step) {
			r.read(e)
		}
		d.was = d.was || d.old && (n.kind == joinNode || readsTime(n.step))
	case groupNode:
		d.key = false
		for _, e := range model.Exprs(n.step) {
			r.read(e)
		}
		d.old, d.was = true, readsTime(n.step)
	case differNode:
		d.old, d.was = true, true
	case mergeNode:
		if _, joins := n.step.(*model.TableJoin); !joins && n.keeper() == n {
			return false
		}
	default:
		return n.pairs && n.ofPairs(d, r)
	}
	d.whole()
	return true
}

// readsTime says whether an expression of a step asks for the time of the row: of the old one, too, if that is at hand.
func readsTime(s model.Step) (reads bool) {
	for _, e := range model.Exprs(s) {
		model.Walk(e, func(x model.Expr) {
			v, is := x.(*model.Var)
			reads = reads || is && v.Root == model.RootTimestamp
		})
	}
	return reads
}

// ofPairs is through of an update that takes new and old rows of a group.
func (n *node) ofPairs(d *need, r *reader) bool {
	for _, e := range model.Exprs(n.step) {
		r.read(e)
	}
	d.whole()
	d.old, d.was = false, false
	return true
}

// reader collects what expressions read.
type reader struct {
	n          *need
	key, value *Format // of bytes that are at hand, which tell a null as well
}

// nulls asks for as much of a value as tells whether it is there.
func (r *reader) nulls(t types.Type) {
	if types.IsOptional(t) && r.value == nil {
		r.n.value = true
	}
}

func (r *reader) sink(s *model.Sink) {
	switch {
	case s.AsValue != nil:
		r.read(s.AsValue)
	case r.value.passes(s.Value):
		r.n.check.all = true
	default:
		r.n.whole()
	}
	switch {
	case s.AsKey != nil:
		r.read(s.AsKey)
	case !r.key.passes(s.Key):
		r.n.key = true
	}
	for _, e := range []model.Expr{s.Choice, s.Partition} {
		if e != nil {
			r.read(e)
		}
	}
}

// read adds what an expression reads of key and value.
func (r *reader) read(e model.Expr) {
	switch e := e.(type) {
	case *model.Var:
		switch e.Root {
		case model.RootKey:
			r.n.key = true
		case model.RootValue:
			r.n.whole()
		case model.RootPrevious:
			r.n.old = true
		}
	case *model.IsNull:
		switch {
		case isRoot(e.X, model.RootKey):
			r.n.key = r.n.key || r.key == nil
		case isRoot(e.X, model.RootValue):
			r.n.value = r.n.value || r.value == nil
		default:
			r.read(e.X)
		}
	case *model.Field:
		if isRoot(e.X, model.RootValue) {
			r.n.value = true
			r.n.build.add(e.Name)
			return
		}
		r.read(e.X)
	case *model.Merge:
		if isRoot(e.X, model.RootValue) {
			r.n.value = true
			r.n.build.add(kept(e)...)
		} else {
			r.read(e.X)
		}
		for _, f := range e.Set {
			r.read(f.Value)
		}
	default:
		for _, x := range model.Parts(e) {
			r.read(x)
		}
	}
}

// kept is the fields that a merge takes from its X.
func kept(m *model.Merge) []string {
	set := map[string]bool{}
	for _, f := range m.Set {
		set[f.Name] = true
	}
	var names []string
	if t, ok := types.NonNull(m.Type).(*types.Record); ok {
		for _, f := range t.Fields {
			if !set[f.Name] {
				names = append(names, f.Name)
			}
		}
	}
	return names
}
