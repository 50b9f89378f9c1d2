// Package row is the engine's own binary form of values, for rows of stores and for internal topics.
//
// A row has no names and no version: code that reads a row was generated from the types it was written with, which the
// fingerprint of its store or topic guards. Fields follow each other in the order of their type: strings and bytes with their
// length before them (a uvarint), numbers big-endian in their own width, an optional with a byte that says whether it is there,
// an enum by its name, so that its values may be reordered, and a record as its fields. A decimal is the sixteen bytes of its
// coefficient. A list is its length and then its elements, a map a list of keys and values.
package row

import (
	"encoding/binary"
	"errors"
	"math"
	"unsafe"

	"github.com/streamgen/streamgen/runtime/decimal"
	"github.com/streamgen/streamgen/runtime/uuid"
)

var (
	errShort  = errors.New("row: shorter than its type")
	errLong   = errors.New("row: longer than its type")
	errFlag   = errors.New("row: a flag that is neither 0 nor 1")
	errLength = errors.New("row: a length that is none")
)

// Reader walks over a row. After a failure its methods return zero values.
type Reader struct {
	s     string // what is left
	err   error
	fresh bool // lists get memory of their own
}

// View reads b; strings and bytes are views of it.
func View(b []byte) Reader { return Reader{s: unsafe.String(unsafe.SliceData(b), len(b))} }

// Copy reads a copy of b; strings and bytes are views of the copy, which is one allocation for all of them. Lists get new memory:
// what is read may have been read into before, and somebody may still hold what it was then.
func Copy(b []byte) Reader { return Reader{s: string(b), fresh: true} }

// Err is the first failure, or the error that the row goes on behind its last field. It is asked once, at the end.
func (r *Reader) Err() error {
	if r.err == nil && len(r.s) > 0 {
		return errLong
	}
	return r.err
}

// Fail makes err the failure, if it is the first: for enums, whose names generated code looks up.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.s, r.err = "", err
	}
}

// Text reads a string.
func (r *Reader) Text() string {
	n := uint64(0)
	if len(r.s) > 0 && r.s[0] < 0x80 { // most are this short
		n, r.s = uint64(r.s[0]), r.s[1:]
	} else {
		n = r.uvarint()
	}
	if n > uint64(len(r.s)) {
		r.Fail(errShort)
		return ""
	}
	text := r.s[:n]
	r.s = r.s[n:]
	return text
}

// Bytes reads bytes.
func (r *Reader) Bytes() []byte {
	text := r.Text()
	return unsafe.Slice(unsafe.StringData(text), len(text))
}

func (r *Reader) uvarint() (v uint64) {
	for shift := 0; shift < 64; shift += 7 {
		if len(r.s) == 0 {
			r.Fail(errShort)
			return 0
		}
		c := r.s[0]
		r.s = r.s[1:]
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	r.Fail(errLength)
	return 0
}

// Bool reads a bool. It is also the flag of an optional.
func (r *Reader) Bool() bool {
	if len(r.s) == 0 {
		r.Fail(errShort)
		return false
	}
	c := r.s[0]
	r.s = r.s[1:]
	if c > 1 {
		r.Fail(errFlag)
	}
	return c == 1
}

// Int32 reads an int32.
func (r *Reader) Int32() int32 {
	if len(r.s) < 4 {
		r.Fail(errShort)
		return 0
	}
	v := uint32(r.s[0])<<24 | uint32(r.s[1])<<16 | uint32(r.s[2])<<8 | uint32(r.s[3])
	r.s = r.s[4:]
	return int32(v)
}

// Int64 reads an int64.
func (r *Reader) Int64() int64 {
	if len(r.s) < 8 {
		r.Fail(errShort)
		return 0
	}
	v := uint64(r.s[0])<<56 | uint64(r.s[1])<<48 | uint64(r.s[2])<<40 | uint64(r.s[3])<<32 |
		uint64(r.s[4])<<24 | uint64(r.s[5])<<16 | uint64(r.s[6])<<8 | uint64(r.s[7])
	r.s = r.s[8:]
	return int64(v)
}

// Float64 reads a float64.
func (r *Reader) Float64() float64 { return math.Float64frombits(uint64(r.Int64())) }

// Float32 reads a float32.
func (r *Reader) Float32() float32 { return math.Float32frombits(uint32(r.Int32())) }

// Decimal reads a decimal.
func (r *Reader) Decimal() decimal.Decimal {
	hi := r.Int64()
	return decimal.Words(hi, uint64(r.Int64()))
}

// UUID reads a UUID.
func (r *Reader) UUID() (u uuid.UUID) {
	if len(r.s) < len(u) {
		r.Fail(errShort)
		return u
	}
	copy(u[:], r.s)
	r.s = r.s[len(u):]
	return u
}

// List begins to read a list or a map into s: it reads the length and makes as many elements, whose values are to be read in
// order. A View uses the memory of s again, where it is enough; the elements then still hold what they held.
func List[S ~[]T, T any](r *Reader, s S) S {
	n := r.uvarint()
	switch {
	case n > uint64(len(r.s)): // no element is shorter than a byte
		r.Fail(errShort)
		return nil
	case n == 0 && r.fresh:
		return nil
	case !r.fresh && n <= uint64(cap(s)):
		return s[:n]
	}
	return make(S, n)
}

// AppendText writes a string.
func AppendText(dst []byte, v string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(v))), v...)
}

// AppendBytes writes bytes.
func AppendBytes(dst, v []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(v))), v...)
}

// AppendBool writes a bool, or the flag of an optional.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// AppendInt32 writes an int32.
func AppendInt32(dst []byte, v int32) []byte { return binary.BigEndian.AppendUint32(dst, uint32(v)) }

// AppendInt64 writes an int64.
func AppendInt64(dst []byte, v int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(v)) }

// AppendFloat64 writes a float64.
func AppendFloat64(dst []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(v))
}

// AppendFloat32 writes a float32.
func AppendFloat32(dst []byte, v float32) []byte {
	return binary.BigEndian.AppendUint32(dst, math.Float32bits(v))
}

// AppendDecimal writes a decimal.
func AppendDecimal(dst []byte, v decimal.Decimal) []byte {
	hi, lo := v.Words()
	return binary.BigEndian.AppendUint64(AppendInt64(dst, hi), lo)
}

// AppendUUID writes a UUID.
func AppendUUID(dst []byte, v uuid.UUID) []byte { return append(dst, v[:]...) }

// AppendLength writes the length of a list or a map; its elements follow.
func AppendLength(dst []byte, n int) []byte { return binary.AppendUvarint(dst, uint64(n)) }
