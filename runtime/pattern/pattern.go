// Package pattern is the functions of expressions on regular expressions, beyond those that package regexp has by itself.
// Generated code compiles its patterns once, as variables of the package.
package pattern

import (
	"regexp"

	"github.com/streamgen/streamgen/runtime/optional"
)

// Extract is what a group of the first match in s matched, a view of s; null if nothing matches, or if the group has no part in
// the match. Group 0 is the whole match.
func Extract(re *regexp.Regexp, s string, group int) optional.Of[string] {
	at := re.FindStringSubmatchIndex(s)
	if at == nil || at[2*group] < 0 {
		return optional.Of[string]{}
	}
	return optional.Some(s[at[2*group]:at[2*group+1]])
}
