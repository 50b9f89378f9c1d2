package library

import "github.com/streamgen/streamgen/spec/types"

// stringFunctions count code points, never bytes.
var stringFunctions = group{name: "Strings", about: "Positions and lengths count code points. A text that a function makes has at most 16 MiB: more is bad logic.", functions: []Function{
	{
		Name: "lower", Params: params(of("s", str)), Least: 1, Result: str,
		Doc: "s in lower case, by Unicode.", Examples: examples(`lower("ABC")`, `"abc"`, `lower("ÄÖ")`, `"äö"`),
	},
	{
		Name: "upper", Params: params(of("s", str)), Least: 1, Result: str,
		Doc: "s in upper case, by Unicode.", Examples: example(`upper("abc")`, `"ABC"`),
	},
	{
		Name: "trim", Params: params(of("s", str)), Least: 1, Result: str,
		Doc: "s without white space at both ends, by Unicode.", Examples: example(`trim(" a b\n")`, `"a b"`),
	},
	{
		Name: "trim_start", Params: params(of("s", str)), Least: 1, Result: str,
		Doc: "s without white space at its beginning.", Examples: example(`trim_start(" a ")`, `"a "`),
	},
	{
		Name: "trim_end", Params: params(of("s", str)), Least: 1, Result: str,
		Doc: "s without white space at its end.", Examples: example(`trim_end(" a ")`, `" a"`),
	},
	{
		Name: "trim_prefix", Params: params(of("s", str), of("prefix", str)), Least: 2, Result: str,
		Doc: "s without prefix, if it begins with it.", Examples: examples(`trim_prefix("eu-7", "eu-")`, `"7"`, `trim_prefix("us-7", "eu-")`, `"us-7"`),
	},
	{
		Name: "trim_suffix", Params: params(of("s", str), of("suffix", str)), Least: 2, Result: str,
		Doc: "s without suffix, if it ends with it.", Examples: example(`trim_suffix("a.csv", ".csv")`, `"a"`),
	},
	{
		Name: "contains", Typing: "contains(s, part string) or (l list(T), x T) bool", Least: 2, Most: 2,
		Doc: "Whether part stands in s, or x is an element of l.", Examples: examples(`contains("an error", "error")`, `true`, `contains([1, 2], 3)`, `false`),
	},
	{
		Name: "starts_with", Params: params(of("s", str), of("prefix", str)), Least: 2, Result: yes,
		Doc: "Whether s begins with prefix.", Examples: example(`starts_with("eu-7", "eu-")`, `true`),
	},
	{
		Name: "ends_with", Params: params(of("s", str), of("suffix", str)), Least: 2, Result: yes,
		Doc: "Whether s ends with suffix.", Examples: example(`ends_with("7-eu", "-us")`, `false`),
	},
	{
		Name: "index_of", Params: params(of("s", str), of("part", str)), Least: 2, Result: i64,
		Doc: "Where part first stands in s, from 0; -1 if it is not there.", Examples: examples(`index_of("grün-n", "n")`, `3`, `index_of("abc", "x")`, `-1`),
	},
	{
		Name: "last_index_of", Params: params(of("s", str), of("part", str)), Least: 2, Result: i64,
		Doc: "Where part last stands in s, from 0; -1 if it is not there.", Examples: examples(`last_index_of("grün-n", "n")`, `5`, `last_index_of("abc", "x")`, `-1`),
	},
	{
		Name: "substr", Params: params(of("s", str), of("start", i64), of("n", i64)), Least: 2, Result: str,
		Doc:      "n code points of s from start, or all to the end. What of it lies outside of s is left out.",
		Examples: examples(`substr("héllo", 1, 3)`, `"éll"`, `substr("abc", 1)`, `"bc"`, `substr("abc", -1, 2)`, `"a"`, `substr("abc", 7)`, `""`),
	},
	{
		Name: "length", Typing: "length(x string, list(T) or map(string, V)) int64", Least: 1, Most: 1,
		Doc: "How many code points, elements or keys x has.", Examples: examples(`length("héllo")`, `5`, `length(["a", "b"])`, `2`),
	},
	{
		Name: "reverse", Typing: "reverse(x string or list(T)) string or list(T)", Least: 1, Most: 1,
		Doc: "The code points or elements of x, the last one first.", Examples: examples(`reverse("grün")`, `"nürg"`, `reverse([1, 2, 3])`, `[3, 2, 1]`),
	},
	{
		Name: "repeat", Params: params(of("s", str), of("n", i64)), Least: 2, Result: str,
		Doc: "s, n times; nothing if n is not above 0.", Examples: examples(`repeat("ab", 3)`, `"ababab"`, `repeat("ab", -1)`, `""`),
	},
	{
		Name: "replace", Params: params(of("s", str), of("old", str), of("new", str)), Least: 3, Result: str,
		Doc: "s with each old replaced by new.", Examples: examples(`replace("1,5,", ",", ".")`, `"1.5."`, `replace("abc", "x", "y")`, `"abc"`),
	},
	{
		Name: "pad_left", Params: params(of("s", str), fixed("n", i64, Width), of("with", str)), Least: 2, Result: str,
		Doc:      "s with as much in front of it as makes n code points: spaces, or with over and over. A longer s stays as it is.",
		Examples: examples(`pad_left("7", 3, "0")`, `"007"`, `pad_left("grün", 6)`, `"  grün"`, `pad_left("abc", 2)`, `"abc"`, `pad_left("a", 6, "xy")`, `"xyxyxa"`),
	},
	{
		Name: "pad_right", Params: params(of("s", str), fixed("n", i64, Width), of("with", str)), Least: 2, Result: str,
		Doc:      "s with as much behind it as makes n code points: spaces, or with over and over. A longer s stays as it is.",
		Examples: examples(`pad_right("ab", 4, ".")`, `"ab.."`, `pad_right("ab", 4)`, `"ab  "`),
	},
	{
		Name: "format", Typing: "format(form constant string, x, …) string", Least: 1,
		Doc: "form with a value for each verb: %s what a template takes, %d an integer, %f a float; %% is a percent sign. A width in front " +
			"of the letter pads with spaces (%8s), with - at the right end (%-8s), with 0 zeros in front of an integer (%05d). %.2f is two places.",
		Examples: examples(
			`format("%s: %d%%", "done", 50)`, `"done: 50%"`, `format("%05d|%5d|%-5d|", 42, 42, 42)`, `"00042|   42|42   |"`,
			`format("%.2f %8.1f", 2.5, -1.25)`, `"2.50     -1.2"`, `format("%05d", -42)`, `"-0042"`, `format("%-4s|%4s", "é", "é")`, `"é   |   é"`),
	},
	{
		Name: "digits", Params: params(of("n", i64), fixed("width", i64, Number)), Least: 2, Result: str,
		Doc: "n in decimal digits, with zeros in front of them up to that width; a minus sign counts.", Examples: examples(`digits(7, 3)`, `"007"`, `digits(-7, 3)`, `"-07"`, `digits(1234, 3)`, `"1234"`),
	},
	{
		Name: "fixed", Params: params(of("f", f64), fixed("places", i64, Number)), Least: 2, Result: str,
		Doc: "f with that many decimal places, rounded to the nearest, a tie to the even digit of the exact value.", Examples: examples(`fixed(2.5, 2)`, `"2.50"`, `fixed(2.675, 2)`, `"2.67"`, `fixed(-0.5, 0)`, `"-0"`),
	},
}}

