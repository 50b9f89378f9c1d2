package plan

import (
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// A join of tables by a foreign key runs where the rows of each side are, and two topics join them. It is four nodes:
//
//	left table ─▶ subscribe ─▶ (subscriptions) ─▶ subscribed ─▶ (answers) ─▶ answer ─▶ store of the results
//	                               right table ─▶ tell ──────────┘
//
// A left row subscribes to the right row that it names; that answers at once, and whenever it changes. An answer meets the left row as it
// is then. The results have a store: nothing else knows what was sent.

// Foreign is a join of tables by a foreign key.
type Foreign struct {
	Step          *model.TableJoin
	Store         *Store // of the subscriptions, where the right table is
	Subscriptions *Topic // by the foreign key
	Answers       *Topic // by the left key; written to the partition that asked
}

// The operations.
type (
	// Subscribe subscribes the change of a left row. It is the last operation of its Func.
	Subscribe struct {
		OpBase
		Foreign *Foreign
	}
	// Subscribed takes a subscription, and answers it with the row of the key. It is the only operation of its Func.
	Subscribed struct {
		OpBase
		Foreign *Foreign
		Right   Rows
	}
	// Tell lets the change of a right row be told to all that are subscribed to it, once the record is done with. It is the last operation
	// of its Func.
	Tell struct {
		OpBase
		Foreign *Foreign
	}
	// Answer meets an answer with the left row, and gives the result, or null. Stale ones end here.
	Answer struct {
		OpBase
		*model.TableJoin
		Foreign *Foreign
		Left    Rows
	}
)

// link is a topic of a join by a foreign key, in its repartition.
type link struct {
	*Foreign
	answers bool
}

// addForeign adds a join by a foreign key.
func (p *planner) addForeign(b *model.Block, s *model.TableJoin, left *node, rank int) *node {
	left, right := p.repeatingRows(left), p.ends[s.With]
	if s.Kind == model.Inner { // a left join would send the delete of what is not there on: see differPass
		right = p.repeatingRows(right)
	}
	j := &Foreign{Step: s}
	step := func(k kind, in, table *node) *node {
		return p.add(&node{kind: k, block: b, step: s, rank: rank, in: []*node{in}, table: table, foreign: j, reader: s.Out})
	}
	topic := func(label string, l *link, key types.Type, of *node, from ...*node) *node {
		n := p.add(&node{kind: repartitionNode, block: b, rank: rank, in: from, table: of, reader: model.Schema{Key: key, Value: types.Bytes}})
		n.repartition = &repartition{label: b.Label + "-" + s.As + "-" + label, link: l}
		return n
	}
	subscriptions := topic("subscription", &link{j, false}, types.OptionalOf(right.reader.Key), right, step(subscribeNode, left, nil))
	subscribed := step(subscribedNode, subscriptions, right)
	answers := topic("response", &link{j, true}, left.reader.Key, left, subscribed, step(tellNode, right, nil))
	answer := step(answerNode, answers, left)
	subscriptions.repartition.needs, answers.repartition.needs = []*node{subscribed}, []*node{answer}
	return answer
}

// repeatingRows is end, behind which come rows that stay as they are and deletes of rows that are not, if they come so far: whoever is
// subscribed may wait for them. Of all others nothing comes that changes nothing.
func (p *planner) repeatingRows(end *node) *node {
	base := end
	for base.kind == rowNode || base.kind == differNode {
		base = base.in[0]
	}
	if base.kind != putNode && base.kind != updateNode || unsteady(end) {
		return p.settled(end)
	}
	return repeating(end)
}

// results gives the results of a join by a foreign key their store, named by the join if the block has another one by its name.
func (p *planner) results(end *node) *node {
	return p.add(&node{kind: putNode, block: end.block, suffix: "-" + stepName(end.step), rank: end.rank, in: []*node{end}, reader: end.reader})
}

// formats are those of a topic of a join by a foreign key. A key lies as those of the table whose rows it names.
func (l *link) formats(n *node) {
	key := *n.table.rawKey
	key.Type = n.reader.Key
	value := Format{Name: "subscription", Type: types.Bytes}
	if l.answers {
		value = Format{Name: "answer", Type: l.Step.With.Out.Value}
	}
	n.rawKey, n.rawValue = &key, &value
}

// describe says what a topic is for, and which ones decide how many partitions it has: those of the table whose rows are asked.
func (l *link) describe(p *planner, n *node, t *Topic) {
	s := l.Step
	t.Link, t.Cause, t.CauseText = true, s.On.Base().Pos, text(s.On)
	of := "join of " + n.block.Address() + " with " + s.With.Address() + " by a foreign key: "
	if l.answers {
		l.Answers, t.Reason = t, of+"the rows of "+s.With.Address()+" that were asked for, to those who asked"
	} else {
		l.Subscriptions, t.Reason = t, of+"which row of "+s.With.Address()+" a row asks for"
	}
	for _, source := range n.sub.Sources {
		if !p.linked(source) {
			t.Like = append(t.Like, source.Topics...)
		}
	}
}

// linked says whether a source reads a topic of a join by a foreign key.
func (p *planner) linked(s *Source) bool {
	return slices.ContainsFunc(p.nodes, func(n *node) bool { return n.source == s && n.repartition != nil && n.repartition.link != nil })
}

// subscriptionsStore is the store of who is subscribed.
func (p *planner) subscriptionsStore(n *node, label string) {
	s := &Store{Name: label, Kind: Subscriptions, Key: *n.table.rawKey, Value: types.Bytes, Foreign: n.foreign}
	s.Key.Type = types.NonNull(s.Key.Type)
	p.addStore(n, s)
	n.foreign.Store = s
}

// needOfForeign is what the nodes of a join by a foreign key need of what comes: rows are whole, and messages are read by their nodes.
func (n *node) needOfForeign(after need) (d need, is bool) {
	if n.foreign == nil {
		return d, false
	}
	r := reader{n: &d, key: n.in[0].rawKey}
	d.newest = n.ofNewest()
	switch n.kind {
	case subscribeNode:
		r.read(n.foreign.Step.On)
		d.whole()
		d.old, d.was = true, false // `on` knows no time
	case tellNode:
		d.whole()
	case answerNode:
		r.read(n.foreign.Step.Value)
		d = need{key: d.key || after.key}
	}
	return d, true
}

func (r *run) subscribe(n *node) {
	j := n.foreign
	r.newest(j.Step)
	at := r.p.stepPosition(j.Step)
	r.encodeKey(*n.in[0].rawKey, at)
	r.add(&Subscribe{Foreign: j}, at, j.Step)
}

func (r *run) subscribed(n *node) {
	r.add(&Subscribed{Foreign: n.foreign, Right: r.rowsOf(n.table, true)}, r.p.stepPosition(n.step), n.step)
}

func (r *run) tell(n *node) {
	r.newest(n.foreign.Step)
	r.encodeKey(n.foreign.Store.Key, nil)
	r.add(&Tell{Foreign: n.foreign}, nil, n.step)
}

func (r *run) answer(n *node) {
	s := n.foreign.Step
	r.add(&Answer{TableJoin: s, Foreign: n.foreign, Left: r.rowsOf(n.table, true)}, r.p.stepPosition(s), s, func(out *State) {
		out.Key.Type, out.Value = s.Out.Key, fresh(s.Out.Value)
	})
}

// doc says what a Func does with a record of the topic.
func (l *link) doc() string {
	if l.answers {
		return "takes an answer of " + l.Step.With.Address()
	}
	return "takes who asks for a row of " + l.Step.With.Address()
}
