package plan

import (
	"slices"
	"strconv"

	"github.com/streamgen/streamgen/spec/model"
)

// addCogroup makes the nodes of a cogroup: for each input one that adds to the state, in front of it one that finds its windows, from which
// late records go another way, all to one node. They have one store, that of the first. With emit = "every" what they change goes on through one node.
func (p *planner) addCogroup(b *model.Block, s *model.Cogroup, rank int) *node {
	var all, lates []*node
	rows := p.made(b, slices.Index(b.Steps, model.Step(s)))
	for i, in := range s.Inputs {
		end := p.ref(b.From[i])
		n := &node{kind: updateNode, block: b, step: in, rank: rank, in: []*node{end}, reader: rows, input: i, via: b.From[i].Block.Label}
		if b.Window != nil {
			w := p.add(&node{kind: windowNode, block: b, making: in, rank: rank, in: []*node{end}, reader: in.In, input: i, via: n.via})
			n.in = []*node{w}
			lates = append(lates, p.add(&node{kind: lateNode, block: b, making: in, rank: rank, in: n.in, reader: in.In, input: i, via: n.via}))
		}
		if i > 0 {
			n.group = all[0]
		}
		all = append(all, p.add(n))
	}
	if len(lates) > 0 {
		p.lates[b] = p.add(&node{kind: mergeNode, block: b, rank: rank, in: lates, reader: b.Window.Late})
	}
	if all[0].updates() {
		return all[0]
	}
	return p.add(&node{kind: mergeNode, block: b, rank: rank, in: all, reader: rows})
}

// keeper is the node that keeps the rows which leave n: of a cogroup the first of those that add to its state.
func (n *node) keeper() *node {
	if n.kind == mergeNode && n.in[0].kind == updateNode {
		return n.in[0]
	}
	return n
}

// cogroupOf is the cogroup of a block, or nil.
func cogroupOf(b *model.Block) *model.Cogroup {
	for _, s := range b.Steps {
		if s, ok := s.(*model.Cogroup); ok {
			return s
		}
	}
	return nil
}

// inputLabel tells the nodes of a cogroup apart in names.
func (n *node) inputLabel() string {
	if n.via == "" {
		return n.block.Label
	}
	for _, r := range n.block.From[:n.input] {
		if r.Block.Label == n.via {
			return n.block.Label + "-" + n.via + "-" + strconv.Itoa(n.input+1)
		}
	}
	return n.block.Label + "-" + n.via
}

// shareStores gives all inputs of a cogroup its store.
func (p *planner) shareStores() {
	for _, n := range p.nodes {
		if n.group != nil && n.group.store != nil {
			n.store = n.group.store
			n.store.Inputs = max(n.store.Inputs, n.input+1)
		}
	}
}
