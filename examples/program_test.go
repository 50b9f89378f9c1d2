package examples_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/testdriver"
	"github.com/streamgen/streamgen/runtime/topology"
)

// The binaries over kfake, and over a real broker: the tests with Kafka in their name, which are skipped where there is no
// Java or Maven.

func TestProgramsOverKfake(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs binaries: run without -short")
	}
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			k, d := newKafka(t, kafkatest.StartFake(t).Cluster, e, 1), e.sample(t)
			undisturbed(k, d)
			e.checkOrder(t, d.want, k.outputs)
		})
	}
}

func TestKilledProgramsOverKfake(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs binaries: run without -short")
	}
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			killed(newKafka(t, kafkatest.StartFake(t).Cluster, e, e.partitions(3)), e.sample(t))
		})
	}
}

// TestKilledProgramsOverKafka runs each example on a real broker, on one together with others that have no topic in common with it. They
// run side by side: most of the time they wait for the broker.
func TestKilledProgramsOverKafka(t *testing.T) {
	type broker struct {
		cluster *kafkatest.Cluster
		topics  []string
	}
	var brokers []*broker
	for _, e := range examples {
		topics := append(e.topics(topology.Input), e.topics(topology.Output)...)
		i := slices.IndexFunc(brokers, func(b *broker) bool {
			return !slices.ContainsFunc(topics, func(topic string) bool { return slices.Contains(b.topics, topic) })
		})
		if i < 0 {
			i, brokers = len(brokers), append(brokers, &broker{cluster: kafkatest.Start(t).Cluster})
		}
		brokers[i].topics = append(brokers[i].topics, topics...)
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			killed(newKafka(t, brokers[i].cluster, e, e.partitions(3)), e.sample(t))
		})
	}
}

// undisturbed runs a program over its data, and compares what it committed.
func undisturbed(k *kafka, d data) {
	k.t.Helper()
	k.produce(d.tables)
	k.produce(d.streams)
	k.example.binary(k.t)
	from := time.Now()
	p := k.example.start(k.t, k.Brokers, k.t.TempDir())
	k.processed(p)
	k.t.Logf("%s: %d records in %.1f s", k.example.name, len(d.tables)+len(d.streams), time.Since(from).Seconds())
	p.drain()
	k.example.check(k.t, d.want, k.outputs)
}

// killed kills a program twice while its input comes: it goes on over the state that it left, and then without any.
func killed(k *kafka, d data) {
	k.t.Helper()
	if len(d.streams) == 0 { // a program of tables
		d.streams, d.tables = d.tables, nil
	}
	k.produce(d.tables)
	third := len(d.streams) / 3
	dir := k.t.TempDir()
	for i := range 2 {
		outputs, err := k.written(k.t.Context())
		if err != nil {
			k.t.Fatal(err)
		}
		p := k.example.start(k.t, k.Brokers, dir, "--commit-interval", "20ms")
		written := k.trickle(d.streams[i*third : (i+1)*third])
		k.inFlight(p, i*third+third/4, outputs)
		p.kill()
		written()
	}

	p := k.example.start(k.t, k.Brokers, k.t.TempDir())
	k.produce(d.streams[2*third:])
	k.processed(p)
	p.drain()
	k.example.check(k.t, d.want, k.outputs)
}

// TestAllFlights runs the flights of a whole year. STREAMGEN_NYCFLIGHTS names a directory with them, as topics
// (<topic>.jsonl.gz), and with the answers of a batch program (answers/<name>.jsonl, the first line says what they are).
func TestAllFlights(t *testing.T) {
	for _, e := range []string{"flights", "hourly-departures", "landings"} {
		t.Run(e, func(t *testing.T) {
			t.Parallel()
			e, d := allFlights(t, e)
			undisturbed(newKafka(t, kafkatest.StartFake(t).Cluster, e, e.partitions(4)), d)
		})
	}
}

// TestAllFlightsKafka is TestAllFlights over a real broker.
func TestAllFlightsKafka(t *testing.T) {
	for _, e := range []string{"flights", "hourly-departures", "landings"} {
		t.Run(e, func(t *testing.T) {
			t.Parallel()
			e, d := allFlights(t, e)
			undisturbed(newKafka(t, kafkatest.Start(t).Cluster, e, e.partitions(4)), d)
		})
	}
}

// answers are the topics of the examples with flights, the files of the answers, and of windows the grace.
var answers = map[string]struct {
	file  string
	grace time.Duration
}{
	"delay-by-manufacturer": {file: "delay_by_manufacturer"},
	"flights-by-airline":    {file: "flights_by_airline"},
	"departures-within-10m": {"hourly_departures_grace_10m", 10 * time.Minute},
	"departures-within-60m": {"hourly_departures_grace_60m", time.Hour},
	"departures-within-24h": {"hourly_departures", 24 * time.Hour},
	"air-time-by-route":     {file: "air_time_by_route"},
	"never-landed":          {"never_landed", 36 * time.Hour},
}

func allFlights(t *testing.T, name string) (example, data) {
	t.Helper()
	dir := os.Getenv("STREAMGEN_NYCFLIGHTS")
	if dir == "" {
		t.Skip("STREAMGEN_NYCFLIGHTS names no directory with a year of flights; the sample of a week was tested")
	}
	e := examples[slices.IndexFunc(examples, func(e example) bool { return e.name == name })]
	d := data{want: map[string][]string{}}
	e.read(t, dir, &d)
	if n := len(slices.DeleteFunc(slices.Clone(d.streams), func(r testdriver.Record) bool { return r.Topic != "flights" })); n != 336_776 {
		t.Fatalf("%d flights", n)
	}
	for _, topic := range e.topics(topology.Output) {
		a := answers[topic]
		d.want[topic] = lines(t, filepath.Join(dir, "answers", a.file+".jsonl"))[1:]
		switch last := lastTime(d.streams); {
		case topic == "never-landed":
			d.want[topic] = missed(t, d.want[topic], d.streams, last-a.grace.Milliseconds())
		case a.grace > 0:
			d.want[topic] = closed(t, d.want[topic], last-a.grace.Milliseconds())
		}
	}
	return e, d
}

// lastTime is where the records bring stream time, without flights that were cancelled.
func lastTime(records []testdriver.Record) (last int64) {
	for _, r := range records {
		if !bytes.Contains(r.Value, []byte(`"cancelled":true`)) {
			last = max(last, r.Timestamp)
		}
	}
	return last
}

// missed turns answers that are keys of flights into what a topic holds of them, without those that may still land when the year
// ends: they left at that time or later.
func missed(t *testing.T, answers []string, flights []testdriver.Record, end int64) (list []string) {
	t.Helper()
	left := map[string]int64{}
	for _, r := range flights {
		if r.Topic == "flights" {
			left[string(r.Key)] = r.Timestamp
		}
	}
	for _, line := range answers {
		var a struct{ Key string }
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		if left[a.Key] < end {
			list = append(list, fmt.Sprintf(`{"key":%q,"value":%q}`, a.Key, a.Key))
		}
	}
	return list
}

// closed turns answers about windows into what a topic with windowed keys holds, without the windows that end later than that:
// they are open when the year ends.
func closed(t *testing.T, answers []string, end int64) (list []string) {
	t.Helper()
	for _, line := range answers {
		var a struct {
			Key               string
			Start, End, Value int64
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		if a.End <= end {
			list = append(list, fmt.Sprintf(`{"key":{"key":%q,"start":%d,"end":%d},"value":%d}`, a.Key, a.Start, a.End, a.Value))
		}
	}
	return list
}
