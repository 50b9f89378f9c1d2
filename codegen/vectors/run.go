package vectors

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/streamgen/streamgen/codegen"
	"github.com/streamgen/streamgen/codegen/output"
	"github.com/streamgen/streamgen/runtime/testdriver/vectors"
	"github.com/streamgen/streamgen/spec"
	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Options are where and how the test binary is built.
type Options struct {
	// Root is the directory of the Go module that the generated packages are to be part of, and Module its path. Its go.mod
	// requires the runtime. Nothing is written there.
	Root, Module string

	Env   []string // of the go command; nil: this process's
	Flags []string // more flags for go build
	Check check.Options
}

// Report is what is said about a pair.
type Report struct {
	Pair
	Unit    *spec.Unit
	Diags   diag.List        // with errors among them there are no results
	Results []vectors.Result // by vector
}

// Failed tells whether the spec does not compile or a vector fails.
func (r *Report) Failed() bool {
	if r.Diags.HasErrors() {
		return true
	}
	for i := range r.Results {
		if r.Results[i].Failure != "" {
			return true
		}
	}
	return false
}

// BuildError is what the go command said about generated code.
type BuildError struct{ Output string }

// Error implements error.
func (e *BuildError) Error() string { return "the generated code does not compile:\n" + e.Output }

// folder is where the overlay puts the packages: a name that ./... does not match.
const folder = "_streamgen_vectors"

// Run tests pairs. report is called for each, in order: for those that do not compile before any is run.
func Run(ctx context.Context, pairs []Pair, o Options, report func(*Report)) error {
	work, err := os.MkdirTemp("", "streamgen-vectors-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := &builder{options: o, work: work, replace: map[string]string{}}
	var reports []*Report
	for i, p := range pairs {
		r, err := b.add(p, i)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if r.Diags.HasErrors() {
			report(r)
			continue
		}
		reports = append(reports, r)
	}
	if len(reports) == 0 {
		return nil
	}
	binary, err := b.build(ctx)
	if err != nil {
		return err
	}
	return play(ctx, binary, reports, report)
}

// builder collects the overlay.
type builder struct {
	options Options
	work    string
	replace map[string]string // path in the module to the file that stands for it
	main    bytes.Buffer      // imports, then cases
	cases   bytes.Buffer
	files   int
}

// add generates the package of a pair.
func (b *builder) add(p Pair, n int) (*Report, error) {
	r := &Report{Pair: p, Unit: spec.Load(os.DirFS(p.Spec), ".", b.options.Check)}
	r.Diags = r.Unit.Diags
	if r.Diags.HasErrors() {
		return r, nil
	}
	name := "p" + strconv.Itoa(n)
	dir := path.Join(folder, name)
	if usesGo(r.Unit.Model) { // which imports the package records from where it is to be
		dir = path.Join("generated", r.Unit.Model.App.Label)
		if err := b.hide(dir); err != nil {
			return nil, err
		}
	}
	importPath := path.Join(b.options.Module, dir)
	result, err := codegen.Generate(r.Unit.Model, importPath)
	if err != nil {
		return nil, err
	}
	r.Diags.Append(result.Diags)
	if r.Diags.HasErrors() {
		return r, nil
	}
	for _, f := range result.Files {
		if path.Dir(f.Path) != "." && path.Dir(f.Path) != "records" { // the command is not needed
			continue
		}
		if err := b.put(path.Join(dir, f.Path), f.Content); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(&b.main, "\t%s %q\n", name, importPath)
	fmt.Fprintf(&b.cases, "\t\t{Name: %q, Topology: %s.Topology},\n", p.Name, name)
	return r, nil
}

// usesGo says whether a program calls Go code of the user's or has its structs.
func usesGo(m *model.Program) bool {
	return len(m.Functions) > 0 || slices.ContainsFunc(m.Records, func(r *types.Record) bool { return r.Go != nil })
}

// hide takes what was generated in a directory before out of the build.
func (b *builder) hide(dir string) error {
	for _, pattern := range []string{"*_gen.go", "records/*_gen.go"} {
		old, err := filepath.Glob(filepath.Join(b.options.Root, filepath.FromSlash(dir), filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		for _, name := range old {
			b.replace[name] = ""
		}
	}
	return nil
}

// put adds a file to the overlay.
func (b *builder) put(name string, content []byte) error {
	b.files++
	file := filepath.Join(b.work, strconv.Itoa(b.files)+".go")
	b.replace[filepath.Join(b.options.Root, filepath.FromSlash(name))] = file
	return os.WriteFile(file, content, 0o644)
}

// build compiles everything into one binary.
func (b *builder) build(ctx context.Context) (string, error) {
	source := fmt.Sprintf("%s\n\npackage main\n\nimport (\n%s\n\t\"github.com/streamgen/streamgen/runtime/testdriver/vectors\"\n)\n\nfunc main() {\n\tvectors.Main([]vectors.Case{\n%s\t})\n}\n",
		output.Header, &b.main, &b.cases)
	formatted, err := format.Source([]byte(source))
	if err != nil {
		return "", fmt.Errorf("the test binary's main: %w", err)
	}
	if err := b.put(path.Join(folder, "main.go"), formatted); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": b.replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(b.work, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		return "", err
	}
	binary := filepath.Join(b.work, "vectors.bin")
	// What is run once is not worth inlining, nor tables for a debugger: that is a third of the time.
	args := append([]string{"build", "-overlay", file, "-o", binary, "-ldflags=-s -w", "-gcflags=" + path.Join(b.options.Module, folder) + "/...=-l -dwarf=false"}, b.options.Flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, path.Join(b.options.Module, folder))...)
	cmd.Dir, cmd.Env = b.options.Root, b.options.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &BuildError{Output: string(bytes.TrimSpace(out))}
	}
	return binary, nil
}

// play runs the binary and reports each pair when all its vectors are through.
func play(ctx context.Context, binary string, reports []*Report, report func(*Report)) error {
	var args []string
	for _, r := range reports {
		dir, err := filepath.Abs(r.Dir)
		if err != nil {
			return err
		}
		args = append(args, r.Name, dir)
	}
	cmd := exec.CommandContext(ctx, binary, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	at := 0
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r vectors.Result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("the test binary wrote %q: %w", lines.Text(), err)
		}
		for at < len(reports) && reports[at].Name != r.Scenario {
			report(reports[at])
			at++
		}
		if at < len(reports) {
			reports[at].Results = append(reports[at].Results, r)
		}
	}
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the test binary: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	for ; at < len(reports); at++ {
		report(reports[at])
	}
	return nil
}
