// Package convert is the conversions of expressions that can fail: parsing and narrowing. Each gives the exact value or an
// error, which costs no memory, so that try is cheap.
package convert

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// The errors of conversions.
var (
	ErrInt64   = errors.New("not an int64")
	ErrInt32   = errors.New("not an int32")
	ErrFloat64 = errors.New("not a float64")
	ErrBool    = errors.New("neither true nor false")
	ErrUTF8    = errors.New("not valid UTF-8")
)

// ParseInt64 reads decimal digits with an optional sign, and nothing else.
func ParseInt64(s string) (int64, error) {
	digits, negative := s, false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		digits, negative = s[1:], s[0] == '-'
	}
	if len(digits) == 0 {
		return 0, ErrInt64
	}
	n := int64(0) // counted downwards: the smallest int64 has no positive counterpart
	for i := range len(digits) {
		d := int64(digits[i]) - '0'
		if d < 0 || d > 9 || n < (math.MinInt64+d)/10 {
			return 0, ErrInt64
		}
		n = n*10 - d
	}
	if negative {
		return n, nil
	}
	if n == math.MinInt64 {
		return 0, ErrInt64
	}
	return -n, nil
}

// ParseInt32 reads decimal digits with an optional sign, and nothing else.
func ParseInt32(s string) (int32, error) {
	n, err := ParseInt64(s)
	if err != nil || int64(int32(n)) != n {
		return 0, ErrInt32
	}
	return int32(n), nil
}

// ParseFloat64 reads a decimal number, with a fraction and an exponent if it has them, as the float64 nearest to it. What is
// too large for one is an error, and so are NaN and the infinities.
func ParseFloat64(s string) (float64, error) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, ErrFloat64
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, ErrFloat64
	}
	return v, nil
}

// ParseBool reads true or false.
func ParseBool(s string) (bool, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, ErrBool
}

// Int32 is n as an int32.
func Int32(n int64) (int32, error) {
	if int64(int32(n)) != n {
		return 0, ErrInt32
	}
	return int32(n), nil
}

// Int64 is f as an int64. A fraction, NaN and what is out of range are errors.
func Int64(f float64) (int64, error) {
	// 1<<63 is a float64; the largest int64 is not.
	if f >= -1<<63 && f < 1<<63 && math.Trunc(f) == f {
		return int64(f), nil
	}
	return 0, ErrInt64
}

// Int32Of is f as an int32. A fraction, NaN and what is out of range are errors.
func Int32Of(f float64) (int32, error) {
	if f >= math.MinInt32 && f <= math.MaxInt32 && math.Trunc(f) == f {
		return int32(f), nil
	}
	return 0, ErrInt32
}

// Text is b as a string, a view. Bytes that are not UTF-8 are an error.
func Text(b []byte) (string, error) {
	if !utf8.Valid(b) {
		return "", ErrUTF8
	}
	return unsafe.String(unsafe.SliceData(b), len(b)), nil
}

// Bytes is s as bytes, a view, which must not be written to.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
