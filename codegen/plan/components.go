package plan

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
)

// componentsPass divides the graph into sub-topologies: what is connected without a topic in between, or by a lookup into a
// store, runs in one task.
func (p *planner) componentsPass() {
	parent := make([]int, len(p.nodes))
	for i := range parent {
		parent[i] = i
	}
	var find func(int) int
	find = func(i int) int {
		if parent[i] != i {
			parent[i] = find(parent[i])
		}
		return parent[i]
	}
	for _, n := range p.nodes {
		if n.kind != repartitionNode { // as a node it belongs to the side that reads the topic
			for _, m := range n.in {
				parent[find(n.id)] = find(m.id)
			}
		}
		if n.table != nil {
			parent[find(n.id)] = find(n.table.id)
		}
		if n.group != nil {
			parent[find(n.id)] = find(n.group.id)
		}
	}
	subs := map[int]*SubTopology{}
	for _, n := range p.nodes { // in topological order: a sub-topology stands behind those whose topics it reads
		root := find(n.id)
		if subs[root] == nil {
			subs[root] = &SubTopology{}
			p.plan.SubTopologies = append(p.plan.SubTopologies, subs[root])
		}
		n.sub = subs[root]
	}
	p.orderComponents()
	for _, s := range p.plan.SubTopologies {
		p.addSources(s)
	}
	p.nameBlocks()
	for _, n := range p.nodes { // topological: what a Flush changes is flushed later
		if n.store != nil && n.group == nil {
			n.store.SubTopology = n.sub
			n.sub.Stores = append(n.sub.Stores, n.store)
		}
	}
	p.takeGlobals()
}

// orderComponents puts each sub-topology behind those that write what it reads, and else in file order.
func (p *planner) orderComponents() {
	reads := map[*SubTopology][]*SubTopology{}
	rank := map[*SubTopology]int{}
	for _, n := range p.nodes {
		if r, ok := rank[n.sub]; !ok || n.rank < r {
			rank[n.sub] = n.rank
		}
		if n.kind == repartitionNode {
			reads[n.sub] = append(reads[n.sub], n.in[0].sub)
		}
	}
	byFile := slices.Clone(p.plan.SubTopologies)
	slices.SortStableFunc(byFile, func(a, b *SubTopology) int { return rank[a] - rank[b] })
	var order []*SubTopology
	done := map[*SubTopology]bool{}
	var visit func(*SubTopology)
	visit = func(s *SubTopology) {
		if done[s] {
			return
		}
		done[s] = true // two that write to each other by different topics keep the order of the files
		for _, t := range reads[s] {
			visit(t)
		}
		order = append(order, s)
	}
	for _, s := range byFile {
		visit(s)
	}
	p.plan.SubTopologies = order
}

// addSources makes the inputs of a sub-topology, tables first, in file order.
func (p *planner) addSources(s *SubTopology) {
	var reads []*node
	for _, n := range p.nodes {
		if n.sub == s && n.read() {
			reads = append(reads, n)
		}
	}
	isTable := func(n *node) bool { return n.kind == sourceNode && n.block.HoldsRows() }
	slices.SortStableFunc(reads, func(a, b *node) int {
		switch {
		case isTable(a) && !isTable(b):
			return -1
		case !isTable(a) && isTable(b):
			return 1
		default:
			return a.rank - b.rank
		}
	})
	for _, n := range reads {
		n.source = &Source{Key: *n.rawKey, Value: *n.rawValue, Partitioner: n.partitioner()}
		if n.kind == repartitionNode {
			need := n.repartition.needs[0]
			n.source.Origin, n.source.Internal, n.source.At = need.address(), true, p.stepPosition(need.maker())
			n.source.Start.Kind = model.Earliest // what was written to it is to be read
		} else {
			b := n.block
			n.source.Origin, n.source.Table, n.source.Bootstrap = b.Address(), b.HoldsRows(), b.Source.Bootstrap
			n.source.Pattern, n.source.Start, n.source.At = b.Source.Pattern, b.Source.Start, p.blockPosition(b)
			if n.source.Table {
				n.source.Start = model.Start{Kind: model.Earliest}
			}
		}
		s.Sources = append(s.Sources, n.source)
	}
}

// nameBlocks lists what each sub-topology runs.
func (p *planner) nameBlocks() {
	byFile := slices.Clone(p.nodes)
	slices.SortStableFunc(byFile, func(a, b *node) int { return a.rank - b.rank })
	for _, n := range byFile {
		if n.kind != repartitionNode {
			n.sub.Blocks = appendNew(n.sub.Blocks, n.owner())
		}
	}
}

func appendNew[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}
