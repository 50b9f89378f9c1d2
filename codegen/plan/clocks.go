package plan

import (
	"github.com/streamgen/streamgen/spec/model"
)

// clocksPass warns of sources whose event times are trusted blindly where windows depend on them: one that falls silent keeps the last
// windows open, and one record with a time far ahead closes all of them.
func (p *planner) clocksPass() {
	final, windowed := map[*model.Block]*node{}, map[*model.Block]*node{}
	for _, n := range p.nodes {
		suppress, _ := n.step.(*model.Suppress)
		switch {
		case n.kind == suppressNode && suppress.Close, n.kind == updateNode && n.store.Final:
			noteSources(n, final)
		case n.kind == windowNode && n.block.Window.Kind != model.Unlimited:
			noteSources(n, windowed)
		}
	}
	for _, n := range p.byFile(sourceNode) {
		t := n.block.Source.Time
		if t == nil {
			t = &model.Time{}
		}
		if t.Processing {
			continue
		}
		if at := final[n.block]; at != nil && t.Idle == 0 && !t.NeverIdle {
			p.diags.Warnf("SG1902", n.pos(), "where %s falls silent, the last windows of %s stay open", n.block.Address(), at.block.Address()).
				WithHint(`time { idle = "30s" }, or "never"`).WithRelated(at.pos(), "what leaves here waits for their end")
		}
		if at := windowed[n.block]; at != nil && t.MaxFuture == 0 && !t.AnyFuture {
			p.diags.Warnf("SG1903", n.pos(), "one record of %s with a time far ahead closes every window of %s", n.block.Address(), at.block.Address()).
				WithHint(`time { max_future = "1h" }, or "never"`).WithRelated(at.block.Window.Pos, "the window")
		}
	}
}

// noteSources notes a node for each source that leads to it and has none.
func noteSources(n *node, first map[*model.Block]*node) {
	seen := map[*node]bool{}
	var visit func(*node)
	visit = func(m *node) {
		if seen[m] {
			return
		}
		seen[m] = true
		if m.kind == sourceNode && first[m.block] == nil {
			first[m.block] = n
		}
		for _, in := range m.in {
			visit(in)
		}
	}
	visit(n)
}
