package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// The test binary is also the program that is run: it copies "in" to "out" in transactions, by way of "shop-again-repartition",
// and writes a changelog.
func TestMain(m *testing.M) {
	if os.Getenv("LOCAL_TEST_PROGRAM") != "" {
		os.Exit(program())
	}
	os.Exit(m.Run())
}

func program() int {
	brokers := flag.String("brokers", "", "")
	address := flag.String("http", "", "")
	flag.String("state-dir", "", "")
	fails := flag.Bool("fail", false, "")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)
	var in, out atomic.Int64
	http.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "# HELP x\nstreamgen_records_in_total{app=\"shop\",topic=\"in\"} %d\n", in.Load())
		fmt.Fprintf(w, "streamgen_records_in_total{app=\"shop\",topic=\"shop-again-repartition\"} %d\n", in.Load())
		fmt.Fprintf(w, "streamgen_records_out_total{app=\"shop\",topic=\"out\"} %d\n", out.Load())
		fmt.Fprintf(w, "streamgen_records_dropped_total{app=\"shop\",reason=\"null key\",step=\"a\"} 3\n")
	})
	go http.ListenAndServe(*address, nil)
	fmt.Fprintln(os.Stderr, "level=INFO msg=serving")
	for _, topic := range []string{"shop-again-repartition", "shop-counts-changelog"} {
		if err := create(context.WithoutCancel(ctx), *brokers, topic); err != nil {
			return 3
		}
	}
	session, err := kgo.NewGroupTransactSession(kgo.SeedBrokers(*brokers), kgo.TransactionalID("shop"), kgo.ConsumerGroup("shop"),
		kgo.ConsumeTopics("in", "shop-again-repartition"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(50*time.Millisecond),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		return 3
	}
	defer session.Close()
	for ctx.Err() == nil {
		fetches := session.PollFetches(ctx)
		if *fails && !fetches.Empty() {
			fmt.Fprintln(os.Stderr, "level=ERROR msg=stopped error=bad")
			return 1
		}
		if fetches.Empty() {
			continue
		}
		if err := session.Begin(); err != nil {
			return 3
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if r.Topic == "in" {
				in.Add(1)
				session.Produce(ctx, &kgo.Record{Topic: "shop-again-repartition", Key: r.Key, Value: r.Value, Timestamp: r.Timestamp}, nil)
				return
			}
			out.Add(1)
			session.Produce(ctx, &kgo.Record{Topic: "out", Key: r.Key, Value: r.Value, Timestamp: r.Timestamp}, nil)
			session.Produce(ctx, &kgo.Record{Topic: "shop-counts-changelog", Key: r.Key, Value: r.Value}, nil)
			session.Produce(ctx, &kgo.Record{Topic: "shop-counts-changelog", Key: state.ControlKey(state.Commit), Value: []byte("x")}, nil)
		})
		if _, err := session.End(context.WithoutCancel(ctx), kgo.TryCommit); err != nil && ctx.Err() == nil {
			return 3
		}
	}
	fmt.Fprintln(os.Stderr, "level=INFO msg=drained")
	return 0
}

func create(ctx context.Context, brokers, topic string) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers))
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = kadm.NewClient(client).CreateTopic(ctx, 2, 1, nil, topic)
	return err
}

func shop() *plan.Plan {
	text := plan.Format{Name: "string", Type: types.String}
	in := &plan.Topic{Name: "in", Kind: plan.Input, Key: text, Value: plan.Format{Name: "json"}}
	again := &plan.Topic{Name: "shop-again-repartition", Kind: plan.Repartition, Like: []*plan.Topic{in}}
	out := &plan.Topic{Name: "out", Kind: plan.Output, Key: text, Value: plan.Format{Name: "json"}}
	return &plan.Plan{
		App: "shop", Topics: []*plan.Topic{in, again, out}, Stores: []*plan.Store{{Name: "counts", Changelog: "shop-counts-changelog"}},
		SubTopologies: []*plan.SubTopology{{
			Sources: []*plan.Source{{Topics: []*plan.Topic{in}}, {Topics: []*plan.Topic{again}, Internal: true}, {Pattern: "more-.*", Key: text, Value: text}},
			Funcs:   []*plan.Func{{Ops: []plan.Op{&plan.Send{Topic: out, Sink: &model.Sink{Label: "copy"}}}}},
		}},
	}
}

