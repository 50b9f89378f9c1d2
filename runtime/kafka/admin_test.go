package kafka

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

var quiet = slog.New(slog.DiscardHandler)

// enrichment re-keys orders and joins them with customers. Its topics begin with the app's name, so that tests can share a
// broker.
func enrichment(app string) *topology.Topology {
	return &topology.Topology{
		App: app,
		Topics: []topology.Topic{
			{Name: app + "-orders", Kind: topology.Input},
			{Name: app + "-customers", Kind: topology.Input},
			{Name: app + "-enriched-customer-repartition", Kind: topology.Repartition, Like: []uint16{0}},
			{Name: app + "-out", Kind: topology.Output},
		},
		SubTopologies: []topology.SubTopology{
			{Name: "rekey-enriched", Sources: []topology.Source{{Name: "stream.orders", Topics: []uint16{0}, Position: 0}}},
			{Name: "enriched", Sources: []topology.Source{{Name: "stream.enriched", Topics: []uint16{2}}, {Name: "table.customers", Topics: []uint16{1}, Table: true, Position: 1}},
				Stores: []topology.Store{{Name: "customers", Changelog: app + "-customers-changelog"}, {Name: "windows", Changelog: app + "-windows-changelog", Kind: topology.WindowStore}}},
		},
		Positions: []task.Position{{Address: "stream.orders", File: "app.hcl", Line: 12, Column: 1}, {Address: "table.customers", File: "app.hcl", Line: 18, Column: 1}},
	}
}

func prepare(t *testing.T, c *kafkatest.Cluster, top *topology.Topology) (*Topics, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return Prepare(ctx, []kgo.Opt{kgo.SeedBrokers(c.Brokers...)}, top, quiet)
}

func configOf(t *testing.T, c *kafkatest.Cluster, topic string) map[string]string {
	t.Helper()
	r, err := kadm.NewClient(c.Client).DescribeTopicConfigs(context.Background(), topic)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range r[0].Configs {
		out[e.Key] = e.MaybeValue()
	}
	return out
}

// TestPrepare runs every case on kfake and on a real broker.
func TestPrepare(t *testing.T) {
	t.Run("kfake", func(t *testing.T) { testPrepare(t, kafkatest.StartFake(t).Cluster, false) })
	t.Run("kafka", func(t *testing.T) { testPrepare(t, kafkatest.Start(t).Cluster, true) })
}

