package tally

import (
	"cmp"
	"slices"
)

// Insert is list with x at place i, and at most as many elements: the last one leaves. list stays as it is.
func Insert[T any](list []T, i int, x T, most int) []T {
	next := make([]T, min(len(list)+1, most))
	copy(next, list[:i])
	next[i] = x
	copy(next[i+1:], list[i:])
	return next
}

// Rank is the place of x in a list in descending order that has at most so many elements: behind those that are equal. There is no
// place for what is not greater than the last of a full list.
func Rank[T cmp.Ordered](list []T, x T, most int) (i int, ok bool) {
	return RankBy(list, x, most, cmp.Compare[T])
}

// RankBy is Rank in an order of its own.
func RankBy[T any](list []T, x T, most int, compare func(a, b T) int) (i int, ok bool) {
	if n := len(list); n == 0 || compare(list[n-1], x) >= 0 { // as a rule
		return n, n < most
	}
	i, _ = slices.BinarySearchFunc(list, x, func(e, x T) int {
		if compare(e, x) >= 0 {
			return -1
		}
		return 1
	})
	return i, true
}

// Join is a list with the elements of another one behind it, at most so many. What list has stays as it is.
func Join[T any](list, more []T, most int) []T {
	return append(list, more[:max(0, min(len(more), most-len(list)))]...)
}

// Same says whether two lists are the same one: one that grew, or that Insert made, is another.
func Same[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
