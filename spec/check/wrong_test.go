package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/syntax"
)

// Each case in testdata/wrong is a spec as somebody would write it who knows Terraform and not this language: the spec, the
// first diagnostic that it gives, and the spec once the suggestion of that diagnostic was followed, which has no errors. Specs
// stand on shop.hcl; one whose comment ends with "whole program" does not.
func TestWrong(t *testing.T) {
	paths, err := filepath.Glob("testdata/wrong/*.txtar")
	if err != nil || len(paths) < 60 {
		t.Fatalf("%d wrong specs, want 60: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files) != 3 || a.Files[0].Name != "wrong" || a.Files[1].Name != "first" || a.Files[2].Name != "fixed" {
				t.Fatal("a case has the files wrong, first and fixed")
			}
			whole := strings.HasSuffix(strings.TrimSpace(string(a.Comment)), "whole program")
			diags := diagnose(t, a.Files[0].Data, whole)
			if !diags.HasErrors() {
				t.Fatalf("the wrong spec has no errors:\n%s", text(diags))
			}
			first := errorsOf(diags)[0]
			got := fmt.Sprintf("%s:%d:%d %s: %s\n", filepath.Base(first.Range.File), first.Range.Start.Line, first.Range.Start.Column, first.Code, first.Summary)
			if first.Hint != "" {
				got += "hint: " + first.Hint + "\n"
			}
			if *update {
				a.Files[1].Data = []byte(got)
				if err := os.WriteFile(path, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if want := string(a.Files[1].Data); got != want {
				t.Errorf("first diagnostic (-update rewrites):\ngot:\n%swant:\n%s", got, want)
			}
			if first.Hint == "" {
				t.Error("the first diagnostic says nothing of what to write instead")
			}
			if !follows(string(a.Files[2].Data), first.Hint) {
				t.Errorf("the fixed spec has nothing of the hint %s", first.Hint)
			}
			if diags := diagnose(t, a.Files[2].Data, whole); diags.HasErrors() {
				t.Errorf("the fixed spec has errors:\n%s", text(diags))
			}
		})
	}
}

// diagnose takes a spec as far as it comes.
func diagnose(t *testing.T, spec []byte, whole bool) diag.List {
	t.Helper()
	own, diags := syntax.ParseFile("example.hcl", spec)
	files := []*syntax.File{own}
	if !whole {
		src, err := os.ReadFile("testdata/wrong/shop.hcl")
		if err != nil {
			t.Fatal(err)
		}
		shop, ds := syntax.ParseFile("app.hcl", src)
		if ds.HasErrors() {
			t.Fatal(text(ds))
		}
		shop.Blocks = slices.DeleteFunc(shop.Blocks, func(b *syntax.Block) bool {
			return slices.ContainsFunc(own.Blocks, func(o *syntax.Block) bool { return id(o) == id(b) })
		})
		files = append(files, shop)
	}
	p, ds := syntax.Parse(files...)
	diags.Append(ds)
	if diags.HasErrors() {
		diags.Sort()
		return diags
	}
	_, diags = check.Check(p, check.Options{})
	return diags
}

func errorsOf(l diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(l), func(d *diag.Diagnostic) bool { return d.Severity != diag.Error })
}

var (
	suggested = regexp.MustCompile("`([^`]+)`|did you mean ([^? ]+)")
	blank     = regexp.MustCompile(`\s+`)
)

// follows tells whether a spec holds one of the texts that a hint suggests: what stands in backticks, up to a …, or behind "did you
// mean". A hint in words alone suggests none.
func follows(spec, hint string) bool {
	squeezed := blank.ReplaceAllString(spec, "")
	var texts []string
	for _, m := range suggested.FindAllStringSubmatch(hint, -1) {
		s, _, _ := strings.Cut(m[1]+strings.Trim(m[2], "\"`"), "…")
		texts = append(texts, s)
	}
	return len(texts) == 0 || slices.ContainsFunc(texts, func(s string) bool {
		return strings.Contains(squeezed, blank.ReplaceAllString(s, ""))
	})
}
