package diag

// codes12 are mistakes of names.
var codes12 = []Code{
	{
		ID:    "SG1201",
		Title: "nothing has this name",
		Text:  "A reference names a block of the program: stream.x, table.x, branch.x.case, var.x, local.x; or a type or a format.",
		Wrong: `sink "out" {
  from  = stream.order
  topic = "out"
  value = json
}
`,
		Right: `sink "out" {
  from  = stream.orders
  topic = "out"
  value = json
}
`,
	},
	{
		ID:    "SG1202",
		Title: "a record has no such field",
		Text:  "The fields of a record are those of its type, or of the expression that made it.",
		Wrong: `stream "big" {
  from = stream.orders
  filter { where = value.amout > 50 }
}
`,
		Right: `stream "big" {
  from = stream.orders
  filter { where = value.amount > 50 }
}
`,
	},
	{
		ID:    "SG1203",
		Title: "two things have one name",
		Text: "Labels become Go names, topics and stores. Two of a kind must differ, also when dashes and underscores are taken away: order-lines " +
			"and order_lines are both orderLines in Go.",
		Wrong: `stream "big-orders" {
  from = stream.orders
}
stream "big_orders" {
  from = stream.orders
}
`,
		Right: `stream "big_orders" {
  from = stream.orders
}
`,
	},
	{
		ID:    "SG1204",
		Title: "an unknown name in an expression",
		Text: "An expression knows key, value, timestamp and headers of the record, the name that a join's as gives, agg where there is a state, " +
			"var.x and local.x. In HCL a dash belongs to a name: a-b is one name, a - b is a difference.",
		Wrong: `table "left_over" {
  from = stream.amounts
  reduce { add = agg-value }
}
`,
		Right: `table "left_over" {
  from = stream.amounts
  reduce { add = agg - value }
}
`,
	},
	{
		ID:    "SG1205",
		Title: "a join's as takes a name that is there already",
		Text:  "as names the right side of a join, and the join itself in its block. value is the left side.",
		Wrong: `stream "enriched" {
  from = stream.orders
  join {
    with  = table.customers
    as    = value
    value = merge(value, { name = value.name })
  }
}
`,
		Right: `stream "enriched" {
  from = stream.orders
  join {
    with  = table.customers
    as    = customer
    value = merge(value, { name = customer.name })
  }
}
`,
	},
	{
		ID:    "SG1206",
		Title: "a loop",
		Text: "Blocks may refer forward, but not in a circle: a stream that reads itself would never begin. A loop on purpose goes through a " +
			"topic. Records that hold themselves would have no end.",
		Wrong: `stream "a" {
  from = [stream.orders, stream.b]
}
stream "b" {
  from = stream.a
}
`,
		Right: `stream "a" {
  from = [stream.orders, stream.b]
}
stream "b" {
  from = stream.orders
}
`,
	},
	{
		ID:    "SG1207",
		Title: "a label that is written the wrong way",
		Text: "Labels are lower case: a letter, then letters, digits, _ and -. Types and enums are UpperCamel. So the two never meet, nor " +
			"functions and the making of records.",
		Wrong: `stream "BigOrders" {
  from = stream.orders
}
`,
		Right: `stream "big_orders" {
  from = stream.orders
}
`,
	},
	{
		ID:    "SG1209",
		Title: "there is no such function",
		Text:  "`streamgen functions` lists all functions with their types. A type's name makes a record or converts.",
		Wrong: `stream "loud" {
  from = stream.names
  map_values { value = uper(value) }
}
`,
		Right: `stream "loud" {
  from = stream.names
  map_values { value = upper(value) }
}
`,
	},
}
