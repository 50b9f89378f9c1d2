package kafka

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/streamgen/streamgen/runtime/topology"
	"github.com/twmb/franz-go/pkg/kadm"
)

// internalTopic is a topic that the program makes for itself.
type internalTopic struct {
	name       string
	partitions int32
	want       []setting
	store      string // of a changelog
}

// setting is one that an internal topic is made with. A fixed one is the engine's own: topic_config does not reach it, and a
// topic that is there with another value is refused; the others are only made so.
type setting struct {
	key, value string
	fixed      bool
	why        string
}

// Event times may be old, and may be far ahead of the broker's clock: an internal topic takes them all, under the time they
// have, and never drops a record by age.
var timestamps = []setting{
	{"message.timestamp.type", "CreateTime", true, "records would lose their event time"},
	{"message.timestamp.after.max.ms", "9223372036854775807", false, "records with a time ahead of the broker's clock would be refused"},
	{"message.timestamp.before.max.ms", "9223372036854775807", false, "records with an old time would be refused"},
}

// repartitionConfig: records are deleted once they are processed, which frees whole segments; hence the small ones.
var repartitionConfig = append([]setting{
	{"cleanup.policy", "delete", true, "compaction would drop records that were not processed yet"},
	{"retention.ms", "-1", false, "records would be deleted while the program is down for longer"},
	{"segment.bytes", "52428800", false, ""},
}, timestamps...)

var changelogConfig = append([]setting{
	{"cleanup.policy", "compact", true, "rows would be deleted by their age"},
}, timestamps...)

// windowedChangelogConfig: rows of windows expire without a tombstone each. What lies before the rows that are left is deleted, as a
// compacted topic alone does not allow, and never by its age: event times may be years old.
var windowedChangelogConfig = append([]setting{
	{"cleanup.policy", "compact,delete", true, "rows of windows that have expired would stay for ever, or all be deleted by their age"},
	{"retention.ms", "-1", true, "rows would be deleted by their age"},
}, timestamps...)

// checkTopicConfig refuses settings that are the engine's own.
func (p *preparer) checkTopicConfig() error {
	for _, e := range p.t.TopicConfig {
		for _, s := range slices.Concat(repartitionConfig, changelogConfig, windowedChangelogConfig[:1]) {
			if s.fixed && s.key == e.Key {
				p.problem("topic_config sets %s, which is the engine's own: %s", e.Key, s.why)
				break
			}
		}
	}
	return nil
}

// checkInternal holds an internal topic to what it would have been made with.
func (p *preparer) checkInternal(it *internalTopic, c liveConfig) {
	for _, s := range it.want {
		is := c.get(s.key, "")
		switch {
		case is == "" || is == s.value || s.why == "":
		case s.fixed:
			p.problem("topic %q has %s = %s, but must have %s: %s", it.name, s.key, is, s.value, s.why)
		default:
			p.warn("topic %q has %s = %s instead of %s: %s", it.name, s.key, is, s.value, s.why)
		}
	}
	if it.store == "" {
		return
	}
	p.retains(c)
	if n := c.maxMessageBytes(); n < 64<<10 {
		p.warn("topic %q takes batches of %d bytes (max.message.bytes): a row of store %q that is larger stops the program", it.name, n, it.store)
	}
}

// warnTables warns about topics of tables that forget rows by age: a table that is built anew lacks them.
func (p *preparer) warnTables(described kadm.ResourceConfigs) {
	for _, s := range p.t.Sources() {
		if !s.Table {
			continue
		}
		for _, t := range s.Topics {
			topic := &p.t.Topics[t]
			r, err := described.On(topic.Name, nil)
			if err != nil || r.Err != nil || topic.Kind == topology.Repartition {
				continue
			}
			c := liveConfig{}
			for _, e := range r.Configs {
				c[e.Key] = e.MaybeValue()
			}
			policy := c.get("cleanup.policy", "delete")
			switch forgets := c.get("retention.ms", "604800000") != "-1" || c.get("retention.bytes", "-1") != "-1"; {
			case !forgets, policy == "compact":
			case p.reused(topic.Name):
				p.problem("topic %q of %s is the changelog of its rows (reuse_source), and forgets them by age or size (cleanup.policy = %s): rows that are lost with a disk could not be restored; "+
					"make it compacted, or remove reuse_source", topic.Name, s.Name, policy)
			case !strings.Contains(policy, "compact") && c.get("retention.ms", "604800000") != "-1":
				p.warn("topic %q of %s is not compacted (cleanup.policy = %s): rows that were not written for retention.ms are missing when the table is read anew", topic.Name, s.Name, policy)
			}
		}
	}
}

// retains notes how long a compacted topic keeps deletes.
func (p *preparer) retains(c liveConfig) {
	if ms, err := strconv.ParseInt(c["delete.retention.ms"], 10, 64); err == nil {
		p.out.DeleteRetention = min(p.out.DeleteRetention, time.Duration(min(ms, int64(365*24*time.Hour/time.Millisecond)))*time.Millisecond)
	}
}

// keepsDeletes says whether the deletes of a topic that is not ours tell which rows of a database are gone: that of a global table, or of
// a table that has no other changelog.
func (p *preparer) keepsDeletes(topic string) bool {
	if p.reused(topic) {
		return true
	}
	for i := range p.t.GlobalTables {
		if p.t.Topic(&p.t.GlobalTables[i]).Name == topic {
			return true
		}
	}
	return false
}

// reused says whether the topic is the changelog of a table that is read from it.
func (p *preparer) reused(topic string) bool {
	for i := range p.t.SubTopologies {
		for _, s := range p.t.SubTopologies[i].Stores {
			if s.Row != nil && s.Changelog == topic {
				return true
			}
		}
	}
	return false
}
