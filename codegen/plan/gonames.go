package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/codegen/names"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
)

// namesPass gives everything its name: sub-topologies as the lock file and metrics know them, and what the generated code
// declares. Constants have prefixes by role (topicOrders, sourceOrders, posOrdersFilter), so only names of one role can meet;
// those that do are told apart by the kind of block they come from.
func (p *planner) namesPass() {
	p.plan.Package = names.Package(p.plan.App)
	p.plan.SpecFiles = p.files()
	p.nameSubTopologies()
	p.namePositions()
	p.nameTopics()
	used := map[string]bool{"t": true, "v": true} // of the package; t and v are parameters of constructors, which name the type
	for _, s := range p.plan.SubTopologies {
		s.Go = names.Free(used, "Topology", names.Lower(s.Name))
		used["new"+names.UpperFirst(s.Go)] = true
		if s.File = names.File(s.Name); reservedFiles[s.File] {
			s.File += "_topology"
		}
		s.File += "_gen.go"
	}
	p.nameGlobals(used)
	for _, s := range p.plan.Stores {
		s.Go = names.Free(used, "Store", names.Lower(s.Name))
	}
	for _, v := range p.plan.Variables {
		v.Go = names.Free(used, "Variable", names.Lower(v.Label))
	}
	for _, s := range p.plan.Parts() {
		p.nameMembers(s, used)
	}
	p.importNames(used)
}

// reservedFiles are written beside those of the sub-topologies.
var reservedFiles = map[string]bool{"app": true, "positions": true, "main": true, "doc": true}

// files are the files of the spec that the plan comes from.
func (p *planner) files() []string {
	var files []string
	add := func(name string) {
		if name != "" {
			files = appendNew(files, baseName(name))
		}
	}
	add(p.model.App.Pos.File)
	for _, r := range p.model.Records {
		add(r.Pos.File)
	}
	for _, e := range p.model.Enums {
		add(e.Pos.File)
	}
	for _, v := range p.model.Variables {
		add(v.Pos.File)
	}
	for _, f := range p.model.Functions {
		add(f.Pos.File)
	}
	for _, b := range p.model.Blocks {
		add(b.Pos.File)
	}
	for _, s := range p.model.Sinks {
		add(s.Pos.File)
	}
	slices.SortFunc(files, diag.CompareFiles)
	return files
}

// nameSubTopologies names each by the most downstream block with state, else rekey-<block> before a repartition, else its last
// block. The steps of one block may lie in several sub-topologies: all but the last are then named by the step too, as their
// repartitions are.
func (p *planner) nameSubTopologies() {
	depth := p.depths()
	used := map[string]bool{}
	for i := len(p.plan.SubTopologies) - 1; i >= 0; i-- { // from the end: the last part of a block has its plain name
		s := p.plan.SubTopologies[i]
		var state, cut, last, read *node
		for _, n := range p.nodes {
			switch {
			case n.kind == repartitionNode && n.in[0].sub == s:
				if cut == nil || n.rank < cut.rank {
					cut = n
				}
			case n.sub != s || n.kind == sinkNode:
			case n.kind == repartitionNode:
				read = deeper(read, n, depth)
			case n.stateful():
				state = deeper(state, n, depth)
			default:
				last = deeper(last, n, depth)
			}
		}
		if last == nil { // it only sends on what it reads
			last = read
		}
		s.Name = pick(used, candidates(state, cut, last))
	}
}

// candidates are the names of a sub-topology, the best first.
func candidates(state, cut, last *node) []string {
	switch {
	case state != nil && (state.kind == lookupNode || state.kind == sideNode || state.kind == waitNode):
		return []string{state.block.Label, needLabel(state), state.block.Label + "-" + state.block.Kind.String()}
	case state != nil && state.kind == subscribedNode:
		return []string{needLabel(state), needLabel(state) + "-" + state.block.Kind.String()}
	case state != nil:
		return []string{state.block.Label, state.block.Label + "-" + state.block.Kind.String()}
	case cut != nil:
		return []string{"rekey-" + cut.block.Label, "rekey-" + cut.repartition.label}
	default:
		return []string{last.block.Label, last.block.Label + "-" + last.block.Kind.String()}
	}
}

// pick is the first candidate that is free. Labels differ within a kind, so one is, but for labels that imitate it.
func pick(used map[string]bool, candidates []string) string {
	for _, c := range candidates {
		if !used[c] {
			used[c] = true
			return c
		}
	}
	return pick(used, []string{candidates[len(candidates)-1] + "-x"})
}

// depths counts, for each node, the longest way of blocks that leads to it.
func (p *planner) depths() map[*node]int {
	depth := make(map[*node]int, len(p.nodes))
	for _, n := range p.nodes {
		from := n.in
		if n.table != nil {
			from = append(slices.Clone(from), n.table)
		}
		for _, m := range from {
			d := depth[m]
			if m.block != n.block {
				d++
			}
			depth[n] = max(depth[n], d)
		}
	}
	return depth
}

