# What the specs in this directory stand on. A block that one of them declares itself takes the place of the one here.
app "shop" {
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}
enum "Tier" { values = ["bronze", "silver", "blocked"] }
type "Order" {
  order_id    = string
  customer_id = string
  amount      = int64
  tier        = Tier
  note        = optional(string)
}
type "Customer" { name = string }
stream "orders" {
  topic = "orders"
  key   = string
  value = json(Order)
}
stream "names" {
  topic = "names"
  key   = string
  value = string
}
stream "amounts" {
  topic = "amounts"
  key   = string
  value = int64
}
table "customers" {
  topic = "customers"
  key   = string
  value = json(Customer)
}
