package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// Faults that programs of this kind are known to have had. The numbers name them; what stands elsewhere under its number is
// TestE33KilledBeforeTheEnd, TestE05RestartReadsOnlyTheTail and TestE23Rebalance.

// settled waits until all tasks of e run.
func settled(t *testing.T, e *running, tasks int) {
	t.Helper()
	within(t, "all tasks running", func() bool {
		list := e.Stats().Tasks()
		for _, s := range list {
			if Phase(s.Phase.Load()) != Running {
				return false
			}
		}
		return len(list) == tasks
	})
}

// restored is how many changelog records the tasks of e have read.
func restored(e *running) (n int64) {
	for _, s := range e.Stats().Tasks() {
		n += s.Restored.Load()
	}
	return n
}

// TestE03ClosedWhileRestoring: a process ends in the middle of a restore. What it has read is what it remembers to have read: the
// next one goes on there, and no row is missing.
func TestE03ClosedWhileRestoring(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 1)
	want := map[string]int{}
	e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir()))
	counts := collect(t, c, "counts")
	for n := range 20 {
		produceOrders(c, 1, 10*n, 10, want)
		counts.until(10*n + 10)
	}
	e.drain()

	const hold = 100
	dir := t.TempDir()
	late := newLateMarkers(c, hold, "shop-counts-changelog")
	x := &intercept{}
	x.set(nil, late.response)
	config := testConfig(c, dir)
	config.Client = append(config.Client, x.option())
	e = startEngine(t, shop(topology.ExactlyOnce), config)
	within(t, "the first records", func() bool { return restored(e) > hold/2 })
	e.drain()
	withDatabase(t, dir, func(b state.Backend) {
		checkpoint := b.Checkpoint()
		if next, ok := checkpoint.Changelog(1); !ok || next > hold {
			t.Errorf("the position in the changelog is %d, it was read up to %d at most", next, hold)
		}
	})

	e = startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	produceOrders(c, 1, 200, 10, want)
	exactlyOnce(t, counts.until(210), want)
	e.drain()
	withDatabase(t, dir, func(b state.Backend) {
		if got := countRows(t, b); !maps.Equal(got, want) {
			t.Errorf("the database has %v, want %v", got, want)
		}
	})
}

// TestE07OneDatabaseIsDamaged: the others are left as they are.
func TestE07OneDatabaseIsDamaged(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 2)
	want := map[string]int{}
	dir := t.TempDir()
	e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	counts := collect(t, c, "counts")
	for n := range 20 {
		produceOrders(c, 2, 20*n, 20, want)
		counts.until(20*n + 20)
	}
	e.drain()
	tables, err := filepath.Glob(filepath.Join(dir, "shop/tasks/join-0/*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	for _, file := range tables {
		if err := os.Truncate(file, 10); err != nil {
			t.Fatal(err)
		}
	}

	e = startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	settled(t, e, 4)
	for _, s := range e.Stats().Tasks() {
		if n := s.Restored.Load(); s.SubTopology == "join" && (s.Partition == 0) != (n > 40) {
			t.Errorf("task join-%d has restored %d records", s.Partition, n)
		}
	}
	produceOrders(c, 2, 400, 20, want)
	exactlyOnce(t, counts.until(420), want)
	e.drain()
}

