package library

// anything is functions of values of any type.
var anything = group{name: "Any type", about: "What may be null or fail, and records.", functions: []Function{
	{
		Name: "coalesce", Typing: "coalesce(x optional(T), y T or optional(T)) T or optional(T)", Least: 2, Most: 2,
		Doc:      "x, or y where x is null.",
		Examples: examples(`coalesce(try(int64("1"), null), 0)`, `1`, `coalesce(try(int64("one"), null), 0)`, `0`),
	},
	{
		Name: "merge", Typing: "merge(r record, { … }) record", Least: 2, Most: 2,
		Doc:      "r with fields replaced or added. If fields are only replaced, by values of their own types, the type stays.",
		Examples: example(`merge({ a = 1, b = "x" }, { b = "y" }).b`, `"y"`),
	},
	{
		Name: "try", Typing: "try(x T, fallback T) T", Least: 2, Most: 2,
		Doc:      "x, or fallback where evaluating x fails.",
		Examples: examples(`try(int64("12"), -1)`, `12`, `try(int64("12a"), -1)`, `-1`),
	},
	{
		Name: "without", Typing: `without(r record, "field", …) record`, Least: 2,
		Doc:      "r without these fields.",
		Examples: example(`without({ a = 1, secret = "x" }, "secret")`, `{ a = 1 }`),
	},
}}
