package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/task"
	"github.com/streamgen/streamgen/runtime/topology"
)

// The program of these tests: sales are given the name of their product, whose key is their value; a sale without a product is said
// to have none.
func sales() *topology.Topology {
	const sales, products, sold = 0, 1, 2
	rows := state.NewGlobal(state.Codec[string]{
		Append: func(dst []byte, v *string) []byte { return append(dst, *v...) },
		Read:   func(src []byte, v *string) error { *v = string(src); return nil },
	})
	return &topology.Topology{
		App: "sales", Guarantee: topology.ExactlyOnce, CommitInterval: 10 * time.Millisecond,
		Topics: []topology.Topic{
			{Name: "sales", Kind: topology.Input}, {Name: "products", Kind: topology.Input}, {Name: "sold", Kind: topology.Output},
		},
		SubTopologies: []topology.SubTopology{{
			Name: "sold", Sources: []topology.Source{{Name: "stream.sales", Topics: []uint16{sales}, Start: topology.Earliest}},
			New: func(t *task.Task) (task.SubTopology, error) { return &seller{rows: rows, out: t.Topic(sold)}, nil },
		}},
		GlobalTables: []topology.GlobalTable{{
			Source: topology.Source{Name: "global_table.products", Topics: []uint16{products}, Table: true},
			Store:  topology.Store{Name: "products", ID: 0, Fingerprint: "string"},
			New: func(t *task.Task) (task.SubTopology, error) {
				return &catalogue{rows: rows.Open(t.Stores, 0)}, nil
			},
		}},
		Positions: []task.Position{{Address: "global_table.products"}},
	}
}

type seller struct {
	rows *state.Global[string]
	out  record.Topic
	name string
}

func (s *seller) Flush() error { return nil }
func (s *seller) Process(b *record.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		found, err := s.rows.Get(r.Value, &s.name)
		if err != nil {
			return err
		}
		if !found {
			s.name = "none"
		}
		s.out.Send(r.Key, s.out.Keep(append(s.out.Tail(), s.name...)), r.Timestamp, nil)
	}
	return nil
}

type catalogue struct {
	rows *state.GlobalWriter[string]
	name string
}

