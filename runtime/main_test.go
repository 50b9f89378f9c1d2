package runtime

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/config"
	"github.com/streamgen/streamgen/runtime/internal/sample"
	"github.com/twmb/franz-go/pkg/kgo"
)

// output collects what a process logs.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// process is run of the sample program, in this process.
type process struct {
	log  output
	stop context.CancelFunc
	code chan int
}

func start(t *testing.T, c *kafkatest.Cluster, dir string, args ...string) *process {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	p := &process{stop: stop, code: make(chan int, 1)}
	var limit string
	args = append([]string{"--brokers", strings.Join(c.Brokers, ","), "--state-dir", dir, "--http", "127.0.0.1:0", "--memory", "64MiB"}, args...)
	go func() { p.code <- run(ctx, sample.Counts(&limit), args, nil, io.Discard, &p.log) }()
	t.Cleanup(stop)
	return p
}

// end waits for the process to end and returns its exit code.
func (p *process) end(t *testing.T) int {
	t.Helper()
	select {
	case code := <-p.code:
		return code
	case <-time.After(30 * time.Second):
		t.Fatalf("does not end:\n%s", &p.log)
		return 0
	}
}

// eventually waits until f holds.
func eventually(t *testing.T, p *process, what string, f func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(30 * time.Second)
	for !f() {
		select {
		case code := <-p.code:
			t.Fatalf("ended with %d, but not: %s\n%s", code, what, &p.log)
		case <-end:
			t.Fatalf("not in time: %s\n%s", what, &p.log)
		case <-tick.C:
		}
	}
}

func topics(c *kafkatest.Cluster) {
	for _, name := range []string{"in", "names", "out"} {
		c.CreateTopic(name, 2)
	}
}

