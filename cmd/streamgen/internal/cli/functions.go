package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/library"
)

func (t *tool) functions() *cobra.Command {
	var markdown bool
	c := &cobra.Command{
		Use:   "functions [name]",
		Short: "Describe a function of the language, or list all",
		Long: `Functions describes the functions that expressions may call: how they are called,
what they give, when they fail, and examples. Without a name it lists all of them.`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var all []string
			for _, f := range library.Functions() {
				all = append(all, f.Name+"\t"+f.Signature())
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case markdown:
				fmt.Fprint(t.out, library.Markdown())
				return nil
			case len(args) == 0:
				t.listFunctions()
				return nil
			}
			return t.describeFunction(strings.TrimSuffix(args[0], "()"))
		},
	}
	c.Flags().BoolVar(&markdown, "markdown", false, "write the whole reference as Markdown")
	return c
}

// listFunctions writes all signatures, by group.
func (t *tool) listFunctions() {
	for i, group := range library.Groups() {
		if i > 0 {
			fmt.Fprintln(t.out)
		}
		fmt.Fprintln(t.out, group)
		for _, f := range library.Functions() {
			if f.Group != group {
				continue
			}
			fails := ""
			if f.Fails != "" {
				fails = "  (fails: " + f.Fails + ")"
			}
			fmt.Fprintf(t.out, "  %s%s\n", f.Signature(), fails)
		}
	}
}

func (t *tool) describeFunction(name string) error {
	f := library.Lookup(name)
	if f == nil {
		hint := "`streamgen functions` lists them"
		var names []string
		for _, f := range library.Functions() {
			names = append(names, f.Name)
		}
		if near := diag.Nearest(name, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		return usageError{fmt.Errorf("there is no function %q\nhint: %s", name, hint)}
	}
	fmt.Fprintf(t.out, "%s\n\n%s\n", f.Signature(), wrap(f.Doc, 80))
	if f.Fails != "" {
		fmt.Fprintf(t.out, "\nFails: %s. try(…, fallback) or on_error says what happens then.\n", f.Fails)
	}
	fmt.Fprintln(t.out)
	for _, e := range f.Examples {
		fmt.Fprintf(t.out, "    %s  →  %s\n", e.Expr, e.Result)
	}
	return nil
}
