package plan

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/streamgen/streamgen/spec"
	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// TestMain holds the graph to its invariants after each pass of each plan that the tests make.
func TestMain(m *testing.M) {
	afterPass = func(pass string, p *planner) {
		if faults := p.verifyGraph(); len(faults) > 0 {
			panic(fmt.Sprintf("after pass %s: %q", pass, faults))
		}
	}
	os.Exit(m.Run())
}

// cases are the specs in testdata: the files of a spec, and what is made of it.
func cases(t *testing.T) map[string]*txtar.Archive {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	list := map[string]*txtar.Archive{}
	for _, p := range paths {
		a, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		list[p] = a
	}
	return list
}

func load(t *testing.T, files map[string]string) *model.Program {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	u := spec.Load(fsys, ".", check.Options{})
	for _, d := range u.Diags {
		if d.Severity == diag.Error {
			t.Errorf("%s: %s: %s", d.Range, d.Code, d.Summary)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return u.Model
}

func specFiles(a *txtar.Archive) map[string]string {
	files := map[string]string{}
	for _, f := range a.Files {
		if strings.HasSuffix(f.Name, ".hcl") {
			files[f.Name] = string(f.Data)
		}
	}
	return files
}

// outputs are what a case may ask for by a file of that name.
func outputs(t *testing.T, files map[string]string) map[string]string {
	p, diags := New(load(t, files))
	if p == nil {
		var b strings.Builder
		for _, d := range diags {
			fmt.Fprintf(&b, "%s: %s[%s]: %s\n", d.Range, d.Severity, d.Code, d.Summary)
			for _, s := range []string{d.Detail, d.Hint} {
				if s != "" {
					fmt.Fprintf(&b, "  %s\n", s)
				}
			}
			for _, r := range d.Related {
				fmt.Fprintf(&b, "  %s: %s\n", r.Range, r.Text)
			}
		}
		return map[string]string{"diagnostics": b.String()}
	}
	out := map[string]string{"plan": Dump(p)}
	for _, f := range Formats[1:] {
		var b strings.Builder
		if err := Write(&b, p, f); err != nil {
			t.Fatal(err)
		}
		out["plan."+f] = b.String()
	}
	return out
}

func TestGolden(t *testing.T) {
	for path, a := range cases(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			got := outputs(t, specFiles(a))
			result := &txtar.Archive{Comment: a.Comment}
			asked := false
			for _, f := range a.Files {
				if !strings.HasSuffix(f.Name, ".hcl") {
					asked = true
					text, ok := got[f.Name]
					switch {
					case !ok && !*update:
						t.Fatalf("no %s is made, but %v", f.Name, got)
					case ok && !*update && text != string(f.Data):
						t.Errorf("%s (-update rewrites):\n%s\nwant\n%s", f.Name, text, f.Data)
					case !ok:
						continue
					}
					f.Data = []byte(text)
				}
				result.Files = append(result.Files, f)
			}
			if !*update {
				if !asked {
					t.Error("the case asks for nothing")
				}
				return
			}
			for _, name := range []string{"plan", "diagnostics"} {
				if text, ok := got[name]; ok && !slices.ContainsFunc(result.Files, func(f txtar.File) bool { return f.Name == name }) {
					result.Files = append(result.Files, txtar.File{Name: name, Data: []byte(text)})
				}
			}
			if data := txtar.Format(result); !bytes.Equal(data, txtar.Format(a)) {
				if err := os.WriteFile(path, data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// The same spec gives the same bytes: no map's order gets out.
func TestDeterministic(t *testing.T) {
	for path, a := range cases(t) {
		first := outputs(t, specFiles(a))
		for range 50 {
			for name, text := range outputs(t, specFiles(a)) {
				if text != first[name] {
					t.Fatalf("%s: %s differs from run to run:\n%s\nand\n%s", path, name, first[name], text)
				}
			}
		}
	}
}

// The order of blocks orders outputs and names nothing: topics, stores and the division into sub-topologies stay.
func TestShuffled(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for path, a := range cases(t) {
		files := specFiles(a)
		p, _ := New(load(t, files))
		if p == nil {
			continue
		}
		want := outline(p)
		for range 20 {
			shuffled := map[string]string{}
			for name, text := range files {
				blocks := topLevel(text)
				rng.Shuffle(len(blocks), func(i, j int) { blocks[i], blocks[j] = blocks[j], blocks[i] })
				shuffled[name] = strings.Join(blocks, "")
			}
			q, diags := New(load(t, shuffled))
			if q == nil {
				t.Fatalf("%s: %v in\n%v", path, diags[0], shuffled)
			}
			if got := outline(q); got != want {
				t.Fatalf("%s: shuffled to\n%s\nit gives\n%s\nnot\n%s", path, shuffled["app.hcl"], got, want)
			}
		}
	}
}

// topLevel splits a spec into its top-level blocks.
func topLevel(text string) []string {
	var blocks []string
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(line)
		trimmed := strings.TrimRight(line, "\n")
		if trimmed == "}" || trimmed != "" && trimmed[0] != ' ' && strings.HasSuffix(trimmed, "}") {
			blocks = append(blocks, b.String())
			b.Reset()
		}
	}
	return append(blocks, b.String()+"\n")
}

// outline is what of a plan must not depend on the order of blocks.
func outline(p *Plan) string {
	var lines []string
	sorted := func(s []string) string {
		s = slices.Clone(s)
		slices.Sort(s)
		return strings.Join(s, " ")
	}
	for _, t := range p.Topics {
		lines = append(lines, fmt.Sprintf("topic %s %s %s %s %d like %s", t.Name, t.Kind, t.Key, t.Value, t.Partitions, sorted(topicNames(t.Like))))
	}
	for _, s := range p.Stores {
		lines = append(lines, fmt.Sprintf("store %s %s %s %s", s.Name, s.Changelog, s.Fingerprint, s.Row()))
	}
	for _, s := range p.SubTopologies {
		var reads, stores []string
		for _, source := range s.Sources {
			reads = append(reads, source.names()...)
		}
		for _, st := range s.Stores {
			stores = append(stores, st.Name)
		}
		lines = append(lines, fmt.Sprintf("sub-topology %s: reads %s stores %s writes %s", sorted(s.Blocks), sorted(reads), sorted(stores),
			sorted(topicNames(s.Writes))))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// G17: what grows faster than the spec would show here.
func TestG17Large(t *testing.T) {
	var b strings.Builder
	b.WriteString("app \"large\" {\n  processing_guarantee = \"at_least_once\"\n  start = \"earliest\"\n}\n")
	const streams = 500
	for i := range streams {
		fmt.Fprintf(&b, "stream \"in%d\" {\n  topic = \"in%d\"\n  key   = string\n  value = string\n}\n", i, i)
		fmt.Fprintf(&b, "table \"t%d\" {\n  from = stream.in%d\n  group_by { key = value }\n  count {}\n}\n", i, i)
		fmt.Fprintf(&b, "sink \"out%d\" {\n  from  = table.t%d\n  topic = \"out%d\"\n  value = int64\n}\n", i, i, i)
	}
	m := load(t, map[string]string{"app.hcl": b.String()})
	p, diags := New(m)
	if p == nil {
		t.Fatal(diags[0])
	}
	if len(p.SubTopologies) != 2*streams || len(p.Stores) != streams || len(p.Topics) != 3*streams {
		t.Errorf("%d sub-topologies, %d stores, %d topics", len(p.SubTopologies), len(p.Stores), len(p.Topics))
	}
	for _, f := range Formats {
		if err := Write(&strings.Builder{}, p, f); err != nil {
			t.Error(err)
		}
	}
	if err := Write(&strings.Builder{}, p, "yaml"); err == nil {
		t.Error("yaml is a format")
	}
}
