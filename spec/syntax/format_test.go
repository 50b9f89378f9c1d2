package syntax

import (
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"spacing", "b \"x\"{\na=1\n   bcd  =   [1,2]\n}", "b \"x\" {\n  a   = 1\n  bcd = [1, 2]\n}\n"},
		{"comment only", "# x", "# x\n"},
		{"blank lines", "\n\n\nb {\n\n\n  a = 1\n\n\n\n  c = 2\n\n}\n\n\n\nd {\n}\n\n\n", "b {\n  a = 1\n\n  c = 2\n}\n\nd {\n}\n"},
		{"blank lines in a list", "b {\n  a = [\n\n    1,\n\n\n    2,\n\n  ]\n}\n", "b {\n  a = [\n    1,\n\n    2,\n  ]\n}\n"},
		{"blank line behind a comment of a brace", "b { # c\n\n  a = 1\n}\n", "b { # c\n\n  a = 1\n}\n"},
		{"attributes move up", `table "t" {
  from = stream.x

  filter { where = a }

  # one
  /* two */
  emit = "every" # three
  count {}
  # not directly above

  description = <<EOT
  kept
     as it is
EOT
}
`, `table "t" {
  from = stream.x
  # one
  /* two */
  emit        = "every" # three
  description = <<EOT
  kept
     as it is
EOT

  filter { where = a }

  count {}
  # not directly above
}
`},
		{"no attribute above", "t {\n  count {}\n  a = 1\n}\n", "t {\n  a = 1\n  count {}\n}\n"},
		{"behind a comment of the brace", "t { # why\n  count {}\n  a = 1\n}\n", "t { # why\n  a = 1\n  count {}\n}\n"},
		{"inner blocks", "t {\n  w {\n    c {}\n    z = 1\n    y = 2\n  }\n  x = 3\n}\n", "t {\n  x = 3\n  w {\n    z = 1\n    y = 2\n    c {}\n  }\n}\n"},
		{"a comment of the block above", "t {\n  c {\n  } # of c\n  a = 1\n}\n", "t {\n  a = 1\n  c {\n  } # of c\n}\n"},
		{"long comments", "t {\n  c {}\n  /* one\n     two */\n  a = 1 /* three\n  four */\n  d {}\n}\n",
			"t {\n  /* one\n     two */\n  a = 1 /* three\n  four */\n  c {}\n  d {}\n}\n"},
		{"heredocs keep blank lines", "b {\n  a = <<E\n\n\n x  \n\n\nE\n}\n", "b {\n  a = <<E\n\n\n x  \n\n\nE\n}\n"},
		{"comments keep blank lines", "/* a\n\n\n b */\nb {\n}\n", "/* a\n\n\n b */\nb {\n}\n"},
		{"CRLF stays", "b {\r\n a=1\r\n}\r\n", "b {\r\n  a = 1\r\n}\r\n"},
		{"mark goes", bom + "b {\n}\n", "b {\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ds := Format("app.hcl", []byte(c.in))
			if len(ds) > 0 {
				t.Fatal(codes(ds))
			}
			if string(got) != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
			again, _ := Format("app.hcl", got)
			if string(again) != string(got) {
				t.Errorf("again:\n%s", again)
			}
		})
	}
}

func TestFormatRefuses(t *testing.T) {
	for _, src := range []string{"b {", "b {\n  a = \n}\n", "b {\n  a = 1\n  a = 2\n}\n", "\xff", "b {\n  \u202ea = 1\n}\n"} {
		if out, ds := Format("app.hcl", []byte(src)); out != nil || !ds.HasErrors() {
			t.Errorf("%q became %q", src, out)
		}
	}
}

var seeds = []string{
	"b \"x\" {\n  a = 1\n}\n", "a = [1, { b = \"${c}\" }]\n", "t {\n  c {}\n  # x\n  a = 1 // y\n}\n", "b {\n  a = <<-E\n  x ${y ~}\n  E\n}\n",
	"b {\n  a = x[*].y[0].z[\"k\"] ? -1 : !f(1, 2...)\n}\n", "b {\n  a = {for k, v in x : k => v if v != null}\n}\r\n", bom + "# x", "/* a */ b { a = 1 }",
	"b {\n  a = \"%{if x}y%{endif}\"\n}", "b {\n a = x.0.1\n}", "b {\n a = (\n1\n)\n}",
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, ds := ParseFile("app.hcl", src)
		for _, d := range ds {
			if d.Range.Start.Line < 1 || d.Range.End.Byte < d.Range.Start.Byte || d.Range.End.Byte > len(file.Source) {
				t.Errorf("%s has no place: %v", d.Code, d.Range)
			}
			if strings.Contains(d.Summary, "cannot say where") {
				t.Errorf("HCL gave up: %s", d.Detail)
			}
		}
		if ds.HasErrors() {
			return
		}
		for _, b := range file.Blocks {
			checkRanges(t, b)
		}
		Dump(&Program{Files: []*File{file}})
	})
}

// checkRanges makes sure that what is inside lies inside.
func checkRanges(t *testing.T, b *Block) {
	for _, a := range b.Attrs {
		if a.Range.Start.Byte < b.Range.Start.Byte || a.Range.End.Byte > b.Range.End.Byte {
			t.Errorf("attribute %s lies outside of its block", a.Name.Name)
		}
		Walk(a.Value, func(e Expr) bool {
			r := e.Pos()
			if r.Start.Byte < a.Range.Start.Byte || r.End.Byte > a.Range.End.Byte || r.End.Byte < r.Start.Byte {
				t.Errorf("%s lies at %d-%d, outside of its attribute at %d-%d", DumpExpr(e), r.Start.Byte, r.End.Byte, a.Range.Start.Byte, a.Range.End.Byte)
			}
			if bin, ok := e.(*Binary); ok && (bin.At.Start.Byte < bin.L.Pos().End.Byte || bin.At.End.Byte > bin.R.Pos().Start.Byte) {
				t.Errorf("the operator %s does not stand between its operands", bin.Op)
			}
			return true
		})
	}
	for _, c := range b.Blocks {
		checkRanges(t, c)
	}
}

func FuzzFormat(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, ds := Format("app.hcl", src)
		if out == nil {
			if !ds.HasErrors() && len(src) > 0 && string(src) != bom {
				t.Fatal("nothing, without a reason")
			}
			return
		}
		before, _ := ParseFile("app.hcl", src)
		after, _ := ParseFile("app.hcl", out)
		if a, b := Dump(&Program{Files: []*File{before}}), Dump(&Program{Files: []*File{after}}); a != b {
			t.Errorf("before:\n%safter:\n%s", a, b)
		}
		if again, _ := Format("app.hcl", out); string(again) != string(out) {
			t.Errorf("%q\nonce:  %q\ntwice: %q", src, out, again)
		}
	})
}
