package plan

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// pass writes the operations of n, and what follows it.
func (r *run) pass(n *node) {
	r.start.runs = append(r.start.runs, n)
	switch n.kind {
	case stepNode:
		r.step(n)
	case lookupNode:
		r.lookup(n)
	case globalNode:
		r.globalLookup(n)
	case putNode:
		r.put(n)
	case windowNode:
		r.window(n)
		return
	case updateNode:
		r.update(n)
	case suppressNode:
		r.suppress(n)
	case rowNode:
		r.row(n)
	case differNode:
		r.add(&Differ{}, nil, nil, r.old(n))
	case joinNode:
		r.joinRows(n)
	case groupNode:
		r.regroup(n)
		return
	case subscribeNode:
		r.subscribe(n)
		return
	case subscribedNode:
		r.subscribed(n)
		return
	case tellNode:
		r.tell(n)
		return
	case answerNode:
		r.answer(n)
	case dedupNode:
		d := n.step.(*model.Dedup)
		r.add(&Dedup{Dedup: d, Store: n.store}, r.p.stepPosition(d), d)
	case waitNode:
		r.wait(n)
		return
	case sideNode:
		r.meet(n)
		return
	case repartitionNode:
		r.repartition(n)
		return
	case sinkNode:
		r.sink(n)
		return
	case caseNode:
		r.typed(n.reader)
	}
	if !n.updates() {
		r.goOn(n)
	}
}

// typed gives key and value the types that the checker has for them.
func (r *run) typed(s model.Schema) { r.state.Key.Type, r.state.Value.Type = s.Key, s.Value }

// fresh is what an expression gives: the Go form, all of it, and no bytes.
func fresh(t types.Type) Carry { return Carry{Type: t, Typed: true} }

func (r *run) step(n *node) {
	base := n.step.Base()
	var at *Position
	if slices.ContainsFunc(model.Exprs(n.step), CanFail) {
		at = r.p.stepPosition(n.step)
	}
	narrow := func(out *State) { out.Key.Type, out.Value.Type = base.Out.Key, base.Out.Value }
	newKey := func(out *State) { narrow(out); out.Key = fresh(base.Out.Key) }
	newValue := func(out *State) { narrow(out); out.Value = fresh(base.Out.Value) }
	switch s := n.step.(type) {
	case *model.Filter:
		r.add(&Filter{Filter: s}, at, s, narrow)
	case *model.Peek:
		r.add(&Peek{Peek: s}, r.p.stepPosition(s), s, narrow)
	case *model.MapValues:
		r.add(&MapValues{MapValues: s}, at, s, newValue)
	case *model.SelectKey:
		r.add(&SelectKey{SelectKey: s}, at, s, newKey)
	case *model.GroupBy:
		r.add(&SelectKey{SelectKey: &model.SelectKey{StepBase: s.StepBase, Key: s.Key}}, at, s, newKey)
	case *model.FlatMapValues:
		r.add(&FlatMap{Each: s.Each}, at, s, newValue)
	case *model.FlatMap:
		elem := elements(s)
		if has(elem, "timestamp") {
			at = r.p.stepPosition(s) // Kafka has no negative time
		}
		r.add(&FlatMap{Each: s.Each}, at, s, narrow, func(out *State) {
			if has(elem, "key") {
				out.Key = fresh(base.Out.Key)
			}
			if has(elem, "value") {
				out.Value = fresh(base.Out.Value)
			}
			out.Timestamp = out.Timestamp || has(elem, "timestamp")
			out.Headers = out.Headers || has(elem, "headers")
		})
	case *model.Map:
		if s.Timestamp != nil {
			at = r.p.stepPosition(s) // Kafka has no negative time
		}
		r.add(&Map{Map: s}, at, s, narrow, func(out *State) {
			if s.Key != nil {
				out.Key = fresh(base.Out.Key)
			}
			if s.Value != nil {
				out.Value = fresh(base.Out.Value)
			}
			out.Timestamp = out.Timestamp || s.Timestamp != nil
			out.Headers = out.Headers || len(s.Headers) > 0
		})
	}
}

// elements is the type of the elements of a flat_map.
func elements(s *model.FlatMap) *types.Record {
	return s.Each.Base().Type.(*types.List).Elem.(*types.Record)
}

func has(r *types.Record, field string) bool {
	_, ok := r.Lookup(field)
	return ok
}

// dropNullKey ends records without a key in front of a step, dropNullValue those without a value.
func (r *run) dropNullKey(at *Position) {
	if types.IsOptional(r.state.Key.Type) {
		r.add(&DropNullKey{}, at, nil, func(out *State) { out.Key.Type = types.NonNull(out.Key.Type) })
	}
}

func (r *run) dropNullValue(at *Position) {
	if types.IsOptional(r.state.Value.Type) {
		r.add(&DropNullValue{}, at, nil, func(out *State) { out.Value.Type = types.NonNull(out.Value.Type) })
	}
}

// encodeKey makes the bytes that a store is asked with.
func (r *run) encodeKey(f Format, at *Position) {
	if !r.state.Key.Raw {
		f.Type = r.state.Key.Type
		if !f.refuses() {
			at = nil
		}
		r.add(&EncodeKey{}, at, nil, func(out *State) { out.Key.Raw, out.Key.Format, out.Key.Borrowed = true, f, true })
	}
}

func (r *run) lookup(n *node) {
	j := n.step.(*model.Join)
	if !j.Left {
		r.dropNullKey(r.p.stepPosition(j))
	}
	r.dropNullValue(r.p.stepPosition(j))
	r.encodeKey(*n.table.rawKey, r.p.stepPosition(j))
	rows := r.rowsOf(n.table, false)
	at := r.p.stepPosition(j)
	r.add(&Lookup{Join: j, Store: rows.Store, View: rows.View}, at, j, func(out *State) {
		out.Key.Type, out.Value = j.Out.Key, fresh(j.Out.Value)
	})
}