// locked is a writer for several goroutines.
type locked struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.Write(b)
}

func (l *locked) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.String()
}

func options(t *testing.T, input string) (Options, *locked) {
	t.Helper()
	t.Setenv("LOCAL_TEST_PROGRAM", "1")
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	said := &locked{}
	o := Options{Plan: shop(), Binary: binary, Partitions: 2, Out: &locked{}, Log: said, Say: func(f string, a ...any) { fmt.Fprintf(said, f+"\n", a...) }}
	if input != "" {
		name := filepath.Join(t.TempDir(), "in.jsonl")
		if err := os.WriteFile(name, []byte(input), 0o644); err != nil {
			t.Fatal(err)
		}
		o.Inputs = []Input{{"in", name}}
	}
	return o, said
}

func records(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"key\":\"k%d\",\"ts\":%d,\"value\":{\"n\": %d},\"headers\":{\"h\":\"x\"}}\n", i%7, 1000+i, i)
	}
	return b.String()
}

func TestRunUntilDrained(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	o, said := options(t, records(500))
	s, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err, said.text())
	}
	if s.In != 500 || s.Out != 500 || s.Keys != 7 || s.Dropped != 3 || s.Seconds <= 0 {
		t.Errorf("got %+v", *s)
	}
	seen := map[int]bool{}
	for line := range strings.Lines(o.Out.(*locked).text()) {
		var r struct {
			Topic, Key string
			TS         int64
			Value      struct{ N int }
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(line, err)
		}
		if r.Topic != "out" || r.Key != fmt.Sprintf("k%d", r.Value.N%7) || r.TS != int64(1000+r.Value.N) || seen[r.Value.N] {
			t.Errorf("got %s", line)
		}
		seen[r.Value.N] = true
	}
	if len(seen) != 500 {
		t.Errorf("%d records were shown", len(seen))
	}
	if strings.Contains(said.text(), "level=INFO") {
		t.Errorf("said %s", said.text())
	}
}

func TestRunLimitAndText(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	o, said := options(t, records(20))
	o.Limit, o.Text, o.Verbose = 3, true, true
	s, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err, said.text())
	}
	shown := o.Out.(*locked).text()
	if s.Hidden != 17 || strings.Count(shown, "\n") != 3 || !strings.Contains(shown, "out  1970-01-01T00:00:01.") {
		t.Errorf("%+v\n%s", *s, shown)
	}
	if !strings.Contains(said.text(), "msg=drained") {
		t.Errorf("said %s", said.text())
	}
}

// Without input the program runs until somebody interrupts it, and then drains.
func TestRunUntilInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	o, said := options(t, "")
	say := o.Say
	o.Say = func(f string, a ...any) {
		say(f, a...)
		if strings.Contains(f, "running") {
			cancel()
		}
	}
	o.Verbose = true
	s, err := Run(ctx, o)
	if err != nil || s == nil {
		t.Fatal(s, err, said.text())
	}
	if !strings.Contains(said.text(), "msg=drained") {
		t.Errorf("said %s", said.text())
	}
}

func TestRunFails(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for name, c := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"program":         {func(o *Options) { o.Args = []string{"--fail"} }, "the program ended with exit status 1"},
		"arguments":       {func(o *Options) { o.Args = []string{"--nonsense"} }, "the program ended with exit status 2"},
		"no program":      {func(o *Options) { o.Binary = "/nowhere" }, "cannot start /nowhere"},
		"no sink":         {func(o *Options) { o.Show = []string{"x"} }, `there is no sink "x"; there are: copy`},
		"no topic":        {func(o *Options) { o.Inputs[0].Topic = "x" }, `nothing reads the topic "x"; there are: in`},
		"no file":         {func(o *Options) { o.Inputs[0].File = "nowhere.jsonl" }, "nowhere.jsonl"},
		"without http":    {func(o *Options) { o.Args = []string{"--http", "off"} }, "--http off"},
		"no such brokers": {func(o *Options) { o.Brokers = []string{"127.0.0.1:1"} }, "127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			o, said := options(t, records(10))
			c.change(&o)
			limited := ctx
			if o.Brokers != nil {
				short, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				limited = short
			}
			if _, err := Run(limited, o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s\n%s", err, c.want, said.text())
			}
		})
	}
	// A broken line far behind: the program is stopped, and the line is named.
	o, said := options(t, records(200)+"{\"key\":5}\n")
	if _, err := Run(ctx, o); err == nil || !strings.Contains(err.Error(), "in.jsonl:201: key: a string is expected, not 5") {
		t.Errorf("got %v\n%s", err, said.text())
	}
}

