package oracle_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/streamgen/streamgen/runtime/testdriver/vectors"
	"github.com/streamgen/streamgen/spec"
	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/model"
)

// TestConformance holds the oracle itself to what Kafka Streams did, wherever the language can say it.
func TestConformance(t *testing.T) {
	dirs, err := filepath.Glob("../testdata/conformance/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no scenarios", err)
	}
	text, err := os.ReadFile("../testdata/agrees.txt")
	if err != nil {
		t.Fatal(err)
	}
	agrees := map[string]bool{}
	for _, line := range strings.Fields(string(text)) {
		agrees[line] = true
	}
	played := 0
	for _, dir := range dirs {
		u := spec.Load(os.DirFS(dir), ".", check.Options{})
		if u.Diags.HasErrors() {
			t.Errorf("%s: %v", dir, u.Diags)
			continue
		}
		for _, r := range play(u.Model, dir) {
			played++
			if r.Failure != "" {
				t.Errorf("%s/%s", r.Scenario, r.Failure)
			}
			if strings.HasPrefix(r.Vector, "ks-only-") && r.Differs == "" && r.LeftOut == 0 && !agrees[r.Scenario+"/"+r.Vector] {
				t.Errorf("%s/%s: gives what Kafka Streams gives", r.Scenario, r.Vector)
			}
		}
	}
	if played < 100 {
		t.Errorf("only %d vectors were played", played)
	}
}

// beside are features of what lies beside the model: what bytes have that no value has, stores that are no tables, silence.
var beside = []string{"dead-letters", "dedup", "g05-wire-names", "globaltables", "s09-key-and-value", "unknown-fields", "w17-idle"}

// TestFeatures holds the oracle to what the archives of features say, as far as it covers them.
func TestFeatures(t *testing.T) {
	paths, err := filepath.Glob("../testdata/features/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no features", err)
	}
	played := 0
	for _, path := range paths {
		if slices.Contains(beside, strings.TrimSuffix(filepath.Base(path), ".txtar")) {
			continue
		}
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		dir, err := txtar.FS(a)
		if err != nil {
			t.Fatal(err)
		}
		u := spec.Load(dir, ".", check.Options{})
		if u.Diags.HasErrors() {
			t.Errorf("%s: %v", path, u.Diags)
			continue
		}
		for _, r := range vectors.RunSubject(filepath.Base(path), func() (vectors.Subject, error) { return begin(u.Model) }, dir) {
			if strings.Contains(r.Failure, "not covered") {
				continue
			}
			played++
			if r.Failure != "" {
				t.Errorf("%s/%s", r.Scenario, r.Failure)
			}
		}
	}
	if played < 30 {
		t.Errorf("only %d vectors were played", played)
	}
}

func play(m *model.Program, dir string) []vectors.Result {
	return vectors.RunSubject(filepath.Base(dir), func() (vectors.Subject, error) { return begin(m) }, os.DirFS(dir))
}
