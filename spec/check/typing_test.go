package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
)

// scope is what the expressions of the typing tests stand on: value has a field of each type.
const scope = `
app "typing" {
  processing_guarantee = "at_least_once"
  start                = "earliest"
}
enum "Tier" { values = ["bronze", "silver", "blocked"] }
enum "Size" { values = ["bronze", "large"] }
type "Inner" {
  name = string
  more = optional(string)
}
type "Pair" {
  a = int64
  b = string
}
type "All" {
  s  = string
  b  = bool
  i  = int32
  n  = int64
  f  = float64
  x  = bytes
  t  = timestamp
  d  = duration
  e  = Tier
  r  = Inner
  os = optional(string)
  on = optional(int64)
  oe = optional(Tier)
  or = optional(Inner)
  ob = optional(bool)
  l  = list(string)
  rs = list(Inner)
  ol = optional(list(string))
  m  = map(string, int64)
  c  = decimal(12, 2)
  cs = decimal(5, 4)
  oc = optional(decimal(12, 2))
  big = decimal(38, 10)
  u  = uuid
  g  = float32
}
variable "limit" {
  type    = int64
  default = 5
}
variable "rate" {
  type    = float64
  default = 0.5
  runtime = true
}
locals {
  seven = 7
  wait  = "5m"
  twice = var.limit * 2
}
stream "in" {
  topic = "in"
  key   = optional(string)
  value = json(All)
}
`

// typed is the model's expression for a value, or the diagnostics.
func typed(t testing.TB, expr, step string) (model.Expr, diag.List) {
	t.Helper()
	spec := scope + "stream \"out\" {\n  from = stream.in\n" + fmt.Sprintf(step, expr) + "\n}\n"
	f, ds := syntax.ParseFile("app.hcl", []byte(spec))
	if ds.HasErrors() {
		t.Fatalf("%s does not parse:\n%s", expr, text(ds))
	}
	p, _ := syntax.Parse(f)
	m, ds := check.Check(p, check.Options{})
	if m == nil {
		return nil, ds
	}
	last := m.Blocks[1].Steps[len(m.Blocks[1].Steps)-1]
	return model.Exprs(last)[0], ds
}

const mapValues = "  map_values {\n    value    = %s\n    on_error = \"fail\"\n  }"

