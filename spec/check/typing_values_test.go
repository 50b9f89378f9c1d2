package check_test

import (
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/model"
)

// The rules of lists, maps, decimals, UUIDs and float32.
func TestTypingOfValues(t *testing.T) {
	for _, c := range []struct{ expr, want string }{ // want: "expression : type", or a code
		// Lists.
		{`[1, 2]`, `[1, 2] : list(int64)`},
		{`[1, value.f]`, `[float64 1, value.f] : list(float64)`},
		{`[value.n, null]`, `[some(value.n), null] : list(optional(int64))`},
		{`[value.n, value.s]`, `SG1303`},
		{`[]`, `[] : list(null)`},
		{`{ a = [] }`, `SG1312`},
		{`value.b ? value.l : []`, `(value.b ? value.l : []) : list(string)`},
		{`value.b ? [] : value.l`, `(value.b ? [] : value.l) : list(string)`},
		{`value.l == []`, `(value.l == []) : bool`},
		{`value.l == ["a"]`, `(value.l == ["a"]) : bool`},
		{`value.l < value.l`, `SG1311`},
		{`value.l + ["x"]`, `(value.l + ["x"]) : list(string)`},
		{`[] + value.l`, `([] + value.l) : list(string)`},
		{`value.l + [1]`, `SG1303`},
		{`value.l - value.l`, `SG1311`},
		{`coalesce(value.ol, [])`, `coalesce(value.ol, []) : list(string)`},
		{`length(value.l) + length(value.m)`, `(length(value.l) + length(value.m)) : int64`},
		{`length(value.ol)`, `SG1302`},
		{`length(value.n)`, `SG1301`},
		{`split(value.s, ",")`, `split(value.s, ",") : list(string)`},
		{`"${value.l}"`, `SG1301`},
		{`value.l[0]`, `value.l[0]? : string`},
		{`try(value.l[0], "")`, `try(value.l[0]?, "") : string`},
		{`value.rs[value.n].name`, `value.rs[value.n]?.name : string`},
		{`value.l["x"]`, `SG1301`},
		{`value.ol[0]`, `SG1302`},
		{`value.ol == null ? "" : value.ol[0]`, `(value.ol == null ? "" : value.ol![0]?) : string`},
		{`value.s[0]`, `SG1311`},

		// Maps.
		{`value.m["a"]`, `value.m["a"]? : int64`},
		{`value.m[1]`, `SG1301`},
		{`value.m == value.m`, `(value.m == value.m) : bool`},
		{`{ (value.s) = value.n, b = 1 }`, `map{value.s = value.n, "b" = 1} : map(string, int64)`},
		{`{ (value.n) = 1 }`, `SG1301`},
		{`{ (value.s) = null }`, `SG1312`},
		{`value.b ? value.m : { a = 1 }`, `(value.b ? value.m : map{"a" = 1}) : map(string, int64)`},
		{`value.m == {}`, `(value.m == map{}) : bool`},

		// for and splat.
		{`[for s in value.l : upper(s)]`, `[for s in value.l : upper(s)] : list(string)`},
		{`[for i, s in value.l : { i = i, s = s }]`, `[for i, s in value.l : { i = i, s = s }] : list({ i = int64, s = string })`},
		{`[for s in value.l : s if s != ""]`, `[for s in value.l : s if (s != "")] : list(string)`},
		{`[for r in value.rs : r.more if r.more != null]`, `[for r in value.rs : r.more! if r.more != null] : list(string)`},
		{`[for r in value.rs : r.more + "x"]`, `SG1302`},
		{`[for k, v in value.m : "${k}${v}"]`, `[for k, v in value.m : concat(k, to string(v))] : list(string)`},
		{`[for v in value.m : v]`, `[for v in value.m : v] : list(int64)`},
		{`{ for r in value.rs : r.name => length(r.name) }`, `[for r in value.rs : r.name => length(r.name)] : map(string, int64)`},
		{`{ for r in value.rs : length(r.name) => 1 }`, `SG1301`},
		{`[for s in value.l : [for c in split(s, "") : c + s]]`, `[for s in value.l : [for c in split(s, "") : (c + s)]] : list(list(string))`},
		{`[for s in value.l : int64(s)]`, `[for s in value.l : to int64(s)?] : list(int64)`},
		{`[for key in value.l : key]`, `SG1205`},
		{`[for s in value.l : [for s in value.l : s]]`, `SG1205`},
		{`[for s in value.ol : s]`, `SG1302`},
		{`[for s in value.s : s]`, `SG1311`},
		{`[for s in [] : s]`, `SG1312`},
		{`[for s in value.l : null]`, `SG1312`},
		{`[for s in value.l : t]`, `SG1204`},
		{`s`, `SG1204`},
		{`value.rs[*].name`, `[for item in value.rs : item.name] : list(string)`},
		{`value.rs[*].nope`, `SG1202`},
		{`value.m[*]`, `SG1311`},
		{`value.l[*]`, `[for item in value.l : item] : list(string)`},

		// Decimals: literals have the digits that they need, results as many as they may need.
		{`value.c + 1`, `(to decimal(13, 2)(value.c) + decimal(13, 2) 1.00) : decimal(13, 2)`},
		{`value.c * 1.19`, `(value.c * decimal(3, 2) 1.19) : decimal(15, 4)`},
		{`1.5 * value.c`, `(decimal(2, 1) 1.5 * value.c) : decimal(14, 3)`},
		{`value.c - value.cs`, `(to decimal(15, 4)(value.c) - to decimal(15, 4)(value.cs)) : decimal(15, 4)`},
		{`floor(value.c)`, `floor(value.c) : int64`},
		{`round(value.g)`, `round(to float64(value.g)) : int64`},
		{`trunc(2.5)`, `trunc(float64 2.5) : int64`},
		{`ceil(value.n)`, `SG1301`},
		{`floor(value.s)`, `SG1301`},
		{`-value.c`, `-(value.c) : decimal(12, 2)`},
		{`value.c > 50.5`, `(value.c > decimal(12, 2) 50.50) : bool`},
		{`value.c > 0.001`, `(to decimal(13, 3)(value.c) > decimal(13, 3) 0.001) : bool`},
		{`value.c == value.cs`, `(to decimal(14, 4)(value.c) == to decimal(14, 4)(value.cs)) : bool`},
		{`value.oc == 5`, `SG1303`},
		{`value.c == value.n`, `SG1303`},
		{`value.c + value.n`, `SG1303`},
		{`value.c + value.f`, `SG1303`},
		{`value.c / 2`, `SG1311`},
		{`value.big * value.big * value.big * value.big`, `SG1311`},
		{`value.big + value.big`, `(value.big + value.big) : decimal(38, 10)`},
		{`div(value.c, 3, 4)`, `div(value.c, decimal(1, 0) 3, 4) : decimal(38, 4)`},
		{`div(value.c, value.n, 2)`, `div(value.c, to decimal(19, 0)(value.n), 2) : decimal(38, 2)`},
		{`div(value.c, 0, 2)`, `SG1313`},
		{`div(value.c, value.f, 2)`, `SG1301`},
		{`div(value.c, 3, 39)`, `SG1308`},
		{`div(value.c, 3, value.n)`, `SG1204`},
		{`decimal(value.n, 21, 2)`, `to decimal(21, 2)(value.n) : decimal(21, 2)`},
		{`decimal(value.n, 12, 2)`, `to decimal(12, 2)(value.n)? : decimal(12, 2)`},
		{`decimal(value.s, 12, 2)`, `to decimal(12, 2)(value.s)? : decimal(12, 2)`},
		{`decimal(value.f, 12, 2)`, `to decimal(12, 2)(value.f)? : decimal(12, 2)`},
		{`decimal(value.c, 14, 3)`, `to decimal(14, 3)(value.c) : decimal(14, 3)`},
		{`decimal(value.c, 12, 3)`, `to decimal(12, 3)(value.c)? : decimal(12, 3)`},
		{`decimal(1.5, 4, 2)`, `decimal(4, 2) 1.50 : decimal(4, 2)`},
		{`decimal(1.555, 4, 2)`, `SG1305`},
		{`decimal(value.b, 4, 2)`, `SG1301`},
		{`decimal(value.c)`, `SG1308`},
		{`decimal(1.5, 4, 2) * 2 + decimal("0.25", 4, 2)`, `(decimal(6, 2) 3.00 + to decimal(6, 2)(to decimal(4, 2)("0.25")?)) : decimal(6, 2)`},
		{`int64(value.c)`, `to int64(value.c)? : int64`},
		{`float64(value.c)`, `to float64(value.c) : float64`},
		{`string(value.c)`, `to string(value.c) : string`},
		{`string(decimal(1.5, 4, 2))`, `"1.50" : string`},
		{`"${value.c} ${value.u}"`, `concat(to string(value.c), " ", to string(value.u)) : string`},
		{`max(value.c, 0)`, `max(value.c, decimal(12, 2) 0.00) : decimal(12, 2)`},
		{`min(value.c, value.cs)`, `min(to decimal(14, 4)(value.c), to decimal(14, 4)(value.cs)) : decimal(14, 4)`},
		{`abs(value.c)`, `abs(value.c) : decimal(12, 2)`},
		{`coalesce(value.oc, 0)`, `coalesce(value.oc, decimal(12, 2) 0.00) : decimal(12, 2)`},
		{`value.b ? value.c : 0`, `(value.b ? value.c : decimal(12, 2) 0.00) : decimal(12, 2)`},
		{`value.b ? value.c : value.cs`, `SG1303`},

		// UUIDs.
		{`uuid(value.s)`, `to uuid(value.s)? : uuid`},
		{`value.u == "01234567-89AB-cdef-0123-456789abcdef"`, `(value.u == uuid 01234567-89ab-cdef-0123-456789abcdef) : bool`},
		{`value.u == "x"`, `SG1309`},
		{`uuid_v5(value.u, value.s)`, `uuid_v5(value.u, to bytes(value.s)) : uuid`},
		{`uuid_time(value.u) + "1h"`, `SG1302`},
		{`value.u < value.u`, `SG1311`},
		{`string(value.u)`, `to string(value.u) : string`},
		{`uuid(value.n)`, `SG1301`},

		// float32.
		{`value.g + 0.1`, `(value.g + float32 0.10000000149011612) : float32`},
		{`value.g * value.f`, `(to float64(value.g) * value.f) : float64`},
		{`value.g + value.n`, `SG1303`},
		{`value.g > 1e39`, `SG1305`},
		{`float32(value.f)`, `to float32(value.f)? : float32`},
		{`float32(value.n)`, `to float32(value.n) : float32`},
		{`float64(value.g)`, `to float64(value.g) : float64`},
		{`int64(value.g)`, `to int64(value.g)? : int64`},
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

// What can fail in a list needs a policy as elsewhere.
func TestFailuresInLists(t *testing.T) {
	for expr, want := range map[string]string{
		`value.l[0]`: "SG1330", `[for s in value.l : int64(s)]`: "SG1330", `[for s in value.l : try(int64(s), 0)]`: "", `value.m["a"]`: "SG1330",
		`value.c + value.c`: "", `div(value.c, value.cs, 2)`: "SG1330", `div(value.c, 3, 2)`: "", `decimal(value.s, 5, 2)`: "SG1330", `[value.l[0]]`: "SG1330",
	} {
		_, diags := typed(t, expr, "  map_values { value = %s }")
		if got := strings.Join(errorCodes(diags), " "); got != want {
			t.Errorf("%s: %q, want %q\n%s", expr, got, want, text(diags))
		}
	}
}
