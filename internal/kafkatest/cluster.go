package kafkatest

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Cluster is what a test does with a cluster of either kind. A step that fails ends the test.
type Cluster struct {
	Brokers []string
	Client  *kgo.Client // without a group; produces to the partition a record names

	t testing.TB
}

// Real is a cluster with a real broker.
type Real struct {
	*Cluster
	Broker *Broker
}

// Start starts a real broker for one test, or skips the test where there is no Java or Maven. properties are lines
// "key=value" of the broker's settings.
func Start(t testing.TB, properties ...string) *Real {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a real broker: run without -short")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	b, err := NewBroker(ctx, Config{Dir: t.TempDir(), Properties: properties})
	if errors.Is(err, ErrMissing) && os.Getenv("STREAMGEN_REQUIRE_KAFKA") != "1" {
		t.Skipf("%v; the tests over kfake have run, those over a real broker have not", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Kill(); err != nil { // its data goes with it
			t.Error(err)
		}
	})
	return &Real{newCluster(t, b.Address), b}
}

// Fake is a cluster with kfake.
type Fake struct {
	*Cluster
	Kfake *kfake.Cluster
}

// StartFake starts kfake for one test. Its log cleaner stays at its hourly default: kfake's compaction does not stop at
// open transactions and would lose committed rows.
func StartFake(t testing.TB, opts ...kfake.Opt) *Fake {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{
		kfake.NumBrokers(1), kfake.DefaultNumPartitions(1), kfake.GroupMinSessionTimeout(100 * time.Millisecond),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &Fake{newCluster(t, c.ListenAddrs()...), c}
}

func newCluster(t testing.TB, brokers ...string) *Cluster {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0), kgo.MetadataMinAge(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &Cluster{Brokers: brokers, Client: client, t: t}
}

func (c *Cluster) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Minute)
}

// DeleteTopic deletes a topic.
func (c *Cluster) DeleteTopic(name string) {
	c.t.Helper()
	ctx, cancel := c.context()
	defer cancel()
	if _, err := kadm.NewClient(c.Client).DeleteTopic(ctx, name); err != nil {
		c.t.Fatalf("topic %s: %v", name, err)
	}
}

// CreateTopic makes a topic. config are "key=value".
func (c *Cluster) CreateTopic(name string, partitions int32, config ...string) {
	c.t.Helper()
	ctx, cancel := c.context()
	defer cancel()
	configs := map[string]*string{}
	for _, kv := range config {
		k, v, _ := strings.Cut(kv, "=")
		configs[k] = &v
	}
	admin := kadm.NewClient(c.Client)
	if _, err := admin.CreateTopic(ctx, partitions, 1, configs, name); err != nil {
		c.t.Fatalf("topic %s: %v", name, err)
	}
	for { // a broker knows a topic some time after it was made, and its settings apart from it
		details, err := admin.ListTopics(ctx, name)
		if err != nil {
			c.t.Fatalf("topic %s: %v", name, err)
		}
		settings, err := admin.DescribeTopicConfigs(ctx, name)
		if err != nil {
			c.t.Fatalf("topic %s: %v", name, err)
		}
		_, err = settings.On(name, func(r *kadm.ResourceConfig) error { return r.Err })
		if d := details[name]; err == nil && d.Err == nil && len(d.Partitions) == int(partitions) {
			return
		}
	}
}

// Produce writes records to the partitions they name, and waits for them.
func (c *Cluster) Produce(records ...*kgo.Record) {
	c.t.Helper()
	ctx, cancel := c.context()
	defer cancel()
	if err := c.Client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		c.t.Fatal(err)
	}
}

// Read returns the committed records that topics hold now, partition after partition.
func (c *Cluster) Read(topics ...string) []*kgo.Record {
	c.t.Helper()
	records, err := ReadCommitted(c.Brokers, topics...)
	if err != nil {
		c.t.Fatal(err)
	}
	return records
}

// ReadCommitted returns the committed records that topics of a cluster hold now, partition after partition in the order of
// the topics.
func ReadCommitted(brokers []string, topics ...string) ([]*kgo.Record, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// Control records are kept, because a log may end in one: the end is reached by offset, not by count.
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())
	if err != nil {
		return nil, err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	starts, err := admin.ListStartOffsets(ctx, topics...)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return nil, err
	}
	ends, err := admin.ListCommittedOffsets(ctx, topics...)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return nil, err
	}
	type partition struct {
		topic string
		n     int32
	}
	left := map[partition]int64{} // where it ends
	from := map[string]map[int32]kgo.Offset{}
	ends.Each(func(o kadm.ListedOffset) {
		start, _ := starts.Lookup(o.Topic, o.Partition)
		if start.Offset < o.Offset {
			left[partition{o.Topic, o.Partition}] = o.Offset
			if from[o.Topic] == nil {
				from[o.Topic] = map[int32]kgo.Offset{}
			}
			from[o.Topic][o.Partition] = kgo.NewOffset().At(start.Offset)
		}
	})
	found := map[partition][]*kgo.Record{}
	client.AddConsumePartitions(from)
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, e := range fetches.Errors() {
			return nil, e.Err
		}
		fetches.EachRecord(func(r *kgo.Record) {
			p := partition{r.Topic, r.Partition}
			end, open := left[p]
			if open && r.Offset < end && !r.Attrs.IsControl() {
				found[p] = append(found[p], r)
			}
			if r.Offset+1 >= end {
				delete(left, p)
			}
		})
	}
	var all []*kgo.Record
	for _, topic := range topics {
		for n := int32(0); n < int32(len(ends[topic])); n++ {
			all = append(all, found[partition{topic, n}]...)
		}
	}
	return all, nil
}
