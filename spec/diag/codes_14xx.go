package diag

// codes14 are mistakes of keys and of where records lie.
var codes14 = []Code{
	{
		ID:    "SG1401",
		Title: "the keys of a join differ",
		Text: "A record meets the row with its key. Keys of different types never meet, although nothing would fail: one side must be given " +
			"another key.",
		Wrong: `stream "enriched" {
  from = stream.orders
  select_key { key = value.amount }
  join {
    with  = table.customers
    as    = customer
    value = merge(value, { name = customer.name })
  }
}
`,
		Right: `stream "enriched" {
  from = stream.orders
  select_key { key = value.customer_id }
  join {
    with  = table.customers
    as    = customer
    value = merge(value, { name = customer.name })
  }
}
`,
	},
	{
		ID:    "SG1402",
		Title: "on in the join of a stream with a table",
		Text: "A stream meets a table by its key, in the partition of that key. Re-key the stream above the join: then the repartition that this " +
			"costs can be seen in the spec.",
		Wrong: `stream "enriched" {
  from = stream.orders
  join {
    with  = table.customers
    as    = customer
    on    = value.customer_id
    value = merge(value, { name = customer.name })
  }
}
`,
		Right: `stream "enriched" {
  from = stream.orders
  select_key { key = value.customer_id }
  join {
    with  = table.customers
    as    = customer
    value = merge(value, { name = customer.name })
  }
}
`,
	},
	{
		ID:    "SG1409",
		Title: "merged streams that differ",
		Text:  "Streams that are merged have one type of key and one of value; where one of them may be null, the result may be.",
		Wrong: `stream "all" {
  from = [stream.orders, stream.names]
}
`,
		Right: `stream "ids" {
  from = stream.orders
  map_values { value = value.order_id }
}
stream "all" {
  from = [stream.ids, stream.names]
}
`,
	},
	{
		ID:    "SG1411",
		Title: "an outer join by a foreign key",
		Text: "A result has the key of the left row. By a foreign key a row of the other table may have many partners or none, and without one there is " +
			"no key that the result could have.",
		Wrong: `table "owned" {
  from = table.customers
  outer_join {
    with  = table.amounts
    as    = amount
    on    = value.name
    value = amount
  }
}
table "amounts" {
  topic = "amounts"
  key   = string
  value = int64
}
`,
		Right: `table "owned" {
  from = table.customers
  left_join {
    with  = table.amounts
    as    = amount
    on    = value.name
    value = coalesce(amount, 0)
  }
}
table "amounts" {
  topic = "amounts"
  key   = string
  value = int64
}
`,
	},
	{
		ID:    "SG1412",
		Title: "a global table that is read other than by the join of a stream",
		Text: "Each process has all rows of a global table, and what changes them triggers nothing: there is no stream of its changes, and a table that " +
			"was made of its rows would be out of date. Streams look into it. Where its changes matter, the topic is to be read as a table.",
		Wrong: `global_table "products" {
  topic = "products"
  key   = string
  value = string
}
sink "renamed" {
  from  = global_table.products
  topic = "renamed"
  value = string
}
`,
		Right: `table "products" {
  topic = "products"
  key   = string
  value = string
}
sink "renamed" {
  from  = table.products
  topic = "renamed"
  value = string
}
`,
	},
}