func TestTyping(t *testing.T) {
	for _, c := range []struct{ expr, want string }{ // want: "expression : type", or a code
		// Number literals take the type of their context, exactly as written.
		{`1`, `1 : int64`},
		{`1.5`, `float64 1.5 : float64`},
		{`1e3`, `float64 1000 : float64`},
		{`9007199254740993`, `9007199254740993 : int64`},
		{`9223372036854775807`, `9223372036854775807 : int64`},
		{`-9223372036854775808`, `-9223372036854775808 : int64`},
		{`9223372036854775808`, `SG1305`},
		{`value.f * 2`, `(value.f * float64 2) : float64`},
		{`2 * value.f`, `(float64 2 * value.f) : float64`},
		{`value.i + 1`, `(value.i + int32 1) : int32`},
		{`value.i + 3000000000`, `SG1305`},
		{`value.n + 1.5`, `SG1305`},
		{`value.n > 1.0`, `SG1305`},
		{`1e400`, `SG1305`},
		{`local.seven + value.f`, `(float64 7 + value.f) : float64`},
		{`value.i * local.seven`, `(value.i * int32 7) : int32`},
		{`local.twice`, `10 : int64`},
		{`-var.limit`, `-5 : int64`},
		{`9223372036854775807 + 1`, `SG1305`},
		{`int32(2147483647) + int32(1)`, `SG1305`},
		{`-9223372036854775808 / -1`, `SG1305`},
		{`7 / 2 * -1 + 7 % 4`, `0 : int64`},
		{`1.0 / 0.0`, `float64 +Inf : float64`},
		{`"a" + "b"`, `"ab" : string`},
		{`1 < 2`, `true : bool`},
		{`"a" >= "b"`, `false : bool`},
		{`timestamp("1970-01-01T00:00:01Z") + "5s"`, `timestamp 6000 : timestamp`},
		{`var.limit`, `5 : int64`},
		{`var.rate * 2`, `(var.rate * float64 2) : float64`},
		{`{ v = cond }`, `SG1204`},

		// String literals in the context of enums, durations, timestamps and bytes.
		{`value.e == "silver"`, `(value.e == Tier "silver") : bool`},
		{`"silver" == value.e`, `(Tier "silver" == value.e) : bool`},
		{`value.e == "gold"`, `SG1304`},
		{`value.oe == "silver"`, `(value.oe == some(Tier "silver")) : bool`},
		{`value.e == value.s`, `SG1303`},
		{`value.d > "5m"`, `(value.d > duration 300000) : bool`},
		{`value.d > "1h30m"`, `(value.d > duration 5400000) : bool`},
		{`value.d > "-5ms"`, `(value.d > duration -5) : bool`},
		{`value.d > local.wait`, `(value.d > duration 300000) : bool`},
		{`value.d > "5 m"`, `SG1309`},
		{`value.d > "999999999999999d"`, `SG1309`},
		{`value.t > "2024-05-01T00:00:00.5Z"`, `(value.t > timestamp 1714521600500) : bool`},
		{`value.t > "2024-05-01"`, `SG1309`},
		{`value.t > "2024-05-01T00:00:00.0001Z"`, `SG1309`},
		{`value.x == "abc"`, `(value.x == bytes "abc") : bool`},
		{`value.b ? value.e : "bronze"`, `(value.b ? value.e : Tier "bronze") : Tier`},

		// Arithmetic.
		{`value.n + value.n`, `(value.n + value.n) : int64`},
		{`value.i + value.n`, `(to int64(value.i) + value.n) : int64`},
		{`value.n * value.i`, `(value.n * to int64(value.i)) : int64`},
		{`value.n + value.f`, `SG1303`},
		{`value.n + value.s`, `SG1303`},
		{`value.s + value.s`, `(value.s + value.s) : string`},
		{`value.s - value.s`, `SG1311`},
		{`value.b + value.b`, `SG1311`},
		{`value.e + value.e`, `SG1311`},
		{`value.t + value.d`, `(value.t + value.d) : timestamp`},
		{`value.t + "5m"`, `(value.t + duration 300000) : timestamp`},
		{`value.t - "5m"`, `(value.t - duration 300000) : timestamp`},
		{`value.t - value.t`, `(value.t - value.t) : duration`},
		{`value.t - "1970-01-01T00:00:00Z"`, `(value.t - timestamp 0) : duration`},
		{`value.d + value.d`, `(value.d + value.d) : duration`},
		{`value.t + value.t`, `SG1311`},
		{`value.t * 2`, `SG1303`},
		{`value.n / 2`, `(value.n / 2) : int64`},
		{`value.n / value.n`, `(value.n / value.n)? : int64`},
		{`value.n % value.n`, `(value.n % value.n)? : int64`},
		{`value.n / 0`, `SG1313`},
		{`value.n / -1`, `(value.n / -1) : int64`},
		{`value.f / 0`, `(value.f / float64 0) : float64`},
		{`value.f % value.f`, `(value.f % value.f) : float64`},
		{`-value.n`, `-(value.n) : int64`},
		{`-value.s`, `SG1311`},
		{`!value.b`, `!(value.b) : bool`},
		{`!value.n`, `SG1301`},
		{`value.on + 1`, `SG1302`},
		{`1 + value.on`, `SG1302`},
		{`value.n + null`, `SG1302`},
		{`-value.on`, `SG1302`},

		// Comparing.
		{`value.n == value.n`, `(value.n == value.n) : bool`},
		{`value.i == value.n`, `(to int64(value.i) == value.n) : bool`},
		{`value.n == value.f`, `SG1303`},
		{`value.n == "50"`, `SG1303`},
		{`value.on == value.n`, `(value.on == some(value.n)) : bool`},
		{`value.n == value.on`, `(some(value.n) == value.on) : bool`},
		{`value.on == value.on`, `(value.on == value.on) : bool`},
		{`value.on == 5`, `(value.on == some(5)) : bool`},
		{`value.on == null`, `value.on == null : bool`},
		{`null != value.on`, `value.on != null : bool`},
		{`value.on < 5`, `SG1302`},
		{`value.on < value.on`, `SG1302`},
		{`value.s < "b"`, `(value.s < "b") : bool`},
		{`value.b < value.b`, `SG1311`},
		{`value.x < value.x`, `SG1311`},
		{`value.r == value.r`, `(value.r == value.r) : bool`},
		{`value.or == value.r`, `(value.or == some(value.r)) : bool`},
		{`value.e == value.e`, `(value.e == value.e) : bool`},
		{`value.b && value.n > 5 || !value.b`, `((value.b && (value.n > 5)) || !(value.b)) : bool`},
		{`value.b && value.n`, `SG1301`},
		{`value.ob && value.b`, `SG1302`},

		// null and ?:.
		{`null`, `null : optional(All)`},
		{`value.b ? null : null`, `SG1312`},
		{`value.b ? value.n : null`, `(value.b ? some(value.n) : null) : optional(int64)`},
		{`value.b ? null : value.on`, `(value.b ? null : value.on) : optional(int64)`},
		{`value.b ? value.n : value.on`, `(value.b ? some(value.n) : value.on) : optional(int64)`},
		{`value.b ? 1 : value.f`, `(value.b ? float64 1 : value.f) : float64`},
		{`value.b ? value.n : value.s`, `SG1303`},
		{`value.n ? 1 : 2`, `SG1301`},
		{`value.b ? 1 : value.n > 3 ? 2 : 3`, `(value.b ? 1 : ((value.n > 3) ? 2 : 3)) : int64`},

		// Narrowing.
		{`value.on != null ? value.on + 1 : 0`, `(value.on != null ? (value.on! + 1) : 0) : int64`},
		{`value.on == null ? 0 : value.on + 1`, `(value.on == null ? 0 : (value.on! + 1)) : int64`},
		{`value.on != null && value.on > 5`, `(value.on != null && (value.on! > 5)) : bool`},
		{`value.on == null || value.on > 5`, `(value.on == null || (value.on! > 5)) : bool`},
		{`!(value.on == null) && value.on > 5`, `(!(value.on == null) && (value.on! > 5)) : bool`},
		{`value.on != null && value.os != null ? value.on : 0`, `((value.on != null && value.os != null) ? value.on! : 0) : int64`},
		{`value.on != null || value.on > 5`, `SG1302`},
		{`value.on == null ? value.on + 1 : 0`, `SG1302`},
		{`value.or != null ? value.or.name : ""`, `(value.or != null ? value.or!.name : "") : string`},
		{`value.or.name`, `SG1302`},
		{`value.r.more != null && value.r.more == "x"`, `(value.r.more != null && (value.r.more! == "x")) : bool`},
		{`key == null ? "none" : key`, `(key == null ? "none" : key!) : string`},

		// Paths, headers, templates.
		{`value.nope`, `SG1202`},
		{`value.s.nope`, `SG1202`},
		{`value.r.name`, `value.r.name : string`},
		{`nope`, `SG1204`},
		{`value-s`, `SG1204`},
		{`headers["trace"]`, `headers["trace"] : optional(bytes)`},
		{`headers["trace"] != null && headers["trace"] == "x"`, `(headers["trace"] != null && (headers["trace"]! == bytes "x")) : bool`},
		{`headers["trace"] == null ? 0 : length(hex(headers["trace"]))`, `(headers["trace"] == null ? 0 : length(hex(headers["trace"]!))) : int64`},
		{`headers["trace"] != null ? hex(headers["span"]) : ""`, `SG1302`},
		{`headers`, `SG1204`},
		{`headers[value.s]`, `SG1204`},
		{`value["s"]`, `SG1311`},
		{`value.s[0]`, `SG1311`},
		{`timestamp`, `timestamp : timestamp`},
		{`topic`, `topic : string`},
		{`partition + 1`, `(partition + int32 1) : int32`},
		{`offset > partition`, `(offset > to int64(partition)) : bool`},
		{`previous`, `SG1204`},
		{`var.nope`, `SG1201`},
		{`local.nope`, `SG1201`},
		{`stream.in`, `SG1204`},
		{`Tier`, `SG1204`},
		{`"${value.s}-${value.n}"`, `concat(value.s, "-", to string(value.n)) : string`},
		{`"${value.i}${value.f}${value.b}${value.e}${value.t}${value.d}"`, `concat(to string(value.i), to string(value.f), to string(value.b), to string(value.e), to string(value.t), to string(value.d)) : string`},
		{`"a${1}b${true}"`, `"a1btrue" : string`},
		{`"${value.os}"`, `SG1302`},
		{`"${value.r}"`, `SG1301`},
		{`"${value.x}"`, `SG1301`},

		// Conversions.
		{`int64(value.s)`, `to int64(value.s)? : int64`},
		{`int64(value.i)`, `to int64(value.i) : int64`},
		{`int64(value.f)`, `to int64(value.f)? : int64`},
		{`int32(value.n)`, `to int32(value.n)? : int32`},
		{`float64(value.n)`, `to float64(value.n) : float64`},
		{`float64(value.s)`, `to float64(value.s)? : float64`},
		{`float64(1)`, `float64 1 : float64`},
		{`int32(1)`, `int32 1 : int32`},
		{`string(value.n)`, `to string(value.n) : string`},
		{`string(value.e)`, `to string(value.e) : string`},
		{`string(value.x)`, `to string(value.x)? : string`},
		{`string(value.s)`, `value.s : string`},
		{`string(5)`, `"5" : string`},
		{`bytes(value.s)`, `to bytes(value.s) : bytes`},
		{`Tier(value.s)`, `to Tier(value.s)? : Tier`},
		{`Tier("silver")`, `Tier "silver" : Tier`},
		{`Tier("gold")`, `SG1304`},
		{`timestamp(value.s)`, `to timestamp(value.s)? : timestamp`},
		{`timestamp("2024-05-01T00:00:00Z")`, `timestamp 1714521600000 : timestamp`},
		{`int64(value.b)`, `SG1301`},
		{`int64(value.on)`, `SG1302`},
		{`int64(value.t)`, `SG1301`},
		{`string(value.r)`, `SG1301`},
		{`int64(1, 2)`, `SG1308`},

		// Functions.
		{`lower(value.s)`, `lower(value.s) : string`},
		{`lower(value.n)`, `SG1301`},
		{`lower(value.os)`, `SG1302`},
		{`lower()`, `SG1308`},
		{`lowr(value.s)`, `SG1209`},
		{`matches(value.s, "x")`, `matches(value.s, "x") : bool`},
		{`substr(value.s, 1)`, `substr(value.s, 1) : string`},
		{`substr(value.s, 1, 2)`, `substr(value.s, 1, 2) : string`},
		{`length(value.s) > 3`, `(length(value.s) > 3) : bool`},
		{`abs(value.i)`, `abs(value.i) : int32`},
		{`abs(value.s)`, `SG1301`},
		{`round(value.f)`, `round(value.f) : int64`},
		{`round(value.n)`, `SG1301`},
		{`round(2)`, `round(float64 2) : int64`},
		{`max(value.n, 0)`, `max(value.n, 0) : int64`},
		{`max(0, value.f)`, `max(float64 0, value.f) : float64`},
		{`max(value.i, value.n, 1)`, `max(to int64(value.i), value.n, 1) : int64`},
		{`max(value.n, value.f)`, `SG1303`},
		{`max(value.n, value.on)`, `SG1302`},
		{`max(value.s, value.n)`, `SG1301`},
		{`max(value.n)`, `SG1307`},
		{`sum(value.n)`, `SG1307`},
		{`coalesce(value.on, 0)`, `coalesce(value.on, 0) : int64`},
		{`coalesce(value.on, value.on)`, `coalesce(value.on, value.on) : optional(int64)`},
		{`coalesce(value.oe, "bronze")`, `coalesce(value.oe, Tier "bronze") : Tier`},
		{`coalesce(value.on, "x")`, `SG1301`},
		{`coalesce(null, 1)`, `SG1302`},
		{`try(int64(value.s), 0)`, `try(to int64(value.s)?, 0) : int64`},
		{`try(int64(value.s), null)`, `try(some(to int64(value.s)?), null) : optional(int64)`},
		{`try(int64(value.s), "x")`, `SG1303`},
		{`try(value.n / value.n, value.n)`, `try((value.n / value.n)?, value.n) : int64`},

		// Records.
		{`{ a = 1 }`, `{ a = 1 } : { a = int64 }`},
		{`{ a = 1, b = "x" }`, `Pair{ a = 1, b = "x" } : Pair`},
		{`{ b = "x", a = 1 }`, `{ b = "x", a = 1 } : { b = string, a = int64 }`},
		{`{ a = null }`, `SG1312`},
		{`{}`, `SG1312`},
		{`{ a = { b = value.n } }`, `{ a = { b = value.n } } : { a = { b = int64 } }`},
		{`Inner({ name = "x" })`, `Inner{ name = "x", more = null } : Inner`},
		{`Inner({ name = value.s, more = value.s })`, `Inner{ name = value.s, more = some(value.s) } : Inner`},
		{`Inner({ name = value.s, more = null })`, `Inner{ name = value.s, more = null } : Inner`},
		{`Inner({ more = "x" })`, `SG1306`},
		{`Inner({ name = "x", extra = 1 })`, `SG1306`},
		{`Inner({ name = value.n })`, `SG1301`},
		{`Inner({ name = value.os })`, `SG1302`},
		{`Inner(value.r)`, `value.r : Inner`},
		{`Pair(value.r)`, `SG1301`},
		{`Pair({ a = value.i, b = "" })`, `SG1301`},
		{`merge(value.r, { name = "x" })`, `merge(value.r, name = "x" -> Inner) : Inner`},
		{`merge(value.r, { more = null })`, `merge(value.r, more = null -> Inner) : Inner`},
		{`merge(value.r, { more = "x" })`, `merge(value.r, more = "x" -> { name = string, more = string }) : { name = string, more = string }`},
		{`merge(value.r, { n = 1 })`, `merge(value.r, n = 1 -> { name = string, more = optional(string), n = int64 }) : { name = string, more = optional(string), n = int64 }`},
		{`merge(value.r, { n = null })`, `SG1312`},
		{`merge(value.or, { n = 1 })`, `SG1302`},
		{`merge(value.n, { n = 1 })`, `SG1301`},
		{`merge(value.r, value.r)`, `SG1308`},
		{`without(value.r, "more")`, `merge(value.r -> { name = string }) : { name = string }`},
		{`without(value.r, "nope")`, `SG1202`},
		{`without(value.r, "name", "more")`, `SG1312`},
		{`without(value.r, value.s)`, `SG1111`},
	} {
		e, diags := typed(t, c.expr, mapValues)
		got := ""
		if e != nil {
			got = model.DumpExpr(e) + " : " + e.Base().Type.String()
		} else {
			got = strings.Join(errorCodes(diags), " ")
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s\n%s", c.expr, got, c.want, text(diags))
		}
	}
}

