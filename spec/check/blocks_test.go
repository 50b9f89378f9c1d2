package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
)

// Each mistake of blocks gives one error, which says what is wrong. S03: the settings of app and of steps are of one type each.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ spec, code, summary string }{
		// app
		{`app "shop" {
			processing_guarantee = exactly_once_v2
			start = "earliest"
		}`, "SG1112", `"exactly_once_v2" is a text and needs quotes`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "yesterday"
		}`, "SG1112", `"start" cannot be "yesterday"`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "-5m"
		}`, "SG1112", `"start" must not be negative or longer than 292 years`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "latest"
			commit_interval = "0s"
		}`, "SG1112", `"commit_interval" must be longer than 0`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "latest"
			commit_interval = 100
		}`, "SG1301", `"commit_interval" must be duration, is int64`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "latest"
			replication_factor = 0
		}`, "SG1112", `"replication_factor" must be between 1 and 32767, is 0`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "latest"
			topic_config = "x"
		}`, "SG1112", `"topic_config" must be names and texts in braces`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "latest"
			topic_config = { "segment.bytes" = 5 }
		}`, "SG1301", `"segment.bytes" must be string, is int64`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "latest"
			on_error = "ignore"
		}`, "SG1112", `"on_error" cannot be "ignore"`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "latest"
			on_error = { bad_data = "skip" }
		}`, "SG1101", `there is no class of failure "bad_data"`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "latest"
			on_error = { sink = "skip" }
		}`, "SG1112", `a record that the broker refuses cannot be skipped`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "latest"
			on_error = 5
		}`, "SG1301", `"on_error" must be a text or an object by class, is int64`},
		{`app "shop" {
			processing_guarantee = "exactly_once_v2"
			start = "latest"
			filter { where = true }
		}`, "SG1101", `app "shop" has no block "filter"`},

		// types, enums
		{`type "X" {}`, "SG1102", `type "X" needs at least one field`},
		{"type \"X\" {\n field \"a\" {}\n}", "SG1101", `type "X" has no block "field"`},
		{`type "x" { a = string }`, "SG1207", `"x" cannot be the name of a type`},
		{`enum "x" { values = ["a"] }`, "SG1207", `"x" cannot be the name of an enum`},
		{`type "X" { a = "string" }`, "SG1201", `a type is written without quotes`},
		{`type "X" { a = strin }`, "SG1201", `there is no type "strin"`},
		{`type "X" { a = Ordr }`, "SG1201", `there is no type "Ordr"`},
		{`type "X" { a = { b = string } }`, "SG1201", `a record in a record is a type of its own`},
		{`type "X" { a = optional(string, int64) }`, "SG1308", `optional takes one type, is given 2`},
		{`type "X" { a = optional(optional(string)) }`, "SG1308", `optional does not nest`},
		{`type "X" { a = 5 }`, "SG1201", `a type is expected here`},
		{`type "X" { a = windowed(string) }`, "SG1315", `windowed is the type of a key, and no part of a value`},
		{`type "X" { a = map(string, strng) }`, "SG1201", `there is no type "strng"`},
		{`type "X" { a = map(int64, string) }`, "SG1308", `the keys of a map are strings, not int64`},
		{`type "X" { a = map(string) }`, "SG1308", `map takes string and the type of its values, is given 1`},
		{`type "X" { a = list(string, string) }`, "SG1308", `list takes one type, is given 2`},
		{`type "X" { a = list }`, "SG1308", `list needs to know of what`},
		{`type "X" { a = decimal }`, "SG1308", `decimal needs to know of what`},
		{`type "X" { a = decimal(39, 2) }`, "SG1308", `a decimal has 1 to 38 digits, not 39`},
		{`type "X" { a = decimal(5, 6) }`, "SG1308", `of 5 digits 0 to 5 stand behind the point, not 6`},
		{`type "X" { a = decimal(5) }`, "SG1308", `decimal takes its digits, and how many of them stand behind the point`},
		{`type "X" { a = map(string, list(optional(X))) }`, "SG1206", `X holds X`},
		{`variable "x" { type = optional(string) }`, "SG1112", `a variable has a value: it is never optional`},
		{"variable \"x\" {\n type = decimal(4, 2)\n default = 1.005\n}", "SG1305", `1.005 does not fit decimal(4, 2)`},
		{"stream \"x\" {\n from = stream.orders\n flat_map_values { each = value.note }\n}", "SG1301", `"each" must be a list, is optional(string)`},
		{"stream \"x\" {\n from = stream.orders\n flat_map_values { each = [] }\n}", "SG1312", `nothing says what type the elements of [] have`},
		{"stream \"x\" {\n from = stream.orders\n flat_map { each = [1] }\n}", "SG1301", `the elements of "each" must be records with a key and a value, are int64`},
		{"stream \"x\" {\n from = stream.orders\n flat_map { each = [{ id = 1 }] }\n}", "SG1301", `the elements of "each" must have a key or a value, have { id = int64 }`},
		{"stream \"x\" {\n from = stream.orders\n flat_map { each = [{ key = 1, extra = 2 }] }\n}", "SG1301", `a record has key, value, timestamp and headers, no "extra"`},
		{"stream \"x\" {\n from = stream.orders\n flat_map { each = [{ key = 1, timestamp = 2 }] }\n}", "SG1301", `timestamp must be timestamp, is int64`},
		{"stream \"x\" {\n from = stream.orders\n flat_map { each = [{ key = 1, headers = { a = 2 } }] }\n}", "SG1301", `header "a" must be bytes, is int64`},
		{"stream \"x\" {\n from = stream.orders\n flat_map { each = [{ key = 1, headers = 2 }] }\n}", "SG1301", `headers must be names and values in braces, are int64`},
		{`type "X" { go = "example.com/shop.X" }`, "SG1702", `no Go code can be read here`},
		{"type \"X\" {\n order_id = string\n orderID = string\n}", "SG1203", `two fields of X have the Go name OrderID: "order_id" and "orderID"`},
		{`enum "X" { values = [] }`, "SG1112", `"values" must be a list of texts`},
		{`enum "X" { values = ["a", 5] }`, "SG1112", `a value of an enum is a text that is not empty`},
		{`enum "X" { values = ["a", "a"] }`, "SG1203", `X has the value "a" twice`},
		{`enum "Order" { values = ["a"] }`, "SG1203", `there are two types with the name "Order"`},

		// variables, locals
		{"variable \"v\" {\n type = list(string)\n runtime = true\n default = [upper(\"a\")]\n}", "SG1111", `"default" must be made of constants`},
		{"variable \"v\" {\n type = list(string)\n}", "SG1115", `variable "v" has no value`},
		{"variable \"v\" {\n type = list(string)\n default = [upper(\"a\")]\n}", "SG1111", `"default" must be made of constants`},
		{"variable \"v\" {\n type = list(int64)\n default = [\"a\"]\n}", "SG1301", `"default" must be list(int64), is list(string)`},
		{"variable \"v\" {\n type = int64\n default = \"x\"\n}", "SG1301", `"default" must be int64, is string`},
		{"variable \"v\" {\n type = int64\n default = var.w\n}", "SG1201", `there is no variable "w"`},
		{`locals { x = value.amount }`, "SG1204", `unknown name "value"`},
		{"locals {\n inner {}\n}", "SG1101", `locals has no block "inner"`},
		{`locals "x" { a = 1 }`, "SG1110", `locals has no label`},

		// sources
		{`stream "x" {}`, "SG1102", `stream "x" needs "topic" or "from": where its records come from`},
		{`stream {}`, "SG1110", `stream needs one label, has 0`},
		{"stream \"x\" {\n topic = \"a\"\n topics = [\"b\"]\n value = string\n}", "SG1113", `"topic" and "topics" exclude each other`},
		{"stream \"x\" {\n topics = \"b\"\n value = string\n}", "SG1112", `"topics" must be a list of names`},
		{"stream \"x\" {\n topics = [\"b\", \"b\"]\n value = string\n}", "SG1203", `the topic "b" stands here twice`},
		{"stream \"x\" {\n topic_pattern = \"[\"\n value = string\n}", "SG1309", "\"[\" is no regular expression: missing closing ]: `[`"},
		{"stream \"x\" {\n topic = \"a b\"\n value = string\n}", "SG1112", `"a b" cannot be the name of a topic`},
		{"stream \"x\" {\n topic = \"a\"\n value = json\n}", "SG1308", `json needs the type that it carries`},
		{"stream \"x\" {\n topic = \"a\"\n value = json(string)\n}", "SG1308", `json carries a record, string is none`},
		{"stream \"x\" {\n topic = \"a\"\n value = json(optional(Order))\n}", "SG1308", `json carries a record, optional(Order) is none`},
		{"stream \"x\" {\n topic = \"a\"\n value = Order\n}", "SG1201", `there is no format "Order"`},
		{"stream \"x\" {\n topic = \"a\"\n value = \"string\"\n}", "SG1201", `a format is written without quotes`},
		{"stream \"x\" {\n topic = \"a\"\n value = string(5)\n}", "SG1308", `the format string takes no arguments`},
		{"stream \"x\" {\n topic = \"a\"\n value = json(Order, 1)\n}", "SG1308", `the options of json stand in braces`},
		{"stream \"x\" {\n topic = \"a\"\n value = json(Order, {}, 1)\n}", "SG1308", `json takes a type and options, is given 3 arguments`},
		{"stream \"x\" {\n topic = \"a\"\n value = json(Order, { tims = 1 })\n}", "SG1101", `json has no option "tims"`},
		{"stream \"x\" {\n topic = \"a\"\n value = json(Order, { times = \"unix\" })\n}", "SG1112", `"times" cannot be "unix"`},
		{"locals { k = \"keep\" }\nstream \"x\" {\n topic = \"a\"\n value = json(Order, { unknown = local.k })\n}", "SG1111", `"unknown" is written out: it is part of the type`},
		{"stream \"x\" {\n topic = \"a\"\n value = json(Order, { rename = { \"…\" = \"x\" }, unknown = \"keep\" })\n}", "SG1202", `Order has no field "…"`},
		{"stream \"x\" {\n from = stream.orders\n map_values { value = merge(value, { \"…\" = \"x\" }) }\n}", "SG1311", `"…" stands for the fields that a record came with and its type does not have: they cannot be set`},
		{"stream \"x\" {\n topic = \"a\"\n value = json(Order, { rename = { orderid = \"x\" } })\n}", "SG1202", `Order has no field "orderid"`},
		{"stream \"x\" {\n topic = \"a\"\n value = json(Order, { rename = { \"amount.x\" = \"x\" } })\n}", "SG1202", `int64 has no fields: there is no "x" in it`},
		{"stream \"x\" {\n topic = \"a\"\n value = json(Order, { rename = { order_id = \"amount\" } })\n}", "SG1203", `two fields of Order have the name "amount" on the wire: "order_id" and "amount"`},
		{"stream \"x\" {\n topic = \"a\"\n value = avro(\"x\")\n}", "SG1199", `the format avro is not available yet`},
		{"stream \"x\" {\n topic = \"a\"\n value = string\n emit = \"every\"\n}", "SG1101", `stream "x" has no attribute "emit"`},
		{"stream \"x\" {\n from = stream.orders\n value = string\n}", "SG1101", `stream "x" has no attribute "value"`},
		{"table \"x\" {\n topic = \"a\"\n key = string\n value = string\n emit = \"every\"\n}", "SG1101", `table "x" has no attribute "emit"`},
		{"table \"x\" {\n topic = \"a\"\n key = string\n value = string\n start = \"latest\"\n}", "SG1101", `table "x" has no attribute "start"`},
		{"table \"x\" {\n topic = \"a\"\n value = string\n}", "SG1102", `table "x" needs "key": the format of keys`},
		{"table \"x\" {\n topic = \"a\"\n key = optional(string)\n value = string\n}", "SG1114", `the key of a table is never optional: a record without a key has no row`},
		{"table \"x\" {\n topic = \"a\"\n key = string\n value = string\n count {}\n}", "SG1107", `table.x is a table already: its topic makes it`},
		{"table \"x\" {\n topic = \"a\"\n key = string\n value = string\n group_by { key = value }\n count {}\n}", "SG1107", `table.x is a table already: its topic makes it`},

		// references
		{`stream "x" { from = stream.orders.late }`, "SG1201", `stream.orders has no part "late"`},
		{`stream "x" { from = sink.s }
		sink "s" {
			from = stream.orders
			topic = "t"
			value = json
		}`, "SG1201", `sink.s is an end: nothing can be read from it`},
		{`stream "x" { from = [] }`, "SG1112", `"from" needs at least one block`},
		{`stream "x" { from = 5 }`, "SG1201", `a reference is expected here`},
		{`table "x" { from = [stream.orders, stream.orders] }`, "SG1112", `a table has one "from"`},
		{`stream "x" { from = branch.b }
		branch "b" {
			from = stream.orders
			case "c" { where = value.amount > 5 }
		}`, "SG1201", `branch.b is several streams: name one of its cases`},
		{`stream "x" { from = branch.b.d }
		branch "b" {
			from = stream.orders
			case "c" { where = value.amount > 5 }
		}`, "SG1201", `branch.b has no case "d"`},
		{`branch "b" { from = stream.orders }`, "SG1102", `branch "b" needs at least one case`},
		{"branch \"b\" {\n from = stream.orders\n case \"c\" { where = value.amount > 5 }\n case \"c\" { where = true }\n}", "SG1203", `there are two cases with the name "c"`},

		// time
		{"stream \"x\" {\n topic = \"x\"\n value = json(Order)\n time {\n field = value.amount\n }\n}", "SG1301", `the time of a record must be a timestamp, is int64`},
		{"stream \"x\" {\n topic = \"x\"\n value = json(Order)\n time {\n field = value.note\n }\n}", "SG1302", `value.note may be null`},
		{"stream \"x\" {\n topic = \"x\"\n value = json(Order)\n time {\n field = value.order_id\n format = \"unix_ms\"\n }\n}", "SG1301", `the time of a record must be a timestamp, is string`},
		{"stream \"x\" {\n topic = \"x\"\n value = json(Order)\n time {\n field = timestamp\n format = \"unix_ms\"\n }\n}", "SG1113", `a timestamp has no format`},
		{"stream \"x\" {\n topic = \"x\"\n value = json(Order)\n time {\n format = \"unix_ms\"\n }\n}", "SG1113", `"format" says how a field is written, and there is none`},
		{"stream \"x\" {\n topic = \"x\"\n value = json(Order)\n time {\n processing = true\n max_future = \"1h\"\n }\n}", "SG1113", `"max_future" and "processing" exclude each other`},
		{"stream \"x\" {\n topic = \"x\"\n value = json(Order)\n time {\n max_future = \"0s\"\n }\n}", "SG1112", `"max_future" must not be zero: clocks never agree`},
		{"stream \"x\" {\n topic = \"x\"\n value = json(Order)\n time {\n on_invalid = \"drop\"\n }\n}", "SG1112", `"on_invalid" cannot be "drop"`},
		{"stream \"x\" {\n topic = \"x\"\n value = json(Order)\n time {\n idle = \"0s\"\n }\n}", "SG1112", `"idle" must not be zero: each record would be late for the one before`},
		{"stream \"x\" {\n topic = \"x\"\n value = json(Order)\n time {\n field = value.order_id\n format = \"yyyy\"\n }\n}", "SG1309", `"yyyy" is no layout of a time: no part of the reference time stands in it`},

		// steps
		{"stream \"x\" {\n from = stream.orders\n store \"s\" {}\n}", "SG1105", `store is a step of tables`},
		{"stream \"x\" {\n from = stream.orders\n map {}\n}", "SG1102", `map needs at least one of "key", "value", "timestamp" and "headers"`},
		{"stream \"x\" {\n from = stream.orders\n map { key = value.note }\n}", "SG1117", `a map of the key alone is select_key`},
		{"stream \"x\" {\n from = stream.orders\n map { headers = value }\n}", "SG1301", `"headers" must be names and values in braces`},
		{"stream \"x\" {\n from = stream.orders\n map { headers = { a = value.order_id } }\n}", "SG1301", `header "a" must be bytes, is string`},
		{"stream \"x\" {\n from = stream.orders\n map { timestamp = 5 }\n}", "SG1301", `timestamp must be timestamp, is int64`},
		{"stream \"x\" {\n from = stream.orders\n peek {\n message = \"x\"\n level = \"loud\"\n }\n}", "SG1112", `"level" cannot be "loud"`},
		{"stream \"x\" {\n from = stream.orders\n peek { message = value.amount }\n}", "SG1301", `message must be string, is int64`},
		{"stream \"x\" {\n from = stream.orders\n repartition \"r\" { partitions = -1 }\n}", "SG1112", `"partitions" must be between 1 and 100000, is -1`},
		{"stream \"x\" {\n from = stream.orders\n repartition {}\n}", "SG1110", `repartition needs one label, has 0`},
		{"stream \"x\" {\n from = stream.orders\n suppress {}\n}", "SG1105", `suppress is a step of tables`},
		{"stream \"x\" {\n from = stream.orders\n dedup {\n by = value.note\n within = \"0s\"\n }\n}", "SG1112", `"within" must be longer than 0`},
		{"stream \"x\" {\n from = stream.orders\n dedup { within = \"5m\" }\n}", "SG1102", `dedup needs "by": what equal records have in common`},
		{"table \"x\" {\n from = stream.orders\n count { keep_zero = true }\n}", "SG1101", `"keep_zero" has no meaning here`},
		{"table \"x\" {\n from = stream.amounts\n reduce {\n add = agg + value\n remove = agg - value\n }\n}", "SG1101", `"remove" has nothing to take away here`},
		{"table \"x\" {\n from = stream.amounts\n reduce { add = \"x\" }\n}", "SG1301", `"add" must be int64, is string`},
		{"table \"x\" {\n from = stream.orders\n group_by {\n key = value.order_id\n value = 5\n }\n count {}\n}", "SG1101", `"value" has no meaning here`},
		{"table \"x\" {\n from = stream.orders\n count {}\n store \"a\" {}\n store \"b\" {}\n}", "SG1116", `the state above has a name already`},
		{"table \"x\" {\n from = stream.orders\n count {}\n store \"s\" {}\n}\ntable \"y\" {\n from = stream.orders\n count {}\n store \"s\" {}\n}", "SG1203", `there are two stores with the name "s"`},
		{"table \"x\" {\n from = table.customers\n emit = \"every\"\n}", "SG1101", `"emit" has no meaning here`},
		{"table \"x\" {\n from = table.customers\n select_key { key = value.name }\n}", "SG1108", `select_key is no step of a table`},
		{"table \"x\" {\n from = table.customers\n count {}\n}", "SG1107", `table.x is a table already: that which it reads`},
		{"table \"x\" {\n from = table.customers\n group_by { key = value.name }\n to_table {}\n}", "SG1107", `table.x is a table already: that which it reads`},
		{"table \"x\" {\n from = table.customers\n group_by { key = value.name }\n filter { where = key == \"a\" }\n count {}\n}", "SG1123", `rows are grouped here, and nothing is made of the groups`},
		{"table \"x\" {\n from = table.customers\n group_by { key = headers[\"h\"] }\n count {}\n}", "SG1204", `unknown name "headers"`},
		{"table \"x\" {\n from = stream.orders\n count {}\n group_by { key = value }\n count {}\n}", "SG1107", `a table is made once; count at 3`},
		{"table \"x\" {\n from = table.customers\n group_by { key = value.name }\n fold {\n init = 0\n add = agg + 1\n }\n}", "SG1506", `fold behind the group_by of a table needs "remove"`},
		{"table \"x\" {\n from = table.customers\n group_by { key = value.name }\n aggregate { value = last(length(value.name)) }\n}", "SG1507", `last cannot take away what a row added: rows leave their group`},
		{"table \"x\" {\n from = table.customers\n group_by { key = value.name }\n aggregate { value = top_n(value.name, length(key), 3) }\n}", "SG1507", `top_n by another value cannot take away what a row added: rows leave their group`},
		{"table \"x\" {\n from = table.customers\n group_by { key = value.name }\n aggregate { value = collect_set(key, 3) }\n}", "SG1507", `collect_set cannot take away what a row added: rows leave their group`},
		{"table \"x\" {\n from = table.customers\n group_by { key = value.name }\n aggregate {\n value = min(key)\n keep_zero = true\n }\n}", "SG1507", `min of no rows is nothing, and keep_zero keeps groups without rows`},
		{"stream \"named\" {\n from = stream.orders\n map_values { value = key }\n}\ntable \"x\" {\n emit = \"every\"\n window \"tumbling\" {\n size = \"1m\"\n grace = \"0s\"\n }\n cogroup {\n init = 0\n input {\n from = stream.orders\n add = agg + 1\n }\n input {\n from = stream.named\n add = agg + 1\n }\n }\n}\nstream \"l\" { from = table.x.late }", "SG1409", `merged streams must be alike: the inputs of table.x have values of different types`},
		{"table \"x\" {\n from = stream.orders\n aggregate { value = collect_list(key, 0) }\n}", "SG1309", `0 is not between 1 and 100000`},
		{"table \"x\" {\n from = stream.orders\n aggregate { value = distinct(key, length(key)) }\n}", "SG1111", `the bound of distinct must be a constant`},
		{"table \"x\" {\n from = table.customers\n group_by { key = value.name }\n aggregate {\n value = avg(length(value.name))\n keep_zero = true\n }\n}", "SG1507", `avg of no rows is nothing, and keep_zero keeps groups without rows`},
		{"table \"x\" {\n from = stream.orders\n fold {\n init = null\n add = agg\n }\n}", "SG1312", `nothing says what type this null has`},
		{"table \"x\" {\n from = stream.amounts\n fold {\n init = 0\n add = \"x\"\n }\n}", "SG1301", `"add" must be int64, is string`},
		{"table \"x\" {\n from = stream.amounts\n fold {\n init = 0\n add = agg\n merge = left\n }\n}", "SG1101", `"merge" has nothing to merge here`},
		{"table \"x\" {\n from = table.customers\n outer_join {\n with = table.customers\n as = c\n on = value.name\n value = 1\n }\n}", "SG1411", `an outer join meets rows by their keys`},
		{"table \"x\" {\n from = table.customers\n join {\n with = table.customers\n as = c\n on = 5\n value = 1\n }\n}", "SG1401", `keys differ: "on" is int64, the key of table.customers is string at 35:11`},
		{"table \"x\" {\n from = table.customers\n join {\n with = table.customers\n as = c\n grace = \"5m\"\n value = 1\n }\n}", "SG1101", `a join of tables has no "grace": the rows of the moment meet`},
		{"table \"x\" {\n from = table.customers\n map_values { value = int64(value.name) }\n}", "SG1330", `this can fail (not a number) and nothing says what then`},

		// cogroup, sessions, suppress
		{"table \"x\" {\n cogroup {\n init = 0\n input {\n from = stream.orders\n add = agg + value.amount\n }\n }\n}", "SG1102", `cogroup needs at least two blocks "input"`},
		{"table \"x\" {\n topic = \"x\"\n key = string\n value = string\n reuse_source = true\n time {\n max_future = \"1h\"\n }\n}", "SG1113", `"reuse_source" and "max_future" exclude each other: the time of a row is not that of its record in the topic`},
		{"table \"x\" {\n topic = \"x\"\n key = string\n value = string\n reuse_source = true\n store \"x\" { history = \"1h\" }\n}", "SG1113", `"reuse_source" and "history" exclude each other: a topic that is compacted keeps no history`},
		{"table \"x\" {\n from = stream.orders\n cogroup {\n init = 0\n input {\n from = stream.orders\n add = agg\n }\n input {\n from = stream.orders\n add = agg\n }\n }\n}", "SG1113", `"from" and cogroup exclude each other`},
		{"stream \"n\" {\n from = stream.orders\n select_key { key = value.amount }\n}\ntable \"x\" {\n emit = \"every\"\n cogroup {\n init = 0\n input {\n from = stream.orders\n add = agg + 1\n }\n input {\n from = stream.n\n add = agg + 1\n }\n }\n}", "SG1401", `keys differ: int64 here, string in the first input`},
		{"table \"x\" {\n emit = \"every\"\n filter { where = true }\n cogroup {\n init = 0\n input {\n from = stream.orders\n add = agg + 1\n }\n input {\n from = stream.orders\n add = agg + 1\n }\n }\n}", "SG1108", `filter stands above the cogroup, where there are no records yet`},
		{"table \"x\" {\n emit = \"every\"\n window \"session\" {\n gap = \"1s\"\n grace = \"0s\"\n }\n cogroup {\n init = 0\n input {\n from = stream.orders\n add = agg + 1\n }\n input {\n from = stream.orders\n add = agg + 1\n }\n }\n}", "SG1505", `sessions that meet must be merged, and cogroup in a session window has no "merge"`},
		{"table \"x\" {\n from = table.customers\n suppress {}\n}", "SG1102", `suppress needs "until" or "time_limit": when changes leave`},
		{"table \"x\" {\n from = table.customers\n suppress {\n until = \"window_closes\"\n time_limit = \"1s\"\n }\n}", "SG1113", `a change leaves when its window closes, or after a time: "until" and "time_limit" exclude each other`},
		{"table \"x\" {\n from = table.customers\n suppress { until = \"window_closes\" }\n}", "SG1502", `table.x has no windows`},
		{"table \"x\" {\n from = table.customers\n suppress {\n time_limit = \"1s\"\n max_records = 2\n }\n}", "SG1102", `suppress with a bound needs "when_full": what happens to a change that does not fit`},
		{"table \"x\" {\n from = table.customers\n suppress {\n time_limit = \"1s\"\n when_full = \"stop\"\n }\n}", "SG1101", `"when_full" has no meaning without a bound`},
		{"table \"x\" {\n from = table.customers\n suppress {\n time_limit = \"1s\"\n max_bytes = \"2 MB\"\n when_full = \"stop\"\n }\n}", "SG1112", `"2 MB" is not a size`},

		// joins
		{"stream \"x\" {\n from = stream.orders\n join {\n with = table.customers\n as = \"c\"\n value = c\n }\n}", "SG1112", `"as" must be a name`},
		{"stream \"x\" {\n from = stream.orders\n join {\n with = table.customers\n as = key\n value = 1\n }\n}", "SG1205", `"key" has a meaning of its own here`},
		{"stream \"x\" {\n from = stream.orders\n join {\n with = table.customers\n as = Cust\n value = 1\n }\n}", "SG1207", `"Cust" cannot be the label of a join`},
		{"stream \"x\" {\n from = stream.orders\n join {\n with = table.customers\n as = c\n value = value\n }\n join {\n with = table.customers\n as = c\n value = c\n }\n}", "SG1205", `"c" already names an earlier join of this block`},
		{"stream \"x\" {\n from = stream.orders\n join {\n with = stream.names\n as = c\n before = \"1m\"\n after = \"1m\"\n value = 1\n }\n}", "SG1102", `a join of two streams needs "grace": how long after its window a record that came late is still met`},
		{"stream \"x\" {\n from = stream.orders\n left_join {\n with = stream.amounts\n as = c\n before = \"1m\"\n after = \"-2m\"\n grace = \"0s\"\n value = 1\n }\n}", "SG1510", `no record can be met: the window ends before it begins`},
		{"stream \"x\" {\n from = stream.orders\n outer_join {\n with = stream.amounts\n as = c\n before = \"0s\"\n after = \"0s\"\n grace = \"0s\"\n value = 1\n }\n}", "SG1511", `no record can be met: nothing is held for any time`},
		{"stream \"x\" {\n from = stream.orders\n join {\n with = stream.amounts\n as = c\n before = \"1m\"\n after = \"1m\"\n grace = \"1m\"\n on = value.note\n value = 1\n }\n}", "SG1402", `streams meet by their keys`},
		{"stream \"x\" {\n from = stream.orders\n outer_join {\n with = table.customers\n as = c\n value = 1\n }\n}", "SG1512", `a stream has no outer join with a table`},
		{"stream \"x\" {\n from = stream.orders\n join {\n with = stream.nothing\n as = c\n before = \"1m\"\n after = \"1m\"\n grace = \"1m\"\n value = 1\n }\n}", "SG1201", `there is no stream "nothing"`},
		{"stream \"x\" {\n from = stream.orders\n join {\n with = stream.x\n as = c\n before = \"1m\"\n after = \"1m\"\n grace = \"1m\"\n value = 1\n }\n}", "SG1206", `stream.x reads stream.x`},
		{"stream \"x\" {\n from = stream.orders\n join {\n with = stream.amounts\n as = c\n before = \"1m\"\n after = \"1m\"\n grace = \"-1m\"\n value = 1\n }\n}", "SG1112", `"grace" must not be negative or longer than 292 years`},
		{"stream \"x\" {\n from = stream.orders\n join {\n with = table.customers\n as = c\n before = \"1m\"\n value = c\n }\n}", "SG1101", `a join with a table has no "before": the row of the moment is met`},
		{"stream \"x\" {\n from = stream.orders\n left_join {\n with = table.customers\n as = c\n value = c.name\n }\n}", "SG1302", `c may be null`},

		// sinks
		{"sink \"s\" {\n from = [stream.orders]\n topic = \"t\"\n value = json\n}", "SG1112", `a sink has one "from"`},
		{"sink \"s\" {\n from = stream.orders\n topic = \"t-${value.order_id}\"\n value = json\n}", "SG1102", `sink "s" needs "topics": all that "topic" may give`},
		{"sink \"s\" {\n from = stream.orders\n topics = [\"big\", \"small\"]\n topic = value.amount > 5 ? \"bug\" : \"small\"\n value = json\n}", "SG1112", `"bug" is none of the topics`},
		{"sink \"s\" {\n from = stream.orders\n topics = [\"a\", \"b\"]\n topic = \"a\"\n value = json\n}", "SG1113", `the topic is always "a": there is nothing to choose from`},
		{"sink \"s\" {\n from = stream.orders\n topics = [\"a\", \"a\"]\n topic = value.order_id\n value = json\n}", "SG1203", `the topic "a" stands here twice`},
		{"sink \"s\" {\n from = stream.orders\n topics = [\"a\"]\n topic = value.note\n value = json\n}", "SG1302", `topic is string, but value.note may be null`},
		{"sink \"s\" {\n from = stream.orders\n topic = \"t\"\n value = json\n partition = key\n}", "SG1301", `partition must be int64, is string`},
		{"sink \"s\" {\n from = stream.orders\n topic = \"t\"\n value = json\n partition = -1\n}", "SG1112", `"partition" must not be negative, is -1`},
		{"sink \"s\" {\n from = stream.orders\n topic = \"t\"\n value = json\n partition = int64(key)\n}", "SG1330", `this can fail (not a number) and nothing says what then`},
		{"sink \"s\" {\n from = stream.orders\n topic = \"t\"\n value = string\n}", "SG1801", `the sink writes string, the value is Order`},
		{"sink \"s\" {\n from = stream.amounts\n topic = \"t\"\n value = json\n}", "SG1801", `the sink writes json, the value is int64`},
		{"sink \"s\" {\n from = stream.amounts\n topic = \"t\"\n value = json(Order)\n}", "SG1801", `the sink writes json(Order), the value is int64`},
		{"sink \"s\" {\n from = stream.amounts\n topic = \"t\"\n key = int64\n value = int64\n}", "SG1801", `the sink writes int64, the key is string`},
		{"stream \"x\" {\n from = stream.orders\n select_key { key = value.tier }\n}\nsink \"s\" {\n from = stream.x\n topic = \"t\"\n value = json\n}", "SG1102", `sink "s" needs "key": the key is Tier and has no format of its own`},
		{"stream \"x\" {\n from = stream.orders\n select_key { key = value }\n}\nsink \"s\" {\n from = stream.x\n topic = \"t\"\n value = json\n}", "SG1102", `sink "s" needs "key": the key is Order and has no format of its own`},
		{"sink \"s\" {\n from = stream.orders\n topic = \"t\"\n value = json(Customer)\n}", "SG1310", `field "order_id" is not in Customer`},
	} {
		_, diags := check.Check(withPrelude(t, c.spec), check.Options{})
		var errors []string
		for _, d := range diags {
			if d.Severity == diag.Error {
				errors = append(errors, d.Code+" "+d.Summary)
			}
		}
		if want := []string{c.code + " " + c.summary}; !slices.Equal(errors, want) {
			t.Errorf("%s\ngot  %s\nwant %s", c.spec, strings.Join(errors, "\n     "), want[0])
		}
	}
}

// Conditions that are always the same are said, as are cases that nothing can reach.
func TestWithoutEffect(t *testing.T) {
	for _, c := range []struct{ spec, summary string }{
		{"stream \"x\" {\n from = stream.orders\n filter { where = true }\n}", "this lets everything through"},
		{"stream \"x\" {\n from = stream.orders\n filter { where = false }\n}", "this lets nothing through"},
		{"stream \"x\" {\n from = stream.orders\n filter_not { where = 1 > 2 }\n}", "this lets everything through"},
		{"branch \"b\" {\n from = stream.orders\n case \"a\" { where = false }\n default \"r\" {}\n}", "this case takes nothing"},
		{"branch \"b\" {\n from = stream.orders\n case \"a\" { where = true }\n case \"b\" { where = value.amount > 5 }\n}", "no record reaches this case: one above takes all"},
		{"branch \"b\" {\n from = stream.orders\n case \"a\" { where = true }\n default \"r\" {}\n}", "nothing is left for this case"},
		{"branch \"b\" {\n from = stream.orders\n case \"a\" { where = value.amount > 5 }\n}", "nothing reads branch.b"},
		{`type "Unused" { a = string }`, "nothing uses the type Unused"},
		{"variable \"v\" {\n type = int64\n default = 5\n}", "nothing uses var.v"},
		{`locals { l = 5 }`, "nothing uses local.l"},
		{"stream \"x\" {\n from = stream.orders\n filter { where = null == null }\n}", "null is null: this is always true"},
	} {
		m, diags := check.Check(withPrelude(t, c.spec), check.Options{})
		found := slices.ContainsFunc(diags, func(d *diag.Diagnostic) bool { return d.Code == "SG1904" && d.Summary == c.summary })
		if m == nil || !found {
			t.Errorf("%s: no warning %q:\n%s", c.spec, c.summary, text(diags))
		}
	}
}

// Values from outside are read by the type of their variable.
func TestVars(t *testing.T) {
	for _, c := range []struct{ typ, given, want string }{
		{"string", "a b", `"a b"`},
		{"bytes", "ab", `bytes "ab"`},
		{"bool", "true", "true"},
		{"bool", "maybe", "--var v=maybe: true or false is expected"},
		{"int32", "7", "int32 7"},
		{"int32", "3000000000", "--var v=3000000000: 3000000000 does not fit int32"},
		{"int64", "x", "--var v=x: x does not fit int64"},
		{"float64", "0.5", "float64 0.5"},
		{"duration", "5m", "duration 300000"},
		{"duration", "5", "--var v=5: a number and a unit are expected"},
		{"timestamp", "1970-01-01T00:00:01Z", "timestamp 1000"},
		{"Tier", "silver", `Tier "silver"`},
		{"float32", "0.5", "float32 0.5"},
		{"decimal(5, 2)", "1.50", "decimal(5, 2) 1.50"},
		{"decimal(5, 2)", "1.505", "--var v=1.505: it does not fit decimal(5, 2)"},
		{"uuid", "123e4567-e89b-12d3-a456-426614174000", "uuid 123e4567-e89b-12d3-a456-426614174000"},
		{"uuid", "123", "--var v=123: it is no uuid"},
		{"Tier", "gold", "--var v=gold: values: bronze, silver, blocked"},
		{"list(Tier)", `["silver", "blocked"]`, `[Tier "silver", Tier "blocked"]`},
		{"list(int64)", `[]`, `[]`},
		{"list(int64)", `[1, "x"]`, `--var v=[1, "x"]: the elements of a list have one type, here are int64 and string`},
		{"list(int64)", `[1`, "--var v=[1: this [ is not closed"},
		{"list(int64)", "[1]\n}\nenum \"x\" {\n  values = [\"a\"]", "--var v=[1]\n}\nenum \"x\" {\n  values = [\"a\"]: one value is expected, written as in a spec"},
		{"map(string, duration)", `{ a = "5m", "b c" = "1s" }`, `map{"a" = duration 300000, "b c" = duration 1000}`},
		{"list(int64)", `[length("a")]`, `--var v=[length("a")]: it must be made of constants`},
	} {
		p := withPrelude(t, "variable \"v\" { type = "+c.typ+" }")
		m, diags := check.Check(p, check.Options{Vars: map[string]string{"v": c.given}})
		got := ""
		if m != nil {
			got = model.DumpExpr(m.Variables[0].Default)
		} else {
			got = diags[0].Summary
		}
		if got != c.want {
			t.Errorf("%s=%s: got %s, want %s", c.typ, c.given, got, c.want)
		}
	}
	for _, c := range []struct{ spec, given, want string }{
		{"variable \"limit\" {\n type = int64\n default = 1\n}", "limti", `there is no variable "limti" to set`},
		{"variable \"limit\" {\n type = int64\n runtime = true\n}", "limit", `variable "limit" is read when the program starts, not set by the build`},
	} {
		_, diags := check.Check(withPrelude(t, c.spec), check.Options{Vars: map[string]string{c.given: "1"}})
		if errors := errorCodes(diags); !slices.Equal(errors, []string{"SG1115"}) || !strings.Contains(text(diags), c.want) {
			t.Errorf("%s: %s", c.spec, text(diags))
		}
	}
}

// The environment gives a variable its value where the command line does not; that of a running program is not looked at.
func TestVarsFromEnvironment(t *testing.T) {
	const spec = "variable \"low-mark\" {\n type = int64\n default = 1\n runtime = RUNTIME\n}\n"
	for _, c := range []struct{ runtime, given, env, want string }{
		{"false", "", "5", "5"},
		{"false", "7", "5", "7"},
		{"false", "", "", "1"},
		{"false", "", "x5", "STREAMGEN_VAR_LOW_MARK=x5: x5 does not fit int64"},
		{"true", "", "x5", "1"},
	} {
		o := check.Options{Vars: map[string]string{}, Env: func(name string) (string, bool) {
			return c.env, name == "STREAMGEN_VAR_LOW_MARK" && c.env != ""
		}}
		if c.given != "" {
			o.Vars["low-mark"] = c.given
		}
		m, diags := check.Check(withPrelude(t, strings.ReplaceAll(spec, "RUNTIME", c.runtime)), o)
		got := ""
		if m != nil {
			got = model.DumpExpr(m.Variables[0].Default)
		} else {
			got = diags[0].Summary
		}
		if got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
}

// Locals that use each other several times double with each: that ends with a message, not with the memory.
func TestLocalsGrow(t *testing.T) {
	var b strings.Builder
	b.WriteString("locals {\n l00 = var.v\n")
	for i := 1; i < 60; i++ {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(" lN = local.lM + local.lM\n", "N", itoa(i)), "M", itoa(i-1)))
	}
	b.WriteString("}\nvariable \"v\" {\n type = int64\n runtime = true\n}\n")
	b.WriteString("stream \"x\" {\n from = stream.orders\n filter { where = value.amount > local.l59 }\n}\n")
	_, diags := check.Check(withPrelude(t, b.String()), check.Options{})
	if errors := errorCodes(diags); !slices.Equal(errors, []string{"SG1314"}) {
		t.Errorf("%s", text(diags))
	}
}

func itoa(n int) string { return string([]byte{'0' + byte(n/10), '0' + byte(n%10)}) }

// What the library says of its functions is right: the examples check, and each function has some that call it. That they hold is
// tested on generated code.
func TestFunctions(t *testing.T) {
	for _, f := range library.Functions() {
		if f.Doc == "" || len(f.Examples) == 0 || !strings.HasPrefix(f.Signature(), f.Name+"(") {
			t.Errorf("%s has no text or no example", f.Name)
		}
		for _, e := range f.Examples {
			where := "(" + e.Expr + ") == " + e.Result
			spec := "stream \"out\" {\n  from = stream.orders\n  filter { where = " + where + " }\n}\n"
			m, diags := check.Check(withPrelude(t, spec), check.Options{})
			if m == nil || !strings.Contains(e.Expr, f.Name+"(") {
				t.Errorf("%s: %s\n%s", f.Name, where, text(diags))
			}
		}
	}
}

// A record that is converted is taken apart where that costs nothing, and converted as a whole elsewhere.
func TestRecordConversions(t *testing.T) {
	const spec = scope + `
type "Loose" {
  more = optional(string)
  name = optional(string)
}
stream "out" {
  from = stream.in
  map_values { value = EXPR }
}
sink "out" {
  from  = stream.out
  topic = "out"
  value = json(Loose)
}
`
	for _, c := range []struct{ expr, value, sink string }{
		{`Loose(value.r)`, `Loose{ more = value.r.more, name = some(value.r.name) }`, ``},
		{`Loose(merge(value.r, { name = "x" }))`, `Loose{ more = value.r.more, name = some("x") }`, ``},
		{`Loose(value.b ? value.r : Inner({ name = "x" }))`, `(value.b ? Loose{ more = value.r.more, name = some(value.r.name) } : Loose{ more = null, name = some("x") })`, ``},
		{`Loose(coalesce(value.or, value.r))`, `to Loose(coalesce(value.or, value.r))`, ``},
		{`value.or`, `value.or`, `(value == null ? null : some(Loose{ more = value!.more, name = some(value!.name) }))`},
		{`value.r`, `value.r`, `Loose{ more = value.more, name = some(value.name) }`},
	} {
		m, diags := check.Check(parse(t, "app.hcl", strings.ReplaceAll(spec, "EXPR", c.expr)), check.Options{})
		if m == nil {
			t.Errorf("%s:\n%s", c.expr, text(diags))
			continue
		}
		value := model.DumpExpr(model.Exprs(m.Blocks[1].Steps[0])[0])
		sink := model.DumpExpr(m.Sinks[0].AsValue)
		if value != c.value || sink != c.sink {
			t.Errorf("%s\ngot  %s and %s\nwant %s and %s", c.expr, value, sink, c.value, c.sink)
		}
	}
}
