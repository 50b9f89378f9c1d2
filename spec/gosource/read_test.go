package gosource_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/gocode"
	"github.com/streamgen/streamgen/spec/gosource"
)

// module is a user's module in which nothing has been generated: package records is laid over it.
var module = map[string]string{
	"go.mod": "module example.com/shop\n\ngo 1.26\n",
	"fraud/fraud.go": `package fraud

import (
	"context"
	"time"

	"example.com/shop/generated/shop/records"
)

type Amount = int64

type Level int

func Score(ctx context.Context, o *records.Order, tier records.Tier) (float64, error) { return 0, nil }

func Forms(a []byte, b []string, c time.Time, d map[string]int, e Amount, f Level, g rune, _ byte) {}

func Sum[T int32 | int64](list ...T) T { return list[0] }

var Variable = func() int { return 0 }

const Constant = 1

type Payment struct {
	ID     string ` + "`json:\"id\" db:\"x\"`" + `
	Order  records.Order
	hidden int
	time.Time
}

type Pair[T any] struct{ A, B T }

type Alias = Payment

func (p *Payment) Method() int { return p.hidden }
`,
	"broken/broken.go":      "package broken\n\nimport \"example.com/shop/generated/shop/records\"\n\nfunc Score(o records.Order) int64 {\n\treturn o.Nothing\n}\n",
	"unparsed/unparsed.go":  "package unparsed\n\nfunc Score( {\n",
	"command/main.go":       "package main\n\nfunc main() {}\n\nfunc Score() int64 { return 0 }\n",
	"empty/README.md":       "nothing",
	"go-redis/v9/redis.go":  "package redis\n\nfunc Get() string { return \"\" }\n",
	"far/far.go":            "package far\n\nimport \"example.com/shop/fraud\"\n\ntype Far struct{ A fraud.Amount }\n",
	"deep/deep.go":          "package deep\n\nimport \"example.com/shop/broken\"\n\nfunc Score() int64 { return broken.Score(x) }\n",
	"generated/shop/old.go": "package shop\n\nstale\n",
}

