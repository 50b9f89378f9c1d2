package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/streamgen/streamgen/spec/diag"
)

func (t *tool) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [code]",
		Short: "Explain an error code, or list all",
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var all []string
			for _, c := range diag.Codes() {
				all = append(all, c.ID+"\t"+c.Title)
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, c := range diag.Codes() {
					fmt.Fprintf(t.out, "%s  %s\n", c.ID, c.Title)
				}
				return nil
			}
			id := strings.ToUpper(strings.Trim(args[0], "[]"))
			if !strings.HasPrefix(id, "SG") {
				id = "SG" + id
			}
			c, ok := diag.Lookup(id)
			if !ok {
				return usageError{fmt.Errorf("there is no code %s\nhint: `streamgen explain` lists them", args[0])}
			}
			fmt.Fprintf(t.out, "%s: %s\n\n%s\n", c.ID, c.Title, wrap(c.Text, 80))
			if c.Wrong != "" {
				fmt.Fprintf(t.out, "\nWrong:\n\n%s\nRight:\n\n%s", indent(c.Wrong), indent(c.Right))
			}
			return nil
		},
	}
}

func indent(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// wrap breaks each line of a text at a width.
func wrap(s string, width int) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		column := 0
		for _, word := range strings.Fields(paragraph) {
			if column > 0 && column+1+len(word) > width {
				b.WriteByte('\n')
				column = 0
			} else if column > 0 {
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += len(word)
		}
	}
	return b.String()
}
