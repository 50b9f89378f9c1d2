package diag

// codes13 are mistakes of types.
var codes13 = []Code{
	{
		ID:    "SG1301",
		Title: "another type is needed here",
		Text: "Nothing converts by itself but int32 to int64 beside an int64. What is written out, as int64(x) or string(x), is seen by who " +
			"reads the spec.",
		Wrong: `stream "big" {
  from = stream.orders
  filter { where = value.amount }
}
`,
		Right: `stream "big" {
  from = stream.orders
  filter { where = value.amount > 0 }
}
`,
	},
	{
		ID:    "SG1302",
		Title: "this may be null",
		Text: "Nothing is null unless its type says optional, and what is optional must be looked at before it is used: by coalesce, by a test " +
			"with != null in the same condition, by ?:, or by a filter above.",
		Wrong: `stream "notes" {
  from = stream.orders
  map_values { value = value.note + "!" }
}
`,
		Right: `stream "notes" {
  from = stream.orders
  map_values { value = coalesce(value.note, "") + "!" }
}
`,
	},
	{
		ID:    "SG1303",
		Title: "two types that do not go together",
		Text:  "The two sides of an operator, of ?: and of min and max have one type. A literal takes the type of the other side.",
		Wrong: `stream "fifty" {
  from = stream.orders
  filter { where = value.amount == "50" }
}
`,
		Right: `stream "fifty" {
  from = stream.orders
  filter { where = value.amount == 50 }
}
`,
	},
	{
		ID:    "SG1304",
		Title: "an enum has no such value",
		Text:  "Beside an enum a text is one of its values, and a typing error in it would compare with nothing for ever.",
		Wrong: `stream "open" {
  from = stream.orders
  filter { where = value.tier != "blocket" }
}
`,
		Right: `stream "open" {
  from = stream.orders
  filter { where = value.tier != "blocked" }
}
`,
	},
	{
		ID:    "SG1305",
		Title: "a number that its type cannot hold",
		Text:  "A number takes the type of its place and must fit it exactly: no overflow, and no fraction where whole numbers are wanted.",
		Wrong: `stream "big" {
  from = stream.orders
  filter { where = value.amount > 50.5 }
}
`,
		Right: `stream "big" {
  from = stream.orders
  filter { where = value.amount > 50 }
}
`,
	},
	{
		ID:    "SG1306",
		Title: "fields that do not fit the record",
		Text:  "Order({ … }) makes an Order: all its fields are given, but optional ones may be left out, which means null.",
		Wrong: `stream "customers" {
  from = stream.orders
  map_values { value = Customer({ id = value.customer_id, tier = value.tier }) }
}
`,
		Right: `stream "customers" {
  from = stream.orders
  map_values { value = Customer({ name = value.customer_id, tier = value.tier }) }
}
`,
	},
	{
		ID:    "SG1307",
		Title: "an aggregator outside of aggregate, or a record inside",
		Text: "Aggregators look at all records of a row and stand in aggregate only. There, a field of one record has no meaning unless an " +
			"aggregator says of which record.",
		Wrong: `stream "sums" {
  from = stream.orders
  map_values { value = sum(value.amount) }
}
`,
		Right: `table "sums" {
  from = stream.orders
  aggregate { value = sum(value.amount) }
}
`,
	},
	{
		ID:    "SG1308",
		Title: "the wrong number or kind of arguments",
		Text:  "The message shows how it is called.",
		Wrong: `stream "loud" {
  from = stream.names
  map_values { value = upper(value, 1) }
}
`,
		Right: `stream "loud" {
  from = stream.names
  map_values { value = upper(value) }
}
`,
	},
	{
		ID:    "SG1309",
		Title: "a text that is no duration, time or pattern",
		Text: "In the place of a duration a text is numbers with units: 10ms, 5m, 24h, 30d, where d is 24 hours. In that of a timestamp it is " +
			"RFC 3339 with at most milliseconds. Both are read when the program is built.",
		Wrong: `stream "shifted" {
  from = stream.orders
  map { timestamp = timestamp + "5 minutes" }
}
`,
		Right: `stream "shifted" {
  from = stream.orders
  map { timestamp = timestamp + "5m" }
}
`,
	},
	{
		ID:    "SG1310",
		Title: "the record is none of the format's type",
		Text: "json(T) writes a T: each field must be there with its type, and no other, so that no field gets lost unseen. json alone writes " +
			"the record that arrives.",
		Wrong: `stream "enriched" {
  from = stream.orders
  map_values { value = merge(value, { country = "DE" }) }
}
sink "out" {
  from  = stream.enriched
  topic = "out"
  value = json(Order)
}
`,
		Right: `stream "enriched" {
  from = stream.orders
  map_values { value = merge(value, { country = "DE" }) }
}
sink "out" {
  from  = stream.enriched
  topic = "out"
  value = json
}
`,
	},
	{
		ID:    "SG1311",
		Title: "an operation that the type does not have",
		Text:  "+ - * / % are for numbers, + also for texts, timestamps and durations; < for numbers, texts and times; [ ] for headers.",
		Wrong: `stream "odd" {
  from = stream.orders
  filter { where = value.tier > "bronze" }
}
`,
		Right: `stream "odd" {
  from = stream.orders
  filter { where = value.tier != "bronze" }
}
`,
	},
	{
		ID:    "SG1312",
		Title: "nothing says what type this is",
		Text:  "null takes its type from its place: a field of a declared type, the other side of ?:. Alone it could be anything.",
		Wrong: `stream "notes" {
  from = stream.orders
  map_values { value = { id = value.order_id, text = null } }
}
`,
		Right: `stream "notes" {
  from = stream.orders
  map_values { value = { id = value.order_id, text = value.note } }
}
`,
	},
	{
		ID:    "SG1313",
		Title: "division by zero",
		Text:  "The divisor is the constant zero, so this would fail for each record.",
		Wrong: `stream "shares" {
  from = stream.orders
  map_values { value = value.amount / 0 }
}
`,
		Right: `stream "shares" {
  from = stream.orders
  map_values { value = value.amount / 10 }
}
`,
	},
	{
		ID:    "SG1314",
		Title: "a local that grows too large",
		Text:  "A local stands for its expression. Locals that use others several times double in size with each, and code would have to be written for all of it.",
	},
	{
		ID:    "SG1315",
		Title: "a windowed key that is no key",
		Text: "windowed(k, window) gives a key the window at hand. Such a key has a wire format and a place in stores, but is no value: " +
			"window.start and window.end are timestamps, and may stand anywhere.",
		Wrong: `table "counts" {
  from = stream.orders
  emit = "final"
  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
}
stream "windows" {
  from = table.counts
  map_values { value = windowed(key, window) }
}
`,
		Right: `table "counts" {
  from = stream.orders
  emit = "final"
  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
}
stream "windows" {
  from = table.counts
  select_key { key = windowed(upper(key), window) }
}
`,
	},
	{
		ID:    "SG1330",
		Title: "this can fail, and nothing says what then",
		Text: "Parsing, division and narrowing depend on the data. Who writes them decides: try(x, fallback), or a policy for the records for which " +
			"they fail, on the step, its block or the app. Nobody gets a policy by accident.",
		Wrong: `stream "numbers" {
  from = stream.names
  map_values { value = int64(value) }
}
`,
		Right: `stream "numbers" {
  from = stream.names
  map_values { value = try(int64(value), 0) }
}
`,
	},
}
