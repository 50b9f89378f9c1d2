package library

import "github.com/streamgen/streamgen/spec/types"

var texts types.Type = &types.List{Elem: types.String}

// lists are functions of lists. The plain names, sum, min, max and so on, are aggregators: over records.
var lists = group{name: "Lists", about: "What works on each element is a for expression: `any_of([for l in value.lines : l.qty > 9])`. Positions count from 0.", functions: []Function{
	{
		Name: "split", Params: params(of("s", str), of("separator", str)), Least: 2, Result: texts,
		Doc: "The parts of s between the separators; s alone if there is none, its code points if separator is empty.", Examples: examples(`split("a,b,", ",")`, `["a", "b", ""]`, `split("né", "")`, `["n", "é"]`),
	},
	{
		Name: "join", Params: params(of("parts", texts), of("separator", str)), Least: 2, Result: str,
		Doc: "The parts, with separator between them.", Examples: examples(`join(["a", "b"], ", ")`, `"a, b"`),
	},
	{
		Name: "sum_of", Typing: "sum_of(l list(number or duration)) number or duration", Least: 1, Most: 1,
		Doc:      "The sum of the elements; 0 if there are none. Of int32 it is int64, of float32 float64, of decimals decimal(38, s). One that its type cannot hold overflows.",
		Examples: examples(`sum_of([1, 2, 3])`, `6`, `sum_of([0.5, 0.25])`, `0.75`, `sum_of([decimal(1.10, 3, 2), decimal(2.05, 3, 2)])`, `decimal(3.15, 38, 2)`),
	},
	{
		Name: "avg_of", Typing: "avg_of(l list(integer or float)) optional(float64)", Least: 1, Most: 1,
		Doc: "The mean of the elements, or null if there are none.", Examples: examples(`coalesce(avg_of([1, 2]), 0.0)`, `1.5`),
	},
	{
		Name: "min_of", Typing: "min_of(l list(T)) optional(T)", Least: 1, Most: 1,
		Doc: "The least element, or null if there are none. T is a number, a string, a timestamp or a duration.", Examples: examples(`coalesce(min_of([3, 1, 2]), 0)`, `1`, `coalesce(min_of(["b", "a"]), "")`, `"a"`),
	},
	{
		Name: "max_of", Typing: "max_of(l list(T)) optional(T)", Least: 1, Most: 1,
		Doc: "The greatest element, or null if there are none. T is a number, a string, a timestamp or a duration.", Examples: examples(`coalesce(max_of([3, 1, 2]), 0)`, `3`, `coalesce(max_of(split("", "")), "none")`, `"none"`),
	},
	{
		Name: "first_of", Typing: "first_of(l list(T)) optional(T)", Least: 1, Most: 1,
		Doc: "The first element, or null if there is none.", Examples: examples(`coalesce(first_of([3, 1, 2]), 0)`, `3`),
	},
	{
		Name: "last_of", Typing: "last_of(l list(T)) optional(T)", Least: 1, Most: 1,
		Doc: "The last element, or null if there is none.", Examples: examples(`coalesce(last_of([3, 1, 2]), 0)`, `2`),
	},
	{
		Name: "any_of", Typing: "any_of(l list(bool)) bool", Least: 1, Most: 1,
		Doc: "Whether an element is true.", Examples: examples(`any_of([for n in [1, 5] : n > 4])`, `true`, `any_of([false, false])`, `false`),
	},
	{
		Name: "all_of", Typing: "all_of(l list(bool)) bool", Least: 1, Most: 1,
		Doc: "Whether all elements are true; so they are if there are none.", Examples: examples(`all_of([for n in [1, 5] : n > 4])`, `false`, `all_of([true, true])`, `true`),
	},
	{
		Name: "slice", Typing: "slice(l list(T), start int64[, n int64]) list(T)", Least: 2, Most: 3,
		Doc: "n elements from start, or all to the end. What of it lies outside of l is left out.", Examples: examples(`slice([1, 2, 3], 1)`, `[2, 3]`, `slice([1, 2, 3], -1, 2)`, `[1]`, `length(slice([1, 2, 3], 5))`, `0`),
	},
	{
		Name: "sort_of", Typing: "sort_of(l list(T)) list(T)", Least: 1, Most: 1,
		Doc: "The elements in ascending order; NaN stands first. T is a number, a string, a timestamp or a duration. `reverse(sort_of(l))` is descending.", Examples: examples(`sort_of([3, 1, 2])`, `[1, 2, 3]`, `reverse(sort_of(["b", "a"]))`, `["b", "a"]`),
	},
	{
		Name: "sort_by", Typing: `sort_by(l list(record), "field") list(record)`, Least: 2, Most: 2,
		Doc:      "The elements in ascending order of a field; those that are equal in it stay in their order.",
		Examples: examples(`[for x in sort_by([{ k = "a", n = 2 }, { k = "b", n = 1 }], "n") : x.k]`, `["b", "a"]`),
	},
	{
		Name: "distinct_of", Typing: "distinct_of(l list(T)) list(T)", Least: 1, Most: 1,
		Doc: "The first of each of the equal elements. T is a type without parts.", Examples: examples(`distinct_of([2, 1, 2, 2, 3])`, `[2, 1, 3]`),
	},
}}
