// Package spec is the front of the compiler: from the files of a directory to the model of a program.
package spec

import (
	"io/fs"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
)

// Unit is a program as it was loaded.
type Unit struct {
	Tree  *syntax.Program
	Model *model.Program // nil if Diags has errors
	Diags diag.List      // sorted
}

// Load reads and checks the program in a directory. Files that do not parse keep the checker from running: it would only find
// what follows from that.
func Load(fsys fs.FS, dir string, o check.Options) *Unit {
	tree, diags := syntax.ParseDir(fsys, dir)
	u := &Unit{Tree: tree, Diags: diags}
	if diags.HasErrors() {
		return u
	}
	m, more := check.Check(tree, o)
	u.Model = m
	u.Diags.Append(more)
	u.Diags.Sort()
	return u
}

// IsSpec tells whether a file of that name is part of the program in its directory.
func IsSpec(name string) bool { return syntax.IsSpec(name) }
