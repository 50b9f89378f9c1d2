package plan

import (
	"fmt"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
)

// rewrite is why nobody knows any more where a record was read from.
type rewrite struct {
	what string // "the repartition x"
	text string // what stands at at
	at   diag.Range
}

// originsPass refuses topic, partition and offset where they are not those of the record that a source of the user's gave: behind a
// repartition, which writes it anew, and behind a making step, whose results are rows. Until then the record is at hand.
func (p *planner) originsPass() {
	for _, n := range p.nodes {
		for _, m := range n.in {
			if n.origin = m.origin; n.origin != nil {
				break
			}
		}
		if n.kind == joinedNode || n.kind == waitNode {
			n.origin = &rewrite{what: "a result of " + n.address(), text: "it is made here", at: n.pos()}
		}
		for _, e := range n.exprs() {
			model.Walk(e, func(e model.Expr) { p.originAt(n, e) })
		}
		switch {
		case n.kind == repartitionNode:
			n.origin = &rewrite{what: fmt.Sprintf("the repartition %q", n.repartition.label), text: "it is written here", at: n.pos()}
			if c := n.repartition.change; c != nil && !n.repartition.written {
				n.origin.text, n.origin.at = "the key changes here: "+c.text, c.at
			}
		case n.kind == putNode || n.kind == updateNode || n.kind == suppressNode:
			n.origin = &rewrite{what: "a row of " + n.block.Address(), text: "it is made here", at: n.pos()}
		}
	}
}

// originAt refuses e, read at n, if it asks for what is not known there.
func (p *planner) originAt(n *node, e model.Expr) {
	v, ok := e.(*model.Var)
	if !ok || !v.Root.IsOrigin() || n.origin == nil {
		return
	}
	name := text(v)
	p.diags.Errorf("SG1410", v.Pos, "%s is not at hand here: what comes is %s", name, n.origin.what).
		WithDetail("It says where a record was read from, and is known until the record is written anew.").
		WithHint("keep it in the value above: merge(value, { %s = %s })", name, name).
		WithRelated(n.origin.at, "%s", n.origin.text)
}

// exprs are the expressions that a node evaluates.
func (n *node) exprs() []model.Expr {
	switch {
	case n.eventTime() != nil && n.eventTime().Field != nil:
		return []model.Expr{n.eventTime().Field}
	case n.sink != nil:
		return model.SinkExprs(n.sink)
	case n.kind == branchNode:
		var list []model.Expr
		for _, c := range n.block.Cases {
			if c.Where != nil {
				list = append(list, c.Where)
			}
		}
		return list
	case n.step != nil && n.kind != sideNode && n.kind != waitNode:
		return model.Exprs(n.step)
	}
	return nil
}
