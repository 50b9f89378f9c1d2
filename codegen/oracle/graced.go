package oracle

import (
	"cmp"
	"slices"
	"strings"

	"github.com/streamgen/streamgen/spec/model"
)

// graced is the records that wait in a join with a table, and the greatest time that came.
type graced struct {
	waiting []waited
	time    int64
}

type waited struct {
	record
	text string // of the key
}

// wait takes a record to a join that waits: what comes out are those that leave, joined, by time, key and arrival.
func (o *Oracle) wait(s *model.Join, r record) (out []record) {
	leave := func(r record) {
		o.try("the step failed", s.OnError, s.Address, func() {
			if joined, ok := o.join(s, r); ok {
				out = append(out, joined)
			}
		})
	}
	if r.key == nil || r.value == nil { // dropped, or without a row to wait for
		leave(r)
		return out
	}
	g := o.graced[s]
	if g == nil {
		g = &graced{time: r.ts}
		o.graced[s] = g
	}
	g.time = max(g.time, r.ts)
	until := g.time - s.Grace.Milliseconds()
	slices.SortStableFunc(g.waiting, func(a, b waited) int {
		return cmp.Or(cmp.Compare(a.ts, b.ts), strings.Compare(a.text, b.text))
	})
	for len(g.waiting) > 0 && g.waiting[0].ts <= until {
		leave(g.waiting[0].record)
		g.waiting = g.waiting[1:]
	}
	if r.ts <= until {
		leave(r)
	} else {
		g.waiting = append(g.waiting, waited{r, string(encode(s.In.Key, r.key))})
	}
	return out
}
