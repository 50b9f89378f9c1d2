package library

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/types"
)

var update = flag.Bool("update", false, "rewrite docs/language/functions.md")

// The reference is what the table says.
func TestMarkdown(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "language", "functions.md")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != Markdown() {
		t.Errorf("%s is not what the table says; -update rewrites it", path)
	}
}

func TestTable(t *testing.T) {
	list := Functions()
	for i, f := range list {
		if i > 0 && list[i-1].Name >= f.Name {
			t.Errorf("there are two functions %s", f.Name)
		}
		if Lookup(f.Name) != f || f.Group == "" || !slices.Contains(Groups(), f.Group) {
			t.Errorf("%s is not found, or in no group", f.Name)
		}
		if (f.Typing == "") != (f.Result != nil) || f.Typing != "" && len(f.Params) > 0 || f.Typing == "" && f.Least > len(f.Params) {
			t.Errorf("%s is typed in two ways, or in none", f.Name)
		}
		if !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: its text is no sentence: %s", f.Name, f.Doc)
		}
		for _, p := range f.Params {
			if p.Text && p.Type != types.Bytes || p.Constant != NotConstant && p.Constant.String() == "" {
				t.Errorf("%s: its parameter %s is no bytes or no constant", f.Name, p.Name)
			}
		}
	}
	if Lookup("nope") != nil {
		t.Error("nope is a function")
	}
}

func TestSignatures(t *testing.T) {
	for name, want := range map[string]string{
		"substr":      "substr(s string, start int64[, n int64]) string",
		"pad_left":    "pad_left(s string, n constant int64[, with string]) string",
		"matches":     "matches(s string, pattern pattern) bool",
		"parse_time":  "parse_time(s string, layout layout[, zone zone]) timestamp",
		"sha256":      "sha256(x bytes or string) bytes",
		"json_string": "json_string(json bytes or string, path path) optional(string)",
		"abs":         "abs(n number) number",
	} {
		if got := Lookup(name).Signature(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
