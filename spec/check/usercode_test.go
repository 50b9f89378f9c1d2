package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/gocode"
	"github.com/streamgen/streamgen/spec/model"
)

// shopCode is the user's Go code in these tests: what spec/gosource would find.
type shopCode struct{ request *gocode.Request }

const (
	recordsPath = "example.com/shop/generated/shop/records"
	runtimePath = "github.com/streamgen/streamgen/runtime/"
)

func goRange(file string, line, column, n int) diag.Range {
	return diag.Range{File: file, Start: diag.Pos{Line: line, Column: column}, End: diag.Pos{Line: line, Column: column + n}}
}

func basic(name string) gocode.Type { return gocode.Type{Kind: gocode.Basic, Name: name, Text: name} }

func named(path, name string, args ...gocode.Type) gocode.Type {
	text := path[strings.LastIndexByte(path, '/')+1:] + "." + name
	if len(args) > 0 {
		text += "[" + args[0].Text + "]"
	}
	return gocode.Type{Kind: gocode.Named, Import: path, Name: name, Args: args, Text: text, Under: "struct"}
}

func pointer(t gocode.Type) gocode.Type {
	return gocode.Type{Kind: gocode.Pointer, Args: []gocode.Type{t}, Text: "*" + t.Text}
}

func slice(t gocode.Type) gocode.Type {
	return gocode.Type{Kind: gocode.Slice, Args: []gocode.Type{t}, Text: "[]" + t.Text}
}

var (
	contextType = gocode.Type{Kind: gocode.Named, Import: "context", Name: "Context", Text: "context.Context", Under: "interface"}
	errorType   = gocode.Type{Kind: gocode.Named, Name: "error", Text: "error", Under: "interface"}
	timeType    = named("time", "Time")
	orderType   = named(recordsPath, "Order")
	paymentType = named("example.com/shop", "Payment")
)

func fn(line int, params []gocode.Type, results ...gocode.Type) *gocode.Symbol {
	f := &gocode.Func{}
	for i, p := range params {
		f.Params = append(f.Params, gocode.Var{Name: string(rune('a' + i)), Type: p, Range: goRange("fraud/fraud.go", line, 20+i, 1)})
	}
	for _, r := range results {
		f.Results = append(f.Results, gocode.Var{Type: r, Range: goRange("fraud/fraud.go", line, 40, 1)})
	}
	return &gocode.Symbol{Package: "fraud", Func: f, Range: goRange("fraud/fraud.go", line, 6, 5)}
}

func st(fields ...gocode.Field) *gocode.Symbol {
	for i := range fields {
		fields[i].Range = goRange("shop.go", 4+i, 2, len(fields[i].Name))
	}
	return &gocode.Symbol{Package: "shop", Kind: "a type", Struct: &gocode.Struct{Fields: fields}, Range: goRange("shop.go", 3, 6, 7)}
}

