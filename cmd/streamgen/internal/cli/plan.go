package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/streamgen/streamgen/codegen/plan"
)

func (t *tool) plan() *cobra.Command {
	in := &input{tool: t}
	format := "text"
	c := &cobra.Command{
		Use:   "plan [app.hcl | directory]",
		Short: "Show what a spec becomes: sub-topologies, topics, stores",
		Long: `Plan shows the parts that a program runs in, each with what it reads, writes and
keeps; every topic, for a repartition also why it is needed and where its cause
stands; and every store with its changelog. Nothing is written.`,
		Args: specArg,
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(plan.Formats, format) {
				return usageError{fmt.Errorf("--format is one of %s, not %q", strings.Join(plan.Formats, ", "), format)}
			}
			p, err := in.load(args)
			if err != nil {
				return err
			}
			return plan.Write(t.out, p.plan, format)
		},
	}
	in.flags(c, false)
	c.Flags().StringVar(&format, "format", "text", "how the plan is written: text, json, mermaid or dot")
	complete(c, "format", plan.Formats...)
	completeSpec(c)
	return c
}
