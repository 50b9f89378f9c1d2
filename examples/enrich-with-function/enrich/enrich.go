// Package enrich is the Go code that the spec of the example calls. It imports the generated package records, and the generated
// program imports it.
package enrich

import (
	"context"

	"github.com/streamgen/streamgen/examples/enrich-with-function/directory"
	"github.com/streamgen/streamgen/generated/enrich-with-function/records"
	"github.com/streamgen/streamgen/runtime/optional"
)

// WithCustomer is an order with what is known of its customer. An error goes where the policy of the step says.
//
// The order is the program's own: it must not be changed, nor kept.
func WithCustomer(ctx context.Context, o *records.Order) (records.EnrichedOrder, error) {
	c, err := directory.Lookup(ctx, o.CustomerID)
	if err != nil {
		return records.EnrichedOrder{}, err
	}
	e := records.EnrichedOrder{OrderID: o.OrderID, RegionID: o.RegionID, Amount: o.Amount, Customer: c}
	if c.Loyal() {
		e.Discount = optional.Some(0.05)
	}
	return e, nil
}
