package codegen_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/streamgen/streamgen/codegen/vectors"
	"github.com/streamgen/streamgen/spec/library"
)

// TestLibrary holds the function library to its examples, all in one generated program: for each, a field says whether the
// expression gives what the table says. One more example is wrong, and must be found.
func TestLibrary(t *testing.T) {
	var names []string
	of := map[string]string{}
	want := map[string]bool{}
	add := func(name string, e library.Example, holds bool) {
		names = append(names, name)
		of[name] = "(" + e.Expr + ") == " + e.Result
		want[name] = holds
	}
	for _, f := range library.Functions() {
		for i, e := range f.Examples {
			add(fmt.Sprintf("%s_%d", f.Name, i+1), e, true)
		}
	}
	add("wrong", library.Example{Expr: `lower(key)`, Result: `"K"`}, false)

	slices.Sort(names) // as the encoding of a map does
	var fields strings.Builder
	for _, n := range names {
		fmt.Fprintf(&fields, "      %s = %s\n", n, of[n])
	}
	spec := `app "library" {
  processing_guarantee = "at_least_once"
  start                = "earliest"
}
stream "in" {
  topic = "in"
  key   = string
  value = string
}
stream "examples" {
  from     = stream.in
  on_error = "fail"
  map_values {
    value = {
` + fields.String() + `    }
  }
}
sink "out" {
  from  = stream.examples
  topic = "out"
  value = json
}
`
	type field struct {
		Name string `json:"name"`
		Type string `json:"type"`
	}
	var record []field
	for _, n := range names {
		record = append(record, field{n, "bool"})
	}
	topic := func(value string) map[string]any { return map[string]any{"key": "string", "value": value} }
	scenario := map[string]any{
		"name": "library", "types": map[string]any{"Examples": map[string]any{"fields": record}},
		"inputs": map[string]any{"in": topic("string")}, "outputs": map[string]any{"out": topic("Examples")},
		"vectors": []any{map[string]any{"file": "examples.jsonl"}},
	}
	step := map[string]any{"in": "in", "key": "K", "value": "", "ts": 1714571828125, "out": []any{
		map[string]any{"topic": "out", "key": "K", "value": want, "ts": 1714571828125},
	}}
	dir := t.TempDir()
	write := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	encode := func(v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	write("app.hcl", []byte(spec))
	write("scenario.json", encode(scenario))
	write("examples.jsonl", encode(step))

	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	played := 0
	err = vectors.Run(ctx, []vectors.Pair{{Name: "library", Spec: dir, Dir: dir}}, vectors.Options{Root: root, Module: module}, func(r *vectors.Report) {
		for _, d := range r.Diags {
			if r.Diags.HasErrors() {
				t.Errorf("%d: %s: %s", d.Range.Start.Line, d.Code, d.Summary)
			}
		}
		for _, v := range r.Results {
			played++
			if v.Failure == "" {
				continue
			}
			t.Error(v.Failure)
			for _, n := range names {
				if strings.Contains(v.Failure, fmt.Sprintf("%q:%t", n, !want[n])) {
					t.Errorf("%s: not so: %s", n, of[n])
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if played != 1 {
		t.Errorf("%d vectors were played", played)
	}
}
