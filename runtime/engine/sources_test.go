package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// forward sends what it reads to one topic, as it is.
type forward struct{ out record.Topic }

func (s *forward) Process(b *record.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		s.out.Send(r.Key, r.Value, r.Timestamp, r.Headers)
	}
	return nil
}

func (s *forward) Flush() error { return nil }

// forwards is a program of one sub-topology for each source. All of them send to "out".
func forwards(topics []string, sources ...topology.Source) *topology.Topology {
	t := &topology.Topology{App: "forwards", Guarantee: topology.ExactlyOnce, CommitInterval: 10 * time.Millisecond,
		Topics: []topology.Topic{{Name: "out", Kind: topology.Output}}}
	for _, name := range topics {
		t.Topics = append(t.Topics, topology.Topic{Name: name, Kind: topology.Input})
	}
	for _, s := range sources {
		t.SubTopologies = append(t.SubTopologies, topology.SubTopology{Name: s.Name, Sources: []topology.Source{s},
			New: func(t *task.Task) (task.SubTopology, error) { return &forward{t.Topic(0)}, nil }})
	}
	return t
}

func at(topic, value string, ts time.Time) *kgo.Record {
	return &kgo.Record{Topic: topic, Key: []byte("k"), Value: []byte(value), Timestamp: ts}
}

func sortedValues(records []*kgo.Record) (list []string) {
	for _, r := range records {
		list = append(list, string(r.Value))
	}
	slices.Sort(list)
	return list
}

// A source reads one topic, several, or those whose whole name its pattern matches, each with its own partition count.
func TestSourcesOfSeveralTopics(t *testing.T) {
	c := kafkatest.StartFake(t)
	for i, name := range []string{"out", "a", "b", "logs-eu", "logs-us", "old-logs-eu", "logs"} {
		c.CreateTopic(name, int32(1+i%3))
	}
	now := time.Now()
	for _, name := range []string{"a", "b", "logs-eu", "logs-us", "old-logs-eu", "logs"} {
		c.Produce(at(name, name, now))
	}
	e := startEngine(t, forwards([]string{"a", "b"},
		topology.Source{Name: "stream.two", Topics: []uint16{1, 2}, Start: topology.Earliest},
		topology.Source{Name: "stream.logs", Pattern: "logs-.*", Start: topology.Earliest},
	), testConfig(c, t.TempDir()))
	out := collect(t, c, "out")
	out.until(4)
	for _, name := range []string{"a", "b", "logs-eu", "logs-us"} {
		c.Produce(at(name, name+" again", now))
	}
	got := sortedValues(out.until(8))
	e.drain()
	if want := []string{"a", "a again", "b", "b again", "logs-eu", "logs-eu again", "logs-us", "logs-us again"}; !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Where a source begins is a matter of its first run only: at the start of its topic, at the end, or as long ago as it says. What
// was committed goes before it, also for what came while nobody ran.
func TestSourcesBegin(t *testing.T) {
	c := kafkatest.StartFake(t)
	topics := []string{"all", "new", "recent"}
	for _, name := range append([]string{"out"}, topics...) {
		c.CreateTopic(name, 1)
	}
	now := time.Now()
	for _, name := range topics {
		c.Produce(at(name, name+" 3h old", now.Add(-3*time.Hour)), at(name, name+" 1h old", now.Add(-time.Hour)))
	}
	top := forwards(topics,
		topology.Source{Name: "stream.all", Topics: []uint16{1}, Start: topology.Earliest},
		topology.Source{Name: "stream.new", Topics: []uint16{2}, Start: topology.Latest},
		topology.Source{Name: "stream.recent", Topics: []uint16{3}, Start: topology.Start(2 * time.Hour)},
	)
	dir := t.TempDir()
	e := startEngine(t, top, testConfig(c, dir))
	out := collect(t, c, "out")
	out.until(3)
	within(t, "the start", func() bool { return e.Stats().Phase() == Running && len(e.Stats().Tasks()) == 3 })
	for _, name := range topics {
		c.Produce(at(name, name+" live", now))
	}
	out.until(6)
	e.drain()
	for _, name := range topics {
		c.Produce(at(name, name+" meanwhile", now.Add(-5*time.Hour)))
	}
	e = startEngine(t, top, testConfig(c, dir))
	got := sortedValues(out.until(9))
	e.drain()
	want := []string{"all 3h old", "all 1h old", "recent 1h old"}
	for _, name := range topics {
		want = append(want, name+" live", name+" meanwhile")
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestLogAppendTimeKafka: the time of a record of a topic to which the broker gives its times is the broker's, whatever the writer said.
func TestLogAppendTimeKafka(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a broker: run without -short")
	}
	c := &kafkatest.Fake{Cluster: kafkatest.Start(t).Cluster}
	c.CreateTopic("in", 1, "message.timestamp.type=LogAppendTime")
	c.CreateTopic("out", 1)
	startEngine(t, forwards([]string{"in"}, topology.Source{Name: "in", Topics: []uint16{1}, Start: topology.Earliest}), testConfig(c, t.TempDir()))
	from := time.Now()
	c.Produce(at("in", "v", time.UnixMilli(1000)))
	got := collect(t, c, "out").until(1)[0].Timestamp
	if written := c.Read("in")[0].Timestamp; !got.Equal(written) || got.Before(from.Truncate(time.Millisecond)) {
		t.Errorf("the time of the result is %s, that of the record in the log %s, and it was written after %s", got, written, from)
	}
}