// deeper is the more downstream of two nodes; of equals the one that stands first in the files, so that what is added below
// renames nothing.
func deeper(a, b *node, depth map[*node]int) *node {
	switch {
	case a == nil || depth[b] > depth[a]:
		return b
	case depth[b] == depth[a] && (b.rank < a.rank || b.block == a.block && b.id > a.id):
		return b
	default:
		return a
	}
}

// namePositions puts positions into file order and names them.
func (p *planner) namePositions() {
	slices.SortStableFunc(p.plan.Positions, func(a, b *Position) int {
		return cmp.Or(compareRanges(a.Pos, b.Pos), strings.Compare(a.Address, b.Address))
	})
	count := map[string]int{}
	short := func(q *Position) string { return names.Role("pos", addressWords(q.Address)...) }
	for _, q := range p.plan.Positions {
		count[short(q)]++
	}
	used := map[string]bool{}
	for i, q := range p.plan.Positions {
		q.Index = i
		q.Go = short(q)
		if count[q.Go] > 1 {
			q.Go = names.Role("pos", strings.Split(q.Address, ".")...)
		}
		q.Go = names.Free(used, "X", q.Go)
	}
}

// addressWords is an address without the kind of its block: "stream.enriched.join.customer" is enriched, join, customer.
func addressWords(address string) []string { return strings.Split(address, ".")[1:] }

// nameTopics names topics as Kafka does; internal ones without the app's prefix.
func (p *planner) nameTopics() {
	used := map[string]bool{}
	for _, t := range p.plan.Topics {
		name := t.Name
		if t.Kind == Repartition {
			name = strings.TrimPrefix(name, p.plan.App+"-")
		}
		t.Go = names.Free(used, "X", names.Role("topic", name), names.Role("topic", append([]string{name}, addressWords(t.Origin)...)...))
	}
}

// nameMembers names the constants of a sub-topology's sources and its methods.
func (p *planner) nameMembers(s *SubTopology, pkg map[string]bool) {
	members := map[string]bool{"task": true, "Process": true, "Flush": true}
	for _, store := range s.Stores {
		if j := store.Join; j == nil {
			members[store.Go] = true
		} else if j.Go == "" {
			j.Go = names.Free(members, "Join", names.Lower(strings.TrimSuffix(store.Name, "-left")), names.Lower(store.Name))
		}
	}
	for _, g := range s.Globals {
		members[g.Go] = true
	}
	for _, n := range p.nodes {
		if n.source != nil && n.sub == s {
			n.source.Go = names.Free(pkg, "X", names.Role("source", n.label()),
				names.Role("source", n.label(), n.block.Kind.String()))
		}
	}
	for _, f := range s.Funcs {
		st := p.starts[f]
		f.Go = names.Free(members, "Again", methodNames(st)...)
		f.Doc = doc(st)
	}
}

// methodNames are names of the method that a Func is, the best one first: what it does, and with what.
func methodNames(st *start) []string {
	n, kind := st.node, st.fn.Kind
	if first := st.first(); kind == FromFunc && first.kind == joinNode {
		return []string{names.Role("join", first.label(), first.sideWord()), names.Role("join", needLabel(first), first.sideWord())}
	}
	verb, label := "to", n.label()
	switch {
	case kind == FromFlush:
		verb, label = "flush", n.store.Name
		if n.store.Final {
			verb = "close"
		}
		if n.kind == suppressNode {
			verb = "leave"
		}
	case kind == FromEnd:
		verb, label = "end", n.store.Name
	case n.kind == lateNode:
		verb, label = "drop", label+"-late"
	case kind == FromWait:
		verb, label = "waited", needLabel(n)
	case kind == FromJoin:
		verb, label = "joined", needLabel(n)
	case n.kind == sideNode:
		verb, label = "meet", needLabel(n)+"-"+n.sideWord()
	case kind == FromRows:
		verb = "row"
	case kind == FromTurn:
		verb = "turn"
	case kind == FromSource && n.source.Table:
		verb = "put"
	case kind == FromSource:
		verb = "read"
	case n.kind == repartitionNode:
		label += "-repartition"
	case n.kind == differNode:
		n = st.first()
		label = n.label()
	}
	second := n.kindWord()
	if j, ok := n.step.(*model.TableJoin); ok {
		second = j.As
	}
	return []string{names.Role(verb, label), names.Role(verb, label, second)}
}

// first is the first node that a Func runs and that does more than to end changes which change nothing.
func (st *start) first() *node {
	for _, n := range st.runs {
		if n.kind != differNode {
			return n
		}
	}
	return st.node
}

// sideWord is the side of a join that the node is.
func (n *node) sideWord() string {
	if n.kind == sideNode && n.side == 1 || n.kind == joinNode && n.out[0].in[0] != n {
		return "right"
	}
	return "left"
}

