package codegen_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/codegen"
	"github.com/streamgen/streamgen/codegen/output"
	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/syntax"
)

// TestMutantsCompile changes the specs of the goldens and of the recorded runs in one place each: types of fields, nulls, steps
// left out, doubled and changed, emissions, joins. What the checker accepts must become Go that compiles.
func TestMutantsCompile(t *testing.T) {
	specs := map[string]string{}
	var names []string
	add := func(name, text string) {
		names = append(names, name)
		specs[name] = text
	}
	for _, g := range goldens(t) {
		add(g.name, string(g.section("app.hcl")))
	}
	recorded, err := filepath.Glob("testdata/conformance/*/app.hcl")
	if err != nil || len(recorded) == 0 {
		t.Fatal("no recorded runs", err)
	}
	for _, p := range recorded {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		add(filepath.Base(filepath.Dir(p)), string(text))
	}
	c := newCompiler(t)
	tried, accepted := 0, 0
	for _, name := range names {
		for i, text := range mutants(specs[name]) {
			tried++
			r := generate(t, text)
			if r == nil {
				continue
			}
			accepted++
			if err := c.compile(r.Files); err != nil {
				t.Errorf("mutant %d of %s: %v\n%s", i, name, err, text)
			}
			if t.Failed() && testing.Short() {
				return
			}
		}
	}
	t.Logf("%d mutants, %d of them accepted", tried, accepted)
	if accepted < 300 {
		t.Errorf("only %d mutants of %d were accepted: the mutations do not fit the specs any more", accepted, tried)
	}
}

// generate takes a spec to files, or to nil if it has errors. A panic names the spec.
func generate(t *testing.T, text string) *codegen.Result {
	t.Helper()
	defer func() {
		if x := recover(); x != nil {
			t.Errorf("panic: %v\n%s\n%s", x, text, debug.Stack())
		}
	}()
	file, diags := syntax.ParseFile("app.hcl", []byte(text))
	tree, ds := syntax.Parse(file)
	diags.Append(ds)
	if diags.HasErrors() {
		return nil
	}
	program, ds := check.Check(tree, check.Options{})
	if ds.HasErrors() {
		return nil
	}
	r, err := codegen.Generate(program, base)
	if err != nil {
		t.Errorf("%v\n%s", err, text)
		return nil
	}
	if r.Diags.HasErrors() {
		return nil
	}
	return r
}

var (
	fieldLine = regexp.MustCompile(`^(\s+\w+\s*= )(optional\((?:string|bytes|int64)\)|string|bytes|bool|int32|int64|float64|timestamp|duration)$`)
	keyLine   = regexp.MustCompile(`^(\s+key\s*= )(optional\(string\)|string|int64)$`)
	valueLine = regexp.MustCompile(`^(\s+value\s*= )(?:optional\((json\(\w+\)|string|int64)\)|(json\(\w+\)|string|int64))$`)
	stepLine  = regexp.MustCompile(`^  (?:filter|filter_not|map_values|select_key|map|peek|group_by|count|to_table|repartition|store)\b.*\}$`)
)

