// Package wire is the formats of keys and values that are no records: the bytes that Kafka's own serializers write.
//
// Generated code decodes keys and values with it, and writes them. Nil bytes are Kafka's null, which none of the formats takes:
// code for an optional looks for it first.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
	"unsafe"

	"github.com/streamgen/streamgen/runtime/uuid"
)

// The errors that have no numbers in them.
var (
	ErrNull  = errors.New("null, where the type is not optional")
	ErrUTF8  = errors.New("string is not valid UTF-8")
	ErrInt16 = errors.New("out of the range of int16")

	errBool = errors.New("bool is neither 0 nor 1")
)

// DecodeString reads a string, which is a view of b. It must be UTF-8, so that every string in the program is.
func DecodeString(b []byte, v *string) error {
	if b == nil {
		return ErrNull
	}
	if !validUTF8(b) {
		return ErrUTF8
	}
	*v = unsafe.String(unsafe.SliceData(b), len(b))
	return nil
}

// validUTF8 is utf8.Valid for what mostly is short and ASCII: eight bytes at once, the last of which may overlap.
func validUTF8(b []byte) bool {
	n := len(b)
	if n < 8 {
		return utf8.Valid(b)
	}
	all := binary.LittleEndian.Uint64(b[n-8:])
	for i := 0; i+8 < n; i += 8 {
		all |= binary.LittleEndian.Uint64(b[i:])
	}
	return all&0x8080808080808080 == 0 || utf8.Valid(b)
}

// DecodeBytes reads bytes, which are a view of b.
func DecodeBytes(b []byte, v *[]byte) error {
	if b == nil {
		return ErrNull
	}
	*v = b
	return nil
}

// DecodeBool reads one byte, 0 or 1.
func DecodeBool(b []byte, v *bool) error {
	if len(b) != 1 {
		return length("bool", 1, b)
	}
	if b[0] > 1 {
		return errBool
	}
	*v = b[0] == 1
	return nil
}

// DecodeInt32 reads four bytes, big-endian.
func DecodeInt32(b []byte, v *int32) error {
	if len(b) != 4 {
		return length("int32", 4, b)
	}
	*v = int32(binary.BigEndian.Uint32(b))
	return nil
}

// DecodeInt64 reads eight bytes, big-endian.
func DecodeInt64(b []byte, v *int64) error {
	if len(b) != 8 {
		return length("int64", 8, b)
	}
	*v = int64(binary.BigEndian.Uint64(b))
	return nil
}

// DecodeFloat64 reads the eight bytes of an IEEE 754 number, big-endian.
func DecodeFloat64(b []byte, v *float64) error {
	if len(b) != 8 {
		return length("float64", 8, b)
	}
	*v = math.Float64frombits(binary.BigEndian.Uint64(b))
	return nil
}

// DecodeInt16 reads two bytes, big-endian. The language has no int16: it is an int32 in the program.
func DecodeInt16(b []byte, v *int32) error {
	if len(b) != 2 {
		return length("int16", 2, b)
	}
	*v = int32(int16(binary.BigEndian.Uint16(b)))
	return nil
}

// DecodeFloat32 reads the four bytes of an IEEE 754 number, big-endian.
func DecodeFloat32(b []byte, v *float32) error {
	if len(b) != 4 {
		return length("float32", 4, b)
	}
	*v = math.Float32frombits(binary.BigEndian.Uint32(b))
	return nil
}

// DecodeUUID reads the text of a UUID.
func DecodeUUID(b []byte, v *uuid.UUID) (err error) {
	if b == nil {
		return ErrNull
	}
	*v, err = uuid.Parse(b)
	return err
}

// CheckString looks at a string that nothing reads.
func CheckString(b []byte) error { return DecodeString(b, new(string)) }

// CheckBytes looks at bytes that nothing reads: they must not be null.
func CheckBytes(b []byte) error { return DecodeBytes(b, new([]byte)) }

// CheckBool looks at a bool that nothing reads.
func CheckBool(b []byte) error { return DecodeBool(b, new(bool)) }

// CheckInt32 looks at an int32 that nothing reads.
func CheckInt32(b []byte) error { return DecodeInt32(b, new(int32)) }

// CheckInt64 looks at an int64 that nothing reads.
func CheckInt64(b []byte) error { return DecodeInt64(b, new(int64)) }

// CheckFloat64 looks at a float64 that nothing reads.
func CheckFloat64(b []byte) error { return DecodeFloat64(b, new(float64)) }

// CheckInt16 looks at an int16 that nothing reads.
func CheckInt16(b []byte) error { return DecodeInt16(b, new(int32)) }

// CheckFloat32 looks at a float32 that nothing reads.
func CheckFloat32(b []byte) error { return DecodeFloat32(b, new(float32)) }

// CheckUUID looks at a UUID that nothing reads.
func CheckUUID(b []byte) error { return DecodeUUID(b, new(uuid.UUID)) }

func length(format string, want int, b []byte) error {
	if b == nil {
		return ErrNull
	}
	return fmt.Errorf("%s has %d bytes, this has %d", format, want, len(b))
}

// AppendString writes v.
func AppendString(dst []byte, v string) []byte { return append(dst, v...) }

// AppendBytes writes v.
func AppendBytes(dst, v []byte) []byte { return append(dst, v...) }

// AppendBool writes v.
func AppendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// AppendInt32 writes v.
func AppendInt32(dst []byte, v int32) []byte { return binary.BigEndian.AppendUint32(dst, uint32(v)) }

// AppendInt64 writes v.
func AppendInt64(dst []byte, v int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(v)) }

// AppendFloat64 writes v.
func AppendFloat64(dst []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(v))
}

// AppendInt16 writes v, which an int16 may be too small for.
func AppendInt16(dst []byte, v int32) ([]byte, error) {
	if v != int32(int16(v)) {
		return dst, ErrInt16
	}
	return binary.BigEndian.AppendUint16(dst, uint16(v)), nil
}

// AppendFloat32 writes v.
func AppendFloat32(dst []byte, v float32) []byte {
	return binary.BigEndian.AppendUint32(dst, math.Float32bits(v))
}

// AppendUUID writes v, in lower case.
func AppendUUID(dst []byte, v uuid.UUID) []byte { return uuid.Append(dst, v) }
