package codegen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/codegen/output"
	"github.com/streamgen/streamgen/spec/diag"
)

// FuzzCompile takes any text the whole way: nothing panics, the emitter fails for nothing that was checked and planned, and what
// it writes is Go that compiles. The seeds are the specs of the goldens, of the recorded runs, and the examples of the diagnostics.
func FuzzCompile(f *testing.F) {
	c := newCompiler(f)
	for _, g := range goldens(f) {
		f.Add(string(g.section("app.hcl")))
	}
	recorded, err := filepath.Glob("testdata/conformance/*/app.hcl")
	if err != nil || len(recorded) == 0 {
		f.Fatal("no recorded runs", err)
	}
	for _, p := range recorded {
		text, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, d := range diag.Codes() {
		f.Add(d.Wrong)
		f.Add(d.Right)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := generate(t, text)
		if r == nil {
			return
		}
		if err := c.compile(r.Files); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	})
}

// Generated code is of one generation of the runtime. With another it does not compile, and says so where it stands.
func TestAnotherGenerationDoesNotCompile(t *testing.T) {
	text, err := os.ReadFile("testdata/conformance/combo-join-group/app.hcl")
	if err != nil {
		t.Fatal(err)
	}
	r := generate(t, string(text))
	if r == nil {
		t.Fatal("the spec has errors")
	}
	c := newCompiler(t)
	if err := c.compile(r.Files); err != nil {
		t.Fatal(err)
	}
	const now, other = "var _ [1]struct{} = [runtime.Generation]struct{}{}", "var _ [2]struct{} = [runtime.Generation]struct{}{}"
	changed := 0
	var files []output.File
	for _, file := range r.Files {
		changed += strings.Count(string(file.Content), now)
		file.Content = []byte(strings.Replace(string(file.Content), now, other, 1))
		files = append(files, file)
	}
	if changed != 1 {
		t.Fatalf("the generation stands in the code %d times", changed)
	}
	if err := c.compile(files); err == nil || !strings.Contains(err.Error(), "runtime.Generation") {
		t.Errorf("code of another generation: %v", err)
	}
}
