package oracle_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		if filepath.Base(dir) == "combo-windowed-tables" {
			continue // the interpreter sends deletes where rows of joined windows have expired
		}
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

func play(m *model.Program, dir string) []vectors.Result {
	return vectors.RunSubject(filepath.Base(dir), func() (vectors.Subject, error) { return begin(m) }, os.DirFS(dir))
}
