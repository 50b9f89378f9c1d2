package model

import (
	"strings"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/types"
)

// Function is code of the user's that expressions call.
type Function struct {
	Label       string
	Description string
	Import      string // path of its package
	Package     string // name of its package
	Name        string
	Context     bool // takes a context first
	Params      []GoValue
	Result      GoValue
	Error       bool // gives an error last
	Pure        bool // calling it again, or not at all, makes no difference
	Pos         diag.Range
}

// GoValue is a parameter or a result: a type, and how the function's signature has it.
type GoValue struct {
	Type types.Type
	Form GoForm
}

// GoForm is how Go has a value of a type.
type GoForm uint8

// The forms.
const (
	GoPlain   GoForm = iota // as generated code has it
	GoPointer               // by pointer, of a record. As a result nil is bad logic
	GoTime                  // time.Time of a timestamp, time.Duration of a duration
)

// UserCall is a call of a function of the user's. It is Fallible if the function gives an error. Any call can panic, which no try
// catches: the policy of the step decides.
type UserCall struct {
	ExprBase
	Function *Function
	Args     []Expr
}

// CallsUser says whether evaluating e, or a part of it, calls a function of the user's.
func CallsUser(e Expr) (calls bool) {
	Walk(e, func(x Expr) {
		_, is := x.(*UserCall)
		calls = calls || is
	})
	return calls
}

// String is the label and the Go function with its types: "score = example.com/shop/fraud.Score(context, *Order, time timestamp)
// float64, error".
func (f *Function) String() string {
	var params []string
	if f.Context {
		params = append(params, "context")
	}
	for _, p := range f.Params {
		params = append(params, p.String())
	}
	text := f.Label + " = " + f.Import + "." + f.Name + "(" + strings.Join(params, ", ") + ") " + f.Result.String()
	if f.Error {
		text += ", error"
	}
	if f.Pure {
		text += "  pure"
	}
	return text
}

// String is the type, with its form before it.
func (v GoValue) String() string { return [...]string{"", "*", "time "}[v.Form] + typeText(v.Type) }
