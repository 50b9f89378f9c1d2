package kafka

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/topology"
	"github.com/streamgen/streamgen/runtime/window"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// fill writes the records user-1 to user-1000, where a partitioner puts them.
func fill(t *testing.T, c *kafkatest.Cluster, topic string, partitions int32, at func(key []byte, partitions int32) int32, key func(string) []byte) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var list []*kgo.Record
	for i := range 1000 {
		user := fmt.Sprintf("user-%d", i+1)
		list = append(list, &kgo.Record{Topic: topic, Partition: at([]byte(user), partitions), Key: key(user)})
	}
	if err := client.ProduceSync(context.Background(), list...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

func partitioner(name string) func([]byte, int32) int32 {
	for _, p := range record.Partitioners {
		if p.Name == name {
			return p.Of
		}
	}
	return nil
}

// J21: topics of one number of partitions, one of which is written by a client that chooses partitions in another way.
func TestJ21OtherPartitioner(t *testing.T) {
	c := kafkatest.StartFake(t).Cluster
	bytes := func(user string) []byte { return []byte(user) }
	windowed := func(user string) []byte { return window.AppendKey([]byte(user), nil, 60_000) }
	turn := int32(0)
	anywhere := func(_ []byte, n int32) int32 { turn++; return turn % n }
	for i, v := range []struct {
		written func([]byte, int32) int32
		key     func(string) []byte
		format  string
		says    string // the partitioner in the spec
		want    string // "": all is well
	}{
		{partitioner("murmur2"), bytes, "string", "", ""},
		{partitioner("crc32"), bytes, "string", "", `all lie where crc32 puts them: write partitioner = "crc32" in the source`},
		{partitioner("crc32"), bytes, "string", "crc32", ""},
		{partitioner("fnv1a"), bytes, "string", "crc32", `all lie where fnv1a puts them`},
		{partitioner("fnv1a"), bytes, "string", "fnv1a", ""},
		{partitioner("fnv1a"), bytes, "string", manual, ""},
		{anywhere, bytes, "string", "", "let its writers use that one"},
		{partitioner("murmur2"), windowed, `windowed(string, { kind = "time", size = "1m" })`, "", ""},
		{partitioner("crc32"), windowed, `windowed(string, { kind = "time", size = "1m" })`, "", "all lie where crc32 puts them"},
	} {
		app := fmt.Sprintf("sampled%d", i)
		top := enrichment(app)
		top.Topics[1].Key, top.SubTopologies[1].Sources[1].Partitioner = v.format, v.says
		c.CreateTopic(app+"-orders", 7)
		c.CreateTopic(app+"-customers", 7, "cleanup.policy=compact")
		c.CreateTopic(app+"-out", 1)
		fill(t, c, app+"-orders", 7, anywhere, bytes) // is repartitioned: any way will do
		fill(t, c, app+"-customers", 7, v.written, v.key)
		r, err := verify(t, c, top)
		if v.want == "" {
			if err != nil || len(r.Samples) != 1 || r.Samples[0].Topic != app+"-customers" || r.Samples[0].Records != 1000 {
				t.Errorf("case %d: got %v, %v", i, r, err)
			}
			continue
		}
		var problems *TopicError
		if !errors.As(err, &problems) || !strings.Contains(err.Error(), v.want) || !strings.Contains(err.Error(), "read by table.customers (app.hcl:18:1): ") {
			t.Errorf("case %d: got %v, should say %q", i, err, v.want)
		}
	}
	live, err := kadm.NewClient(c.Client).ListTopics(context.Background())
	if err != nil || live.Has("sampled0-customers-changelog") || !live.Has("sampled0-customers") {
		t.Errorf("topics %v, %v", live.Names(), err)
	}
}

func verify(t *testing.T, c *kafkatest.Cluster, top *topology.Topology) (*Report, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return Verify(ctx, []kgo.Opt{kgo.SeedBrokers(c.Brokers...)}, top, quiet)
}

// Verify looks at what is there: records of one key in two partitions where nothing else is known, the latest records only, and topics
// that Prepare would refuse.
func TestVerify(t *testing.T) {
	c := kafkatest.StartFake(t).Cluster
	top := enrichment("looked")
	if _, err := verify(t, c, top); err == nil || !strings.Contains(err.Error(), `topic "looked-orders" does not exist`) {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"orders", "customers", "out"} {
		c.CreateTopic("looked-"+name, 2)
	}
	r, err := verify(t, c, top)
	if err != nil || len(r.Samples) != 1 || r.Samples[0].Records != 0 || len(r.Warnings) == 0 { // a table whose topic is not compacted
		t.Errorf("got %+v, %v", r, err)
	}
	same := func(string) []byte { return []byte("user") }
	fill(t, c, "looked-customers", 2, func([]byte, int32) int32 { return 0 }, same)
	fill(t, c, "looked-customers", 2, func([]byte, int32) int32 { return 0 }, same)
	top.SubTopologies[1].Sources[1].Partitioner = manual
	if r, err := verify(t, c, top); err != nil || r.Samples[0].Records != 1000 {
		t.Errorf("got %+v, %v", r, err)
	}
	fill(t, c, "looked-customers", 2, func([]byte, int32) int32 { return 1 }, same)
	if _, err := verify(t, c, top); err == nil || !strings.Contains(err.Error(), "do not lie in one partition with others of their keys") {
		t.Errorf("got %v", err)
	}
	c.CreateTopic("looked-customers-changelog", 5)
	if _, err := verify(t, c, top); err == nil || !strings.Contains(err.Error(), `topic "looked-customers-changelog" has 5 partitions`) {
		t.Errorf("got %v", err)
	}
}

// What was not read in time is said: few records are no proof.
func TestVerifySaysWhatItHasNotRead(t *testing.T) {
	p := &preparer{t: &topology.Topology{}, out: &Topics{}}
	s := newSampler(&topology.Source{Name: "stream.orders"}, "orders", "string", 3)
	s.left[1], s.Records = 7, 12
	if got := p.judge([]*sampler{s}); len(got) != 1 || got[0].Records != 12 {
		t.Errorf("samples %v", got)
	}
	want := `topic "orders": the ends of 1 of 3 partitions were not reached within 30s, 12 records were looked at`
	if len(p.out.Warnings) != 1 || p.out.Warnings[0] != want || len(p.problems) > 0 {
		t.Errorf("warnings %q, problems %q", p.out.Warnings, p.problems)
	}
}
