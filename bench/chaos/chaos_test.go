package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/internal/kafkatest"
)

// TestChaosKfake kills over kfake, which lives in the process of the test.
func TestChaosKfake(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs binaries: run without -short")
	}
	n := kills(t, 8, 200)
	over := func(t *testing.T, once bool, n int) {
		c := kafkatest.StartFake(t).Cluster
		chaos(t, c, startExpiry(t, c), once, n)
	}
	t.Run("exactly once", func(t *testing.T) { over(t, true, n) })
	t.Run("at least once", func(t *testing.T) { over(t, false, max(2, n/5)) })
}

// TestChaosKafka kills over a real broker, if it is asked to.
func TestChaosKafka(t *testing.T) {
	if os.Getenv("STREAMGEN_CHAOS") == "" && os.Getenv("STREAMGEN_CHAOS_KILLS") == "" {
		t.Skip("set STREAMGEN_CHAOS or STREAMGEN_CHAOS_KILLS; over kfake it has run")
	}
	n := kills(t, 5, 20)
	t.Run("exactly once", func(t *testing.T) { chaos(t, kafkatest.Start(t).Cluster, nil, true, n) })
	t.Run("at least once", func(t *testing.T) { chaos(t, kafkatest.Start(t).Cluster, nil, false, max(1, n/5)) })
}

// kills is how often a test kills.
func kills(t *testing.T, short, long int) int {
	t.Helper()
	if s := os.Getenv("STREAMGEN_CHAOS_KILLS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			t.Fatalf("STREAMGEN_CHAOS_KILLS=%s is no number of kills", s)
		}
		return n
	}
	if os.Getenv("STREAMGEN_CHAOS") != "" {
		return long
	}
	return short
}

func seed(t *testing.T) uint64 {
	t.Helper()
	n := rand.Uint64N(1_000_000)
	if s := os.Getenv("STREAMGEN_CHAOS_SEED"); s != "" {
		var err error
		if n, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("STREAMGEN_CHAOS_SEED=%s is no number", s)
		}
	}
	t.Logf("STREAMGEN_CHAOS_SEED=%d", n)
	return n
}

// chaos runs two processes under input, kills them n times, and recounts.
func chaos(t *testing.T, c *kafkatest.Cluster, e *expiry, once bool, n int) {
	began := time.Now()
	seed := seed(t)
	random := rand.New(rand.NewPCG(seed, 0))
	binary := program(t, "order-enrichment")
	if !once {
		binary = program(t, "atleastonce")
	}
	c.CreateTopic("customers", partitions, "cleanup.policy=compact")
	for _, topic := range []string{"orders", "orders-enriched", "orders-per-customer"} {
		c.CreateTopic(topic, partitions)
	}
	out := follow(t, c)
	in := startInput(c, seed)
	t.Cleanup(in.stop)
	m := monkey{t: t, once: once, began: began, random: random, in: in, out: out, processes: []*instance{
		newInstance(t, binary, c.Brokers, "process 0", e), newInstance(t, binary, c.Brokers, "process 1", e),
	}}
	out.grown(t, in, 1)
	for m.kills < n {
		m.act()
	}
	in.stop()
	if err := in.failed(); err != nil {
		t.Fatalf("input: %v", err)
	}
	want := in.recount()
	within(t, c, "all of the input", func() bool { return out.missing(want) == "" }, func() string { return out.missing(want) })
	var dirs []string
	for _, p := range m.processes {
		p.drain()
		dirs = append(dirs, p.dir)
	}
	checkEnriched(t, c.Read("orders-enriched"), in.orders, once)
	checkPerCustomer(t, c.Read("orders-per-customer"), want, once)
	checkStores(t, c, want, once, dirs...)
	t.Logf("%d kills, %d stops, %d orders in %.1f s", m.kills, m.stops, len(in.orders), time.Since(began).Seconds())
}

// monkey chooses what to do to which process, and when.
type monkey struct {
	t            *testing.T
	once         bool
	random       *rand.Rand
	in           *input
	out          *follower
	processes    []*instance
	kills, stops int
	began        time.Time
}

