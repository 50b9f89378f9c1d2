// Package orderenrichment_test shows how to test a program of one's own: with `go test`, without a broker, in virtual time.
// The topology that is driven here is the generated one, whole; topics are in memory.
package orderenrichment_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	orderenrichment "github.com/streamgen/streamgen/generated/order-enrichment"
	"github.com/streamgen/streamgen/runtime/testdriver"
)

// The customers of these tests.
var customers = []string{
	`{"key": "ada", "value": {"name": "Ada Lovelace", "tier": "gold"}, "ts": 1000}`,
	`{"key": "eve", "value": {"name": "Eve", "tier": "blocked"}, "ts": 1000}`,
}

// order is a record of the topic orders.
func order(id, customer string, cents, ts int) string {
	return fmt.Sprintf(`{"key": %q, "value": {"order_id": %[1]q, "customer_id": %q, "amount_cents": %d}, "ts": %d}`, id, customer, cents, ts)
}

// Records go in and come out as JSON, in the formats that the spec declares for their topics.
func TestOrdersGetTheTierOfTheirCustomer(t *testing.T) {
	d := testdriver.Start(t, orderenrichment.Topology(), testdriver.Options{})
	d.PipeJSON("customers", customers...)
	d.PipeJSON("orders",
		order("o1", "ada", 1200, 2000),
		order("o2", "eve", 100, 2100),    // blocked
		order("o3", "nobody", 100, 2200), // not a customer
	)
	d.Run()

	want := []string{
		`{"key":"ada","value":{"order_id":"o1","customer_id":"ada","amount_cents":1200,"tier":"gold"},"ts":2000}`,
	}
	if got := d.ReadJSON("orders-enriched"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A join asks the table as it is when the order is processed. Run processes all that is there, so what is piped between two
// runs comes between them.
func TestATierThatChanges(t *testing.T) {
	d := testdriver.Start(t, orderenrichment.Topology(), testdriver.Options{})
	d.PipeJSON("customers", customers...)
	d.PipeJSON("orders", order("o1", "ada", 1200, 2000))
	d.Run()
	d.PipeJSON("customers", `{"key": "ada", "value": {"name": "Ada Lovelace", "tier": "silver"}, "ts": 2500}`)
	d.PipeJSON("orders", order("o2", "ada", 300, 3000))
	d.Run()
	d.PipeJSON("customers", `{"key": "ada", "value": null, "ts": 3500}`) // deleted
	d.PipeJSON("orders", order("o3", "ada", 300, 4000))
	d.Run()

	want := []string{
		`{"key":"ada","value":{"order_id":"o1","customer_id":"ada","amount_cents":1200,"tier":"gold"},"ts":2000}`,
		`{"key":"ada","value":{"order_id":"o2","customer_id":"ada","amount_cents":300,"tier":"silver"},"ts":3000}`,
	}
	if got := d.ReadJSON("orders-enriched"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Stores can be looked into, by the name that the spec gives them.
func TestWhatACustomerOrdered(t *testing.T) {
	d := testdriver.Start(t, orderenrichment.Topology(), testdriver.Options{})
	d.PipeJSON("orders",
		order("o1", "ada", 1200, 2000),
		order("o2", "ada", 300, 2500),
		order("o3", "ada", 700, 1500), // came late
	)
	d.Run()

	rows := d.Store("orders-per-customer")
	want := `{"orders":3,"spent_cents":2200,"biggest":1200,"last_order":"1970-01-01T00:00:02.500Z"}`
	if len(rows) != 1 || string(rows[0].Key) != "ada" || rows[0].JSON != want {
		t.Errorf("got %+v\nwant %s", rows, want)
	}
}

// The driver crashes wherever a test wants it to, with or without its disk. Nothing is lost, nothing counted twice: the
// result is that of a run in which nothing happened.
func TestCrashesDoNotShow(t *testing.T) {
	crashes := map[string]func(*testdriver.Test){
		"no":                         func(*testdriver.Test) {},
		"an aborted transaction":     (*testdriver.Test).Abort,
		"a crash":                    (*testdriver.Test).Crash,
		"a crash after the commit":   (*testdriver.Test).CrashBeforeApply,
		"a crash that takes a disk":  (*testdriver.Test).CrashAndLoseState,
		"a crash, and one after it":  func(d *testdriver.Test) { d.Crash(); d.Crash() },
		"an abort, and then a crash": func(d *testdriver.Test) { d.Abort(); d.CrashBeforeApply() },
	}
	for name, crash := range crashes {
		t.Run(name, func(t *testing.T) {
			d := testdriver.Start(t, orderenrichment.Topology(), testdriver.Options{Partitions: 4, CommitEvery: 3})
			d.PipeJSON("customers", customers...)
			for i := range 40 {
				d.PipeJSON("orders", order(fmt.Sprintf("o%d", i), "ada", 100, 2000+i))
				d.Step()
				if i%5 == 4 {
					crash(d)
				}
			}
			d.Run()
			if got := d.ReadJSON("orders-enriched"); len(got) != 40 {
				t.Errorf("%d orders came out, want 40", len(got))
			}
			rows := d.Store("orders-per-customer")
			want := `{"orders":40,"spent_cents":4000,"biggest":100,"last_order":"1970-01-01T00:00:02.039Z"}`
			if len(rows) != 1 || rows[0].JSON != want {
				t.Errorf("got %+v\nwant %s", rows, want)
			}
		})
	}
}

// Bad input is an error, as it would stop the binary: it names the record, the field and the step.
func TestBadInput(t *testing.T) {
	d, err := testdriver.New(orderenrichment.Topology(), testdriver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.PipeJSON("orders", `{"key": "o1", "value": {"order_id": "o1", "customer_id": "ada", "amount_cents": "many"}}`); err != nil {
		t.Fatal(err)
	}
	const want = `app.hcl:23:1: stream.orders: topic orders partition 0 offset 0: bad input: json: field "amount_cents" at byte 52: expected an int64, found a string`
	if err := d.Run(); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// S07: what comes out does not depend on where batches end. The engine's have up to 1,024 records.
func TestS07BatchBoundaries(t *testing.T) {
	for _, n := range []int{1023, 1024, 1025, 2049} {
		play := func(batch int) []string {
			d := testdriver.Start(t, orderenrichment.Topology(), testdriver.Options{BatchSize: batch})
			d.PipeJSON("customers", customers...)
			for i := range n {
				d.PipeJSON("orders", order(fmt.Sprintf("o%d", i), []string{"ada", "eve", "nobody", "ada"}[i%4], i, 2000+i))
			}
			d.Run()
			return d.ReadJSON("orders-enriched")
		}
		one, many := play(1), play(1024)
		if len(one) < n/2 || !slices.Equal(one, many) {
			t.Errorf("%d records: %d came out of batches of one, %d of batches of 1024", n, len(one), len(many))
		}
	}
}
