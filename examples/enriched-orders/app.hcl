app "enriched-orders" {
  description          = "Orders with the tier of their customer and the price of their product; blocked customers are left out."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

enum "Tier" { values = ["bronze", "silver", "gold", "blocked"] }

type "Order" {
  order_id    = string
  customer_id = string
  product_id  = optional(string)
  quantity    = int64
}

type "Customer" {
  name = string
  tier = Tier
}

type "Product" {
  title       = string
  price_cents = int64
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
}

global_table "products" {
  description = "All products, in each process: few of them, and asked for by all."
  topic       = "products"
  key         = string
  value       = json(Product)
}

stream "enriched" {
  from = stream.orders

  select_key { key = value.customer_id }
  join {
    with  = table.customers
    as    = customer
    value = merge(value, { tier = customer.tier })
  }
  filter { where = value.tier != "blocked" }
  left_join {
    with = global_table.products
    as   = product
    on   = value.product_id
    value = merge(value, {
      title       = product == null ? "unknown" : product.title
      total_cents = product == null ? null : value.quantity * product.price_cents
    })
  }
}

sink "orders_enriched" {
  from  = stream.enriched
  topic = "orders-enriched"
  value = json
}
