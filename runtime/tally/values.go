package tally

import (
	"cmp"
	"slices"
)

// What has to take values away again keeps each that differs, in ascending order, and how often it is there, in a second list. Neither
// list is written to: those that come back are others.

// Put adds x.
func Put[T cmp.Ordered](values []T, counts []int64, x T) ([]T, []int64) {
	return PutBy(values, counts, x, cmp.Compare[T])
}

// PutBy is Put in an order of its own.
func PutBy[T any](values []T, counts []int64, x T, compare func(a, b T) int) ([]T, []int64) {
	i, there := slices.BinarySearchFunc(values, x, compare)
	if !there {
		return Insert(values, i, x, len(values)+1), Insert(counts, i, 1, len(counts)+1)
	}
	counts = slices.Clone(counts)
	counts[i]++
	return values, counts
}

// Take takes x away.
func Take[T cmp.Ordered](values []T, counts []int64, x T) ([]T, []int64) {
	return TakeBy(values, counts, x, cmp.Compare[T])
}

// TakeBy is Take in an order of its own.
func TakeBy[T any](values []T, counts []int64, x T, compare func(a, b T) int) ([]T, []int64) {
	i, there := slices.BinarySearchFunc(values, x, compare)
	switch {
	case !there:
		return values, counts
	case counts[i] == 1:
		return without(values, i), without(counts, i)
	}
	counts = slices.Clone(counts)
	counts[i]--
	return values, counts
}

func without[T any](list []T, i int) []T {
	return append(append(make([]T, 0, len(list)-1), list[:i]...), list[i+1:]...)
}

// Top is the greatest values in descending order, each as often as it is there, at most so many.
func Top[T any](values []T, counts []int64, most int) []T {
	var top []T
	for i := len(values) - 1; i >= 0; i-- {
		for n := counts[i]; n > 0 && len(top) < most; n-- {
			top = append(top, values[i])
		}
	}
	return top
}
