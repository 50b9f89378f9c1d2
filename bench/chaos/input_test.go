package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamgen/streamgen/generated/order-enrichment/records"
	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/temporal"
)

const (
	partitions = 4
	customers  = 40
	firstOrder = 1_700_000_000_000 // its timestamp, in milliseconds; the next ones follow
)

// tiers of customers by number. One in five has no row, one is blocked: their orders do not come out of the join.
var tiers = []string{"bronze", "silver", "gold", "blocked", ""}

func customerID(i int) string { return "c" + strconv.Itoa(i) }
func tierOf(i int) string     { return tiers[i%len(tiers)] }

// order is an order of the input, as far as the recount needs it.
type order struct {
	customer  int
	partition int32 // of the topic orders
	cents     int64
}

func orderID(n int) string { return "o" + strconv.Itoa(n) }

// joins says whether the order comes out of the join.
func (o order) joins() bool { return tierOf(o.customer) != "" && tierOf(o.customer) != "blocked" }

// input writes orders, and new names of customers, until it is stopped. What it has written it knows.
type input struct {
	cluster *kafkatest.Cluster
	random  *rand.Rand
	quit    chan struct{}
	done    chan struct{}
	stop    func()

	mu     sync.Mutex
	orders []order // by number, acknowledged
	names  [customers]string
	err    error // why it ended by itself
}

// startInput writes the customers and begins to write orders.
func startInput(c *kafkatest.Cluster, seed uint64) *input {
	in := &input{cluster: c, random: rand.New(rand.NewPCG(seed, 1)), quit: make(chan struct{}), done: make(chan struct{})}
	in.stop = sync.OnceFunc(func() {
		close(in.quit)
		<-in.done
	})
	var all []*kgo.Record
	for i := range customers {
		if tierOf(i) != "" {
			all = append(all, in.rename(i, "first", firstOrder-1))
		}
	}
	in.err = in.write(all)
	go func() {
		defer close(in.done)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for in.failed() == nil {
			select {
			case <-in.quit:
				return
			case <-tick.C:
				in.portion()
			}
		}
	}()
	return in
}

// portion writes a few orders, now and then many.
func (in *input) portion() {
	n := 3
	if in.random.IntN(200) == 0 {
		n = 300
	}
	first := len(in.orders) // only this goroutine writes it
	var batch []*kgo.Record
	var orders []order
	for i := first; i < first+n; i++ {
		o := order{customer: in.random.IntN(customers), cents: in.random.Int64N(10_000)}
		key := []byte(orderID(i))
		o.partition = record.Partition(key, partitions)
		orders = append(orders, o)
		batch = append(batch, &kgo.Record{
			Topic: "orders", Partition: o.partition, Key: key, Timestamp: time.UnixMilli(firstOrder + int64(i)),
			Value: fmt.Appendf(nil, `{"order_id":%q,"customer_id":%q,"amount_cents":%d}`, orderID(i), customerID(o.customer), o.cents),
		})
	}
	if i := in.random.IntN(customers); tierOf(i) != "" {
		batch = append(batch, in.rename(i, fmt.Sprintf("after %d", first), firstOrder+int64(first)))
	}
	err := in.write(batch)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.orders = append(in.orders, orders...)
	in.err = err
}

// rename is a customer's record with a new name and the tier that it keeps, so that the moment of a join does not matter. Names
// are long: the databases write to disk now and then, so that what is killed leaves rows behind.
func (in *input) rename(i int, name string, ms int64) *kgo.Record {
	name += strings.Repeat(".", 1000)
	in.mu.Lock()
	in.names[i] = name
	in.mu.Unlock()
	key := []byte(customerID(i))
	return &kgo.Record{
		Topic: "customers", Partition: record.Partition(key, partitions), Key: key, Timestamp: time.UnixMilli(ms),
		Value: fmt.Appendf(nil, `{"name":%q,"tier":%q}`, name, tierOf(i)),
	}
}

func (in *input) write(batch []*kgo.Record) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return in.cluster.Client.ProduceSync(ctx, batch...).FirstErr()
}

func (in *input) failed() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.err
}

// recount is what the program has to give for the input, computed apart from it.
type recount struct {
	joined    int // orders that come out of the join
	customers map[string]records.OrdersPerCustomer
	rows      map[string]records.Customer
}

// recount counts what was written. The input has been stopped.
func (in *input) recount() recount {
	r := recount{customers: map[string]records.OrdersPerCustomer{}, rows: map[string]records.Customer{}}
	for n, o := range in.orders {
		if o.joins() {
			r.joined++
		}
		c := r.customers[customerID(o.customer)]
		c.Orders++
		c.SpentCents += o.cents
		c.Biggest = max(c.Biggest, o.cents)
		c.LastOrder = temporal.Timestamp(firstOrder + int64(n))
		r.customers[customerID(o.customer)] = c
	}
	for i := range customers {
		if tier, err := records.ParseTier(tierOf(i)); err == nil {
			r.rows[customerID(i)] = records.Customer{Name: in.names[i], Tier: tier}
		}
	}
	return r
}
