package check

import (
	"fmt"
	"time"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// defaultCommitInterval is that of the language, under both guarantees: rows with emit = "updates" leave at commits.
const defaultCommitInterval = 100 * time.Millisecond

// app reads the block app, of which there is exactly one.
func (c *checker) app() {
	if len(c.appBlocks) == 0 {
		if c.appBroken || len(c.labels["app"]) > 0 || len(c.tree.Files) == 0 {
			return
		}
		start := diag.Pos{Line: 1, Column: 1}
		c.diags.Errorf("SG1109", diag.Range{File: c.tree.Files[0].Name, Start: start, End: start}, "the program has no block app").
			WithHint(`app "name" { processing_guarantee = "exactly_once_v2" … }: its label is the consumer group`)
		return
	}
	for _, b := range c.appBlocks[1:] {
		c.diags.Errorf("SG1109", b.Header, "the program has a second block app").
			WithDetail("All *.hcl files of a directory are one program.").WithRelated(c.appBlocks[0].Header, "the first one")
	}
	b := c.appBlocks[0]
	d := c.open(b, topLevel("app"))
	a := &c.program.App
	a.Label = b.Labels[0].Name
	a.Description = d.description()
	a.Pos = b.Header
	switch d.word("processing_guarantee", []string{"exactly_once_v2", "at_least_once"}, nil) {
	case "exactly_once_v2":
		a.Guarantee = model.ExactlyOnce
	case "at_least_once":
		a.Guarantee = model.AtLeastOnce
	}
	a.Start, _ = d.start()
	a.CommitInterval = defaultCommitInterval
	if t, ok := d.duration("commit_interval"); ok {
		a.CommitInterval = t
		if t == 0 {
			c.diags.Errorf("SG1112", d.attr("commit_interval").Value.Pos(), "\"commit_interval\" must be longer than 0")
		}
	}
	if d.has("replication_factor") {
		a.ReplicationFactor = d.integer("replication_factor", 1, 32767)
	}
	a.TopicConfig = c.topicConfig(d)
	if s, ok := d.text("dead_letter_topic"); ok && c.topicForm(s, d.attr("dead_letter_topic").Value.Pos()) {
		a.DeadLetters = s
	}
	c.policy = d.policy(policy{})
}

// start is where a stream begins that the group never read.
func (d *body) start() (model.Start, bool) {
	a := d.attr("start")
	s, ok := d.text("start")
	if !ok {
		return model.Start{}, false
	}
	switch s {
	case "earliest":
		return model.Start{Kind: model.Earliest}, true
	case "latest":
		return model.Start{Kind: model.Latest}, true
	}
	ms, why := parseDuration(s)
	if why != "" {
		d.c.notOneOf(a.Value.Pos(), "start", s, []string{"earliest", "latest", "7d"})
		return model.Start{}, false
	}
	ago, ok := d.c.length("start", ms, a.Value.Pos())
	return model.Start{Kind: model.Ago, Ago: ago}, ok
}

func (c *checker) topicConfig(d *body) []model.ConfigEntry {
	a := d.attr("topic_config")
	if a == nil {
		return nil
	}
	o, ok := a.Value.(*syntax.Object)
	if !ok {
		c.diags.Errorf("SG1112", a.Value.Pos(), "\"topic_config\" must be names and texts in braces").
			WithHint(`topic_config = { "segment.bytes" = "64000000" }`)
		return nil
	}
	var all []model.ConfigEntry
	for _, it := range o.Items {
		if it.Key != nil {
			c.diags.Errorf("SG1112", it.Key.Pos(), "the name of a setting is a text").WithHint(`"segment.bytes" = "64000000"`)
			continue
		}
		v, ok := c.constant(it.Value, types.String, fmt.Sprintf("%q", it.Name.Name))
		if !ok {
			continue
		}
		s, _ := v.Value.(string)
		all = append(all, model.ConfigEntry{Key: it.Name.Name, Value: s})
	}
	return all
}
