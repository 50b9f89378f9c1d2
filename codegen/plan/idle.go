package plan

import (
	"slices"
	"time"

	"github.com/streamgen/streamgen/spec/model"
)

// Idle is a store whose stream time passes while the sources that lead to it are silent, because something waits in it for that.
type Idle struct {
	Store   *Store        // of a join of two streams the left one
	Sources []*Source     // in their order
	Behind  time.Duration // how long others hold back what comes to it, at most
}

// silence is what is known of a node's records while no records come: by which sources they come, how long these have to be silent
// (0: time does not pass without records), and how long they may be held back on the way.
type silence struct {
	sources []*Source
	idle    time.Duration
	behind  time.Duration
}

// idlePass finds the stores that hold something back until stream time has passed, where every source that leads to them says how long it
// has to be silent. Windows behind which a suppress waits for their end are passed with it, so that what it has sent stays closed.
func (p *planner) idlePass() {
	f := &idling{p: p, before: map[*node]*silence{}}
	closing := p.closingWindows()
	for _, n := range p.nodes {
		s := f.in(n)
		if n.source != nil {
			n.source.Idle = s.idle
		}
		st := n.store
		if n.kind == joinedNode {
			st = n.join.Left
		}
		if s.idle == 0 || n.group != nil || n.holds() == 0 && (st == nil || st.TTL == 0 && !closing[st]) {
			continue
		}
		idle := &Idle{Store: st, Sources: slices.Clone(s.sources), Behind: s.behind}
		slices.SortFunc(idle.Sources, func(a, b *Source) int { return slices.Index(n.sub.Sources, a) - slices.Index(n.sub.Sources, b) })
		n.sub.Idles = append(n.sub.Idles, idle)
	}
}

type idling struct {
	p      *planner
	before map[*node]*silence
}

// in is what is known of the records that come to n, which for a cogroup come to its inputs. One that never is silent keeps the others
// awake.
func (f *idling) in(n *node) *silence {
	if s := f.before[n]; s != nil {
		return s
	}
	s := &silence{}
	f.before[n] = s
	var in []*node
	for _, m := range f.p.nodes {
		if m == n || m.group == n {
			in = append(in, m.in...)
		}
	}
	for i, m := range in {
		from := f.out(m)
		if i == 0 || from.idle == 0 {
			s.idle = from.idle
		} else if s.idle > 0 {
			s.idle = max(s.idle, from.idle)
		}
		s.behind = max(s.behind, from.behind)
		for _, x := range from.sources {
			s.sources = appendNew(s.sources, x)
		}
	}
	if n.kind == sourceNode && n.block.Source.Time != nil {
		s.idle = n.block.Source.Time.Idle
	}
	return s
}

// out is what is known of the records that leave n.
func (f *idling) out(n *node) silence {
	s := *f.in(n)
	if n.source != nil {
		s.sources = []*Source{n.source}
	}
	if h := n.holds(); h > 0 && s.idle > 0 {
		s.behind += h + s.idle // time passes in steps
	}
	return s
}

// holds is how long what comes to a node may wait there for stream time to pass, 0 if nothing does.
func (n *node) holds() time.Duration {
	switch {
	case n.kind == updateNode && n.store != nil && n.store.Final && n.block.Window != nil:
		w := n.block.Window
		return w.Size + w.Grace
	case n.kind == suppressNode:
		s := n.step.(*model.Suppress)
		if !s.Close {
			return s.Limit
		}
		w := n.store.Window
		return w.Size + w.Grace
	case n.kind == joinedNode && (n.join.Kept[0] || n.join.Kept[1]):
		j := n.join.Step
		return j.Before + j.After + j.Grace
	case n.kind == waitNode:
		return n.step.(*model.Join).Grace
	}
	return 0
}

// closingWindows are the windows whose rows a suppress sends on when they close.
func (p *planner) closingWindows() map[*Store]bool {
	found := map[*Store]bool{}
	var visit func(*node)
	visit = func(n *node) {
		if n.kind == updateNode && n.block.Window != nil && n.store != nil {
			found[n.store] = true
			return
		}
		for _, m := range n.in {
			visit(m)
		}
	}
	for _, n := range p.nodes {
		if s, ok := n.step.(*model.Suppress); ok && n.kind == suppressNode && s.Close {
			visit(n.in[0])
		}
	}
	return found
}
