package check

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a spec means the same on every machine

	"github.com/streamgen/streamgen/runtime/json"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// fixedArg is an argument that the build must know, and that must be of the parameter's kind.
func (x *exprs) fixedArg(e syntax.Expr, p *library.Param, what string) model.Expr {
	k := x.known(e, p.Type, what)
	if k == nil {
		return invalid(e.Pos())
	}
	why, hint := notOfKind(k, p.Constant)
	if why == "" {
		return k
	}
	x.c.diags.Errorf("SG1309", e.Pos(), "%s", why).WithHint("%s", hint)
	return invalid(e.Pos())
}

// known is the value of an argument that the build must know, or nil.
func (x *exprs) known(e syntax.Expr, t types.Type, what string) *model.Const {
	v := x.must(e, t, what)
	k, ok := v.(*model.Const)
	switch {
	case types.IsInvalid(v.Base().Type):
		return nil
	case ok:
		return k
	}
	d := x.c.diags.Errorf("SG1111", e.Pos(), "%s must be a constant", what)
	if usesRuntime(v) {
		d.WithDetail("A variable with runtime = true gets its value when the program starts, and this is checked by the build.")
	} else {
		d.WithDetail("The build checks it, and makes it ready once.").WithHint("a literal, a local or a variable")
	}
	return nil
}

// notOfKind says why a constant is not what is wanted, and what is.
func notOfKind(k *model.Const, kind library.Constant) (why, hint string) {
	s, _ := k.Value.(string)
	n, _ := k.Value.(int64)
	quoted := strconv.Quote(shorten(s))
	switch kind {
	case library.Number:
		if n < 0 || n > library.MaxNumber {
			return fmt.Sprintf("%d is not between 0 and %d", n, library.MaxNumber), "a whole number of digits, places or a group"
		}
	case library.Width:
		if n < 0 || n > library.MaxWidth {
			return fmt.Sprintf("%d is not between 0 and %d", n, library.MaxWidth), "how many code points the text is filled up to"
		}
	case library.Length:
		if n <= 0 {
			return "the duration must be longer than 0", `"15m"`
		}
	case library.Pattern:
		if _, err := regexp.Compile(s); err != nil {
			return quoted + " is no regular expression: " + regexpReason(err), `the syntax is RE2, that of Go; in HCL a backslash is written \\`
		}
	case library.Layout:
		if why := notALayout(s); why != "" {
			return quoted + " is no layout of a time: " + why, `the reference time Mon Jan 2 15:04:05 MST 2006, written as times are to be: "2006-01-02 15:04:05"`
		}
	case library.Zone:
		if _, err := time.LoadLocation(s); err != nil || s == "" || s == "Local" {
			return "there is no time zone " + quoted, `a name of the IANA database: "Europe/Berlin", "UTC"`
		}
	case library.Unit:
		if !slices.Contains(library.Units, s) {
			return "there is no unit " + quoted, "it is one of: " + strings.Join(library.Units, ", ")
		}
	case library.Path:
		if _, err := json.ParsePath(s); err != nil {
			return quoted + " is no path: " + err.Error(), `"$.order.lines[0].sku"`
		}
	}
	return "", ""
}

// notALayout says what is wrong with a layout: it names no part of a time, or what it gives cannot be read again.
func notALayout(layout string) string {
	at := time.Date(2017, time.November, 23, 21, 48, 37, 654_000_000, time.FixedZone("", 5*3600+30*60)) // no part is that of the reference time
	text := at.Format(layout)
	if text == layout {
		return "no part of the reference time stands in it"
	}
	if _, err := time.Parse(layout, text); err != nil && !strings.Contains(layout, "MST") {
		return "a time that it gives cannot be read again"
	}
	return ""
}

// argsFit checks arguments against each other.
func (x *exprs) argsFit(e *syntax.Call, f *library.Function, args []model.Expr) bool {
	if f.Name != "extract" && f.Name != "replace_all" {
		return true
	}
	text := func(v model.Expr) string {
		k, _ := v.(*model.Const)
		s, _ := k.Value.(string)
		return s
	}
	re, err := regexp.Compile(text(args[1]))
	if err != nil {
		return false // was reported
	}
	if f.Name == "extract" {
		if len(args) == 3 {
			k, _ := args[2].(*model.Const)
			if n, _ := k.Value.(int64); int(n) > re.NumSubexp() {
				x.c.diags.Errorf("SG1309", e.Args[2].Pos(), "the pattern has no group %d", n).
					WithHint("it has %d: a group is what stands in ( )", re.NumSubexp())
				return false
			}
		}
		return true
	}
	if name := unknownGroup(re, text(args[2])); name != "" {
		x.c.diags.Errorf("SG1309", e.Args[2].Pos(), "the pattern has no group %q", name).
			WithHint("$1 is its first group, $name a named one; a dollar sign is written $$, and $${1}a where a letter follows")
		return false
	}
	return true
}

// groupName is a reference in the text of a replacement.
var groupName = regexp.MustCompile(`\$(?:\$|\{(\w+)\}|(\w+))`)