func symbols() map[string]*gocode.Symbol {
	list := func(t ...gocode.Type) []gocode.Type { return t }
	generic := fn(8, list(slice(basic("int64"))), basic("int64"))
	generic.Func.Generic = true
	variadic := fn(9, list(slice(basic("int64"))), basic("int64"))
	variadic.Func.Variadic = true
	payment := st(gocode.Field{Name: "ID", Type: basic("string"), Tag: `json:"id"`}, gocode.Field{Name: "Amount", Type: basic("int64"), Tag: `json:"amount" db:"x"`},
		gocode.Field{Name: "Note", Type: named(runtimePath+"optional", "Of", basic("string")), Tag: `json:"note,omitzero"`})
	return map[string]*gocode.Symbol{
		"example.com/shop/fraud.Score":    fn(3, list(contextType, orderType), basic("float64"), errorType),
		"example.com/shop/fraud.Rate":     fn(4, list(basic("int64")), basic("int64")),
		"example.com/shop/fraud.Level":    fn(5, list(basic("int")), basic("string")),
		"example.com/shop/fraud.Improve":  fn(6, list(pointer(orderType)), pointer(orderType), errorType),
		"example.com/shop/fraud.When":     fn(7, list(timeType, named("time", "Duration")), timeType),
		"example.com/shop/fraud.Sum":      generic,
		"example.com/shop/fraud.All":      variadic,
		"example.com/shop/fraud.Both":     fn(10, list(basic("int64")), basic("int64"), basic("int64")),
		"example.com/shop/fraud.Nothing":  fn(11, list(basic("int64"))),
		"example.com/shop/fraud.Pay":      fn(12, list(paymentType), basic("bool")),
		"example.com/shop/fraud.Stranger": fn(13, list(named("example.com/shop/other", "Thing")), basic("bool")),
		"example.com/shop/fraud.Tiers":    fn(14, list(slice(named(recordsPath, "Tier"))), named(runtimePath+"dict", "Of", basic("float64"))),
		"example.com/shop/fraud.Limit":    {Package: "fraud", Kind: "a constant", Range: goRange("fraud/fraud.go", 2, 7, 5)},
		"example.com/shop.Payment":        payment,
		"example.com/shop.Parcel":         st(gocode.Field{Name: "At", Type: timeType, Tag: `json:"at"`}),
		"example.com/shop.Hidden":         st(gocode.Field{Name: "ID", Type: basic("string")}, gocode.Field{Name: "cache", Type: basic("string")}),
		"example.com/shop.Skipped":        st(gocode.Field{Name: "ID", Type: basic("string"), Tag: `json:"-"`}),
		"example.com/shop.Embedding":      st(gocode.Field{Name: "Payment", Type: paymentType, Embedded: true}),
		"example.com/shop.Missing":        st(gocode.Field{Name: "N", Type: basic("int64"), Tag: `json:"n,omitempty"`}),
		"example.com/shop.Quoted":         st(gocode.Field{Name: "N", Type: basic("int64"), Tag: `json:"n,string"`}),
		"example.com/shop.Twice":          st(gocode.Field{Name: "A", Type: basic("int64"), Tag: `json:"n"`}, gocode.Field{Name: "B", Type: basic("int64"), Tag: `json:"n"`}),
		"example.com/shop.Nested":         st(gocode.Field{Name: "Payment", Type: paymentType}),
		"example.com/shop.Empty":          st(),
	}
}

func (s *shopCode) Read(r gocode.Request) (*gocode.Code, error) {
	s.request = &r
	code := &gocode.Code{Records: recordsPath, Symbols: map[gocode.Ref]*gocode.Symbol{}}
	all := symbols()
	seen := map[string]bool{}
	for _, ref := range r.Refs {
		if x := all[ref.String()]; x != nil {
			x.Ref = ref
			code.Symbols[ref] = x
		}
		if seen[ref.Import] {
			continue
		}
		seen[ref.Import] = true
		switch ref.Import {
		case "example.com/shop", "example.com/shop/fraud":
		case "example.com/shop/broken":
			code.Faults = append(code.Faults, gocode.Fault{Import: ref.Import, Text: "undefined: records.Enriched", Range: goRange("broken/broken.go", 7, 9, 1), Build: true})
		default:
			code.Faults = append(code.Faults, gocode.Fault{Import: ref.Import, Text: "no required module provides it"})
		}
	}
	return code, nil
}

