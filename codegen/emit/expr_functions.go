package emit

import (
	"regexp"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/library"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// goFunction is what a function of the library is in Go. Its arguments are those of the language, in order; what the build knows
// is made ready as its kind says.
type goFunction struct {
	pkg   string // of the runtime; "" with std
	std   string // of the standard library
	name  string
	arena bool   // a method of the text.Arena
	needs bool   // the arena is its first argument
	first bool   // a method of what its constant argument is made into: a pattern, a path
	utc   bool   // without a zone the last argument is UTC
	fill  string // what stands for an argument that is left out
	err   string // the name of the one with an error, where the function may overflow or not
}

// goFunctions are the functions of the library whose types say all. Others are written by hand, see call.
var goFunctions = map[string]goFunction{
	"ends_with":     {std: "strings", name: "HasSuffix"},
	"starts_with":   {std: "strings", name: "HasPrefix"},
	"trim":          {std: "strings", name: "TrimSpace"},
	"trim_prefix":   {std: "strings", name: "TrimPrefix"},
	"trim_suffix":   {std: "strings", name: "TrimSuffix"},
	"trim_start":    {pkg: "text", name: "TrimStart"},
	"trim_end":      {pkg: "text", name: "TrimEnd"},
	"index_of":      {pkg: "text", name: "IndexOf"},
	"last_index_of": {pkg: "text", name: "LastIndexOf"},
	"lower":         {arena: true, name: "Lower"},
	"upper":         {arena: true, name: "Upper"},
	"repeat":        {arena: true, name: "Repeat"},
	"replace":       {arena: true, name: "Replace", err: "ReplaceBy"},
	"pad_left":      {arena: true, name: "PadLeft", fill: " "},
	"pad_right":     {arena: true, name: "PadRight", fill: " "},
	"digits":        {arena: true, name: "Digits"},
	"fixed":         {arena: true, name: "Fixed"},
	"join":          {arena: true, name: "Join", err: "JoinBy"},

	"matches":     {first: true, name: "MatchString"},
	"replace_all": {first: true, name: "ReplaceAllString"},

	"floor":     {pkg: "arith", name: "Floor"},
	"ceil":      {pkg: "arith", name: "Ceil"},
	"round":     {pkg: "arith", name: "Round"},
	"trunc":     {pkg: "arith", name: "Trunc"},
	"pow":       {std: "math", name: "Pow"},
	"sqrt":      {std: "math", name: "Sqrt"},
	"exp":       {std: "math", name: "Exp"},
	"log":       {std: "math", name: "Log"},
	"log2":      {std: "math", name: "Log2"},
	"log10":     {std: "math", name: "Log10"},
	"is_nan":    {std: "math", name: "IsNaN"},
	"is_finite": {pkg: "arith", name: "IsFinite"},

	"parse_time":  {pkg: "calendar", name: "Parse", utc: true},
	"format_time": {arena: true, name: "Time", utc: true},
	"truncate":    {pkg: "calendar", name: "Truncate"},
	"year":        {pkg: "calendar", name: "Year", utc: true},
	"month":       {pkg: "calendar", name: "Month", utc: true},
	"day":         {pkg: "calendar", name: "Day", utc: true},
	"hour":        {pkg: "calendar", name: "Hour", utc: true},
	"minute":      {pkg: "calendar", name: "Minute", utc: true},
	"second":      {pkg: "calendar", name: "Second", utc: true},
	"millisecond": {pkg: "calendar", name: "Millisecond", utc: true},
	"weekday":     {pkg: "calendar", name: "Weekday", utc: true},
	"day_of_year": {pkg: "calendar", name: "DayOfYear", utc: true},
	"week":        {pkg: "calendar", name: "Week", utc: true},
	"unix_s":      {pkg: "calendar", name: "UnixSeconds"},
	"from_unix_s": {pkg: "calendar", name: "FromUnixSeconds"},

	"murmur2":    {pkg: "digest", name: "Murmur2"},
	"xxhash":     {pkg: "digest", name: "XXHash"},
	"sha256":     {pkg: "digest", name: "SHA256", needs: true},
	"hex":        {arena: true, name: "Hex"},
	"unhex":      {arena: true, name: "Unhex"},
	"base64":     {arena: true, name: "Base64"},
	"unbase64":   {arena: true, name: "Unbase64"},
	"url_encode": {arena: true, name: "URLEncode"},
	"url_decode": {arena: true, name: "URLDecode"},

	"uuid_v5":      {pkg: "uuid", name: "V5"},
	"uuid_version": {pkg: "uuid", name: "Version"},
	"uuid_time":    {pkg: "uuid", name: "Time"},

	"json_string":  {first: true, name: "String"},
	"json_int64":   {first: true, name: "Int64"},
	"json_float64": {first: true, name: "Float64"},
	"json_bool":    {first: true, name: "Bool"},
	"json_raw":     {first: true, name: "Raw"},

	"any_of":   {pkg: "list", name: "Any"},
	"all_of":   {pkg: "list", name: "All"},
	"first_of": {pkg: "list", name: "First"},
	"last_of":  {pkg: "list", name: "Last"},
}

// libraryFails says whether a call of the library can fail by itself: then its Go has an error as second result.
func libraryFails(e *model.Call) bool {
	f := library.Lookup(e.Func)
	return f != nil && f.Fails != "" || library.Overflows(e)
}

// libraryCall is the call of a function that goFunctions has.
func (w *writer) libraryCall(f goFunction, e *model.Call) *jen.Statement {
	if f.err != "" && library.Overflows(e) {
		f.name = f.err
	}
	params := library.Lookup(e.Func).Params
	var args []jen.Code
	var on *jen.Statement // what a method is called on
	for i, a := range e.Args {
		kind := library.NotConstant
		if i < len(params) {
			kind = params[i].Constant
		}
		switch kind {
		case library.Pattern, library.Path, library.Zone:
			made := w.Ready(kind, a.(*model.Const).Value.(string))
			if f.first && kind != library.Zone {
				on = made
			} else {
				args = append(args, made)
			}
		default:
			args = append(args, w.value(a, "").Statement)
		}
	}
	if len(e.Args) < len(params) {
		switch {
		case f.utc:
			args = append(args, jen.Qual("time", "UTC"))
		case f.fill != "":
			args = append(args, jen.Lit(f.fill))
		}
	}
	switch {
	case on != nil:
		return on.Dot(f.name).Call(args...)
	case f.arena:
		return w.arena(f.name).Call(args...)
	case f.needs:
		*w.UsesText = true
		args = append([]jen.Code{jen.Op("&").Add(w.Text.Clone())}, args...)
	}
	if f.std != "" {
		return jen.Qual(f.std, f.name).Call(args...)
	}
	return rt(f.pkg, f.name).Call(args...)
}

// failingCall is the call of a function that gives an error as its second result.
func (w *writer) failingCall(e *model.Call) *jen.Statement {
	switch e.Func {
	case "abs":
		return rt("arith", "Abs").Call(w.typed(e.Args[0], "").Statement)
	case "div":
		var args []jen.Code
		for _, a := range e.Args[:2] {
			args = append(args, w.value(a, "").Statement, jen.Lit(a.Base().Type.(*types.Decimal).Scale))
		}
		return rt("decimal", "Div").Call(append(args, jen.Lit(e.Type.(*types.Decimal).Scale))...)
	case "floor", "ceil", "round", "trunc":
		if d, ok := e.Args[0].Base().Type.(*types.Decimal); ok {
			return rt("decimal", upperFirst(e.Func)).Call(w.typed(e.Args[0], "").Statement, jen.Lit(d.Scale))
		}
	case "start_of":
		unit := e.Args[1].(*model.Const).Value.(string)
		zone := jen.Qual("time", "UTC")
		if len(e.Args) == 3 {
			zone = w.Ready(library.Zone, e.Args[2].(*model.Const).Value.(string))
		}
		return rt("calendar", "StartOf"+upperFirst(unit)).Call(w.typed(e.Args[0], "").Statement, zone)
	case "sum_of":
		name := "Sum"
		if e.Type == types.Duration {
			name = "SumDurations"
		} else if types.IsDecimal(e.Type) {
			name = "SumDecimals"
		}
		return rt("list", name).Call(w.typed(e.Args[0], "").Statement)
	}
	f, ok := goFunctions[e.Func]
	if !ok {
		panic("emit: no function " + e.Func)
	}
	return w.libraryCall(f, e)
}

// call writes a function of the library that cannot fail.
func (w *writer) call(e *model.Call, hint string) code {
	switch e.Func {
	case "coalesce":
		return w.coalesce(e, hint)
	case "split":
		return w.made(e, hint)
	}
	if f, ok := goFunctions[e.Func]; ok {
		return primary(w.libraryCall(f, e))
	}
	arg := func(i int) *jen.Statement { return w.typed(e.Args[i], "").Statement }
	switch e.Func {
	case "min", "max":
		args := make([]jen.Code, len(e.Args))
		for i, a := range e.Args {
			args[i] = w.value(a, "").Statement
		}
		if types.IsDecimal(e.Type) {
			return primary(rt("decimal", upperFirst(e.Func)).Call(args...))
		}
		if allConst(e.Args) { // nothing else says what type they have
			args[0] = arg(0)
		}
		return primary(jen.Id(e.Func).Call(args...))
	case "abs":
		switch {
		case types.IsDecimal(e.Type):
			return primary(w.value(e.Args[0], "").in(precPrimary).Dot("Abs").Call())
		case e.Type == types.Float32:
			return primary(jen.Float32().Call(jen.Qual("math", "Abs").Call(jen.Float64().Call(arg(0)))))
		}
		return primary(jen.Qual("math", "Abs").Call(arg(0)))
	case "sign":
		if types.IsDecimal(e.Args[0].Base().Type) {
			return primary(jen.Int64().Call(w.value(e.Args[0], "").in(precPrimary).Dot("Sign").Call()))
		}
		return primary(rt("arith", "Sign").Call(arg(0)))
	case "length":
		return primary(w.length(e.Args[0]))
	case "substr":
		if len(e.Args) == 3 {
			return primary(rt("text", "SubstrN").Call(arg(0), w.value(e.Args[1], "").Statement, w.value(e.Args[2], "").Statement))
		}
		return primary(rt("text", "Substr").Call(arg(0), w.value(e.Args[1], "").Statement))
	case "extract":
		return primary(w.extract(e))
	case "unix_ms", "to_ms":
		return primary(jen.Int64().Call(arg(0)))
	case "from_unix_ms", "from_ms":
		return primary(w.Records.goType(e.Type).Call(arg(0)))
	}
	return primary(w.listCall(e))
}

// length is how long a string, a list or a map is.
func (w *writer) length(e model.Expr) *jen.Statement {
	x := w.typed(e, "").Statement
	if e.Base().Type == types.String {
		return rt("text", "Length").Call(x)
	}
	return jen.Int64().Call(jen.Len(x))
}

// extract is what a group of a pattern matched: without a number the first one, if there are any.
func (w *writer) extract(e *model.Call) *jen.Statement {
	text := e.Args[1].(*model.Const).Value.(string)
	group := 0
	if len(e.Args) == 3 {
		group = int(e.Args[2].(*model.Const).Value.(int64))
	} else if regexp.MustCompile(text).NumSubexp() > 0 {
		group = 1
	}
	return rt("pattern", "Extract").Call(w.Ready(library.Pattern, text), w.typed(e.Args[0], "").Statement, jen.Lit(group))
}

// listCall is a function of lists.
func (w *writer) listCall(e *model.Call) *jen.Statement {
	list := w.typed(e.Args[0], "").Statement
	elem := types.Type(types.Invalid)
	if l, ok := e.Args[0].Base().Type.(*types.List); ok {
		elem = l.Elem
	}
	decimals := ""
	if types.IsDecimal(elem) {
		decimals = "Decimals"
	}
	switch e.Func {
	case "sum_of": // of floats: others may overflow
		return rt("list", "SumFloats").Call(list)
	case "avg_of":
		return rt("list", "Mean").Call(list)
	case "min_of":
		return rt("list", "Min"+decimals).Call(list)
	case "max_of":
		return rt("list", "Max"+decimals).Call(list)
	case "sort_of":
		return rt("list", "Sort"+decimals).Call(list)
	case "distinct_of":
		return rt("list", "Distinct").Call(list)
	case "slice":
		if len(e.Args) == 3 {
			return rt("list", "SliceN").Call(list, w.value(e.Args[1], "").Statement, w.value(e.Args[2], "").Statement)
		}
		return rt("list", "Slice").Call(list, w.value(e.Args[1], "").Statement)
	case "reverse":
		if e.Type == types.String {
			return w.arena("Reverse").Call(list)
		}
		return rt("list", "Reverse").Call(list)
	case "contains":
		if e.Args[0].Base().Type == types.String {
			return jen.Qual("strings", "Contains").Call(list, w.value(e.Args[1], "").Statement)
		}
		return w.containsElement(list, elem, e.Args[1])
	case "sort_by":
		return w.sortBy(list, elem.(*types.Record), e.Args[1].(*model.Const).Value.(string))
	}
	panic("emit: no function " + e.Func)
}

// containsElement is whether an element of the list is equal to e.
func (w *writer) containsElement(list *jen.Statement, elem types.Type, e model.Expr) *jen.Statement {
	switch t := elem.(type) {
	case types.Basic:
		if t != types.Bytes {
			return jen.Qual("slices", "Contains").Call(list, w.typed(e, "").Statement)
		}
	case *types.Enum, *types.Decimal:
		return jen.Qual("slices", "Contains").Call(list, w.typed(e, "").Statement)
	}
	x := w.local(e, "wanted")
	v := jen.Id(w.Names.New("element"))
	return jen.Qual("slices", "ContainsFunc").Call(list,
		jen.Func().Params(v.Clone().Add(w.Records.goType(elem))).Bool().Block(jen.Return(w.Records.Equal(elem, v, x, false))))
}

// sortBy is the list in ascending order of a field.
func (w *writer) sortBy(list *jen.Statement, elem *types.Record, name string) *jen.Statement {
	f, _ := elem.Lookup(name)
	goName := w.Records.fieldName(elem, name)
	a, b := jen.Id(w.Names.New("a", "first")), jen.Id(w.Names.New("b", "second"))
	compare := jen.Qual("cmp", "Compare").Call(a.Clone().Dot(goName), b.Clone().Dot(goName))
	if types.IsDecimal(f.Type) {
		compare = a.Clone().Dot(goName).Dot("Cmp").Call(b.Clone().Dot(goName))
	}
	t := func() *jen.Statement { return jen.Op("*").Add(w.Records.goType(elem)) }
	return rt("list", "SortBy").Call(list, jen.Func().Params(a.Clone().Add(t()), b.Clone().Add(t())).Int().Block(jen.Return(compare)))
}
