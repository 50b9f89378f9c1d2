package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// The program of these tests: orders are re-keyed by customer, counted by customer and joined with the customer's tier.
const (
	topicOrders = iota
	topicCustomers
	topicRekeyed
	topicCounts
	topicEnriched
)

const (
	posOrders task.At = iota
	posJoin
)

func shop(g topology.Guarantee) *topology.Topology {
	return &topology.Topology{
		App: "shop", Guarantee: g, CommitInterval: 10 * time.Millisecond,
		Topics: []topology.Topic{
			topicOrders:    {Name: "orders", Kind: topology.Input},
			topicCustomers: {Name: "customers", Kind: topology.Input},
			topicRekeyed:   {Name: "shop-rekeyed-repartition", Kind: topology.Repartition, Like: []uint16{topicOrders}},
			topicCounts:    {Name: "counts", Kind: topology.Output},
			topicEnriched:  {Name: "enriched", Kind: topology.Output},
		},
		SubTopologies: []topology.SubTopology{
			{
				Name:    "rekey",
				Sources: []topology.Source{{Name: "stream.orders", Topics: []uint16{topicOrders}, Start: topology.Earliest, Position: posOrders}},
				New: func(t *task.Task) (task.SubTopology, error) {
					return &rekey{task: t, out: t.Topic(topicRekeyed)}, nil
				},
			},
			{
				Name: "join",
				Sources: []topology.Source{
					{Name: "stream.rekeyed", Topics: []uint16{topicRekeyed}, Start: topology.Earliest},
					{Name: "table.customers", Topics: []uint16{topicCustomers}, Table: true, Bootstrap: true},
				},
				Stores: []topology.Store{
					{Name: "customers", ID: 0, Changelog: "shop-customers-changelog", Fingerprint: "string"},
					{Name: "counts", ID: 1, Changelog: "shop-counts-changelog", Fingerprint: "int64"},
				},
				New: newJoin,
			},
		},
		Positions: []task.Position{
			posOrders: {Address: "stream.orders", File: "app.hcl", Line: 7, Column: 1},
			posJoin:   {Address: "stream.enriched.join", File: "app.hcl", Line: 21, Column: 3, OnError: task.Skip},
		},
	}
}

// rekey reads "customer,amount".
type rekey struct {
	task *task.Task
	out  record.Topic
}

var errNoComma = errors.New(`value: want "customer,amount"`)

func (s *rekey) Process(b *record.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		n := strings.IndexByte(string(r.Value), ',')
		if n < 0 {
			if err := s.task.Reject(r, posOrders, task.BadInput, errNoComma); err != nil {
				return err
			}
			continue
		}
		s.out.Send(r.Value[:n], r.Value, r.Timestamp, r.Headers)
	}
	return nil
}

func (s *rekey) Flush() error { return nil }

type join struct {
	customers         *state.KeyValue[string]
	counts            *state.KeyValue[int64]
	counted, enriched record.Topic
	unmatched         *task.Counter
}

func newJoin(t *task.Task) (task.SubTopology, error) {
	return &join{
		customers: state.NewKeyValue(t.Stores, 0, state.Codec[string]{
			Append: func(dst []byte, v *string) []byte { return append(dst, *v...) },
			Read:   func(src []byte, v *string) error { *v = string(src); return nil },
		}),
		counts: state.NewKeyValue(t.Stores, 1, state.Codec[int64]{
			Append: func(dst []byte, v *int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(*v)) },
			Read:   func(src []byte, v *int64) error { *v = int64(binary.BigEndian.Uint64(src)); return nil },
		}),
		counted: t.Topic(topicCounts), enriched: t.Topic(topicEnriched), unmatched: t.Counter("no customer", posJoin),
	}, nil
}

func (s *join) Process(b *record.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		if r.Source == 1 {
			row, _, err := s.customers.Update(r.Key)
			if err != nil {
				return err
			}
			row.Value, row.Timestamp = string(r.Value), r.Timestamp
			continue
		}
		row, _, err := s.counts.Update(r.Key)
		if err != nil {
			return err
		}
		row.Value++
		row.Timestamp = max(row.Timestamp, r.Timestamp)
		s.counted.Send(r.Key, s.counted.Keep(strconv.AppendInt(s.counted.Tail(), row.Value, 10)), row.Timestamp, r.Headers)
		c, err := s.customers.Get(r.Key)
		if err != nil {
			return err
		}
		if c == nil {
			s.unmatched.Inc()
			continue
		}
		value := append(append(s.enriched.Tail(), r.Value...), ',')
		s.enriched.Send(r.Key, s.enriched.Keep(append(value, c.Value...)), r.Timestamp, r.Headers)
	}
	return nil
}

func (s *join) Flush() error { return nil }

// shopCluster has the topics of the program, with so many partitions each.
func shopCluster(t *testing.T, partitions int32) *kafkatest.Fake {
	c := kafkatest.StartFake(t)
	shopTopics(c, partitions)
	return c
}

