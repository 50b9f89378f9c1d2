package diag

// codes17 are mistakes of user code: functions and structs in Go that a spec names. In the examples package
// example.com/shop/fraud has
//
//	func Score(ctx context.Context, o records.Order) (float64, error)
//	func Rate(amount int64) int64
//	func Sum[T int32 | int64](list []T) T
//	func Level(n int) string
//
// package example.com/shop the structs Payment, of an id and an amount, and Parcel, which has a time.Time, and package
// example.com/shop/broken does not compile.
var codes17 = []Code{
	{
		ID:    "SG1701",
		Title: "a call does not fit the Go function",
		Text: "The types of a function are read from its Go source. What it is given must have these types, as no conversion happens by itself; " +
			"a record must have exactly the fields of the type that the function takes.",
		Wrong: `function "rate" { go = "example.com/shop/fraud.Rate" }
stream "rated" {
  from = stream.names
  map_values { value = rate(value) }
}
`,
		Right: `function "rate" { go = "example.com/shop/fraud.Rate" }
stream "rated" {
  from = stream.names
  map_values { value = rate(length(value)) }
}
`,
	},
	{
		ID:    "SG1702",
		Title: "there is no such Go code",
		Text: "`go` names a function or a struct by the import path of its package, a dot and its name. The package is one of your module, " +
			"or of a module that go.mod requires; the name must be exported, as generated code in another package uses it.",
		Wrong: `function "score" { go = "example.com/shop/fraud.Skore" }
`,
		Right: `function "score" { go = "example.com/shop/fraud.Score" }
`,
	},
	{
		ID:    "SG1703",
		Title: "the Go package does not compile",
		Text: "Types are read from Go source, so that has to compile. A package may import the generated package records, with what the spec " +
			"declares: types and enums. It need not have been generated before.",
		Wrong: `function "score" { go = "example.com/shop/broken.Score" }
`,
		Right: `function "score" { go = "example.com/shop/fraud.Score" }
`,
	},
	{
		ID:    "SG1704",
		Title: "the signature of a Go function cannot be used",
		Text: "A function takes a context first, if it wants one, then values; it gives one value and, if it can fail, an error. Values have types " +
			"that the language has: string, []byte, bool, int32, int64, float32, float64, time.Time, time.Duration, uuid.UUID, declared types and " +
			"enums as the package records has them (a type also by pointer), slices, and optional.Of and dict.Of of the runtime. An int has another size " +
			"on other machines, so it is none of them. Generic and variadic functions have no fixed types, and methods no receiver.",
		Wrong: `function "level" { go = "example.com/shop/fraud.Level" }
`,
		Right: `function "rate" { go = "example.com/shop/fraud.Rate" }
`,
	},
	{
		ID:    "SG1705",
		Title: "a field of a Go struct cannot be a field of a type",
		Text: "A type that adopts a Go struct has its fields, named as encoding/json names them. All of them must be exported, be in JSON and have a " +
			"type of the language: the program keeps and copies the struct, and would lose the others. Times are temporal.Timestamp, what may be null is optional.Of[T].",
		Wrong: `type "Parcel" { go = "example.com/shop.Parcel" }
`,
		Right: `type "Payment" { go = "example.com/shop.Payment" }
`,
	},
	{
		ID:    "SG1706",
		Title: "a Go function cannot be called here",
		Text: "Go code runs when a record comes, in a step. It cannot be part of a constant. In an aggregate it can only stand in an aggregator's " +
			"argument, as what aggregators give is put together whenever a row is read. A step of a table can be asked again for a row that it has seen, so a " +
			"function there must say that it is pure.",
		Wrong: `function "rate" { go = "example.com/shop/fraud.Rate" }
table "total" {
  from = stream.amounts
  aggregate { value = rate(sum(value)) }
}
`,
		Right: `function "rate" { go = "example.com/shop/fraud.Rate" }
table "total" {
  from = stream.amounts
  aggregate { value = sum(rate(value)) }
}
`,
	},
	{
		ID:    "SG1707",
		Title: "a type that adopts a Go struct has fields of its own",
		Text:  "A type is either written in the spec or is a struct of your Go code. With `go` all its fields are those of the struct.",
		Wrong: `type "Payment" {
  go     = "example.com/shop.Payment"
  amount = int64
}
`,
		Right: `type "Payment" { go = "example.com/shop.Payment" }
`,
	},
	{
		ID:    "SG1708",
		Title: "a Go struct has no place for unknown fields",
		Text: "With unknown = \"keep\" a record keeps the fields of its JSON that the type does not have, in a field of the generated struct. A struct of your Go code, " +
			"and a type that holds one, has no such field.",
		Wrong: `type "Payment" { go = "example.com/shop.Payment" }
stream "payments" {
  topic = "payments"
  key   = string
  value = json(Payment, { unknown = "keep" })
}
`,
		Right: `type "Transfer" { amount = int64 }
stream "payments" {
  topic = "payments"
  key   = string
  value = json(Transfer, { unknown = "keep" })
}
`,
	},
}
