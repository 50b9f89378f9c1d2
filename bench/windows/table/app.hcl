app "bench-table" {
  description          = "Orders with the price of what is ordered, of a million products."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

stream "orders" {
  topic = "orders"
  key   = string
  value = int64
}

table "prices" {
  topic = "prices"
  key   = string
  value = int64
}

stream "priced" {
  from = stream.orders

  join {
    with  = table.prices
    as    = price
    value = value + price
  }
}

sink "priced" {
  from  = stream.priced
  topic = "priced"
  value = int64
}