// unknownGroup is a group that a replacement names and the pattern has not, or nothing.
func unknownGroup(re *regexp.Regexp, with string) string {
	for _, m := range groupName.FindAllStringSubmatch(with, -1) {
		name := m[1] + m[2]
		if name == "" {
			continue
		}
		n, err := strconv.Atoi(name)
		if err != nil && re.SubexpIndex(name) < 0 || err == nil && n > re.NumSubexp() {
			return name
		}
	}
	return ""
}

// verb is a part of a format: a letter with what stands in front of it.
var verb = regexp.MustCompile(`%(?:%|(-|0)?(\d*)(?:\.(\d+))?([a-zA-Z]))`)

// format is format(form, x, …): the parts of a template, padded and rounded as the form says.
func (x *exprs) format(e *syntax.Call, _ types.Type) model.Expr {
	k := x.known(e.Args[0], types.String, "argument 1 of format")
	args := e.Args[1:]
	if k == nil {
		for _, a := range args {
			x.check(a, nil)
		}
		return invalid(e.Pos())
	}
	form, _ := k.Value.(string)
	at := e.Args[0].Pos()
	n := &model.Concat{}
	literal := ""
	flush := func() {
		if literal != "" {
			n.Parts = append(n.Parts, constant(types.String, literal, at))
			literal = ""
		}
	}
	used, end, bad := 0, 0, false
	for _, m := range verb.FindAllStringSubmatchIndex(form, -1) {
		literal += form[end:m[0]]
		end = m[1]
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return form[m[2*i]:m[2*i+1]]
		}
		if part(4) == "" {
			literal += "%"
			continue
		}
		flush()
		used++
		if used > len(args) {
			continue
		}
		v := x.formatted(form[m[0]:m[1]], part(1), part(2), part(3), part(4), args[used-1], at)
		bad = bad || types.IsInvalid(v.Base().Type)
		n.Parts = append(n.Parts, v)
	}
	literal += form[end:]
	flush()
	if stray := strings.IndexByte(verb.ReplaceAllString(form, ""), '%'); stray >= 0 {
		x.c.diags.Errorf("SG1309", e.Args[0].Pos(), "a %% in the form is no verb").WithHint("%%s, %%d, %%f with a width; a percent sign is %%%%")
		return invalid(e.Pos())
	}
	if used != len(args) {
		for _, a := range args[min(used, len(args)):] {
			x.check(a, nil)
		}
		x.c.diags.Errorf("SG1308", e.Pos(), "the form has %d %s, and there are %d values", used, plural("verb", used), len(args)).
			WithHint("%s", library.Lookup("format").Signature())
		return invalid(e.Pos())
	}
	if bad {
		return invalid(e.Pos())
	}
	n.ExprBase = base(types.String, e.Pos(), n.Parts...)
	if len(n.Parts) == 0 {
		return constant(types.String, "", e.Pos())
	}
	return n
}

// formatted is one value as a verb of a form says.
func (x *exprs) formatted(whole, side, width, places, letter string, e syntax.Expr, at diag.Range) model.Expr {
	wrong := func(why string) model.Expr {
		x.check(e, nil)
		x.c.diags.Errorf("SG1309", at, "%q is no verb: %s", whole, why).WithHint("%%s, %%8s, %%-8s, %%d, %%5d, %%05d, %%f, %%.2f, %%8.2f")
		return invalid(e.Pos())
	}
	call := func(name string, args ...model.Expr) model.Expr {
		return x.ifValid(&model.Call{ExprBase: base(types.String, e.Pos(), args...), Func: name, Args: args}, args...)
	}
	number := func(s string) model.Expr {
		n, _ := strconv.ParseInt(s, 10, 64)
		return constant(types.Int64, n, at)
	}
	if len(width) > 3 {
		return wrong("the width is too large")
	}
	var v model.Expr
	switch {
	case letter != "f" && places != "":
		return wrong("only %f has places")
	case letter == "s" && side != "0":
		v = x.templatePart(e)
	case letter == "d" && side == "0":
		if w, _ := strconv.Atoi(width); w > library.MaxNumber {
			return wrong("the width is too large")
		}
		return call("digits", x.wholeNumber(e, whole), number(width))
	case letter == "d":
		v = x.wholeNumber(e, whole)
		if !types.IsInvalid(v.Base().Type) {
			v = x.toString(v)
		}
	case letter == "f" && side != "0":
		if places == "" {
			places = "6"
		}
		if p, _ := strconv.Atoi(places); p > library.MaxNumber {
			return wrong("so many places no float has")
		}
		v = call("fixed", x.must(e, types.Float64, whole), number(places))
	case side == "0":
		return wrong("only %d has zeros")
	default:
		return wrong("there is no %" + letter)
	}
	switch {
	case width == "" || width == "0" || types.IsInvalid(v.Base().Type):
		return v
	case side == "-":
		return call("pad_right", v, number(width))
	}
	return call("pad_left", v, number(width))
}

// wholeNumber is an integer, as an int64.
func (x *exprs) wholeNumber(e syntax.Expr, what string) model.Expr {
	v := x.check(e, types.Int64)
	if v.Base().Type == types.Int32 {
		return x.coerce(v, types.Int64)
	}
	return x.assign(v, types.Int64, what)
}
