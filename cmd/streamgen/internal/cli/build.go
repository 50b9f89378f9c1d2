package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/streamgen/streamgen/cmd/streamgen/internal/project"
	"github.com/streamgen/streamgen/codegen/output"
)

func (t *tool) build() *cobra.Command {
	in := &input{tool: t}
	var checkOnly, noBinary bool
	c := &cobra.Command{
		Use:   "build [app.hcl | directory]",
		Short: "Write a spec as a Go package and compile it to a static binary",
		Long: `Build writes the program as a Go package of the module around it, to be committed
and reviewed like other code, and compiles it to one static binary.

The package is written to generated/<app> beside go.mod, the binary to bin/<app>.
Files that are as they should be are not touched, generated files that are no
longer needed are deleted, and what was not generated is never changed.

With --check nothing is changed: the exit code is 2 if the package is not what the
spec gives, and the difference is written to standard output.`,
		Args: specArg,
		RunE: func(c *cobra.Command, args []string) error {
			p, err := in.load(args)
			if err != nil {
				return err
			}
			if checkOnly {
				return t.stale(p, in.out)
			}
			_, err = t.make(c.Context(), p, in.out, !noBinary)
			return err
		},
	}
	in.flags(c, true)
	c.Flags().StringVarP(&in.out, "out", "o", "", "write the package to this `directory`")
	c.Flags().BoolVar(&checkOnly, "check", false, "change nothing; exit with 2 and a diff if the package is not current")
	c.Flags().BoolVar(&noBinary, "no-binary", false, "write the package only")
	completeSpec(c)
	return c
}

// stale compares what is there with what would be written.
func (t *tool) stale(p *program, out string) error {
	pr, err := project.Find(p.dir, p.plan.App, out)
	if err != nil {
		return err
	}
	r, err := p.generate(pr.Import)
	if err != nil {
		return err
	}
	changes, err := output.Compare(pr.Out, r.Files)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		t.say("%s is current", t.relative(pr.Out))
		return nil
	}
	fmt.Fprint(t.out, output.Report(t.relative(pr.Out), changes))
	t.say("%s is not what the spec gives; `streamgen build` writes it", t.relative(pr.Out))
	return exit(exitStale)
}

// make writes the package of a program and compiles its binary.
func (t *tool) make(ctx context.Context, p *program, out string, binary bool) (*project.Project, error) {
	pr, err := project.Find(p.dir, p.plan.App, out)
	if err != nil {
		return nil, err
	}
	r, err := p.generate(pr.Import)
	if err != nil {
		return nil, err
	}
	changes, err := output.Write(pr.Out, r.Files)
	if err != nil {
		return nil, err
	}
	t.say("%s: %s", t.relative(pr.Out), written(changes))
	if !binary {
		return pr, nil
	}
	changed, err := pr.Require()
	if err != nil {
		return nil, err
	}
	if changed {
		t.say("go.mod: requires the runtime of this streamgen")
		if err := pr.Resolve(ctx, p.plan.App); err != nil {
			return nil, err
		}
	}
	if err := pr.Build(ctx, p.plan.App); err != nil {
		var wrong *project.CompileError
		if errors.As(err, &wrong) && wrong.Generated {
			return nil, internalError{err}
		}
		return nil, err
	}
	t.say("%s: built", t.relative(pr.Binary))
	return pr, nil
}

func written(changes []output.Change) string {
	n := map[output.Kind]int{}
	for _, c := range changes {
		n[c.Kind]++
	}
	if len(changes) == 0 {
		return "current"
	}
	text := ""
	for _, k := range []struct {
		kind output.Kind
		word string
	}{{output.Create, "created"}, {output.Update, "updated"}, {output.Delete, "deleted"}} {
		if n[k.kind] > 0 {
			if text != "" {
				text += ", "
			}
			text += count(n[k.kind], "file") + " " + k.word
		}
	}
	return text
}

// relative is a path as seen from the working directory, if that is shorter.
func (t *tool) relative(name string) string {
	wd, err := filepath.Abs(".")
	if err != nil {
		return name
	}
	if r, err := filepath.Rel(wd, name); err == nil && len(r) < len(name) {
		return filepath.ToSlash(r)
	}
	return name
}
