package enrich_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/streamgen/streamgen/examples/enrich-with-function/enrich"
	enrichwithfunction "github.com/streamgen/streamgen/generated/enrich-with-function"
	"github.com/streamgen/streamgen/generated/enrich-with-function/records"
	"github.com/streamgen/streamgen/runtime/testdriver"
)

// A function of the spec is a Go function, and is tested like one.
func TestWithCustomer(t *testing.T) {
	o := &records.Order{OrderID: "o1", CustomerID: "c01", RegionID: "north"}
	got, err := enrich.WithCustomer(t.Context(), o)
	if err != nil || got.OrderID != "o1" || got.Customer.Name != "Ada Lovelace" || got.Discount.Or(0) != 0.05 {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := enrich.WithCustomer(t.Context(), &records.Order{CustomerID: "c99"}); err == nil || err.Error() != `no customer "c99"` {
		t.Errorf("of a stranger: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := enrich.WithCustomer(ended, o); !errors.Is(err, context.Canceled) {
		t.Errorf("while the program drains: %v", err)
	}
}

// The program around it is driven as a whole.
func TestProgram(t *testing.T) {
	d := testdriver.Start(t, enrichwithfunction.Topology(), testdriver.Options{})
	d.PipeJSON("orders-topic",
		`{"key": "o1", "value": {"order_id": "o1", "customer_id": "c01", "region_id": "north", "amount": 12.5}, "ts": 1000}`,
		`{"key": "o2", "value": {"order_id": "o2", "customer_id": "c99", "region_id": "north", "amount": 5}, "ts": 1001}`,
		`{"key": "o3", "value": {"order_id": "o3", "customer_id": "c05", "region_id": "south", "amount": 0}, "ts": 1002}`,
		`{"key": "o4", "value": {"order_id": "o4", "customer_id": "c05", "region_id": "south", "amount": 0.01}, "ts": 1003}`,
	)
	d.Run()
	want := []string{
		`{"key":"north","value":{"order_id":"o1","region_id":"north","amount":12.50,"customer":{"name":"Ada Lovelace","tier":"gold","email":"ada@example.com"},"discount":0.05},"ts":1000}`,
		`{"key":"south","value":{"order_id":"o4","region_id":"south","amount":0.01,"customer":{"name":"Radia Perlman","tier":"bronze"}},"ts":1003}`,
	}
	if got := d.ReadJSON("enriched-orders-topic"); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// The stranger is counted, with the step that met it.
	dropped := d.Dropped()
	if len(dropped) != 1 || dropped[0].Step != "stream.enriched.map_values" || dropped[0].Count != 1 {
		t.Errorf("dropped %+v", dropped)
	}
}
