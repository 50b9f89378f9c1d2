package codegen_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/streamgen/streamgen/codegen/vectors"
	"github.com/streamgen/streamgen/spec/check"
)

// TestFeatures plays what no recorded run of Kafka Streams shows: each archive is a spec, a scenario, and steps with what they
// must give, undisturbed and with crashes on the way.
func TestFeatures(t *testing.T) {
	paths, err := filepath.Glob("testdata/features/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no features", err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var pairs []vectors.Pair
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		at := filepath.Join(dir, name)
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if err := os.WriteFile(filepath.Join(at, f.Name), f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		pairs = append(pairs, vectors.Pair{Name: name, Spec: at, Dir: at})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	played := map[string]int{}
	err = vectors.Run(ctx, pairs, vectors.Options{Root: root, Module: module, Check: check.Options{}}, func(r *vectors.Report) {
		for _, d := range r.Diags {
			if r.Diags.HasErrors() {
				t.Errorf("%s: %s:%d: %s: %s", r.Name, d.Range.File, d.Range.Start.Line, d.Code, d.Summary)
			}
		}
		for _, v := range r.Results {
			played[r.Name]++
			if v.Failure != "" {
				t.Errorf("%s: %s", r.Name, v.Failure)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		if played[p.Name] == 0 {
			t.Errorf("%s: nothing was played", p.Name)
		}
	}
}
