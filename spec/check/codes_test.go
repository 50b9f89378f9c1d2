package check_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"os"
	"path/filepath"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/syntax"
)

// prelude is what the examples of codes stand on. A block that an example declares itself takes the place of the one here.
const prelude = `
app "shop" {
  processing_guarantee = "exactly_once_v2"
  start                = "earliest"
}
enum "Tier" { values = ["bronze", "silver", "blocked"] }
type "Order" {
  order_id    = string
  customer_id = string
  amount      = int64
  tier        = Tier
  note        = optional(string)
}
type "Customer" {
  name = string
  tier = Tier
}
stream "orders" {
  topic = "orders"
  key   = string
  value = json(Order)
}
stream "names" {
  topic = "names"
  key   = string
  value = string
}
stream "amounts" {
  topic = "amounts"
  key   = string
  value = int64
}
table "customers" {
  topic = "customers"
  key   = string
  value = json(Customer)
}
`

// parse reads files given as name, text, name, text.
func parse(t testing.TB, files ...string) *syntax.Program {
	t.Helper()
	var parsed []*syntax.File
	var diags diag.List
	for i := 0; i < len(files); i += 2 {
		f, ds := syntax.ParseFile(files[i], []byte(files[i+1]))
		diags.Append(ds)
		parsed = append(parsed, f)
	}
	p, ds := syntax.Parse(parsed...)
	diags.Append(ds)
	if diags.HasErrors() {
		t.Fatalf("the spec does not parse:\n%s", text(diags))
	}
	return p
}

// withPrelude puts an example on top of the prelude.
func withPrelude(t testing.TB, example string) *syntax.Program {
	t.Helper()
	p := parse(t, "app.hcl", prelude, "example.hcl", example)
	own := map[string]bool{}
	for _, b := range p.Files[1].Blocks {
		own[id(b)] = true
	}
	p.Files[0].Blocks = slices.DeleteFunc(p.Files[0].Blocks, func(b *syntax.Block) bool { return own[id(b)] })
	return p
}

func id(b *syntax.Block) string {
	if b.Type.Name == "app" || len(b.Labels) == 0 {
		return b.Type.Name
	}
	return b.Type.Name + "." + b.Labels[0].Name
}

func text(l diag.List) string {
	var b strings.Builder
	_ = diag.WriteText(&b, l, diag.TextOptions{})
	return b.String()
}

// codesOf is the codes of the diagnostics of a file, each once. SG1904 for blocks that an example has no reader for is left out
// unless it is the code that is looked for.
func codesOf(l diag.List, file, looked string) []string {
	var codes []string
	for _, d := range l {
		unread := d.Code == "SG1904" && looked != "SG1904"
		growing := d.Code == "SG1901" && looked != "SG1901"
		if d.Range.File == file && !unread && !growing && !slices.Contains(codes, d.Code) {
			codes = append(codes, d.Code)
		}
	}
	return codes
}

// checked tells the codes of this package from those of the parser and the planner.
func checked(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range regexp.MustCompile(`"SG\d{4}"`).FindAllString(string(src), -1) {
			if c = strings.Trim(c, `"`); !slices.Contains(codes, c) {
				codes = append(codes, c)
			}
		}
	}
	slices.Sort(codes)
	return codes
}

// Each code that the checker gives is documented; the wrong example gives that code and no other, the right one none.
func TestCodes(t *testing.T) {
	for _, id := range checked(t) {
		t.Run(id, func(t *testing.T) {
			c, ok := diag.Lookup(id)
			if !ok {
				t.Fatal("not in the registry")
			}
			if c.Wrong == "" {
				if id != "SG1314" {
					t.Fatal("no example")
				}
				return
			}
			_, diags := check.Check(withPrelude(t, c.Wrong), check.Options{Go: &shopCode{}})
			if got := codesOf(diags, "example.hcl", id); !slices.Equal(got, []string{id}) {
				t.Errorf("the wrong example gives %v:\n%s", got, text(diags))
			}
			_, diags = check.Check(withPrelude(t, c.Right), check.Options{Go: &shopCode{}})
			if got := codesOf(diags, "example.hcl", id); len(got) > 0 {
				t.Errorf("the right example gives %v:\n%s", got, text(diags))
			}
		})
	}
}