// TestE11AbortedTail: a changelog ends in an aborted transaction. The restore comes to its end, and nothing of it is a row.
func TestE11AbortedTail(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 1)
	want := map[string]int{}
	e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir()))
	counts := collect(t, c, "counts")
	produceOrders(c, 1, 0, 50, want)
	counts.until(50)
	e.drain()

	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.TransactionalID("another"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		r := &kgo.Record{Topic: "shop-counts-changelog", Key: []byte("ghost" + strconv.Itoa(i)), Value: binary.BigEndian.AppendUint64(nil, 1)}
		if err := client.ProduceSync(context.Background(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.EndTransaction(context.Background(), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	e = startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	produceOrders(c, 1, 50, 50, want)
	exactlyOnce(t, counts.until(100), want)
	e.drain()
	withDatabase(t, dir, func(b state.Backend) {
		if got := countRows(t, b); !maps.Equal(got, want) {
			t.Errorf("the database has %v, want %v", got, want)
		}
	})
}

// TestE13SkippedRecordsAdvance: a partition has bad records only. They are counted once, and a restart does not meet them again.
func TestE13SkippedRecordsAdvance(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 1)
	for i := range 30 {
		bad := order(0, "", i)
		bad.Value = []byte("no comma")
		c.Produce(bad)
	}
	top := shop(topology.ExactlyOnce)
	top.Positions[posOrders].OnError = task.Skip
	dir := t.TempDir()
	e := startEngine(t, top, testConfig(c, dir))
	within(t, "the committed offset", func() bool {
		o, err := kadm.NewClient(c.Client).FetchOffsets(context.Background(), "shop")
		if err != nil {
			return false
		}
		at, _ := o.Lookup("orders", 0)
		return at.At == 30
	})
	e.drain()
	if d := e.Stats().Drops.List(); len(d) == 0 || d[0].Count != 30 {
		t.Errorf("drops %v, want 30", d)
	}

	e = startEngine(t, top, testConfig(c, dir))
	counts := collect(t, c, "counts")
	produceOrders(c, 1, 30, 1, map[string]int{})
	counts.until(1)
	e.drain()
	for _, d := range e.Stats().Drops.List() {
		if d.Reason == task.BadInput.String() {
			t.Errorf("drops %v after a restart", e.Stats().Drops.List())
		}
	}
}

// TestE17LostWhileRestoring: the group takes a task away while it is restored and gives it back, again and again (E27). In the end
// it runs once, and nothing of it stays paused.
func TestE17LostWhileRestoring(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 2)
	want := map[string]int{}
	e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir()))
	counts := collect(t, c, "counts")
	produceOrders(c, 2, 0, 100, want)
	counts.until(100)
	e.drain()

	late := newLateMarkers(c, 2, "shop-counts-changelog")
	x := &intercept{}
	x.set(nil, late.response)
	config := testConfig(c, t.TempDir())
	config.Client = append(config.Client, x.option(), kgo.RetryBackoffFn(func(int) time.Duration { return 10 * time.Millisecond }))
	e = startEngine(t, shop(topology.ExactlyOnce), config)
	for i := range 20 {
		rebalances := e.Stats().Rebalances.Load()
		if i%5 == 4 { // a restore that ends, else one that is under way
			late.held.Store(false)
			settled(t, e, 4)
			late.held.Store(true)
		}
		h := c.Kfake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.UnknownMemberID, Count: 1})
		within(t, "the loss", func() bool { return h.Hits() > 0 })
		within(t, "the next assignment", func() bool { return e.Stats().Rebalances.Load() > rebalances })
	}
	late.held.Store(false)
	produceOrders(c, 2, 100, 100, want)
	exactlyOnce(t, counts.until(200), want)
	settled(t, e, 4)
	e.drain()
	checkChangelog(t, c, want)
}

// TestE19OutdatedStateIsRemoved: databases of tasks that nobody has had for long are removed when a process starts, those of its
// own tasks are not.
func TestE19OutdatedStateIsRemoved(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 1)
	dir := t.TempDir()
	want := map[string]int{}
	e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	counts := collect(t, c, "counts")
	produceOrders(c, 1, 0, 50, want)
	counts.until(50)
	e.drain()

	tasks := filepath.Join(dir, "shop", "tasks")
	old := time.Now().Add(-25 * time.Hour)
	age := func(name string) {
		err := filepath.WalkDir(filepath.Join(tasks, name), func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, old, old))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(tasks, "gone-3"), os.DirFS(filepath.Join(tasks, "join-0"))); err != nil {
		t.Fatal(err)
	}
	age("gone-3")
	if err := os.Mkdir(filepath.Join(tasks, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tasks, "notes", "mine.txt"), []byte("not a database"), 0o644); err != nil {
		t.Fatal(err)
	}
	age("notes")

	e = startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	settled(t, e, 2)
	if n := restored(e); n > 8 {
		t.Errorf("%d records were restored: the task's own database is gone", n)
	}
	produceOrders(c, 1, 50, 50, want)
	exactlyOnce(t, counts.until(100), want)
	e.drain()
	if _, err := os.Stat(filepath.Join(tasks, "gone-3")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the outdated database is there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(tasks, "notes", "mine.txt")); err != nil {
		t.Errorf("what is no database was removed: %v", err)
	}
}

