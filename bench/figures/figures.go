// Package figures prints what comparisons measured: medians, with the lowest and the highest value.
package figures

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Figures are the values of one cell.
type Figures []float64

func (f Figures) sorted() Figures { return slices.Sorted(slices.Values(f)) }

// Median is the value in the middle.
func (f Figures) Median() float64 {
	s := f.sorted()
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// Text is the median with the lowest and the highest value, each written with format.
func (f Figures) Text(format string) string {
	s := f.sorted()
	return fmt.Sprintf(strings.ReplaceAll("% (%..%)", "%", format), f.Median(), s[0], s[len(s)-1])
}

// Over is how f compares with g, round by round: whatever disturbs a round disturbs both.
func (f Figures) Over(g Figures) Figures {
	r := make(Figures, len(f))
	for i := range f {
		r[i] = f[i] / g[i]
	}
	return r
}

// Table writes rows in columns.
func Table(w io.Writer, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	_ = t.Flush() // as w does
	fmt.Fprintln(w)
}
