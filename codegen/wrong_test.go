package codegen_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/streamgen/streamgen/codegen"
	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/syntax"
)

// TestFixedSpecsCompile takes the specs of newcomers that were put right, as the checker's tests have them, the whole way: what
// a diagnostic suggests becomes Go that compiles.
func TestFixedSpecsCompile(t *testing.T) {
	const dir = "../spec/check/testdata/wrong/"
	shop, err := os.ReadFile(dir + "shop.hcl")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(dir + "*.txtar")
	if err != nil || len(paths) < 60 {
		t.Fatalf("%d wrong specs, want 60: %v", len(paths), err)
	}
	c := newCompiler(t)
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		var files []*syntax.File
		var diags diag.List
		add := func(name string, src []byte) *syntax.File {
			f, ds := syntax.ParseFile(name, src)
			diags.Append(ds)
			files = append(files, f)
			return f
		}
		own := add("example.hcl", a.Files[len(a.Files)-1].Data)
		if !strings.HasSuffix(strings.TrimSpace(string(a.Comment)), "whole program") {
			base := add("app.hcl", shop)
			base.Blocks = slices.DeleteFunc(base.Blocks, func(b *syntax.Block) bool {
				return slices.ContainsFunc(own.Blocks, func(o *syntax.Block) bool {
					return o.Type.Name == b.Type.Name && (b.Type.Name == "app" || o.Labels[0].Name == b.Labels[0].Name)
				})
			})
		}
		tree, ds := syntax.Parse(files...)
		diags.Append(ds)
		program, ds := check.Check(tree, check.Options{})
		diags.Append(ds)
		if diags.HasErrors() {
			t.Errorf("%s: %d errors", name, diags.Errors())
			continue
		}
		if len(program.Sinks) == 0 && len(program.Blocks) == 0 {
			continue // a program that reads nothing is an app alone
		}
		r, err := codegen.Generate(program, base)
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case r.Diags.HasErrors():
			for _, d := range r.Diags {
				t.Errorf("%s: %s %s: %s", name, d.Range, d.Code, d.Summary)
			}
		default:
			if err := c.compile(r.Files); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
