package plan

import (
	"slices"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
)

// New makes the plan of a program that the checker found no error in. With errors in the list the plan is nil. The same
// program gives the same plan, always.
func New(m *model.Program) (*Plan, diag.List) {
	p := &planner{model: m, plan: &Plan{
		App:               m.App.Label,
		Description:       m.App.Description,
		Guarantee:         m.App.Guarantee,
		CommitInterval:    m.App.CommitInterval,
		ReplicationFactor: m.App.ReplicationFactor,
		TopicConfig:       m.App.TopicConfig,
	}}
	for _, pass := range passes { // a mistake does not keep the others from being found
		pass.run(p)
		if afterPass != nil {
			afterPass(pass.name, p)
		}
	}
	p.diags.Sort()
	if p.diags.HasErrors() {
		return nil, p.diags
	}
	return p.plan, p.diags
}

// afterPass looks on in tests.
var afterPass func(pass string, p *planner)

// passes make the plan. Each stands where it does because of what the comment says; each has a file of its own.
var passes = []struct {
	name string
	run  func(*planner)
}{
	{"graph", (*planner).graphPass},             // first: all others walk it. What nobody reads is gone from here on
	{"keys", (*planner).keysPass},               // says where equal keys may lie in different partitions, with the cause
	{"repartition", (*planner).repartitionPass}, // cuts the graph there; behind it edges are in process unless a topic stands on them
	{"origins", (*planner).originsPass},         // where a record was read from is known until a topic or a row stands in between: needs the cuts
	{"formats", (*planner).formatsPass},         // which bytes pass through: needs the cuts, and decides the formats of their topics
	{"copartition", (*planner).copartitionPass}, // compares what meets at a step: needs the cuts and the key formats of both sides
	{"stores", (*planner).storesPass},           // names and shapes state; key formats are known
	{"components", (*planner).componentsPass},   // divides the graph: a lookup ties two parts by the store, so stores come first
	{"projection", (*planner).projectionPass},   // which fields are read: from the sinks back to the sources, through the topics
	{"topics", (*planner).topicsPass},           // all that is read or written is known; sends need them
	{"fusion", (*planner).fusionPass},           // functions and the state at each operation: needs all of the above
	{"ahead", (*planner).aheadPass},             // which rows can be read before they are asked for: walks the functions
	{"idle", (*planner).idlePass},               // where stream time passes without records: wants to know which stores hold something back
	{"clocks", (*planner).clocksPass},           // warns of sources that windows trust; wants to know which results are final
	{"types", (*planner).typesPass},             // the types that the functions and stores mention
	{"names", (*planner).namesPass},             // last: everything that gets a Go name is there
	{"verify", (*planner).verifyPass},           // what the emitter relies on
}

// planner is what the passes share. Each pass fills in its part of the nodes.
type planner struct {
	model *model.Program
	plan  *Plan
	diags diag.List

	nodes []*node // in topological order: what a node reads stands before it
	ends  map[*model.Block]*node
	cases map[*model.Case]*node
	lates map[*model.Block]*node // the node that late records of a table come from

	positions map[string]*Position
	starts    map[*Func]*start
}

// position is the position of an address, made at its first use.
func (p *planner) position(address string, at diag.Range, onError model.OnError) *Position {
	if q := p.positions[address]; q != nil {
		return q
	}
	q := &Position{Address: address, Pos: at, OnError: onError}
	if p.positions == nil {
		p.positions = map[string]*Position{}
	}
	p.positions[address] = q
	p.plan.Positions = append(p.plan.Positions, q)
	return q
}

func (p *planner) stepPosition(s model.Step) *Position {
	b := s.Base()
	return p.position(b.Address, b.Pos, b.OnError)
}

func (p *planner) blockPosition(b *model.Block) *Position {
	return p.position(b.Address(), b.Pos, b.OnError)
}

// kind is what a node does with a record.
type kind uint8

const (
	sourceNode      kind = iota + 1
	stepNode             // filter, map_values, select_key, group_by, map, peek
	lookupNode           // join with a table
	putNode              // writes a table: of a source, or to_table
	updateNode           // count, aggregate, reduce
	suppressNode         // holds changes back
	dedupNode            // has a store of its own, by an expression
	sideNode             // a side of a join of two streams
	joinedNode           // the results of one
	waitNode             // in front of a lookup: its records wait for late rows
	repartitionNode      // a topic: what is behind it runs in another sub-topology
	windowNode           // finds the windows of a record, in front of an updateNode
	lateNode             // what is too late for one of them
	mergeNode            // several inputs
	branchNode           // goes on in one of its cases
	caseNode
	sinkNode
	rowNode    // filter, map_values on rows
	differNode // ends what changes nothing
	joinNode   // one side of a join of tables; a mergeNode joins both
	groupNode  // group_by of rows: writes the repartition behind it
	globalNode // join with a global table

	// Of a join by a foreign key.
	subscribeNode  // the left side: writes subscriptions
	subscribedNode // the right side: takes them
	tellNode       // changes of right rows
	answerNode     // the left side: takes answers
)

