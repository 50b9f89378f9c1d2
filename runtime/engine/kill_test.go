package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/internal/failpoint"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// TestMain runs the program of these tests as a child process, to be killed, if the environment says so.
func TestMain(m *testing.M) {
	if dir := os.Getenv("ENGINE_TEST_STATE"); dir != "" {
		os.Exit(child(dir))
	}
	os.Exit(m.Run())
}

func child(dir string) int {
	if os.Getenv("ENGINE_TEST_HEIR") != "" { // begins when the process that holds the other end of its input dies
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Fprintf(os.Stderr, "begins at %d\n", time.Now().UnixNano())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	guarantee := topology.ExactlyOnce
	if os.Getenv("ENGINE_TEST_GUARANTEE") != "" {
		guarantee = topology.AtLeastOnce
	}
	top := shop(guarantee)
	top.Positions[posOrders].OnError = task.Skip
	if os.Getenv("ENGINE_TEST_PROGRAM") == "sales" {
		top = sales()
	}
	config := Config{
		Client: []kgo.Opt{kgo.SeedBrokers(strings.Split(os.Getenv("ENGINE_TEST_BROKERS"), ",")...), kgo.MetadataMinAge(20 * time.Millisecond),
			kgo.FetchMaxWait(50 * time.Millisecond)},
		StateDir: dir, Workers: 1, HeartbeatInterval: 50 * time.Millisecond, SessionTimeout: 500 * time.Millisecond,
		InstanceID: os.Getenv("ENGINE_TEST_INSTANCE"),
		Logger:     slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	err := Run(ctx, top, config)
	for errors.Is(err, state.ErrLocked) { // the one before is not quite gone
		err = Run(ctx, top, config)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// childProcess is a process that runs the program.
type childProcess struct {
	t    *testing.T
	cmd  *exec.Cmd
	log  *childLog
	done chan error
}

// childLog is what a process writes, to be read while it does.
type childLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *childLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *childLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func startChild(t *testing.T, c *kafkatest.Fake, g topology.Guarantee, dir, failpoints string) *childProcess {
	t.Helper()
	p := newChild(t, c, g, dir, failpoints)
	p.start()
	return p
}

func newChild(t *testing.T, c *kafkatest.Fake, g topology.Guarantee, dir, failpoints string) *childProcess {
	p := &childProcess{t: t, cmd: exec.Command(os.Args[0]), log: &childLog{}, done: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), "ENGINE_TEST_STATE="+dir, "ENGINE_TEST_BROKERS="+strings.Join(c.Brokers, ","),
		"STREAMGEN_FAILPOINT="+failpoints)
	if g == topology.AtLeastOnce {
		p.cmd.Env = append(p.cmd.Env, "ENGINE_TEST_GUARANTEE=at_least_once")
	}
	p.cmd.Stderr = p.log
	return p
}

func (p *childProcess) start() {
	p.t.Helper()
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	p.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if p.t.Failed() {
			p.t.Logf("child with %s:\n%s", p.cmd.Env[len(p.cmd.Env)-1], p.log)
		}
	})
}

// killed waits for the process to die at its failpoint.
func (p *childProcess) killed() {
	p.t.Helper()
	select {
	case err := <-p.done:
		p.done <- err
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			p.t.Fatalf("ended with %v, not at its failpoint", err)
		}
	case <-time.After(patience):
		p.t.Fatal("did not get to its failpoint")
	}
}

// drained ends the process in order.
func (p *childProcess) drained() {
	p.t.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.done:
		p.done <- err
		if err != nil {
			p.t.Fatalf("drain: %v", err)
		}
	case <-time.After(patience):
		p.t.Fatal("did not drain")
	}
}

// killsAt says how a failpoint is met: the environment, and whether the process has to be told to end.
var killsAt = map[string]struct {
	spec string
	end  bool // it is met when the process is told to end
	bad  bool // it is met when all records are skipped
}{
	"commit.flushed":   {spec: "commit.flushed:4"},
	"commit.frozen":    {spec: "commit.frozen:4"},
	"commit.begun":     {spec: "commit.begun:3"},
	"commit.produced":  {spec: "commit.produced:3"},
	"commit.offsets":   {spec: "commit.offsets:3"},
	"commit.end":       {spec: "commit.end:3"},
	"commit.ended":     {spec: "commit.ended:3"},
	"commit.unknown":   {spec: "commit.end:3=error,commit.unknown"},
	"commit.plain":     {spec: "commit.plain:2", bad: true},
	"commit.aborted":   {spec: "commit.produced:3=error,commit.aborted"},
	"apply.task":       {spec: "apply.task:6"},
	"apply.write":      {spec: "apply.write:6"},
	"apply.done":       {spec: "apply.done:6"},
	"restore.opened":   {spec: "restore.opened:2"},
	"restore.marked":   {spec: "restore.marked:2"},
	"restore.batch":    {spec: "restore.batch:3"},
	"restore.done":     {spec: "restore.done:2"},
	"revoke.committed": {spec: "revoke.committed", end: true},
	"revoke.closed":    {spec: "revoke.closed", end: true},
	"drain.committed":  {spec: "drain.committed", end: true},
	"drain.closed":     {spec: "drain.closed", end: true},
}

