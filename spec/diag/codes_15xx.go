package diag

import "fmt"

// paidWithin is a spec that joins two streams in a window.
func paidWithin(before, after, grace string) string {
	return fmt.Sprintf(`stream "payments" {
  topic = "payments"
  key   = string
  value = int64
}
stream "paid" {
  from = stream.orders
  join {
    with   = stream.payments
    as     = amount
    before = %q
    after  = %q
    grace  = %q
    value  = merge(value, { paid = amount })
  }
}
`, before, after, grace)
}

// storedCounts are counts by window in a store that says something of its rows.
func storedCounts(attribute string) string {
	return `table "counts" {
  from = stream.orders
  emit = "updates"
  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
  store "counts" { ` + attribute + ` }
}
`
}

// codes15 are mistakes of windows and of time.
var codes15 = []Code{
	{
		ID:    "SG1501",
		Title: "rows go before their window takes no more records",
		Text:  "A row must be there as long as records may come for it: for the size of its window and the grace behind it.",
		Wrong: storedCounts(`retention = "5m"`),
		Right: storedCounts(`retention = "1h"`),
	},
	{
		ID:    "SG1502",
		Title: "a suppress waits for windows that do not close",
		Text:  "until = \"window_closes\" holds each row back until its window takes no more records. A table without windows, or with one that never ends, would never send anything.",
		Wrong: `table "counts" {
  from = stream.orders
  count {}
  store "counts" { unbounded = "one row a customer" }
  suppress { until = "window_closes" }
}
`,
		Right: `table "counts" {
  from = stream.orders
  count {}
  store "counts" { unbounded = "one row a customer" }
  suppress { time_limit = "10s" }
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
	{
		ID:    "SG1505",
		Title: "sessions that meet are not merged",
		Text:  "A record between two sessions makes one of them. What their states become, merge says: an expression over left, the earlier one, and right.",
		Wrong: `table "amounts" {
  from = stream.orders
  emit = "updates"
  window "session" {
    gap   = "30m"
    grace = "1m"
  }
  fold {
    init = 0
    add  = agg + value.amount
  }
}
`,
		Right: `table "amounts" {
  from = stream.orders
  emit = "updates"
  window "session" {
    gap   = "30m"
    grace = "1m"
  }
  fold {
    init  = 0
    add   = agg + value.amount
    merge = left + right
  }
}
`,
	},
	{
		ID:    "SG1506",
		Title: "a row that leaves its group cannot be taken away",
		Text: "When a row of a table changes, its group has it as it was: that is taken away, and the new one added. The built-in aggregates know how; " +
			"what reduce and fold add, only you know how to take away.",
		Wrong: `table "lengths" {
  from = table.customers
  group_by {
    key   = value.name
    value = 1
  }
  reduce { add = agg + value }
}
`,
		Right: `table "lengths" {
  from = table.customers
  group_by {
    key   = value.name
    value = 1
  }
  reduce {
    add    = agg + value
    remove = agg - value
  }
}
`,
	},
	{
		ID:    "SG1507",
		Title: "an aggregator that cannot go back",
		Text: "Rows leave their groups. From sums and counts, and what is made of them (any, all, avg, variance), the row can be taken away again. min, max, top_n and distinct can give it back " +
			"because they keep each different value of the group there. The others cannot: of a last value or of a list with a bound it is not known what was before.",
		Wrong: `table "names" {
  from = table.customers
  group_by { key = value.name }
  aggregate { value = last(key) }
}
`,
		Right: `table "names" {
  from = table.customers
  group_by { key = value.name }
  aggregate { value = count() }
}
`,
	},
	{
		ID:    "SG1510",
		Title: "a window of a join that ends before it begins",
		Text: "before and after say how much older and how much younger than a record the other one may be. One of them may be negative, which moves " +
			"the window away from the record; the other one must be at least as long, or nothing lies in between.",
		Wrong: paidWithin("5m", "-10m", "1m"),
		Right: paidWithin("15m", "-10m", "1m"),
	},
	{
		ID:    "SG1511",
		Title: "a join that holds nothing",
		Text: "A record is held for before + after + grace, by the clock of its own stream. If that is nothing, none is ever there to be met, not even at " +
			"the same instant.",
		Wrong: paidWithin("0s", "0s", "0s"),
		Right: paidWithin("0s", "0s", "1s"),
	},
	{
		ID:    "SG1512",
		Title: "an outer join of a stream with a table",
		Text: "A stream meets the rows of a table: its records trigger the results. A row that no record meets gives none, so an outer join would be a left " +
			"join. Two streams have outer joins, and two tables.",
		Wrong: `stream "paid" {
  from = stream.orders
  outer_join {
    with   = table.customers
    as     = customer
    value  = { name = customer == null ? null : customer.name }
  }
}
`,
		Right: `stream "paid" {
  from = stream.orders
  left_join {
    with   = table.customers
    as     = customer
    value  = { name = customer == null ? null : customer.name }
  }
}
`,
	},
	{
		ID:    "SG1513",
		Title: "a history of a table that is made",
		Text: "history is for rows that come with times of their own, in any order: those of a topic. A row that is made has the time of what made " +
			"it last, so that nothing older ever comes.",
		Wrong: `table "counts" {
  from = stream.orders
  emit = "every"
  count {}
  store "counts" { history = "1h" }
}
`,
		Right: `table "counts" {
  from = stream.orders
  emit = "every"
  count {}
  store "counts" { unbounded = "one row an order" }
}
`,
	},
	{
		ID:    "SG1514",
		Title: "rows that do not end by a time to live",
		Text: "ttl deletes rows that nothing has touched for that long, in the store of what makes the table: its topic, or a step that makes a table of a " +
			"stream. Other rows go by other rules: those of windows some time after their window, those of groups when nothing is in them any more, and " +
			"those that are made of other rows with these.",
		Wrong: storedCounts(`ttl = "1h"`),
		Right: storedCounts(`retention = "1h"`),
	},
}
