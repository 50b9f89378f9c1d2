package syntax

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// The cases by their ids: faults that other HCL tools had.

func TestH01EndOfFile(t *testing.T) {
	f, ds := ParseFile("app.hcl", []byte("b {\n  a = 1 # x\n} # y"))
	if len(ds) > 0 || len(f.Blocks) != 1 {
		t.Error(codes(ds))
	}
	for name, src := range map[string]string{"empty": "", "comment": "# only this", "comments": "\n/* a */\n// b", "bom": bom} {
		f, ds := ParseFile("app.hcl", []byte(src))
		if len(ds) > 0 {
			t.Errorf("%s: %s", name, codes(ds))
		}
		if _, ds := Parse(f); codes(ds) != "SG1012 app.hcl:1:1" {
			t.Errorf("%s: got %s", name, codes(ds))
		}
	}
	g, _ := ParseFile("b.hcl", []byte("# nothing here"))
	if _, ds := Parse(g, f); len(ds) > 0 {
		t.Errorf("one empty file among others: %s", codes(ds))
	}
}

// Carriage returns before line feeds say nothing: the trees are equal, and so are the positions.
func TestH03CRLF(t *testing.T) {
	lf := "# c\nb \"x\" { # d\n  a = <<EOT\nx\n  y\nEOT\n  f = [\n    1,\n  ]\n}\n"
	crlf := strings.ReplaceAll(lf, "\n", "\r\n")
	f, ds := ParseFile("app.hcl", []byte(lf))
	g, ds2 := ParseFile("app.hcl", []byte(crlf))
	if len(ds)+len(ds2) > 0 {
		t.Fatal(codes(ds), codes(ds2))
	}
	a, b := Dump(&Program{Files: []*File{f}}), Dump(&Program{Files: []*File{g}})
	if a != b || !strings.Contains(a, `"x\n  y\n"`) {
		t.Errorf("LF:\n%sCRLF:\n%s", a, b)
	}
	if f.Blocks[0].Range != g.Blocks[0].Range {
		t.Errorf("%v and %v", f.Blocks[0].Range, g.Blocks[0].Range)
	}
	_, ds = ParseFile("app.hcl", []byte("b {\r  a = 1\r}\r"))
	if got := codes(ds); !strings.HasPrefix(got, "SG1003 app.hcl:1:4") {
		t.Errorf("lone carriage returns: %s", got)
	}
}

func TestH05HeredocMarkers(t *testing.T) {
	for _, m := range []string{"EOF1", "E", "end_of_it", "A1B2", "a-b"} {
		if got := value(t, "<<"+m+"\nx\n"+m); got != `"x\n"` {
			t.Errorf("%s: got %s", m, got)
		}
	}
}

