package emit

import (
	"math/big"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// many is a field of the second record of the tests.
func many(name string) model.Expr {
	return get(&model.Var{ExprBase: of(manyType), Root: model.RootJoin, Name: "many"}, name)
}

func listOf(t types.Type) *types.List { return &types.List{Elem: t} }

func dec(p, s int) *types.Decimal { return &types.Decimal{Precision: p, Scale: s} }

func decimalOf(t *types.Decimal, n int64) model.Expr { return lit(t, big.NewInt(n)) }

func loopVar(t types.Type, name string) model.Expr {
	return &model.Var{ExprBase: of(t), Root: model.RootLocal, Name: name}
}

func each(t types.Type, x model.Expr, place, item string, cond, value model.Expr) model.Expr {
	return &model.For{ExprBase: of(t), X: x, Place: place, Item: item, If: cond, Value: value}
}

func index(t types.Type, x, key model.Expr) model.Expr {
	return &model.Index{ExprBase: of(t), X: x, Key: key}
}

func typedBin(t types.Type, l model.Expr, op string, r model.Expr) model.Expr {
	return &model.Binary{ExprBase: of(t), Op: op, L: l, R: r}
}

// valueCases are expressions over lists, maps, decimals, UUIDs and float32.
func valueCases() []expressionCase {
	const base = `"price":12.50,"rate":0.2500,"large":99999999999999999999999999999999999.00,"ref":"01234567-89ab-cdef-0123-456789abcdef","ratio":0.5,` +
		`"tags":["b","a","b"],"homes":[{"street":"Elm"},{"street":"Oak","zip":"9"}],"grid":[[1,2],[3]],"counts":{"y":2,"x":1},"sets":{},"times":[],"blobs":{},"levels":[],"places":{}`
	on := func(pairs ...string) []expressionInput { // each input is base, with some fields after it, which win
		for i := 0; i < len(pairs); i += 2 {
			more := pairs[i]
			if more != "" {
				more = "," + more
			}
			pairs[i] = "{" + base + more + "}"
		}
		return over(pairs...)
	}
	tag, home, row := loopVar(types.String, "tag"), loopVar(homeType, "home"), loopVar(listOf(types.Float64), "numbers")
	text1 := listOf(types.String)
	upperTags := each(text1, many("tags"), "", "tag", nil, call(types.String, "upper", tag))
	price, rate, large := many("price"), many("rate"), many("large")
	const overflowed, inexact = "error: decimal overflow", "error: more digits behind the point than the type has"
	return []expressionCase{
		// lists and maps
		{"listLiteral", &model.List{ExprBase: of(text1), Items: []model.Expr{text("x"), index(types.String, many("tags"), integer(0))}}, on("", "[x b]", `"tags":[]`, "error: index out of range")},
		{"listJoined", typedBin(text1, typedBin(text1, many("tags"), "+", &model.List{ExprBase: of(text1), Items: []model.Expr{text("c")}}), "+", upperTags), on("", "[b a b c B A B]", `"tags":[]`, "[c]")},
		{"listEmpty", cond(bin(many("tags"), "==", lit(text1, nil)), upperTags, lit(text1, nil)), on("", "[]", `"tags":[]`, "[]")},
		{"listDiffers", bin(many("tags"), "!=", upperTags), on("", "true", `"tags":["A"]`, "false", `"tags":[]`, "false")},
		{"listLength", call(types.Int64, "length", many("tags")), on("", "3")},
		{"loopIf", each(text1, many("tags"), "", "tag", bin(tag, "!=", text("a")), bin(tag, "+", text("!"))), on("", "[b! b!]")},
		{"loopPlace", each(listOf(types.Int64), many("tags"), "place", "tag", nil, bin(loopVar(types.Int64, "place"), "*", integer(2))), on("", "[0 2 4]")},
		{"loopRecords", each(listOf(homeType), many("homes"), "i", "home", notNull(get(home, "zip")), merge(homeType, home, model.FieldSet{Name: "street", Value: bin(get(home, "street"), "+", to(types.String, loopVar(types.Int64, "i")))})), on("", "[{Street:Oak1 Zip:9}]")},
		{"loopNested", each(listOf(listOf(types.Float64)), many("grid"), "", "numbers", nil, each(listOf(types.Float64), row, "", "number", nil, bin(loopVar(types.Float64, "number"), "*", lit(types.Float64, 2.0)))), on("", "[[2 4] [6]]", `"grid":[[],[7],[8,9]]`, "[[] [14] [16 18]]")},
		{"loopMap", each(text1, many("counts"), "k", "v", bin(loopVar(types.Int64, "v"), ">", integer(1)), bin(loopVar(types.String, "k"), "+", to(types.String, loopVar(types.Int64, "v")))), on("", "[y2]")},
		{"loopFails", each(listOf(types.Int64), many("tags"), "", "tag", nil, to(types.Int64, tag)), on(`"tags":["1","2"]`, "[1 2]", "", "error: not an int64")},
		{"loopTried", try(each(listOf(types.Int64), many("tags"), "", "tag", nil, to(types.Int64, tag)), lit(listOf(types.Int64), nil)), on(`"tags":["1","2"]`, "[1 2]", "", "[]")},
		{"loopToMap", &model.For{ExprBase: of(&types.Map{Elem: types.Int64}), X: many("tags"), Place: "i", Item: "tag", Key: tag, Value: loopVar(types.Int64, "i")}, on("", "[{Key:a Value:1} {Key:b Value:2}]")},
		{"dict", &model.Dict{ExprBase: of(&types.Map{Elem: types.Int64}), Keys: []model.Expr{text("z"), index(types.String, many("tags"), integer(1)), text("z")}, Values: []model.Expr{integer(1), integer(2), integer(3)}}, on("", "[{Key:a Value:2} {Key:z Value:3}]")},
		{"dictLookup", index(types.Int64, many("counts"), text("x")), on("", "1", `"counts":{"y":2}`, "error: no such key in the map")},
		{"dictTried", try(index(types.Int64, many("counts"), text("q")), integer(-1)), on("", "-1")},
		{"splat", each(text1, many("homes"), "", "item", nil, get(loopVar(homeType, "item"), "street")), on("", "[Elm Oak]")},
		{"splitJoined", typedBin(text1, call(text1, "split", text("p,q"), text(",")), "+", call(text1, "split", text("r"), text(""))), on("", "[p q r]")},

		// decimals
		{"decimalSum", typedBin(dec(13, 2), to(dec(13, 2), price), "+", decimalOf(dec(13, 2), 5)), on("", "1255")},
		{"decimalScales", typedBin(dec(15, 4), to(dec(15, 4), price), "-", to(dec(15, 4), rate)), on("", "122500")},
		{"decimalProduct", typedBin(dec(17, 6), price, "*", rate), on("", "3125000")},
		{"decimalOverflow", typedBin(dec(38, 2), large, "+", large), on(`"large":1.00`, "200", "", "19999999999999999999999999999999999800", `"large":900000000000000000000000000000000000.00`, overflowed)},
		{"decimalTimes", typedBin(dec(38, 4), large, "*", large), on(`"large":-2.00`, "40000", "", overflowed)},
		{"decimalNegative", neg(price), on("", "-1250")},
		{"decimalOrder", bin(price, ">=", decimalOf(dec(12, 2), 1250)), on("", "true", `"price":12.49`, "false")},
		{"decimalEqual", bin(price, "==", decimalOf(dec(12, 2), 1250)), on("", "true", `"price":12.49`, "false")},
		{"decimalMax", call(dec(12, 2), "max", price, decimalOf(dec(12, 2), 2000)), on("", "2000", `"price":30`, "3000")},
		{"decimalAbs", call(dec(12, 2), "abs", price), on(`"price":-1.5`, "150")},
		{"decimalText", &model.Concat{ExprBase: of(types.String), Parts: []model.Expr{to(types.String, price), text("/"), to(types.String, rate)}}, on("", "12.50/0.2500")},
		{"decimalParsed", to(dec(5, 2), field("s")), on(`"s":"1.5"`, "150", `"s":"1.555"`, inexact, `"s":"x"`, "error: not a decimal number")},
		{"decimalOfInt", to(dec(5, 2), field("n")), on("", "700", `"n":1000`, overflowed)},
		{"decimalOfFloat", to(dec(5, 2), field("f")), on("", "150", `"f":0.125`, inexact)},
		{"decimalOfFloat32", to(dec(5, 2), many("ratio")), on(`"ratio":0.1`, "10")},
		{"decimalNarrowed", to(dec(5, 1), price), on("", "125", `"price":0.25`, inexact)},
		{"decimalToInt", to(types.Int64, price), on(`"price":3.00`, "3", "", "error: not a whole number, or out of range")},
		{"decimalToFloat", to(types.Float64, price), on("", "12.5")},
		{"decimalDivided", call(dec(38, 4), "div", price, rate, integer(4)), on("", "500000", `"rate":0`, byZeroError)},
		{"decimalLarge", lit(dec(38, 2), new(big.Int).Neg(new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))), on("", "-1000000000000000000000000000000")},

		// UUIDs and float32
		{"uuidEqual", cond(bin(many("ref"), "==", lit(types.UUID, [16]byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef})), text("same"), text("other")), on("", "same", `"ref":"00000000-0000-0000-0000-000000000001"`, "other")},
		{"uuidText", to(types.String, many("ref")), on("", "01234567-89ab-cdef-0123-456789abcdef")},
		{"uuidParsed", to(types.UUID, field("s")), on(`"s":"01234567-89AB-CDEF-0123-456789ABCDEF"`, "01234567-89ab-cdef-0123-456789abcdef", "", "error: not a UUID, which is written as 01234567-89ab-cdef-0123-456789abcdef")},
		{"float32Sum", bin(many("ratio"), "+", lit(types.Float32, float64(float32(0.1)))), on("", "0.6")},
		{"float32Rest", bin(many("ratio"), "%", lit(types.Float32, 0.2)), on("", "0.099999994")},
		{"float32Wide", to(types.Float64, many("ratio")), on("", "0.5")},
		{"float32Narrow", to(types.Float32, field("f")), on("", "1.5", `"f":0.1`, "error: not a float32")},
		{"float32Text", to(types.String, many("ratio")), on(`"ratio":0.1`, "0.1")},
	}
}

const byZeroError = "error: division by zero"
