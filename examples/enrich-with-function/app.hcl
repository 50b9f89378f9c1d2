app "enrich-with-function" {
  description          = "Orders get what a Go function knows of their customer, and are keyed by region."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
  on_error             = "fail"
}

type "Order" {
  order_id    = string
  customer_id = string
  region_id   = string
  amount      = decimal(12, 2)
}

type "Customer" { go = "github.com/streamgen/streamgen/examples/enrich-with-function/directory.Customer" }

type "EnrichedOrder" {
  order_id  = string
  region_id = string
  amount    = decimal(12, 2)
  customer  = Customer
  discount  = optional(float64)
}

function "enrich" {
  description = "What is known of the customer of an order. It fails for strangers."
  go          = "github.com/streamgen/streamgen/examples/enrich-with-function/enrich.WithCustomer"
}

stream "orders" {
  topic = "orders-topic"
  key   = string
  value = json(Order)
}

stream "enriched" {
  description = "Orders of known customers, by region."
  from        = stream.orders

  filter { where = value.amount > 0 }
  map_values {
    value    = enrich(value)
    on_error = "skip" # orders of strangers are counted
  }
  select_key { key = value.region_id }
}

sink "enriched_orders" {
  from  = stream.enriched
  topic = "enriched-orders-topic"
  value = json
}