func errorCodes(l diag.List) []string {
	var codes []string
	for _, d := range l {
		if d.Severity == diag.Error {
			codes = append(codes, d.Code)
		}
	}
	return codes
}

// Tests of what is never null are constant, which is said.
func TestConstantTests(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`value.n == null`, `false`},
		{`value.n != null`, `true`},
		{`value.n != null && value.b`, `value.b`},
		{`value.n == null ? 0 : value.n`, `value.n`},
		{`coalesce(value.n, 0)`, `value.n`},
		{`value.on != null && value.on != null`, `(value.on != null && true)`},
	} {
		e, diags := typed(t, c.expr, mapValues)
		if e == nil {
			t.Errorf("%s:\n%s", c.expr, text(diags))
			continue
		}
		if got := model.DumpExpr(e); got != c.want {
			t.Errorf("%s: got %s, want %s", c.expr, got, c.want)
		}
		if !slices.ContainsFunc(diags, func(d *diag.Diagnostic) bool {
			return d.Code == "SG1904" && strings.Contains(d.Summary, "never null")
		}) {
			t.Errorf("%s: no warning:\n%s", c.expr, text(diags))
		}
	}
}

// What can fail needs a policy on its path; try takes the need away, but not that of its fallback.
func TestFallible(t *testing.T) {
	const bare = "  map_values { value = %s }"
	for _, c := range []struct {
		expr string
		want int // how many parts are reported
	}{
		{`int64(value.s)`, 1},
		{`value.n / value.n`, 1},
		{`value.n / 2`, 0},
		{`value.n / var.limit`, 0},
		{`value.f / value.f`, 0},
		{`value.n * value.n`, 0},
		{`int64(value.s) + int64(value.s) / value.n`, 3},
		{`try(int64(value.s), 0)`, 0},
		{`try(int64(value.s), value.n / value.n)`, 1},
		{`try(int64(value.s), 0) + int64(value.s)`, 1},
		{`value.b ? int64(value.s) : 0`, 1},
		{`"${Tier(value.s)}"`, 1},
	} {
		e, diags := typed(t, c.expr, bare)
		n := 0
		for _, code := range errorCodes(diags) {
			if code == "SG1330" {
				n++
			}
		}
		if n != c.want || n == 0 && e == nil {
			t.Errorf("%s: %d reported, want %d:\n%s", c.expr, n, c.want, text(diags))
		}
		if e != nil && e.Base().Fallible {
			t.Errorf("%s is fallible and passed without a policy", c.expr)
		}
		if e, _ := typed(t, c.expr, mapValues); e == nil || e.Base().Fallible != (c.want > 0) {
			t.Errorf("%s: with a policy it must pass, and be fallible: %t", c.expr, c.want > 0)
		}
	}
}

