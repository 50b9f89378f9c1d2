// Package directory is the customers of the example enrich-with-function: code as a company has it before it has a spec. Its
// struct Customer is adopted by the type of that name, so package records reads and writes it, and this package cannot import
// that one.
package directory

import (
	"context"
	"fmt"

	"github.com/streamgen/streamgen/runtime/optional"
)

// Customer is what is known of a customer. The fields of the type in the spec are called as encoding/json calls them.
type Customer struct {
	Name  string              `json:"name"`
	Tier  string              `json:"tier"`
	Email optional.Of[string] `json:"email"`
}

// Loyal says whether a customer deserves a discount. An adopted struct keeps its methods.
func (c *Customer) Loyal() bool { return c.Tier == "gold" }

// Lookup finds a customer.
func Lookup(ctx context.Context, id string) (Customer, error) {
	if err := ctx.Err(); err != nil { // a real directory is asked over the network, and gives up when the program drains
		return Customer{}, err
	}
	c, ok := customers[id]
	if !ok {
		return Customer{}, fmt.Errorf("no customer %q", id)
	}
	return c, nil
}

var customers = map[string]Customer{
	"c01": {Name: "Ada Lovelace", Tier: "gold", Email: optional.Some("ada@example.com")},
	"c02": {Name: "Grace Hopper", Tier: "gold"},
	"c03": {Name: "Karen Spärck Jones", Tier: "silver", Email: optional.Some("karen@example.com")},
	"c04": {Name: "Barbara Liskov", Tier: "silver"},
	"c05": {Name: "Radia Perlman", Tier: "bronze"},
	"c06": {Name: "Lynn Conway", Tier: "bronze", Email: optional.Some("lynn@example.com")},
}
