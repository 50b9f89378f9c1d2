package oracle

import (
	"math"
	"math/big"
	"slices"

	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// sample is what a record gives an aggregator.
type sample struct{ value, by any }

// samples is the state of those that the numbers alone do not tell: all of them, in the order in which they came.
type samples []sample

// mean is the state of an avg.
type mean struct{ sum, n any }

// aggregate is the aggregators' states after a record.
func (o *Oracle) aggregate(s *model.Aggregate, old *row, r record) []any {
	cells := make([]any, len(s.Aggregators))
	if old != nil {
		cells = slices.Clone(old.cells)
	}
	for i, a := range s.Aggregators {
		cells[i] = accumulate(a, cells[i], o.sample(a, r), false)
	}
	return cells
}

func (o *Oracle) sample(a *model.Aggregator, r record) (x sample) {
	if a.Arg != nil {
		x.value = o.eval(a.Arg, scope{record: r})
	}
	if a.By != nil {
		x.by = o.eval(a.By, scope{record: r})
	}
	return x
}

// accumulate adds to a state. Of rows, which leave again, there must be no less than all of them.
func accumulate(a *model.Aggregator, cell any, x sample, rows bool) any {
	arg := x.value
	switch a.Func {
	case "count":
		n, _ := cell.(int64)
		if a.Arg == nil || arg == true {
			n++
		}
		return n
	case "avg":
		m, _ := cell.(mean)
		n, _ := m.n.(int64)
		return mean{plus(m.sum, arg, types.Int64), n + 1}
	case "sum":
		return plus(cell, arg, a.Type)
	case "min", "max":
		if rows {
			break
		}
		if cell == nil || a.Func == "min" && less(arg, cell) || a.Func == "max" && less(cell, arg) {
			return arg
		}
		return cell
	}
	all, _ := cell.(samples)
	if rows {
		return append(slices.Clip(all), x)
	}
	return all.with(a, x)
}

// with is all with one more, as far as a result can depend on them.
func (all samples) with(a *model.Aggregator, x sample) samples {
	next := append(slices.Clip(all), x)
	full := a.Most > 0 && int64(len(all)) == a.Most
	known := slices.ContainsFunc(all, func(y sample) bool { return equal(x.value, y.value) })
	switch {
	case len(all) == 0:
	case a.Func == "first":
		return all
	case a.Func == "argmin" && !less(x.by, all[0].by), a.Func == "argmax" && !less(all[0].by, x.by):
		return all
	case a.Func == "argmin" || a.Func == "argmax" || a.Func == "last":
		return samples{x}
	case a.Func == "top_n":
		next = next.descending(a)
		return next[:min(len(next), int(a.Most))]
	case full || known && (a.Func == "collect_set" || a.Func == "distinct" || a.Func == "approx_distinct"):
		return all
	}
	return next
}

// of is what an aggregator compares.
func (x sample) of(a *model.Aggregator) any {
	if a.By != nil {
		return x.by
	}
	return x.value
}

// descending are all in descending order, those that are equal as they came.
func (all samples) descending(a *model.Aggregator) samples {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(x, y sample) int {
		switch {
		case less(y.of(a), x.of(a)):
			return -1
		case less(x.of(a), y.of(a)):
			return 1
		}
		return 0
	})
	return sorted
}

// plus adds integers exactly, in their type.
func plus(sum, x any, t types.Type) any {
	switch {
	case sum == nil:
		return x
	case isFloat(x):
		return sum.(float64) + x.(float64)
	}
	return arithmetic("+", t, sum, x)
}

// results are what states give.
func results(s *model.Aggregate, cells []any) []any {
	out := slices.Clone(cells)
	for i, c := range cells {
		switch c := c.(type) {
		case mean:
			out[i] = toFloat(c.sum) / toFloat(c.n)
		case samples:
			out[i] = c.result(s.Aggregators[i])
		}
	}
	return out
}

