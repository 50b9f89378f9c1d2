package syntax

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
)

// IsSpec tells whether a file of that base name belongs to a program.
func IsSpec(name string) bool {
	return strings.HasSuffix(name, ".hcl") && !strings.HasPrefix(name, ".") &&
		!strings.HasSuffix(name, "_test.hcl") && name != "streamgen.lock.hcl"
}

// ParseDir reads the program that a directory holds: app.hcl first, then its other specs by name. The file names in positions
// are dir joined with the base name. The program is never nil; where the list has errors it is incomplete and must not be checked.
func ParseDir(fsys fs.FS, dir string) (*Program, diag.List) {
	var diags diag.List
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		diags.Errorf("SG1014", diag.Range{File: dir}, "cannot read the directory: %s", reason(err))
		return &Program{}, diags
	}
	var files []*File
	for _, e := range entries {
		if e.IsDir() || !IsSpec(e.Name()) {
			continue
		}
		name := path.Join(dir, e.Name())
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			diags.Errorf("SG1014", diag.Range{File: name}, "cannot read the file: %s", reason(err))
			continue
		}
		f, ds := ParseFile(name, src)
		files = append(files, f)
		diags.Append(ds)
	}
	if len(files) == 0 && !diags.HasErrors() {
		diags.Errorf("SG1012", diag.Range{File: dir}, "there is no topology: the directory has no *.hcl file").
			WithHint("`streamgen init DIR` makes a project to begin with")
	}
	p, ds := Parse(files...)
	diags.Append(ds)
	diags.Sort()
	return p, diags
}

// Parse joins files to a program, app.hcl first.
func Parse(files ...*File) (*Program, diag.List) {
	p := &Program{Files: slices.Clone(files)}
	slices.SortStableFunc(p.Files, func(a, b *File) int { return diag.CompareFiles(a.Name, b.Name) })
	var diags diag.List
	empty := true
	for _, f := range p.Files {
		empty = empty && f.empty
	}
	if empty && len(p.Files) > 0 {
		f := p.Files[0]
		start := diag.Pos{Line: 1, Column: 1}
		diags.Errorf("SG1012", diag.Range{File: f.Name, Start: start, End: start}, "there is no topology: nothing stands in this file").
			WithHint(`begin with app "name" { … }`)
	}
	return p, diags
}

// Source is the text of a file of the program, or nil.
func (p *Program) Source(name string) []byte {
	for _, f := range p.Files {
		if f.Name == name {
			return f.Source
		}
	}
	return nil
}

// reason is an error without the path, which the position has already.
func reason(err error) string {
	if pe, ok := err.(*fs.PathError); ok {
		return pe.Err.Error()
	}
	return err.Error()
}
