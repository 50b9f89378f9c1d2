// Package codegen_test takes specs the whole way to Go and compares every stage with what is committed.
package codegen_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/streamgen/streamgen/codegen/emit"
	"github.com/streamgen/streamgen/codegen/output"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
)

var update = flag.Bool("update", false, "rewrite the goldens")

const (
	module = "github.com/streamgen/streamgen"
	base   = "example.com/goldens" // the module in which the goldens are compiled
)

// golden is a case: a spec, and what is made of it.
type golden struct {
	name, path string
	archive    *txtar.Archive
}

func goldens(t testing.TB) []golden {
	t.Helper()
	paths, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no goldens", err)
	}
	var list []golden
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, golden{strings.TrimSuffix(filepath.Base(p), ".txtar"), p, a})
	}
	return list
}

func (g golden) section(name string) []byte {
	for _, f := range g.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// build takes the spec of a case to files.
func (g golden) build(t *testing.T) (*model.Program, *plan.Plan, []output.File) {
	t.Helper()
	file, diags := syntax.ParseFile("app.hcl", g.section("app.hcl"))
	tree, ds := syntax.Parse(file)
	diags.Append(ds)
	noErrors(t, diags)
	program, ds := check.Check(tree, check.Options{Go: g})
	noErrors(t, ds)
	p, ds := plan.New(program)
	noErrors(t, ds)
	files, err := emit.Files(p, emit.Options{Import: base + "/" + p.Package})
	if err != nil {
		t.Fatal(err)
	}
	return program, p, files
}

func noErrors(t *testing.T, l diag.List) {
	t.Helper()
	for _, d := range l {
		if d.Severity == diag.Error {
			t.Errorf("%s:%d:%d: %s: %s", d.Range.File, d.Range.Start.Line, d.Range.Start.Column, d.Code, d.Summary)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

func TestGolden(t *testing.T) {
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			m, p, files := g.build(t)
			got := &txtar.Archive{Comment: g.archive.Comment}
			add := func(name string, data []byte) {
				got.Files = append(got.Files, txtar.File{Name: name, Data: data})
			}
			add("app.hcl", g.section("app.hcl"))
			for _, f := range g.users() {
				add(f.Name, f.Data)
			}
			add("model", []byte(model.Dump(m)))
			add("plan", []byte(plan.Dump(p)))
			for _, f := range files {
				add(f.Path, f.Content)
			}
			if data := txtar.Format(got); *update {
				if err := os.WriteFile(g.path, data, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, f := range got.Files {
				if want := g.section(f.Name); !bytes.Equal(f.Data, want) {
					t.Errorf("%s differs (-update rewrites):\n%s", f.Name, output.Diff("", []output.Change{
						{Path: f.Name, Kind: output.Update, Old: want, New: f.Data},
					}))
				}
			}
			if len(got.Files) != len(g.archive.Files) {
				t.Errorf("%d files, want %d", len(got.Files), len(g.archive.Files))
			}
		})
	}
}

// TestGoldensCompile makes the goldens a module that stands beside this one. What the emitter writes is Go that vet has nothing
// against, a record costs no allocation, and joins give what models of them give.
func TestGoldensCompile(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	for _, g := range goldens(t) {
		_, p, files := g.build(t)
		for _, f := range files {
			write(p.Package+"/"+f.Path, f.Content)
		}
		for _, f := range g.users() {
			write(f.Name, f.Data)
		}
	}
	mod, sum, err := goldenModule()
	if err != nil {
		t.Fatal(err)
	}
	write("go.mod", mod)
	write("go.sum", sum)
	write("allocs/allocs_test.go", read("testdata/allocs_test.go.txt"))
	write("models/joins_test.go", read("testdata/joins_test.go.txt"))
	env := append(os.Environ(), "GOPROXY=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod")
	for _, args := range [][]string{{"vet", "./..."}, {"test", "-vet=off", "-v", "./allocs", "./models"}, {"test", "-vet=off", "./users/..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("go %s: %v\n%s", args[0], err, out)
		} else {
			t.Logf("%s", out)
		}
	}
	if testing.Short() {
		return
	}
	cmd := exec.Command("go", "tool", "staticcheck", "./...") // U1000, which finds what nothing uses, is among its checks
	cmd.Dir = dir
	cmd.Env = env
	out, err := cmd.Output()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) || len(out) == 0 && err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.Contains("/"+line, "/users/") { // which panics on purpose; what is known of it from another directory is said of that
			t.Errorf("staticcheck: %s", line)
		}
	}
}

// The same spec gives the same bytes.
func TestDeterministic(t *testing.T) {
	for _, g := range goldens(t) {
		_, _, first := g.build(t)
		for range 10 {
			_, _, again := g.build(t)
			if len(again) != len(first) {
				t.Fatalf("%s: %d files, then %d", g.name, len(first), len(again))
			}
			for i, f := range again {
				if f.Path != first[i].Path || !bytes.Equal(f.Content, first[i].Content) {
					t.Fatalf("%s: %s differs from run to run", g.name, f.Path)
				}
			}
		}
	}
}
