package json

import (
	"math"
	"strconv"
	"unsafe"

	"github.com/streamgen/streamgen/runtime/decimal"
	"github.com/streamgen/streamgen/runtime/temporal"
	"github.com/streamgen/streamgen/runtime/uuid"
)

// The values of the language that JSON has no kind for: times, decimals, UUIDs.

// Timestamp reads an RFC 3339 timestamp. What is finer than a millisecond is dropped.
func (r *Reader) Timestamp() temporal.Timestamp {
	t, err := temporal.FloorTimestamp(r.Text())
	if err != nil {
		r.refusedAt(r.value, err.Error())
	}
	return t
}

// Duration reads a duration as the language writes it: "5m".
func (r *Reader) Duration() temporal.Duration {
	d, err := temporal.ParseDuration(r.Text())
	if err != nil {
		r.refusedAt(r.value, err.Error())
	}
	return d
}

// millis is the scale of seconds with milliseconds behind the point.
const millis = 3

// UnixMillis reads a timestamp that is written as a number: milliseconds since the Unix epoch.
func (r *Reader) UnixMillis() temporal.Timestamp { return temporal.Timestamp(r.Int64()) }

// UnixSeconds reads a timestamp that is written as a number: seconds since the Unix epoch, with a fraction of up to three digits.
func (r *Reader) UnixSeconds() temporal.Timestamp {
	v, err := r.Decimal(decimal.MaxPrecision, millis).Int64(0)
	if err != nil {
		r.refusedAt(r.value, "out of the range of timestamp")
	}
	return temporal.Timestamp(v)
}

// Decimal reads a number, exactly: it must have at most precision digits, scale of them behind the point.
func (r *Reader) Decimal(precision, scale int) decimal.Decimal {
	text := r.number()
	if text == nil {
		return decimal.Decimal{}
	}
	d, err := decimal.Parse(text, precision, scale)
	if err != nil {
		r.refusedAt(r.value, "does not fit decimal("+strconv.Itoa(precision)+", "+strconv.Itoa(scale)+"): "+err.Error())
	}
	return d
}

// UUID reads a string with a UUID.
func (r *Reader) UUID() uuid.UUID {
	text := r.Bytes()
	if r.problem != "" {
		return uuid.UUID{}
	}
	u, err := uuid.Parse(text)
	if err != nil {
		r.refusedAt(r.value, err.Error())
	}
	return u
}

// Key is the name of the field that Next moved to, as the key of a map: a view, as Text gives.
func (r *Reader) Key() string { return unsafe.String(unsafe.SliceData(r.Name), len(r.Name)) }

// AppendUnixMillis writes t as a number: milliseconds since the Unix epoch.
func AppendUnixMillis(dst []byte, t temporal.Timestamp) []byte { return AppendInt(dst, int64(t)) }

// AppendUnixSeconds writes t as a number: seconds since the Unix epoch, with its milliseconds behind the point if it has some.
func AppendUnixSeconds(dst []byte, t temporal.Timestamp) []byte {
	if t%1000 == 0 {
		return AppendInt(dst, int64(t)/1000)
	}
	return decimal.Append(dst, decimal.New(int64(t)), millis)
}

// AppendDecimal writes d, of the given scale, as a number with all digits of the scale.
func AppendDecimal(dst []byte, d decimal.Decimal, scale int) []byte {
	return decimal.Append(dst, d, scale)
}

// AppendUUID writes u as a string.
func AppendUUID(dst []byte, u uuid.UUID) []byte {
	dst = append(dst, '"')
	dst = uuid.Append(dst, u)
	return append(dst, '"')
}

// AppendFloat32 writes v as AppendFloat64 does, with as few digits as give v again when read as a float32.
func AppendFloat32(dst []byte, v float32, field string) ([]byte, error) {
	if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
		return AppendFloat64(dst, f, field) // which says why not
	}
	return appendLong(dst, float64(v), 32), nil
}