// realCluster is shopCluster with a real broker; it has no Kfake.
func realCluster(t *testing.T, partitions int32) *kafkatest.Fake {
	c := &kafkatest.Fake{Cluster: kafkatest.Start(t).Cluster}
	shopTopics(c, partitions)
	return c
}

func shopTopics(c *kafkatest.Fake, partitions int32) {
	for _, name := range []string{"orders", "customers", "shop-rekeyed-repartition", "shop-customers-changelog", "shop-counts-changelog", "counts", "enriched"} {
		c.CreateTopic(name, partitions)
	}
}

// order is an order of a customer, in partition p of orders.
func order(p int32, customer string, n int) *kgo.Record {
	return &kgo.Record{Topic: "orders", Partition: p, Key: []byte(strconv.Itoa(n)), Value: fmt.Appendf(nil, "%s,%d", customer, n),
		Timestamp: time.UnixMilli(int64(1000 + n))}
}

func customer(name, tier string, partitions int32) *kgo.Record {
	return &kgo.Record{Topic: "customers", Partition: record.Partition([]byte(name), partitions), Key: []byte(name), Value: []byte(tier),
		Timestamp: time.UnixMilli(1)}
}

// patience is how long a test waits for anything. A run with a planted fault, which may wait in vain, is given less.
var patience = func() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("ENGINE_TEST_PATIENCE")); err == nil {
		return d
	}
	return 30 * time.Second
}()

// running is an engine of a test.
type running struct {
	*Engine
	t    testing.TB
	stop context.CancelFunc
	done chan error
}

func testConfig(c *kafkatest.Fake, dir string) Config {
	return Config{
		Client:   []kgo.Opt{kgo.SeedBrokers(c.Brokers...), kgo.MetadataMinAge(20 * time.Millisecond), kgo.FetchMaxWait(100 * time.Millisecond)},
		StateDir: dir, Workers: 2, HeartbeatInterval: 50 * time.Millisecond, SessionTimeout: 5 * time.Second,
		Logger: slog.New(slog.DiscardHandler),
	}
}

// startEngine runs the program until the test ends or stop is called.
func startEngine(t testing.TB, top *topology.Topology, config Config) *running {
	t.Helper()
	if testing.Verbose() {
		config.Logger = slog.New(slog.NewTextHandler(testWriter{t}, nil))
	}
	e, err := New(top, config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{Engine: e, t: t, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-r.done:
			r.done <- err
		case <-time.After(patience):
			t.Error("the engine did not end")
		}
	})
	return r
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(b []byte) (int, error) {
	w.t.Logf("%s", b)
	return len(b), nil
}

// drain ends the engine in order.
func (r *running) drain() {
	r.t.Helper()
	r.stop()
	if err := r.wait(); err != nil {
		r.t.Fatalf("drain: %v", err)
	}
}

// wait is how the engine ended.
func (r *running) wait() error {
	r.t.Helper()
	select {
	case err := <-r.done:
		r.done <- err
		return err
	case <-time.After(patience):
		r.t.Fatal("the engine did not end")
		return nil
	}
}

// collector reads what a topic gets, committed, as it comes.
type collector struct {
	t       *testing.T
	client  *kgo.Client
	records []*kgo.Record
}

func collect(t *testing.T, c *kafkatest.Fake, topic string) *collector {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMaxWait(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return &collector{t: t, client: client}
}

// until reads until n records have come.
func (c *collector) until(n int) []*kgo.Record {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for len(c.records) < n {
		fetches := c.client.PollFetches(ctx)
		if ctx.Err() != nil {
			c.t.Fatalf("%d of %d records came", len(c.records), n)
		}
		c.records = append(c.records, fetches.Records()...)
	}
	return c.records
}

// exactlyOnce checks that the counts topic has 1, 2, 3, … for each customer, up to the number of its orders.
func exactlyOnce(t *testing.T, records []*kgo.Record, want map[string]int) {
	t.Helper()
	last := map[string]int{}
	for _, r := range records {
		n, err := strconv.Atoi(string(r.Value))
		if err != nil {
			t.Fatal(err)
		}
		if n != last[string(r.Key)]+1 {
			t.Fatalf("customer %s: count %d after %d", r.Key, n, last[string(r.Key)])
		}
		last[string(r.Key)] = n
	}
	for k, n := range want {
		if last[k] != n {
			t.Errorf("customer %s: counted %d of %d orders", k, last[k], n)
		}
	}
}

// produceOrders writes n orders of some customers over the partitions, numbered from first, and adds them to want.
func produceOrders(c *kafkatest.Fake, partitions int32, first, n int, want map[string]int) {
	var list []*kgo.Record
	for i := first; i < first+n; i++ {
		name := "c" + strconv.Itoa(i%7)
		want[name]++
		list = append(list, order(int32(i)%partitions, name, i))
	}
	c.Produce(list...)
}
