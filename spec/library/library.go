// Package library is the function library of the language, as data: what each function is called with, what it gives, what it
// means, when it fails, and examples.
//
// It is the one table that the type checker, the planner, the emitter, `streamgen functions` and docs/language/functions.md
// go by. What a function is in Go is said by the emitter; that every example holds is tested on generated code.
package library

import (
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// Function is a function of the library. All are pure: the same arguments give the same result, whenever and wherever.
type Function struct {
	Name     string
	Group    string // the heading under which it is documented
	Params   []Param
	Least    int // how many arguments it needs; the rest of Params may be left out
	Result   types.Type
	Typing   string // instead of Params and Result: the signature of a function that the checker types by hand
	Most     int    // of such a function: how many arguments it takes; 0: any number from Least on
	Doc      string
	Fails    string // fallible: why evaluating it may fail, so that try or a policy is needed; else ""
	Examples []Example
}

// Param is a parameter.
type Param struct {
	Name     string
	Type     types.Type
	Text     bool     // Type is bytes, and a string is taken as its bytes
	Constant Constant // the build must know its value
}

// Constant says what a value that the build must know is.
type Constant uint8

// The kinds of constant. Pattern, Zone and Path are made ready once, before the program processes anything.
const (
	NotConstant Constant = iota
	Text                 // a text
	Number               // a whole number between 0 and MaxNumber
	Width                // a whole number between 0 and MaxWidth
	Length               // a duration longer than zero
	Layout               // of a time, as in Go: 2006-01-02 15:04:05
	Zone                 // of the IANA database: Europe/Berlin
	Unit                 // one of Units
	Pattern              // a regular expression, RE2
	Path                 // a JSON path: $.a.b[0]
)

// MaxNumber bounds constants that say how many digits or places there are, MaxWidth those that a text is filled up to.
const (
	MaxNumber = 20
	MaxWidth  = 1000
)

// Units are the parts of a calendar that a time can be taken back to the beginning of.
var Units = []string{"minute", "hour", "day", "week", "month", "quarter", "year"}

// Example is an expression and what it gives, both of the language.
type Example struct{ Expr, Result string }

// Signature is how the function is called: "substr(s string, start int64[, n int64]) string".
func (f *Function) Signature() string {
	if f.Typing != "" {
		return f.Typing
	}
	var b strings.Builder
	b.WriteString(f.Name + "(")
	for i, p := range f.Params {
		switch {
		case i >= f.Least:
			b.WriteString("[, ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(p.Name + " " + p.kind())
	}
	b.WriteString(strings.Repeat("]", len(f.Params)-f.Least) + ") " + f.Result.String())
	return b.String()
}

// kind is what a signature says of a parameter.
func (p *Param) kind() string {
	switch {
	case p.Text:
		return "bytes or string"
	case p.Constant == Pattern, p.Constant == Layout, p.Constant == Zone, p.Constant == Path, p.Constant == Unit:
		return p.Constant.String()
	case p.Constant != NotConstant:
		return "constant " + p.Type.String()
	}
	return p.Type.String()
}

// String is the kind in a word.
func (c Constant) String() string {
	return [...]string{"", "text", "number", "width", "length", "layout", "zone", "unit", "pattern", "path"}[c]
}

// Lookup finds a function, or gives nil.
func Lookup(name string) *Function {
	i, found := slices.BinarySearchFunc(all, name, func(f *Function, name string) int { return strings.Compare(f.Name, name) })
	if !found {
		return nil
	}
	return all[i]
}

// Functions is the library in alphabetical order.
func Functions() []*Function { return slices.Clone(all) }

// Groups are the headings, in the order in which they are documented.
func Groups() []string {
	var list []string
	for _, g := range groups {
		list = append(list, g.name)
	}
	return list
}

// group is the functions under one heading.
type group struct {
	name      string
	about     string
	functions []Function
}

var groups = []*group{&anything, &stringFunctions, &patterns, &lists, &numbers, &times, &hashes, &encodings, &uuids, &jsonFunctions}

// all is every function, in alphabetical order.
var all = func() (list []*Function) {
	for _, g := range groups {
		for i := range g.functions {
			f := &g.functions[i]
			f.Group = g.name
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *Function) int { return strings.Compare(a.Name, b.Name) })
	return list
}()

// Overflows says whether the result of a call may be more than its type, or a limit of the language, can hold. That is bad
// logic at run time, as the overflow of a sum is, and no policy has to be written for it.
func Overflows(c *model.Call) bool {
	switch c.Func {
	case "floor", "ceil", "round", "trunc", "div", "from_unix_s", "truncate", "start_of":
		return true
	case "sum_of":
		return types.IsInteger(c.Type) || c.Type == types.Duration || types.IsDecimal(c.Type)
	case "abs":
		return types.IsInteger(c.Type)
	case "repeat":
		return true
	case "replace": // what each old becomes may be as long as the text itself
		return !isConstant(c.Args[2])
	case "join":
		return !isConstant(c.Args[1])
	}
	return false
}

func isConstant(e model.Expr) bool { _, ok := e.(*model.Const); return ok }

// Short ways to write the table.

const (
	str = types.String
	i64 = types.Int64
	f64 = types.Float64
	yes = types.Bool
	byt = types.Bytes
	ts  = types.Timestamp
	dur = types.Duration
)

func params(list ...Param) []Param { return list }

func of(name string, t types.Type) Param { return Param{Name: name, Type: t} }

func fixed(name string, t types.Type, c Constant) Param {
	return Param{Name: name, Type: t, Constant: c}
}

// data is bytes or a string.
func data(name string) Param { return Param{Name: name, Type: byt, Text: true} }

func example(expr, result string) []Example { return []Example{{expr, result}} }

func examples(pairs ...string) []Example {
	var list []Example
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Example{pairs[i], pairs[i+1]})
	}
	return list
}
