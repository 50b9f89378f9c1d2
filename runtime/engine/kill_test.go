package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/internal/failpoint"
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
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	guarantee := topology.ExactlyOnce
	if os.Getenv("ENGINE_TEST_GUARANTEE") != "" {
		guarantee = topology.AtLeastOnce
	}
	top := shop(guarantee)
	top.Positions[posOrders].OnError = task.Skip
	err := Run(ctx, top, Config{
		Client: []kgo.Opt{kgo.SeedBrokers(strings.Split(os.Getenv("ENGINE_TEST_BROKERS"), ",")...), kgo.MetadataMinAge(20 * time.Millisecond),
			kgo.FetchMaxWait(50 * time.Millisecond)},
		StateDir: dir, Workers: 1, HeartbeatInterval: 50 * time.Millisecond, SessionTimeout: 500 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
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
	log  *bytes.Buffer
	done chan error
}

func startChild(t *testing.T, c *kafkatest.Fake, g topology.Guarantee, dir, failpoints string) *childProcess {
	t.Helper()
	p := &childProcess{t: t, cmd: exec.Command(os.Args[0]), log: &bytes.Buffer{}, done: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), "ENGINE_TEST_STATE="+dir, "ENGINE_TEST_BROKERS="+strings.Join(c.Brokers, ","),
		"STREAMGEN_FAILPOINT="+failpoints)
	if g == topology.AtLeastOnce {
		p.cmd.Env = append(p.cmd.Env, "ENGINE_TEST_GUARANTEE=at_least_once")
	}
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("child %s:\n%s", failpoints, p.log)
		}
	})
	return p
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
	case <-time.After(30 * time.Second):
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
	case <-time.After(30 * time.Second):
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

// TestKilledAnywhere kills the process at each failpoint, twice, the second time over the state that the first one left. What
// comes out, read committed, is what an undisturbed process gives.
func TestKilledAnywhere(t *testing.T) { testKilled(t, topology.ExactlyOnce) }

// TestKilledLosesNothing is the same with at_least_once: orders may be counted twice, but none is missed.
func TestKilledLosesNothing(t *testing.T) { testKilled(t, topology.AtLeastOnce) }

func testKilled(t *testing.T, g topology.Guarantee) {
	for _, name := range failpoint.Names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, ok := killsAt[name]
			if !ok {
				t.Fatal("nobody knows how to get there")
			}
			c := shopCluster(t, 2)
			want := map[string]int{}
			dir := t.TempDir()
			counts := collect(t, c, "counts")
			for i := range 7 {
				c.Produce(customer("c"+strconv.Itoa(i), "gold", 2))
			}
			enriched := collect(t, c, "enriched")
			orders := 0
			more := func(n int) {
				produceOrders(c, 2, orders, n, want)
				orders += n
			}
			for range 2 {
				p := startChild(t, c, g, dir, at.spec)
				if at.end {
					more(50)
					counts.until(orders)
					_ = p.cmd.Process.Signal(syscall.SIGTERM)
					p.killed()
					continue
				}
				stop := portions(t, func() { // several epochs
					if at.bad {
						bad := order(0, "", 0)
						bad.Value = []byte("no comma")
						c.Produce(bad)
						return
					}
					more(5)
				})
				p.killed()
				stop()
			}
			more(50)
			p := startChild(t, c, g, dir, "")
			if g == topology.ExactlyOnce {
				exactlyOnce(t, counts.until(orders), want)
				p.drained()
				checkChangelog(t, c, want)
				return
			}
			met := map[string]bool{} // orders that came out, each with its number
			within(t, "all orders", func() bool {
				for _, r := range enriched.until(len(enriched.records) + 1) {
					met[string(r.Value)] = true
				}
				return len(met) == orders
			})
			p.drained()
		})
	}
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