func (s *catalogue) Flush() error { return nil }
func (s *catalogue) Process(b *record.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		var err error
		if s.name = string(r.Value); r.Value == nil {
			err = s.rows.Delete(r.Key, r.Timestamp)
		} else {
			err = s.rows.Put(r.Key, &s.name, r.Timestamp)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const productPartitions = 3

func salesTopics(c *kafkatest.Fake) {
	c.CreateTopic("sales", 2)
	c.CreateTopic("products", productPartitions)
	c.CreateTopic("sold", 1)
}

// product is a row of the table; an empty name is a delete.
func product(i int, name string) *kgo.Record {
	key := []byte("p" + strconv.Itoa(i))
	r := &kgo.Record{Topic: "products", Partition: record.Partition(key, productPartitions), Key: key, Timestamp: time.UnixMilli(1)}
	if name != "" {
		r.Value = []byte(name)
	}
	return r
}

func sale(n, product int) *kgo.Record {
	return &kgo.Record{Topic: "sales", Partition: int32(n % 2), Key: []byte(strconv.Itoa(n)), Value: []byte("p" + strconv.Itoa(product)), Timestamp: time.UnixMilli(int64(n))}
}

// products writes n rows, named after the round.
func products(c *kafkatest.Fake, n int, round string) {
	var list []*kgo.Record
	for i := range n {
		list = append(list, product(i, fmt.Sprintf("%s%d", round, i)))
	}
	c.Produce(list...)
}

// soldNames are what the sales were given, by key.
func soldNames(records []*kgo.Record) map[string]string {
	m := map[string]string{}
	for _, r := range records {
		m[string(r.Key)] = string(r.Value)
	}
	return m
}

// TestGlobalTableIsCompleteFirst: sales that were there before the process meet all rows that were, deletes among them; later rows are
// met once they are read.
func TestGlobalTableIsCompleteFirst(t *testing.T) {
	c := kafkatest.StartFake(t)
	salesTopics(c)
	sold := collect(t, c, "sold")
	const n = 5000
	var list []*kgo.Record
	for i := range n {
		list = append(list, sale(i, i))
	}
	c.Produce(list...)
	products(c, n, "a")
	products(c, n, "b")
	c.Produce(product(7, ""))
	// The table's records come when there have been many looks at it, or tasks are there, which is too soon.
	late, x := newLateMarkers(c, 0, "products"), &intercept{}
	clear(late.names) // where it ends is known
	x.set(nil, late.response)
	config := testConfig(c, t.TempDir())
	config.Client = append(config.Client, x.option())
	e := startEngine(t, sales(), config)
	within(t, "looks at the table", func() bool { return late.fetches.Load() > 2000 || len(e.Stats().Tasks()) > 0 })
	if n := len(e.Stats().Tasks()); n > 0 {
		t.Fatalf("%d tasks are there before the table is complete", n)
	}
	late.held.Store(false)
	got := soldNames(sold.until(n))
	for i := range n {
		want := fmt.Sprintf("b%d", i)
		if i == 7 {
			want = "none"
		}
		if got[strconv.Itoa(i)] != want {
			t.Fatalf("sale %d: %s, want %s", i, got[strconv.Itoa(i)], want)
		}
	}
	stats := e.Stats().Globals[0]
	if rows, left := stats.Rows.Load(), stats.Left.Load(); rows != n-1 || left != 0 || stats.Read.Load() != 2*n+1 {
		t.Errorf("%d rows, %d left, %d read", rows, left, stats.Read.Load())
	}
	c.Produce(product(3, "c3"))
	for i := n; ; i++ { // it is met once it is read
		c.Produce(sale(i, 3))
		records := sold.until(i + 1)
		if string(records[i].Value) == "c3" {
			break
		}
		if i > n+100_000 {
			t.Fatal("the update is never met")
		}
	}
	e.drain()
}

// TestGlobalTableRestart: a restart reads what came since, whether the process was ended or killed; what cannot be trusted is read anew.
func TestGlobalTableRestart(t *testing.T) {
	c := kafkatest.StartFake(t)
	salesTopics(c)
	sold := collect(t, c, "sold")
	dir := t.TempDir()
	products(c, 1000, "a")
	run := func(top *topology.Topology, change func(*Config)) (read, rows int64) {
		t.Helper()
		config := testConfig(c, dir)
		if change != nil {
			change(&config)
		}
		e := startEngine(t, top, config)
		n := len(sold.records)
		c.Produce(sale(n, 5))
		if got := string(sold.until(n + 1)[n].Value); !strings.HasSuffix(got, "5") {
			t.Fatalf("the sale is of %s", got)
		}
		e.drain()
		return e.Stats().Globals[0].Read.Load(), e.Stats().Globals[0].Rows.Load()
	}
	expect := func(what string, wantRead, wantRows int64, top *topology.Topology, change func(*Config)) {
		t.Helper()
		if read, rows := run(top, change); read != wantRead || rows != wantRows {
			t.Errorf("%s: %d records read, %d rows, want %d and %d", what, read, rows, wantRead, wantRows)
		}
	}
	expect("first start", 1000, 1000, sales(), nil)
	expect("nothing new", 0, 1000, sales(), nil)
	c.Produce(product(1, ""), product(2, "x"), product(2000, "new"))
	expect("the tail", 3, 1000, sales(), nil)

	expect("older than deletes are kept", 1003, 1000, sales(), func(c *Config) { c.DeleteRetention = time.Nanosecond })

	other := sales()
	other.GlobalTables[0].Store.Fingerprint = "another"
	expect("another format", 1003, 1000, other, nil)
	expect("and back", 1003, 1000, sales(), nil)

	if err := os.RemoveAll(filepath.Join(dir, "sales", "globals")); err != nil {
		t.Fatal(err)
	}
	expect("lost", 1003, 1000, sales(), nil)

	c.DeleteTopic("products")
	c.CreateTopic("products", productPartitions)
	c.Client = newClient(t, c) // one that knows the topic by its new id
	products(c, 2000, "again")
	expect("made anew", 2000, 2000, sales(), nil)
}

func newClient(t *testing.T, c *kafkatest.Fake) *kgo.Client {
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.MetadataMinAge(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// TestGlobalTableWithAbortedTail: rows of aborted transactions are not there, and a topic that ends with some is read to its end.
func TestGlobalTableWithAbortedTail(t *testing.T) {
	for name, start := range map[string]func(*testing.T) *kafkatest.Fake{
		"kfake": func(t *testing.T) *kafkatest.Fake { return kafkatest.StartFake(t) },
		"real":  func(t *testing.T) *kafkatest.Fake { return &kafkatest.Fake{Cluster: kafkatest.Start(t).Cluster} },
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t)
			salesTopics(c)
			products(c, 10, "a")
			p, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...), kgo.TransactionalID("other"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := p.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			for i := range 10 {
				if err := p.ProduceSync(ctx, product(i, "aborted")).FirstErr(); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.EndTransaction(ctx, kgo.TryAbort); err != nil {
				t.Fatal(err)
			}
			sold := collect(t, c, "sold")
			dir := t.TempDir()
			for round := range 2 {
				e := startEngine(t, sales(), testConfig(c, dir))
				c.Produce(sale(round, 5))
				if got := string(sold.until(round + 1)[round].Value); got != "a5" {
					t.Errorf("round %d: %s", round, got)
				}
				e.drain()
				if read, want := e.Stats().Globals[0].Read.Load(), int64(10*(1-round)); read != want {
					t.Errorf("round %d: %d records read, want %d", round, read, want)
				}
			}
		})
	}
}

// TestGlobalTableLargerThanMemory: lookups all over a table of several times the memory budget, while it changes.
func TestGlobalTableLargerThanMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("the database takes long under the race detector: run without -short")
	}
	c := kafkatest.StartFake(t)
	salesTopics(c)
	sold := collect(t, c, "sold")
	const n = 15_000
	long := strings.Repeat("x", 500) // 7.5 MB of rows
	products(c, n, long)
	config := testConfig(c, t.TempDir())
	config.Memory = 4 << 20
	e := startEngine(t, sales(), config)
	var list []*kgo.Record
	for i := range n {
		list = append(list, sale(i, (i*7919)%n))
	}
	c.Produce(list...)
	got := soldNames(sold.until(n))
	for i := range n {
		if want := long + strconv.Itoa((i*7919)%n); got[strconv.Itoa(i)] != want {
			t.Fatalf("sale %d is of another product", i)
		}
	}
	e.drain()
}

