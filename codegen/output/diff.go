package output

import (
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// Diff is the changes as one unified diff, with the paths that a and b have below dir; "" if there are none.
func Diff(dir string, changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		b.WriteString(c.diff(dir))
	}
	return b.String()
}

// diff is the change as a unified diff.
func (c Change) diff(dir string) string {
	name := strings.TrimSuffix(strings.ReplaceAll(dir, `\`, "/"), "/") + "/" + c.Path
	from, to := "a/"+name, "b/"+name
	switch c.Kind {
	case Create:
		from = "/dev/null"
	case Delete:
		to = "/dev/null"
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(string(c.Old)), B: difflib.SplitLines(string(c.New)), FromFile: from, ToFile: to, Context: 3,
	})
	if err != nil { // a strings.Builder does not fail
		panic(err)
	}
	return text
}

// Report is what `streamgen build --check` says: a line for each change, then the diff. It is "" if the directory is current.
func Report(dir string, changes []Change) string {
	if len(changes) == 0 {
		return ""
	}
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %s/%s\n", c.Kind, strings.TrimSuffix(dir, "/"), c.Path)
	}
	b.WriteByte('\n')
	b.WriteString(Diff(dir, changes))
	return b.String()
}