func TestControlKey(t *testing.T) {
	for _, k := range []state.ControlKind{state.Commit, state.Marker} {
		if !bytes.HasPrefix(state.ControlKey(k), controlKey) {
			t.Errorf("%q does not begin with %q", state.ControlKey(k), controlKey)
		}
	}
}

func TestEarliest(t *testing.T) {
	at := func(ts ...int64) *reader { return &reader{next: &kgo.Record{Timestamp: milliseconds(ts[0])}} }
	a, b, end := at(5), at(5), &reader{}
	if got := earliest([]*reader{end, a, b}); got != a {
		t.Error("not the first of equals")
	}
	c := at(4)
	if got := earliest([]*reader{a, b, c}); got != c {
		t.Error("not the earliest")
	}
	if got := earliest([]*reader{end}); got != nil {
		t.Error("not the end")
	}
}

func TestGiven(t *testing.T) {
	o := Options{Args: []string{"--log-level", "warn", "--http=:1"}}
	for flag, want := range map[string]string{"log-level": "warn", "http": ":1", "log": ""} {
		if got, ok := o.given(flag); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", flag, got, ok)
		}
	}
}

func TestParseMetric(t *testing.T) {
	name, labels, value, ok := parseMetric(`streamgen_records_in_total{app="a b",topic="x.y-z"} 1.2e+06` + "\n")
	if name != "streamgen_records_in_total" || label(labels, "topic") != "x.y-z" || value != 1_200_000 || !ok {
		t.Error(name, labels, value, ok)
	}
	for _, line := range []string{"", "# HELP x y", "x", "x y"} {
		if _, _, _, ok := parseMetric(line); ok {
			t.Errorf("%q is a metric", line)
		}
	}
}

// Figures that are behind are asked for again, those of records that nobody reads for as long as there is patience.
func TestSettled(t *testing.T) {
	figures := []Summary{{}, {In: 2}, {In: 2}, {In: 5, Dropped: 1}, {In: 5, Dropped: 2}, {In: 5, Dropped: 2}}
	looks := 0
	look := func() (Summary, error) {
		looks++
		return figures[min(looks, len(figures))-1], nil
	}
	if s, err := settled(context.Background(), 5, look); s != figures[5] || looks != 6 || err != nil {
		t.Errorf("got %+v after %d looks: %v", s, looks, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if s, err := settled(ctx, 6, func() (Summary, error) { cancel(); return look() }); s != figures[5] || err != nil {
		t.Errorf("got %+v: %v", s, err)
	}
	if _, err := settled(context.Background(), 5, func() (Summary, error) { return Summary{}, errTooLong }); err != errTooLong {
		t.Errorf("got %v", err)
	}
}

var errTooLong = errors.New("the wait was too long")

// Ends of topics, also where nothing but markers is left.
func TestMarkersOnly(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, errTooLong)
	defer cancel()
	c, err := connect(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if _, err := c.admin.CreateTopic(ctx, 1, 1, nil, "t"); err != nil {
		t.Fatal(err)
	}
	p, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.TransactionalID("x"), kgo.DefaultProduceTopic("t"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for range 2 { // offsets 0 and 2, markers at 1 and 3
		if err := p.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := p.ProduceSync(ctx, kgo.StringRecord("v")).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := p.EndTransaction(ctx, kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []struct {
		from, to int64
		want     bool
	}{{0, 4, false}, {1, 2, true}, {1, 4, false}, {3, 4, true}, {4, 4, true}} {
		got, err := c.markersOnly(ctx, "t", 0, o.from, o.to)
		if err != nil || got != o.want {
			t.Errorf("[%d, %d): %v, %v", o.from, o.to, got, err)
		}
	}
}