// mutants are the texts that differ from spec in one place.
func mutants(spec string) (list []string) {
	lines := strings.Split(spec, "\n")
	replace := func(i int, with ...string) {
		all := append(append(append([]string(nil), lines[:i]...), with...), lines[i+1:]...)
		list = append(list, strings.Join(all, "\n"))
	}
	for i, line := range lines {
		if m := fieldLine.FindStringSubmatch(line); m != nil {
			for _, typ := range [...]string{"string", "bytes", "bool", "int32", "int64", "float64", "timestamp", "duration"} {
				replace(i, m[1]+typ)
				replace(i, m[1]+"optional("+typ+")")
			}
		}
		if m := keyLine.FindStringSubmatch(line); m != nil {
			for _, typ := range [...]string{"string", "optional(string)", "int32", "optional(int64)", "float64", "bytes", "optional(bytes)"} {
				replace(i, m[1]+typ)
			}
			replace(i)
		}
		if m := valueLine.FindStringSubmatch(line); m != nil {
			replace(i, m[1]+"optional("+m[2]+m[3]+")")
			replace(i, m[1]+m[2]+m[3])
		}
		if stepLine.MatchString(line) {
			replace(i)
			replace(i, line, line)
			replace(i, `  map_values { value = { inner = value, when = timestamp, who = key } }`, line)
			replace(i, line, `  map_values { value = { inner = value, when = timestamp, who = key } }`)
			replace(i, `  map { timestamp = timestamp + "1s" }`, line)
			replace(i, `  map { headers = { seen = headers["seen"] == null ? "" : "again" } }`, line)
			replace(i, `  filter { where = value != null }`, line)
			replace(i, `  filter_not { where = key == null }`, line)
			replace(i, `  map_values { value = "fixed" }`, line)
			replace(i, `  select_key { key = 7 }`, line)
			replace(i, `  repartition "again" {}`, line)
		}
		switch strings.TrimSpace(line) {
		case `emit = "every"`:
			replace(i, `  emit = "updates"`)
		case "join {":
			replace(i, "  left_join {")
		case "left_join {":
			replace(i, "  join {")
		case "count {}":
			replace(i, `  to_table {}`)
			replace(i, `  aggregate { value = { n = count(), first = first(value), last = last(key) } }`)
			replace(i, `  aggregate { value = { n = count() > 3, last = last(value) } }`)
			replace(i, `  reduce { add = value }`)
		case "to_table {}":
			replace(i, `  count {}`)
			replace(i, `  aggregate { value = last(value) }`)
			replace(i, `  reduce { add = agg }`)
		}
		if strings.HasPrefix(line, "table ") && strings.HasSuffix(line, "{") && strings.Contains(spec, "from") {
			replace(i, line, `  emit = "every"`)
			replace(i, line, `  on_error = "skip"`)
		}
	}
	return list
}

// compiler type-checks generated packages in this process, against the compiled runtime.
type compiler struct {
	fset    *token.FileSet
	runtime types.Importer
}

func newCompiler(t testing.TB) *compiler {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}",
		"context", "log/slog", "slices", "strings", "strconv", "math", "errors", module+"/runtime", module+"/runtime/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[name] = file
	}
	fset := token.NewFileSet()
	return &compiler{fset, importer.ForCompiler(fset, "gc", func(name string) (io.ReadCloser, error) {
		file, ok := exports[name]
		if !ok {
			return nil, fmt.Errorf("the runtime does not import %s", name)
		}
		return os.Open(file)
	})}
}

// Import implements types.Importer for packages that are not generated.
func (c *compiler) Import(name string) (*types.Package, error) { return c.runtime.Import(name) }

// compile checks the packages of one topology: records, the topology, its command.
func (c *compiler) compile(files []output.File) error {
	packages := map[string][]*ast.File{}
	var order []string
	for _, f := range files {
		file, err := parser.ParseFile(c.fset, f.Path, f.Content, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(f.Path)
		if packages[dir] == nil {
			order = append(order, dir)
		}
		packages[dir] = append(packages[dir], file)
	}
	done := generated{c, map[string]*types.Package{}}
	var errs []error
	for _, dir := range []string{"records", "."} {
		if packages[dir] == nil {
			continue
		}
		cfg := types.Config{Importer: done, Error: func(err error) { errs = append(errs, err) }}
		p, _ := cfg.Check(path.Join(base, dir), c.fset, packages[dir], nil)
		done.packages[path.Join(base, dir)] = p
	}
	if len(order) < 2 {
		errs = append(errs, fmt.Errorf("packages: %q", order))
	}
	return errors.Join(errs...)
}

// generated imports generated packages, and others.
type generated struct {
	*compiler
	packages map[string]*types.Package
}

// Import implements types.Importer.
func (g generated) Import(name string) (*types.Package, error) {
	if p := g.packages[name]; p != nil {
		return p, nil
	}
	return g.compiler.Import(name)
}