// A filter narrows key and value for all below, and fields until the value is replaced.
func TestNarrowingByFilter(t *testing.T) {
	for _, c := range []struct{ steps, want string }{
		{"filter { where = value.on != null }\n  map_values { value = value.on + 1 }", `(value.on! + 1)`},
		{"filter_not { where = value.on == null }\n  map_values { value = value.on + 1 }", `(value.on! + 1)`},
		{"filter { where = value.on == null }\n  map_values { value = value.on + 1 }", "SG1302"},
		{"filter { where = value.on != null || value.b }\n  map_values { value = value.on + 1 }", "SG1302"},
		{"filter { where = value.on != null }\n  map_values { value = value }\n  map_values { value = value.on + 1 }", "SG1302"},
		{"filter { where = value.on != null }\n  select_key { key = value.s }\n  map_values { value = value.on + 1 }", `(value.on! + 1)`},
		{"filter { where = key != null }\n  map_values { value = key + \"!\" }", `(key + "!")`},
		{"filter { where = key != null }\n  select_key { key = value.os }\n  map_values { value = key + \"!\" }", "SG1302"},
		{"repartition \"x\" {}\n  map_values { value = key + \"!\" }", `(key + "!")`},
		{"map {\n key = null\n value = value.on\n }\n  filter { where = value != null }\n  map_values { value = value + 1 }", `(value + 1)`},
	} {
		e, diags := typed(t, "", "  "+c.steps+"%s")
		got := strings.Join(errorCodes(diags), " ")
		if e != nil {
			got = model.DumpExpr(e)
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s\n%s", c.steps, got, c.want, text(diags))
		}
	}
}

