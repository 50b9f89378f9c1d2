package syntax

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/streamgen/streamgen/spec/diag"
)

// value parses one attribute and dumps its expression.
func value(t *testing.T, expr string) string {
	t.Helper()
	f, ds := ParseFile("app.hcl", []byte("b {\n  a = "+expr+"\n}\n"))
	if len(ds) > 0 {
		t.Fatalf("%s: %s", expr, text(ds, f))
	}
	return DumpExpr(f.Blocks[0].Attrs[0].Value)
}

func text(ds diag.List, f *File) string {
	var b strings.Builder
	_ = diag.WriteText(&b, ds, diag.TextOptions{Sources: func(string) []byte { return f.Source }})
	return b.String()
}

// codes gives code and place of each diagnostic.
func codes(ds diag.List) string {
	var out []string
	for _, d := range ds {
		s := d.Code + " " + d.Range.String()
		for _, r := range d.Related {
			s += " <- " + r.Range.String()
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"5", "5"},
		{"-5", "(- 5)"},
		{"1e400", "1e400"},
		{"0.1000", "0.1000"},
		{"9223372036854775808", "9223372036854775808"},
		{"true", "true"},
		{"null", "null"},
		{"value.a.b", "value.a.b"},
		{"a - b", "(- a b)"},
		{"a-b", "a-b"},
		{"1 + 2 * 3 == 7 && !x || y", `(|| (&& (== (+ 1 (* 2 3)) 7) (! x)) y)`},
		{"a < b ? 1 : c >= d ? 2 : 3", "(? (< a b) 1 (? (>= c d) 2 3))"},
		{"(a + b) % 2", "(% (paren (+ a b)) 2)"},
		{`"plain"`, `"plain"`},
		{`""`, `""`},
		{`"a\n\"\u00e9\\"`, `"a\n\"\u00e9\\"`},
		{`"$${x} %%{y} $$ %"`, `"${x} %{y} $$ %"`},
		{`"${x}"`, "(template x)"},
		{`"a${x}b${y.z}"`, `(template "a" x "b" y.z)`},
		{`"${"in"}out"`, `(template "in" "out")`},
		{`"${"a${b}"}"`, `(template (template "a" b))`},
		{`"${5}!"`, `(template 5 "!")`},
		{`" a ${~ x ~} b "`, `(template " a" x "b ")`},
		{`x[0]`, "(index x 0)"},
		{`x["k"].y`, `(index x "k").y`},
		{`x[i + 1][-1]`, "(index (index x (+ i 1)) (- 1))"},
		{`f(x)[0].y`, "(index (call f x) 0).y"},
		{`x[*].a`, "(splat x *.a)"},
		{`x.*.a.b`, "(splat x *.a.b)"},
		{`x[*]`, "(splat x *)"},
		{`f()`, "(call f)"},
		{`f(1, "a",)`, `(call f 1 "a")`},
		{`[1, 2,]`, "(list 1 2)"},
		{`{ b = 1, a = 2, "c d" = 3, (k) = 4, "x${y}" = 5, true = 6, null : 7 }`,
			`(object "b"=1 "a"=2 "c d"=3 [(paren k)]=4 [(template "x" y)]=5 "true"=6 "null"=7)`},
		{"[for v in x : v.n if v.n > 0]", "(for  v in x value v.n if (> v.n 0))"},
		{"{for k, v in x : k => v}", "(for k v in x key k value v)"},
		{"merge(value, { tier = c.tier })", `(call merge value (object "tier"=c.tier))`},
		{"headers[\"trace-id\"]", `(index headers "trace-id")`},
	} {
		if got := value(t, c.in); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

// Literals keep the form that was written: é as one letter or as two.
func TestTextIsNotNormalised(t *testing.T) {
	for _, s := range []string{"na\u00efve", "nai\u0308ve", "\ufb01eld", "\u212a"} {
		if got, want := value(t, `"`+s+`"`), fmt.Sprintf("%+q", s); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := value(t, "<<EOT\n"+s+"\nEOT"), fmt.Sprintf("%+q", s+"\n"); got != want {
			t.Errorf("heredoc: got %s, want %s", got, want)
		}
	}
}

func TestPositions(t *testing.T) {
	src := "# é\nstream \"größe\" {\n  b = é\n  f = f(\"é\", value.x == y)\n  l = [for k, v in x : v]\n  a = x[ \"k\" ].z\n}\n"
	src = strings.ReplaceAll(src, "b = é\n", "b = \"é\"\n")
	f, ds := ParseFile("app.hcl", []byte(src))
	if len(ds) > 0 {
		t.Fatal(text(ds, f))
	}
	word := func(r diag.Range) string {
		line := strings.Split(src, "\n")[r.Start.Line-1]
		if r.Start.Line == r.End.Line && line[r.Start.Column-1:r.End.Column-1] != src[r.Start.Byte:r.End.Byte] {
			t.Errorf("line and byte of %v differ", r)
		}
		return src[r.Start.Byte:r.End.Byte]
	}
	b := f.Blocks[0]
	call := b.Attrs[1].Value.(*Call)
	eq := call.Args[1].(*Binary)
	loop := b.Attrs[2].Value.(*For)
	sel := b.Attrs[3].Value.(*Select)
	for _, c := range []struct {
		r    diag.Range
		want string
	}{
		{b.Header, `stream "größe"`},
		{b.Labels[0].Range, `"größe"`},
		{b.Range, src[strings.Index(src, "stream") : len(src)-1]},
		{b.Attrs[0].Range, `b = "é"`},
		{call.Name.Range, "f"},
		{call.Args[0].Pos(), `"é"`},
		{eq.At, "=="},
		{eq.L.(*Select).Name.Range, "x"},
		{loop.KeyVar.Range, "k"},
		{loop.ValueVar.Range, "v"},
		{sel.Name.Range, "z"},
		{sel.X.Pos(), `x[ "k" ]`},
		{sel.X.(*Index).Key.Pos(), `"k"`},
	} {
		if got := word(c.r); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// Attributes are a map in HCL; here they stand as written.
func TestOrder(t *testing.T) {
	var src, want strings.Builder
	src.WriteString("b {\n")
	for i := range 100 {
		fmt.Fprintf(&src, "  a%d = 1\n", 997*i%1000)
		fmt.Fprintf(&want, "a%d ", 997*i%1000)
	}
	src.WriteString("}\n")
	f, _ := ParseFile("app.hcl", []byte(src.String()))
	var got strings.Builder
	for _, a := range f.Blocks[0].Attrs {
		got.WriteString(a.Name.Name + " ")
	}
	if got.String() != want.String() {
		t.Errorf("got %s", got.String())
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"no equals", "b {\n  a \"x\"\n}\n", "SG1001 app.hcl:2:8"},
		{"colon", "b {\n  a: 1\n}\n", "SG1001 app.hcl:2:3"},
		{"two on a line", "b {\n  a = 1 b = 2\n}\n", "SG1001 app.hcl:2:9"},
		{"one-line block", "b { a = 1, c = 2 }\n", "SG1001 app.hcl:1:10"},
		{"single quotes", "b {\n  a = 'x'\n}\n", "SG1001 app.hcl:2:7"},
		{"bitwise", "b {\n  a = x & y\n}\n", "SG1001 app.hcl:2:9"},
		{"no value", "b {\n  a =\n}\n", "SG1001 app.hcl:2:6"},
		{"escape", "b {\n  a = \"\\q\"\n}\n", "SG1001 app.hcl:2:8"},
		{"attribute twice", "b {\n  a = 1\n  c {\n  }\n  a = 2\n}\n", "SG1006 app.hcl:5:3 <- app.hcl:2:3"},
		{"unquoted label", "stream orders {\n}\n", "SG1009 app.hcl:1:8"},
		{"label with template", "stream \"a${x}\" {\n}\n", "SG1001 app.hcl:1:10"},
		{"computed key", "b {\n  a = { v.x = 1 }\n}\n", "SG1010 app.hcl:2:9"},
		{"directive", "b {\n  a = \"%{ if x }y%{ endif }\"\n}\n", "SG1011 app.hcl:2:8; SG1011 app.hcl:2:18"},
		{"spread", "b {\n  a = f(x...)\n}\n", "SG1011 app.hcl:2:9"},
		{"namespace", "b {\n  a = a::f(x)\n}\n", "SG1011 app.hcl:2:7"},
		{"dot index", "b {\n  a = x.0\n}\n", "SG1011 app.hcl:2:8"},
		{"grouping", "b {\n  a = {for k, v in x : k => v...}\n}\n", "SG1011 app.hcl:2:7"},
		{"label at the end", "b \"x\"", "SG1001 app.hcl:1:6"},
		{"top attribute", "a = 1\n", "SG1013 app.hcl:1:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, ds := ParseFile("app.hcl", []byte(c.src))
			if got := codes(ds); got != c.want {
				t.Errorf("got  %s\nwant %s\n%s", got, c.want, text(ds, f))
			}
		})
	}
}

func TestParseDir(t *testing.T) {
	fsys := fstest.MapFS{
		"shop/z.hcl":              {Data: []byte("b \"z\" {\n}\n")},
		"shop/app.hcl":            {Data: []byte("b \"app\" {\n}\n")},
		"shop/a.hcl":              {Data: []byte("b \"a\" {\n}\n")},
		"shop/a_test.hcl":         {Data: []byte("not part of it")},
		"shop/streamgen.lock.hcl": {Data: []byte("not part of it")},
		"shop/.hidden.hcl":        {Data: []byte("not part of it")},
		"shop/readme.md":          {Data: []byte("not part of it")},
		"shop/sub.hcl/x":          {Data: []byte("a directory")},
		"bad/app.hcl":             {Data: []byte("b {\n  a = (\n}\n")},
		"bad/b.hcl":               {Data: []byte("b {\n  a = ]\n}\n")},
		"none/readme.md":          {Data: []byte("")},
	}
	p, ds := ParseDir(fsys, "shop")
	if len(ds) > 0 {
		t.Fatal(codes(ds))
	}
	want := "file shop/app.hcl\n  b \"app\"\nfile shop/a.hcl\n  b \"a\"\nfile shop/z.hcl\n  b \"z\"\n"
	if got := Dump(p); got != want {
		t.Errorf("got\n%s", got)
	}
	if string(p.Source("shop/a.hcl")) != "b \"a\" {\n}\n" || p.Source("shop/b.hcl") != nil {
		t.Error("Source")
	}
	for dir, want := range map[string]string{
		"bad":     "SG1004 bad/app.hcl:2:7 <- bad/app.hcl:3:1; SG1004 bad/b.hcl:2:7",
		"none":    "SG1012 none",
		"missing": "SG1014 missing",
	} {
		if _, ds := ParseDir(fsys, dir); codes(ds) != want {
			t.Errorf("%s: got %s, want %s", dir, codes(ds), want)
		}
	}
}

// All drafts of the language parse, and their trees survive formatting.
func TestExamplesParse(t *testing.T) {
	files, _ := filepath.Glob("../../examples/*/*.hcl")
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if f, ds := ParseFile(name, src); len(ds) > 0 {
			t.Errorf("%s: %s", name, text(ds, f))
		}
	}
}

// Large input stays fast: HCL's own heredocs are quadratic.
func TestG17Large(t *testing.T) {
	var src strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&src, "stream \"s%d\" {\n  from = stream.orders\n  filter { where = value.amount > %d }\n}\n", i, i)
	}
	src.WriteString("type \"Big\" {\n")
	for i := range 5000 {
		fmt.Fprintf(&src, "  f%d = optional(string)\n", i)
	}
	src.WriteString("}\nstream \"doc\" {\n  description = <<EOT\n")
	src.WriteString(strings.Repeat("Fifty characters make a line of this heredoc, all.\n", 20_000))
	src.WriteString("EOT\n}\n")
	start := time.Now()
	f, ds := ParseFile("app.hcl", []byte(src.String()))
	if len(ds) > 0 {
		t.Fatal(codes(ds))
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("%v", took)
	}
	if len(f.Blocks) != 2002 || len(f.Blocks[2000].Attrs) != 5000 || len(f.Blocks[2001].Attrs[0].Value.(*Text).Value) != 51*20_000 {
		t.Error("something is missing")
	}
	t.Log(time.Since(start))
}

