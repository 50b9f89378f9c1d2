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
	ErrFloat32 = errors.New("not a float32")
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
func ParseFloat64(s string) (float64, error) { return parseFloat(s, 64, ErrFloat64) }

// ParseFloat32 reads a decimal number as the float32 nearest to it, otherwise like ParseFloat64.
func ParseFloat32(s string) (float32, error) {
	v, err := parseFloat(s, 32, ErrFloat32)
	return float32(v), err
}

func parseFloat(s string, bits int, problem error) (float64, error) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, problem
		}
	}
	v, err := strconv.ParseFloat(s, bits)
	if err != nil {
		return 0, problem
	}
	return v, nil
}

// Float32 is f as a float32. What a float32 cannot hold exactly is an error; NaN and the infinities it can.
func Float32(f float64) (float32, error) {
	if v := float32(f); float64(v) == f || f != f {
		return v, nil
	}
	return 0, ErrFloat32
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

// Int64 is x as an int64. A fraction, NaN and what is out of range are errors.
func Int64[F ~float32 | ~float64](x F) (int64, error) {
	f := float64(x)
	// 1<<63 is a float64; the largest int64 is not.
	if f >= -1<<63 && f < 1<<63 && math.Trunc(f) == f {
		return int64(f), nil
	}
	return 0, ErrInt64
}

// Int32Of is x as an int32. A fraction, NaN and what is out of range are errors.
func Int32Of[F ~float32 | ~float64](x F) (int32, error) {
	f := float64(x)
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
func Bytes(s string) []byte {
	if s == "" {
		return []byte{} // nil bytes are a null on the wire
	}
	return unsafe.Slice(unsafe.StringData(s), len(s))
}