// TestE25OneRecord: the first and last record of a changelog is restored.
func TestE25OneRecord(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 1)
	want := map[string]int{}
	counts := collect(t, c, "counts")
	for i := range 3 {
		produceOrders(c, 1, 7*i, 1, want) // of the same customer
		e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir()))
		exactlyOnce(t, counts.until(i+1), want)
		e.drain()
	}
}

// slow is a sub-topology that is in the middle of something for as long as a test likes.
type slow struct {
	task.SubTopology
	busy atomic.Bool
	hold chan struct{} // closed: it goes on
}

func (s *slow) Flush() error {
	if s.busy.Load() {
		<-s.hold
	}
	return s.SubTopology.Flush()
}

// TestE29SlowAtRevocation: a step takes longer than the group waits. The tasks are given back in time, what was not committed is
// dropped, and the heir does it.
func TestE29SlowAtRevocation(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 2)
	want := map[string]int{}
	var first atomic.Pointer[slow]
	top := shop(topology.ExactlyOnce)
	newJoin := top.SubTopologies[1].New
	top.SubTopologies[1].New = func(t *task.Task) (task.SubTopology, error) {
		code, err := newJoin(t)
		s := &slow{SubTopology: code, hold: make(chan struct{})}
		first.CompareAndSwap(nil, s)
		return s, err
	}
	config := testConfig(c, t.TempDir())
	config.RebalanceTimeout = 2 * time.Second
	e := startEngine(t, top, config)
	release := sync.OnceFunc(func() { close(first.Load().hold) })
	defer release()
	counts := collect(t, c, "counts")
	produceOrders(c, 2, 0, 100, want)
	counts.until(100)
	s := first.Load()
	s.busy.Store(true)
	stop := feeding(t, c, 2, want, 100)
	other := testConfig(c, t.TempDir())
	other.RebalanceTimeout = 2 * time.Second
	heir := startEngine(t, shop(topology.ExactlyOnce), other)
	within(t, "commits of the heir", func() bool { return heir.Stats().Commits.Load() > 10 })
	s.busy.Store(false)
	release() // only now
	settled(t, e, 2)
	exactlyOnce(t, counts.until(stop()), want)
	heir.drain()
	within(t, "everything back", func() bool { return len(e.Stats().Tasks()) == 4 && e.Stats().Phase() == Running })
	e.drain()
	checkChangelog(t, c, want)
}

// TestStaticMember: a process that comes back under its instance id within the session has its tasks at once.
func TestStaticMember(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 2)
	want := map[string]int{}
	counts := collect(t, c, "counts")
	dir := t.TempDir()
	config := testConfig(c, dir)
	config.InstanceID = "a"
	config.SessionTimeout = 20 * time.Second
	other := testConfig(c, t.TempDir())
	other.InstanceID = "b"
	other.SessionTimeout = 20 * time.Second
	b := startEngine(t, shop(topology.ExactlyOnce), other)
	a := startEngine(t, shop(topology.ExactlyOnce), config)
	settled(t, a, 2)
	settled(t, b, 2)
	n := 0
	for range 3 {
		produceOrders(c, 2, n, 50, want)
		n += 50
		exactlyOnce(t, counts.until(n), want)
		rebalances := b.Stats().Rebalances.Load()
		a.drain()
		a = startEngine(t, shop(topology.ExactlyOnce), config)
		settled(t, a, 2)
		if got := b.Stats().Rebalances.Load(); got != rebalances {
			t.Errorf("the other process was given tasks %d times while a member restarted", got-rebalances)
		}
	}
	produceOrders(c, 2, n, 50, want)
	exactlyOnce(t, counts.until(n+50), want)
	a.drain()
	b.drain()
	checkChangelog(t, c, want)
}

