package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/topology"
)

// lateMarkers is a broker that has answered the end of transactions and not yet written their markers into the changelogs: committed
// reads see nothing of them from offset hold on, neither records nor the end.
type lateMarkers struct {
	hold    int64
	ids     map[[16]byte]bool
	names   map[string]bool
	held    atomic.Bool
	fetches atomic.Int64 // answers that were cut
}

func newLateMarkers(c *kafkatest.Fake, hold int64, topics ...string) *lateMarkers {
	l := &lateMarkers{hold: hold, ids: map[[16]byte]bool{}, names: map[string]bool{}}
	for _, name := range topics {
		l.ids[c.Kfake.TopicInfo(name).TopicID] = true
		l.names[name] = true
	}
	l.held.Store(true)
	return l
}

func (l *lateMarkers) response(_ int16, r kmsg.Response) error {
	if !l.held.Load() {
		return nil
	}
	switch r := r.(type) {
	case *kmsg.FetchResponse:
		for i := range r.Topics {
			t := &r.Topics[i]
			if !l.ids[t.TopicID] && !l.names[t.Topic] {
				continue
			}
			for j := range t.Partitions {
				p := &t.Partitions[j]
				p.LastStableOffset = min(p.LastStableOffset, l.hold)
				p.RecordBatches = before(p.RecordBatches, l.hold)
				l.fetches.Add(1)
			}
		}
	case *kmsg.ListOffsetsResponse:
		for i := range r.Topics {
			if t := &r.Topics[i]; l.names[t.Topic] {
				for j := range t.Partitions {
					t.Partitions[j].Offset = min(t.Partitions[j].Offset, l.hold)
				}
			}
		}
	}
	return nil
}

// before are the batches whose last offset is below hold.
func before(batches []byte, hold int64) []byte {
	const lastOffsetDelta = 23
	n := 0
	for n+lastOffsetDelta+4 <= len(batches) {
		last := int64(binary.BigEndian.Uint64(batches[n:])) + int64(binary.BigEndian.Uint32(batches[n+lastOffsetDelta:]))
		if last >= hold {
			break
		}
		n += 12 + int(binary.BigEndian.Uint32(batches[n+8:]))
	}
	return batches[:min(n, len(batches))]
}

// TestRestoreWaitsForMarkers: the offsets of the last epochs are committed, but the changelogs do not show them yet. A restore
// that ended at an offset it asked for would begin with old rows.
func TestRestoreWaitsForMarkers(t *testing.T) {
	for name, hold := range map[string]int64{"all hidden": 0, "tail hidden": 40} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := shopCluster(t, 1)
			want := map[string]int{}
			e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir()))
			counts := collect(t, c, "counts")
			for n := range 20 { // at least that many epochs
				produceOrders(c, 1, 10*n, 10, want)
				counts.until(10*n + 10)
			}
			e.drain()

			late := newLateMarkers(c, hold, "shop-counts-changelog", "shop-customers-changelog")
			x := &intercept{}
			x.set(nil, late.response)
			config := testConfig(c, t.TempDir())
			config.Client = append(config.Client, x.option())
			e = startEngine(t, shop(topology.ExactlyOnce), config)
			join := func() Phase {
				for _, s := range e.Stats().Tasks() {
					if s.SubTopology == "join" {
						return Phase(s.Phase.Load())
					}
				}
				return Starting
			}
			within(t, "fetches of the changelogs", func() bool { return late.fetches.Load() > 10 || join() == Running })
			if p := join(); p != Restoring {
				t.Fatalf("the task is %s before its changelogs are complete", p)
			}
			produceOrders(c, 1, 200, 10, want)
			late.held.Store(false)
			exactlyOnce(t, counts.until(210), want)
			e.drain()
			checkChangelog(t, c, want)
		})
	}
}

// TestLostTailOfChangelog: the changelog no longer reaches back to where the database is.
func TestLostTailOfChangelog(t *testing.T) {
	c := shopCluster(t, 1)
	want := map[string]int{}
	dir := t.TempDir()
	e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	counts := collect(t, c, "counts")
	produceOrders(c, 1, 0, 100, want)
	counts.until(100)
	e.drain()

	// Another process works on, and what the first one's database is at is deleted, with rows that are written again later.
	other := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir()))
	produceOrders(c, 1, 100, 100, want)
	counts.until(200)
	other.drain()
	all := c.Read("shop-counts-changelog")
	from := all[len(all)-5].Offset
	if err := c.Kfake.DeleteRecords("shop-counts-changelog", 0, from); err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{} // what the changelog still has
	for _, r := range all[len(all)-5:] {
		if !bytes.HasPrefix(r.Key, []byte("\xffSG")) {
			rows[string(r.Key)] = int(binary.BigEndian.Uint64(r.Value))
		}
	}
	e = startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	within(t, "the restore", func() bool { return e.Stats().Phase() == Running && len(e.Stats().Tasks()) == 2 })
	e.drain()
	withDatabase(t, dir, func(b state.Backend) {
		if got := countRows(t, b); !maps.Equal(got, rows) {
			t.Errorf("the database has %v, the changelog %v: rows of before were kept", got, rows)
		}
	})
}

