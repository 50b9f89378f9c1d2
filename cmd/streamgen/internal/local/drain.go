package local

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
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
	if err != nil {
		return false, fmt.Errorf("cannot read the group's offsets: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for topic, partitions := range f.behind {
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

// markersOnly tells whether nothing but markers of transactions lies in [from, to) of a partition: nobody commits behind those.
func (c *cluster) markersOnly(ctx context.Context, topic string, partition int32, from, to int64) (bool, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.KeepControlRecords(), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {partition: kgo.NewOffset().At(from)}}))
	if err != nil {
		return false, err
	}
	defer client.Close()
	for at := from; at < to; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return false, fmt.Errorf("cannot read %s: %w", topic, err)
		}
		for it := fetches.RecordIter(); !it.Done(); {
			r := it.Next()
			if !r.Attrs.IsControl() {
				return false, nil
			}
			at = r.Offset + 1
		}
	}
	return true, nil
}

// ends are the ends of topics as a reader of committed records sees them.
func (c *cluster) ends(ctx context.Context, topics map[string]*plan.Topic) (map[string]map[int32]int64, error) {
	var names []string
	for name := range topics {
		names = append(names, name)
	}
	out := map[string]map[int32]int64{}
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
