package plan

import (
	"cmp"
	"slices"

	"github.com/streamgen/streamgen/spec/types"
)

// copartitionPass compares the topics whose records meet by key: the two sides of a join, and merged streams in front of any
// step with state. Equal keys must be equal bytes, in equal partitions. Counts are compared when the program starts.
func (p *planner) copartitionPass() {
	for _, n := range p.nodes {
		if n.kind == dedupNode && n.in[0].change != nil {
			p.apart(n)
		}
		if !n.stateful() && n.kind != joinedNode || n.kind == sideNode || n.kind == waitNode || n.kind == answerNode { // looked at with what stands behind them, or sent to the partition that asked
			continue
		}
		var roots []*node
		seen := map[*node]bool{}
		for _, m := range n.in {
			collectRoots(m, seen, &roots)
		}
		if n.table != nil {
			collectRoots(n.table, seen, &roots)
		}
		if n.group != nil {
			collectRoots(n.group, seen, &roots)
		}
		for _, r := range roots[1:] {
			if p.compareKeys(n, roots[0], r); p.diags.HasErrors() {
				break // one message a step
			}
		}
	}
	p.fixedCounts()
	p.readTwice()
}

// apart refuses a step that keeps state a partition, where equal keys may lie in different ones.
func (p *planner) apart(n *node) {
	c := n.in[0].change
	p.diags.Errorf("SG1403", n.pos(), "equal keys may lie in different partitions here: the key changed at %s", place(c.at)).
		WithDetail("%s remembers what passed in its partition, and nothing says by what the records are to be partitioned", n.address()).
		WithHint("`repartition \"by-key\" {}` above it, or dedup above the change").
		WithRelated(c.at, "the key changes here: %s", c.text)
}

// collectRoots finds the topics whose keys a node sees.
func collectRoots(n *node, seen map[*node]bool, roots *[]*node) {
	if seen[n] {
		return
	}
	seen[n] = true
	if n.read() {
		*roots = append(*roots, n)
		return
	}
	for _, m := range n.in {
		collectRoots(m, seen, roots)
	}
}

func (p *planner) compareKeys(n, a, b *node) {
	if !a.rawKey.Elem().same(b.rawKey.Elem()) { // a key with a window lies where the one within does
		p.diags.Errorf("SG1401", n.pos(), "keys differ: %s from %s, %s from %s", keyText(a, b), a.address(), keyText(b, a), b.address()).
			WithDetail("records meet by the bytes of their keys").
			WithHint("re-key one side: select_key { key = … }").
			WithRelated(a.pos(), "%s has its key from here", a.owner()).
			WithRelated(b.pos(), "%s has its key from here", b.owner())
		return
	}
	if x, y := a.partitioner(), b.partitioner(); x != y {
		p.diags.Errorf("SG1404", n.pos(), "sides are partitioned by %s and %s", x, y).
			WithDetail("equal keys of %s and %s lie in different partitions", a.owner(), b.owner()).
			WithHint("repartition \"x\" {} on one side").
			WithRelated(a.pos(), "%s here", x).
			WithRelated(b.pos(), "%s here", y)
	}
}

// keyText is the type of n's key, or its format where the types do not tell it from m's.
func keyText(n, m *node) string {
	if a, b := types.NonNull(n.rawKey.Type), types.NonNull(m.rawKey.Type); !types.Equal(a, b) {
		return a.String()
	}
	return "format " + n.rawKey.Name
}

const murmur2 = "murmur2"

// partitioner is that of the topic that a node reads; the engine writes its own topics with Kafka's.
func (n *node) partitioner() string {
	if n.kind == repartitionNode {
		return murmur2
	}
	return cmp.Or(n.block.Source.Partitioner, murmur2)
}

// fixedCounts compares the counts that written repartitions fix, where two of them meet.
func (p *planner) fixedCounts() {
	for _, n := range p.nodes {
		if n.table == nil && n.kind != joinedNode && n.group == nil || n.kind == repartitionNode {
			continue
		}
		var roots []*node
		seen := map[*node]bool{}
		for _, m := range n.in {
			collectRoots(m, seen, &roots)
		}
		if n.table != nil {
			collectRoots(n.table, seen, &roots)
		}
		if n.group != nil {
			collectRoots(n.group, seen, &roots)
		}
		var first *node
		for _, r := range roots {
			switch {
			case r.repartition == nil || r.repartition.partitions == 0:
			case first == nil:
				first = r
			case first.repartition.partitions != r.repartition.partitions:
				p.diags.Errorf("SG1406", r.pos(), "%d partitions here, %d on the other side of %s", r.repartition.partitions,
					first.repartition.partitions, n.address()).
					WithDetail("equal keys lie in equal partitions only if both sides have as many").
					WithHint("give both the same number, or leave it out on one side").
					WithRelated(first.pos(), "the other side is fixed here")
			}
		}
	}
}

// readTwice refuses a topic that two blocks read: a task reads each partition once.
func (p *planner) readTwice() {
	first := map[string]*node{}
	var sources []*node
	for _, n := range p.nodes {
		if n.kind == sourceNode {
			sources = append(sources, n)
		}
	}
	slices.SortStableFunc(sources, func(a, b *node) int { return a.rank - b.rank })
	for _, n := range sources {
		for _, topic := range n.block.Source.Topics {
			other := first[topic]
			if other == nil {
				first[topic] = n
				continue
			}
			p.diags.Errorf("SG1405", n.pos(), "topic %q is read twice: here and by %s", topic, other.address()).
				WithHint("read it once, and write from = %s where it is needed again", other.address()).
				WithRelated(other.pos(), "it is read here first")
		}
	}
}