// emptied is a broker whose compaction has emptied the last batch of a topic: it has an offset and no record.
type emptied struct{ id [16]byte }

func (x emptied) response(_ int16, r kmsg.Response) error {
	fetch, ok := r.(*kmsg.FetchResponse)
	if !ok {
		return nil
	}
	for i := range fetch.Topics {
		if fetch.Topics[i].TopicID != x.id {
			continue
		}
		for j := range fetch.Topics[i].Partitions {
			p := &fetch.Topics[i].Partitions[j]
			p.RecordBatches = emptyLast(p.RecordBatches, p.HighWatermark)
		}
	}
	return nil
}

// emptyLast takes the records out of the batch that ends at end.
func emptyLast(batches []byte, end int64) []byte {
	for n := 0; n+12 <= len(batches); {
		size := 12 + int(binary.BigEndian.Uint32(batches[n+8:]))
		if n+size > len(batches) {
			break
		}
		var b kmsg.RecordBatch
		if err := b.ReadFrom(batches[n : n+size]); err != nil {
			return batches
		}
		if b.FirstOffset+int64(b.LastOffsetDelta)+1 == end {
			b.Records, b.NumRecords = nil, 0
			b.Length = 49 // of what follows it in a batch without records
			raw := b.AppendTo(nil)
			binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
			return append(slices.Clone(batches[:n]), raw...)
		}
		n += size
	}
	return batches
}

// TestEndWithoutARecord: the last offset of a table has no record any more. The table is known to be read to its end all the same.
func TestEndWithoutARecord(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 1)
	for i := range 7 {
		c.Produce(customer("c"+strconv.Itoa(i), "gold", 1))
	}
	c.Produce(customer("compacted away", "gold", 1))
	want := map[string]int{}
	produceOrders(c, 1, 0, 70, want)
	x := &intercept{}
	x.set(nil, emptied{c.Kfake.TopicInfo("customers").TopicID}.response)
	config := testConfig(c, t.TempDir())
	config.Client = append(config.Client, x.option())
	e := startEngine(t, shop(topology.ExactlyOnce), config)
	for _, r := range collect(t, c, "enriched").until(70) {
		if !strings.HasSuffix(string(r.Value), ",gold") {
			t.Errorf("enriched %q", r.Value)
		}
	}
	exactlyOnce(t, collect(t, c, "counts").until(70), want)
	e.drain()
}

