package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/streamgen/streamgen/codegen"
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec"
	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/syntax"
)

// files is the file system by paths as users write them, with slashes.
type files struct{}

func (files) Open(name string) (fs.File, error) { return os.Open(filepath.FromSlash(name)) }

// input is what commands that read a spec have in common.
type input struct {
	tool   *tool
	vars   []string
	format string // of diagnostics
	out    string // where the generated package goes; "": the default
}

func (in *input) flags(c *cobra.Command, format bool) {
	in.format = "text"
	if format {
		c.Flags().StringVar(&in.format, "format", "text", "how errors are written: text, json or github")
		complete(c, "format", "text", "json", "github")
	}
	c.Flags().StringArrayVar(&in.vars, "var", nil, "give a variable of the spec a value: `name=value`; may be repeated; else STREAMGEN_VAR_NAME gives it")
}

func complete(c *cobra.Command, flag string, values ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
}

// specArg is the shape of the argument of these commands: a directory, or a file in it.
func specArg(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("one spec is expected, a file or a directory; here are %d", len(args))
	}
	return nil
}

func completeSpec(c *cobra.Command) {
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"hcl"}, cobra.ShellCompDirectiveFilterFileExt
	}
}

// directory is the unit that an argument names. All its *.hcl files are one program, whichever of them was named.
func directory(args []string) (string, error) {
	name := "."
	if len(args) > 0 {
		name = args[0]
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", usageError{missing(name)}
	case err != nil:
		return "", usageError{err}
	}
	name = path.Clean(filepath.ToSlash(name))
	if info.IsDir() {
		return name, nil
	}
	if !syntax.IsSpec(path.Base(name)) {
		return "", usageError{fmt.Errorf("%s is no spec: those are *.hcl, but not *_test.hcl and streamgen.lock.hcl", name)}
	}
	return path.Dir(name), nil
}

// missing says that there is no such spec, and what there is.
func missing(name string) error {
	dir := filepath.Dir(name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("there is no %s, nor a directory %s to look for it in: name a directory with *.hcl files, or one of them", name, dir)
	}
	var near []string
	for _, e := range entries {
		if e.IsDir() || syntax.IsSpec(e.Name()) {
			near = append(near, e.Name())
		}
	}
	hint := "name a directory with *.hcl files, or one of them; `streamgen init DIR` makes a project to begin with"
	if n := diag.Nearest(filepath.Base(name), near); n != "" {
		hint = "did you mean " + filepath.Join(dir, n) + "?"
	}
	return fmt.Errorf("there is no file or directory %s: %s", name, hint)
}

func (in *input) options() (check.Options, error) {
	o := check.Options{Vars: map[string]string{}, Env: os.LookupEnv}
	for _, v := range in.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return o, usageError{fmt.Errorf("--var is name=value, not %q", v)}
		}
		o.Vars[name] = value
	}
	return o, nil
}

// program is a spec on its way through the compiler.
type program struct {
	dir  string
	unit *spec.Unit
	plan *plan.Plan
}

// load reads, checks and plans the spec that args name. Diagnostics are written; with errors among them the error is an exit.
func (in *input) load(args []string) (*program, error) {
	p, diags, err := in.read(args)
	if err != nil {
		return nil, err
	}
	if err := in.write(diags, p.unit); err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return nil, exit(exitFailed)
	}
	return p, nil
}

func (in *input) read(args []string) (*program, diag.List, error) {
	dir, err := directory(args)
	if err != nil {
		return nil, nil, err
	}
	o, err := in.options()
	if err != nil {
		return nil, nil, err
	}
	o.Go = &goCode{tool: in.tool, dir: dir, out: in.out}
	p := &program{dir: dir, unit: spec.Load(files{}, dir, o)}
	diags := p.unit.Diags
	if !diags.HasErrors() {
		planned, more := plan.New(p.unit.Model)
		p.plan = planned
		diags.Append(more)
		diags.Sort()
	}
	return p, diags, nil
}

// generate writes the program as the Go package with an import path.
func (p *program) generate(importPath string) (*codegen.Result, error) {
	r, err := codegen.Generate(p.unit.Model, importPath)
	if err != nil {
		return nil, internalError{err}
	}
	return r, nil
}

// write writes diagnostics: those for people are talk, those for machines are data.
func (in *input) write(l diag.List, u *spec.Unit) error {
	t := in.tool
	switch in.format {
	case "json":
		return diag.WriteJSON(t.out, l)
	case "github":
		return diag.WriteGitHub(t.out, l)
	case "text":
	default:
		return usageError{fmt.Errorf("--format is text, json or github, not %q", in.format)}
	}
	if len(l) == 0 {
		return nil
	}
	if err := diag.WriteText(t.err, l, diag.TextOptions{Color: t.colored(t.err), Sources: source(u.Tree.Source)}); err != nil {
		return err
	}
	t.say("")
	t.say("%s", summary(l))
	return nil
}

func summary(l diag.List) string {
	var parts []string
	if n := l.Errors(); n > 0 {
		parts = append(parts, count(n, "error"))
	}
	if n := l.Warnings(); n > 0 {
		parts = append(parts, count(n, "warning"))
	}
	text := strings.Join(parts, ", ")
	if len(l) > 0 {
		text += "; `streamgen explain " + l[0].Code + "` says more"
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
