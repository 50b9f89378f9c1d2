package examples_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/testdriver"
	"github.com/streamgen/streamgen/runtime/topology"
)

// patience is how long tests wait for anything that a program has to do.
const patience = 3 * time.Minute

// kafka is a cluster with the topics of an example.
type kafka struct {
	*kafkatest.Cluster
	t          testing.TB
	example    example
	partitions int32
	admin      *kadm.Client
}

// newKafka makes the topics on a cluster.
func newKafka(t testing.TB, c *kafkatest.Cluster, e example, partitions int32) *kafka {
	t.Helper()
	tables := e.tables()
	// Samples have times of their own. To a broker they are older than what it keeps.
	const keep = "retention.ms=-1"
	for _, topic := range e.topics(topology.Input) {
		if tables[topic] {
			c.CreateTopic(topic, partitions, "cleanup.policy=compact")
		} else {
			c.CreateTopic(topic, partitions, keep)
		}
	}
	for _, topic := range e.topics(topology.Output) {
		c.CreateTopic(topic, partitions, keep)
	}
	return &kafka{c, t, e, partitions, kadm.NewClient(c.Client)}
}

// produce writes records as other programs would: to the partition of the key.
func (k *kafka) produce(records []testdriver.Record) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var failed kgo.FirstErrPromise
	for _, r := range records {
		k.Client.Produce(ctx, &kgo.Record{Topic: r.Topic, Partition: record.Partition(r.Key, k.partitions), Key: r.Key, Value: r.Value,
			Timestamp: time.UnixMilli(r.Timestamp)}, failed.Promise())
	}
	if err := failed.Err(); err != nil {
		k.t.Error(err)
	}
}

// trickle writes records in small portions, so that many commits lie between the first and the last of them. It returns at
// once; wait returns when all is written.
func (k *kafka) trickle(records []testdriver.Record) (wait func()) {
	const portions = 200
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		size := max(len(records)/portions, 1)
		for len(records) > 0 && !k.t.Failed() {
			<-tick.C
			n := min(size, len(records))
			k.produce(records[:n])
			records = records[n:]
		}
	}()
	k.t.Cleanup(func() { <-done })
	return func() { <-done }
}

// processed waits until the program has committed all of its input and of its own topics, and no transaction is open.
func (k *kafka) processed(p *process) {
	k.t.Helper()
	own := k.example.topics(topology.Repartition)
	written := append(k.example.topics(topology.Output), own...)
	k.wait(p, func(ctx context.Context, committed kadm.OffsetResponses) (done bool, err error) {
		inputs, err := ends(k.admin.ListEndOffsets(ctx, k.example.grouped()...))
		if err != nil {
			return false, err
		}
		stable, err := ends(k.admin.ListCommittedOffsets(ctx, written...))
		if err != nil {
			return false, err
		}
		all, err := ends(k.admin.ListEndOffsets(ctx, written...))
		if err != nil {
			return false, err
		}
		done = true
		for at, end := range inputs {
			done = done && next(committed, at) == end
		}
		for at, end := range stable {
			// Behind an open transaction, which may be of a process that was killed, records are there that nobody sees yet.
			done = done && end == all[at]
		}
		if !done {
			return false, nil
		}
		// The program's own topics end in markers of transactions, behind which nobody commits. Records that were processed may have
		// been deleted.
		for _, r := range k.Read(own...) {
			done = done && next(committed, partition{r.Topic, r.Partition}) > r.Offset
		}
		return done, nil
	})
}

// inFlight waits until the program has committed n records of its streams, if it has none of its tables, and outputs beyond those that
// were there when it was started.
func (k *kafka) inFlight(p *process, n int, outputs int64) {
	k.t.Helper()
	tables := k.example.tables()
	if !slices.ContainsFunc(k.example.topics(topology.Input), func(topic string) bool { return !tables[topic] }) {
		tables = nil
	}
	k.wait(p, func(ctx context.Context, committed kadm.OffsetResponses) (bool, error) {
		now, err := k.written(ctx)
		if err != nil {
			return false, err
		}
		read := int64(0)
		for _, topic := range k.example.topics(topology.Input) {
			for number := range k.partitions {
				if !tables[topic] {
					read += next(committed, partition{topic, number})
				}
			}
		}
		return read >= int64(n) && now > outputs, nil
	})
}

// written is how far the outputs go.
func (k *kafka) written(ctx context.Context) (n int64, err error) {
	list, err := ends(k.admin.ListCommittedOffsets(ctx, k.example.topics(topology.Output)...))
	for _, end := range list {
		n += end
	}
	return n, err
}

// partition is one of a topic.
type partition struct {
	topic  string
	number int32
}

// ends takes what an admin client lists.
func ends(list kadm.ListedOffsets, err error) (map[partition]int64, error) {
	if err == nil {
		err = list.Error()
	}
	if err != nil {
		return nil, err
	}
	found := map[partition]int64{}
	list.Each(func(o kadm.ListedOffset) { found[partition{o.Topic, o.Partition}] = o.Offset })
	return found, nil
}

// next is the offset that a group has committed, or 0.
func next(committed kadm.OffsetResponses, at partition) int64 {
	o, ok := committed.Lookup(at.topic, at.number)
	if !ok {
		return 0
	}
	return max(o.At, 0)
}

// wait waits for a condition on what the program has committed. Errors that pass are waited for, too: the group and the
// program's own topics are not there at once.
func (k *kafka) wait(p *process, condition func(context.Context, kadm.OffsetResponses) (bool, error)) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		committed, err := k.admin.FetchOffsets(ctx, k.example.topology().App)
		done := false
		if err == nil {
			done, err = condition(ctx, committed)
		}
		if done {
			return
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, kerr.GroupIDNotFound) && !kerr.IsRetriable(err) {
			k.t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-p.done:
			k.t.Fatalf("ended by itself: %v", p.err)
		case <-ctx.Done():
			k.t.Fatalf("waited in vain (%v); committed is %v", err, committed)
		}
	}
}

// outputs reads what a topic holds, read committed.
func (k *kafka) outputs(topic string) []testdriver.Record {
	k.t.Helper()
	var list []testdriver.Record
	for _, r := range k.Read(topic) {
		list = append(list, testdriver.Record{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Key: r.Key, Value: r.Value, Timestamp: r.Timestamp.UnixMilli()})
	}
	return list
}