// patterns are functions of regular expressions.
var patterns = group{name: "Regular expressions", about: "The syntax is RE2, that of Go. A pattern is constant: the build checks it, and it is compiled once. It is looked for anywhere in the text; ^ and $ hold it to the ends.", functions: []Function{
	{
		Name: "matches", Params: params(of("s", str), fixed("pattern", str, Pattern)), Least: 2, Result: yes,
		Doc: "Whether the pattern matches a part of s.", Examples: examples(`matches("order-12", "[0-9]+$")`, `true`, `matches("order-12", "^[0-9]+$")`, `false`),
	},
	{
		Name: "extract", Params: params(of("s", str), fixed("pattern", str, Pattern), fixed("group", i64, Number)), Least: 2, Result: types.OptionalOf(str),
		Doc:      "What the pattern's first group matched, or the whole match if it has no groups; with a number, that group (0: the whole match). Null if nothing matches.",
		Examples: examples(`extract("id=42;", "id=([0-9]+)")`, `"42"`, `extract("id=42;", "[0-9]+")`, `"42"`, `extract("a=1,b=2", "(a)=(.)", 2)`, `"1"`, `coalesce(extract("none", "[0-9]+"), "-")`, `"-"`),
	},
	{
		Name: "replace_all", Params: params(of("s", str), fixed("pattern", str, Pattern), fixed("with", str, Text)), Least: 3, Result: str,
		Doc:      "s with each match replaced by with, in which $1 is the first group, $name a named one and $$ a dollar sign.",
		Examples: examples(`replace_all("a1b22", "[0-9]+", "#")`, `"a#b#"`, `replace_all("2024-05", "(\\d+)-(\\d+)", "$2/$1")`, `"05/2024"`),
	},
}}