// What messages point at and say, for those mistakes whose text the language fixes.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		spec          string
		code, summary string
		hint          string
	}{
		{`stream "x" { from = stream.order }`, "SG1201", `there is no stream "order"`, "did you mean stream.orders (app.hcl:18)?"},
		{"table \"order\" {\n topic = \"o\"\n key = string\n value = string\n}\nstream \"x\" { from = stream.order }", "SG1201", `there is no stream "order"`, "did you mean table.order (example.hcl:1)?"},
		{"stream \"x\" {\n from = stream.orders\n map_values { value = value.order_id.upper }\n}", "SG1202", `string has no fields: there is no "upper" in it`, "`upper(value.order_id)`"},
		{`stream "x" { from = table.orders }`, "SG1201", `there is no table "orders"`, "did you mean stream.orders (app.hcl:18)?"},
		{`stream "x" { from = orders }`, "SG1201", `"orders" is no reference`, "did you mean stream.orders?"},
		{`stream "x" { from = streem.orders }`, "SG1201", `"streem.orders" is no reference`, "did you mean stream.orders?"},
		{`stream "x" {
			from = stream.orders
			filter { wher = true }
		}`, "SG1101", `filter has no attribute "wher"`, `did you mean "where"?`},
		{`stream "x" {
			from = stream.orders
			filtr { where = true }
		}`, "SG1101", `stream "x" has no step "filtr"`, `did you mean "filter"?`},
		{`strem "x" {}`, "SG1101", `there is no block "strem"`, `did you mean "stream"?`},
		{`stream "x" { topic = "t" }`, "SG1102", `stream "x" needs "value": the format of values`, `value = json(T), or string, int64, …`},
		{`stream "x" {
			from = stream.orders
			count {}
		}`, "SG1105", "count makes a table", "write it in a `table`, read its changes with `stream { from = table.x }`"},
		{`table "x" { from = stream.orders }`, "SG1106", "nothing makes this stream a table", "`to_table {}` keeps the latest value of each key; or count, aggregate, reduce"},
		{"table \"x\" {\n from = stream.orders\n count {}\n to_table {}\n}", "SG1107", "a table is made once; count at 3", "a second table `from` the first, with `group_by`"},
		{"stream \"x\" {\n from = stream.orders\n filter { where = value.amout > 5 }\n}", "SG1202", `Order has no field "amout"`, `did you mean "amount"? fields: order_id = string, customer_id = string, amount = int64, tier = Tier, note = optional(string)`},
		{"stream \"x\" {\n from = stream.orders\n filter { where = value.amount-1 > 5 }\n}", "SG1202", `Order has no field "amount-1"`, "in HCL a dash belongs to a name: write `amount - 1`"},
		{"stream \"order-lines\" { from = stream.orders }\nstream \"order_lines\" { from = stream.orders }", "SG1203", `two streams have the Go name orderLines: "order-lines" and "order_lines"`, "rename one"},
		{"table \"x\" {\n from = stream.amounts\n reduce { add = agg-value }\n}", "SG1204", `unknown name "agg-value"`, "in HCL a dash belongs to a name: write `agg - value`"},
		{"stream \"x\" {\n from = stream.orders\n filter { where = amount > 5 }\n}", "SG1204", `unknown name "amount"`, "did you mean value.amount?"},
		{"stream \"a\" { from = stream.b }\nstream \"b\" { from = stream.a }", "SG1206", "stream.a reads stream.b reads stream.a", "a loop goes through a topic: a sink, and a source that reads it"},
		{"type \"Node\" { next = optional(Node) }\nsink \"s\" {\n from = stream.orders\n topic = \"t\"\n value = json\n}", "SG1206", "Node holds Node", "hold the key of the other record instead"},
		{"stream \"x\" {\n from = stream.orders\n filter { where = value.amount }\n}", "SG1301", "where must be bool, is int64", "`value.amount > 0`?"},
		{"stream \"x\" {\n from = stream.orders\n map_values { value = value.note + \"!\" }\n}", "SG1302", "value.note may be null", "`coalesce(value.note, \"\")`, or test `value.note != null` first"},
		{"stream \"x\" {\n from = stream.orders\n filter { where = value.amount == \"50\" }\n}", "SG1303", "int64 and string do not compare", "a number is written without quotes: `50`"},
		{"stream \"x\" {\n from = stream.orders\n filter { where = value.tier == \"blocket\" }\n}", "SG1304", `Tier has no value "blocket"`, `did you mean "blocked"?`},
		{"stream \"x\" {\n from = stream.orders\n map_values { value = int32(3000000000) }\n}", "SG1305", "3000000000 does not fit int32", "declare int64"},
		{"stream \"x\" {\n from = stream.orders\n map_values { value = Customer({ id = 1, tier = \"bronze\" }) }\n}", "SG1306", `Customer needs "name"; "id" is none of its fields`, "fields: name = string, tier = Tier"},
		{"table \"x\" {\n from = stream.orders\n emit = \"every\"\n window \"unlimited\" { start = \"2024-01-01T00:00:00Z\" }\n count {}\n store \"x\" { ttl = \"24h\" }\n}", "SG1514", "these rows do not end by a time to live", `no window at all, or one that ends; unbounded = "why it may grow"`},
		{"table \"x\" {\n from = stream.orders\n emit = \"every\"\n window \"tumbling\" {\n size = \"5m\"\n grace = \"0s\"\n }\n count {}\n store \"x\" { ttl = \"24h\" }\n}", "SG1514", "these rows do not end by a time to live", `retention = "10m"`},
		{"table \"x\" {\n from = table.customers\n group_by { key = value.name }\n count {}\n store \"x\" { ttl = \"24h\" }\n}", "SG1514", "these rows do not end by a time to live", "a ttl in the store of the table whose rows are grouped: they leave their groups when they end"},
		{"table \"x\" {\n from = table.customers\n filter { where = value.name != \"\" }\n store \"x\" { ttl = \"24h\" }\n}", "SG1514", "these rows do not end by a time to live", "a store with ttl directly below what makes the table, or in the table that it is made of"},
		{"table \"x\" {\n topic = \"x\"\n key = string\n value = int64\n reuse_source = true\n store \"x\" { ttl = \"24h\" }\n}", "SG1113", `"reuse_source" and "ttl" exclude each other: the topic still has the rows that have ended`, "remove one of the two: without reuse_source the rows have a changelog of their own"},
		{"table \"x\" {\n topic = \"x\"\n key = string\n value = int64\n store \"x\" {\n history = \"1h\"\n ttl = \"24h\"\n }\n}", "SG1113", `"ttl" and "history" exclude each other: a row that has ended would still be known`, "remove one of the two"},
		{"table \"x\" {\n from = stream.orders\n count {}\n store \"x\" { ttl = \"0s\" }\n}", "SG1112", `"ttl" must not be zero`, `ttl = "24h"`},
		{"stream \"x\" {\n from = stream.orders\n map_values { value = sum(value.amount) }\n}", "SG1307", "sum is an aggregator", "only in aggregate; of a list: sum_of(list)"},
		{"stream \"x\" {\n from = stream.orders\n map_values { value = count() }\n}", "SG1307", "count is an aggregator", "only in aggregate; of a list: length(list)"},
		{"stream \"x\" {\n from = stream.orders\n map_values { value = quantile(value.amount, 0.5) }\n}", "SG1307", "quantile is an aggregator", "only in aggregate"},
		{"stream \"x\" {\n from = stream.orders\n map { timestamp = timestamp + 300000 }\n}", "SG1303", "timestamp and int64 do not add", "a text with a unit, `\"5m\"`, or `from_ms(300000)`"},
		{"stream \"x\" {\n from = stream.orders\n filter { where = timestamp > 1714521600000 }\n}", "SG1303", "timestamp and int64 do not compare", "`from_unix_ms(1714521600000)`"},
		{"stream \"x\" {\n from = stream.orders\n map_values { value = (timestamp - timestamp) * 2 }\n}", "SG1303", "duration and int64 do not multiply", "`from_ms(to_ms((timestamp - timestamp)) * 2)`"},
		{"stream \"x\" {\n from = stream.orders\n filter { where = value.amount == 1e3 }\n}", "SG1305", "1e3 is written as a float, and int64 is wanted here", "the other side is int64; float64(…) makes it float64"},
		{"stream \"x\" {\n from = stream.orders\n map_values { value = merge(value, { city = \"Ulm\" }) }\n}\nsink \"s\" {\n from = stream.x\n topic = \"t\"\n value = json(Order)\n}", "SG1310", `field "city" is not in Order`, "`without(value, \"city\")`, or `json`"},
		{"stream \"x\" {\n from = stream.names\n map_values { value = int64(value) }\n}", "SG1330", "this can fail (not a number) and nothing says what then", "`try(int64(value), …)`, or on_error = \"fail\", \"skip\" or \"dead_letter\" here, in the block or in app"},
		{"stream \"x\" {\n from = stream.orders\n select_key { key = value.amount }\n join {\n with = table.customers\n as = c\n value = c\n}\n}", "SG1401", "keys differ: int64 here, string at 35:11", "re-key one side: `select_key { key = string(key) }`"},
		{"sink \"s\" {\n from = stream.amounts\n topic = \"t\"\n value = string\n}", "SG1801", "the sink writes string, the value is int64", "`map_values { value = string(value) }`, or value = int64"},
		{"stream \"x\" {\n from = stream.orders\n select_key { key = timestamp }\n}\nsink \"s\" {\n from = stream.x\n topic = \"t\"\n key = string\n value = json\n}", "SG1801", "the sink writes string, the key is timestamp", "`select_key { key = string(key) }`"},
		{"table \"x\" {\n from = stream.orders\n count {}\n}", "SG1901", "table.x grows with each new key", `store "x" { ttl = "30d" } ends rows that nothing touches; or say why it may grow: store "x" { unbounded = "one row a user" }`},
		{"table \"x\" {\n from = stream.orders\n emit = \"every\"\n window \"unlimited\" { start = \"2026-01-01T00:00:00Z\" }\n count {}\n}", "SG1901", "table.x grows with each new key", `a window of another kind ends; or say why it may grow: store "x" { unbounded = "one row a user" }`},
		{`stream "x" { from = stream.orders }`, "SG1904", "nothing reads stream.x", "remove it, or add a sink"},
	} {
		_, diags := check.Check(withPrelude(t, c.spec), check.Options{})
		var first *diag.Diagnostic
		for _, d := range diags {
			if d.Range.File == "example.hcl" && d.Code == c.code {
				first = d
				break
			}
		}
		switch {
		case first == nil:
			t.Errorf("%s: no %s:\n%s", c.spec, c.code, text(diags))
		case first.Summary != c.summary || first.Hint != c.hint:
			t.Errorf("%s:\ngot  %s\n     %s\nwant %s\n     %s", c.spec, first.Summary, first.Hint, c.summary, c.hint)
		}
	}
}
