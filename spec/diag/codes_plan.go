package diag

// codesPlan are mistakes that show once the topology is laid out: names of topics and stores, and what meets by key.
var codesPlan = []Code{
	{
		ID:    "SG1208",
		Title: "a name that cannot be told from another",
		Text: "Fields and enum values become names in Go. Invisible characters, combining marks and letters that are another spelling " +
			"of a plain one would make two names that look alike, or one that is not what it looks like.",
		Wrong: `enum "Place" { values = ["cafe\u0301"] }
type "Visit" { place = Place }
stream "visits" {
  topic = "visits"
  key   = string
  value = json(Visit)
}
sink "out" {
  from  = stream.visits
  topic = "out"
  value = json
}
`,
		Right: `enum "Place" { values = ["cafe"] }
type "Visit" { place = Place }
stream "visits" {
  topic = "visits"
  key   = string
  value = json(Visit)
}
sink "out" {
  from  = stream.visits
  topic = "out"
  value = json
}
`,
	},
	{
		ID:    "SG1210",
		Title: "two stores have one name",
		Text: "A store has the name of its step store, else that of its table, and a changelog by that name. Names of stores are those " +
			"of the whole app, so a table must not have the name that another table's store has.",
		Wrong: `table "people" {
  topic = "people"
  key   = string
  value = string

  store "places" { unbounded = "few" }
}
table "places" {
  topic = "places"
  key   = string
  value = string
}
sink "out" {
  from  = table.places
  topic = "out"
  value = string
}
`,
		Right: `table "people" {
  topic = "people"
  key   = string
  value = string

  store "people" { unbounded = "few" }
}
table "places" {
  topic = "places"
  key   = string
  value = string
}
sink "out" {
  from  = table.places
  topic = "out"
  value = string
}
`,
	},
	{
		ID:    "SG1211",
		Title: "two topics have one name",
		Text: "Internal topics are named by labels: <app>-<store>-changelog, <app>-<label>-repartition. Two of them, or one of them and " +
			"a topic that a source or sink names, must not meet.",
		Wrong: `stream "words" {
  topic = "words"
  key   = string
  value = string
}
table "counts" {
  from = stream.words
  group_by { key = value }
  count {}
}
sink "out" {
  from  = table.counts
  topic = "shop-counts-changelog"
  value = int64
}
`,
		Right: `stream "words" {
  topic = "words"
  key   = string
  value = string
}
table "counts" {
  from = stream.words
  group_by { key = value }
  count {}
}
sink "out" {
  from  = table.counts
  topic = "counts"
  value = int64
}
`,
	},
	{
		ID:    "SG1212",
		Title: "the name of an internal topic is too long",
		Text:  "Kafka allows 249 characters. Internal topics are named by the labels of the app and of the block.",
	},
	{
		ID:    "SG1403",
		Title: "state by key behind a change of the key",
		Text: "A step with state of its own works on one partition. Where the key changed since records were partitioned, equal keys may lie " +
			"in different partitions, so each would remember a part. A repartition above the step brings them together.",
		Wrong: `stream "orders" {
  topic = "orders"
  key   = string
  value = string
}
stream "once" {
  from = stream.orders
  select_key { key = value }
  dedup {
    by     = key
    within = "1h"
  }
}
sink "out" {
  from  = stream.once
  topic = "out"
  value = string
}
`,
		Right: `stream "orders" {
  topic = "orders"
  key   = string
  value = string
}
stream "once" {
  from = stream.orders
  select_key { key = value }
  repartition "by-value" {}
  dedup {
    by     = key
    within = "1h"
  }
}
sink "out" {
  from  = stream.once
  topic = "out"
  value = string
}
`,
	},
	{
		ID:    "SG1404",
		Title: "two sides are partitioned differently",
		Text: "Records of both sides of a join, and of merged streams in front of a step with state, meet by key: equal keys must lie in " +
			"partitions of the same number. Topics with different partitioners do not give that. A repartition on one side writes " +
			"its records anew, by Kafka's own partitioner.",
		Wrong: `stream "clicks" {
  topic       = "clicks"
  key         = string
  value       = string
  partitioner = "crc32"
}
table "users" {
  topic = "users"
  key   = string
  value = string
}
stream "named" {
  from = stream.clicks
  join {
    with  = table.users
    as    = user
    value = user
  }
}
sink "named" {
  from  = stream.named
  topic = "named"
  value = string
}
`,
		Right: `stream "clicks" {
  topic       = "clicks"
  key         = string
  value       = string
  partitioner = "crc32"
}
table "users" {
  topic = "users"
  key   = string
  value = string
}
stream "named" {
  from = stream.clicks
  repartition "by-user" {}
  join {
    with  = table.users
    as    = user
    value = user
  }
}
sink "named" {
  from  = stream.named
  topic = "named"
  value = string
}
`,
	},
	{
		ID:    "SG1405",
		Title: "a topic is read twice",
		Text: "A program reads each topic once and gives the records to all who want them. Read it in one block, and refer to that block " +
			"with from.",
		Wrong: `stream "words" {
  topic = "words"
  key   = string
  value = string
}
stream "again" {
  topic = "words"
  key   = string
  value = string
}
stream "both" { from = [stream.words, stream.again] }
sink "out" {
  from  = stream.both
  topic = "out"
  value = string
}
`,
		Right: `stream "words" {
  topic = "words"
  key   = string
  value = string
}
stream "loud" {
  from = stream.words
  map_values { value = upper(value) }
}
stream "both" { from = [stream.words, stream.loud] }
sink "out" {
  from  = stream.both
  topic = "out"
  value = string
}
`,
	},
	{
		ID:    "SG1406",
		Title: "two sides have different partition counts",
		Text: "Records of both sides meet by key, and equal keys lie in equal partitions only if both sides have as many. Give both " +
			"repartitions the same number, or leave it out on one side: it then takes that of the other.",
		Wrong: `stream "words" {
  topic = "words"
  key   = string
  value = string
}
stream "names" {
  topic = "names"
  key   = string
  value = string
}
table "last" {
  from = stream.words
  repartition "one" { partitions = 3 }
  to_table {}
}
stream "both" {
  from = stream.names
  repartition "two" { partitions = 4 }
  join {
    with  = table.last
    as    = last
    value = last
  }
}
sink "out" {
  from  = stream.both
  topic = "out"
  value = string
}
`,
		Right: `stream "words" {
  topic = "words"
  key   = string
  value = string
}
stream "names" {
  topic = "names"
  key   = string
  value = string
}
table "last" {
  from = stream.words
  repartition "one" { partitions = 3 }
  to_table {}
}
stream "both" {
  from = stream.names
  repartition "two" {}
  join {
    with  = table.last
    as    = last
    value = last
  }
}
sink "out" {
  from  = stream.both
  topic = "out"
  value = string
}
`,
	},
	{
		ID:    "SG1407",
		Title: "nothing says how many partitions a repartition has",
		Text: "A repartition has as many partitions as the topics it comes from. Which topics a topic_pattern matches is known only when " +
			"the program runs, so behind one the number must be written: repartition \"x\" { partitions = 12 }.",
		Wrong: `stream "logs" {
  topic_pattern = "logs-.*"
  key           = string
  value         = string
}
table "counts" {
  from = stream.logs
  group_by { key = value }
  count {}
}
`,
		Right: `stream "logs" {
  topic_pattern = "logs-.*"
  key           = string
  value         = string
}
table "counts" {
  from = stream.logs
  select_key { key = value }
  repartition "by-value" { partitions = 12 }
  count {}
}
`,
	},
	{
		ID:    "SG1410",
		Title: "where a record was read from is not known here",
		Text: "topic, partition and offset are those of the record that a source read. A repartition writes a record anew, and what a table " +
			"gives are rows, made of many records: behind these nobody knows. What is needed there has to be kept in the value, or in a header.",
		Wrong: `stream "names" {
  topic = "names"
  key   = string
  value = string
}
stream "sized" {
  from = stream.names
  repartition "by-name" {}
  filter { where = partition == 0 }
}
sink "out" {
  from  = stream.sized
  topic = "out"
  value = string
}
`,
		Right: `stream "names" {
  topic = "names"
  key   = string
  value = string
}
stream "sized" {
  from = stream.names
  filter { where = partition == 0 }
  repartition "by-name" {}
}
sink "out" {
  from  = stream.sized
  topic = "out"
  value = string
}
`,
	},
}
