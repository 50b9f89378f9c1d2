app "processed-orders" {
  description          = "Orders with their text in capitals, and a table of orders by user: what the agent of a Faust app does."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

type "Order" {
  user_id = string
  text    = string
}

stream "orders" {
  topic = "orders"
  key   = optional(string)
  value = json(Order)
}

stream "processed" {
  from = stream.orders

  map_values { value = merge(value, { text = upper(value.text) }) }
}

sink "processed_orders" {
  from  = stream.processed
  topic = "processed_orders"
  value = json(Order)
}

table "order_counts" {
  from = stream.orders

  group_by { key = value.user_id }
  repartition "orders-by-user" { partitions = 4 }
  count {}
  store "order-counts" { unbounded = "one row a user" }
}
