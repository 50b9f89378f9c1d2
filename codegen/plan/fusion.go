package plan

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// start is where a Func begins.
type start struct {
	fn      *Func
	node    *node   // the first node it runs; of a Flush the one whose store it takes on
	callers []State // of a FromFunc: what each call gives
	runs    []*node // all that it runs, in order
}

// fusionPass writes the graph down as Funcs: straight runs of operations. A Func begins at a source, at a store whose changes
// wait for Flush, where a record goes several ways, and where several ways meet.
//
// Nodes are visited in topological order, so that all calls of a Func are known before its own state is.
func (p *planner) fusionPass() {
	p.starts = map[*Func]*start{}
	f := &fusion{p: p, called: map[*node]*start{}, views: map[view]*Func{}}
	for _, n := range p.nodes {
		if n.read() {
			s := f.begin(n, FromSource)
			n.source.Entry = s.fn
			f.source(s)
			if n.turns() {
				s := f.begin(n, FromTurn)
				n.source.Turn = s.fn
				f.turn(s)
			}
		}
		if s := f.called[n]; s != nil {
			f.function(s)
		}
		if n.updates() && (len(n.out) > 0 || n.kind == suppressNode) && n.group == nil {
			s := f.begin(n, FromFlush)
			n.store.Flush = s.fn
			n.store.KeepsSent = n.keepsSent() && (n.store.KeepsSent || n.givesOld() || !onwardsOnly(n))
			f.changed(s)
		}
		if n.endsRows() && len(n.out) > 0 {
			s := f.begin(n, FromEnd)
			n.store.Ended = s.fn
			f.changed(s)
		}
		if n.kind == joinedNode {
			s := f.begin(n, FromJoin)
			n.join.Result = s.fn
			f.joined(s)
		}
	}
	for _, s := range p.plan.Parts() {
		p.collect(s)
	}
}

type fusion struct {
	p      *planner
	called map[*node]*start
	views  map[view]*Func
}

func (f *fusion) begin(n *node, k FuncKind) *start {
	s := &start{fn: &Func{Kind: k}, node: n}
	f.p.starts[s.fn] = s
	return s
}

// call gives the Func that begins at n, and notes what it is called with.
func (f *fusion) call(n *node, with State) *Func {
	s := f.called[n]
	if s == nil {
		s = f.begin(n, FromFunc)
		f.called[n] = s
	}
	s.callers = append(s.callers, with)
	return s.fn
}

// asRead begins a Func with a record as it was read.
func (f *fusion) asRead(s *start) *run {
	n := s.node
	r := &run{fusion: f, start: s, state: State{
		Key:    Carry{Type: n.reader.Key, Raw: true, Format: *n.rawKey},
		Value:  Carry{Type: n.reader.Value, Raw: true, Format: *n.rawValue},
		Record: true,
	}}
	s.fn.In = r.state
	s.runs = append(s.runs, n)
	return r
}

// source is a Func that begins with a record as it was read.
func (f *fusion) source(s *start) {
	n, r := s.node, f.asRead(s)
	if n.kind == sourceNode && n.block.HoldsRows() {
		r.add(&DropNullKey{}, f.p.blockPosition(n.block), nil)
	}
	r.decode(n)
	r.eventTime(n)
	r.goOn(n)
}

// endsRows says whether what ends of the node's rows goes on at once.
func (n *node) endsRows() bool {
	return n.store != nil && n.store.TTL > 0 && !n.updates() && n.group == nil
}

// changed is a Func that begins with a changed row, or one that has ended.
func (f *fusion) changed(s *start) {
	n := s.node
	r := &run{fusion: f, start: s, state: State{
		Key:       Carry{Type: n.reader.Key, Raw: true, Format: n.store.Key, Borrowed: true},
		Value:     Carry{Type: n.reader.Value, Typed: true},
		Timestamp: true, Headers: true,
	}}
	if v := n.rawValue; s.fn.Kind == FromEnd && v != nil { // null is the same in any format
		r.state.Value.Raw, r.state.Value.Format = true, *v
	}
	if n.givesOld() {
		r.state.Old, r.state.Was = oldOf(n.reader.Value), n.givesWas()
	}
	s.fn.In = r.state
	var after need
	for _, m := range n.out {
		after.merge(m.wants())
	}
	if after.key {
		d := &Decode{Key: true, Trust: true}
		r.add(d, nil, nil, func(out *State) { out.Key.Typed = true })
	}
	r.goOn(n)
}

