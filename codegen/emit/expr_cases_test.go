package emit

import (
	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// The types of the tests: one field of each type, nested records, optionals.
var (
	tierType = &types.Enum{Name: "Tier", Description: "How a customer is served.", Values: []string{"bronze", "silver", "very-gold"}}
	homeType = &types.Record{Name: "Home", Fields: []types.Field{
		{Name: "street", Type: types.String}, {Name: "zip", Type: types.OptionalOf(types.String)},
	}}
	inType = &types.Record{Name: "In", Description: "One field of each type.", Fields: []types.Field{
		{Name: "n", Type: types.Int64}, {Name: "m", Type: types.Int64}, {Name: "i", Type: types.Int32}, {Name: "f", Type: types.Float64},
		{Name: "g", Type: types.Float64}, {Name: "s", Type: types.String}, {Name: "t", Type: types.String}, {Name: "yes", Type: types.Bool},
		{Name: "data", Type: types.Bytes}, {Name: "at", Type: types.Timestamp}, {Name: "d", Type: types.Duration}, {Name: "tier", Type: tierType},
		{Name: "home", Type: homeType}, {Name: "note", Type: types.OptionalOf(types.String)}, {Name: "count", Type: types.OptionalOf(types.Int64)},
		{Name: "blob", Type: types.OptionalOf(types.Bytes)}, {Name: "work", Type: types.OptionalOf(homeType)}, {Name: "level", Type: types.OptionalOf(tierType)},
	}}
	// lineType is anonymous and has fields of Home and more.
	lineType = &types.Record{Fields: []types.Field{
		{Name: "street", Type: types.String}, {Name: "zip", Type: types.OptionalOf(types.String)}, {Name: "total", Type: types.Int64}, {Name: "big", Type: types.Bool},
	}}
	// placeType is assignable from Home: other order, street optional.
	placeType = &types.Record{Name: "Place", Fields: []types.Field{
		{Name: "zip", Type: types.OptionalOf(types.String)}, {Name: "street", Type: types.OptionalOf(types.String)},
	}}
	// manyType has lists, maps and the values that JSON has no kind for.
	manyType = &types.Record{Name: "Many", Fields: []types.Field{
		{Name: "price", Type: &types.Decimal{Precision: 12, Scale: 2}}, {Name: "rate", Type: &types.Decimal{Precision: 5, Scale: 4}},
		{Name: "large", Type: &types.Decimal{Precision: 38, Scale: 2}}, {Name: "ref", Type: types.UUID}, {Name: "ratio", Type: types.Float32},
		{Name: "tags", Type: &types.List{Elem: types.String}}, {Name: "homes", Type: &types.List{Elem: homeType}},
		{Name: "grid", Type: &types.List{Elem: &types.List{Elem: types.Float64}}}, {Name: "counts", Type: &types.Map{Elem: types.Int64}},
		{Name: "sets", Type: &types.Map{Elem: &types.List{Elem: types.OptionalOf(types.String)}}}, {Name: "times", Type: &types.List{Elem: types.Timestamp}},
		{Name: "maybe", Type: types.OptionalOf(&types.List{Elem: &types.Decimal{Precision: 5, Scale: 1}})},
		{Name: "blobs", Type: &types.Map{Elem: types.Bytes}}, {Name: "levels", Type: &types.List{Elem: types.OptionalOf(tierType)}},
		{Name: "places", Type: &types.Map{Elem: homeType}},
	}}
	wireFormat = plan.Format{Name: "json", Type: manyType, JSON: &model.JSON{Times: "unix_ms", Rename: []model.Rename{
		{Path: "homes.zip", Name: "post code"}, {Path: "price", Name: "Price\"`"}, {Path: "tags", Name: "@tags"},
	}}}
	// allNull has no field that is required, edge has keywords and names of the generated code itself.
	allNullType = &types.Record{Name: "AllNull", Fields: []types.Field{{Name: "a", Type: types.OptionalOf(types.Int64)}, {Name: "b", Type: types.OptionalOf(types.Float64)}}}
	edgeType    = &types.Record{Name: "Row", Fields: []types.Field{
		{Name: "type", Type: types.String}, {Name: "all", Type: types.Bool}, {Name: "seen", Type: types.Int32}, {Name: "equal", Type: types.String}, {Name: "keep", Type: types.OptionalOf(types.String)},
	}}
)

func testPlan() *plan.Plan {
	return &plan.Plan{App: "test", Package: "test", SpecFiles: []string{"app.hcl"}, Types: []*plan.Type{
		{Name: "Tier", Enum: tierType, Values: []string{"TierBronze", "TierSilver", "TierVeryGold"}, Origin: "enum.Tier"},
		{Name: "Home", Record: homeType, Fields: []string{"Street", "Zip"}, Origin: "type.Home"},
		{Name: "In", Record: inType, Fields: []string{"N", "M", "I", "F", "G", "S", "T", "Yes", "Data", "At", "D", "Tier", "Home", "Note", "Count", "Blob", "Work", "Level"}, Origin: "type.In"},
		{Name: "Line", Record: lineType, Fields: []string{"Street", "Zip", "Total", "Big"}, Origin: "stream.line"},
		{Name: "Place", Record: placeType, Fields: []string{"Zip", "Street"}, Origin: "type.Place"},
		{Name: "AllNull", Record: allNullType, Fields: []string{"A", "B"}, Origin: "type.AllNull"},
		{Name: "Row", Record: edgeType, Fields: []string{"Type", "All", "Seen", "Equal", "Keep"}, Origin: "type.Row"},
		{Name: "Many", Record: manyType, Fields: []string{"Price", "Rate", "Large", "Ref", "Ratio", "Tags", "Homes", "Grid", "Counts", "Sets", "Times", "Maybe", "Blobs", "Levels", "Places"}, Origin: "type.Many"},
	}}
}

// Short ways to write nodes.

func of(t types.Type) model.ExprBase { return model.ExprBase{Type: t} }

func lit(t types.Type, v any) model.Expr { return &model.Const{ExprBase: of(t), Value: v} }

func integer(v int64) model.Expr { return lit(types.Int64, v) }

func text(v string) model.Expr { return lit(types.String, v) }

func null(t types.Type) model.Expr { return lit(types.OptionalOf(t), nil) }

func value() model.Expr { return &model.Var{ExprBase: of(inType), Root: model.RootValue} }

func rowOf() model.Expr {
	return &model.Var{ExprBase: of(types.OptionalOf(homeType)), Root: model.RootJoin, Name: "row"}
}

func get(x model.Expr, name string) model.Expr {
	f, ok := x.Base().Type.(*types.Record).Lookup(name)
	if !ok {
		panic("no field " + name)
	}
	return &model.Field{ExprBase: of(f.Type), X: x, Name: name}
}

func field(name string) model.Expr { return get(value(), name) }

func bin(l model.Expr, op string, r model.Expr) model.Expr {
	t := l.Base().Type
	switch op {
	case "==", "!=", "<", "<=", ">", ">=", "&&", "||":
		t = types.Bool
	case "-":
		if t == types.Timestamp && r.Base().Type == types.Timestamp {
			t = types.Duration
		}
	}
	return &model.Binary{ExprBase: of(t), Op: op, L: l, R: r}
}

func not(x model.Expr) model.Expr { return &model.Unary{ExprBase: of(types.Bool), Op: "!", X: x} }

func neg(x model.Expr) model.Expr { return &model.Unary{ExprBase: of(x.Base().Type), Op: "-", X: x} }

func cond(c, a, b model.Expr) model.Expr {
	return &model.Cond{ExprBase: of(a.Base().Type), If: c, Then: a, Else: b}
}

func isNull(x model.Expr) model.Expr { return &model.IsNull{ExprBase: of(types.Bool), X: x} }

func notNull(x model.Expr) model.Expr {
	return &model.IsNull{ExprBase: of(types.Bool), X: x, Not: true}
}

func some(x model.Expr) model.Expr {
	return &model.Wrap{ExprBase: of(types.OptionalOf(x.Base().Type)), X: x}
}

func unwrap(x model.Expr) model.Expr {
	return &model.Unwrap{ExprBase: of(types.NonNull(x.Base().Type)), X: x}
}

func to(t types.Type, x model.Expr) model.Expr { return &model.Convert{ExprBase: of(t), X: x} }

func call(t types.Type, name string, args ...model.Expr) model.Expr {
	return &model.Call{ExprBase: of(t), Func: name, Args: args}
}

func try(x, fallback model.Expr) model.Expr {
	return &model.Try{ExprBase: of(x.Base().Type), X: x, Fallback: fallback}
}

func make2(t *types.Record, fields ...model.Expr) model.Expr {
	return &model.New{ExprBase: of(t), Fields: fields}
}

func merge(t *types.Record, x model.Expr, set ...model.FieldSet) model.Expr {
	return &model.Merge{ExprBase: of(t), X: x, Set: set}
}

// over are the outputs for some settings of the input's fields: in pairs.
func over(pairs ...string) []expressionInput {
	var list []expressionInput
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, expressionInput{pairs[i], pairs[i+1]})
	}
	return list
}