// act waits for a moment, does something to a process, or to both, and sets it right again.
func (m *monkey) act() {
	m.t.Helper()
	if m.random.IntN(5) < 3 { // at work
		m.out.grown(m.t, m.in, 1+m.random.IntN(200))
		m.pause(150)
	} else { // as it comes: starting, joining the group, restoring
		m.pause(700)
	}
	for _, p := range m.processes {
		p.alive()
	}
	victim := m.random.IntN(len(m.processes))
	p := m.processes[victim]
	switch m.random.IntN(10) {
	case 0: // both at once
		m.log("kill both")
		for _, p := range m.processes {
			p.kill()
			m.kills++
		}
		for _, p := range m.processes {
			p.start()
		}
	case 1, 2: // stopped for about as long as it takes to be given up; the group may go on without it
		m.log("stop " + p.name)
		p.signal(syscall.SIGSTOP)
		m.pause(2500)
		m.stops++
		// With at_least_once no broker refuses what a process writes that goes on when others have its tasks. It asks before each
		// epoch whether it is still of the group, but may be stopped behind the answer: its old rows then follow newer ones.
		if m.once && m.random.IntN(2) == 0 {
			m.log("let it go on")
			p.signal(syscall.SIGCONT)
			return
		}
		fallthrough
	default:
		m.log("kill " + p.name)
		p.kill()
		m.kills++
		p.start()
	}
}

func (m *monkey) log(what string) {
	m.t.Helper()
	m.t.Logf("%6.2f s, %d records out: %s", time.Since(m.began).Seconds(), m.out.size(), what)
}

// pause lets up to most milliseconds go by, in which no process may end by itself: when a process is killed is what is random.
func (m *monkey) pause(most int) {
	m.t.Helper()
	a, b := m.processes[0], m.processes[1]
	select {
	case <-a.done:
		a.alive()
	case <-b.done:
		b.alive()
	case <-time.After(time.Duration(m.random.IntN(most*1000)) * time.Microsecond):
	}
}

// within waits until ok. What else is known when it is not, others say.
func within(t *testing.T, c *kafkatest.Cluster, what string, ok func() bool, others ...func() string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !ok() {
		select {
		case <-deadline:
			for _, say := range others {
				t.Log(say())
			}
			t.Fatalf("%s: not within a minute\n%s", what, positions(c))
		case <-tick.C:
		}
	}
}

// positions are the ends of all topics and where the group is in them.
func positions(c *kafkatest.Cluster) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	admin := kadm.NewClient(c.Client)
	ends, err := admin.ListEndOffsets(ctx)
	if err != nil {
		return err.Error()
	}
	stable, err := admin.ListCommittedOffsets(ctx)
	if err != nil {
		return err.Error()
	}
	group, err := admin.FetchOffsets(ctx, "order-enrichment")
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, o := range ends.Offsets().Sorted() {
		lso, _ := stable.Lookup(o.Topic, o.Partition)
		at, _ := group.Lookup(o.Topic, o.Partition)
		fmt.Fprintf(&b, "%s-%d: ends at %d, stable %d, committed %d %s\n", o.Topic, o.Partition, o.At, lso.Offset, at.At, at.Metadata)
	}
	return b.String()
}

// follower reads the outputs as they are committed.
type follower struct {
	mu     sync.Mutex
	n      int
	joined map[string]bool  // orders that came out of the join
	counts map[string]int64 // by customer
}

func follow(t *testing.T, c *kafkatest.Cluster) *follower {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.ConsumeTopics("orders-enriched", "orders-per-customer"),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.FetchMaxWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{joined: map[string]bool{}, counts: map[string]int64{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			fetches := client.PollFetches(context.Background())
			if fetches.IsClientClosed() {
				return
			}
			f.add(fetches.Records())
		}
	}()
	t.Cleanup(func() { client.Close(); <-done })
	return f
}

func (f *follower) add(list []*kgo.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n += len(list)
	for _, r := range list {
		if r.Topic == "orders-enriched" {
			f.joined[orderIn(r.Value)] = true
		} else {
			f.counts[string(r.Key)] = countIn(r.Value)
		}
	}
}

// grown waits until so many more records have come out.
func (f *follower) grown(t *testing.T, in *input, n int) {
	t.Helper()
	first := f.size()
	within(t, in.cluster, "more output", func() bool {
		if err := in.failed(); err != nil {
			t.Fatalf("input: %v", err)
		}
		return f.size() >= first+n
	})
}

func (f *follower) size() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// missing says which results of the input have not come out, however often: none if it is empty.
func (f *follower) missing(want recount) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	if len(f.joined) < want.joined {
		fmt.Fprintf(&b, "%d of %d orders came out of the join; ", len(f.joined), want.joined)
	}
	for i := range customers {
		id := customerID(i)
		if c := want.customers[id]; f.counts[id] < c.Orders {
			fmt.Fprintf(&b, "customer %s has %d of %d orders; ", id, f.counts[id], c.Orders)
		}
	}
	return b.String()
}