func TestH07FlushHeredoc(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"minimum", "    a\n      b\n   c\n", `" a\n   b\nc\n"`},
		{"blank line", "    a\n\n    b\n", `"a\n\nb\n"`},
		{"line of spaces", "    a\n  \n    b\n", `"a\n  \nb\n"`},
		{"only spaces", "    \n", `"    \n"`},
		{"tabs", "\t\ta\n\t\tb\n", `"a\nb\n"`},
		{"mixed", "\t a\n  b\n", `"a\nb\n"`},
		{"interpolation first", "    ${x}\n      b\n", `(template x "\n  b\n")`},
		{"interpolation at the margin", "${x}\n  b\n", `(template x "\n  b\n")`},
		{"interpolation after text", "    a ${x}\n      b ${y}\n", `(template "a " x "\n  b " y "\n")`},
		{"interpolated spaces", "    ${\"  \"}a\n    b\n", `(template "  " "a\nb\n")`},
		{"empty", "", `""`},
	} {
		if got := value(t, "<<-EOT\n"+c.body+"  EOT"); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestH09SignsAtTheEnd(t *testing.T) {
	for in, want := range map[string]string{
		`"cost $"`: `"cost $"`, `"100%"`: `"100%"`, `"$"`: `"$"`, `"%%"`: `"%%"`, `"$$"`: `"$$"`, `"a$${"`: `"a${"`, `"$$$"`: `"$$$"`,
		"<<E\n5 $\nE": `"5 $\n"`, "<<E\n5 %\nE": `"5 %\n"`,
	} {
		if got := value(t, in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestH11EmptyLabel(t *testing.T) {
	src := "stream \"\" {\n  topic = \"x\"\n}\n"
	f, ds := ParseFile("app.hcl", []byte(src))
	if codes(ds) != "SG1009 app.hcl:1:8" {
		t.Error(text(ds, f))
	}
	if out, _ := Format("app.hcl", []byte(src)); string(out) != src {
		t.Errorf("fmt made %q of it", out)
	}
}

func TestH13DuplicateKey(t *testing.T) {
	for in, want := range map[string]string{
		`{ a = 1, b = 2, a = 3 }`:       "SG1007 app.hcl:2:23 <- app.hcl:2:9",
		`{ a = 1, "a" = 3 }`:            "SG1007 app.hcl:2:16 <- app.hcl:2:9",
		`{ a = { a = 1 }, b = { a=2 }}`: "",
	} {
		_, ds := ParseFile("app.hcl", []byte("b {\n  a = "+in+"\n}\n"))
		if codes(ds) != want {
			t.Errorf("%s: got %s", in, codes(ds))
		}
	}
}

func TestH15Splat(t *testing.T) {
	for in, want := range map[string]string{
		"null[*]": "(splat null *)", "null.*.x": "(splat null *.x)", "null[*][0]": "(splat null (index * 0))",
		"[][*]": "(splat (list) *)", "null.x": "null.x", "null[null]": "(index null null)", "5[*].y": "(splat 5 *.y)",
		`"a"[*]`: `(splat "a" *)`, "{}[*]": "(splat (object) *)", "x[*][*].z": "(splat x (splat * *.z))",
	} {
		if got := value(t, in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestH17Encoding(t *testing.T) {
	src := "b {\n  a = \"é\"\n}\n"
	f, ds := ParseFile("app.hcl", []byte(bom+src))
	if len(ds) > 0 || string(f.Source) != src || f.Blocks[0].Range.Start.Column != 1 {
		t.Errorf("leading mark: %s", codes(ds))
	}
	utf16le := []byte{0xff, 0xfe}
	utf16be := []byte{}
	for _, u := range utf16.Encode([]rune(src)) {
		utf16le = append(utf16le, byte(u), byte(u>>8))
		utf16be = append(utf16be, byte(u>>8), byte(u))
	}
	for name, c := range map[string]struct{ src, want string }{
		"inner mark":        {"b {\n  a" + bom + " = 1\n}\n", "SG1002 app.hcl:2:4"},
		"second mark":       {bom + bom + "b {\n}\n", "SG1002 app.hcl:1:1"},
		"mark in a string":  {"b {\n  a = \"x" + bom + "\"\n}\n", "SG1002 app.hcl:2:9"},
		"UTF-16":            {string(utf16le), "SG1002 app.hcl:1:1"},
		"UTF-16 unmarked":   {string(utf16be), "SG1002 app.hcl:1:1"},
		"UTF-32":            {"\xff\xfe\x00\x00b\x00\x00\x00", "SG1002 app.hcl:1:1"},
		"Latin-1":           {"b {\n  a = \"\xe9\"\n}\n", "SG1002 app.hcl:2:8"},
		"surrogate":         {"b {\n  a = \"\xed\xa0\x80\"\n}\n", "SG1002 app.hcl:2:8"},
		"overlong":          {"b {\n  a = \"\xc0\x80\"\n}\n", "SG1002 app.hcl:2:8"},
		"NUL":               {"b {\n  a = \"x\x00\"\n}\n", "SG1003 app.hcl:2:9"},
		"escape in comment": {"# \x1b[31m\nb {\n}\n", "SG1003 app.hcl:1:3"},
	} {
		if _, ds := ParseFile("app.hcl", []byte(c.src)); codes(ds) != c.want {
			t.Errorf("%s: got %s, want %s", name, codes(ds), c.want)
		}
	}
}

func TestH19Unclosed(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"brace", "stream \"a\" {\n  topic = \"x\"\n\nsink \"b\" {\n}\n", "SG1004 app.hcl:1:12"},
		{"inner brace", "stream \"a\" {\n  filter {\n    where = x\n}\nsink \"b\" {\n}\n", "SG1004 app.hcl:2:10 <- app.hcl:4:1"},
		{"parenthesis", "b {\n  a = (1 + f(2)\n}\n", "SG1004 app.hcl:2:7 <- app.hcl:3:1"},
		{"call", "b {\n  a = f(1,\n  c = 2\n}\n", "SG1004 app.hcl:2:8 <- app.hcl:4:1"},
		{"bracket", "b {\n  a = [1, 2\n  c = 3\n}\n", "SG1004 app.hcl:2:7 <- app.hcl:4:1"},
		{"object", "b {\n  a = { x = (1 }\n}\n", "SG1004 app.hcl:2:13 <- app.hcl:2:16"},
		{"quote", "b {\n  a = \"abc\n  c = \"d\"\n}\n", "SG1004 app.hcl:2:7"},
		{"quote at the end", "b {\n  a = \"abc", "SG1004 app.hcl:2:7"},
		{"interpolation", "b {\n  a = \"x${y\"\n}\n", "SG1004 app.hcl:2:12 <- app.hcl:2:9"},
		{"interpolation at the end", "b {\n  a = \"x${y", "SG1004 app.hcl:2:9"},
		{"heredoc", "b {\n  a = <<EOT\nx\n}\n", "SG1004 app.hcl:2:7"},
		{"label", "stream \"a {\n}\n", "SG1004 app.hcl:1:8"},
		{"extra brace", "b {\n}\n}\n", "SG1004 app.hcl:3:1"},
		{"extra bracket", "b {\n  a = 1]\n}\n", "SG1004 app.hcl:2:8"},
		{"crossed", "b {\n  a = ([1)]\n}\n", "SG1004 app.hcl:2:8 <- app.hcl:2:10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, ds := ParseFile("app.hcl", []byte(c.src))
			if codes(ds) != c.want {
				t.Errorf("got  %s\nwant %s\n%s", codes(ds), c.want, text(ds, f))
			}
		})
	}
}

func TestH21Newlines(t *testing.T) {
	for in, want := range map[string]string{
		"{\n  a = 1\n  b = 2\n}":                       `(object "a"=1 "b"=2)`,
		"{\n  a = 1,\n  b = 2,\n}":                     `(object "a"=1 "b"=2)`,
		"{\n\n  a = 1 # c\n\n  b = 2 // d\n\n}":        `(object "a"=1 "b"=2)`,
		"{\nfor k, v in x : k => v\n}":                 "(for k v in x key k value v)",
		"{\n  # c\n  for k, v in\n x :\n k => v\n}":    "(for k v in x key k value v)",
		"[\nfor v in x :\n v\n if v > 0\n]":            "(for  v in x value v if (> v 0))",
		"[\n  1,\n\n  2\n]":                            "(list 1 2)",
		"f(\n  1,\n  2,\n)":                            "(call f 1 2)",
		"(1\n  + 2)":                                   "(paren (+ 1 2))",
		"(x\n  ? 1\n  : 2)":                            "(paren (? x 1 2))",
		"{ a = [\n1,\n2], b = (\n3\n) }":               `(object "a"=(list 1 2) "b"=(paren 3))`,
		"merge(value, {\n  tier = c.tier\n  n = 1\n})": `(call merge value (object "tier"=c.tier "n"=1))`,
	} {
		if got := value(t, in); got != want {
			t.Errorf("%q\n got %s\nwant %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"{ a = 1 b = 2 }": "SG1001 app.hcl:2:15",
		"1\n  + 2":        "SG1001 app.hcl:3:3",
		"[1 2]":           "SG1001 app.hcl:2:10",
	} {
		if _, ds := ParseFile("app.hcl", []byte("b {\n  a = "+in+"\n}\n")); codes(ds) != want {
			t.Errorf("%q: got %s, want %s", in, codes(ds), want)
		}
	}
}

// Numbers keep every digit: whoever gives them a type checks their range.
func TestH23Numbers(t *testing.T) {
	for _, n := range []string{
		"1e400", "1e-400", "9223372036854775808", "0.1", "0.30000000000000004", "1E5", "1e+5", "00012", "0.0",
		strings.Repeat("9", 10_000), "1." + strings.Repeat("0", 10_000) + "1",
	} {
		if got := value(t, n); got != n {
			t.Errorf("%.40s: got %.40s", n, got)
		}
	}
	if got := value(t, "0.1+0.2"); got != "(+ 0.1 0.2)" {
		t.Errorf("got %s", got)
	}
	f, ds := ParseFile("app.hcl", []byte("b {\n  a = 1\n  n = 1e99999999999999999999\n}\n"))
	if len(ds) > 0 && codes(ds) != "SG1001 app.hcl:3:7" {
		t.Error(text(ds, f))
	}
}

// The tree of a file does not depend on its line ends, and positions not on the separator of paths.
func TestG13(t *testing.T) {
	TestH03CRLF(t)
}

func TestG25Identifiers(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"Kelvin sign":      {"type \"A\" {\n  \u212a = string\n}\n", "SG1008 app.hcl:2:3"},
		"ligature":         {"type \"A\" {\n  \ufb01eld = string\n}\n", "SG1008 app.hcl:2:3"},
		"composed":         {"type \"A\" {\n  na\u00efve = string\n}\n", "SG1008 app.hcl:2:3"},
		"combining":        {"type \"A\" {\n  nai\u0308ve = string\n}\n", "SG1008 app.hcl:2:3"},
		"in an expression": {"b {\n  a = value.größe + 1\n}\n", "SG1008 app.hcl:2:13"},
		"override":         {"b {\n  # \u202e }\n}\n", "SG1003 app.hcl:2:5"},
		"isolate in text":  {"b {\n  a = \"\u2066x\u2069\"\n}\n", "SG1003 app.hcl:2:8; SG1003 app.hcl:2:12"},
		"zero width space": {"b {\n  a\u200b = 1\n}\n", "SG1003 app.hcl:2:4"},
		"letters in text":  {"b {\n  a = \"größe, 日本, 🎉, e\u0301\" # größe\n}\n", ""},
		"escaped override": {"b {\n  a = \"\\u202e\"\n}\n", ""},
	} {
		f, ds := ParseFile("app.hcl", []byte(c.src))
		if codes(ds) != c.want {
			t.Errorf("%s: got %s, want %s\n%s", name, codes(ds), c.want, text(ds, f))
		}
	}
}
