package diag

import (
	"strings"
	"unicode/utf8"
)

// Nearest is the candidate that name was probably meant to be, or "" if none is near. Case and the choice between dash and
// underscore count little; among equals the first candidate wins.
func Nearest(name string, candidates []string) string {
	if name == "" || len(name) > maxName {
		return ""
	}
	best, bestDistance := "", 0
	for _, c := range candidates {
		if c == "" || c == name || len(c) > maxName {
			continue
		}
		d := distance(fold(name), fold(c))
		if d > limit(name, c) {
			continue
		}
		if best == "" || d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// maxName bounds the quadratic work of distance.
const maxName = 128

// limit is how many edits two names may be apart: one in three letters, at least one.
func limit(a, b string) int {
	n := min(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	return max(1, n/3)
}

func fold(s string) []rune {
	return []rune(strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(s)))
}

// distance counts insertions, deletions, replacements and swaps of neighbours.
func distance(a, b []rune) int {
	before := make([]int, len(b)+1) // two rows above, for swaps
	above := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
