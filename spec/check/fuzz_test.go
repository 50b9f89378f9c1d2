package check_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
)

// FuzzCheck holds that no text makes the checker panic, whole or with parse errors, and that what it accepts can be written down.
func FuzzCheck(f *testing.F) {
	paths, err := filepath.Glob("testdata/drafts/*.hcl")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, c := range diag.Codes() {
		f.Add([]byte(prelude + c.Wrong))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, diags := syntax.ParseFile("app.hcl", src)
		p, _ := syntax.Parse(file)
		m, found := check.Check(p, check.Options{})
		switch {
		case found.HasErrors() != (m == nil):
			t.Error("a model is there if and only if there are no errors")
		case m == nil || diags.HasErrors():
			return
		}
		if model.Dump(m) == "" {
			t.Error("nothing was written")
		}
		for _, b := range m.Blocks {
			for _, s := range b.Steps {
				for _, e := range model.Exprs(s) {
					model.Walk(e, func(e model.Expr) {
						if e.Base().Type == nil {
							t.Errorf("%s: an expression without a type: %s", e.Base().Pos, model.DumpExpr(e))
						}
					})
				}
			}
		}
	})
}
