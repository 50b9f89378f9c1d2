package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

func TestEndToEnd(t *testing.T) {
	for name, g := range map[string]topology.Guarantee{"exactly once": topology.ExactlyOnce, "at least once": topology.AtLeastOnce} {
		t.Run(name, func(t *testing.T) {
			c := shopCluster(t, 3)
			want := map[string]int{}
			for i := range 7 {
				c.Produce(customer("c"+string(rune('0'+i)), "gold", 3))
			}
			produceOrders(c, 3, 0, 500, want)
			e := startEngine(t, shop(g), testConfig(c, t.TempDir()))
			counts := collect(t, c, "counts")
			exactlyOnce(t, counts.until(500), want)
			// Tables are read first: every order has met its customer.
			for _, r := range collect(t, c, "enriched").until(500) {
				if !strings.HasSuffix(string(r.Value), ",gold") {
					t.Fatalf("enriched %q", r.Value)
				}
			}
			produceOrders(c, 3, 500, 100, want)
			exactlyOnce(t, counts.until(600), want)
			e.drain()
			if n := e.Stats().Topics[topicOrders].In.Load(); n != 600 {
				t.Errorf("counted %d orders in", n)
			}
			if n := e.Stats().Topics[topicCounts].Out.Load(); n != 600 {
				t.Errorf("counted %d records out", n)
			}
		})
	}
}

func TestE05RestartReadsOnlyTheTail(t *testing.T) {
	c := shopCluster(t, 2)
	want := map[string]int{}
	produceOrders(c, 2, 0, 1000, want)
	dir := t.TempDir()
	e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	counts := collect(t, c, "counts")
	counts.until(1000)
	e.drain()

	produceOrders(c, 2, 1000, 100, want)
	e = startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	exactlyOnce(t, counts.until(1100), want)
	restored := int64(0)
	for _, s := range e.Stats().Tasks() {
		restored += s.Restored.Load()
	}
	// What was written after the last applied batch: the end of its transaction and the marker, for two changelogs and two tasks.
	if restored > 16 {
		t.Errorf("%d records were restored", restored)
	}
	e.drain()

	// A disk that is lost comes back from the changelogs.
	produceOrders(c, 2, 1100, 100, want)
	e = startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir()))
	exactlyOnce(t, counts.until(1200), want)
	e.drain()
}

func TestBadRecordStopsTheProcess(t *testing.T) {
	c := shopCluster(t, 1)
	want := map[string]int{}
	produceOrders(c, 1, 0, 10, want)
	bad := order(0, "", 10)
	bad.Value = []byte("no comma here")
	c.Produce(bad)
	err := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir())).wait()
	var r *task.RecordError
	if !errors.As(err, &r) {
		t.Fatalf("ended with %v", err)
	}
	if want := `app.hcl:7:1: stream.orders: topic orders partition 0 offset 10: bad input: value: want "customer,amount"`; r.Error() != want {
		t.Errorf("got  %s\nwant %s", r, want)
	}

	// With the policy "skip" it is counted.
	top := shop(topology.ExactlyOnce)
	top.Positions[posOrders].OnError = task.Skip
	produceOrders(c, 1, 11, 10, want)
	e := startEngine(t, top, testConfig(c, t.TempDir()))
	exactlyOnce(t, collect(t, c, "counts").until(20), want)
	e.drain()
	if d := e.Stats().Drops.List(); len(d) != 2 || d[0] != (task.Drop{Reason: "bad input", At: posOrders, Count: 1}) {
		t.Errorf("drops %v", d)
	}
}
