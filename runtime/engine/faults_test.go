package engine

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/internal/failpoint"
	"github.com/streamgen/streamgen/runtime/topology"
)

// feeding writes orders in small portions, so that a process lives through several epochs, until stop, which returns how many
// there are.
func feeding(t *testing.T, c *kafkatest.Fake, partitions int32, want map[string]int, first int) (stop func() int) {
	n := first
	end := portions(t, func() {
		produceOrders(c, partitions, n, 5, want)
		n += 5
	})
	return func() int {
		end()
		return n
	}
}

// portions calls f every now and then until stop, or the end of the test.
func portions(t *testing.T, f func()) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			case <-time.After(5 * time.Millisecond):
				f()
			}
		}
	}()
	stop = sync.OnceFunc(func() {
		close(quit)
		<-done
	})
	t.Cleanup(stop)
	return stop
}

// within waits until ok.
func within(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("%s: not within %s", what, patience)
		case <-time.After(time.Millisecond):
		}
	}
}

func TestAbortsAreInvisible(t *testing.T) {
	for name, fault := range map[string]kfake.Fault{
		"offsets refused":   {Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.UnknownServerError, Count: 5},
		"stale epoch":       {Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.InvalidProducerEpoch, Count: 3},
		"fenced":            {Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.ProducerFenced, Count: 3},
		"generation":        {Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.IllegalGeneration, Count: 1},
		"record refused":    {Keys: []kmsg.Key{kmsg.Produce}, Topic: "counts", Err: kerr.UnknownServerError, Count: 5},
		"changelog refused": {Keys: []kmsg.Key{kmsg.Produce}, Topic: "shop-counts-changelog", Err: kerr.UnknownServerError, Count: 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := shopCluster(t, 2)
			want := map[string]int{}
			e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir()))
			counts := collect(t, c, "counts")
			produceOrders(c, 2, 0, 100, want)
			counts.until(100)
			commits, last := 0, kmsg.Request(nil)
			fault.When = func(r kmsg.Request) bool {
				switch r := r.(type) {
				case *kmsg.ProduceRequest: // not the markers of a restore, not the tests' own records
					return r.TransactionID != nil
				case *kmsg.TxnOffsetCommitRequest: // it is shown once a partition; epochs in between give the next task something to do
					if r != last {
						commits++
						last = r
					}
					return commits%3 == 0
				}
				return true
			}
			h := c.Kfake.Fault(fault)
			stop := feeding(t, c, 2, want, 100)
			within(t, "the faults", func() bool { return h.Hits() >= fault.Count })
			exactlyOnce(t, counts.until(stop()), want)
			e.drain()
			checkChangelog(t, c, want)
			if e.Stats().Aborts.Load() == 0 {
				t.Error("no abort was counted")
			}
		})
	}
}

// TestUnknownOutcome loses the answers to the end of transactions: those that the broker has ended, and those that it never got.
func TestUnknownOutcome(t *testing.T) {
	lost := errors.New("connection lost")
	for name, committed := range map[string]bool{"committed": true, "not committed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := shopCluster(t, 2)
			want := map[string]int{}
			x := &intercept{}
			config := testConfig(c, t.TempDir())
			config.Client = append(config.Client, x.option(), kgo.RequestRetries(1))
			e := startEngine(t, shop(topology.ExactlyOnce), config)
			counts := collect(t, c, "counts")
			produceOrders(c, 2, 0, 100, want)
			counts.until(100)

			stop := feeding(t, c, 2, want, 100)
			for range 5 {
				before := e.Stats().UnknownOutcomes.Load()
				var cut atomic.Bool
				cut.Store(true)
				lose := func(key int16) error {
					if key == int16(kmsg.EndTxn) && cut.Load() {
						return lost
					}
					return nil
				}
				if committed {
					x.set(nil, func(key int16, _ kmsg.Response) error { return lose(key) })
				} else {
					x.set(lose, nil)
				}
				within(t, "an unknown outcome", func() bool { return e.Stats().UnknownOutcomes.Load() > before })
				cut.Store(false)
				commits := e.Stats().Commits.Load()
				within(t, "the next commit", func() bool { return e.Stats().Commits.Load() > commits })
			}
			exactlyOnce(t, counts.until(stop()), want)
			e.drain()
			checkChangelog(t, c, want)
			if aborts := e.Stats().Aborts.Load(); committed == (aborts > 0) {
				t.Errorf("%d aborts", aborts)
			}
		})
	}
}

// TestZombieOfTheGroup: a process that the group has given up goes on and commits. The group refuses it.
func TestZombieOfTheGroup(t *testing.T) {
	c := shopCluster(t, 2)
	want := map[string]int{}
	x := &intercept{}
	config := testConfig(c, t.TempDir())
	config.Client = append(config.Client, x.option())
	config.SessionTimeout = 300 * time.Millisecond
	zombie := startEngine(t, shop(topology.ExactlyOnce), config)
	counts := collect(t, c, "counts")
	produceOrders(c, 2, 0, 100, want)
	counts.until(100)

	// Its heartbeats get lost, and it waits for the answers, so it does not learn that it was given up. The rest arrives.
	x.set(func(key int16) error {
		if key == int16(kmsg.Heartbeat) {
			return errSwallow
		}
		return nil
	}, nil)
	stop := feeding(t, c, 2, want, 100)
	other := testConfig(c, t.TempDir())
	other.SessionTimeout = 300 * time.Millisecond
	heir := startEngine(t, shop(topology.ExactlyOnce), other)
	within(t, "the heir", func() bool { return heir.Stats().Commits.Load() > 20 })
	exactlyOnce(t, counts.until(stop()), want)
	x.set(nil, nil)
	heir.drain()
	zombie.drain()
	checkChangelog(t, c, want)
	if zombie.Stats().Fenced.Load() == 0 {
		t.Error("the zombie was not refused")
	}
}

