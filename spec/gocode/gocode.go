// Package gocode is what the checker knows of the user's Go code: signatures of functions and fields of structs, as plain data.
//
// It stands beside spec/types, below spec/check, which asks a Reader for it. spec/gosource reads it from Go source; tests make it
// by hand. Nothing of go/types is in it, so that checking stays a pure function.
package gocode

import (
	"go/token"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/types"
)

// Ref names a function or a type: "example.com/shop/fraud.Score".
type Ref struct{ Import, Name string }

// String is the reference as a spec has it.
func (r Ref) String() string { return r.Import + "." + r.Name }

// ParseRef reads a reference. The second result says what is wrong with it.
func ParseRef(text string) (Ref, string) {
	slash := strings.LastIndexByte(text, '/') + 1
	dot := strings.LastIndexByte(text[slash:], '.')
	if dot <= 0 {
		return Ref{}, "the import path of a package, a dot and a name are expected"
	}
	r := Ref{Import: text[:slash+dot], Name: text[slash+dot+1:]}
	switch {
	case !token.IsIdentifier(r.Name):
		return r, "what stands behind the last dot is no Go name"
	case !token.IsExported(r.Name):
		return r, "only names that begin in upper case can be used from another package"
	case strings.ContainsAny(r.Import, " \t\n\"\\") || strings.HasPrefix(r.Import, ".") || strings.HasPrefix(r.Import, "/"):
		return r, "what stands before the last dot is no import path"
	}
	return r, ""
}

// Request is what a spec needs to know.
type Request struct {
	App     string          // label
	Records []*types.Record // declared: user code may import them from the generated package records, so they are laid out for it
	Enums   []*types.Enum
	Refs    []Ref
}

// Reader reads Go code. An error says why none can be read at all: there is no module, no go command.
type Reader interface {
	Read(Request) (*Code, error)
}

// Code is what was found.
type Code struct {
	Records string // import path of the generated package records
	Symbols map[Ref]*Symbol
	Faults  []Fault // packages that cannot be used, by import path
}

// Fault is why a package cannot be used: it is not there, or it does not compile.
type Fault struct {
	Import string
	Text   string
	Range  diag.Range // in Go; zero: none
	Build  bool       // the package is there and does not compile
}

// Symbol is a name of the user's code. A name that its package has not has no Symbol.
type Symbol struct {
	Ref
	Package string // name of the package, which need not be the last element of its path
	Kind    string // what it is, if neither Func nor Struct is set: "a variable"
	Func    *Func
	Struct  *Struct
	Range   diag.Range // of the name

	SeesRecords bool // its package imports the generated package records
}

// Func is a signature.
type Func struct {
	Params, Results []Var
	Variadic        bool
	Generic         bool
}

// Var is a parameter or a result.
type Var struct {
	Name  string // "" if it has none
	Type  Type
	Range diag.Range
}

// Struct is a struct type.
type Struct struct {
	Generic bool
	Fields  []Field
}

// Field is a field of a struct.
type Field struct {
	Name     string
	Type     Type
	Tag      string // as in the source, without its quotes
	Embedded bool
	Range    diag.Range
}

// Kind is the form of a Type.
type Kind uint8

// The forms.
const (
	Other   Kind = iota // none that a function or a struct may use
	Basic               // Name: "string", "int64"
	Named               // Import, Name, Args; Args[0] of a generic type
	Pointer             // Args[0]
	Slice               // Args[0]
)

// Type is a Go type.
type Type struct {
	Kind   Kind
	Import string
	Name   string
	Args   []Type
	Text   string // as Go source has it: "fraud.Order", "map[string]int"
	Under  string // of a named type: what it is made of: "struct", "string"
}

// Is tells whether t is the type of that name of a package.
func (t Type) Is(path, name string) bool {
	return t.Kind == Named && t.Import == path && t.Name == name
}
