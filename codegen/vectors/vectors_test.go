package vectors

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/streamgen/streamgen/codegen/oracle"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/testdriver/vectors"
	"github.com/streamgen/streamgen/spec"
	"github.com/streamgen/streamgen/spec/check"
)

const (
	conformance = "../testdata/conformance"
	module      = "github.com/streamgen/streamgen"
)

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestConformance plays every vector that the language can express, and the first random one of each scenario over topics of several
// partitions, each of which gives what the oracle gives for its own sequence. Beside them, in the same binary, it plays specs that are wrong
// in one place: each must be found; and specs that send fewer changes, see withUpdates.
func TestConformance(t *testing.T) {
	pairs, left, err := Pairs(conformance, conformance)
	if err != nil || len(left) > 0 {
		t.Fatalf("%v; without a partner: %q", err, left)
	}
	wrong := []struct{ scenario, old, new, want string }{
		{"filter", "value.amount >= 50", "value.amount > 50", `- {"topic":"out","key":`},
		{"filter-not", "filter_not {", "filter {", "other outputs"},
		{"map-values", "value.price * 2", "value.price * 3", `"total":`},
		{"select-key", "value.customer }", "value.id }", "other outputs"},
		{"to-table", "upper(value)", "value", "other outputs"},
		{"count", "count {}", "reduce { add = agg }", ""},
		{"table-source", `store "table-store" {}`, "", `there is no store "table-store"`},
		{"join-st-left", "left_join", "join", "other outputs"},
	}
	agrees := lines(t, "../testdata/agrees.txt")
	correct, partitioned := len(pairs), 0
	updates := withUpdates(t, pairs)
	for i := range pairs {
		if addPartitioned(t, &pairs[i]) {
			partitioned++
		}
	}
	if partitioned < correct*9/10 {
		t.Errorf("only %d of %d scenarios are played over several partitions", partitioned, correct)
	}
	for _, w := range wrong {
		dir := filepath.Join(t.TempDir(), w.scenario+"-wrong")
		text, err := os.ReadFile(filepath.Join(conformance, w.scenario, "app.hcl"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), w.old) != 1 {
			t.Fatalf("%s does not hold %q once", w.scenario, w.old)
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "app.hcl"), []byte(strings.Replace(string(text), w.old, w.new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, Pair{Name: w.scenario + "-wrong", Spec: dir, Dir: filepath.Join(conformance, w.scenario)})
	}
	pairs = append(pairs, updates...)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	reports := map[string]*Report{}
	played, foreign := 0, 0
	err = Run(ctx, pairs, Options{Root: root(t), Module: module}, func(r *Report) { reports[r.Name] = r })
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs[:correct] {
		r := reports[p.Name]
		if r == nil || len(r.Results) == 0 && !r.Diags.HasErrors() {
			t.Errorf("%s: nothing was played", p.Name)
			continue
		}
		for _, d := range r.Diags {
			if r.Diags.HasErrors() {
				t.Errorf("%s: %s:%d: %s", p.Name, d.Range.File, d.Range.Start.Line, d.Summary)
			}
		}
		for _, v := range r.Results {
			played++
			if v.Failure != "" {
				t.Errorf("%s/%s", p.Name, v.Failure)
			}
			if strings.HasPrefix(v.Vector, "ks-only-") {
				foreign++
				if v.Differs == "" && v.LeftOut == 0 && !agrees[p.Name+"/"+v.Vector] {
					t.Errorf("%s/%s: gives what Kafka Streams gives, so it should be an ordinary vector", p.Name, v.Vector)
				}
				if v.Differs != "" {
					t.Logf("%s/%s", p.Name, v.Differs)
				}
			}
		}
	}
	t.Run("UpdatesGiveTheTablesOfEvery", func(t *testing.T) {
		for _, p := range updates {
			r := reports[p.Name]
			if r.Diags.HasErrors() || len(r.Results) == 0 {
				t.Errorf("%s was not played: %v", p.Name, r.Diags)
			}
			for _, v := range r.Results {
				if v.Failure != "" {
					t.Errorf("%s/%s", p.Name, v.Failure)
				}
			}
		}
	})
	for i, p := range pairs[correct : correct+len(wrong)] {
		r := reports[p.Name]
		if r.Diags.HasErrors() {
			if wrong[i].want != "" {
				t.Errorf("%s does not compile: %v", p.Name, r.Diags)
			}
			continue
		}
		if !r.Failed() {
			t.Errorf("%s was not found", p.Name)
			continue
		}
		var all strings.Builder
		for _, v := range r.Results {
			all.WriteString(v.Failure)
		}
		if !strings.Contains(all.String(), wrong[i].want) {
			t.Errorf("%s: no failure says %s:\n%s", p.Name, wrong[i].want, &all)
		}
	}
	t.Logf("%d scenarios, %d vectors, %d of them where Kafka Streams differs", correct, played, foreign)
}

// addPartitioned copies the scenario of a pair and adds a vector over topics of three partitions, with the inputs of its first random one
// and what the oracle says. false: there is none, or the oracle does not know all that it takes.
func addPartitioned(t *testing.T, p *Pair) bool {
	t.Helper()
	const n = 3
	z, err := zip.OpenReader(filepath.Join(p.Dir, "vectors.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	first := slices.IndexFunc(z.File, func(f *zip.File) bool { return strings.HasPrefix(f.Name, "seed-") })
	scenario, err := vectors.Open(z)
	if err != nil {
		t.Fatal(err)
	}
	u := spec.Load(os.DirFS(p.Spec), ".", check.Options{})
	if first < 0 || u.Diags.HasErrors() {
		return false
	}
	o, err := oracle.NewPartitioned(u.Model, n, func(key []byte) int { return int(record.Partition(key, n)) })
	if err != nil {
		return false
	}
	inputs, err := z.Open(z.File[first].Name)
	if err != nil {
		t.Fatal(err)
	}
	defer inputs.Close()
	text, err := oracle.Vector(o, inputs, slices.Sorted(maps.Keys(scenario.Stores)))
	if err != nil {
		return false
	}
	dir := t.TempDir()
	copyScenario(t, p.Dir, dir, func(_ map[string]json.RawMessage, vectors []json.RawMessage) []json.RawMessage {
		added, err := json.Marshal(map[string]any{"file": "partitions.jsonl", "drops": o.Dropped(), "partitions": n})
		if err != nil {
			t.Fatal(err)
		}
		return append(vectors, added)
	})
	if err := os.WriteFile(filepath.Join(dir, "partitions.jsonl"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	p.Dir = dir
	return true
}

// copyScenario unpacks a scenario into a directory, with another scenario.json: change is given what it says, and its list of vectors.
func copyScenario(t *testing.T, from, to string, change func(about map[string]json.RawMessage, vectors []json.RawMessage) []json.RawMessage) {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join(from, "vectors.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.CopyFS(to, z), z.Close()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(to, "scenario.json")
	var about map[string]json.RawMessage
	var list []json.RawMessage
	old, err := os.ReadFile(file)
	if err := errors.Join(err, json.Unmarshal(old, &about), json.Unmarshal(about["vectors"], &list)); err != nil {
		t.Fatal(err)
	}
	about["vectors"], err = json.Marshal(change(about, list))
	changed, err2 := json.Marshal(about)
	if err := errors.Join(err, err2, os.WriteFile(file, changed, 0o644)); err != nil {
		t.Fatal(err)
	}
}

// lines are those of a file that are no comments.
func lines(t *testing.T, file string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			set[line] = true
		}
	}
	return set
}

// TestASpecThatDoesNotCompile is reported with what is wrong, and the others are played.
func TestASpecThatDoesNotCompile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "app.hcl"), []byte("app \"x\" {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var got []*Report
	err := Run(context.Background(), []Pair{{"x", dir, dir}}, Options{Root: root(t), Module: module}, func(r *Report) { got = append(got, r) })
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || !got[0].Failed() || !got[0].Diags.HasErrors() {
		t.Errorf("got %+v", got)
	}
}

func TestPairs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"specs/a/app.hcl", "specs/b/app.hcl", "specs/notes/README.md", "vectors/b/scenario.json.gz", "vectors/c/vectors.zip", "vectors/wire/x.json"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	pairs, left, err := Pairs(at("specs"), at("vectors"))
	if err != nil || len(pairs) != 1 || pairs[0] != (Pair{"b", at("specs/b"), at("vectors/b")}) || strings.Join(left, " ") != at("specs/a")+" "+at("vectors/c") {
		t.Errorf("got %v, left %q, %v", pairs, left, err)
	}
	if pairs, _, err = Pairs(at("specs/a"), at("vectors/c")); err != nil || len(pairs) != 1 || pairs[0] != (Pair{"c", at("specs/a"), at("vectors/c")}) {
		t.Errorf("one spec and one scenario: %v, %v", pairs, err)
	}
	if _, _, err = Pairs(at("specs/a"), at("vectors")); err == nil {
		t.Error("paired a with something else")
	}
	if _, _, err = Pairs(at("specs/notes"), at("vectors")); err == nil || !strings.Contains(err.Error(), "there is no spec") {
		t.Errorf("got %v", err)
	}
	if _, _, err = Pairs(at("specs"), at("vectors/wire")); err == nil || !strings.Contains(err.Error(), "there are no vectors") {
		t.Errorf("got %v", err)
	}
}