// node is a place that records pass. The graph has one for each step and each end of the program.
type node struct {
	kind   kind
	id     int // place in planner.nodes
	rank   int // place in the files of its block or sink: consumers of one node run in this order
	block  *model.Block
	step   model.Step // of steps, lookups, making steps and written repartitions
	making model.Step // of a window and its late records: the making step
	input  int        // of a cogroup: which of its inputs
	via    string     // of a cogroup: what it reads
	group  *node      // of a cogroup: the node of its first input, whose store it has; nil for that
	cse    *model.Case
	sink   *model.Sink

	in, out []*node
	table   *node        // whose rows are looked up: of a lookup the table's last node, of a side of a join that of the other side. Of a topic of a join by a foreign key: whose rows its keys name
	global  *node        // of a join with a global table: where its rows are put
	side    int          // of a side: 0 left, 1 right
	named   *model.Store // of a put or update: the step that names its store
	suffix  string       // of the name of a store that has none, behind its table's
	pairs   bool         // of an update: it takes new and old rows of groups
	repeats bool         // a row goes on that a record leaves as it is; a group takes it away and adds it
	reader  model.Schema // what consumers are given; of a table node its changes

	origin      *rewrite     // origins: why the source record is not at hand; of what leaves the node
	change      *change      // keys: where the key changed on the way out of this node
	repartition *repartition // repartition
	rawKey      *Format      // formats: of the bytes that are at hand behind this node; nil: none
	rawValue    *Format
	store       *Store       // stores: of a put or update
	join        *Join        // stores: of the sides and the results of a join
	foreign     *Foreign     // of the nodes of a join by a foreign key
	sub         *SubTopology // components
	source      *Source      // components: of a source or, as read, of a repartition
	need        need         // projection: what this node and all behind it want of what comes in
}

// address is how a spec names the node.
func (n *node) address() string {
	switch {
	case n.sink != nil:
		return n.sink.Address()
	case n.cse != nil:
		return n.cse.Address
	case n.step != nil:
		return n.step.Base().Address
	case n.making != nil:
		return n.making.Base().Address
	default:
		return n.block.Address()
	}
}

// maker is the step that the node is or belongs to.
func (n *node) maker() model.Step {
	if n.making != nil {
		return n.making
	}
	return n.step
}

func (n *node) pos() diag.Range {
	switch {
	case n.sink != nil:
		return n.sink.Pos
	case n.cse != nil:
		return n.cse.Pos
	case n.step != nil:
		return n.step.Base().Pos
	case n.making != nil:
		return n.making.Base().Pos
	default:
		return n.block.Pos
	}
}

// owner is the address of the block or sink that the node belongs to.
func (n *node) owner() string {
	if n.sink != nil {
		return n.sink.Address()
	}
	return n.block.Address()
}

// updates says whether what the node writes does not go on at once, but at a commit or when a window closes.
func (n *node) updates() bool {
	return n.kind == suppressNode || (n.kind == updateNode || n.kind == putNode && n.step != nil) && (n.block.Emit == model.EmitUpdates || n.block.Emit == model.EmitFinal)
}

// stateful says whether the node works on state by key.
func (n *node) stateful() bool {
	return n.kind == lookupNode || n.kind == updateNode || n.kind == suppressNode || n.kind == putNode || n.kind == windowNode || n.kind == sideNode ||
		n.kind == waitNode || n.kind == joinNode || n.kind == subscribedNode || n.kind == answerNode
}

// read says whether the node is where records enter a sub-topology.
func (n *node) read() bool { return n.kind == sourceNode || n.kind == repartitionNode }

// sort brings nodes into topological order, with ties in the order in which they stand, and consumers into file order.
func (p *planner) sort() {
	done := make(map[*node]bool, len(p.nodes))
	order := make([]*node, 0, len(p.nodes))
	var visit func(*node)
	visit = func(n *node) {
		if done[n] {
			return
		}
		done[n] = true
		for _, m := range n.in {
			visit(m)
		}
		if n.table != nil {
			visit(n.table)
		}
		if n.global != nil {
			visit(n.global)
		}
		n.out = nil
		order = append(order, n)
	}
	for _, n := range p.nodes {
		visit(n)
	}
	p.nodes = order
	for i, n := range p.nodes {
		n.id = i
		for _, m := range n.in {
			m.out = append(m.out, n)
		}
	}
	for _, n := range p.nodes {
		if n.kind != branchNode { // cases stay in their order
			slices.SortStableFunc(n.out, func(a, b *node) int { return a.rank - b.rank })
		}
	}
}
