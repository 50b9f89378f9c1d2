package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/streamgen/streamgen/codegen"
	"github.com/streamgen/streamgen/codegen/output"
	"github.com/streamgen/streamgen/spec"
	"github.com/streamgen/streamgen/spec/check"
)

const module = "github.com/streamgen/streamgen"

// generate takes an example's spec the whole way to Go, in memory.
func (e example) generate(t testing.TB) []output.File {
	t.Helper()
	u := spec.Load(os.DirFS("."), e.name, check.Options{Go: goCode{}})
	if len(u.Diags) > 0 {
		t.Fatalf("%s: %v", e.name, u.Diags)
	}
	r, err := codegen.Generate(u.Model, module+"/generated/"+e.name)
	if err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	if len(r.Diags) > 0 {
		t.Fatalf("%s: %v", e.name, r.Diags)
	}
	return r.Files
}

// TestGeneratedIsCurrent: what is committed is what the specs give, byte for byte, and no file more.
func TestGeneratedIsCurrent(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			dir := filepath.Join("..", "generated", e.name)
			changes, err := output.Compare(dir, e.generate(t))
			if err != nil {
				t.Fatal(err)
			}
			if len(changes) > 0 {
				t.Errorf("`make generate` writes it:\n%s", output.Report("generated/"+e.name, changes))
			}
			// Compare looks at generated files only.
			err = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					if ok, _ := filepath.Match("*_gen.go", d.Name()); !ok {
						t.Errorf("%s was not generated", name)
					}
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGeneratedIsVetted: go vet has nothing to say about generated code, which compiles therefore.
func TestGeneratedIsVetted(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles with Go: run without -short")
	}
	args := []string{"vet"}
	for _, e := range examples {
		args = append(args, "./generated/"+e.name+"/...")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// TestGenerationIsFast: from the files of a spec to those of its package takes less than 100 ms.
func TestGenerationIsFast(t *testing.T) {
	const limit = 100 * time.Millisecond
	for _, e := range examples {
		if e.usesGo {
			continue // the go command takes as long by itself
		}
		best := time.Hour
		for range 20 { // a busy machine may disturb some
			from := time.Now()
			e.generate(t)
			if best = min(best, time.Since(from)); best < limit {
				break
			}
		}
		if best >= limit {
			t.Errorf("%s: %v, want less than %v", e.name, best, limit)
		}
		t.Logf("%s: %v", e.name, best)
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, e := range examples {
		b.Run(e.name, func(b *testing.B) {
			for b.Loop() {
				e.generate(b)
			}
		})
	}
}