// TestKilledAnywhere kills the process at each failpoint, twice (once if the tests are to be short), the second time over the state that the first one left. What
// comes out, read committed, is what an undisturbed process gives.
func TestKilledAnywhere(t *testing.T) { testKilled(t, topology.ExactlyOnce) }

// TestKilledLosesNothing is the same with at_least_once: orders may be counted twice, but none is missed. T05: nor is a result whose row
// was written and that was not sent.
func TestKilledLosesNothing(t *testing.T) { testKilled(t, topology.AtLeastOnce) }

func testKilled(t *testing.T, g topology.Guarantee) {
	times := 2
	if testing.Short() {
		times = 1
	}
	for _, name := range failpoint.Names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKilling(t, shopCluster(t, 2), g)
			k.killAt(name, times)
			k.check()
		})
	}
}

// killing is a program that is killed while orders come.
type killing struct {
	t         *testing.T
	c         *kafkatest.Fake
	guarantee topology.Guarantee
	dir       string
	counts    *collector
	enriched  *collector
	want      map[string]int
	orders    int
}

func newKilling(t *testing.T, c *kafkatest.Fake, g topology.Guarantee) *killing {
	k := &killing{t: t, c: c, guarantee: g, dir: t.TempDir(), want: map[string]int{}, counts: collect(t, c, "counts"), enriched: collect(t, c, "enriched")}
	for i := range 7 {
		c.Produce(customer("c"+strconv.Itoa(i), "gold", 2))
	}
	return k
}

func (k *killing) more(n int) {
	produceOrders(k.c, 2, k.orders, n, k.want)
	k.orders += n
}

// killAt lets the process die at a failpoint so many times, each time over the state that the one before left.
func (k *killing) killAt(name string, times int) {
	k.t.Helper()
	at, ok := killsAt[name]
	if !ok {
		k.t.Fatal("nobody knows how to get there")
	}
	for range times {
		p := startChild(k.t, k.c, k.guarantee, k.dir, at.spec)
		if at.end {
			k.more(50)
			k.counts.until(k.orders)
			_ = p.cmd.Process.Signal(syscall.SIGTERM)
			p.killed()
			continue
		}
		stop := portions(k.t, func() { // several epochs
			if at.bad {
				bad := order(0, "", 0)
				bad.Value = []byte("no comma")
				k.c.Produce(bad)
				return
			}
			k.more(5)
		})
		p.killed()
		stop()
	}
}

// check lets the process work on undisturbed, and compares what came out with the orders.
func (k *killing) check() {
	k.t.Helper()
	k.more(50)
	p := startChild(k.t, k.c, k.guarantee, k.dir, "")
	if k.guarantee == topology.ExactlyOnce {
		exactlyOnce(k.t, k.counts.until(k.orders), k.want)
		p.drained()
		checkChangelog(k.t, k.c, k.want)
		return
	}
	met := map[string]bool{} // orders that came out, each with its number
	within(k.t, "all orders", func() bool {
		for _, r := range k.enriched.until(len(k.enriched.records) + 1) {
			met[string(r.Value)] = true
		}
		return len(met) == k.orders
	})
	p.drained()
}

// checkChangelog compares the counts in the changelog with the orders.
func checkChangelog(t *testing.T, c *kafkatest.Fake, want map[string]int) {
	t.Helper()
	rows := map[string]int{}
	for _, r := range c.Read("shop-counts-changelog") {
		if !bytes.HasPrefix(r.Key, []byte("\xffSG")) {
			rows[string(r.Key)] = int(binary.BigEndian.Uint64(r.Value))
		}
	}
	if !maps.Equal(rows, want) {
		t.Errorf("the changelog has %v, want %v", rows, want)
	}
}
