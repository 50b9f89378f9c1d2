package diag

// codes15 are mistakes of windows and of time.
var codes15 = []Code{
	{
		ID:    "SG1501",
		Title: "rows go before their window takes no more records",
		Text:  "A row must be there as long as records may come for it: for the size of its window and the grace behind it.",
		Wrong: `table "counts" {
  from = stream.orders
  emit = "updates"
  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
  store "counts" { retention = "5m" }
}
`,
		Right: `table "counts" {
  from = stream.orders
  emit = "updates"
  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
  store "counts" { retention = "1h" }
}
`,
	},
	{
		ID:    "SG1503",
		Title: "final results without an end",
		Text:  "emit = \"final\" waits until a window is closed. A table without windows, or with one that never ends, would never send anything.",
		Wrong: `table "counts" {
  from = stream.orders
  emit = "final"
  count {}
}
`,
		Right: `table "counts" {
  from = stream.orders
  emit = "updates"
  count {}
}
`,
	},
	{
		ID:    "SG1504",
		Title: "grace on a join with a plain table",
		Text:  "grace waits for rows of the past. A plain table has only the row of now.",
		Wrong: `stream "enriched" {
  from = stream.orders
  join {
    with  = table.customers
    as    = customer
    grace = "1m"
    value = merge(value, { name = customer.name })
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
}
