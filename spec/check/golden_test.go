package check_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// Each golden is a program, the variables it is given (lines of name=value in the file vars), and what comes of it: its
// diagnostics and, without errors, its model.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: a.Comment}
			want := map[string]string{}
			var spec []string
			opts := check.Options{Vars: map[string]string{}}
			for _, f := range a.Files {
				switch {
				case strings.HasSuffix(f.Name, ".hcl"):
					spec = append(spec, f.Name, string(f.Data))
				case f.Name == "vars":
					for line := range strings.Lines(string(f.Data)) {
						name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
						opts.Vars[name] = value
					}
				default:
					want[f.Name] = string(f.Data)
					continue
				}
				got.Files = append(got.Files, f)
			}
			p := parse(t, spec...)
			m, diags := check.Check(p, opts)
			if len(diags) > 0 {
				var b strings.Builder
				if err := diag.WriteText(&b, diags, diag.TextOptions{Sources: p.Source}); err != nil {
					t.Fatal(err)
				}
				got.Files = append(got.Files, txtar.File{Name: "diagnostics", Data: []byte(b.String())})
			}
			if m != nil {
				got.Files = append(got.Files, txtar.File{Name: "model", Data: []byte(model.Dump(m))})
			}
			if *update {
				if err := os.WriteFile(path, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, f := range got.Files {
				if f.Name != "diagnostics" && f.Name != "model" {
					continue
				}
				if string(f.Data) != want[f.Name] {
					t.Errorf("%s differs (-update rewrites):\ngot:\n%s\nwant:\n%s", f.Name, f.Data, want[f.Name])
				}
				delete(want, f.Name)
			}
			for name := range want {
				t.Errorf("there is no %s any more (-update rewrites)", name)
			}
		})
	}
}

// scenarios are the specs that recorded runs hold to Kafka Streams' answers.
func scenarios(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("../../codegen/testdata/conformance/*/app.hcl")
	if err != nil || len(paths) < 29 {
		t.Fatal("scenarios are missing", err)
	}
	var specs []string
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, string(src))
	}
	return specs
}

// The specs of scenarios check without errors.
func TestScenarios(t *testing.T) {
	for _, src := range scenarios(t) {
		if m, diags := check.Check(parse(t, "app.hcl", src), check.Options{}); m == nil {
			t.Errorf("%s", text(diags))
		}
	}
}

// The same program gives the same model and the same diagnostics each time.
func TestDeterministic(t *testing.T) {
	src, err := os.ReadFile("../../codegen/testdata/conformance/combo-join-group/app.hcl")
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.NewReplacer("customer_id", "customer", "stream.orders", "stream.order").Replace(string(src))
	first, firstDiags := "", ""
	for i := range 20 {
		m, _ := check.Check(parse(t, "app.hcl", string(src)), check.Options{})
		_, diags := check.Check(parse(t, "app.hcl", broken), check.Options{Vars: map[string]string{"b": "1", "a": "2", "c": "3"}})
		if i == 0 {
			first, firstDiags = model.Dump(m), text(diags)
		}
		if model.Dump(m) != first || text(diags) != firstDiags {
			t.Fatal("another result for the same program")
		}
	}
}