func testPrepare(t *testing.T, c *kafkatest.Cluster, real bool) {
	outside := func(app string, orders, customers int32) {
		c.CreateTopic(app+"-orders", orders)
		c.CreateTopic(app+"-customers", customers, "cleanup.policy=compact")
		c.CreateTopic(app+"-out", 1, "max.message.bytes=20000")
	}
	t.Run("makes the internal topics once", func(t *testing.T) {
		top := enrichment("made")
		outside("made", 6, 4)
		got, err := prepare(t, c, top)
		if err != nil {
			t.Fatal(err)
		}
		if got.Topics[2] != 4 || got.Tasks[0] != 6 || got.Tasks[1] != 4 {
			t.Errorf("topics %v, tasks %v", got.Topics, got.Tasks)
		}
		if got.MaxMessageBytes["made-out"] != 20000 || got.MaxMessageBytes["made-customers-changelog"] == 0 {
			t.Errorf("max.message.bytes %v", got.MaxMessageBytes)
		}
		if len(got.Warnings) > 0 {
			t.Errorf("warnings %q", got.Warnings)
		}
		repartition, changelog := configOf(t, c, "made-enriched-customer-repartition"), configOf(t, c, "made-customers-changelog")
		windows := configOf(t, c, "made-windows-changelog")
		for _, want := range []struct {
			of         map[string]string
			key, value string
		}{
			{repartition, "cleanup.policy", "delete"}, {repartition, "retention.ms", "-1"}, {repartition, "segment.bytes", "52428800"},
			{repartition, "message.timestamp.after.max.ms", "9223372036854775807"}, {changelog, "message.timestamp.after.max.ms", "9223372036854775807"},
			{changelog, "cleanup.policy", "compact"},
			{windows, "cleanup.policy", "compact,delete"}, {windows, "retention.ms", "-1"}, {windows, "message.timestamp.after.max.ms", "9223372036854775807"},
		} {
			if want.of[want.key] != want.value && (real || want.of[want.key] != "") { // kfake describes only what it knows
				t.Errorf("%s = %q, want %s", want.key, want.of[want.key], want.value)
			}
		}
		again, err := prepare(t, c, top)
		if err != nil || again.Topics[2] != 4 {
			t.Errorf("again: %v, %v", again, err)
		}
	})
	t.Run("keeps rows whatever the others may lose", func(t *testing.T) {
		outside("short", 1, 1)
		top := enrichment("short")
		top.TopicConfig = []topology.ConfigEntry{{Key: "retention.ms", Value: "86400000"}}
		for range 2 { // made, then found
			if _, err := prepare(t, c, top); err != nil {
				t.Fatal(err)
			}
		}
		for topic, want := range map[string]string{"short-enriched-customer-repartition": "86400000", "short-windows-changelog": "-1"} {
			if got := configOf(t, c, topic)["retention.ms"]; got != want {
				t.Errorf("%s: retention.ms = %q, want %s", topic, got, want)
			}
		}
	})
	t.Run("by several instances at once", func(t *testing.T) {
		outside("many", 2, 2)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if _, err := prepare(t, c, enrichment("many")); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	if real {
		t.Run("takes any event time", func(t *testing.T) {
			outside("times", 1, 1)
			if _, err := prepare(t, c, enrichment("times")); err != nil {
				t.Fatal(err)
			}
			for _, topic := range []string{"times-customers-changelog", "times-enriched-customer-repartition"} {
				for _, at := range []time.Time{time.Unix(0, 0), time.Now().AddDate(100, 0, 0)} {
					c.Produce(&kgo.Record{Topic: topic, Key: []byte("k"), Timestamp: at})
				}
			}
		})
	}
	problem := func(name string, change func(top *topology.Topology, app string), want string) {
		app := strings.ReplaceAll(name, " ", "-")
		t.Run(name, func(t *testing.T) {
			top := enrichment(app)
			change(top, app)
			_, err := prepare(t, c, top)
			var e *TopicError
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a TopicError", err)
			}
			if want = strings.ReplaceAll(want, "APP", app); !strings.Contains(err.Error(), want) {
				t.Errorf("got  %s\nwant %s", err, want)
			}
		})
	}
	problem("no source", func(_ *topology.Topology, app string) {
		c.CreateTopic(app+"-customers", 1)
		c.CreateTopic(app+"-out", 1)
	}, `topic "APP-orders" does not exist: stream.orders reads it (app.hcl:12:1)`)
	problem("no sink", func(_ *topology.Topology, app string) {
		c.CreateTopic(app+"-customers", 1)
		c.CreateTopic(app+"-orders", 1)
	}, `topic "APP-out" does not exist: a sink writes it`)
	problem("other counts", func(top *topology.Topology, app string) {
		outside(app, 6, 4)
		top.Topics[2].Kind = topology.Input
		c.CreateTopic(top.Topics[2].Name, 6)
	}, `topic "APP-enriched-customer-repartition", read by stream.enriched, has 6 partitions, but topic "APP-customers", read by table.customers, has 4`)
	problem("grown input", func(_ *topology.Topology, app string) {
		outside(app, 4, 4)
		c.CreateTopic(app+"-customers-changelog", 2, "cleanup.policy=compact")
	}, `topic "APP-customers-changelog" has 2 partitions, but the program needs 4 now, as many as its inputs have: rows of store "customers" would be looked for`)
	problem("changelog that forgets", func(_ *topology.Topology, app string) {
		outside(app, 1, 1)
		c.CreateTopic(app+"-customers-changelog", 1, "cleanup.policy=delete")
	}, `topic "APP-customers-changelog" has cleanup.policy = delete, but must have compact: rows would be deleted by their age`)
	problem("compacted repartition", func(_ *topology.Topology, app string) {
		outside(app, 1, 1)
		c.CreateTopic(app+"-enriched-customer-repartition", 1, "cleanup.policy=compact")
	}, `has cleanup.policy = compact, but must have delete`)
	problem("reused topic that forgets", func(top *topology.Topology, app string) {
		c.CreateTopic(app+"-orders", 1)
		c.CreateTopic(app+"-customers", 1, "cleanup.policy=compact,delete", "retention.ms=604800000")
		c.CreateTopic(app+"-out", 1)
		s := &top.SubTopologies[1].Stores[0]
		s.Changelog, s.Row = app+"-customers", func(dst, _, value []byte) ([]byte, error) { return append(dst, value...), nil }
	}, `topic "APP-customers" of table.customers is the changelog of its rows (reuse_source), and forgets them by age or size`)
	problem("replication", func(top *topology.Topology, app string) {
		outside(app, 1, 1)
		top.ReplicationFactor = 3
	}, `refuses replication_factor = 3`)
	problem("own setting", func(top *topology.Topology, app string) {
		outside(app, 1, 1)
		top.TopicConfig = []topology.ConfigEntry{{Key: "cleanup.policy", Value: "compact"}}
	}, `topic_config sets cleanup.policy, which is the engine's own`)
	if real { // kfake takes any setting
		problem("nonsense setting", func(top *topology.Topology, app string) {
			outside(app, 1, 1)
			top.TopicConfig = []topology.ConfigEntry{{Key: "nonsense", Value: "1"}}
		}, `the cluster refuses a setting of topic_config`)
	}
	t.Run("warns about tables that forget", func(t *testing.T) {
		c.CreateTopic("warn-orders", 1)
		c.CreateTopic("warn-customers", 1, "cleanup.policy=delete", "retention.ms=604800000")
		c.CreateTopic("warn-out", 1)
		c.CreateTopic("warn-customers-changelog", 1, "cleanup.policy=compact", "max.message.bytes=1000", "delete.retention.ms=60000")
		got, err := prepare(t, c, enrichment("warn"))
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(got.Warnings, "\n")
		for _, want := range []string{`"warn-customers" of table.customers is not compacted`, `"warn-customers-changelog" takes batches of 1000 bytes`} {
			if !strings.Contains(all, want) {
				t.Errorf("no warning says %s: %s", want, all)
			}
		}
		if got.DeleteRetention != time.Minute {
			t.Errorf("delete retention %s", got.DeleteRetention)
		}
	})
	t.Run("keeps batches within the topic", func(t *testing.T) {
		c.CreateTopic("small", 1, "max.message.bytes=20000")
		topics := &Topics{MaxMessageBytes: map[string]int32{"small": 20000}}
		client, err := kgo.NewClient(append(topics.Options(0), kgo.SeedBrokers(c.Brokers...), kgo.ProducerBatchCompression(kgo.NoCompression()))...)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		var records []*kgo.Record
		for range 100 {
			records = append(records, &kgo.Record{Topic: "small", Value: make([]byte, 5000)})
		}
		if err := client.ProduceSync(context.Background(), records...).FirstErr(); err != nil {
			t.Error(err)
		}
	})
}

// TestPrepareWithoutBrokers: trouble with the cluster is not a mistake in the topics.
func TestPrepareWithoutBrokers(t *testing.T) {
	_, err := Prepare(context.Background(), []kgo.Opt{kgo.SeedBrokers("127.0.0.1:1"), kgo.RequestRetries(0)}, enrichment("x"), quiet)
	var topics *TopicError
	var option *OptionError
	if err == nil || errors.As(err, &topics) || errors.As(err, &option) {
		t.Errorf("got %v", err)
	}
	_, err = Prepare(context.Background(), []kgo.Opt{kgo.FetchMaxWait(time.Millisecond)}, enrichment("x"), quiet)
	if !errors.As(err, &option) {
		t.Errorf("got %v, want an OptionError", err)
	}
}
