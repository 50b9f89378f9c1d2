app "bench-global" {
  description          = "Orders with the price of what is ordered, of a million products that each process has."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

stream "orders" {
  topic = "orders"
  key   = string
  value = int64
}

global_table "prices" {
  topic = "prices"
  key   = string
  value = int64
}

stream "priced" {
  from = stream.orders

  join {
    with  = global_table.prices
    as    = price
    on    = key
    value = value + price
  }
}

sink "priced" {
  from  = stream.priced
  topic = "priced"
  value = int64
}