// function is a Func that others call.
func (f *fusion) function(s *start) {
	n := s.node
	state := meet(n, s.callers)
	want := n.wants()
	state.Key.Typed = state.Key.Typed && want.key
	if state.Value.Typed = state.Value.Typed && want.value; !state.Value.Typed {
		state.Value.Fields = nil
	}
	if !want.old {
		state.Old = Carry{}
	}
	state.Was = state.Was && want.was
	state.Newest = state.Newest && want.newest
	s.fn.In = state
	r := &run{fusion: f, start: s, state: state}
	r.pass(n)
}

// meet is what all callers give. A merge has one type, to which the callers' values are widened.
func meet(n *node, callers []State) State {
	s := callers[0]
	for _, c := range callers[1:] {
		s.Key, s.Value = meetCarry(s.Key, c.Key), meetCarry(s.Value, c.Value)
		s.Record = s.Record && c.Record
		s.Newest = s.Newest && c.Newest
		s.Old.Typed = s.Old.Typed && c.Old.Typed
		s.Was = s.Was && c.Was
		s.Timestamp, s.Headers = s.Timestamp || c.Timestamp, s.Headers || c.Headers
	}
	if n.kind == mergeNode {
		s.Key.Type, s.Value.Type = n.reader.Key, n.reader.Value
	}
	return s
}

func meetCarry(a, b Carry) Carry {
	c := a
	c.Raw = a.Raw && b.Raw && a.Format.same(b.Format)
	c.Borrowed = c.Raw && (a.Borrowed || b.Borrowed)
	if !c.Raw {
		c.Format = Format{}
	} else if types.IsOptional(b.Format.Type) {
		c.Format = b.Format
	}
	c.Typed = a.Typed && b.Typed
	switch {
	case !c.Typed || a.Fields == nil && b.Fields == nil:
		c.Fields = nil
	case a.Fields == nil:
		c.Fields = b.Fields
	case b.Fields != nil:
		c.Fields = slices.DeleteFunc(slices.Clone(a.Fields), func(f string) bool { return !slices.Contains(b.Fields, f) })
	}
	return c
}

// run writes one Func.
type run struct {
	*fusion
	start *start
	state State
}

// add appends an operation; out changes the state behind it.
func (r *run) add(op Op, at *Position, step model.Step, out ...func(*State)) {
	b := op.Base()
	b.Step, b.At, b.In = step, at, r.state
	for _, change := range out {
		change(&r.state)
	}
	b.Out = r.state
	r.start.fn.Ops = append(r.start.fn.Ops, op)
}

// decode is the first look at a record. A source of the user's looks at everything that may be wrong; an internal topic was
// written by the program.
func (r *run) decode(n *node) {
	d := &Decode{Key: n.need.key, Value: n.need.value, Trust: n.kind == repartitionNode}
	at := n.source.At
	if d.Trust {
		at = nil
	} else {
		d.Key = d.Key || !free(n.source.Key)
		d.Value = d.Value || !free(n.source.Value)
	}
	if !d.Key && !d.Value {
		return
	}
	if t, ok := types.NonNull(n.reader.Value).(*types.Record); ok && d.Value {
		d.Fields = []string{}
		if n.need.value {
			d.Fields = n.need.build.list(t)
		}
		if !d.Trust && d.Fields != nil {
			for _, f := range t.Fields {
				if n.need.check.has(f.Name) && !slices.Contains(d.Fields, f.Name) {
					d.Check = append(d.Check, f.Name)
				}
			}
		}
	}
	r.add(d, at, nil, func(out *State) {
		out.Key.Typed = n.need.key
		if out.Value.Typed = n.need.value; out.Value.Typed {
			out.Value.Fields = d.Fields
		}
	})
}

// free says whether any bytes, and none, are in the format.
func free(f Format) bool { return f.Name == "bytes" && types.IsOptional(f.Type) }

