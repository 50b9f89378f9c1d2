// Package arith is the arithmetic of expressions that Go has not: of integers, every result is exact, or an error.
//
// Generated code calls it where the language says that an operation is checked; what an error then does to the record is
// decided by the step it stands in.
package arith

import (
	"errors"
	"math"
)

// The errors of arithmetic.
var (
	ErrOverflow       = errors.New("arithmetic overflow")
	ErrDivisionByZero = errors.New("division by zero")
)

// Integer is what the functions take: int32, int64, and the types made of them (timestamps, durations).
type Integer interface{ ~int32 | ~int64 }

// Add is a + b.
func Add[T Integer](a, b T) (T, error) {
	if c := a + b; (c > a) == (b > 0) {
		return c, nil
	}
	return 0, ErrOverflow
}

// Sub is a - b.
func Sub[T Integer](a, b T) (T, error) {
	if c := a - b; (c < a) == (b > 0) {
		return c, nil
	}
	return 0, ErrOverflow
}

// Mul is a * b.
func Mul[T Integer](a, b T) (T, error) {
	if a == 0 || b == 0 {
		return 0, nil
	}
	c := a * b
	// The sign finds what dividing cannot: the smallest value times -1 is itself again.
	if (c < 0) != ((a < 0) != (b < 0)) || c/b != a {
		return 0, ErrOverflow
	}
	return c, nil
}

// Neg is -a.
func Neg[T Integer](a T) (T, error) { return Sub(0, a) }

// Div is a / b, truncated towards zero.
func Div[T Integer](a, b T) (T, error) {
	if b == 0 {
		return 0, ErrDivisionByZero
	}
	if b == -1 {
		return Sub(0, a)
	}
	return a / b, nil
}

// Rem is what a / b leaves; it has the sign of a.
func Rem[T Integer](a, b T) (T, error) {
	if b == 0 {
		return 0, ErrDivisionByZero
	}
	return a % b, nil
}

// Abs is a without its sign.
func Abs[T Integer](a T) (T, error) {
	if a < 0 {
		return Sub(0, a)
	}
	return a, nil
}

// Whole is f, which has no fraction, as an integer. NaN and what an int64 cannot hold are an overflow. It ends the language's
// floor, ceil, round and trunc.
func Whole(f float64) (int64, error) {
	// 1<<63 is a float64; the largest int64 is not.
	if f >= -1<<63 && f < 1<<63 {
		return int64(f), nil
	}
	return 0, ErrOverflow
}

// Floor is the largest integer that is not above f.
func Floor(f float64) (int64, error) { return Whole(math.Floor(f)) }

// Ceil is the smallest integer that is not below f.
func Ceil(f float64) (int64, error) { return Whole(math.Ceil(f)) }

// Round is the integer nearest to f; halves go away from zero.
func Round(f float64) (int64, error) { return Whole(math.Round(f)) }

// Trunc is f without its fraction.
func Trunc(f float64) (int64, error) { return Whole(math.Trunc(f)) }

// Sign is -1, 0 or 1: whether v is below, at or above zero; 0 of NaN.
func Sign[T Integer | ~float32 | ~float64](v T) int64 {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}

// IsFinite says whether f is neither NaN nor infinite.
func IsFinite(f float64) bool { return f-f == 0 }
