package output

import (
	"fmt"
	"path"
	"path/filepath"
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
	name := path.Join(filepath.ToSlash(dir), c.Path)
	from, to := "a/"+name, "b/"+name
	switch c.Kind {
	case Create:
		from = "/dev/null"
	case Delete:
		to = "/dev/null"
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: lines(c.Old), B: lines(c.New), FromFile: from, ToFile: to, Context: 3,
	})
	if err != nil { // a strings.Builder does not fail
		panic(err)
	}
	return text
}

// lines splits text behind each newline. A last line without one gets the remark that diff gives it.
func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	list := strings.SplitAfter(string(text), "\n")
	if last := len(list) - 1; list[last] == "" {
		list = list[:last]
	} else {
		list[last] += "\n\\ No newline at end of file\n"
	}
	return list
}

// Report is what `streamgen build --check` says: a line for each change, then the diff. It is "" if the directory is current.
func Report(dir string, changes []Change) string {
	if len(changes) == 0 {
		return ""
	}
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %s\n", c.Kind, path.Join(filepath.ToSlash(dir), c.Path))
	}
	b.WriteByte('\n')
	b.WriteString(Diff(dir, changes))
	return b.String()
}
