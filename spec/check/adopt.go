package check

import (
	"go/token"
	"reflect"
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/gocode"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// adopted is a type that is a struct of the user's.
type adopted struct {
	typ *namedType
	ref gocode.Ref
	at  diag.Range // of the reference
}

// adopts says whether a type block is one that adopts a Go struct, and reads it as such. Its fields are found by readGo.
func (c *checker) adopts(t *namedType) bool {
	var goAttr *syntax.Attr
	for _, a := range t.block.Attrs {
		if _, text := a.Value.(*syntax.Text); text && a.Name.Name == "go" {
			goAttr = a
		}
	}
	if goAttr == nil {
		return false
	}
	for _, a := range t.block.Attrs {
		if s, text := a.Value.(*syntax.Text); text && a.Name.Name == "description" {
			t.record.Description = plainText(s.Value)
		} else if a != goAttr {
			c.diags.Errorf("SG1707", a.Name.Range, "the fields of %s are those of the Go struct", title(t.block)).
				WithHint("write %q there, or the type without \"go\"", a.Name.Name).WithRelated(goAttr.Range, "the struct is named here")
		}
	}
	a := &adopted{typ: t}
	a.ref, a.at, _ = c.reference(goAttr, `go = "example.com/shop.Payment"`)
	t.record.Go = &types.Struct{Import: a.ref.Import, Name: a.ref.Name}
	c.adopted = append(c.adopted, a)
	return true
}

// adopt takes the fields of a struct over into a record. Each has the name that encoding/json has for it. All must be fields of
// the record: a row that is read back from a store would have lost the others.
func (c *checker) adopt(a *adopted, s *gocode.Symbol) bool {
	switch {
	case s.Struct == nil || s.Struct.Generic:
		what := s.Kind
		switch {
		case s.Struct != nil:
			what = "generic"
		case s.Func != nil:
			what = "a function"
		}
		c.diags.Errorf("SG1702", a.at, "%s is %s, and a struct is expected", s.Name, what).WithRelated(s.Range, "%s is declared here", s.Name).
			WithHint("type %s struct { … }", s.Name)
		return false
	case s.SeesRecords:
		c.diags.Errorf("SG1702", a.at, "package %s imports package records, which reads and writes its struct %s", s.Import, s.Name).
			WithDetail("Neither of the two could be compiled first.").WithHint("move the struct to a package that does not import records").
			WithRelated(s.Range, "%s is declared here", s.Name)
		return false
	case len(s.Struct.Fields) == 0:
		c.diags.Errorf("SG1705", a.at, "%s has no fields", s.Name).WithRelated(s.Range, "%s is declared here", s.Name)
		return false
	}
	r := a.typ.record
	r.Go.Package = s.Package
	ok := true
	seen := map[string]gocode.Field{}
	for _, f := range s.Struct.Fields {
		name, t, why := c.adoptField(f)
		if first, twice := seen[name]; twice && why == "" {
			why = "it has the name of the field " + first.Name
		}
		if why != "" {
			c.diags.Errorf("SG1705", a.at, "the field %s of %s, which is %s, cannot be a field of a type", f.Name, s.Name, f.Type.Text).
				WithHint("%s", why).WithRelated(f.Range, "here")
			ok = false
			continue
		}
		seen[name] = f
		r.Fields = append(r.Fields, types.Field{Name: name, Type: t, Pos: a.at})
		r.Go.Fields = append(r.Go.Fields, f.Name)
	}
	return ok
}

// adoptField is the name and the type that a field has in the language. The last result says why it cannot be one.
func (c *checker) adoptField(f gocode.Field) (string, types.Type, string) {
	name, options, _ := strings.Cut(reflect.StructTag(f.Tag).Get("json"), ",")
	switch {
	case f.Embedded:
		return "", nil, "give the embedded struct a name, and adopt its type, too"
	case f.Name == "_" || !token.IsExported(f.Name):
		return "", nil, "begin it in upper case: a store would lose a field that nobody else sees"
	case name == "-" && options == "":
		return "", nil, "take it out of the struct: a store would lose a field that JSON has not"
	}
	if name == "" {
		name = f.Name
	}
	if !fieldName.MatchString(name) {
		return "", nil, "its name in JSON, " + name + ", must be one of letters, digits, _ and -, the first a letter"
	}
	t, why := c.goType(f.Type)
	if why != "" {
		return "", nil, why
	}
	if enum, ok := types.NonNull(t).(*types.Enum); ok {
		return "", nil, "a string: the package of " + enum.Name + " reads this struct, and cannot be read by it"
	}
	for option := range strings.SplitSeq(options, ",") {
		switch {
		case option == "", (option == "omitempty" || option == "omitzero") && types.IsOptional(t):
		case option == "omitempty" || option == "omitzero":
			return "", nil, "optional.Of[" + f.Type.Text + "]: what may be left out may be missing"
		default:
			return "", nil, "a tag without the option " + option
		}
	}
	return name, t, ""
}

// unusedFunctions warns of function blocks that nothing calls.
func (c *checker) unusedFunctions() {
	for _, name := range c.functionNames {
		if f := c.functions[name]; !f.used {
			c.diags.Warnf("SG1904", f.block.Header, "nothing calls the function %s", name).WithHint("remove it")
		}
	}
}
