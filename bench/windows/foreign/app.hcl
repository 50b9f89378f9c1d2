app "bench-foreign" {
  description          = "Orders with the price of their product: a million orders, ten thousand products."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

table "orders" {
  topic = "orders"
  key   = string
  value = int64
}

table "prices" {
  topic = "prices"
  key   = int64
  value = int64
}

table "priced" {
  from = table.orders

  join {
    with  = table.prices
    as    = price
    on    = value % 10000
    value = value + price
  }
}

sink "priced" {
  from  = table.priced
  topic = "priced"
  value = int64
}
