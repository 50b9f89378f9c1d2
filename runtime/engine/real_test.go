package engine

import (
	"testing"

	"github.com/streamgen/streamgen/runtime/topology"
)

// TestRealKafka does over a real broker what kfake cannot show: it writes the markers of a transaction after it has answered.
// The process is killed as soon as its transaction has ended, and started again at once.
func TestRealKafka(t *testing.T) {
	c := realCluster(t, 2)
	want := map[string]int{}
	dir := t.TempDir()
	counts := collect(t, c, "counts")
	n := 0
	for range 20 {
		p := startChild(t, c, topology.ExactlyOnce, dir, "commit.ended:3")
		stop := portions(t, func() {
			produceOrders(c, 2, n, 5, want)
			n += 5
		})
		p.killed()
		stop()
	}
	p := startChild(t, c, topology.ExactlyOnce, t.TempDir(), "") // another disk: all of it comes from the changelogs
	exactlyOnce(t, counts.until(n), want)
	p.drained()
	checkChangelog(t, c, want)
}
