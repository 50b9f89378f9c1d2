package oracle

import (
	"math"
	"slices"
	"time"

	"github.com/streamgen/streamgen/spec/model"
)

// joinSides is what a join of two streams remembers: the rows of each side, a clock for each, and one for null results.
type joinSides struct {
	rows   [2][]*joinRow
	clock  [2]int64
	stream int64
}

type joinRow struct {
	record
	side    int
	text    string // of the key
	matched bool
	left    bool // its null result has
}

const never = math.MinInt64 / 2

// meet takes a record to a side of a join and gives the results: first those of rows that meet nothing any more, then its own.
func (o *Oracle) meet(s *model.StreamJoin, side int, r record) (out []record) {
	switch {
	case r.key == nil && !s.Kept(side):
		o.drops["null key"]++
		return nil
	case r.value == nil:
		o.drops["null value"]++
		return nil
	case r.key == nil:
		return o.result(s, side, r, nil)
	}
	j := o.joins[s]
	if j == nil {
		j = &joinSides{clock: [2]int64{never, never}, stream: never}
		o.joins[s] = j
	}
	if s.Left || s.Right {
		j.stream = max(j.stream, r.ts)
		for _, x := range j.due(s) {
			out = append(out, o.result(s, x.side, x.record, nil)...)
		}
	}
	before, after, held := s.Before.Milliseconds(), s.After.Milliseconds(), (s.Before + s.After + s.Grace).Milliseconds()
	if side == 1 {
		before, after = after, before
	}
	row := &joinRow{record: r, side: side, text: string(encode(s.Out.Key, r.key))}
	var met []*joinRow
	for _, x := range j.rows[1-side] {
		if x.text == row.text && !x.left && x.ts >= r.ts-before && x.ts <= max(0, r.ts+after) && x.ts > j.clock[1-side]-held {
			met = append(met, x)
		}
	}
	slices.SortStableFunc(met, func(a, b *joinRow) int { return int(a.ts - b.ts) })
	for _, x := range met {
		x.matched, row.matched = true, true
		out = append(out, o.result(s, side, r, x)...)
	}
	j.clock[side] = max(j.clock[side], r.ts)
	if s.Kept(side) && !row.matched && r.ts+after+s.Grace.Milliseconds() < j.stream {
		return append(out, o.result(s, side, r, nil)...)
	}
	again := side == 0 && !s.Left && !s.Right && s.With.Block == o.leftOf(s) // a stream that is joined with itself has a record once
	if !again && !s.Kept(side) && !row.matched && (r.ts <= j.clock[side]-held || (s.Left || s.Right) && r.ts+held < j.stream) {
		o.drops["late"]++
	}
	j.rows[side] = append(j.rows[side], row)
	return out
}

// leftOf is the block that the left side of a join reads as it is, nil if steps stand between.
func (o *Oracle) leftOf(s *model.StreamJoin) *model.Block {
	for _, b := range o.program.Blocks {
		if len(b.Steps) > 0 && b.Steps[0] == model.Step(s) && len(b.From) == 1 && b.From[0].Case == nil && !b.From[0].Late {
			return b.From[0].Block
		}
	}
	return nil
}

// due are the rows of kept sides whose window and grace have passed: by time, right before left, then key and arrival.
func (j *joinSides) due(s *model.StreamJoin) (list []*joinRow) {
	for side := 1; side >= 0; side-- {
		reach := (s.Grace + [...]time.Duration{s.After, s.Before}[side]).Milliseconds()
		for _, x := range j.rows[side] {
			if s.Kept(side) && !x.matched && !x.left && x.ts+reach < j.stream {
				x.left = true
				list = append(list, x)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *joinRow) int {
		switch {
		case a.ts != b.ts:
			return int(a.ts - b.ts)
		case a.side != b.side:
			return b.side - a.side
		case a.text < b.text:
			return -1
		case a.text > b.text:
			return 1
		}
		return 0
	})
	return list
}

// result is a record and the row that it meets, or none, as one record; nothing if working out the value fails.
func (o *Oracle) result(s *model.StreamJoin, side int, r record, other *joinRow) []record {
	var values [2]any
	values[side] = r.value
	if other != nil {
		values[1-side] = other.value
		r.ts = max(r.ts, other.ts)
	}
	r.value = values[0]
	if !o.try("the step failed", s.OnError, s.Address, func() {
		r.value = o.eval(s.Value, scope{record: r, joined: map[string]any{s.As: values[1]}})
	}) {
		return nil
	}
	return []record{r}
}
