package library

// numbers are functions of numbers.
var numbers = group{name: "Numbers", about: "Floats are those of IEEE 754: out of its domain a function gives NaN.", functions: []Function{
	{
		Name: "abs", Typing: "abs(n number) number", Least: 1, Most: 1,
		Doc: "The distance from zero, of n's type. That of the least integer overflows.", Examples: examples(`abs(-7)`, `7`, `abs(-0.5)`, `0.5`),
	},
	{
		Name: "min", Typing: "min(a, b, …) number, timestamp or duration", Least: 2,
		Doc: "The least of two or more. With one argument it is an aggregator; of a list it is min_of.", Examples: examples(`min(3, 1, 2)`, `1`),
	},
	{
		Name: "max", Typing: "max(a, b, …) number, timestamp or duration", Least: 2,
		Doc: "The greatest of two or more. With one argument it is an aggregator; of a list it is max_of.", Examples: examples(`max(3, 1, 2)`, `3`),
	},
	{
		Name: "clamp", Typing: "clamp(x, low, high) number, timestamp or duration", Least: 3, Most: 3,
		Doc: "x, but low if it is below and high if it is above that.", Examples: examples(`clamp(15, 0, 10)`, `10`, `clamp(-0.5, 0.0, 1.0)`, `0.0`),
	},
	{
		Name: "sign", Typing: "sign(n number) int64", Least: 1, Most: 1,
		Doc: "-1, 0 or 1: whether n is below, at or above zero; 0 of NaN.", Examples: examples(`sign(-2.5)`, `-1`, `sign(0)`, `0`, `sign(7)`, `1`),
	},
	{
		Name: "div", Typing: "div(a, b decimal, scale) decimal(38, scale)", Least: 3, Most: 3, Fails: "b is zero",
		Doc: "a divided by b with scale digits behind the point, halves rounded away from zero. Whole numbers may stand for decimals.", Examples: examples(`try(string(div(10, 4, 2)), "")`, `"2.50"`),
	},
	{
		Name: "floor", Typing: "floor(n float or decimal) int64", Least: 1, Most: 1,
		Doc: "The greatest whole number that is not greater than n. NaN and what int64 cannot hold overflow.", Examples: examples(`floor(1.8)`, `1`, `floor(-1.2)`, `-2`, `try(floor(decimal("-1.25", 3, 2)), 0)`, `-2`),
	},
	{
		Name: "ceil", Typing: "ceil(n float or decimal) int64", Least: 1, Most: 1,
		Doc: "The least whole number that is not less than n. NaN and what int64 cannot hold overflow.", Examples: examples(`ceil(1.2)`, `2`, `ceil(-1.8)`, `-1`, `try(ceil(decimal("-1.75", 3, 2)), 0)`, `-1`),
	},
	{
		Name: "round", Typing: "round(n float or decimal) int64", Least: 1, Most: 1,
		Doc: "The nearest whole number, halves away from zero. NaN and what int64 cannot hold overflow. Digits behind the point are kept by div(n, 1, digits).", Examples: examples(`round(2.5)`, `3`, `round(-2.4)`, `-2`, `try(round(decimal("2.50", 3, 2)), 0)`, `3`),
	},
	{
		Name: "trunc", Typing: "trunc(n float or decimal) int64", Least: 1, Most: 1,
		Doc: "n without its fraction. NaN and what int64 cannot hold overflow.", Examples: examples(`trunc(-1.8)`, `-1`, `try(trunc(decimal("-1.99", 3, 2)), 0)`, `-1`),
	},
	{
		Name: "pow", Params: params(of("base", f64), of("exponent", f64)), Least: 2, Result: f64,
		Doc: "base to the power of exponent.", Examples: examples(`pow(2.0, 10.0)`, `1024.0`),
	},
	{
		Name: "sqrt", Params: params(of("f", f64)), Least: 1, Result: f64,
		Doc: "The square root of f.", Examples: examples(`sqrt(2.25)`, `1.5`),
	},
	{
		Name: "exp", Params: params(of("f", f64)), Least: 1, Result: f64,
		Doc: "e to the power of f.", Examples: examples(`exp(0.0)`, `1.0`),
	},
	{
		Name: "log", Params: params(of("f", f64)), Least: 1, Result: f64,
		Doc: "The natural logarithm of f.", Examples: examples(`log(1.0)`, `0.0`),
	},
	{
		Name: "log2", Params: params(of("f", f64)), Least: 1, Result: f64,
		Doc: "The logarithm of f to the base 2.", Examples: examples(`log2(1024.0)`, `10.0`),
	},
	{
		Name: "log10", Params: params(of("f", f64)), Least: 1, Result: f64,
		Doc: "The logarithm of f to the base 10.", Examples: examples(`log10(1000.0)`, `3.0`),
	},
	{
		Name: "is_nan", Params: params(of("f", f64)), Least: 1, Result: yes,
		Doc: "Whether f is not a number. JSON cannot write one.", Examples: examples(`is_nan(sqrt(-1.0))`, `true`, `is_nan(1.0)`, `false`),
	},
	{
		Name: "is_finite", Params: params(of("f", f64)), Least: 1, Result: yes,
		Doc: "Whether f is neither NaN nor infinite.", Examples: examples(`is_finite(1.0 / 0.0)`, `false`, `is_finite(1.0)`, `true`),
	},
}}