// countRows are the rows of store counts.
func countRows(t *testing.T, b state.Backend) map[string]int {
	t.Helper()
	rows := map[string]int{}
	err := state.EachRow(b, 1, func(key []byte, _ int64, value []byte) error {
		rows[string(key)] = int(binary.BigEndian.Uint64(value))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestGroupReset: somebody deletes the group's offsets and leaves the state. Going on would count all orders twice.
func TestGroupReset(t *testing.T) {
	for name, lose := range map[string]bool{"with its disk": false, "with the changelogs only": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := shopCluster(t, 1)
			dir := t.TempDir()
			e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
			produceOrders(c, 1, 0, 100, map[string]int{})
			collect(t, c, "counts").until(100)
			e.drain()
			req := kmsg.NewPtrDeleteGroupsRequest()
			req.Groups = []string{"shop"}
			within(t, "deletion of the group", func() bool {
				resp, err := req.RequestWith(t.Context(), c.Client)
				return err == nil && resp.Groups[0].ErrorCode == 0
			})
			if lose {
				dir = t.TempDir()
			}
			err := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir)).wait()
			var reset *ResetError
			if !errors.As(err, &reset) || reset.Committed != 0 || reset.State == 0 {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

// TestStaleDisk: a database that was last written longer ago than deletes are kept is not used.
func TestStaleDisk(t *testing.T) {
	c := shopCluster(t, 1)
	want := map[string]int{}
	dir := t.TempDir()
	config := testConfig(c, dir)
	e := startEngine(t, shop(topology.ExactlyOnce), config)
	counts := collect(t, c, "counts")
	produceOrders(c, 1, 0, 100, want)
	counts.until(100)
	e.drain()

	// A row that was deleted since, whose delete is compacted away: only the database still has it.
	stale := &state.Frozen{Epoch: e.tasksEpoch(t, dir), Wall: time.Now().Add(-25 * time.Hour).UnixMilli()}
	stale.Changes = append(stale.Changes, state.Change{Key: []byte("\x00\x01ghost"), Row: make([]byte, 16), Store: 1})
	withDatabase(t, dir, func(b state.Backend) {
		if err := b.Apply(stale); err != nil {
			t.Fatal(err)
		}
	})
	e = startEngine(t, shop(topology.ExactlyOnce), config)
	produceOrders(c, 1, 100, 100, want)
	exactlyOnce(t, counts.until(200), want)
	e.drain()
	withDatabase(t, dir, func(b state.Backend) {
		rows := countRows(t, b)
		if len(rows) != 7 || rows["ghost"] != 0 {
			t.Errorf("the database has %v", rows)
		}
	})
}

// withDatabase opens the database of join-0 while no process runs.
func withDatabase(t *testing.T, dir string, f func(state.Backend)) {
	t.Helper()
	shared := state.NewShared(state.Options{Memory: 64 << 20, Tasks: 1})
	defer shared.Close()
	b, err := shared.Open(dir+"/shop/tasks/join-0", []state.Schema{
		{ID: 0, Name: "customers", Fingerprint: "string"}, {ID: 1, Name: "counts", Fingerprint: "int64"},
	})
	if err != nil {
		t.Fatal(err)
	}
	f(b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

func (r *running) tasksEpoch(t *testing.T, dir string) (n uint64) {
	withDatabase(t, dir, func(b state.Backend) { n = b.Checkpoint().Epoch })
	return n
}

// TestBootstrap: a table is read to its end before the first order is joined, however old the orders are.
func TestBootstrap(t *testing.T) {
	c := shopCluster(t, 1)
	var names []string
	for i := range 500 {
		name := "n" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		names = append(names, name)
		r := customer(name, "silver", 1)
		r.Timestamp = time.UnixMilli(int64(1_000_000 + i)) // later than all orders
		c.Produce(r)
	}
	for i, name := range names {
		c.Produce(order(0, name, i))
	}
	e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir()))
	enriched := collect(t, c, "enriched").until(len(names))
	e.drain()
	if n := len(enriched); n != len(names) {
		t.Errorf("%d of %d orders met their customer", n, len(names))
	}
	if d := e.Stats().Drops.List(); d[0].Count != 0 {
		t.Errorf("drops %v", d)
	}
}