// label is what a node is called in names: by its block or sink, a case with its branch, a repartition by its topic.
func (n *node) label() string {
	switch {
	case n.sink != nil:
		return n.sink.Label
	case n.repartition != nil:
		return n.repartition.label
	case n.cse != nil:
		return n.block.Label + "-" + n.cse.Label
	default:
		return n.inputLabel()
	}
}

func (n *node) kindWord() string {
	switch {
	case n.sink != nil:
		return "sink"
	case n.repartition != nil:
		return "repartition"
	default:
		return n.block.Kind.String()
	}
}

// doc says what a Func does, from the addresses of what it runs: "takes a record of stream.orders through stream.enriched to
// sink.orders_enriched."
func doc(st *start) string {
	var blocks []string
	var about []string
	for _, n := range st.runs {
		if n.kind == subscribedNode {
			continue
		}
		if n.kind == repartitionNode && n != st.node {
			blocks = append(blocks, "the repartition "+n.repartition.label)
			continue
		}
		address := n.owner()
		if n.kind == caseNode {
			address = n.address()
		}
		blocks = appendNew(blocks, address)
		if d := n.description(); d != "" {
			about = appendNew(about, d)
		}
	}
	var b strings.Builder
	switch first := st.node; {
	case first.kind == suppressNode && st.fn.Kind == FromFunc:
		b.WriteString("takes a record to " + first.address())
	case first.kind == suppressNode:
		b.WriteString("takes what leaves the suppress of " + first.block.Address())
		if len(blocks) > 0 && blocks[0] == first.block.Address() {
			blocks = blocks[1:]
		}
		b.WriteString(onwards(blocks))
	case st.fn.Kind == FromFlush && first.store.Final:
		b.WriteString("takes a row of a closed window of " + first.block.Address())
		if len(blocks) > 0 && blocks[0] == first.block.Address() {
			blocks = blocks[1:]
		}
		b.WriteString(onwards(blocks))
	case first.kind == lateNode:
		b.WriteString("takes a record that is too late for " + first.block.Address() + onwards(blocks[1:]))
	case st.fn.Kind == FromWait:
		b.WriteString("takes a record that has waited in " + first.address() + onwards(blocks[1:]))
	case st.fn.Kind == FromJoin:
		b.WriteString("takes a result of " + first.address() + onwards(blocks[1:]))
	case first.kind == sideNode:
		b.WriteString("takes a record to the " + first.sideWord() + " side of " + first.address())
	case st.fn.Kind == FromFunc && st.first().kind == joinNode:
		join := st.first()
		b.WriteString("takes a record to the " + join.sideWord() + " side of " + join.address() + onwards(slices.DeleteFunc(blocks, func(address string) bool {
			return address == first.block.Address() || address == join.block.Address()
		})))
	case st.fn.Kind == FromRows:
		b.WriteString("works out the row of " + first.block.Address())
	case st.fn.Kind == FromTurn:
		b.WriteString("is the event time by which a record of " + first.block.Address() + " takes its turn: negative if it has none")
	case st.fn.Kind == FromFlush, st.fn.Kind == FromEnd:
		what := "takes a changed row of "
		if st.fn.Kind == FromEnd {
			what = "takes a row that has ended of "
		}
		b.WriteString(what + first.block.Address())
		if len(blocks) > 0 && blocks[0] == first.block.Address() {
			blocks = blocks[1:]
		}
		b.WriteString(onwards(blocks))
	case first.kind == repartitionNode && first.repartition.link != nil:
		b.WriteString(first.repartition.link.doc() + onwards(blocks[1:]))
	case first.kind == repartitionNode && st.fn.Kind == FromSource:
		b.WriteString("takes a record of the repartition " + first.repartition.label)
		b.WriteString(onwards(blocks[1:]))
	case first.kind == repartitionNode:
		b.WriteString("writes to the repartition " + first.repartition.label)
	case len(blocks) == 1 && first.kind == sinkNode:
		b.WriteString("writes to " + blocks[0])
	case st.fn.Kind == FromSource:
		b.WriteString("takes a record of " + blocks[0] + onwards(blocks[1:]))
	default:
		b.WriteString("takes a record" + onwards(blocks))
	}
	b.WriteByte('.')
	for _, d := range about {
		b.WriteByte(' ')
		b.WriteString(strings.TrimRight(d, ". \n"))
		b.WriteByte('.')
	}
	return b.String()
}

// onwards is the way from the second block on.
func onwards(blocks []string) string {
	switch len(blocks) {
	case 0:
		return ""
	case 1:
		return " to " + blocks[0]
	default:
		return " through " + strings.Join(blocks[:len(blocks)-1], ", ") + " to " + blocks[len(blocks)-1]
	}
}

// description is what the spec says about the node's block, if the node is where a reader would look for it.
func (n *node) description() string {
	switch {
	case n.kind == sinkNode:
		return n.sink.Description
	case n.kind == repartitionNode:
		return ""
	case n.cse != nil:
		return n.cse.Description
	case n.kind == sourceNode || n.kind == branchNode || n.in[0].block != n.block:
		return n.block.Description
	}
	return ""
}
