package plan

import (
	"cmp"
	"slices"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// graphPass makes the graph of all blocks and sinks and takes away what has no effect: a record may be dropped where nobody
// reads on. Effects are sinks, log lines and state that has a name: what a making step makes, and a source table with a store.
func (p *planner) graphPass() {
	p.ends = map[*model.Block]*node{}
	p.cases = map[*model.Case]*node{}
	p.lates = map[*model.Block]*node{}
	ranks := p.ranks()
	seen := map[*model.Block]bool{}
	var visit func(*model.Block)
	visit = func(b *model.Block) {
		if seen[b] {
			return
		}
		seen[b] = true
		for _, r := range b.From {
			visit(r.Block)
		}
		for _, s := range b.Steps {
			switch s := s.(type) {
			case *model.Join:
				visit(s.With)
			case *model.GlobalJoin:
				visit(s.With)
			case *model.StreamJoin:
				visit(s.With.Block)
			case *model.TableJoin:
				visit(s.With)
			}
		}
		p.addBlock(b, ranks[b.Pos])
	}
	for _, b := range p.model.Blocks {
		visit(b)
	}
	for _, s := range p.model.Sinks {
		p.add(&node{kind: sinkNode, sink: s, rank: ranks[s.Pos], in: []*node{p.ref(s.From)}, reader: s.In})
	}
	p.straight()
	p.prune()
	p.sort()
	p.differPass()
}

// ranks numbers blocks and sinks in file order.
func (p *planner) ranks() map[diag.Range]int {
	var all []diag.Range
	for _, b := range p.model.Blocks {
		all = append(all, b.Pos)
	}
	for _, s := range p.model.Sinks {
		all = append(all, s.Pos)
	}
	slices.SortStableFunc(all, compareRanges)
	ranks := make(map[diag.Range]int, len(all))
	for i, r := range all {
		ranks[r] = i
	}
	return ranks
}

func compareRanges(a, b diag.Range) int {
	return cmp.Or(diag.CompareFiles(a.File, b.File), cmp.Compare(a.Start.Byte, b.Start.Byte),
		cmp.Compare(a.Start.Line, b.Start.Line), cmp.Compare(a.Start.Column, b.Start.Column))
}

func (p *planner) add(n *node) *node {
	p.nodes = append(p.nodes, n)
	return n
}

// ref is the node that a reference reads.
func (p *planner) ref(r model.Ref) *node {
	if r.Case != nil {
		return p.cases[r.Case]
	}
	if r.Late {
		return p.lates[r.Block]
	}
	return p.ends[r.Block]
}

func (p *planner) addBlock(b *model.Block, rank int) {
	cogroup := cogroupOf(b)
	var end *node
	if cogroup == nil {
		end = p.begin(b, rank)
	}
	rows := b.Kind == model.Table && cogroup == nil && (b.Source != nil || ofTable(b))
	if b.Kind == model.GlobalTable {
		for _, s := range b.Steps {
			end.named, _ = s.(*model.Store)
		}
		p.ends[b] = end
		return
	}
	if b.Kind == model.Branch {
		end = p.add(&node{kind: branchNode, block: b, rank: rank, in: []*node{end}, reader: b.In})
		for _, c := range b.Cases {
			p.cases[c] = p.add(&node{kind: caseNode, block: b, cse: c, rank: rank, in: []*node{end}, reader: c.Out})
		}
		return
	}
	for i, s := range b.Steps {
		if rows {
			end = p.addRows(b, i, end, rank)
			continue
		}
		n := &node{kind: stepNode, block: b, step: s, rank: rank, in: []*node{end}, reader: s.Base().Out}
		switch s := s.(type) {
		case *model.Store:
			continue // names what stands above it
		case *model.Cogroup:
			end, rows = p.addCogroup(b, s, rank), true
			continue
		case *model.SelectKey:
			if keepsKey(s.Key) && types.Equal(s.In.Key, s.Out.Key) {
				continue
			}
		case *model.GroupBy:
			if keepsKey(s.Key) && types.Equal(s.In.Key, s.Out.Key) {
				continue
			}
		case *model.MapValues:
			if isRoot(s.Value, model.RootValue) && types.Equal(s.In.Value, s.Out.Value) {
				continue
			}
		case *model.Map:
			changed := newParts(s)
			if changed == nil {
				continue
			}
			n.step = changed
		case *model.Repartition:
			n.kind = repartitionNode
			n.repartition = &repartition{label: s.Label, needs: []*node{n}, partitions: s.Partitions, written: true}
		case *model.Join:
			n.kind = lookupNode
			n.table = p.ends[s.With]
			if s.Waits {
				p.addWait(n, end)
			}
		case *model.GlobalJoin:
			n.kind, n.global = globalNode, p.ends[s.With]
		case *model.StreamJoin:
			p.addStreamJoin(s, n, end)
		case *model.ToTable:
			n.kind = putNode
		case *model.Count, *model.Aggregate, *model.Reduce, *model.Fold:
			n.kind = updateNode
		case *model.Dedup:
			n.kind = dedupNode
		case *model.Suppress:
			n.kind = suppressNode
		}
		if n.kind == putNode || n.kind == updateNode {
			n.reader, rows = p.made(b, i), true
		}
		if n.kind == updateNode && b.Window != nil {
			n.in = []*node{p.addWindow(b, s, end, rank)}
		}
		end = p.add(n)
	}
	if b.Kind == model.Table {
		end = p.endRows(b, end, rank)
	}
	p.ends[b] = end
}

// newParts is a map without a key or value that stays what it is, nil if nothing changes: bytes that are forwarded pass through.
func newParts(s *model.Map) *model.Map {
	m := *s
	if m.Key != nil && keepsKey(m.Key) && types.Equal(m.In.Key, m.Out.Key) {
		m.Key = nil
	}
	if m.Value != nil && isRoot(m.Value, model.RootValue) && types.Equal(m.In.Value, m.Out.Value) {
		m.Value = nil
	}
	if m.Key == nil && m.Value == nil && m.Timestamp == nil && len(m.Headers) == 0 {
		return nil
	}
	return &m
}

// begin makes the nodes in front of a block's steps.
func (p *planner) begin(b *model.Block, rank int) *node {
	if b.Source != nil {
		n := p.add(&node{kind: sourceNode, block: b, rank: rank, reader: b.In})
		if b.HoldsRows() {
			n.reader.Value = types.OptionalOf(n.reader.Value) // a null deletes
			n = p.add(&node{kind: putNode, block: b, rank: rank, in: []*node{n}, reader: n.reader})
		}
		return n
	}
	if len(b.From) > 1 {
		n := &node{kind: mergeNode, block: b, rank: rank, reader: b.In}
		for _, r := range b.From {
			n.in = append(n.in, p.ref(r))
		}
		return p.add(n)
	}
	return p.ref(b.From[0])
}

// straight takes the store of a source table out of the way to a suppress that is all that reads it: the suppress knows by itself what
// was sent, and a change that changes nothing begins the time of its key like any other.
func (p *planner) straight() {
	looked := map[*node]bool{}
	for _, n := range p.nodes {
		looked[n.table] = true
	}
	for _, n := range p.nodes {
		if n.kind != suppressNode || len(n.in) != 1 {
			continue
		}
		put := n.in[0]
		alone := !slices.ContainsFunc(p.nodes, func(m *node) bool { return m != n && slices.Contains(m.in, put) })
		if put.kind == putNode && put.step == nil && put.block.Source != nil && alone && put.named == nil && !looked[put] {
			n.in = put.in
		}
	}
}

// prune drops the nodes that no effect is behind.
func (p *planner) prune() {
	live := map[*node]bool{}
	var keep func(*node)
	keep = func(n *node) {
		if live[n] {
			return
		}
		live[n] = true
		for _, m := range n.in {
			keep(m)
		}
		if n.table != nil {
			keep(n.table)
		}
		if n.global != nil {
			keep(n.global)
		}
	}
	for _, n := range p.nodes {
		switch n.kind {
		case sinkNode, updateNode:
			keep(n)
		case putNode:
			if n.step != nil || n.named != nil {
				keep(n)
			}
		case stepNode:
			if _, ok := n.step.(*model.Peek); ok {
				keep(n)
			}
		}
	}
	p.nodes = slices.DeleteFunc(p.nodes, func(n *node) bool { return !live[n] })
}