// BenchmarkE31Restore reads the changelog of a store with many rows onto an empty disk.
func BenchmarkE31Restore(b *testing.B) {
	const rows = 1_000_000
	c := kafkatest.StartFake(b)
	shopTopics(c, 1)
	var batch []*kgo.Record
	for i := range rows {
		batch = append(batch, &kgo.Record{Topic: "shop-counts-changelog", Key: []byte("customer-" + strconv.Itoa(i)),
			Value: binary.BigEndian.AppendUint64(nil, 1), Timestamp: time.UnixMilli(1)})
		if len(batch) == 10_000 {
			c.Produce(batch...)
			batch = batch[:0]
		}
	}
	for b.Loop() {
		e := startEngine(b, shop(topology.ExactlyOnce), testConfig(c, b.TempDir()))
		within(b, "the restore", func() bool { return e.Stats().Phase() == Running && len(e.Stats().Tasks()) == 2 })
		if n := restored(e); n < rows {
			b.Fatalf("%d records were restored", n)
		}
		e.drain()
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// TestExpelledWaits: the group has dropped a process that does not know it yet, and goes on without it. What the process did is
// refused once and not tried again and again, since with at_least_once each try leaves its outputs; it goes on as the member that
// it becomes next.
func TestExpelledWaits(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 2)
	want := map[string]int{}
	e := startEngine(t, shop(topology.AtLeastOnce), testConfig(c, t.TempDir()))
	settled(t, e, 4)
	var deaf atomic.Bool
	var unheard atomic.Int64 // heartbeats since the first refusal
	x := &intercept{}
	config := testConfig(c, t.TempDir())
	config.Client = append(config.Client, x.option())
	dropped := startEngine(t, shop(topology.AtLeastOnce), config)
	x.set(nil, func(_ int16, r kmsg.Response) error {
		if h, ok := r.(*kmsg.HeartbeatResponse); ok && deaf.Load() {
			h.ErrorCode = 0
			if dropped.Stats().Fenced.Load() > 0 {
				unheard.Add(1)
			}
		}
		return nil
	})
	settled(t, dropped, 2)
	settled(t, e, 2)

	deaf.Store(true)
	leave := kmsg.NewPtrLeaveGroupRequest()
	leave.Group = "shop"
	member := kmsg.NewLeaveGroupRequestMember()
	member.MemberID = dropped.member().ID
	leave.Members = append(leave.Members, member)
	if _, err := leave.RequestWith(t.Context(), c.Client); err != nil {
		t.Fatal(err)
	}
	settled(t, e, 4)
	produceOrders(c, 2, 0, 50, want)
	within(t, "heartbeats behind the refusal", func() bool { return unheard.Load() > 10 })
	if n := dropped.Stats().Fenced.Load(); n > 2 { // of each worker one
		t.Errorf("%d commits were refused", n)
	}
	deaf.Store(false)
	settled(t, dropped, 2)
	dropped.drain()
	e.drain()
}

// TestFrozenWritesNothing: the group has given the tasks of a frozen process to another one. With at_least_once no broker would
// refuse what the first one writes when it goes on, before its next heartbeat: it asks first, and writes nothing.
func TestFrozenWritesNothing(t *testing.T) {
	t.Parallel()
	c := shopCluster(t, 2)
	config := testConfig(c, t.TempDir())
	config.SessionTimeout, config.HeartbeatInterval = 4*time.Minute, 2*time.Minute // it will not find out by itself
	x, early := &intercept{}, atomic.Int64{}
	config.Client = append(config.Client, x.option())
	x.set(nil, func(_ int16, r kmsg.Response) error {
		if _, ok := r.(*kmsg.HeartbeatResponse); ok {
			early.Add(1)
		}
		return nil
	})
	frozen := startEngine(t, shop(topology.AtLeastOnce), config)
	settled(t, frozen, 4)
	within(t, "the heartbeat that the client sends half a second after it joined, whatever the interval", func() bool { return early.Load() > 0 })
	leave := kmsg.NewPtrLeaveGroupRequest()
	leave.Group = "shop"
	member := kmsg.NewLeaveGroupRequestMember()
	member.MemberID = frozen.member().ID
	leave.Members = append(leave.Members, member)
	if _, err := leave.RequestWith(t.Context(), c.Client); err != nil {
		t.Fatal(err)
	}
	e := startEngine(t, shop(topology.AtLeastOnce), testConfig(c, t.TempDir()))
	settled(t, e, 4)
	counts := collect(t, c, "counts")
	want := map[string]int{}
	produceOrders(c, 2, 0, 50, want)
	within(t, "refusals", func() bool { return frozen.Stats().Fenced.Load() >= 2 }) // of each worker
	exactlyOnce(t, counts.until(50), want)
	if n := len(c.Read("shop-rekeyed-repartition")); n != 50 {
		t.Errorf("%d records for 50 orders", n)
	}
	e.drain()
}

// TestSessionTimeoutRefused: brokers that will never let the process into the group stop it with a message.
func TestSessionTimeoutRefused(t *testing.T) {
	t.Parallel()
	config := testConfig(shopCluster(t, 1), t.TempDir())
	config.SessionTimeout = time.Hour
	err := startEngine(t, shop(topology.ExactlyOnce), config).wait()
	if err == nil || !strings.Contains(err.Error(), "session.timeout.ms is 3600000: the brokers take one between") {
		t.Errorf("it ended with %v", err)
	}
}
