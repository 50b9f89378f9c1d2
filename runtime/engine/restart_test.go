package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/internal/failpoint"
	"github.com/streamgen/streamgen/runtime/topology"
)

// TestKilledAnywhereKafka kills the process at each failpoint over a real broker, all over the same topics and state: what kfake
// does at once, a real broker does when it likes, the markers of a transaction after it has answered its end.
func TestKilledAnywhereKafka(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute: run without -short")
	}
	k := newKilling(t, realCluster(t, 2), topology.ExactlyOnce)
	for _, name := range failpoint.Names {
		from := time.Now()
		k.killAt(name, 1)
		k.check()
		if t.Failed() {
			t.Fatalf("after a death at %s", name)
		}
		t.Logf("%s: %.1f s", name, time.Since(from).Seconds())
	}
}

// TestRestartAtOnceKafka: a process dies when its transaction has ended, and the next one begins within 5 ms, before the broker
// has written the markers. It finds its rows complete all the same. STREAMGEN_RESTARTS says how many restarts there are.
func TestRestartAtOnceKafka(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a process that ends within 5 ms: run without -short")
	}
	restartAtOnce(t, realCluster(t, 2), "commit.ended", restarts(t), 5*time.Millisecond)
}

// TestE33KilledBeforeTheEnd: everything is prepared, nothing is committed, and the process dies. What it sent is never seen.
func TestE33KilledBeforeTheEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a hundred processes: run without -short")
	}
	restartAtOnce(t, shopCluster(t, 2), "commit.end", 100, time.Minute)
}

func restarts(t *testing.T) int {
	t.Helper()
	s := os.Getenv("STREAMGEN_RESTARTS")
	if s == "" {
		return 20
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("STREAMGEN_RESTARTS=%s: %v", s, err)
	}
	return n
}

// restartAtOnce lets a process die at a failpoint, at its first commit or a later one, and another one begin at once in its
// place, until that was soon enough so many times. The group waits for nobody: a static member that comes back has its tasks.
func restartAtOnce(t *testing.T, c *kafkatest.Fake, point string, times int, limit time.Duration) {
	want := map[string]int{}
	dir := t.TempDir()
	counts := collect(t, c, "counts")
	n := 0
	stop := portions(t, func() {
		produceOrders(c, 2, n, 5, want)
		n += 5
	})
	// Each process is there before the one in front of it dies, and begins when the kernel closes what that one held.
	heir := func(i int, of *os.File) (*childProcess, *os.File) {
		p := newChild(t, c, topology.ExactlyOnce, dir, fmt.Sprintf("%s:%d", point, 1+i%3))
		p.cmd.Env = append(p.cmd.Env, "ENGINE_TEST_HEIR=1", "ENGINE_TEST_INSTANCE=a")
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		p.cmd.Stdin, p.cmd.ExtraFiles = of, []*os.File{w}
		p.start()
		_ = of.Close()
		_ = w.Close()
		t.Cleanup(func() { _ = r.Close() })
		return p, r
	}
	r, first, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p, r := heir(0, r)
	_ = first.Close()
	var gaps []time.Duration
	soon := 0
	for i := 1; soon < times; i++ {
		if i > 20*times { // on a machine that has much else to do few are soon enough
			t.Fatalf("%d of %d restarts were within %s: the machine is too slow for this test", soon, i-1, limit)
		}
		var next *childProcess
		next, r = heir(i, r)
		p.killed()
		within(t, "a beginning", func() bool { return next.said("begins at") != 0 })
		gap := time.Duration(next.said("begins at") - p.said("failpoint "+point+" at"))
		gaps = append(gaps, gap)
		if gap <= limit {
			soon++
		}
		p = next
	}
	p.killed()
	stop()
	slices.Sort(gaps)
	t.Logf("%d restarts, %d of them within %s; half within %s, the last after %s", len(gaps), soon, limit, gaps[len(gaps)/2], gaps[len(gaps)-1])

	// All of it comes from the changelogs. The process keeps its id, else what the last one left open would be waited for.
	if err := os.RemoveAll(filepath.Join(dir, "shop", "tasks")); err != nil {
		t.Fatal(err)
	}
	p = startChild(t, c, topology.ExactlyOnce, dir, "")
	exactlyOnce(t, counts.until(n), want)
	p.drained()
	checkChangelog(t, c, want)
}

// said is the number behind a text that the process wrote, or 0.
func (p *childProcess) said(text string) int64 {
	_, rest, found := strings.Cut(p.log.String(), text+" ")
	line, _, complete := strings.Cut(rest, "\n")
	if !found || !complete {
		return 0
	}
	n, err := strconv.ParseInt(line, 10, 64)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}
