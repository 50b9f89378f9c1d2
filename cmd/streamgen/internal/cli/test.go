package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/streamgen/streamgen/cmd/streamgen/internal/project"
	"github.com/streamgen/streamgen/codegen/vectors"
)

func (t *tool) test() *cobra.Command {
	in := &input{tool: t}
	var dir string
	var asJSON bool
	c := &cobra.Command{
		Use:   "test [app.hcl | directory] --vectors DIR",
		Short: "Hold specs to recorded runs",
		Long: `Test plays recorded runs through the program of a spec, in one process and without a
broker, and compares what comes out at each step and what the stores hold at the end.

A recorded run is a file of JSON lines beside a scenario.json that declares its topics
and types; all of a scenario may lie in one vectors.zip. Topics and stores have the
names of the spec. Given directories of specs and of scenarios, every pair of one name
is played. Specs and the module around them are not changed. What stands in the files:
docs/recorded-runs.md in the repository of streamgen.

Where a record gives something else, the line is shown with what is missing (-) and
what came instead (+), and the exit code is 1.`,
		Args: specArg,
		RunE: func(c *cobra.Command, args []string) error {
			if dir == "" {
				return usageError{errors.New("--vectors DIR is needed: the directory of a scenario, or of directories of scenarios")}
			}
			return t.vectors(c, in, args, dir, asJSON)
		},
	}
	in.flags(c, false)
	c.Flags().StringVar(&dir, "vectors", "", "the `directory` of the recorded runs")
	c.Flags().BoolVar(&asJSON, "json", false, "write a JSON object for each run instead of text")
	completeSpec(c)
	return c
}

func (t *tool) vectors(c *cobra.Command, in *input, args []string, dir string, asJSON bool) error {
	specs, err := directory(args)
	if err != nil {
		return err
	}
	pairs, left, err := vectors.Pairs(specs, dir)
	if err != nil {
		return usageError{err}
	}
	for _, l := range left {
		t.say("%s: no partner of that name", t.relative(l))
	}
	o := vectors.Options{}
	if o.Check, err = in.options(); err != nil {
		return err
	}
	o.Check.Go = &goCode{tool: t, dir: specs}
	scratch, err := project.NewScratch(specs)
	if err != nil {
		return err
	}
	defer scratch.Close()
	o.Root, o.Module, o.Env, o.Flags = scratch.Root, scratch.Module, scratch.Environ(), scratch.Flags

	var good, failed, runs int
	var broken error
	err = vectors.Run(c.Context(), pairs, o, func(r *vectors.Report) {
		runs += len(r.Results)
		if r.Failed() {
			failed++
		} else {
			good++
		}
		if err := t.report(in, r, asJSON); err != nil {
			broken = err
		}
	})
	var wrong *vectors.BuildError
	switch {
	case errors.As(err, &wrong):
		return internalError{err}
	case err != nil:
		return err
	case broken != nil:
		return broken
	}
	t.say("%s: %d as recorded, %d not; %s", count(len(pairs), "spec"), good, failed, count(runs, "run"))
	if failed > 0 {
		return exit(exitFailed)
	}
	return nil
}

// report writes what came of a pair.
func (t *tool) report(in *input, r *vectors.Report, asJSON bool) error {
	if r.Diags.HasErrors() {
		if !asJSON {
			fmt.Fprintf(t.out, "FAIL %s: does not compile\n", r.Name)
		}
		return in.write(r.Diags, r.Unit)
	}
	if asJSON {
		enc := json.NewEncoder(t.out)
		for i := range r.Results {
			if err := enc.Encode(&r.Results[i]); err != nil {
				return err
			}
		}
		return nil
	}
	inputs, differs := 0, 0
	for i := range r.Results {
		v := &r.Results[i]
		inputs += v.Inputs
		if v.Differs != "" {
			differs++
		}
		if v.Failure != "" {
			fmt.Fprintf(t.out, "FAIL %s/%s\n", r.Name, strings.TrimSpace(v.Failure))
		}
	}
	if r.Failed() {
		return nil
	}
	note := ""
	if differs > 0 {
		note = fmt.Sprintf(", %d differ on purpose", differs)
	}
	_, err := fmt.Fprintf(t.out, "ok   %s: %s, %s%s\n", r.Name, count(len(r.Results), "run"), count(inputs, "record"), note)
	return err
}
