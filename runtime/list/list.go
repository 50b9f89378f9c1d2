// Package list is what generated code needs for lists of the language beyond Go's own slices: growing into memory that is there
// already, elements that can fail to be there, and the content that stores compare and keep.
//
// A list(T) is a []T; nil and empty are the same list. A record's decoder fills its lists anew for each record and uses their
// memory again: what outlives the record is copied, as its strings are.
package list

import "errors"

// ErrIndex is what At gives where the list has no such element.
var ErrIndex = errors.New("index out of range")

// More is s with one more element. The memory behind s is used if there is any, and what the new element held before is in it:
// its own lists keep their memory too. Who calls it writes the element.
func More[T any](s []T) []T {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var zero T
	return append(s, zero)
}

// At is element i, from 0.
func At[T any](s []T, i int64) (T, error) {
	if i < 0 || i >= int64(len(s)) {
		var zero T
		return zero, ErrIndex
	}
	return s[i], nil
}

// Equal says whether a and b have equal elements in the same order.
func Equal[T any](a, b []T, equal func(a, b *T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(&a[i], &b[i]) {
			return false
		}
	}
	return true
}

// Keep is a copy of s, whose elements keep copies.
func Keep[T any](s []T, keep func(dst, src *T)) []T {
	if len(s) == 0 {
		return nil
	}
	c := make([]T, len(s))
	for i := range s {
		keep(&c[i], &s[i])
	}
	return c
}
