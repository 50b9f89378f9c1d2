package list

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/streamgen/streamgen/runtime/decimal"
	"github.com/streamgen/streamgen/runtime/optional"
	"github.com/streamgen/streamgen/runtime/temporal"
)

func TestSums(t *testing.T) {
	if v, err := Sum([]int32{math.MaxInt32, math.MaxInt32}); v != 2*math.MaxInt32 || err != nil {
		t.Error(v, err)
	}
	if v, err := Sum([]int64{math.MaxInt64, 1}); err == nil {
		t.Error(v)
	}
	if v, err := SumDurations([]temporal.Duration{math.MinInt64, -1}); err == nil {
		t.Error(v)
	}
	if v, err := SumDecimals([]decimal.Decimal{decimal.New(110), decimal.New(205)}); v != decimal.New(315) || err != nil {
		t.Error(v, err)
	}
	if v := SumFloats([]float32{0.5, 0.25}); v != 0.75 {
		t.Error(v)
	}
	if v := Mean([]int64{1, 2}); v != optional.Some(1.5) {
		t.Error(v)
	}
	if Mean([]int32{}).Valid || Min([]int64{}).Valid || Max([]string{}).Valid || First([]bool{}).Valid || Last([]bool{}).Valid || MinDecimals(nil).Valid || MaxDecimals(nil).Valid {
		t.Error("an empty list has an element")
	}
	ds := []decimal.Decimal{decimal.New(2), decimal.New(-1), decimal.New(3)}
	if MinDecimals(ds).Value != decimal.New(-1) || MaxDecimals(ds).Value != decimal.New(3) || SortDecimals(ds)[0] != decimal.New(-1) || ds[0] != decimal.New(2) {
		t.Error("decimals are out of order")
	}
}

func TestParts(t *testing.T) {
	s := []int64{3, 1, 2, 1}
	for _, c := range []struct{ got, want []int64 }{
		{Slice(s, 1), []int64{1, 2, 1}}, {Slice(s, -5), s}, {Slice(s, 9), nil}, {Slice(s, math.MaxInt64), nil},
		{SliceN(s, 1, 2), []int64{1, 2}}, {SliceN(s, -1, 2), []int64{3}}, {SliceN(s, -2, 2), nil}, {SliceN(s, 2, 99), []int64{2, 1}}, {SliceN(s, 0, -1), nil},
		{SliceN(s, math.MinInt64, math.MaxInt64), nil}, {SliceN(s, 0, math.MaxInt64), s},
		{Reverse(s), []int64{1, 2, 1, 3}}, {Sort(s), []int64{1, 1, 2, 3}}, {Distinct(s), []int64{3, 1, 2}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	if !slices.Equal(s, []int64{3, 1, 2, 1}) {
		t.Error("a list was changed", s)
	}
	long := slices.Repeat([]int64{5, 4, 5}, 10)
	if d := Distinct(long); !slices.Equal(d, []int64{5, 4}) {
		t.Error(d)
	}
	if !Any([]bool{false, true}) || Any(nil) || All([]bool{false, true}) || !All(nil) {
		t.Error("any and all")
	}
	type pair struct{ k, n int }
	sorted := SortBy([]pair{{1, 2}, {2, 1}, {3, 2}, {4, 1}}, func(a, b *pair) int { return cmp.Compare(a.n, b.n) })
	if !slices.Equal(sorted, []pair{{2, 1}, {4, 1}, {1, 2}, {3, 2}}) {
		t.Error(sorted)
	}
}
