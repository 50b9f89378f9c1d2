package check

import (
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// sinkTarget reads where a sink writes to: a topic, or for each record one of several; the partition of the key, or another.
func (c *checker) sinkTarget(in *body, s *model.Sink, f flow) {
	p := in.policy(c.policy)
	x := &exprs{c: c, s: f.scope(f.schema, s.Address()), facts: f.facts}
	if a := in.attr("topic"); a != nil {
		if x.ofRecord(a.Value) {
			c.sinkChoice(in, s, x, a.Value)
		} else {
			c.sinkTopic(in, s, a.Value)
		}
	}
	if a := in.attr("partition"); a != nil {
		v := x.check(a.Value, types.Int64)
		if v.Base().Type == types.Int32 {
			v = x.coerce(v, types.Int64)
		}
		s.Partition = x.assign(v, types.Int64, "partition")
		if k, ok := s.Partition.(*model.Const); ok {
			if n, _ := k.Value.(int64); n < 0 {
				c.diags.Errorf("SG1112", k.Pos, "\"partition\" must not be negative, is %d", n)
			}
		}
	}
	c.needPolicy(x.causes, p)
}

// ofRecord tells whether an expression names anything of the record.
func (x *exprs) ofRecord(e syntax.Expr) bool {
	found := false
	syntax.Walk(e, func(e syntax.Expr) bool {
		if n, ok := e.(*syntax.Name); ok {
			_, known := x.s.lookup(n.Name)
			found = found || known
		}
		return true
	})
	return found
}

// sinkTopic is a topic that does not depend on the record.
func (c *checker) sinkTopic(in *body, s *model.Sink, e syntax.Expr) {
	topic, ok := in.text("topic")
	if !ok || !c.topicForm(topic, e.Pos()) {
		return
	}
	s.Topic = topic
	if a := in.attr("topics"); a != nil {
		c.diags.Errorf("SG1113", a.Name.Range, "the topic is always %q: there is nothing to choose from", topic).
			WithHint("remove \"topics\", or let \"topic\" depend on the record")
	}
}

// sinkChoice is a topic that depends on the record.
func (c *checker) sinkChoice(in *body, s *model.Sink, x *exprs, e syntax.Expr) {
	s.Choice = x.must(e, types.String, "topic")
	if !in.has("topics") {
		c.diags.Errorf("SG1102", in.block.Header, "%s needs \"topics\": all that \"topic\" may give", title(in.block)).
			WithDetail("The topics are opened and checked when the program starts.").WithHint(`topics = ["orders-eu", "orders-us"]`)
		return
	}
	s.Topics = c.topics(in)
	if types.IsInvalid(s.Choice.Base().Type) || len(s.Topics) == 0 {
		return
	}
	given := map[string]bool{}
	computed := false
	for _, leaf := range model.Leaves(s.Choice) {
		k, ok := leaf.(*model.Const)
		if !ok {
			computed = true
			continue
		}
		topic, _ := k.Value.(string)
		given[topic] = true
		if slices.Contains(s.Topics, topic) {
			continue
		}
		m := c.diags.Errorf("SG1112", k.Pos, "%q is none of the topics", shorten(topic))
		if near := diag.Nearest(topic, s.Topics); near != "" {
			m.WithHint("did you mean %q?", near)
		} else {
			m.WithHint("topics: %s", strings.Join(s.Topics, ", "))
		}
	}
	for _, topic := range s.Topics {
		if !computed && !given[topic] {
			c.diags.Warnf("SG1904", in.attr("topics").Value.Pos(), "no record goes to the topic %q", topic).WithHint("remove it")
		}
	}
}
