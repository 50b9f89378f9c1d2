package diag

// codes18 are mistakes of wire formats.
var codes18 = []Code{
	{
		ID:    "SG1801",
		Title: "a sink's format does not fit what arrives",
		Text:  "A format writes one type. The conversion is a step, so that it can be seen.",
		Wrong: `sink "out" {
  from  = stream.amounts
  topic = "out"
  value = string
}
`,
		Right: `sink "out" {
  from  = stream.amounts
  topic = "out"
  value = int64
}
`,
	},
	{
		ID:    "SG1802",
		Title: "two sinks of one topic do not agree on what the broker refuses",
		Text:  "The policy for refused records is the topic's: which sink has written a record that is refused is not known. The word dead_letter alone speaks of them, too.",
		Wrong: `app "shop" {
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
  dead_letter_topic    = "shop-dead-letters"
}
sink "amounts" {
  from     = stream.amounts
  topic    = "out"
  value    = int64
  on_error = "dead_letter"
}
sink "more" {
  from  = stream.amounts
  topic = "out"
  value = int64
}
`,
		Right: `app "shop" {
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
  dead_letter_topic    = "shop-dead-letters"
}
sink "amounts" {
  from     = stream.amounts
  topic    = "out"
  value    = int64
  on_error = "dead_letter"
}
sink "more" {
  from     = stream.amounts
  topic    = "out"
  value    = int64
  on_error = { sink = "dead_letter" }
}
`,
	},
}
