app "order-counts" {
  description          = "Orders and revenue of each item in five minutes, with each commit that changed them."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

type "Order" {
  order_id = string
  item_id  = string
  amount   = decimal(12, 2)
}

stream "orders" {
  topic = "orders"
  key   = string
  value = json(Order)

  time { max_future = "1h" }
}

table "order_counts" {
  description = "What ksqlDB writes as CREATE TABLE … WINDOW TUMBLING (SIZE 5 MINUTES) GROUP BY item_id EMIT CHANGES."
  from        = stream.orders
  emit        = "updates"

  group_by { key = value.item_id }
  window "tumbling" {
    size  = "5m"
    grace = "24h"
  }
  aggregate {
    value = {
      order_count   = count()
      total_revenue = sum(value.amount)
    }
  }
}

sink "order_counts" {
  from  = table.order_counts
  topic = "ORDER_COUNTS"
  value = json
}
