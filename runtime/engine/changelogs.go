package engine

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/runtime/kafka"
)

// changelogs reads changelog partitions for the restores of a process, all with one client.
type changelogs struct {
	client *kgo.Client

	mu    sync.Mutex
	feeds map[partitionOf]*feed
}

type partitionOf struct {
	topic     string
	partition int32
}

// feed is one partition being read. The reader takes from fetched until it closes the feed.
type feed struct {
	of      partitionOf
	fetched chan kgo.FetchPartition
	closed  chan struct{}
}

// feedDepth is how many fetches of a partition wait for its restore, before those of the others wait, too.
const feedDepth = 8

// open begins to read a partition. Committed reads, with control records: the end of a transaction may be what was waited for.
func (c *changelogs) open(topic string, partition int32, from kgo.Offset) *feed {
	f := &feed{partitionOf{topic, partition}, make(chan kgo.FetchPartition, feedDepth), make(chan struct{})}
	c.mu.Lock()
	c.feeds[f.of] = f
	c.mu.Unlock()
	c.client.AddConsumePartitions(map[string]map[int32]kgo.Offset{topic: {partition: from}})
	return f
}

// close ends reading.
func (c *changelogs) close(f *feed) {
	close(f.closed)
	c.mu.Lock()
	delete(c.feeds, f.of)
	c.mu.Unlock()
	c.client.RemoveConsumePartitions(map[string][]int32{f.of.topic: {f.of.partition}})
}

func (c *changelogs) run(ctx context.Context) {
	poller := kafka.Poller{Client: c.client}
	for ctx.Err() == nil {
		fetches := poller.Poll(ctx, pollRecords)
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			if len(p.Records) == 0 && p.Err == nil {
				return
			}
			c.mu.Lock()
			f := c.feeds[partitionOf{p.Topic, p.Partition}]
			c.mu.Unlock()
			if f == nil {
				return
			}
			select {
			case f.fetched <- p.FetchPartition:
			case <-f.closed:
			case <-ctx.Done():
			}
		})
	}
}
