package plan

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// repartition is a topic between two sub-topologies.
type repartition struct {
	label      string  // of the topic's name, between the app and "-repartition"
	needs      []*node // the steps that need it, in file order; a written one needs itself
	written    bool    // a step of the spec
	partitions int
	change     *change // where the key changed; nil of a written one whose key did not
	topic      *Topic
	link       *link // of a join by a foreign key; nil of all others
}

// name is that of the topic, behind the app's.
func (r *repartition) name() string {
	if r.link != nil {
		return r.label
	}
	return r.label + "-repartition"
}

// dropsNull says whether records without a key end in front of the topic: so it is unless a left join behind it keeps them.
func (r *repartition) dropsNull() bool {
	for _, n := range r.needs {
		switch j := n.step.(type) {
		case *model.Join:
			if j.Left {
				return false
			}
		case *model.StreamJoin:
			if j.Kept(n.side) {
				return false
			}
		}
	}
	return true
}

// repartitionPass puts a topic in front of each step that works on state by a key that changed on the way to it.
//
// If the key changed within the step's own block, the topic stands directly in front of the step and is named by it. Else the
// block reads a stream that ends with another key: the topic stands at that stream's end and is named by the stream, and
// all blocks that need the key read the one topic. Those that do not (a sink) go on in process.
func (p *planner) repartitionPass() {
	shared := map[*node]*node{} // end of a stream or case → its topic
	for _, n := range slices.Clone(p.nodes) {
		if n.kind == repartitionNode {
			n.repartition.change = n.in[0].change
			continue
		}
		if !n.stateful() || len(n.in) == 0 || n.in[0].change == nil {
			continue
		}
		if first := blockStart(n); first == nil {
			r := p.add(&node{kind: repartitionNode, block: n.block, rank: n.rank, in: []*node{n.in[0]}, reader: n.in[0].reader})
			r.repartition = &repartition{label: needLabel(n), needs: []*node{n}, change: n.in[0].change}
			if r.repartition.dropsNull() {
				r.reader.Key = types.NonNull(r.reader.Key)
			}
			n.in[0] = r
		} else {
			p.share(n, first, shared)
		}
		p.keysPass()
	}
	p.sort()
}

// share lets the block that begins with first read its inputs through topics, where their keys changed.
func (p *planner) share(n, first *node, shared map[*node]*node) {
	for i, end := range first.in {
		if end.change == nil {
			continue
		}
		r := shared[end]
		if r == nil {
			r = p.add(&node{kind: repartitionNode, block: end.block, cse: end.cse, rank: first.rank, in: []*node{end}, reader: end.reader})
			r.repartition = &repartition{label: end.block.Label, change: end.change}
			if end.cse != nil {
				r.repartition.label += "-" + end.cse.Label
			}
			shared[end] = r
		}
		r.rank = min(r.rank, first.rank)
		r.repartition.needs = append(r.repartition.needs, n)
		slices.SortStableFunc(r.repartition.needs, func(a, b *node) int { return a.rank - b.rank })
		first.in[i] = r
	}
}

// blockStart is the first node of n's block, if the key changed before it; nil if it changed within the block.
func blockStart(n *node) *node {
	for {
		if changes(n.step) != nil {
			return nil
		}
		if n.kind == mergeNode || n.in[0].block != n.block {
			return n
		}
		n = n.in[0]
	}
}

// needLabel is what a topic in front of a step is called.
func needLabel(n *node) string {
	switch j := n.step.(type) {
	case *model.Join:
		return n.block.Label + "-" + j.As
	case *model.StreamJoin:
		return n.block.Label + "-" + j.As
	case *model.TableJoin:
		return n.block.Label + "-" + j.As
	}
	return n.block.Label
}
