// Package text is the strings of expressions: the library's functions on them, which count code points, and the memory that
// strings and bytes made by expressions live in.
//
// Generated code calls it; a sub-topology whose expressions make strings holds an Arena.
package text

import (
	"strconv"
	"unsafe"

	"github.com/streamgen/streamgen/runtime/decimal"
	"github.com/streamgen/streamgen/runtime/temporal"
	"github.com/streamgen/streamgen/runtime/uuid"
)

// blockSize is how much memory an arena takes at once.
const blockSize = 16 << 10

// Arena makes strings without an allocation for each. What it wrote is never written again, as is required of memory that
// strings view: a full block is left to the garbage collector, and lives as long as one of its strings. State copies what it
// keeps, so that is until the epoch is done. The zero Arena is ready. One goroutine.
type Arena struct{ block []byte }

// tail is the free memory of the current block, at least n bytes of it.
func (a *Arena) tail(n int) []byte {
	if cap(a.block)-len(a.block) < n {
		a.block = make([]byte, 0, max(blockSize, n))
	}
	return a.block[len(a.block):]
}

// keep makes b, which is what tail gave with bytes appended that fit, a string.
func (a *Arena) keep(b []byte) string {
	a.block = a.block[:len(a.block)+len(b)]
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// held makes b, appended to what tail gave, a string, also if it did not fit and was moved to memory of its own.
func (a *Arena) held(b []byte) string {
	if n := len(a.block); len(b) > 0 && cap(a.block) > n && &a.block[:n+1][n] == &b[0] {
		return a.keep(b)
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Bytes is b, copied.
func (a *Arena) Bytes(b []byte) []byte {
	t := append(a.tail(len(b)), b...)
	a.keep(t)
	return t[:len(t):len(t)]
}

// Concat is the parts, one behind the other.
func (a *Arena) Concat(parts ...string) string {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	b := a.tail(n)
	for _, p := range parts {
		b = append(b, p...)
	}
	return a.keep(b)
}

// The longest forms of numbers and times.
const (
	intSize       = 20
	floatSize     = 32
	timestampSize = 32
	durationSize  = 24
	decimalSize   = decimal.MaxPrecision + 3
)

// Int is v in decimal digits.
func (a *Arena) Int(v int64) string { return a.keep(strconv.AppendInt(a.tail(intSize), v, 10)) }

// Float is v with as few digits as give v again, without an exponent from 1e-6 up to below 1e21; NaN, +Inf and -Inf by name.
func (a *Arena) Float(v float64) string { return a.keep(appendFloat(a.tail(floatSize), v, 64)) }

// Timestamp is t in RFC 3339, in UTC with milliseconds.
func (a *Arena) Timestamp(t temporal.Timestamp) string {
	return a.keep(temporal.AppendTimestamp(a.tail(timestampSize), t))
}

// Duration is d as the language writes it: 5m.
func (a *Arena) Duration(d temporal.Duration) string {
	return a.keep(temporal.AppendDuration(a.tail(durationSize), d))
}

// Float32 is v as Float writes it, with as few digits as give v again as a float32.
func (a *Arena) Float32(v float32) string {
	return a.keep(appendFloat(a.tail(floatSize), float64(v), 32))
}

// Decimal is d, of the given scale, with all digits of the scale.
func (a *Arena) Decimal(d decimal.Decimal, scale int) string {
	return a.keep(decimal.Append(a.tail(decimalSize), d, scale))
}

// UUID is u as text, in lower case.
func (a *Arena) UUID(u uuid.UUID) string { return a.keep(uuid.Append(a.tail(uuid.Size), u)) }

func appendFloat(dst []byte, v float64, bits int) []byte {
	abs := max(v, -v)
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(dst, v, 'e', -1, bits)
	}
	return strconv.AppendFloat(dst, v, 'f', -1, bits)
}