// What is said of user code, and where it points in Go.
func TestUserCodeMessages(t *testing.T) {
	use := func(function, expr string) string {
		return "function \"f\" { go = \"example.com/shop/fraud." + function + "\" }\nstream \"x\" {\n from = stream.orders\n map_values {\n value = " + expr + "\n on_error = \"skip\"\n}\n}"
	}
	adopt := func(name string) string { return "type \"Thing\" { go = \"example.com/shop." + name + "\" }" }
	for _, c := range []struct {
		spec, code, summary, hint string
		related                   string // the first place in Go
	}{
		{use("Score", "f(value)"), "", "", "", ""},
		{use("Improve", "f(value)"), "", "", "", ""},
		{use("Score", `f("x")`), "SG1701", "Score takes records.Order, is given string", "", "fraud/fraud.go:3:21"},
		{use("Rate", `f(int32(1))`), "SG1701", "Rate takes int64, is given int32", "`int64(int32(1))`", "fraud/fraud.go:4:20"},
		{use("Rate", `f(value.note)`), "SG1701", "Rate takes int64, is given optional(string)", "", "fraud/fraud.go:4:20"},
		{use("Rate", `f(1, 2)`), "SG1701", "f takes 1 argument, is given 2", "f(int64)", "fraud/fraud.go:4:6"},
		{use("Rate", `f(null)`), "SG1302", "argument 1 of f is int64 and cannot be null", "", ""},
		{use("Nowhere", "f(value)"), "SG1702", "there is no Nowhere in package example.com/shop/fraud", "", ""},
		{use("Limit", "f(value)"), "SG1702", "Limit is a constant, and a function is expected", "func Limit(…) (T, error)", "fraud/fraud.go:2:7"},
		{use("score", "f(value)"), "SG1702", `"example.com/shop/fraud.score" names no Go code: only names that begin in upper case can be used from another package`, `go = "example.com/shop/fraud.Score"`, ""},
		{use("Scorer.Score", "f(value)"), "SG1702", "package example.com/shop/fraud.Scorer cannot be used: no required module provides it", "Scorer.Score would be a method: write a function that calls it", ""},
		{use("Level", "f(1)"), "SG1704", "parameter a of Level is int, which no type of the language is", "int64, or int32", "fraud/fraud.go:5:20"},
		{use("Sum", "f(1)"), "SG1704", "Sum is generic: nothing says with which types", "write a function with fixed types that calls it", "fraud/fraud.go:8:6"},
		{use("All", "f(1)"), "SG1704", "All takes any number of arguments", "take a list: a slice as a parameter of its own", "fraud/fraud.go:9:6"},
		{use("Both", "f(1)"), "SG1704", "Both must give one result, and may give an error behind it; it gives 2", "a record holds several: give a type of the spec", "fraud/fraud.go:10:6"},
		{use("Nothing", "f(1)"), "SG1704", "Nothing must give one result, and may give an error behind it; it gives 0", "a record holds several: give a type of the spec", "fraud/fraud.go:11:6"},
		{use("Pay", "f(1)"), "SG1704", "parameter a of Pay is shop.Payment, which no type of the language is", `type "Payment" { go = "example.com/shop.Payment" } adopts the struct`, "fraud/fraud.go:12:20"},
		{"function \"f\" { go = \"example.com/shop/broken.Score\" }", "SG1703", "package example.com/shop/broken does not compile", "package records has what the spec declares: types and enums", "broken/broken.go:7:9"},
		{"function \"length\" { go = \"example.com/shop/fraud.Rate\" }", "SG1203", "length is a function of the language", "choose another label", ""},
		{"function \"f\" { go = \"example.com/shop/fraud.Rate\" }\nlocals { x = f(1) }", "SG1706", "f is Go code and runs when the program does: it can be no part of a constant or a local", "call it in a step", ""},
		{adopt("Payment"), "", "", "", ""},
		{adopt("Parcel"), "SG1705", "the field At of Parcel, which is time.Time, cannot be a field of a type", "temporal.Timestamp of the runtime", "shop.go:4:2"},
		{adopt("Hidden"), "SG1705", "the field cache of Hidden, which is string, cannot be a field of a type", "begin it in upper case: a store would lose a field that nobody else sees", "shop.go:5:2"},
		{adopt("Skipped"), "SG1705", "the field ID of Skipped, which is string, cannot be a field of a type", "take it out of the struct: a store would lose a field that JSON has not", "shop.go:4:2"},
		{adopt("Embedding"), "SG1705", "the field Payment of Embedding, which is shop.Payment, cannot be a field of a type", "give the embedded struct a name, and adopt its type, too", "shop.go:4:2"},
		{adopt("Missing"), "SG1705", "the field N of Missing, which is int64, cannot be a field of a type", "optional.Of[int64]: what may be left out may be missing", "shop.go:4:2"},
		{adopt("Quoted"), "SG1705", "the field N of Quoted, which is int64, cannot be a field of a type", "a tag without the option string", "shop.go:4:2"},
		{adopt("Twice"), "SG1705", "the field B of Twice, which is int64, cannot be a field of a type", "it has the name of the field A", "shop.go:5:2"},
		{adopt("Nested"), "SG1705", "the field Payment of Nested, which is shop.Payment, cannot be a field of a type", `type "Payment" { go = "example.com/shop.Payment" } adopts the struct`, "shop.go:4:2"},
		{adopt("Empty"), "SG1705", "Empty has no fields", "", "shop.go:3:6"},
		{"type \"Thing\" { go = \"example.com/shop/fraud.Rate\" }", "SG1702", "Rate is a function, and a struct is expected", "type Rate struct { … }", "fraud/fraud.go:4:6"},
	} {
		_, diags := check.Check(withPrelude(t, c.spec), check.Options{Go: &shopCode{}})
		var first *diag.Diagnostic
		for _, d := range diags {
			if d.Severity == diag.Error {
				first = d
				break
			}
		}
		switch {
		case first == nil && c.code == "":
		case first == nil || diags.Errors() != 1 || first.Code != c.code || first.Summary != c.summary || first.Hint != c.hint:
			t.Errorf("%s:\n%s", c.spec, text(diags))
		case c.related != "" && (len(first.Related) == 0 || first.Related[0].Range.String() != c.related):
			t.Errorf("%s: related to %v, want %s", c.spec, first.Related, c.related)
		}
	}
}

