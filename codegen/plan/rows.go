package plan

import (
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// This file makes the graph of steps on rows. What passes between its nodes are changes of rows. A table whose rows can be worked out
// from those of others has no store: the row that a change replaces is worked out as the new one is, and so is one that a join asks for.

// ofTable says whether the steps of a block work on the rows of another table.
func ofTable(b *model.Block) bool {
	return b.Kind == model.Table && len(b.From) == 1 && b.From[0].Block.Kind == model.Table && !b.From[0].Late
}

// made is what leaves the making step at place i: its rows, or null for those that go.
func (p *planner) made(b *model.Block, i int) model.Schema {
	s := b.Steps[i]
	for _, next := range b.Steps[i+1:] {
		if h, holds := next.(*model.Suppress); holds {
			return h.In
		}
		if _, names := next.(*model.Store); !names {
			break
		}
	}
	out := s.Base().Out
	deletes := b.Window != nil && b.Window.Kind == model.Session && b.Emit != model.EmitFinal // those that grow
	switch s := s.(type) {
	case *model.ToTable:
		deletes = types.IsOptional(s.In.Value)
	case *model.Fold:
		deletes = types.IsOptional(s.Add.Base().Type)
	case *model.Cogroup:
		for _, in := range s.Inputs {
			deletes = deletes || types.IsOptional(in.Add.Base().Type)
		}
	}
	if i+1 < len(b.Steps) {
		st, ok := b.Steps[i+1].(*model.Store)
		deletes = deletes || ok && st.TTL > 0
	}
	last := !slices.ContainsFunc(b.Steps[i+1:], func(s model.Step) bool { _, names := s.(*model.Store); return !names })
	if deletes || regroups(b, i) || last && b.Deletes {
		out.Value = types.OptionalOf(out.Value)
	}
	return out
}

// regroups says whether the making step at place i makes its table of groups of rows.
func regroups(b *model.Block, i int) bool {
	if i == 0 {
		return false
	}
	g, ok := b.Steps[i-1].(*model.GroupBy)
	return ok && g.Rows
}

// addRows adds the step at place i, which works on rows, behind end.
func (p *planner) addRows(b *model.Block, i int, end *node, rank int) *node {
	if _, names := b.Steps[i].(*model.Store); !names && (end.kind == answerNode || shared(end)) {
		end = p.results(end)
	}
	n := &node{block: b, step: b.Steps[i], rank: rank, in: []*node{end}, reader: b.Steps[i].Base().Out}
	switch s := n.step.(type) {
	case *model.Store:
		if k := end.keeper(); end.block == b && k.hasRows() && k.named == nil {
			k.named = s
			return end
		}
		return p.add(&node{kind: putNode, block: b, named: s, rank: rank, in: n.in, reader: end.reader})
	case *model.TableJoin:
		if s.On != nil {
			return p.addForeign(b, s, end, rank)
		}
		return p.addJoin(b, s, p.settled(end), rank)
	case *model.GroupBy:
		if repeated(b.Steps[i+1]) {
			end = repeating(end)
		} else {
			end = p.settled(end)
		}
		return p.addGroup(b, i, s, end, rank)
	case *model.Suppress:
		n.kind, n.in[0] = suppressNode, p.settled(end)
		if end.begins(s) {
			n.in[0] = repeating(end)
		}
	case *model.Count, *model.Aggregate, *model.Reduce, *model.Fold:
		n.kind, n.pairs, n.reader = updateNode, true, p.made(b, i)
		end.repartition.needs = []*node{n}
	default:
		n.kind = rowNode
	}
	return p.add(n)
}

// settled is end, behind which no change comes that changes nothing.
func (p *planner) settled(end *node) *node {
	if end.kind != rowNode && !(end.kind == mergeNode && end.step != nil) {
		return end
	}
	if unsteady(end) {
		return p.add(&node{kind: putNode, block: end.block, suffix: "-" + stepName(end.step), rank: end.rank, in: []*node{end}, reader: end.reader})
	}
	return p.add(&node{kind: differNode, block: end.block, rank: end.rank, in: []*node{end}, reader: end.reader})
}

// endRows ends a table: what it sends always changes something, as its readers know it.
func (p *planner) endRows(b *model.Block, end *node, rank int) *node {
	history := b.History > 0 && end.kind == rowNode // what its rows were is asked for, too
	if end.block != b || !history && exact(end) && !unsteady(end) {
		return p.settled(end)
	}
	n := &node{kind: putNode, block: b, rank: rank, in: []*node{end}, reader: end.reader}
	if makes(b) {
		n.suffix = "-" + stepName(end.step)
	}
	return p.add(n)
}

// stepName is what a step is called in its block: a join by what it joins with.
func stepName(s model.Step) string {
	if j, ok := s.(*model.TableJoin); ok {
		return j.As
	}
	address := s.Base().Address
	return address[strings.LastIndexByte(address, '.')+1:]
}

// makes says whether a block has a state of its own beside the rows of joins.
func makes(b *model.Block) bool {
	return b.Source != nil || slices.ContainsFunc(b.Steps, func(s model.Step) bool {
		switch s.(type) {
		case *model.ToTable, *model.Count, *model.Aggregate, *model.Reduce, *model.Fold, *model.Cogroup:
			return true
		}
		return false
	})
}

// addJoin adds the two sides of a join of tables, and where they meet.
func (p *planner) addJoin(b *model.Block, s *model.TableJoin, left *node, rank int) *node {
	right := p.ends[s.With]
	side := func(in, other *node) *node {
		return p.add(&node{kind: joinNode, block: b, step: s, rank: rank, in: []*node{in}, table: other, reader: s.Out})
	}
	return p.add(&node{kind: mergeNode, block: b, step: s, rank: rank, in: []*node{side(left, right), side(right, left)}, reader: s.Out})
}

// addGroup adds the step group_by, and the topic behind it: the two halves of a change travel in one record, so that a group which a row
// stays in takes both at once.
func (p *planner) addGroup(b *model.Block, i int, s *model.GroupBy, end *node, rank int) *node {
	g := &model.GroupBy{StepBase: s.StepBase, Key: s.Key, Value: s.Value, Rows: true}
	making := b.Steps[i+1]
	if _, counts := making.(*model.Count); counts && (s.Value == nil || !types.IsOptional(s.Value.Base().Type)) && !CanFail(s.Value) {
		g.Value = &model.Const{ExprBase: exprBase(s.StepBase, types.Bool), Value: true} // of what is counted only how many are asked for
	}
	value := s.Out.Value
	if g.Value != nil {
		value = types.NonNull(g.Value.Base().Type)
	}
	out := model.Schema{Key: types.NonNull(s.Out.Key), Value: pairOf(value)}
	group := p.add(&node{kind: groupNode, block: b, step: g, rank: rank, in: []*node{end}, reader: out})
	topic := p.add(&node{kind: repartitionNode, block: b, rank: rank, in: []*node{group}, reader: out})
	topic.repartition = &repartition{label: b.Label}
	return topic
}

// repeated says whether a step that makes groups shows that a row was taken away and added as it was: what it adds and takes away is
// the user's.
func repeated(making model.Step) bool {
	switch making.(type) {
	case *model.Reduce, *model.Fold:
		return true
	}
	return false
}

// repeating is end, behind which rows come again that records leave as they are, if nothing but steps on rows and their stores stands in
// between.
func repeating(end *node) *node {
	for end.kind == differNode {
		end = end.in[0]
	}
	base := end
	for base.kind == rowNode || base.kind == differNode {
		base = base.in[0]
	}
	if base.repeats = base.repeatable(); base.repeats && base.in[0].kind == rowNode { // its store sees what repeats in front of it
		repeating(base.in[0])
	}
	return end
}

// repeatable says whether a node can hand on what changes nothing: what goes on at once, without rows that go and come again of themselves.
func (n *node) repeatable() bool {
	switch {
	case n.updates() || shared(n.in[0]):
		return false
	case n.kind == updateNode:
		switch n.step.(type) {
		case *model.Count: // each record changes it
			return false
		case *model.Aggregate:
			if n.pairs {
				return false
			}
		}
		w := n.block.Window
		return w == nil || w.Kind != model.Session && w.Kind != model.Sliding
	}
	stored := n.step != nil || n.named != nil || n.block.Source != nil || n.in[0].kind == answerNode // in Kafka Streams, too
	return n.kind == putNode && stored
}

// begins says whether a row that n makes as it was before begins the time of its key in a suppress like any other.
func (n *node) begins(s *model.Suppress) bool {
	made := n.kind == putNode && (n.step != nil || n.in[0].kind == sourceNode)
	return n.block.History == 0 && (n.kind == updateNode || made && !s.Close)
}

// differPass ends rows that come again in front of all but those who want them.
func (p *planner) differPass() {
	for _, n := range slices.Clone(p.nodes) {
		if !n.repeats {
			continue
		}
		for _, m := range n.out {
			switch m.kind {
			case rowNode, groupNode, putNode, differNode, subscribeNode:
				continue
			case tellNode:
				if m.foreign.Step.Kind == model.Inner { // a left join would send the delete of what is not there on
					continue
				}
			case suppressNode:
				if n.begins(m.step.(*model.Suppress)) {
					continue
				}
			}
			d := p.add(&node{kind: differNode, block: n.block, rank: m.rank, in: []*node{n}, reader: n.reader})
			m.in[slices.Index(m.in, n)] = d
		}
	}
	p.sort()
}

// pairOf is the type of what travels to a group: the new value and the old one, either of which may be of another group.
func pairOf(t types.Type) *types.Record {
	return &types.Record{Fields: []types.Field{{Name: "new", Type: types.OptionalOf(t)}, {Name: "old", Type: types.OptionalOf(t)}}}
}

// unsteady says whether what leaves a node cannot be worked out again from rows: something else is read on the way.
func unsteady(n *node) bool {
	for ; n.kind == rowNode || n.kind == mergeNode && n.step != nil; n = n.in[0] {
		for _, e := range model.Exprs(n.step) {
			found := false
			model.Walk(e, func(x model.Expr) {
				switch x := x.(type) {
				case *model.Header, *model.UserCall:
					found = true
				case *model.Var:
					found = found || x.Root == model.RootVariable // it may have another value when the program starts again
				}
			})
			if found {
				return true
			}
		}
		if n.kind == mergeNode {
			break
		}
	}
	return false
}

// exact says whether the rows that leave a node can be worked out as they were sent, with their times. A left or outer join is sent
// with the time of a row that is gone; and two sides that change at once were never sent as they are.
func exact(n *node) bool {
	switch n.kind {
	case putNode, updateNode, suppressNode:
		return true
	case answerNode: // nothing knows its rows
		return false
	case rowNode, differNode:
		return exact(n.in[0])
	case mergeNode:
		j, ok := n.step.(*model.TableJoin)
		if !ok || j.Kind != model.Inner {
			return !ok
		}
		return exact(n.in[0].in[0]) && exact(n.in[1].in[0]) && !shared(n)
	}
	return true
}

// shared says whether one change of a row changes both sides of a join of tables: the row of the other side is looked up in a store that
// both come from. A row that goes is gone on both sides then, so that only a store of the results knows that there was one.
func shared(n *node) bool {
	j, ok := n.step.(*model.TableJoin)
	if !ok || n.kind != mergeNode || j.On != nil {
		return false
	}
	left, right := n.in[0].in[0], n.in[1].in[0]
	meets := func(looked, changed *node) bool {
		all := origins(changed, nil)
		return slices.ContainsFunc(bases(looked, nil), func(b *node) bool { return slices.Contains(all, b) })
	}
	return meets(left, right) || meets(right, left)
}

// origins are the nodes that a change comes through at once: up to a topic.
func origins(n *node, list []*node) []*node {
	if n.kind == repartitionNode || slices.Contains(list, n) {
		return list
	}
	list = append(list, n)
	for _, m := range n.in {
		list = origins(m, list)
	}
	return list
}

// bases are the nodes with a store that rows are worked out from.
func bases(n *node, list []*node) []*node {
	switch n.kind {
	case rowNode, differNode:
		return bases(n.in[0], list)
	case mergeNode:
		if k := n.keeper(); k != n {
			return append(list, k)
		}
		return bases(n.in[1].in[0], bases(n.in[0].in[0], list))
	}
	return append(list, n)
}

// exprBase is that of an expression of type t that a step is made to have.
func exprBase(b model.StepBase, t types.Type, parts ...model.Expr) model.ExprBase {
	e := model.ExprBase{Type: t, Pos: b.Pos}
	for _, p := range parts {
		e.Fallible = e.Fallible || p.Base().Fallible
	}
	return e
}

// hasRows says whether the node keeps the rows of a table.
func (n *node) hasRows() bool { return n.kind == putNode || n.kind == updateNode }

// givesWas says whether something behind a node wants the times of these rows.
func (n *node) givesWas() bool {
	return slices.ContainsFunc(n.out, func(m *node) bool { return m.need.was })
}

// givesOld says whether something behind a node wants the rows that changes replace.
func (n *node) givesOld() bool {
	return slices.ContainsFunc(n.out, func(m *node) bool { return m.need.old })
}
