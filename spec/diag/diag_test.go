package diag

import (
	"strings"
	"testing"
)

func TestSort(t *testing.T) {
	at := func(file string, line, col int) Range {
		return Range{File: file, Start: Pos{line, col, line*100 + col}, End: Pos{line, col + 1, line*100 + col + 1}}
	}
	var l List
	l.Errorf("SG1201", at("other.hcl", 1, 1), "other")
	l.Warnf("SG1904", at("app.hcl", 3, 1), "three")
	l.Errorf("SG1302", at("app.hcl", 2, 9), "two, nine")
	l.Errorf("SG1302", at("app.hcl", 2, 9), "two, nine")
	l.Warnf("SG1904", at("app.hcl", 2, 1), "two, one")
	l.Errorf("SG1201", at("b.hcl", 1, 1), "b")
	l.Sort()
	var got []string
	for _, d := range l {
		got = append(got, d.Range.String()+" "+d.Summary)
	}
	want := "app.hcl:2:1 two, one|app.hcl:2:9 two, nine|app.hcl:3:1 three|b.hcl:1:1 b|other.hcl:1:1 other"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("order:\n got %s\nwant %s", s, want)
	}
	if l.Errors() != 3 || l.Warnings() != 2 || !l.HasErrors() {
		t.Errorf("%d errors, %d warnings", l.Errors(), l.Warnings())
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"grase", "grace"},
		{"order", "orders"},
		{"Orders", "orders"},
		{"order-lines", "order_lines"},
		{"custmoer_id", "customer_id"},
		{"zebra", ""},
		{"x", ""},
		{"", ""},
		{strings.Repeat("o", 1<<20), ""},
	} {
		got := Nearest(c.name, []string{"grace", "orders", "order_lines", "customer_id", "size"})
		if got != c.want {
			t.Errorf("Nearest(%.20q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWriteText(t *testing.T) {
	src := "stream \"a\" {\n\tvalue = \"日本\" + größe\u202e + e\u0301x\n}\n"
	find := func(word string) Range {
		i := strings.Index(src, word)
		col := i - strings.Index(src, "\n")
		return Range{File: "app.hcl", Start: Pos{2, col, i}, End: Pos{2, col + len(word), i + len(word)}}
	}
	var l List
	l.Errorf("SG1302", find("größe"), "gr\u00f6\u00dfe may be \x1b[31mnull").
		WithDetail("It is optional.\nAll of it.").WithHint("`coalesce(größe, 0)`").WithRelated(find("x"), "declared here")
	l.Warnf("SG1904", Range{File: "b.hcl"}, "nothing reads it")
	var b strings.Builder
	if err := WriteText(&b, l, TextOptions{Sources: func(f string) []byte {
		if f == "app.hcl" {
			return []byte(src)
		}
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	want := `app.hcl:2:21: error[SG1302]: größe may be �[31mnull
    2 |     value = "日本" + größe� + éx
      |                      ^^^^^
   It is optional.
   All of it.
   hint: ` + "`coalesce(größe, 0)`" + `
   app.hcl:2:37: declared here
    2 |     value = "日本" + größe� + éx
      |                                ^

b.hcl: warning[SG1904]: nothing reads it
`
	want = strings.ReplaceAll(want, "éx", "e\u0301x")
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestWriteTextLongLine(t *testing.T) {
	src := strings.Repeat("a", 1<<20) + "BAD" + strings.Repeat("é", 1<<20)
	r := Range{File: "f", Start: Pos{1, 1<<20 + 1, 1 << 20}, End: Pos{1, 1<<20 + 4, 1<<20 + 3}}
	var l List
	l.Errorf("SG1001", r, "bad")
	var b strings.Builder
	if err := WriteText(&b, l, TextOptions{Color: true, Sources: func(string) []byte { return []byte(src) }}); err != nil {
		t.Fatal(err)
	}
	if len(b.String()) > 1000 {
		t.Errorf("%d bytes", len(b.String()))
	}
	shown := strings.Split(b.String(), "\n")
	if i, j := strings.Index(shown[1], "BAD"), strings.Index(shown[2], red+"^^^"); i-len("…")+1 != j {
		t.Errorf("caret at %d, text at %d:\n%s", j, i, b.String())
	}
}

func TestWriteMachines(t *testing.T) {
	var l List
	r := Range{File: "a,b.hcl", Start: Pos{1, 2, 1}, End: Pos{1, 4, 3}}
	l.Errorf("SG1001", r, "100%% of <it>").WithHint("two\nlines").WithRelated(r, "here")
	var b strings.Builder
	if err := WriteGitHub(&b, l); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a%2Cb.hcl,line=1,col=2,endLine=1,endColumn=4,title=SG1001::100%25%25 of <it>%0Ahint: two%0Alines%0Aa,b.hcl:1:2: here\n"
	if b.String() != want {
		t.Errorf("got  %swant %s", b.String(), want)
	}
	b.Reset()
	if err := WriteJSON(&b, l); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, `"summary": "100%% of <it>"`) || !strings.Contains(got, `"line": 1`) {
		t.Errorf("got %s", got)
	}
	b.Reset()
	if err := WriteJSON(&b, nil); err != nil || !strings.Contains(b.String(), `"diagnostics": []`) {
		t.Errorf("got %s, %v", b.String(), err)
	}
}

func TestCodes(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	for _, c := range Codes() {
		if len(c.ID) != 6 || !strings.HasPrefix(c.ID, "SG1") {
			t.Errorf("%q is no code", c.ID)
		}
		if seen[c.ID] || c.ID < last {
			t.Errorf("%s stands twice or out of order", c.ID)
		}
		seen[c.ID], last = true, c.ID
		if c.Title == "" || c.Text == "" {
			t.Errorf("%s has no title or text", c.ID)
		}
		if (c.Wrong == "") != (c.Right == "") {
			t.Errorf("%s has only one of its examples", c.ID)
		}
		if got, ok := Lookup(c.ID); !ok || got.Title != c.Title {
			t.Errorf("Lookup(%s) = %v, %v", c.ID, got, ok)
		}
	}
	if _, ok := Lookup("SG9999"); ok {
		t.Error("SG9999 exists")
	}
}