func write(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range module {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, refs ...string) *gocode.Code {
	t.Helper()
	dir := write(t)
	var list []gocode.Ref
	for _, text := range refs {
		ref, why := gocode.ParseRef("example.com/shop/" + text)
		if why != "" {
			t.Fatal(text, why)
		}
		list = append(list, ref)
	}
	code, err := gosource.Read(gosource.Config{
		Dir: dir, Env: append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOPROXY=off", "GOWORK=off"),
		Overlay: map[string][]byte{
			filepath.Join(dir, "generated", "shop", "records", "order_gen.go"): []byte("package records\n\ntype Order struct{ ID string }\n\ntype Tier uint8\n"),
		},
		Records: "example.com/shop/generated/shop/records",
		Name:    func(name string) string { return strings.TrimPrefix(name, dir+string(filepath.Separator)) },
	}, list)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func symbol(t *testing.T, c *gocode.Code, name string) *gocode.Symbol {
	t.Helper()
	for ref, s := range c.Symbols {
		if ref.Name == name {
			return s
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}

func TestFunctions(t *testing.T) {
	code := read(t, "fraud.Score", "fraud.Forms", "fraud.Sum", "fraud.Variable", "fraud.Constant", "fraud.Nowhere", "go-redis/v9.Get")
	if len(code.Faults) > 0 {
		t.Fatal(code.Faults)
	}
	score := symbol(t, code, "Score")
	f := score.Func
	if score.Package != "fraud" || score.Range.String() != "fraud/fraud.go:14:6" || len(f.Params) != 3 || len(f.Results) != 2 || f.Generic || f.Variadic {
		t.Errorf("got %+v, %+v", score, f)
	}
	if !f.Params[0].Type.Is("context", "Context") || !f.Results[1].Type.Is("", "error") || f.Params[1].Range.String() != "fraud/fraud.go:14:33" || f.Params[1].Name != "o" {
		t.Errorf("got %+v", f)
	}
	if o := f.Params[1].Type; o.Kind != gocode.Pointer || o.Text != "*records.Order" || !o.Args[0].Is("example.com/shop/generated/shop/records", "Order") || o.Args[0].Under != "struct" {
		t.Errorf("got %+v", o)
	}
	var forms []string
	for _, p := range symbol(t, code, "Forms").Func.Params {
		forms = append(forms, fmt.Sprintf("%d %s %s %s", p.Type.Kind, p.Type.Name, p.Type.Under, p.Type.Text))
	}
	want := []string{"4   []byte", "4   []string", "2 Time struct time.Time", "0   map[string]int", "1 int64  fraud.Amount", "2 Level int fraud.Level", "1 int32  rune", "1 uint8  byte"}
	if !slices.Equal(forms, want) && !slices.Equal(forms, append(slices.Clone(want[:6]), "1 rune  rune", "1 uint8  byte")) {
		t.Errorf("got %q", forms)
	}
	if s := symbol(t, code, "Sum").Func; !s.Generic || !s.Variadic {
		t.Errorf("got %+v", s)
	}
	if symbol(t, code, "Variable").Kind != "a variable" || symbol(t, code, "Constant").Kind != "a constant" {
		t.Error("kinds")
	}
	if redis := symbol(t, code, "Get"); redis.Package != "redis" || redis.SeesRecords || !score.SeesRecords {
		t.Errorf("got %+v", redis)
	}
	if far := symbol(t, read(t, "far.Far"), "Far"); !far.SeesRecords {
		t.Error("an import behind an import is not seen")
	}
	if len(code.Symbols) != 6 {
		t.Errorf("%d symbols", len(code.Symbols))
	}
}

func TestStructs(t *testing.T) {
	code := read(t, "fraud.Payment", "fraud.Pair", "fraud.Alias", "fraud.Level")
	var fields []string
	for _, f := range symbol(t, code, "Payment").Struct.Fields {
		fields = append(fields, fmt.Sprintf("%s %s %q %t %s", f.Name, f.Type.Text, f.Tag, f.Embedded, f.Range))
	}
	want := []string{
		`ID string "json:\"id\" db:\"x\"" false fraud/fraud.go:25:2`,
		`Order records.Order "" false fraud/fraud.go:26:2`,
		`hidden int "" false fraud/fraud.go:27:2`,
		`Time time.Time "" true fraud/fraud.go:28:7`,
	}
	if !slices.Equal(fields, want) {
		t.Errorf("got  %q\nwant %q", fields, want)
	}
	if !symbol(t, code, "Pair").Struct.Generic || symbol(t, code, "Alias").Kind != "an alias" || symbol(t, code, "Level").Struct != nil {
		t.Error("kinds")
	}
}

func TestFaults(t *testing.T) {
	code := read(t, "broken.Score", "unparsed.Score", "command.Score", "empty.Score", "nowhere.Score", "deep.Score", "fraud.Score")
	got := map[string]string{}
	for _, f := range code.Faults {
		if got[f.Import] == "" {
			got[f.Import] = fmt.Sprintf("%s|%s|%t", f.Range, f.Text, f.Build)
		}
	}
	for path, want := range map[string]string{
		"broken":   "broken/broken.go:6:11|o.Nothing undefined (type records.Order has no field or method Nothing)|true",
		"unparsed": "unparsed/unparsed.go:3:13|",
		"command":  "|it is a command, and cannot be imported|false",
		"empty":    "|no required module provides package",
		"nowhere":  "|",
		"deep":     "deep/deep.go:5:42|undefined: x|true",
	} {
		if g, ok := got["example.com/shop/"+path]; !ok || !strings.HasPrefix(g, want) {
			t.Errorf("%s: got %q, want %q", path, g, want)
		}
	}
	if got["example.com/shop/fraud"] != "" || symbol(t, code, "Score") == nil {
		t.Error("a sound package suffers from the others")
	}
}

func TestParseRef(t *testing.T) {
	for text, want := range map[string]gocode.Ref{
		"example.com/shop/fraud.Score": {Import: "example.com/shop/fraud", Name: "Score"},
		"gopkg.in/yaml.v3.Marshal":     {Import: "gopkg.in/yaml.v3", Name: "Marshal"},
		"strings.ToUpper":              {Import: "strings", Name: "ToUpper"},
		"example.com/go-redis/v9.Get":  {Import: "example.com/go-redis/v9", Name: "Get"},
	} {
		if got, why := gocode.ParseRef(text); got != want || why != "" {
			t.Errorf("%s: %+v, %s", text, got, why)
		}
	}
	for _, text := range []string{"", "Score", "example.com/shop/fraud", "example.com/shop.", ".Score", "a b.Score", "./fraud.Score", "/fraud.Score", "fraud.score", "fraud.Sco-re"} {
		if got, why := gocode.ParseRef(text); why == "" && !strings.Contains(text, "example.com/shop/fraud") {
			t.Errorf("%q is %+v", text, got)
		}
	}
}
