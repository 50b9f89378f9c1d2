package oracle

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/runtime/arith"
	"github.com/streamgen/streamgen/runtime/text"
	"github.com/streamgen/streamgen/spec/model"
)

// call is a function of the library. Those of texts and numbers are the runtime's, which has tests of its own.
func call(e *model.Call, args []any) any {
	str := func(i int) string { return args[i].(string) }
	num := func(i int) int64 { return args[i].(int64) }
	var arena text.Arena
	switch e.Func {
	case "lower":
		return arena.Lower(str(0))
	case "upper":
		return arena.Upper(str(0))
	case "trim":
		return strings.TrimSpace(str(0))
	case "trim_prefix":
		return strings.TrimPrefix(str(0), str(1))
	case "trim_suffix":
		return strings.TrimSuffix(str(0), str(1))
	case "starts_with":
		return strings.HasPrefix(str(0), str(1))
	case "ends_with":
		return strings.HasSuffix(str(0), str(1))
	case "matches":
		return regexp.MustCompile(str(1)).MatchString(str(0))
	case "index_of":
		return text.IndexOf(str(0), str(1))
	case "replace":
		return strings.ReplaceAll(str(0), str(1), str(2))
	case "repeat":
		return must(arena.Repeat(str(0), num(1)))
	case "substr":
		if len(args) == 3 {
			return text.SubstrN(str(0), num(1), num(2))
		}
		return text.Substr(str(0), num(1))
	case "contains":
		if list, ok := args[0].([]any); ok {
			return slices.ContainsFunc(list, func(x any) bool { return equal(x, args[1]) })
		}
		return strings.Contains(str(0), str(1))
	case "length":
		switch x := args[0].(type) {
		case []any:
			return int64(len(x))
		case map[string]any:
			return int64(len(x))
		}
		return text.Length(str(0))
	case "split":
		list := []any{}
		for _, s := range text.Split(nil, str(0), str(1)) {
			list = append(list, s)
		}
		return list
	case "join":
		var parts []string
		for _, p := range args[0].([]any) {
			parts = append(parts, p.(string))
		}
		return strings.Join(parts, str(1))
	case "min", "max":
		best := args[0]
		for _, x := range args[1:] {
			if e.Func == "min" && less(x, best) || e.Func == "max" && less(best, x) {
				best = x
			}
		}
		return best
	case "clamp":
		switch {
		case less(args[0], args[1]):
			return args[1]
		case less(args[2], args[0]):
			return args[2]
		}
		return args[0]
	case "abs":
		if f, ok := args[0].(float64); ok {
			return math.Abs(f)
		}
		if num(0) < 0 {
			return arithmetic("-", e.Type, int64(0), num(0))
		}
		return num(0)
	case "floor":
		return must(arith.Floor(args[0].(float64)))
	case "round":
		return must(arith.Round(args[0].(float64)))
	case "unix_ms", "from_unix_ms", "to_ms", "from_ms":
		return num(0)
	}
	missing("the function %s", e.Func)
	return nil
}
