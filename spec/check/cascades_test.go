package check_test

import (
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/syntax"
)

// Much stands on each part of this spec.
const manyReaders = `app "many" {
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}
variable "least" {
  type    = int64
  default = 5
}
enum "Tier" { values = ["gold", "blocked"] }
type "Order" {
  customer = string
  tier     = Tier
  amount   = optional(int64)
}
type "Customer" { name = optional(string) }
table "customers" {
  topic = "customers"
  key   = string
  value = json(Customer)
}
stream "orders" {
  topic = "orders"
  key   = string
  value = json(Order)
}
stream "payments" {
  topic = "payments"
  key   = string
  value = int64
}
stream "paid" {
  from = stream.orders
  filter { where = value.amount != null && value.amount > var.least && value.tier != "blocked" }
  join {
    with   = stream.payments
    as     = payment
    before = "10m"
    after  = "0s"
    grace  = "1m"
    value  = { customer = value.customer, amount = value.amount - payment }
  }
  select_key { key = value.customer }
  left_join {
    with  = table.customers
    as    = customer
    value = { name = customer == null || customer.name == null ? "nobody" : customer.name, left = value.amount + 1 }
  }
}
type "Total" {
  left = int64
  name = string
}
table "totals" {
  from = stream.paid
  emit = "every"
  window "tumbling" {
    size  = "1h"
    grace = "0s"
  }
  aggregate { value = Total({ left = sum(value.left), name = last(value.name) }) }
}
stream "large" {
  from = table.totals
  filter { where = value.left > 100 }
  map_values { value = upper(value.name) }
}
sink "large" {
  from  = stream.large
  topic = "large"
  value = string
}
`

// One mistake is one error, however much stands on it.
func TestNoCascades(t *testing.T) {
	count := func(text string) (errors diag.List) {
		file, diags := syntax.ParseFile("app.hcl", []byte(text))
		tree, ds := syntax.Parse(file)
		diags.Append(ds)
		_, ds = check.Check(tree, check.Options{})
		diags.Append(ds)
		for _, d := range diags {
			if d.Severity == diag.Error {
				errors = append(errors, d)
			}
		}
		return errors
	}
	if errors := count(manyReaders); len(errors) > 0 {
		t.Fatalf("the spec itself has errors: %s", errors[0].Summary)
	}
	for _, c := range []struct{ right, wrong, code string }{
		{`app "many"`, `apq "many"`, "SG1101"},
		{`variable "least"`, `varable "least"`, "SG1101"},
		{`enum "Tier"`, `enumm "Tier"`, "SG1101"},
		{`values = ["gold"`, `valuse = ["gold"`, "SG1101"},
		{`type "Order"`, `tpye "Order"`, "SG1101"},
		{`amount   = optional(int64)`, `amount   = optonal(int64)`, "SG1201"},
		{`tier     = Tier`, `tier     = Teir`, "SG1201"},
		{`table "customers"`, `tabel "customers"`, "SG1101"},
		{`value = json(Customer)`, `value = json(Custmer)`, "SG1201"},
		{"customers\"\n  key   = string", "customers\"\n  kye   = string", "SG1101"},
		{"customers\"\n  key   = string", "customers\"\n  key   = strin", "SG1201"},
		{`stream "orders"`, `strema "orders"`, "SG1101"},
		{"payments\"\n  key   = string", "payments\"\n  kye   = string", "SG1101"},
		{`stream "paid"`, `streem "paid"`, "SG1101"},
		{`from = stream.orders`, `from = stream.order`, "SG1201"},
		{`from = stream.orders`, `form = stream.orders`, "SG1101"},
		{`filter { where = value.amount != null`, `filter { wher = value.amount != null`, "SG1101"},
		{`filter { where = value.amount != null`, `fliter { where = value.amount != null`, "SG1101"},
		{`value.amount != null`, `value.amuont != null`, "SG1202"},
		{`value.amount != null`, `valeu.amount != null`, "SG1204"},
		{`value.amount != null`, `value.amount != nil`, "SG1204"},
		{`> var.least`, `> var.lest`, "SG1201"},
		{`with   = stream.payments`, `with   = stream.payment`, "SG1201"},
		{`as     = payment`, `as     = "payment"`, "SG1112"},
		{`before = "10m"`, `befoer = "10m"`, "SG1101"},
		{`grace  = "1m"`, `grace  = "1 minute"`, "SG1309"},
		{`- payment }`, `- paymnet }`, "SG1204"},
		{`select_key { key = value.customer }`, `select_key { key = value.custmer }`, "SG1202"},
		{`with  = table.customers`, `with  = table.customer`, "SG1201"},
		{`customer == null ||`, `custmer == null ||`, "SG1204"},
		{`customer == null || customer.name`, `customer == null || customer.nam`, "SG1202"},
		{`type "Total"`, `tpye "Total"`, "SG1101"},
		{`emit = "every"`, `emti = "every"`, "SG1101"},
		{`emit = "every"`, `emit = "evry"`, "SG1112"},
		{`window "tumbling"`, `window "tumblin"`, "SG1112"},
		{`    grace = "0s"`, `    graec = "0s"`, "SG1101"},
		{`table "totals"`, `tabel "totals"`, "SG1101"},
		{`aggregate { value`, `agregate { value`, "SG1101"},
		{`sum(value.left)`, `smu(value.left)`, "SG1209"},
		{`last(value.name)`, `last(value.nam)`, "SG1202"},
		{`from = stream.paid`, `from = straem.paid`, "SG1201"},
		{`from = table.totals`, `from = table.total`, "SG1201"},
		{`upper(value.name)`, `uper(value.name)`, "SG1209"},
		{`Tier`, `tier_`, "SG1207"},
		{`Order`, `order`, "SG1207"},
		{`Total`, `TOTAL_`, "SG1207"},
		{`customers`, `Customers`, "SG1207"},
		{`payments`, `payMents`, "SG1207"},
		{`paid`, `Paid`, "SG1207"},
		{`totals`, `toTals`, "SG1207"},
		{`least`, `Least`, "SG1207"},
	} {
		times := 1
		if c.code == "SG1207" { // a name that cannot be one, wherever it stands
			times = -1
		}
		if !strings.Contains(manyReaders, c.right) {
			t.Fatalf("the spec has no %s", c.right)
		}
		errors := count(strings.Replace(manyReaders, c.right, c.wrong, times))
		if len(errors) == 1 && errors[0].Code == c.code {
			continue
		}
		t.Errorf("%s gives %d errors:", c.wrong, len(errors))
		for _, d := range errors {
			t.Errorf("  %s: %s %s", d.Range, d.Code, d.Summary)
		}
	}
}
