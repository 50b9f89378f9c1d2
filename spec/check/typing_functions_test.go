package check_test

import (
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/model"
)

// The rules of the function library.
func TestTypingOfFunctions(t *testing.T) {
	for _, c := range []struct{ expr, want string }{ // want: "expression : type", or a code
		// What the build must know.
		{`matches(value.s, "^a+$")`, `matches(value.s, "^a+$") : bool`},
		{`matches(value.s, value.s)`, `SG1111`},
		{`matches(value.s, "(")`, `SG1309`},
		{`matches(value.s, "a(?=b)")`, `SG1309`},
		{`matches(value.os, "a")`, `SG1302`},
		{`extract(value.s, "id=([0-9]+)")`, `extract(value.s, "id=([0-9]+)") : optional(string)`},
		{`extract(value.s, "(a)(b)", 2)`, `extract(value.s, "(a)(b)", 2) : optional(string)`},
		{`extract(value.s, "(a)(b)", 3)`, `SG1309`},
		{`extract(value.s, "(a)", -1)`, `SG1309`},
		{`replace_all(value.s, "(?P<x>a)", "<$x$1$$>")`, `replace_all(value.s, "(?P<x>a)", "<$x$1$$>") : string`},
		{`replace_all(value.s, "(a)", "$2")`, `SG1309`},
		{`replace_all(value.s, "(a)", "$1st")`, `SG1309`},
		{`replace_all(value.s, "a", value.s)`, `SG1111`},
		{`parse_time(value.s, "2006-01-02")`, `parse_time(value.s, "2006-01-02")? : timestamp`},
		{`parse_time(value.s, "YYYY-MM-DD")`, `SG1309`},
		{`parse_time(value.s, "2006-01-02", "Europe/Berlin")`, `parse_time(value.s, "2006-01-02", "Europe/Berlin")? : timestamp`},
		{`parse_time(value.s, "2006-01-02", "Europe/Berln")`, `SG1309`},
		{`format_time(value.t, "15:04 MST", "Local")`, `SG1309`},
		{`format_time(timestamp, "2006-01-02")`, `format_time(timestamp, "2006-01-02") : string`},
		{`truncate(value.t, "15m")`, `truncate(value.t, duration 900000) : timestamp`},
		{`truncate(value.t, "0s")`, `SG1309`},
		{`truncate(value.t, value.d)`, `SG1111`},
		{`start_of(value.t, "day")`, `start_of(value.t, "day") : timestamp`},
		{`start_of(value.t, "fortnight")`, `SG1309`},
		{`hour(value.t, "Asia/Kolkata")`, `hour(value.t, "Asia/Kolkata") : int64`},
		{`hour(value.n)`, `SG1301`},
		{`json_string(value.x, "$.a[0]")`, `json_string(value.x, "$.a[0]")? : optional(string)`},
		{`json_string(value.s, "$.a")`, `json_string(to bytes(value.s), "$.a")? : optional(string)`},
		{`json_string(value.x, "a.b")`, `SG1309`},
		{`json_int64(value.n, "$.a")`, `SG1301`},
		{`fixed(value.f, 2)`, `fixed(value.f, 2) : string`},
		{`fixed(value.f, 21)`, `SG1309`},
		{`now()`, `SG1209`},

		// Bytes or a string.
		{`sha256(value.x)`, `sha256(value.x) : bytes`},
		{`sha256(value.s)`, `sha256(to bytes(value.s)) : bytes`},
		{`murmur2("a")`, `murmur2(bytes "a") : int32`},
		{`hex(value.n)`, `SG1301`},
		{`unbase64(value.s)`, `unbase64(value.s)? : bytes`},

		// format is a template.
		{`format("%s: %d%%", value.s, value.n)`, `concat(value.s, ": ", to string(value.n), "%") : string`},
		{`format("%05d|%-8s|%8.2f", value.i, value.e, value.f)`, `concat(digits(to int64(value.i), 5), "|", pad_right(to string(value.e), 8), "|", pad_left(fixed(value.f, 2), 8)) : string`},
		{`format("plain")`, `concat("plain") : string`},
		{`format("%d", value.s)`, `SG1301`},
		{`format("%d", value.f)`, `SG1301`},
		{`format("%f", value.n)`, `SG1301`},
		{`format("%s", value.os)`, `SG1302`},
		{`format("%s")`, `SG1308`},
		{`format("%s", value.s, value.s)`, `SG1308`},
		{`format("%q", value.s)`, `SG1309`},
		{`format("100%", value.s)`, `SG1309`},
		{`format("%.2d", value.n)`, `SG1309`},
		{`format("%05s", value.s)`, `SG1309`},
		{`format(value.s)`, `SG1111`},

		// Numbers.
		{`clamp(value.n, 0, 10)`, `min(max(value.n, 0), 10) : int64`},
		{`clamp(value.f, 0, 10)`, `min(max(value.f, float64 0), float64 10) : float64`},
		{`clamp(value.f, value.n, 10)`, `SG1303`},
		{`sign(value.f)`, `sign(value.f) : int64`},
		{`sign(value.s)`, `SG1301`},
		{`pow(2, value.f)`, `pow(float64 2, value.f) : float64`},
		{`sqrt(value.n)`, `SG1301`},

		// Lists.
		{`sum_of(value.l)`, `SG1301`},
		{`sum_of([value.i])`, `sum_of([value.i]) : int64`},
		{`sum_of([value.f])`, `sum_of([value.f]) : float64`},
		{`sum_of(value.n)`, `SG1301`},
		{`sum_of([])`, `SG1312`},
		{`avg_of([value.n])`, `avg_of([value.n]) : optional(float64)`},
		{`max_of([value.t])`, `max_of([value.t]) : optional(timestamp)`},
		{`max_of([value.b])`, `SG1301`},
		{`first_of(value.l)`, `first_of(value.l) : optional(string)`},
		{`first_of([value.on])`, `SG1301`},
		{`first_of(value.ol)`, `SG1302`},
		{`any_of([for s in value.l : s == ""])`, `any_of([for s in value.l : (s == "")]) : bool`},
		{`any_of(value.l)`, `SG1301`},
		{`contains(value.l, "a")`, `contains(value.l, "a") : bool`},
		{`contains(value.l, 1)`, `SG1301`},
		{`contains([value.e], "silver")`, `contains([value.e], Tier "silver") : bool`},
		{`contains(value.s, "a")`, `contains(value.s, "a") : bool`},
		{`contains(value.n, 1)`, `SG1301`},
		{`contains(value.os, "a")`, `SG1302`},
		{`reverse(value.l)`, `reverse(value.l) : list(string)`},
		{`reverse(value.n)`, `SG1301`},
		{`slice(value.l, 1)`, `slice(value.l, 1) : list(string)`},
		{`slice(value.l, "1")`, `SG1301`},
		{`sort_of(value.l)`, `sort_of(value.l) : list(string)`},
		{`sort_of(value.rs)`, `SG1301`},
		{`sort_by(value.rs, "name")`, `sort_by(value.rs, "name") : list(Inner)`},
		{`sort_by(value.rs, "more")`, `SG1301`},
		{`sort_by(value.rs, "nam")`, `SG1202`},
		{`sort_by(value.rs, value.s)`, `SG1111`},
		{`distinct_of(value.l)`, `distinct_of(value.l) : list(string)`},
		{`distinct_of(value.rs)`, `SG1301`},
		{`join(value.l, ",")`, `join(value.l, ",") : string`},
		{`join([1], ",")`, `SG1301`},
	} {
		e, diags := typed(t, c.expr, mapValues)
		got := ""
		if e != nil {
			got = model.DumpExpr(e)
			if _, ok := e.(*model.Call); ok && e.Base().Fallible {
				got += "?"
			}
			got += " : " + e.Base().Type.String()
		} else {
			got = strings.Join(errorCodes(diags), " ")
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s\n%s", c.expr, got, c.want, text(diags))
		}
	}
}
