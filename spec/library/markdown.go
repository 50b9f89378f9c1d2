package library

import (
	"fmt"
	"strings"
)

// Markdown is the reference of the library: docs/language/functions.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("# Functions\n\n" +
		"<!-- Written by `go test ./spec/library -update` from the table that the compiler goes by. -->\n\n" +
		"All functions are pure: what they give depends on their arguments alone, so that a replay gives it again. They are total unless\n" +
		"it says *fails*: then `try`, or a policy (`on_error`), says what happens. An overflow is bad logic, as that of a sum is.\n" +
		"What stands in [ ] may be left out. *pattern*, *layout*, *zone*, *unit*, *path* and *constant* are texts and numbers that the\n" +
		"build must know; it checks them, and a mistake is an error at their place. Each example holds: a test runs all of them.\n\n")
	for _, g := range groups {
		fmt.Fprintf(&b, "- [%s](#%s):", g.name, strings.ReplaceAll(strings.ToLower(g.name), " ", "-"))
		for i := range g.functions {
			fmt.Fprintf(&b, " `%s`", g.functions[i].Name)
		}
		b.WriteByte('\n')
	}
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", g.name)
		if g.about != "" {
			fmt.Fprintf(&b, "\n%s\n", g.about)
		}
		for i := range g.functions {
			f := &g.functions[i]
			fmt.Fprintf(&b, "\n### %s\n\n```\n%s\n```\n\n%s", f.Name, f.Signature(), f.Doc)
			if f.Fails != "" {
				fmt.Fprintf(&b, " *Fails:* %s.", f.Fails)
			}
			b.WriteString("\n\n```hcl\n")
			for _, e := range f.Examples {
				fmt.Fprintf(&b, "%s # %s\n", e.Expr, e.Result)
			}
			b.WriteString("```\n")
		}
	}
	return b.String()
}