// goOn continues behind n. What cannot refuse a record is sent at once; one way goes on in this Func, several in their own. What
// happens for each element of a flat_map is a Func too, so that one of them may end and the next one go on; and so is what stands behind rows
// that end.
func (r *run) goOn(n *node) {
	if n.kind == branchNode {
		r.choose(n)
		return
	}
	outs := n.out
	each := r.flat() || n.store != nil && n.store.TTL > 0 && !n.updates()
	for !each && len(outs) > 1 && r.simple(outs[0]) {
		r.pass(outs[0])
		outs = outs[1:]
	}
	switch {
	case len(outs) == 0:
	case !each && len(outs) == 1 && len(outs[0].in) == 1:
		r.pass(outs[0])
	default:
		c := &Call{}
		for _, m := range outs {
			c.To = append(c.To, r.call(m, r.state))
		}
		r.add(c, nil, nil)
	}
}

// flat says whether what stands behind the operation that was written last happens several times: that of a FlatMap, or of sessions.
func (r *run) flat() bool {
	ops := r.start.fn.Ops
	if len(ops) == 0 {
		return false
	}
	switch op := ops[len(ops)-1].(type) {
	case *FlatMap:
		return true
	case *Update:
		return op.Store.Kind == Sessions || op.Store.Kind == Sliding
	}
	return false
}

// simple says whether a way ends with a send that every record passes, so that what stands behind it goes on in any case.
func (r *run) simple(n *node) bool {
	switch n.kind {
	case sinkNode:
		s := n.sink
		return !CanFail(s.AsKey) && !CanFail(s.AsValue) && !refusesTarget(s) && (n.in[0].rawValue.passes(s.Value) || !format(s.Value).refuses()) &&
			(n.in[0].rawKey.passes(s.Key) || !format(s.Key).refuses())
	case repartitionNode:
		writes := n.in[0].rawKey != nil || !n.rawKey.refuses()
		return writes && (!n.repartition.dropsNull() || !types.IsOptional(r.state.Key.Type))
	}
	return false
}

// refuses says whether the format cannot write every value of its type.
func (f Format) refuses() bool {
	f = f.Elem()
	return f.Name == "json" && hasFloat(f.Type) || f.Name == "int16"
}

// hasFloat says whether a value of the type may be one that JSON cannot write.
func hasFloat(t types.Type) bool {
	switch t := types.NonNull(t).(type) {
	case *types.Record:
		return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return hasFloat(f.Type) })
	case *types.List:
		return hasFloat(t.Elem)
	case *types.Map:
		return hasFloat(t.Elem)
	default:
		return types.IsFloat(t)
	}
}

// collect puts the Funcs of a sub-topology into the order in which they are written: each source's with what it calls below it,
// then those of the stores. It also collects the topics that are sent to.
func (p *planner) collect(s *SubTopology) {
	seen := map[*Func]bool{}
	var visit func(*Func)
	visit = func(f *Func) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		s.Funcs = append(s.Funcs, f)
		for _, op := range f.Ops {
			for _, r := range rowsIn(op) {
				visit(r.View)
			}
			switch op := op.(type) {
			case *Regroup:
				s.Writes = appendNew(s.Writes, op.Topic)
			case *Subscribe:
				s.Writes = appendNew(s.Writes, op.Foreign.Subscriptions)
			case *Subscribed:
				s.Writes = appendNew(s.Writes, op.Foreign.Answers)
			case *Send:
				for _, t := range op.To() {
					s.Writes = appendNew(s.Writes, t)
				}
			case *Call:
				for _, g := range op.To {
					visit(g)
				}
			case *Windows:
				visit(op.Late)
			case *LookupGlobal:
				s.Globals = appendNew(s.Globals, op.Store)
			case *Wait:
				visit(op.Then)
			case *Meet:
				visit(op.Join.Result)
			case *Choose:
				for _, c := range op.Cases {
					visit(c.To)
				}
			}
		}
	}
	for _, source := range s.Sources {
		visit(source.Entry)
		visit(source.Turn)
	}
	for _, store := range s.Stores {
		visit(store.Ended)
		visit(store.Flush)
	}
}
