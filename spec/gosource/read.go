// Package gosource reads signatures and structs from the user's Go source, as the data of spec/gocode.
//
// It is the front of the compiler's other eye: what spec/syntax is to HCL, it is to Go, and the only package that imports
// go/packages. Source is read as the go command would build it, with files laid over it: the package records, which user code
// may import, need not be written yet, and what is written of it may be stale.
package gosource

import (
	"bytes"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/gocode"
)

// Config is where and how source is read.
type Config struct {
	Dir   string   // in the module
	Env   []string // of the go command
	Flags []string // for its builds
	// Overlay are files by absolute path, which stand for those that are there or not.
	Overlay map[string][]byte
	// Records is the import path of the generated package records.
	Records string
	// Name makes a path as users name files of an absolute one; nil: it stays.
	Name func(string) string
}

const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo

// Read finds what refs name. Packages that cannot be used are in the result's Faults; the error says why nothing can be read.
func Read(c Config, refs []gocode.Ref) (*gocode.Code, error) {
	var paths []string
	for _, r := range refs {
		if !slices.Contains(paths, r.Import) {
			paths = append(paths, r.Import)
		}
	}
	slices.Sort(paths)
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: c.Dir, Env: c.Env, BuildFlags: c.Flags, Overlay: c.Overlay}, paths...)
	if err != nil {
		return nil, fmt.Errorf("cannot read Go code: %w", err)
	}
	r := &reader{Config: c, code: &gocode.Code{Records: c.Records, Symbols: map[gocode.Ref]*gocode.Symbol{}}}
	found := map[string]*packages.Package{}
	for _, p := range loaded {
		found[p.PkgPath] = p
	}
	for _, path := range paths {
		p := found[path]
		if p == nil {
			r.code.Faults = append(r.code.Faults, gocode.Fault{Import: path, Text: "there is no such package"})
			continue
		}
		r.faults(p)
		for _, ref := range refs {
			if ref.Import == path && p.Types != nil {
				r.symbol(p, ref)
			}
		}
	}
	return r.code, nil
}

// reader is one run of Read.
type reader struct {
	Config
	code *gocode.Code
}

// faults notes what is wrong with a package.
func (r *reader) faults(p *packages.Package) {
	if p.Name == "main" {
		r.fault(p, "it is a command, and cannot be imported", diag.Range{}, false)
	}
	for _, e := range p.TypeErrors {
		r.fault(p, e.Msg, r.place(e.Fset, e.Pos, 1), true)
	}
	parsed := !slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind == packages.ParseError })
	for _, e := range p.Errors {
		// The go command repeats what is wrong with the source.
		if e.Kind != packages.TypeError && len(p.TypeErrors) == 0 && (parsed || e.Kind == packages.ParseError) {
			at := r.parsePlace(e.Pos)
			r.fault(p, strings.Join(strings.Fields(e.Msg), " "), at, at.Start.Line > 0 && e.Kind == packages.ParseError)
		}
	}
}

func (r *reader) fault(p *packages.Package, text string, at diag.Range, build bool) {
	r.code.Faults = append(r.code.Faults, gocode.Fault{Import: p.PkgPath, Text: text, Range: at, Build: build})
}

// parsePlace reads "file:line:column". What is none has no place.
func (r *reader) parsePlace(s string) diag.Range {
	m := place.FindStringSubmatch(s)
	if m == nil {
		return diag.Range{}
	}
	src, ok := r.Overlay[m[1]]
	if !ok {
		var err error
		if src, err = os.ReadFile(m[1]); err != nil {
			return diag.Range{}
		}
	}
	line, _ := strconv.Atoi(m[2]) // digits
	column, _ := strconv.Atoi(m[3])
	at := diag.Pos{Line: line, Column: column}
	for range line - 1 {
		n := bytes.IndexByte(src[at.Byte:], '\n')
		if n < 0 {
			return diag.Range{}
		}
		at.Byte += n + 1
	}
	at.Byte += column - 1
	return diag.Range{File: r.name(m[1]), Start: at, End: at}
}

var place = regexp.MustCompile(`^(.+):(\d+):(\d+)$`)

// place is the range of n bytes at a position.
func (r *reader) place(fset *token.FileSet, pos token.Pos, n int) diag.Range {
	if !pos.IsValid() {
		return diag.Range{}
	}
	p := fset.Position(pos)
	start := diag.Pos{Line: p.Line, Column: p.Column, Byte: p.Offset}
	end := diag.Pos{Line: p.Line, Column: p.Column + n, Byte: p.Offset + n}
	return diag.Range{File: r.name(p.Filename), Start: start, End: end}
}

func (r *reader) name(file string) string {
	if r.Name != nil {
		file = r.Name(file)
	}
	return filepath.ToSlash(file)
}

// sees says whether a package imports another, directly or through others.
func sees(p *packages.Package, path string, seen map[*packages.Package]bool) bool {
	if seen[p] {
		return false
	}
	seen[p] = true
	for _, imported := range p.Imports {
		if imported.PkgPath == path || sees(imported, path, seen) {
			return true
		}
	}
	return false
}

// symbol notes what a reference names.
func (r *reader) symbol(p *packages.Package, ref gocode.Ref) {
	object := p.Types.Scope().Lookup(ref.Name)
	if object == nil {
		return
	}
	s := &gocode.Symbol{Ref: ref, Package: p.Name, SeesRecords: r.Records != "" && sees(p, r.Records, map[*packages.Package]bool{}), Range: r.place(p.Fset, object.Pos(), len(ref.Name))}
	r.code.Symbols[ref] = s
	t := &typer{reader: r, pkg: p}
	switch o := object.(type) {
	case *types.Func:
		s.Func = t.function(o.Type().(*types.Signature))
	case *types.TypeName:
		s.Kind = "a type"
		named, ok := o.Type().(*types.Named)
		if o.IsAlias() || !ok {
			s.Kind = "an alias"
			return
		}
		if st, ok := named.Underlying().(*types.Struct); ok {
			s.Struct = t.structure(st)
			s.Struct.Generic = named.TypeParams().Len() > 0
		}
	case *types.Var:
		s.Kind = "a variable"
	case *types.Const:
		s.Kind = "a constant"
	}
}
