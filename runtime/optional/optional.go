// Package optional holds values that may be null, in generated records and in the expressions over them.
//
// It stands at the bottom of the runtime: it imports nothing.
package optional

// Of is a T or null. The zero Of is null. Value means nothing unless Valid, so two nulls need not be equal by ==; use Equal.
type Of[T any] struct {
	Value T
	Valid bool
}

// Some is v.
func Some[T any](v T) Of[T] { return Of[T]{Value: v, Valid: true} }

// Or is o's value, or v if o is null.
func (o Of[T]) Or(v T) T {
	if o.Valid {
		return o.Value
	}
	return v
}

// Equal says whether both are null or both have the same value.
func Equal[T comparable](a, b Of[T]) bool {
	return a.Valid == b.Valid && (!a.Valid || a.Value == b.Value)
}

// If is v if there is one, and null otherwise.
func If[T any](v T, valid bool) Of[T] { return Of[T]{Value: v, Valid: valid} }
