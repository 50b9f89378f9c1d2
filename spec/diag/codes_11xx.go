package diag

// codes11 are mistakes of blocks and steps: what may stand where.
var codes11 = []Code{
	{
		ID:    "SG1101",
		Title: "a name that the block does not know",
		Text: "Each block has a fixed set of attributes, inner blocks and steps. A misspelled one would be ignored, and the program would do " +
			"something else than it says; so all that is unknown is refused.",
		Wrong: `stream "big" {
  from = stream.orders
  filter { wher = value.amount > 50 }
}
`,
		Right: `stream "big" {
  from = stream.orders
  filter { where = value.amount > 50 }
}
`,
	},
	{
		ID:    "SG1102",
		Title: "something is missing that has no default",
		Text: "What decides about results has no hidden default: formats, where a stream begins, what a crash may do. The message says what " +
			"the attribute means.",
		Wrong: `stream "payments" {
  topic = "payments"
  key   = string
}
`,
		Right: `stream "payments" {
  topic = "payments"
  key   = string
  value = json(Order)
}
`,
	},
	{
		ID:    "SG1104",
		Title: "an attribute below a block",
		Text:  "Attributes are properties and blocks are steps that run in order. An attribute among the steps looks as if its place meant something.",
		Wrong: `table "counts" {
  from = stream.orders
  count {}
  store "counts" { unbounded = "one row an order" }
  emit = "every"
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
		ID:    "SG1105",
		Title: "a step of tables in a stream",
		Text:  "What counts or keeps makes a table: rows that change. Its changes are read as a stream of their own.",
		Wrong: `stream "counts" {
  from = stream.orders
  count {}
}
`,
		Right: `table "counts" {
  from = stream.orders
  count {}
}
stream "changes" {
  from = table.counts
}
`,
	},
	{
		ID:    "SG1106",
		Title: "nothing makes a stream a table",
		Text: "A table that comes from a stream says how records become rows. Above that step all means what it means in a stream, below it " +
			"what it means in a table.",
		Wrong: `table "latest" {
  from = stream.orders
  filter { where = value.amount > 50 }
}
`,
		Right: `table "latest" {
  from = stream.orders
  filter { where = value.amount > 50 }
  to_table {}
}
`,
	},
	{
		ID:    "SG1107",
		Title: "a table is made twice",
		Text:  "A table has one making step, and a table that is read from a topic has none. What is made of its rows is a table of its own.",
		Wrong: `table "latest" {
  from = stream.orders
  to_table {}
  count {}
}
`,
		Right: `table "latest" {
  from = stream.orders
  to_table {}
}
table "counts" {
  from = stream.orders
  count {}
}
`,
	},
	{
		ID:    "SG1108",
		Title: "a step of streams on a table",
		Text:  "A row belongs to its key: a table cannot give it another one, or more than one. Its changes, read as a stream, can.",
		Wrong: `table "counts" {
  from = stream.orders
  count {}
  peek { message = "counted ${key}" }
}
`,
		Right: `table "counts" {
  from = stream.orders
  count {}
}
stream "changes" {
  from = table.counts
  peek { message = "counted ${key}" }
}
`,
	},
	{
		ID:    "SG1109",
		Title: "not exactly one block app",
		Text: "All *.hcl files of a directory are one program. Its app has the label that is the consumer group and the prefix of all internal " +
			"topics, and says what a crash may do and where streams begin.",
		Wrong: `app "shop" {
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}
app "store" {
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}
`,
		Right: `app "shop" {
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}
`,
	},
	{
		ID:    "SG1110",
		Title: "a block with the wrong number of labels",
		Text:  "A label is the identity of a block, and physical names come from it. Blocks that need no identity have none.",
		Wrong: `stream "big" {
  from = stream.orders
  filter "big" { where = value.amount > 50 }
}
`,
		Right: `stream "big" {
  from = stream.orders
  filter { where = value.amount > 50 }
}
`,
	},
	{
		ID:    "SG1111",
		Title: "not a constant",
		Text: "The shape of a topology is fixed when it is built: topics, formats, durations. A variable with runtime = true is read when the " +
			"program starts, and only expressions over records may use it.",
		Wrong: `variable "target" {
  type    = string
  default = "big-orders"
  runtime = true
}
sink "big" {
  from  = stream.orders
  topic = var.target
  value = json
}
`,
		Right: `variable "target" {
  type    = string
  default = "big-orders"
}
sink "big" {
  from  = stream.orders
  topic = var.target
  value = json
}
`,
	},
	{
		ID:    "SG1112",
		Title: "a value that the attribute cannot have",
		Text:  "Some attributes take one of a few words, a number within bounds, a list, or the name of a topic by the broker's rules.",
		Wrong: `table "counts" {
  from = stream.orders
  emit = "evry"
  count {}
}
`,
		Right: `table "counts" {
  from = stream.orders
  emit = "every"
  count {}
}
`,
	},
	{
		ID:    "SG1113",
		Title: "attributes that exclude each other",
		Text:  "A block reads a topic or other blocks, never both. To have both, merge them: from = [stream.a, stream.b].",
		Wrong: `stream "all" {
  topic = "orders-eu"
  from  = stream.orders
  key   = string
  value = json(Order)
}
`,
		Right: `stream "eu" {
  topic = "orders-eu"
  key   = string
  value = json(Order)
}
stream "all" {
  from = [stream.eu, stream.orders]
}
`,
	},
	{
		ID:    "SG1114",
		Title: "an optional key or value of a table",
		Text:  "A row lies under its key, and a null value deletes it. So neither is ever null: a record without a key is dropped and counted.",
		Wrong: `table "prices" {
  topic = "prices"
  key   = string
  value = optional(int64)
}
`,
		Right: `table "prices" {
  topic = "prices"
  key   = string
  value = int64
}
`,
	},
	{
		ID:    "SG1115",
		Title: "a variable without a value",
		Text: "A variable has its default, or what the build is given by --var. With runtime = true the program is given it when it starts, " +
			"and the build has no say.",
		Wrong: `variable "limit" {
  type = int64
}
stream "big" {
  from = stream.orders
  filter { where = value.amount > var.limit }
}
`,
		Right: `variable "limit" {
  type    = int64
  default = 50
}
stream "big" {
  from = stream.orders
  filter { where = value.amount > var.limit }
}
`,
	},
	{
		ID:    "SG1116",
		Title: "a store where there is no state to name",
		Text:  "store stands directly below the step whose rows it holds, and a state has one name.",
		Wrong: `table "counts" {
  from = stream.orders
  store "counts" { unbounded = "one row an order" }
  count {}
}
`,
		Right: `table "counts" {
  from = stream.orders
  count {}
  store "counts" { unbounded = "one row an order" }
}
`,
	},
	{
		ID:    "SG1117",
		Title: "a map that has a name of its own",
		Text: "A step says what it changes by its name: map_values never needs a repartition, select_key always may. map is for both at once, " +
			"for time and headers, and for dropping a key.",
		Wrong: `stream "amounts" {
  from = stream.orders
  map { value = value.amount }
}
`,
		Right: `stream "amounts" {
  from = stream.orders
  map_values { value = value.amount }
}
`,
	},
	{
		ID:    "SG1118",
		Title: "two defaults in a branch",
		Text:  "The default takes what no case took. There is only one rest.",
		Wrong: `branch "by_size" {
  from = stream.orders
  case "big" { where = value.amount > 50 }
  default "small" {}
  default "rest" {}
}
`,
		Right: `branch "by_size" {
  from = stream.orders
  case "big" { where = value.amount > 50 }
  default "small" {}
}
`,
	},
	{
		ID:    "SG1199",
		Title: "a part of the language that this version does not have yet",
		Text:  "The spec is right, but this version of streamgen cannot build it. A newer one may.",
		Wrong: `stream "checked" {
  from = stream.orders
  process_values {}
}
`,
		Right: `stream "checked" {
  from = stream.orders
}
`,
	},
	{
		ID:    "SG1103",
		Title: "a windowed table that does not say what leaves it",
		Text: "A window has many results while it is open and one when it is closed. What a reader wants is not to be guessed: " +
			"\"final\" gives one result a window, once it is closed; \"updates\" the last state of each row at commits; \"every\" each change.",
		Wrong: `table "counts" {
  from = stream.orders
  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
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
`,
	},
	{
		ID:    "SG1121",
		Title: "a window that is not directly above what it divides",
		Text: "A window belongs to the step that makes the table: it says which records go into one row. It stands directly above it, below " +
			"group_by. to_table keeps the latest value of a key and has no windows.",
		Wrong: `table "counts" {
  from = stream.orders
  emit = "final"
  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  group_by { key = value.customer_id }
  count {}
}
`,
		Right: `table "counts" {
  from = stream.orders
  emit = "final"
  group_by { key = value.customer_id }
  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
}
`,
	},
	{
		ID:    "SG1122",
		Title: "a block has two steps suppress",
		Text:  "A suppress keeps what it holds in a store that has the name of its block, so that editing other parts never renames it. A second one stands in a block of its own.",
		Wrong: `table "calm" {
  from = table.customers
  suppress { time_limit = "10s" }
  suppress { time_limit = "1m" }
}
`,
		Right: `table "calm" {
  from = table.customers
  suppress { time_limit = "1m" }
}
`,
	},
	{
		ID:    "SG1120",
		Title: "a block has two steps dedup",
		Text:  "A dedup keeps what passed in a store that has the name of its block, so that editing other parts never renames it. A second one stands in a block of its own.",
		Wrong: `stream "once" {
  from = stream.orders
  dedup {
    by     = value.order_id
    within = "1h"
  }
  dedup {
    by     = value.customer_id
    within = "1m"
  }
}
`,
		Right: `stream "once" {
  from = stream.orders
  dedup {
    by     = value.order_id
    within = "1h"
  }
}
stream "calm" {
  from = stream.once
  dedup {
    by     = value.customer_id
    within = "1m"
  }
}
`,
	},
	{
		ID:    "SG1123",
		Title: "groups of rows that nothing is made of",
		Text:  "group_by of a table gives each row to a group. What a group is, the making step directly below says.",
		Wrong: `table "by_name" {
  from = table.customers
  group_by { key = value.name }
}
`,
		Right: `table "by_name" {
  from = table.customers
  group_by { key = value.name }
  count {}
}
`,
	},
}
