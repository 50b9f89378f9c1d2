package list

import (
	"cmp"
	"slices"

	"github.com/streamgen/streamgen/runtime/arith"
	"github.com/streamgen/streamgen/runtime/decimal"
	"github.com/streamgen/streamgen/runtime/optional"
	"github.com/streamgen/streamgen/runtime/temporal"
)

// The functions of the library. None changes its list; what they give may share memory with it.

// Sum is the sum of integers.
func Sum[T int32 | int64](s []T) (sum int64, err error) {
	for _, v := range s {
		if sum, err = arith.Add(sum, int64(v)); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// SumFloats is the sum of floats.
func SumFloats[T float32 | float64](s []T) (sum float64) {
	for _, v := range s {
		sum += float64(v)
	}
	return sum
}

// SumDurations is the sum of durations.
func SumDurations(s []temporal.Duration) (sum temporal.Duration, err error) {
	for _, v := range s {
		if sum, err = arith.Add(sum, v); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// SumDecimals is the sum of decimals of one scale.
func SumDecimals(s []decimal.Decimal) (sum decimal.Decimal, err error) {
	for _, v := range s {
		if sum, err = decimal.Add(sum, v); err != nil {
			return decimal.Decimal{}, err
		}
	}
	return sum, nil
}

// Mean is the mean, or null of an empty list.
func Mean[T int32 | int64 | float32 | float64](s []T) optional.Of[float64] {
	if len(s) == 0 {
		return optional.Of[float64]{}
	}
	sum := 0.0
	for _, v := range s {
		sum += float64(v)
	}
	return optional.Some(sum / float64(len(s)))
}

// Min is the least element, or null of an empty list. One NaN makes it NaN.
func Min[T cmp.Ordered](s []T) optional.Of[T] {
	if len(s) == 0 {
		return optional.Of[T]{}
	}
	return optional.Some(slices.Min(s))
}

// Max is the greatest element, or null of an empty list. One NaN makes it NaN.
func Max[T cmp.Ordered](s []T) optional.Of[T] {
	if len(s) == 0 {
		return optional.Of[T]{}
	}
	return optional.Some(slices.Max(s))
}

// MinDecimals is Min of decimals of one scale.
func MinDecimals(s []decimal.Decimal) optional.Of[decimal.Decimal] {
	if len(s) == 0 {
		return optional.Of[decimal.Decimal]{}
	}
	return optional.Some(slices.MinFunc(s, decimal.Decimal.Cmp))
}

// MaxDecimals is Max of decimals of one scale.
func MaxDecimals(s []decimal.Decimal) optional.Of[decimal.Decimal] {
	if len(s) == 0 {
		return optional.Of[decimal.Decimal]{}
	}
	return optional.Some(slices.MaxFunc(s, decimal.Decimal.Cmp))
}

// First is the first element, or null of an empty list.
func First[T any](s []T) optional.Of[T] {
	if len(s) == 0 {
		return optional.Of[T]{}
	}
	return optional.Some(s[0])
}

// Last is the last element, or null of an empty list.
func Last[T any](s []T) optional.Of[T] {
	if len(s) == 0 {
		return optional.Of[T]{}
	}
	return optional.Some(s[len(s)-1])
}

// Any says whether an element is true.
func Any(s []bool) bool { return slices.Contains(s, true) }

// All says whether every element is true.
func All(s []bool) bool { return !slices.Contains(s, false) }

// Slice is the part of s from start on. A start below 0 is 0.
func Slice[T any](s []T, start int64) []T {
	return s[min(max(start, 0), int64(len(s))):]
}

// SliceN is the part of s from start that has n elements, as far as there are any. What of it lies before the beginning of s counts.
func SliceN[T any](s []T, start, n int64) []T {
	if start < 0 {
		if n <= -start { // also keeps the sum from overflowing
			return nil
		}
		n += start
		start = 0
	}
	s = Slice(s, start)
	n = min(max(n, 0), int64(len(s)))
	return s[:n:n]
}

// Reverse is s from its end.
func Reverse[T any](s []T) []T {
	c := slices.Clone(s)
	slices.Reverse(c)
	return c
}

// Sort is s in ascending order; NaN stands first.
func Sort[T cmp.Ordered](s []T) []T {
	if slices.IsSorted(s) {
		return s
	}
	c := slices.Clone(s)
	slices.Sort(c)
	return c
}

// SortDecimals is Sort of decimals of one scale.
func SortDecimals(s []decimal.Decimal) []decimal.Decimal {
	c := slices.Clone(s)
	slices.SortFunc(c, decimal.Decimal.Cmp)
	return c
}

// SortBy is s in the order that compare gives; what is equal stays in its order.
func SortBy[T any](s []T, compare func(a, b *T) int) []T {
	c := slices.Clone(s)
	slices.SortStableFunc(c, func(a, b T) int { return compare(&a, &b) })
	return c
}

// few is up to how many elements a list is searched instead of remembered.
const few = 16

// Distinct is the first of each of the equal elements.
func Distinct[T comparable](s []T) []T {
	c := make([]T, 0, len(s))
	if len(s) <= few {
		for _, v := range s {
			if !slices.Contains(c, v) {
				c = append(c, v)
			}
		}
		return c
	}
	seen := make(map[T]bool, len(s))
	for _, v := range s {
		if !seen[v] {
			seen[v] = true
			c = append(c, v)
		}
	}
	return c
}
