package diag

// codes10 are mistakes of writing, found before anything has a meaning.
var codes10 = []Code{
	{
		ID:    "SG1001",
		Title: "the text is not HCL",
		Text:  "The file cannot be read as blocks and attributes. The message says what was expected at that place.",
		Wrong: `stream "orders" {
  topic "orders"
}
`,
		Right: `stream "orders" {
  topic = "orders"
}
`,
	},
	{
		ID:    "SG1002",
		Title: "the file is not UTF-8",
		Text: "A spec is UTF-8. A byte order mark at the very beginning is ignored; one anywhere else, UTF-16 and UTF-32 are " +
			"refused, because nobody can see them and each tool would read them differently. Save the file as UTF-8.",
	},
	{
		ID:    "SG1003",
		Title: "an invisible character",
		Text: "Control characters and those that turn the direction of text make a spec look different from what it says. In a " +
			"string they can be written as an escape, such as \"\\u202e\".",
	},
	{
		ID:    "SG1004",
		Title: "a bracket, quote or heredoc without its other end",
		Text:  "Each of ( [ { \" ${ and <<NAME needs its closing partner. The message points at the one that was opened.",
		Wrong: `stream "big" {
  from = stream.orders
  filter { where = (value.amount > 50 }
}
`,
		Right: `stream "big" {
  from = stream.orders
  filter { where = (value.amount > 50) }
}
`,
	},
	{
		ID:    "SG1005",
		Title: "nested too deeply",
		Text:  "No spec that people write is nested this deeply. Give parts of it names in locals.",
	},
	{
		ID:    "SG1006",
		Title: "an attribute is written twice",
		Text:  "Each attribute of a block may be set once: with two, one of them would be ignored.",
		Wrong: `stream "orders" {
  topic = "orders"
  topic = "orders-v2"
}
`,
		Right: `stream "orders" {
  topics = ["orders", "orders-v2"]
}
`,
	},
	{
		ID:    "SG1007",
		Title: "an object key is written twice",
		Text:  "Each key of an object may be set once: with two, one of them would be ignored.",
		Wrong: `stream "totals" {
  from = stream.orders
  map_values { value = { total = 1, total = 2 } }
}
`,
		Right: `stream "totals" {
  from = stream.orders
  map_values { value = { total = 1, items = 2 } }
}
`,
	},
	{
		ID:    "SG1008",
		Title: "a name with letters outside of ASCII",
		Text: "Names become Go names, topics and store names, and letters that look alike must not be different names. Names " +
			"consist of a-z, A-Z, 0-9, _ and -. Texts and comments may hold any letter; a JSON field with another name is " +
			"mapped with json(T, { rename = { … } }).",
		Wrong: `type "Person" {
  größe = int64
}
`,
		Right: `type "Person" {
  height = int64
}
`,
	},
	{
		ID:    "SG1009",
		Title: "a label that is empty or stands without quotes",
		Text:  "A label is the identity of a block: physical names come from it. It is written in quotes and not empty.",
		Wrong: `stream "" {
  topic = "orders"
}
`,
		Right: `stream "orders" {
  topic = "orders"
}
`,
	},
	{
		ID:    "SG1010",
		Title: "an object key is neither a word, a string nor in parentheses",
		Text:  "A key of an object is a word or a string. A computed key stands in parentheses.",
		Wrong: `stream "totals" {
  from = stream.orders
  map_values { value = { value.name = 1 } }
}
`,
		Right: `stream "totals" {
  from = stream.orders
  map_values { value = { name = 1 } }
}
`,
	},
	{
		ID:    "SG1011",
		Title: "a part of HCL that the language does not have",
		Text: "Template directives (%{ if }), f(list...), names with ::, grouping in for expressions and list.0 have clearer " +
			"ways to be written, which the message names.",
		Wrong: `stream "greetings" {
  from = stream.orders
  map_values { value = "%{ if value.big }big%{ else }small%{ endif }" }
}
`,
		Right: `stream "greetings" {
  from = stream.orders
  map_values { value = value.big ? "big" : "small" }
}
`,
	},
	{
		ID:    "SG1012",
		Title: "there is no topology",
		Text:  "A program is all *.hcl files of a directory (but *_test.hcl and streamgen.lock.hcl). Here are none, or nothing stands in them.",
	},
	{
		ID:    "SG1013",
		Title: "an attribute outside of a block",
		Text:  "At the top of a file stand blocks only. Values that have a name of their own go into locals or variable.",
		Wrong: `limit = 5
`,
		Right: `locals {
  limit = 5
}
`,
	},
	{
		ID:    "SG1014",
		Title: "a file cannot be read",
		Text:  "The operating system refused to read a file of the program. The message has its reason.",
	},
}
