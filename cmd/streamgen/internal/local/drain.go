package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/codegen/plan"
)

// pollInterval is between two looks at the group's offsets.
const pollInterval = 100 * time.Millisecond

// drained waits until the program has committed everything: its inputs up to what was fed, and its repartition topics to their
// ends.
func (c *cluster) drained(ctx context.Context, p *plan.Plan, f *fed) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		done, err := c.isDrained(ctx, p, f)
		if err != nil || done {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *cluster) isDrained(ctx context.Context, p *plan.Plan, f *fed) (bool, error) {
	// First what was committed, then the ends: what is at its end by both was not behind in between.
	committed, err := c.admin.FetchOffsets(ctx, p.App)
	if errors.Is(err, kerr.GroupIDNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot read the group's offsets: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for topic, partitions := range f.behind {
		if isGlobal(p, topic) { // read without a group; a program begins with the others behind it
			continue
		}
		for partition, end := range partitions {
			if o, ok := committed.Lookup(topic, partition); !ok || o.At < end {
				return false, nil
			}
		}
	}
	var internal []string
	for _, t := range p.Topics {
		if t.Kind == plan.Repartition {
			internal = append(internal, t.Name)
		}
	}
	if len(internal) == 0 {
		return true, nil
	}
	ends, err := c.admin.ListCommittedOffsets(ctx, internal...)
	if err == nil {
		err = ends.Error()
	}
	if errors.Is(err, kerr.UnknownTopicOrPartition) { // made a moment ago, and this broker does not know it yet
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot read the ends of the repartition topics: %w", err)
	}
	done := true
	for _, end := range ends.Offsets().Sorted() {
		at := int64(0)
		if o, ok := committed.Lookup(end.Topic, end.Partition); ok {
			at = max(at, o.At)
		}
		if at < end.At {
			empty, err := c.markersOnly(ctx, end.Topic, end.Partition, at, end.At)
			if err != nil {
				return false, err
			}
			done = done && empty
		}
	}
	return done, nil
}

// isGlobal tells whether a topic is that of a global table.
func isGlobal(p *plan.Plan, topic string) bool {
	return slices.ContainsFunc(p.GlobalTables, func(g *plan.SubTopology) bool { return g.Sources[0].Topics[0].Name == topic })
}

// markersOnly tells whether nothing but markers of transactions lies in [from, to) of a partition: nobody commits behind those.
func (c *cluster) markersOnly(ctx context.Context, topic string, partition int32, from, to int64) (bool, error) {
	only := true
	err := c.read(ctx, offsets{topic: {partition: from}}, offsets{topic: {partition: to}}, func(*kgo.Record) bool {
		only = false
		return false
	})
	return only, err
}

// stateKeys counts the rows of all stores: the keys of the changelogs that were not deleted.
func (c *cluster) stateKeys(ctx context.Context, p *plan.Plan) (int, error) {
	changelogs := map[string]*plan.Topic{}
	from := offsets{}
	for _, s := range p.Stores {
		if s.Changelog != "" { // none of a global table
			changelogs[s.Changelog] = nil
		}
	}
	ends, err := c.ends(ctx, changelogs)
	if err != nil {
		return 0, err
	}
	for topic, partitions := range ends {
		from[topic] = map[int32]int64{}
		for partition := range partitions {
			from[topic][partition] = 0
		}
	}
	type row struct {
		topic string
		key   string
	}
	rows := map[row]struct{}{}
	err = c.read(ctx, from, ends, func(r *kgo.Record) bool {
		if bytes.HasPrefix(r.Key, controlKey) {
			return true
		}
		if r.Value == nil {
			delete(rows, row{r.Topic, string(r.Key)})
		} else {
			rows[row{r.Topic, string(r.Key)}] = struct{}{}
		}
		return true
	})
	return len(rows), err
}

// controlKey begins the keys of a changelog's records that are no rows. It is part of the changelogs' format.
var controlKey = []byte{0xff, 'S', 'G', 0}

// offsets are by topic and partition.
type offsets map[string]map[int32]int64

// read reads committed records from offsets up to others, until f says that it is enough.
func (c *cluster) read(ctx context.Context, from, to offsets, f func(*kgo.Record) bool) error {
	left := 0
	start := map[string]map[int32]kgo.Offset{}
	for topic, partitions := range from {
		for p, at := range partitions {
			if at >= to[topic][p] {
				continue
			}
			if start[topic] == nil {
				start[topic] = map[int32]kgo.Offset{}
			}
			start[topic][p] = kgo.NewOffset().At(at)
			left++
		}
	}
	if left == 0 {
		return nil
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.KeepControlRecords(),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.FetchMaxWait(pollInterval), kgo.ConsumePartitions(start))
	if err != nil {
		return err
	}
	defer client.Close()
	for left > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		for it := fetches.RecordIter(); !it.Done(); {
			r := it.Next()
			end := to[r.Topic][r.Partition]
			if r.Offset >= end {
				continue
			}
			if !r.Attrs.IsControl() && !f(r) {
				return nil
			}
			if r.Offset == end-1 {
				left--
			}
		}
	}
	return nil
}

// ends are the ends of topics as a reader of committed records sees them.
func (c *cluster) ends(ctx context.Context, topics map[string]*plan.Topic) (offsets, error) {
	var names []string
	for name := range topics {
		names = append(names, name)
	}
	out := offsets{}
	if len(names) == 0 {
		return out, nil
	}
	listed, err := c.admin.ListCommittedOffsets(ctx, names...)
	if err != nil {
		return nil, err
	}
	if err := listed.Error(); err != nil {
		return nil, err
	}
	listed.Each(func(o kadm.ListedOffset) {
		if out[o.Topic] == nil {
			out[o.Topic] = map[int32]int64{}
		}
		out[o.Topic][o.Partition] = o.Offset
	})
	return out, nil
}