// TestGlobalTableTopicMissing: said at the start.
func TestGlobalTableTopicMissing(t *testing.T) {
	c := kafkatest.StartFake(t)
	c.CreateTopic("sales", 1)
	c.CreateTopic("sold", 1)
	e := startEngine(t, sales(), testConfig(c, t.TempDir()))
	if err := e.wait(); err == nil || !strings.Contains(err.Error(), `global_table.products: topic "products" does not exist`) {
		t.Errorf("got %v", err)
	}
}

// TestGlobalTableKilled: whenever the process dies, the next one reads what is not on the disk yet, and no lookup is wrong.
func TestGlobalTableKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes in which nobody looks for races: run without -short")
	}
	c := kafkatest.StartFake(t)
	salesTopics(c)
	const n = 20_000
	products(c, n, strings.Repeat("y", 200))
	dir := t.TempDir()
	c.Produce(sale(0, 3))
	for _, at := range []string{"apply.done:2", "apply.task", "apply.task:3", "commit.begun", "apply.done", "commit.frozen"} {
		p := newChild(t, c, topology.ExactlyOnce, dir, at)
		p.cmd.Env = append(p.cmd.Env, "ENGINE_TEST_PROGRAM=sales")
		p.start()
		p.killed()
		products(c, 10, strings.Repeat("z", 200))
	}
	sold := collect(t, c, "sold")
	e := startEngine(t, sales(), testConfig(c, dir))
	c.Produce(sale(1, n-1))
	records := sold.until(2)
	slices.SortFunc(records, func(a, b *kgo.Record) int { return strings.Compare(string(a.Key), string(b.Key)) })
	if got := string(records[0].Value); got != strings.Repeat("z", 200)+"3" {
		t.Errorf("the first is %s", got)
	}
	if got := string(records[1].Value); got != strings.Repeat("y", 200)+strconv.Itoa(n-1) {
		t.Errorf("the last is %s", got)
	}
	if rows := e.Stats().Globals[0].Rows.Load(); rows != n {
		t.Errorf("%d rows, want %d", rows, n)
	}
	if read := e.Stats().Globals[0].Read.Load(); read >= n {
		t.Errorf("%d records were read again: all of them", read)
	}
	e.drain()
}
