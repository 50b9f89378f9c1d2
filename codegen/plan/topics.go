package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// topicsPass lists what the program reads and writes: inputs in file order, repartitions in the order of the sub-topologies that
// read them, outputs in file order.
func (p *planner) topicsPass() {
	p.inputs()
	p.repartitions()
	p.outputs()
	p.deadLetters()
	p.uniqueTopics()
	for i, t := range p.plan.Topics {
		t.Index = i
	}
}

func (p *planner) byFile(k kind) []*node {
	var list []*node
	for _, n := range p.nodes {
		if n.kind == k {
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b *node) int { return a.rank - b.rank })
	return list
}

func (p *planner) inputs() {
	for _, n := range p.byFile(sourceNode) {
		for _, name := range n.block.Source.Topics {
			t := &Topic{Name: name, Kind: Input, Origin: n.address(), Key: n.source.Key, Value: n.source.Value}
			n.source.Topics = append(n.source.Topics, t)
			p.plan.Topics = append(p.plan.Topics, t)
		}
	}
}

func (p *planner) repartitions() {
	var cut []*node
	for _, s := range p.plan.SubTopologies {
		for _, source := range s.Sources {
			for _, n := range p.nodes {
				if n.source == source && n.repartition != nil {
					cut = append(cut, n)
				}
			}
		}
	}
	for _, n := range cut {
		r := n.repartition
		t := &Topic{
			Name: p.plan.App + "-" + r.name(), Kind: Repartition, Origin: n.source.Origin, Key: *n.rawKey,
			Value: *n.rawValue, Partitions: r.partitions,
		}
		if r.link == nil {
			t.Reason = r.reason()
		}
		if r.change != nil {
			t.Cause, t.CauseText = r.change.at, r.change.text
		}
		r.topic = t
		n.source.Topics = []*Topic{t}
		p.plan.Topics = append(p.plan.Topics, t)
	}
	for _, n := range cut {
		if l := n.repartition.link; l != nil {
			l.describe(p, n, n.repartition.topic)
			continue
		}
		if t := n.repartition.topic; t.Partitions == 0 {
			for _, s := range n.in[0].sub.Sources {
				if s != n.source { // a sub-topology may read what it writes itself
					t.Like = append(t.Like, s.Topics...)
				}
			}
			p.countable(n)
		}
	}
}

// countable sees to it that something in the spec leads to the count of a repartition: where it comes from topics of a pattern, of which
// only the start knows which they are, that is what it is read together with.
func (p *planner) countable(n *node) {
	t := n.repartition.topic
	for _, s := range n.sub.Sources {
		if len(t.Like) == 0 && !s.Internal {
			t.Like = s.Topics
		}
	}
	if len(t.Like) > 0 {
		return
	}
	need := n.repartition.needs[0]
	p.diags.Errorf("SG1407", need.pos(), "%s needs a repartition, and nothing says how many partitions it has", need.address()).
		WithDetail("a repartition takes the count of the topics it comes from; those of a topic_pattern are not known before").
		WithHint("repartition \"x\" { partitions = 12 } above it")
}

// reason says what a repartition is for.
func (r *repartition) reason() string {
	if r.written {
		return fmt.Sprintf("written: repartition %q", r.label)
	}
	var parts []string
	for _, n := range r.needs {
		part := n.maker().Base().Address
		switch j := n.step.(type) {
		case *model.Join:
			part = "join of " + n.block.Address() + " with " + j.With.Address()
		case *model.StreamJoin:
			part = "join of " + n.block.Address() + " with " + j.With.Address()
		}
		parts = appendNew(parts, part)
	}
	return strings.Join(parts, ", ")
}

func (p *planner) outputs() {
	for _, n := range p.byFile(sinkNode) {
		for _, name := range sinkTopics(n.sink) {
			t := p.topic(name)
			if t == nil {
				t = &Topic{Name: name, Kind: Output, Origin: n.address(), Key: format(n.sink.Key), Value: format(n.sink.Value)}
				p.plan.Topics = append(p.plan.Topics, t)
			}
			t.Buries = n.sink.Refused == model.DeadLetter
		}
	}
}

// deadLetters lists the topic of records that cannot be processed.
func (p *planner) deadLetters() {
	if name := p.model.App.DeadLetters; name != "" {
		any := Format{Name: "bytes", Type: types.OptionalOf(types.Bytes)}
		p.plan.DeadLetters = &Topic{Name: name, Kind: Output, Origin: "app", Key: any, Value: any}
		p.plan.Topics = append(p.plan.Topics, p.plan.DeadLetters)
	}
}

// sinkTopics are those that a sink may write to.
func sinkTopics(s *model.Sink) []string {
	if s.Choice == nil {
		return []string{s.Topic}
	}
	return s.Topics
}

// topic finds a topic that is not internal.
func (p *planner) topic(name string) *Topic {
	for _, t := range p.plan.Topics {
		if t.Name == name && t.Kind != Repartition {
			return t
		}
	}
	return nil
}

// maxTopicName is Kafka's limit.
const maxTopicName = 249

// uniqueTopics refuses two internal topics of one name, one that has the name of a user's, and names that Kafka refuses.
func (p *planner) uniqueTopics() {
	type owner struct {
		what string
		at   diag.Range
	}
	owners := map[string]owner{}
	claim := func(name, what string, at diag.Range) {
		if other, ok := owners[name]; ok {
			p.diags.Errorf("SG1211", at, "two topics have the name %q: of %s and of %s", name, other.what, what).
				WithHint("rename one of them").
				WithRelated(other.at, "the other one is here")
			return
		}
		owners[name] = owner{what, at}
		if len(name) > maxTopicName {
			p.diags.Errorf("SG1212", at, "the internal topic of %s would have a name of %d characters", what, len(name)).
				WithDetail("Kafka allows %d; it is %q", maxTopicName, name).
				WithHint("shorten the labels of the app and of the block")
		}
	}
	for _, n := range p.byFile(sourceNode) {
		for _, name := range n.block.Source.Topics {
			owners[name] = owner{n.address(), n.pos()}
		}
	}
	for _, n := range p.byFile(sinkNode) {
		for _, name := range sinkTopics(n.sink) {
			owners[name] = owner{n.address(), n.pos()}
		}
	}
	if t := p.plan.DeadLetters; t != nil {
		claim(t.Name, "the dead letters", p.model.App.Pos)
	}
	for _, n := range p.byFile(repartitionNode) {
		need := n.repartition.needs[0]
		claim(n.repartition.topic.Name, need.address(), need.pos())
	}
	changelogs := map[string]bool{} // two stores of one name were reported
	for _, k := range []kind{putNode, updateNode, dedupNode, waitNode, sideNode, suppressNode, sourceNode, subscribedNode} {
		for _, n := range p.byFile(k) {
			if n.store == nil { // most sources, and one side of a stream that is joined with itself
				continue
			}
			if name := n.store.Changelog; name != "" && !n.store.Reuses && !changelogs[name] {
				changelogs[name] = true
				claim(name, "the store of "+n.block.Address(), n.pos())
			}
		}
	}
}