const (
	overflow = "error: arithmetic overflow"
	byZero   = "error: division by zero"
	most     = `"n":9223372036854775807`
	least    = `"n":-9223372036854775808`
)

func expressionCases() []expressionCase {
	n, m, i, f, g, s, t2 := field("n"), field("m"), field("i"), field("f"), field("g"), field("s"), field("t")
	return []expressionCase{
		// constants
		{"constInt", integer(-5), over("", "-5")},
		{"constInt32", lit(types.Int32, int64(5)), over("", "5")},
		{"constFloat", lit(types.Float64, 2.0), over("", "2")},
		{"constText", text("a\"\n`ü"), over("", "a\"\\n`ü")},
		{"constBytes", lit(types.Bytes, []byte{0xff, 'a'}), over("", "[255 97]")},
		{"constBool", lit(types.Bool, true), over("", "true")},
		{"constEnum", lit(tierType, int64(2)), over("", "very-gold")},
		{"constTimestamp", lit(types.Timestamp, int64(0)), over("", "1970-01-01T00:00:00.000Z")},
		{"constDuration", lit(types.Duration, int64(-1)), over("", "-1ms")},
		{"constNull", null(types.Int64), over("", "null")},

		// integers
		{"add", bin(n, "+", m), over("", "10", `{`+most+`,"m":1}`, overflow, `{`+least+`,"m":-1}`, overflow, `{`+most+`,"m":-1}`, "9223372036854775806")},
		{"sub", bin(n, "-", m), over("", "4", `{`+least+`,"m":1}`, overflow, `{"n":0,"m":-9223372036854775808}`, overflow)},
		{"mul", bin(n, "*", m), over("", "21", `{`+most+`,"m":2}`, overflow, `{`+least+`,"m":-1}`, overflow, `{`+least+`,"m":0}`, "0")},
		{"div", bin(n, "/", m), over("", "2", `{"n":-7}`, "-2", `{"m":0}`, byZero, `{`+least+`,"m":-1}`, overflow)},
		{"rem", bin(n, "%", m), over("", "1", `{"n":-7}`, "-1", `{"m":0}`, byZero, `{`+least+`,"m":-1}`, "0")},
		{"divConst", bin(n, "/", integer(2)), over("", "3")},
		{"divMinusOne", bin(n, "/", integer(-1)), over("", "-7", `{`+least+`}`, overflow)},
		{"remConst", bin(n, "%", integer(4)), over("", "3")},
		{"negate", neg(n), over("", "-7", `{`+least+`}`, overflow)},
		{"int32Add", bin(i, "+", lit(types.Int32, int64(1))), over("", "3", `{"i":2147483647}`, overflow)},
		{"constOnly", bin(integer(9223372036854775807), "+", integer(1)), over("", overflow)},
		{"nested", bin(bin(n, "+", m), "*", bin(n, "-", m)), over("", "40")},
		{"twoSums", bin(bin(n, "+", m), "-", bin(m, "+", integer(1))), over("", "6")},

		// floats
		{"floatMix", bin(bin(f, "+", g), "*", bin(f, "-", lit(types.Float64, 2.0))), over("", "-1")},
		{"floatLeft", bin(f, "-", bin(g, "-", f)), over("", "2.5")},
		{"floatDiv", bin(f, "/", g), over("", "3", `{"g":0}`, "+Inf", `{"f":0,"g":0}`, "NaN")},
		{"floatMod", bin(f, "%", g), over(`{"f":-7,"g":2}`, "-1")},
		{"floatDivZero", bin(f, "/", lit(types.Float64, 0.0)), over("", "+Inf")},
		{"floatConst", bin(lit(types.Float64, 1.0), "/", lit(types.Float64, 0.0)), over("", "+Inf")},
		{"floatNegate", neg(bin(f, "+", g)), over("", "-2")},
		{"floatNegateNegative", bin(f, "-", lit(types.Float64, -2.0)), over("", "3.5")},

		// times
		{"later", bin(field("at"), "+", field("d")), over("", "2026-03-01T12:01:30.000Z")},
		{"earlier", bin(field("at"), "-", lit(types.Duration, int64(1))), over("", "2026-03-01T11:59:59.999Z")},
		{"elapsed", bin(&model.Var{ExprBase: of(types.Timestamp), Root: model.RootTimestamp}, "-", field("at")), over(`{"at":"1970-01-01T00:00:01Z"}`, "0s")},
		{"longer", bin(field("d"), "+", field("d")), over("", "3m")},
		{"laterConst", bin(lit(types.Timestamp, int64(0)), "+", field("d")), over("", "1970-01-01T00:01:30.000Z")},

		// comparisons
		{"less", bin(n, "<", m), over("", "false", `{"n":1}`, "true", `{"n":3}`, "false")},
		{"atLeast", bin(n, ">=", integer(5)), over("", "true", `{"n":4}`, "false")},
		{"floatAtLeast", bin(f, ">=", bin(g, "/", g)), over("", "true", `{"f":0}`, "false", `{"g":0}`, "false")},
		{"textLess", bin(s, "<", t2), over(`{"s":"a"}`, "true", `{"s":"ba"}`, "false")},
		{"textEqual", bin(s, "==", t2), over("", "false", `{"s":"b"}`, "true")},
		{"bytesEqual", bin(field("data"), "!=", lit(types.Bytes, []byte("hi"))), over("", "false", `{"data":""}`, "true")},
		{"enumEqual", bin(field("tier"), "==", lit(tierType, int64(1))), over("", "true", `{"tier":"bronze"}`, "false")},
		{"boolEqual", bin(field("yes"), "!=", lit(types.Bool, true)), over("", "false", `{"yes":false}`, "true")},
		{"timeBefore", bin(field("at"), "<", lit(types.Timestamp, int64(0))), over("", "false", `{"at":"1969-12-31T23:59:59Z"}`, "true")},
		{"recordEqual", bin(field("home"), "==", make2(homeType, text("Elm"), some(text("123")))), over("", "true", `{"home":{"street":"Elm"}}`, "false")},
		{"optionalEqual", bin(field("note"), "==", get(field("home"), "zip")), over("", "false", `{"note":"123"}`, "true", `{"home":{"street":""}}`, "true")},
		{"optionalAndText", bin(field("note"), "==", some(s)), over("", "false", `{"note":"grün"}`, "true", `{"note":"x"}`, "false")},
		{"optionalNotInt", bin(some(integer(3)), "!=", field("count")), over("", "true", `{"count":3}`, "false", `{"count":4}`, "true")},
		{"optionalBytes", bin(field("blob"), "==", field("blob")), over("", "true", `{"blob":"aGk="}`, "true")},
		{"optionalRecords", bin(field("work"), "!=", some(field("home"))), over("", "true", `{"work":{"street":"Elm","zip":"123"}}`, "false", `{"work":{"street":"Elm"}}`, "true")},
		{"optionalNull", bin(field("note"), "==", null(types.String)), over("", "true", `{"note":""}`, "false")},

		// logic: what must not run does not
		{"and", bin(bin(n, ">", m), "&&", field("yes")), over("", "true", `{"yes":false}`, "false", `{"n":0}`, "false")},
		{"or", bin(bin(n, "<", m), "||", bin(field("yes"), "&&", bin(s, "==", t2))), over("", "false", `{"n":0}`, "true", `{"s":"b"}`, "true")},
		{"not", not(bin(field("yes"), "||", bin(n, "<", m))), over("", "false", `{"yes":false}`, "true")},
		{"andChecked", bin(bin(m, "!=", integer(0)), "&&", bin(bin(n, "/", m), ">", integer(1))), over("", "true", `{"m":0}`, "false", `{"m":7}`, "false")},
		{"orChecked", bin(bin(m, "==", integer(0)), "||", bin(bin(n, "/", m), ">", integer(1))), over("", "true", `{"m":0}`, "true", `{"m":7}`, "false")},
		{"notChecked", not(bin(bin(m, "==", integer(0)), "||", bin(bin(n, "/", m), ">", integer(1)))), over("", "false", `{"m":0}`, "false", `{"m":7}`, "true")},

		// null
		{"isNull", isNull(field("note")), over("", "true", `{"note":"x"}`, "false")},
		{"notNull", notNull(field("note")), over("", "false", `{"note":"x"}`, "true")},
		{"narrowed", bin(notNull(field("count")), "&&", bin(unwrap(field("count")), ">", integer(2))), over("", "false", `{"count":3}`, "true", `{"count":2}`, "false")},
		{"rowNull", isNull(rowOf()), over("", "true", `{"work":{"street":"Oak"}}`, "false")},
		{"rowField", cond(isNull(rowOf()), text("nowhere"), get(unwrap(rowOf()), "street")), over("", "nowhere", `{"work":{"street":"Oak"}}`, "Oak")},
		{"rowWhole", rowOf(), over("", "null", `{"work":{"street":"Oak"}}`, "{Street:Oak Zip:null}")},
		{"rowOr", call(homeType, "coalesce", rowOf(), field("home")), over("", "{Street:Elm Zip:123}", `{"work":{"street":"Oak"}}`, "{Street:Oak Zip:null}")},
		{"keyNull", isNull(&model.Var{ExprBase: of(types.OptionalOf(types.Bytes)), Root: model.RootKey}), over("", "true")},
		{"passNull", cond(isNull(field("note")), null(types.String), some(bin(unwrap(field("note")), "+", text("!")))), over("", "null", `{"note":"x"}`, "x!")},
		{"coalesce", call(types.String, "coalesce", field("note"), text("none")), over("", "none", `{"note":"x"}`, "x")},
		{"coalesceInt", call(types.Int64, "coalesce", field("count"), integer(0)), over("", "0", `{"count":4}`, "4")},
		{"coalesceLazy", call(types.Int64, "coalesce", field("count"), bin(n, "/", m)), over("", "2", `{"count":4,"m":0}`, "4", `{"m":0}`, byZero)},
		{"coalesceChain", call(types.OptionalOf(types.String), "coalesce", field("note"), get(field("home"), "zip")), over("", "123", `{"note":"x"}`, "x", `{"home":{"street":"Elm"}}`, "null")},
		{"coalesceMade", call(types.String, "coalesce", cond(field("yes"), field("note"), null(types.String)), bin(s, "+", call(types.String, "coalesce", get(field("home"), "zip"), t2))), over("", "grün123", `{"note":"x"}`, "x", `{"yes":false,"note":"x","home":{"street":""}}`, "grünb")},
		{"header", call(types.Bytes, "coalesce", &model.Header{ExprBase: of(types.OptionalOf(types.Bytes)), Key: "trace-id"}, lit(types.Bytes, []byte("-"))), over("", "[50]")},
		{"noHeader", isNull(&model.Header{ExprBase: of(types.OptionalOf(types.Bytes)), Key: "none"}), over("", "true")},

		// ?:
		{"choose", cond(bin(n, ">", integer(5)), text("big"), text("small")), over("", "big", `{"n":5}`, "small")},
		{"chooseLazy", cond(bin(m, "==", integer(0)), integer(-1), bin(n, "/", m)), over("", "2", `{"m":0}`, "-1")},
		{"chooseBoth", cond(field("yes"), bin(n, "+", m), bin(n, "-", m)), over("", "10", `{"yes":false}`, "4")},
		{"chooseChain", cond(bin(n, ">", integer(9)), text("a"), cond(bin(n, ">", integer(5)), s, text("c"))), over("", "grün", `{"n":1}`, "c", `{"n":10}`, "a")},
		{"chooseInt32", cond(field("yes"), lit(types.Int32, int64(1)), i), over("", "1", `{"yes":false}`, "2")},
		{"chooseRecord", cond(field("yes"), field("home"), make2(homeType, s, null(types.String))), over("", "{Street:Elm Zip:123}", `{"yes":false}`, "{Street:grün Zip:null}")},

		// conversions
		{"parse", to(types.Int64, s), over(`{"s":"-12"}`, "-12", "", "error: not an int64", `{"s":"9223372036854775808"}`, "error: not an int64")},
		{"parseInt32", to(types.Int32, s), over(`{"s":"12"}`, "12", `{"s":"3000000000"}`, "error: not an int32")},
		{"parseFloat", to(types.Float64, s), over(`{"s":"1e3"}`, "1000", "", "error: not a float64")},
		{"parseTier", to(tierType, s), over(`{"s":"very-gold"}`, "very-gold", "", "error: not a Tier: one of bronze, silver, very-gold")},
		{"parseTime", to(types.Timestamp, s), over(`{"s":"1970-01-01T00:00:01Z"}`, "1970-01-01T00:00:01.000Z", "", "error: not an RFC 3339 timestamp")},
		{"widen", to(types.Int64, i), over("", "2")},
		{"toFloat", to(types.Float64, n), over("", "7")},
		{"narrow", to(types.Int32, n), over("", "7", `{"n":2147483648}`, "error: not an int32")},
		{"whole", to(types.Int64, f), over(`{"f":3}`, "3", "", "error: not an int64")},
		{"whole32", to(types.Int32, f), over(`{"f":3}`, "3", `{"f":3e9}`, "error: not an int32")},
		{"intText", to(types.String, n), over("", "7", `{`+least+`}`, "-9223372036854775808")},
		{"floatText", to(types.String, f), over("", "1.5")},
		{"tierText", to(types.String, field("tier")), over("", "silver")},
		{"bytesText", to(types.String, field("data")), over("", "hi", `{"data":"/w=="}`, "error: not valid UTF-8")},
		{"textBytes", to(types.Bytes, t2), over("", "[98]")},
		{"recordConverted", to(placeType, field("home")), over("", "{Zip:123 Street:Elm}")},
		{"optionalConverted", to(types.OptionalOf(placeType), field("work")), over("", "null", `{"work":{"street":"Oak"}}`, "{Zip:null Street:Oak}")},

		// try
		{"tryParse", try(to(types.Int64, s), integer(0)), over("", "0", `{"s":"12"}`, "12")},
		{"tryNull", try(some(to(types.Int64, s)), null(types.Int64)), over("", "null", `{"s":"12"}`, "12")},
		{"tryDeep", try(bin(integer(100), "/", bin(to(types.Int64, s), "-", integer(1))), n), over("", "7", `{"s":"1"}`, "7", `{"s":"11"}`, "10")},
		{"tryFallbackFails", try(bin(n, "/", m), bin(m, "/", integer(-1))), over("", "2", `{"m":0}`, "0")},
		{"tryTotal", try(bin(s, "+", t2), text("")), over("", "grünb")},
		{"tryRecord", try(make2(homeType, s, some(to(types.String, bin(n, "+", m)))), field("home")), over("", "{Street:grün Zip:10}", `{`+most+`}`, "{Street:Elm Zip:123}")},

		// strings
		{"template", &model.Concat{ExprBase: of(types.String), Parts: []model.Expr{s, text("-"), to(types.String, n), text("/"), to(types.String, field("at"))}}, over("", "grün-7/2026-03-01T12:00:00.000Z")},
		{"templateNested", &model.Concat{ExprBase: of(types.String), Parts: []model.Expr{bin(s, "+", bin(t2, "+", text("!"))), to(types.String, field("yes")), to(types.String, field("d")), to(types.String, i)}}, over("", "grünb!true90s2")},
		{"concatCompared", bin(bin(s, "+", t2), "==", bin(t2, "+", s)), over("", "false", `{"s":"b"}`, "true")},
		{"length", call(types.Int64, "length", s), over("", "4")},
		{"substr", call(types.String, "substr", s, integer(1), integer(2)), over("", "rü")},
		{"substrRest", call(types.String, "substr", s, integer(2)), over("", "ün")},
		{"indexOf", call(types.Int64, "index_of", s, text("n")), over("", "3")},
		{"startsWith", call(types.Bool, "starts_with", s, text("gr")), over("", "true", `{"s":"x"}`, "false")},
		{"upper", call(types.String, "upper", call(types.String, "trim", call(types.String, "replace", s, text("r"), text(" ")))), over(`{"s":"rünr"}`, "ÜN")},
		{"endsContains", bin(call(types.Bool, "ends_with", s, t2), "||", call(types.Bool, "contains", s, text("rü"))), over("", "true", `{"s":"x"}`, "false")},
		{"lower", call(types.String, "lower", text("ABC")), over("", "abc")},

		// numbers
		{"max", call(types.Int64, "max", n, m, integer(5)), over("", "7")},
		{"minConst", call(types.Int32, "min", lit(types.Int32, int64(4)), lit(types.Int32, int64(3))), over("", "3")},
		{"abs", call(types.Int64, "abs", bin(m, "-", n)), over("", "4")},
		{"absLeast", call(types.Int64, "abs", n), over(`{`+least+`}`, overflow)},
		{"absFloat", call(types.Float64, "abs", neg(f)), over("", "1.5")},
		{"rounded", bin(call(types.Int64, "round", f), "-", call(types.Int64, "floor", f)), over("", "1", `{"f":1e300}`, overflow)},
		{"ceiling", bin(call(types.Int64, "ceil", f), "+", call(types.Int64, "trunc", g)), over("", "2")},

		// records
		{"newRecord", make2(lineType, get(field("home"), "street"), some(s), bin(n, "*", m), bin(n, ">", integer(5))), over("", "{Street:Elm Zip:grün Total:21 Big:true}")},
		{"fieldOfNew", get(make2(homeType, s, null(types.String)), "street"), over("", "grün")},
		{"mergeSame", merge(homeType, field("home"), model.FieldSet{Name: "zip", Value: some(t2)}), over("", "{Street:Elm Zip:b}")},
		{"mergeMore", merge(lineType, field("home"), model.FieldSet{Name: "total", Value: bin(n, "+", m)}, model.FieldSet{Name: "big", Value: field("yes")}), over("", "{Street:Elm Zip:123 Total:10 Big:true}")},
		{"mergeChosen", merge(homeType, field("home"), model.FieldSet{Name: "street", Value: cond(field("yes"), s, t2)}), over("", "{Street:grün Zip:123}", `{"yes":false}`, "{Street:b Zip:123}")},
		{"wrapRecord", some(merge(homeType, field("home"), model.FieldSet{Name: "zip", Value: null(types.String)})), over("", "{Street:Elm Zip:null}")},
		{"chooseOptionalRecord", cond(field("yes"), some(field("home")), null(homeType)), over("", "{Street:Elm Zip:123}", `{"yes":false}`, "null")},

		// state and settings
		{"aggregator", bin(&model.AggRef{ExprBase: of(types.Int64), Index: 0}, "+", integer(1)), over("", "11")},
		{"average", &model.AggRef{ExprBase: of(types.OptionalOf(types.Float64)), Index: 1}, over("", "5")},
		{"averageOr", call(types.Float64, "coalesce", &model.AggRef{ExprBase: of(types.OptionalOf(types.Float64)), Index: 1}, lit(types.Float64, 0.0)), over("", "5")},
		{"agg", call(types.Int64, "max", &model.Var{ExprBase: of(types.Int64), Root: model.RootAgg}, n), over("", "10")},
		{"setting", bin(n, ">", &model.Var{ExprBase: of(types.Int64), Root: model.RootVariable, Name: "limit"}), over("", "true", `{"n":6}`, "false")},
	}
}
