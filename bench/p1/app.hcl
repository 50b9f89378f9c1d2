app "p1" {
  description          = "Paid orders, cut down to four of their ten fields: the smallest program worth measuring."
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}

type "Order" {
  order_id    = string
  customer_id = string
  product_id  = string
  status      = string
  country     = string
  currency    = string
  amount      = float64
  quantity    = int32
  created_at  = int64
  note        = string
}

stream "orders" {
  topic = "orders"
  key   = string
  value = json(Order)
}

stream "paid" {
  from = stream.orders

  filter { where = value.status == "PAID" }
  map_values {
    value = {
      order_id    = value.order_id
      customer_id = value.customer_id
      currency    = value.currency
      amount      = value.amount
    }
  }
}

sink "paid" {
  from  = stream.paid
  topic = "paid-orders"
  value = json
}