// TestZombieOfTheTransaction: somebody else begins under the transactional ids of the process.
func TestZombieOfTheTransaction(t *testing.T) {
	c := shopCluster(t, 2)
	want := map[string]int{}
	e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir()))
	counts := collect(t, c, "counts")
	produceOrders(c, 2, 0, 100, want)
	counts.until(100)
	stop := feeding(t, c, 2, want, 100)
	for range 3 {
		for _, w := range []string{"0", "1"} {
			client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.TransactionalID(e.producerID(w)))
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := client.ProducerID(context.Background()); err != nil {
				t.Fatal(err)
			}
			client.Close()
		}
		commits := e.Stats().Commits.Load()
		within(t, "commits", func() bool { return e.Stats().Commits.Load() > commits+4 })
	}
	exactlyOnce(t, counts.until(stop()), want)
	e.drain()
	if e.Stats().Aborts.Load() == 0 {
		t.Error("nothing was fenced")
	}
	checkChangelog(t, c, want)
}

// TestCommittedNotApplied: an epoch is committed and cannot be written to the state directory. Its rows come back from the
// changelog; treating it as aborted would count its orders twice.
func TestCommittedNotApplied(t *testing.T) {
	c := shopCluster(t, 2)
	want := map[string]int{}
	config := testConfig(c, t.TempDir())
	config.Workers = 1
	e := startEngine(t, shop(topology.ExactlyOnce), config)
	counts := collect(t, c, "counts")
	produceOrders(c, 2, 0, 100, want)
	counts.until(100)
	undo, err := failpoint.Set("apply.write:11=error,apply.write:12=error,apply.write:13=error,apply.write:14=error,apply.write:15=error," +
		"apply.write:21=error,apply.write:22=error")
	if err != nil {
		t.Fatal(err)
	}
	defer undo()
	stop := feeding(t, c, 2, want, 100)
	within(t, "commits", func() bool { return e.Stats().Commits.Load() > 40 })
	exactlyOnce(t, counts.until(stop()), want)
	e.drain()
	checkChangelog(t, c, want)
	if n, m := e.Stats().Reopened.Load(), e.Stats().ApplyRetries.Load(); n != 1 || m != 6 {
		t.Errorf("%d tasks were reopened after %d retries, want 1 after 4 and 2 that helped", n, m)
	}
}

// TestE23Rebalance: a second process comes and goes while orders are processed.
func TestE23Rebalance(t *testing.T) {
	c := shopCluster(t, 4)
	want := map[string]int{}
	first := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, t.TempDir()))
	counts := collect(t, c, "counts")
	produceOrders(c, 4, 0, 100, want)
	counts.until(100)
	stop := feeding(t, c, 4, want, 100)
	dir := t.TempDir()
	for range 3 {
		second := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
		within(t, "an even distribution", func() bool {
			return len(first.Stats().Tasks()) == 4 && len(second.Stats().Tasks()) == 4 && second.Stats().Phase() == Running
		})
		commits := second.Stats().Commits.Load()
		within(t, "commits of the second", func() bool { return second.Stats().Commits.Load() > commits+3 })
		second.drain()
		within(t, "everything back", func() bool { return len(first.Stats().Tasks()) == 8 && first.Stats().Phase() == Running })
	}
	exactlyOnce(t, counts.until(stop()), want)
	first.drain()
	checkChangelog(t, c, want)
	if n := first.Stats().Aborts.Load(); n != 0 {
		t.Errorf("%d aborts: a rebalance needs none", n)
	}
}

// TestRowTooLarge: no retry makes a row fit, so the process stops and says which one it is.
func TestRowTooLarge(t *testing.T) {
	c := shopCluster(t, 1)
	config := testConfig(c, t.TempDir())
	config.Client = append(config.Client, kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.ProducerBatchMaxBytesFn(func(topic string) int32 {
		if topic == "shop-customers-changelog" {
			return 10_000
		}
		return 1 << 20
	}))
	c.Produce(customer("big", strings.Repeat("x", 20_000), 1))
	err := startEngine(t, shop(topology.ExactlyOnce), config).wait()
	var row *RowTooLargeError
	if !errors.As(err, &row) || row.Store != "customers" || string(row.Key) != "big" {
		t.Fatalf("ended with %v", err)
	}
}

// TestDeletedInput: retention was faster than the program.
func TestDeletedInput(t *testing.T) {
	c := shopCluster(t, 1)
	dir := t.TempDir()
	want := map[string]int{}
	e := startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	counts := collect(t, c, "counts")
	produceOrders(c, 1, 0, 10, want)
	counts.until(10)
	e.drain()
	produceOrders(c, 1, 10, 10, map[string]int{})
	if err := c.Kfake.DeleteRecords("orders", 0, 20); err != nil {
		t.Fatal(err)
	}
	produceOrders(c, 1, 20, 10, want)
	e = startEngine(t, shop(topology.ExactlyOnce), testConfig(c, dir))
	exactlyOnce(t, counts.until(20), want)
	if n := e.Stats().Deleted.Load(); n != 10 {
		t.Errorf("%d deleted offsets were counted", n)
	}
	e.drain()
}
