package names

import (
	"go/token"
	"go/types"
)

// Taken says whether an unexported identifier means something already where generated code stands: a keyword, a predeclared
// name, or a package that generated files import. Ask after the change of case: the stream Import is the identifier import.
func Taken(id string) bool {
	return token.IsKeyword(id) || types.Universe.Lookup(id) != nil || reserved[id]
}

// reserved are the packages that generated files may import and what they declare themselves at their top level.
var reserved = set(
	"arith", "binary", "bytes", "calendar", "cmp", "context", "convert", "decimal", "dict", "digest",
	"errors", "expr", "fmt", "foreign", "format", "json", "list", "log", "main", "math", "number", "optional", "os",
	"pattern", "record", "records", "regexp", "row", "rows", "runtime", "slices", "slog", "state", "strconv", "strings",
	"tally", "task", "temporal", "testdriver", "text", "time", "topology", "utf8", "uuid", "window", "wire",
	"init", "positions", "variables", "generation",
)

// Free is the first of the candidates that is neither Taken nor in use, and the last of them with more and more of suffix
// behind it if none is. It marks the result as used.
func Free(used map[string]bool, suffix string, candidates ...string) string {
	for _, c := range candidates {
		if !Taken(c) && !used[c] {
			used[c] = true
			return c
		}
	}
	return Free(used, suffix, candidates[len(candidates)-1]+suffix)
}
