package vectors

import "strings"

// diff shows what is wanted and not there with "-", what is there and not wanted with "+", and what is in both.
func diff(want, got []string) string {
	// The longest common subsequence; the lists of a step are short, those of stores a few dozen rows.
	n, m := len(want), len(got)
	length := make([][]int, n+1)
	for i := range length {
		length[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if want[i] == got[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var b strings.Builder
	line := func(mark, text string) { b.WriteString("  " + mark + " " + text + "\n") }
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && want[i] == got[j]:
			line(" ", want[i])
			i, j = i+1, j+1
		case j == m || i < n && length[i+1][j] >= length[i][j+1]:
			line("-", want[i])
			i++
		default:
			line("+", got[j])
			j++
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