// What the model has of user code, and what is asked for.
func TestUserCodeModel(t *testing.T) {
	code := &shopCode{}
	m, diags := check.Check(withPrelude(t, `
type "Payment" { go = "example.com/shop.Payment" }
type "Nested" { go = "example.com/shop.Nested" }
function "score" { go = "example.com/shop/fraud.Score" }
function "improve" {
  go   = "example.com/shop/fraud.Improve"
  pure = true
}
function "when"  { go = "example.com/shop/fraud.When" }
function "pay"   { go = "example.com/shop/fraud.Pay" }
function "tiers" { go = "example.com/shop/fraud.Tiers" }
stream "x" {
  from = stream.orders
  filter { where = try(score(value), 0) > 0.5 }
}
`), check.Options{Go: code})
	if diags.HasErrors() {
		t.Fatal(text(diags))
	}
	want := `function score = example.com/shop/fraud.Score(context, Order) float64, error
function improve = example.com/shop/fraud.Improve(*Order) *Order, error  pure
function when = example.com/shop/fraud.When(time timestamp, time duration) time timestamp
function pay = example.com/shop/fraud.Pay(Payment) bool
function tiers = example.com/shop/fraud.Tiers(list(Tier)) map(string, float64)
`
	got := ""
	for line := range strings.Lines(model.Dump(m)) {
		if strings.HasPrefix(line, "function ") {
			got += line
		}
	}
	if got != want {
		t.Errorf("got\n%s", got)
	}
	if dump := model.Dump(m); !strings.Contains(dump, "type Payment { id = string, amount = int64, note = optional(string) }") ||
		!strings.Contains(dump, "type Nested { Payment = Payment }") || !strings.Contains(dump, "where = (try(score(value)?, float64 0) > float64 0.5)") {
		t.Errorf("got\n%s", dump)
	}
	if r := code.request; r.App != "shop" || len(r.Refs) != 7 || len(r.Enums) != 1 || !slices.ContainsFunc(r.Refs, func(r gocode.Ref) bool { return r.Name == "Tiers" }) {
		t.Errorf("asked for %+v", r)
	}
	code.request = nil
	if _, diags := check.Check(withPrelude(t, ""), check.Options{Go: code}); diags.HasErrors() || code.request != nil {
		t.Error("Go code is read for a spec that has none")
	}
}
