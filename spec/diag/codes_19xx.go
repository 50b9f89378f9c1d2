package diag

// codes19 are warnings.
var codes19 = []Code{
	{
		ID:    "SG1901",
		Title: "state that grows without bound",
		Text: "A table keeps a row for each key that it ever saw. With ttl, rows end that nothing has touched for that long. Or it may be right, if keys " +
			"are few; the reason is then written down, for the one who looks for disk space later: unbounded = \"one row a shop, of which there are few\".",
		Wrong: `table "counts" {
  from = stream.orders
  count {}
}
`,
		Right: `table "counts" {
  from = stream.orders
  count {}
  store "counts" { ttl = "90d" }
}
`,
	},
	{
		ID:    "SG1902",
		Title: "final results of a source that may fall silent",
		Text: "Stream time moves with records. Where none come any more, the last windows stay open, and their results wait for the next record. " +
			"With idle the wall clock lets time pass; \"never\" says that waiting is meant.",
		Wrong: `stream "logins" {
  topic = "logins"
  key   = string
  value = string

  time { max_future = "1h" }
}
table "counts" {
  from = stream.logins
  emit = "final"

  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
}
`,
		Right: `stream "logins" {
  topic = "logins"
  key   = string
  value = string

  time {
    max_future = "1h"
    idle       = "30s"
  }
}
table "counts" {
  from = stream.logins
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
		ID:    "SG1903",
		Title: "windows that trust any time",
		Text: "Windows close by the times that records say. A single one with a time far ahead, from a wrong clock or in a wrong unit, closes all " +
			"windows before it, and what comes then is late. max_future makes such a record bad input; \"never\" says that all times are right.",
		Wrong: `stream "logins" {
  topic = "logins"
  key   = string
  value = string
}
table "counts" {
  from = stream.logins
  emit = "every"

  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
}
`,
		Right: `stream "logins" {
  topic = "logins"
  key   = string
  value = string

  time { max_future = "1h" }
}
table "counts" {
  from = stream.logins
  emit = "every"

  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
}
`,
	},
	{
		ID:    "SG1904",
		Title: "something without effect",
		Text: "Nobody reads the block, the type or the variable, a condition is always the same, or a case can take nothing: by itself, or because of " +
			"the filters and cases above. Mostly something else was meant. A condition that a variable decides is left alone: the build chooses.",
		Wrong: `stream "known" {
  from = stream.orders
  filter { where = value.order_id != null }
}
sink "known" {
  from  = stream.known
  topic = "known"
  value = json
}
`,
		Right: `stream "known" {
  from = stream.orders
  filter { where = value.note != null }
}
sink "known" {
  from  = stream.known
  topic = "known"
  value = json
}
`,
	},
	{
		ID:    "SG1905",
		Title: "a step that changes nothing",
		Text:  "The key or the value stays as it is. A select_key would even make a later join or count repartition for it.",
		Wrong: `stream "same" {
  from = stream.orders
  select_key { key = key }
}
`,
		Right: `stream "same" {
  from = stream.orders
  select_key { key = value.customer_id }
}
`,
	},
	{
		ID:    "SG1906",
		Title: "final results the long way",
		Text:  "A suppress directly below the step that makes a windowed table holds each change of a row a second time, until its window closes. With emit = \"final\" the rows wait where they are, and leave at the same moment. Keep it if joins look the rows up and must not see those of windows that are open.",
		Wrong: `table "counts" {
  from = stream.orders
  emit = "every"
  window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
  count {}
  suppress { until = "window_closes" }
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
}
