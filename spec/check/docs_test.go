package check_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/syntax"
)

const reference = "../../docs/language"

// pages are those of the reference that are written by hand: functions.md has expressions, held to the function table, and
// mistakes.md is made of the registry of codes.
func pages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(reference, "*.md"))
	if err != nil || len(paths) < 8 {
		t.Fatal("pages of the reference are missing", paths, err)
	}
	return slices.DeleteFunc(paths, func(p string) bool {
		return filepath.Base(p) == "functions.md" || filepath.Base(p) == "mistakes.md"
	})
}

var hclBlock = regexp.MustCompile("(?ms)^```hcl\n(.*?)^```$")

// Each spec of the reference checks without errors. One with an app of its own on the first page is the program that the others
// stand on.
func TestReferenceSpecs(t *testing.T) {
	first, err := os.ReadFile(filepath.Join(reference, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	shop := hclBlock.FindSubmatch(first)
	if shop == nil {
		t.Fatal("README.md has no program")
	}
	n := 0
	for _, path := range pages(t) {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range hclBlock.FindAllSubmatchIndex(page, -1) {
			n++
			name := filepath.Base(path)
			own, diags := syntax.ParseFile(name, slices.Concat([]byte(strings.Repeat("\n", strings.Count(string(page[:m[2]]), "\n"))), page[m[2]:m[3]]))
			base, ds := syntax.ParseFile("app.hcl", shop[1])
			diags.Append(ds)
			base.Blocks = slices.DeleteFunc(base.Blocks, func(b *syntax.Block) bool {
				return slices.ContainsFunc(own.Blocks, func(o *syntax.Block) bool { return id(o) == id(b) })
			})
			tree, ds := syntax.Parse(base, own)
			diags.Append(ds)
			if !diags.HasErrors() {
				_, ds = check.Check(tree, check.Options{Go: &shopCode{}})
				diags.Append(ds)
			}
			for _, d := range diags {
				if d.Severity == diag.Error || d.Code == "SG1104" {
					t.Errorf("%s: %s: %s (%s)", d.Range, d.Code, d.Summary, d.Hint)
				}
			}
			formatted, ds := syntax.Format(name, page[m[2]:m[3]])
			if len(ds) > 0 || string(formatted) != string(page[m[2]:m[3]]) {
				t.Errorf("%s:%d: streamgen fmt writes this as\n%s", name, strings.Count(string(page[:m[2]]), "\n")+1, formatted)
			}
		}
	}
	if n < 15 {
		t.Errorf("the reference has %d specs only", n)
	}
}

var (
	expressionRow = regexp.MustCompile("(?m)^\\| `(.*)` \\| (.*) \\|$")
	expressions   = "| expression | type |\n|---|---|\n"
)

// Each row of a table of expressions has the type, or gives the code, that stands beside it.
func TestReferenceExpressions(t *testing.T) {
	n := 0
	for _, path := range pages(t) {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range strings.Split(string(page), expressions)[1:] {
			table, _, _ = strings.Cut(table+"\n\n", "\n\n")
			for _, row := range strings.Split(strings.TrimSpace(table), "\n") {
				m := expressionRow.FindStringSubmatch(row)
				if m == nil {
					t.Errorf("%s: %q is no row of expression and type", filepath.Base(path), row)
					continue
				}
				n++
				e, diags := typed(t, strings.ReplaceAll(m[1], `\|`, `|`), mapValues)
				got := strings.Join(errorCodes(diags), " ")
				if e != nil {
					got = e.Base().Type.String()
				}
				if got != m[2] {
					t.Errorf("%s: %s is %s, not %s\n%s", filepath.Base(path), m[1], got, m[2], text(diags))
				}
			}
		}
	}
	if n < 40 {
		t.Errorf("the reference has %d expressions only", n)
	}
}
