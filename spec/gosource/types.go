package gosource

import (
	"go/types"

	"golang.org/x/tools/go/packages"

	"github.com/streamgen/streamgen/spec/gocode"
)

// typer makes plain data of go/types.
type typer struct {
	*reader
	pkg *packages.Package
}

func (t *typer) function(s *types.Signature) *gocode.Func {
	return &gocode.Func{
		Params: t.vars(s.Params()), Results: t.vars(s.Results()),
		Variadic: s.Variadic(), Generic: s.TypeParams().Len() > 0,
	}
}

func (t *typer) vars(list *types.Tuple) []gocode.Var {
	var vars []gocode.Var
	for v := range list.Variables() {
		vars = append(vars, gocode.Var{Name: v.Name(), Type: t.typ(v.Type()), Range: t.place(t.pkg.Fset, v.Pos(), max(len(v.Name()), 1))})
	}
	return vars
}

func (t *typer) structure(s *types.Struct) *gocode.Struct {
	out := &gocode.Struct{}
	for i := range s.NumFields() {
		f := s.Field(i)
		out.Fields = append(out.Fields, gocode.Field{
			Name: f.Name(), Type: t.typ(f.Type()), Tag: s.Tag(i), Embedded: f.Embedded(), Range: t.place(t.pkg.Fset, f.Pos(), len(f.Name())),
		})
	}
	return out
}

// typ is a type. Aliases are what they stand for.
func (t *typer) typ(typ types.Type) gocode.Type {
	out := gocode.Type{Text: types.TypeString(typ, (*types.Package).Name)}
	switch typ := types.Unalias(typ).(type) {
	case *types.Basic:
		out.Kind, out.Name = gocode.Basic, typ.Name()
		if typ.Kind() == types.Uint8 {
			out.Name = "uint8"
		}
	case *types.Pointer:
		out.Kind, out.Args = gocode.Pointer, []gocode.Type{t.typ(typ.Elem())}
	case *types.Slice:
		out.Kind, out.Args = gocode.Slice, []gocode.Type{t.typ(typ.Elem())}
	case *types.Named:
		out.Kind, out.Name, out.Under = gocode.Named, typ.Obj().Name(), under(typ)
		if p := typ.Obj().Pkg(); p != nil {
			out.Import = p.Path()
		}
		for arg := range typ.TypeArgs().Types() {
			out.Args = append(out.Args, t.typ(arg))
		}
	}
	return out
}

// under is what a named type is made of, in a word.
func under(t *types.Named) string {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return "struct"
	case *types.Interface:
		return "interface"
	default:
		return u.String()
	}
}
