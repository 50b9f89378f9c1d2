package cli

import (
	"github.com/spf13/cobra"
)

func (t *tool) check() *cobra.Command {
	in := &input{tool: t}
	c := &cobra.Command{
		Use:   "check [app.hcl | directory]",
		Short: "Find the mistakes in a spec",
		Long:  "Check reads all *.hcl files of a directory as one program and says what is wrong with it.\nNothing is written.",
		Args:  specArg,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := in.load(args)
			if err != nil {
				return err
			}
			if in.format == "text" {
				t.say("%s: no errors", p.plan.App)
			}
			return nil
		},
	}
	in.flags(c, true)
	completeSpec(c)
	return c
}