func TestDeepNesting(t *testing.T) {
	const n = 50_000
	for name, src := range map[string]string{
		"parentheses":  "b {\n  a = " + strings.Repeat("(", n) + strings.Repeat(")", n) + "\n}\n",
		"lists":        "b {\n  a = " + strings.Repeat("[", n) + strings.Repeat("]", n) + "\n}\n",
		"objects":      "b {\n  a = " + strings.Repeat("{ a = ", n) + "1" + strings.Repeat("}", n) + "\n}\n",
		"blocks":       strings.Repeat("b {\n", n) + strings.Repeat("}\n", n),
		"not":          "b {\n  a = " + strings.Repeat("!", n) + "x\n}\n",
		"minus":        "b {\n  a = " + strings.Repeat("- ", n) + "x\n}\n",
		"lines of not": "b {\n  a = (" + strings.Repeat("!\n", n) + "x)\n}\n",
		"for of not":   "b {\n  a = {for k, v in x : k => " + strings.Repeat("!\n", n) + "x}\n}\n",
		"conditional":  "b {\n  a = " + strings.Repeat("x ? y : ", n) + "z\n}\n",
		"sum":          "b {\n  a = " + strings.Repeat("x + ", n) + "z\n}\n",
		"templates":    "b {\n  a = " + strings.Repeat(`"${`, n) + "x" + strings.Repeat(`}"`, n) + "\n}\n",
		"splats":       "b {\n  a = x" + strings.Repeat("[*]", n) + "\n}\n",
		"names":        "b {\n  a = x" + strings.Repeat(".y", n) + "\n}\n",
		"indexes":      "b {\n  a = x" + strings.Repeat("[i]", n) + "\n}\n",
		"calls":        "b {\n  a = " + strings.Repeat("f(", n) + strings.Repeat(")", n) + "\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, ds := ParseFile("app.hcl", []byte(src))
			if got := codes(ds); !strings.HasPrefix(got, "SG1005 app.hcl:") || len(ds) != 1 {
				t.Errorf("got %.200s", got)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%v", took)
			}
		})
	}
	// Depth is not length.
	wide := "b {\n  a = [" + strings.Repeat("x ? -1 : !y,\n", 10_000) + "]\n  o = {\n" + strings.Repeat("", 0)
	for i := range 10_000 {
		wide += fmt.Sprintf("k%d = x ? -1 : 2\n", i)
	}
	if _, ds := ParseFile("app.hcl", []byte(wide+"}\n}\n")); len(ds) > 0 {
		t.Error(codes(ds))
	}
}

