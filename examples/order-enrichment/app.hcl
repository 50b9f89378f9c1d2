app "order-enrichment" {
  description          = "Orders with the tier of the customer who placed them, and how many orders each customer placed."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

enum "Tier" {
  values = ["bronze", "silver", "gold", "blocked"]
}

type "Order" {
  order_id     = string
  customer_id  = string
  amount_cents = int64
  note         = optional(string)
}

type "Customer" {
  name = string
  tier = Tier
}

stream "orders" {
  topic = "orders"
  key   = string
  value = json(Order)
}

table "customers" {
  topic = "customers"
  key   = string
  value = json(Customer)

  store "customers" {
    unbounded = "one row a customer"
  }
}

stream "enriched" {
  description = "Orders with the tier of their customer; blocked customers are left out."
  from        = stream.orders

  select_key { key = value.customer_id }
  join {
    with  = table.customers
    as    = customer
    value = merge(value, { tier = customer.tier })
  }
  filter { where = value.tier != "blocked" }
}

sink "orders_enriched" {
  from  = stream.enriched
  topic = "orders-enriched"
  value = json
}

table "orders_per_customer" {
  description = "What each customer ordered so far."
  from        = stream.orders
  emit        = "updates"

  group_by { key = value.customer_id }
  aggregate {
    value = {
      orders      = count()
      spent_cents = sum(value.amount_cents)
      biggest     = max(value.amount_cents)
      last_order  = max(timestamp)
    }
  }
  store "orders-per-customer" {
    unbounded = "one row a customer"
  }
}

sink "orders_per_customer" {
  from  = table.orders_per_customer
  topic = "orders-per-customer"
  value = json
}