// Aggregates have a scope of their own: aggregators over records, and nothing of one record beside them.
func TestAggregates(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`count()`, `#0=count():int64 => #0 : int64`},
		{`count(value.b)`, `#0=count(value.b):int64 => #0 : int64`},
		{`count(value.n)`, `SG1301`},
		{`any(value.b)`, `#0=count(value.b):int64 => (#0 > 0) : bool`},
		{`all(value.b)`, `#0=count(!(value.b)):int64 => (#0 == 0) : bool`},
		{`all(!value.b)`, `#0=count(value.b):int64 => (#0 == 0) : bool`},
		{`any(value.n)`, `SG1301`},
		{`all(value.ob)`, `SG1302`},
		{`any()`, `SG1308`},
		{`all(value.b, value.b)`, `SG1308`},
		{`sum(value.n)`, `#0=sum(value.n):int64 => #0 : int64`},
		{`sum(value.i)`, `#0=sum(to int64(value.i)):int64 => #0 : int64`},
		{`sum(value.f)`, `#0=sum(value.f):float64 => #0 : float64`},
		{`sum(value.s)`, `SG1301`},
		{`sum(value.on)`, `SG1302`},
		{`sum(value.n * 2 - value.i)`, `#0=sum(((value.n * 2) - to int64(value.i))):int64 => #0 : int64`},
		{`avg(value.i)`, `#0=avg(value.i):float64 => #0 : float64`},
		{`min(value.t)`, `#0=min(value.t):timestamp => #0 : timestamp`},
		{`max(max(value.n), 0)`, `#0=max(value.n):int64 => max(#0, 0) : int64`},
		{`last(value.os)`, `#0=last(value.os):optional(string) => #0 : optional(string)`},
		{`first(value.r)`, `#0=first(value.r):Inner => #0 : Inner`},
		{`{ a = count(), b = last(value.s) }`, `#0=count():int64 #1=last(value.s):string => Pair{ a = #0, b = #1 } : Pair`},
		{`sum(value.n) / count()`, `#0=sum(value.n):int64 #1=count():int64 => (#0 / #1)? : int64`},
		{`sum(int64(value.s))`, `#0=sum(to int64(value.s)?):int64 => #0 : int64`},
		{`sum(value.n) * var.limit`, `#0=sum(value.n):int64 => (#0 * 5) : int64`},
		{`value.n`, `SG1307`},
		{`sum(max(value.n))`, `SG1307`},
		{`5`, `SG1307`},
		{`sum()`, `SG1308`},
		{`quantile(value.n, 0.5)`, `#0=quantile(to float64(value.n), 0.5):float64 => #0 : float64`},
		{`quantile(value.n, 1)`, `#0=quantile(to float64(value.n), 1):float64 => #0 : float64`},
		{`quantile(value.n, 1.5)`, `SG1309`},
		{`quantile(value.s, 0.5)`, `SG1301`},
		{`approx_distinct(value.s)`, `#0=approx_distinct(value.s):int64 => #0 : int64`},
		{`approx_distinct(value.r)`, `SG1301`},
		{`variance(value.n)`, `#0=variance(to float64(value.n)):float64 => #0 : float64`},
		{`variance(value.t)`, `SG1301`},
		{`min(value.s)`, `#0=min(value.s):string => #0 : string`},
		{`max(value.b)`, `SG1301`},
		{`argmax(value.r, value.n)`, `#0=argmax(value.r, value.n):Inner => #0 : Inner`},
		{`argmin(value.os, value.t)`, `#0=argmin(value.os, value.t):optional(string) => #0 : optional(string)`},
		{`argmin(value.s, value.on)`, `SG1302`},
		{`argmin(value.s, value.b)`, `SG1301`},
		{`argmin(value.s)`, `SG1308`},
		{`collect_list(value.r, 3)`, `#0=collect_list(value.r, 3):list(Inner) => #0 : list(Inner)`},
		{`collect_list(value.os, 3)`, `SG1302`},
		{`collect_list(value.n)`, `SG1308`},
		{`collect_set(value.s, var.limit)`, `#0=collect_set(value.s, 5):list(string) => #0 : list(string)`},
		{`collect_set(value.r, 3)`, `SG1301`},
		{`length(top_n(value.n, 3))`, `#0=top_n(value.n, 3):list(int64) => length(#0) : int64`},
		{`top_n(value.r, value.t, 3)`, `#0=top_n(value.r, value.t, 3):list(Inner) => #0 : list(Inner)`},
		{`top_n(value.r, 3)`, `SG1301`},
		{`top_n(value.n, 1000000)`, `SG1309`},
		{`distinct(value.s, 9)`, `#0=distinct(value.s, 9):int64 => #0 : int64`},
		{`distinct(value.b, 9)`, `SG1301`},
	} {
		spec := scope + "table \"out\" {\n  from = stream.in\n  aggregate {\n    value = " + c.expr + "\n    on_error = \"fail\"\n  }\n}\n"
		m, diags := check.Check(parse(t, "app.hcl", spec), check.Options{})
		got := strings.Join(errorCodes(diags), " ")
		if m != nil {
			st := m.Blocks[1].Steps[0].(*model.Aggregate)
			var parts []string
			for i, a := range st.Aggregators {
				parts = append(parts, fmt.Sprintf("#%d=%s(%s):%s", i, a.Func, a.Args(), a.Type))
			}
			got = fmt.Sprintf("%s => %s : %s", strings.Join(parts, " "), model.DumpExpr(st.Value), st.Value.Base().Type)
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s\n%s", c.expr, got, c.want, text(diags))
		}
	}
}