func TestWalk(t *testing.T) {
	f, _ := ParseFile("app.hcl", []byte("b {\n  a = f(x.y ? [1, {k = z, (w) = -q}] : [for v in u : \"${v}\" if (c)], s[*].t[i])\n}\n"))
	var names []string
	Walk(f.Blocks[0].Attrs[0].Value, func(e Expr) bool {
		if n, ok := e.(*Name); ok {
			names = append(names, n.Name)
		}
		return true
	})
	if got := strings.Join(names, " "); got != "x z w q u v c s i" {
		t.Errorf("got %s", got)
	}
}

// What `streamgen explain` shows of syntax is true: the wrong text gives the code, the right one gives none.
func TestExplainedExamples(t *testing.T) {
	for _, c := range diag.Codes() {
		if c.Wrong == "" || !strings.HasPrefix(c.ID, "SG10") {
			continue
		}
		if _, ds := ParseFile("app.hcl", []byte(c.Wrong)); len(ds) == 0 || ds[0].Code != c.ID {
			t.Errorf("%s: the wrong example gives %q", c.ID, codes(ds))
		}
		if _, ds := ParseFile("app.hcl", []byte(c.Right)); len(ds) > 0 {
			t.Errorf("%s: the right example gives %q", c.ID, codes(ds))
		}
	}
}