func (r *run) put(n *node) {
	if n.step != nil {
		r.dropNullKey(r.p.stepPosition(n.step))
	}
	var at *Position
	if n.step != nil {
		at = r.p.stepPosition(n.step)
	}
	r.encodeKey(n.store.Key, at)
	var late *Position
	if n.store.Kind == Versioned {
		late = r.p.blockPosition(n.block)
	}
	r.age(n)
	r.add(&Put{Store: n.store, Repeats: n.repeats, Joins: n.store.Kind == Versioned && n.joins()}, late, n.step, func(out *State) {
		out.Key.Type, out.Value.Type = n.reader.Key, n.reader.Value
	}, r.old(n), func(out *State) { out.Newest = n.store.Kind == Versioned && n.givesNewest() })
}

// age stands in front of what changes rows that end.
func (r *run) age(n *node) {
	if n.store.TTL == 0 {
		return
	}
	var at *Position
	if n.step != nil {
		at = r.p.stepPosition(n.step)
	} else {
		at = r.p.blockPosition(n.block)
	}
	r.add(&Age{Store: n.store}, at, nil)
}

func (r *run) update(n *node) {
	at := r.p.stepPosition(n.step)
	if n.block.Window == nil {
		r.dropNullKey(at)
		r.dropNullValue(at)
		r.encodeKey(n.store.Key, at)
	}
	r.age(n)
	if !canRefuse(n.step) {
		at = nil
	}
	r.add(&Update{Store: n.store, Pairs: n.pairs, Repeats: n.repeats}, at, n.step, func(out *State) {
		out.Key.Type, out.Value, out.Timestamp = n.reader.Key, fresh(n.reader.Value), true
		if n.block.Window != nil {
			out.Window = false
			out.Key = Carry{Type: n.reader.Key, Raw: true, Format: n.store.Key, Borrowed: true, Typed: r.readsKey(n) && !n.updates()}
		}
	}, r.old(n))
}

// readsKey says whether anything behind n reads its key in its Go form.
func (r *run) readsKey(n *node) bool {
	var after need
	for _, m := range n.out {
		after.merge(m.wants())
	}
	return after.key
}

// canRefuse says whether a making step can fail: its expressions can, or a sum of whole numbers or decimals overflows.
func canRefuse(s model.Step) bool {
	switch s := s.(type) {
	case *model.Reduce:
		return CanFail(s.Add) || CanFail(s.Remove)
	case *model.Fold:
		return CanFail(s.Init) || CanFail(s.Merge) || CanFail(s.Add) || CanFail(s.Remove)
	case *model.Aggregate:
		for _, a := range s.Aggregators {
			if CanFail(a.Arg) || CanFail(a.By) || a.Arg != nil && (a.Func == "sum" || a.Func == "avg") && !types.IsFloat(types.NonNull(a.Arg.Base().Type)) {
				return true
			}
		}
		return CanFail(s.Value)
	}
	return false
}

func (r *run) repartition(n *node) {
	t := n.repartition.topic
	if n.repartition.dropsNull() {
		r.dropNullKey(r.p.stepPosition(n.repartition.needs[0].maker()))
	}
	var at *Position
	if n.in[0].rawKey == nil && t.Key.refuses() {
		at = r.p.stepPosition(n.repartition.needs[0].maker())
	}
	r.add(&Send{Topic: t, Key: t.Key, Value: t.Value}, at, n.step)
}

func (r *run) sink(n *node) {
	s := n.sink
	at := r.p.position(s.Address(), s.Pos, s.OnError)
	op := &Send{Key: format(s.Key), Value: format(s.Value), Sink: s}
	if s.Choice == nil {
		op.Topic = r.p.topic(s.Topic)
	}
	for _, name := range s.Topics {
		op.Topics = append(op.Topics, r.p.topic(name))
	}
	r.add(op, at, nil)
}

// refusesTarget says whether a sink may have no place for a record: its topic is none of those it has, or its partition is not there.
func refusesTarget(s *model.Sink) bool {
	return s.Partition != nil || CanFail(s.Choice) || StraysFrom(s)
}

// StraysFrom says whether the choice of a sink may give another name than that of one of its topics.
func StraysFrom(s *model.Sink) bool {
	if s.Choice == nil {
		return false
	}
	return slices.ContainsFunc(model.Leaves(s.Choice), func(e model.Expr) bool { _, known := e.(*model.Const); return !known })
}

// choose is a branch. Cases that nobody reads are there all the same: they take their records away from those below.
func (r *run) choose(n *node) {
	op := &Choose{}
	complete := false
	for _, c := range n.block.Cases {
		choice := Choice{Case: c}
		if c.Where == nil {
			complete = true
		} else if CanFail(c.Where) {
			choice.At = r.p.position(c.Address, c.Pos, c.OnError)
		}
		for _, m := range n.out {
			if m.cse == c && m.kind == caseNode {
				choice.To = r.choice(m)
			}
		}
		op.Cases = append(op.Cases, choice)
	}
	var at *Position
	if !complete {
		at = r.p.blockPosition(n.block)
	}
	r.add(op, at, nil)
}

// choice is the Func of a case; where nothing stands between it and a merge, that of the merge.
func (r *run) choice(n *node) *Func {
	s := r.state
	s.Key.Type, s.Value.Type = n.reader.Key, n.reader.Value
	if len(n.out) == 1 && len(n.out[0].in) > 1 {
		return r.call(n.out[0], s)
	}
	return r.call(n, s)
}