func (all samples) result(a *model.Aggregator) any {
	list := []any{}
	most := func(all samples, differ bool) []any {
		for _, x := range all {
			if int64(len(list)) < a.Most && !(differ && slices.ContainsFunc(list, func(y any) bool { return equal(x.value, y) })) {
				list = append(list, x.value)
			}
		}
		return list
	}
	switch a.Func {
	case "first", "last":
		return all[0].value
	case "variance":
		return variance(all)
	case "quantile":
		n := max(1, int(math.Ceil(a.Share*float64(len(all))-1e-9)))
		return rounded(toFloat(all.descending(a)[len(all)-n].value))
	case "argmin", "min":
		best := all[0]
		for _, x := range all[1:] {
			if less(x.of(a), best.of(a)) {
				best = x
			}
		}
		return best.value
	case "argmax", "max":
		return all.descending(a)[0].value
	case "collect_list":
		return most(all, false)
	case "collect_set":
		return most(all, true)
	case "top_n":
		return most(all.descending(a), false)
	case "distinct":
		return int64(len(most(all, true)))
	case "approx_distinct": // few are counted
		differ := map[string]bool{}
		for _, x := range all {
			differ[string(encode(a.Arg.Base().Type, x.value))] = true
		}
		return int64(len(differ))
	}
	missing("the aggregator %s", a.Func)
	return nil
}

// rounded is a number with 8 digits of those that a computer has of it, towards 0: as many as a quantile has.
func rounded(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) {
		return x
	}
	fraction, exponent := math.Frexp(x)
	return math.Ldexp(math.Trunc(fraction*256)/256, exponent)
}

// variance works with fractions as far as that matters.
func variance(all samples) float64 {
	n := new(big.Rat).SetInt64(int64(len(all)))
	sum, squares := new(big.Rat), new(big.Rat)
	for _, x := range all {
		v := new(big.Rat).SetFloat64(toFloat(x.value))
		sum.Add(sum, v)
		squares.Add(squares, v.Mul(v, v))
	}
	whole, _ := squares.Sub(squares.Mul(squares, n), sum.Mul(sum, sum)).Float64()
	return whole / float64(len(all)*len(all))
}

// mergedCell is the state of two sessions, of which left is the earlier one.
func mergedCell(a *model.Aggregator, left, right any) any {
	switch a.Func {
	case "count":
		return left.(int64) + right.(int64)
	case "avg":
		l, r := left.(mean), right.(mean)
		return mean{plus(l.sum, r.sum, a.Type), l.n.(int64) + r.n.(int64)}
	}
	if more, ok := right.(samples); ok {
		all := left.(samples)
		for _, x := range more {
			all = all.with(a, x)
		}
		return all
	}
	if right == nil {
		return left
	}
	return accumulate(a, left, sample{value: right}, false)
}

// takeAway is accumulate backwards.
func takeAway(a *model.Aggregator, cell any, x sample) any {
	switch a.Func {
	case "count":
		if a.Arg == nil || x.value == true {
			return cell.(int64) - 1
		}
		return cell
	case "sum":
		return minus(cell, x.value, a)
	case "avg":
		m := cell.(mean)
		return mean{minus(m.sum, x.value, a), m.n.(int64) - 1}
	}
	all := slices.Clone(cell.(samples))
	i := slices.IndexFunc(all, func(y sample) bool { return same(x.value, y.value) })
	return slices.Delete(all, i, i+1)
}

func minus(sum, x any, a *model.Aggregator) any {
	if isFloat(x) {
		return sum.(float64) - x.(float64)
	}
	t := a.Type
	if a.Func == "avg" {
		t = types.Int64
	}
	return arithmetic("-", t, sum, x)
}

// zeroOf is what an aggregator has of no rows.
func zeroOf(a *model.Aggregator) any {
	switch {
	case a.Func == "top_n" || a.Func == "distinct":
		return samples{}
	case a.Func == "sum" && types.IsFloat(a.Type):
		return float64(0)
	}
	return int64(0)
}