// get asks the process over HTTP. 0: it does not serve yet.
func (p *process) get(t *testing.T, path string) (int, string) {
	t.Helper()
	m := regexp.MustCompile(`msg=serving .*http=(\S+)`).FindStringSubmatch(p.log.String())
	if m == nil {
		return 0, ""
	}
	r, err := http.Get("http://" + m[1] + path)
	if err != nil {
		return 0, ""
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// TestProcess is the life of a process: it makes its topics, becomes ready, processes, drains, and goes on from there when
// it is started again.
func TestProcess(t *testing.T) {
	t.Run("kfake", func(t *testing.T) { testProcess(t, kafkatest.StartFake(t).Cluster) })
	t.Run("kafka", func(t *testing.T) { testProcess(t, kafkatest.Start(t).Cluster) })
}

func testProcess(t *testing.T, c *kafkatest.Cluster) {
	topics(c)
	dir := t.TempDir()
	next := 0
	for round := range 2 {
		p := start(t, c, dir, "--workers", "2")
		for range 50 {
			next++
			c.Produce(&kgo.Record{Topic: "in", Partition: int32(next % 2), Value: fmt.Appendf(nil, "k%d", next%5)})
		}
		eventually(t, p, "all counted", func() bool { return len(c.Read("out")) == next })
		eventually(t, p, "ready", func() bool { code, _ := p.get(t, "/readyz"); return code == 200 })
		_, metrics := p.get(t, "/metrics")
		for _, want := range []string{`streamgen_records_in_total{app="counts",topic="in"} 50`, `streamgen_records_out_total{app="counts",topic="out"} 50`,
			`streamgen_phase{app="counts",phase="running"} 1`, `streamgen_task_lag{app="counts",partition="0",sub_topology="counts"} `} {
			if !strings.Contains(metrics, want) {
				t.Errorf("round %d: no %s in\n%s", round, want, regexp.MustCompile(`(?m)^(#|go_|process_).*\n`).ReplaceAllString(metrics, ""))
			}
		}
		p.stop()
		if code := p.end(t); code != config.ExitDrained {
			t.Fatalf("ended with %d:\n%s", code, &p.log)
		}
	}
	var got []string
	for _, r := range c.Read("out") {
		got = append(got, fmt.Sprintf("%s %s", r.Key, r.Value))
	}
	slices.Sort(got)
	var want []string
	for k := range 5 {
		for n := 1; n <= 20; n++ {
			want = append(want, fmt.Sprintf(`k%d {"n":%d,"name":null}`, k, n))
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %d records that differ from the %d wanted: %q", len(got), len(want), got)
	}
}

func TestExitCodes(t *testing.T) {
	c := kafkatest.StartFake(t).Cluster
	t.Run("help", func(t *testing.T) {
		var stdout, stderr output
		var limit string
		if code := run(context.Background(), sample.Counts(&limit), []string{"--help"}, nil, &stdout, &stderr); code != config.ExitDrained || stderr.String() != "" {
			t.Errorf("%d %s", code, &stderr)
		}
		if !strings.Contains(stdout.String(), "--state-dir") || !strings.Contains(stdout.String(), "--var limit=string (none)") {
			t.Errorf("got %s", &stdout)
		}
	})
	t.Run("settings", func(t *testing.T) {
		p := start(t, c, t.TempDir(), "--set", "linger=1")
		if code := p.end(t); code != config.ExitConfig || !strings.Contains(p.log.String(), `did you mean "linger.ms"`) {
			t.Errorf("%d %s", code, &p.log)
		}
	})
	t.Run("client refuses", func(t *testing.T) {
		p := start(t, c, t.TempDir(), "--set", "fetch.max.wait.ms=1")
		if code := p.end(t); code != config.ExitConfig {
			t.Errorf("%d %s", code, &p.log)
		}
	})
	t.Run("no topics", func(t *testing.T) {
		p := start(t, c, t.TempDir())
		if code := p.end(t); code != config.ExitConfig || !strings.Contains(p.log.String(), `topic \"in\" does not exist: stream.in reads it (app.hcl:3:1)`) {
			t.Errorf("%d %s", code, &p.log)
		}
	})
	topics(c)
	t.Run("verify", func(t *testing.T) {
		var limit string
		var stdout, log output
		code := run(context.Background(), sample.Counts(&limit), []string{"--verify", "--brokers", strings.Join(c.Brokers, ",")}, nil, &stdout, &log)
		if want := "topic \"names\": 2 partitions, 0 records looked at, partitioner murmur2\n"; code != config.ExitDrained || !strings.Contains(stdout.String(), want) {
			t.Errorf("%d %s%s", code, &stdout, &log)
		}
		p := start(t, c, t.TempDir(), "--verify=perhaps")
		if code := p.end(t); code != config.ExitConfig {
			t.Errorf("%d %s", code, &p.log)
		}
		c.CreateTopic("counts-changelog", 3)
		p = start(t, c, t.TempDir(), "--verify")
		if code := p.end(t); code != config.ExitConfig || !strings.Contains(p.log.String(), "has 3 partitions") {
			t.Errorf("%d %s", code, &p.log)
		}
		c.DeleteTopic("counts-changelog")
	})
	t.Run("told to end while preparing", func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		stop()
		var limit string
		var log output
		code := run(ctx, sample.Counts(&limit), []string{"--brokers", "127.0.0.1:1", "--http", "off", "--state-dir", t.TempDir()}, nil, io.Discard, &log)
		if code != config.ExitDrained {
			t.Errorf("%d %s", code, &log)
		}
	})
	t.Run("two processes in one directory", func(t *testing.T) {
		dir := t.TempDir()
		first := start(t, c, dir)
		eventually(t, first, "ready", func() bool { code, _ := first.get(t, "/readyz"); return code == 200 })
		if code := start(t, c, dir).end(t); code != config.ExitState {
			t.Errorf("the second ended with %d", code)
		}
		first.stop()
		first.end(t)
	})
	t.Run("a record", func(t *testing.T) {
		c.Produce(&kgo.Record{Topic: "in", Value: []byte("poison")})
		p := start(t, c, t.TempDir())
		if code := p.end(t); code != config.ExitRecord || !strings.Contains(p.log.String(), "app.hcl:3:1: stream.in: topic in partition 0 offset 0: bad input: is poison") {
			t.Errorf("%d %s", code, &p.log)
		}
	})
}
