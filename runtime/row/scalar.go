package row

import (
	"github.com/streamgen/streamgen/runtime/decimal"
	"github.com/streamgen/streamgen/runtime/json"
	"github.com/streamgen/streamgen/runtime/temporal"
	"github.com/streamgen/streamgen/runtime/uuid"
)

// Rows whose value is not a record are encoded by the functions below. They have the form that a state.Codec wants: Write
// appends v to dst, Read reads a whole row into v and copies what v keeps, JSON appends a row as JSON.

// WriteText writes a string.
func WriteText(dst []byte, v *string) []byte { return AppendText(dst, *v) }

// ReadText reads a string.
func ReadText(src []byte, v *string) error {
	r := Copy(src)
	*v = r.Text()
	return r.Err()
}

// ViewText reads a string, which is a view of src.
func ViewText(src []byte, v *string) error {
	r := View(src)
	*v = r.Text()
	return r.Err()
}

// TextJSON writes a row that is a string as JSON.
func TextJSON(dst, src []byte) ([]byte, error) {
	r := View(src)
	dst = json.AppendText(dst, r.Text())
	return dst, r.Err()
}

// WriteBytes writes bytes.
func WriteBytes(dst []byte, v *[]byte) []byte { return AppendBytes(dst, *v) }

// ReadBytes reads bytes.
func ReadBytes(src []byte, v *[]byte) error {
	r := Copy(src)
	*v = r.Bytes()
	return r.Err()
}

// ViewBytes reads bytes, which are a view of src.
func ViewBytes(src []byte, v *[]byte) error {
	r := View(src)
	*v = r.Bytes()
	return r.Err()
}

// BytesJSON writes a row that is bytes as JSON.
func BytesJSON(dst, src []byte) ([]byte, error) {
	r := View(src)
	dst = json.AppendBase64(dst, r.Bytes())
	return dst, r.Err()
}

// WriteBool writes a bool.
func WriteBool(dst []byte, v *bool) []byte { return AppendBool(dst, *v) }

// ReadBool reads a bool.
func ReadBool(src []byte, v *bool) error {
	r := View(src)
	*v = r.Bool()
	return r.Err()
}

// BoolJSON writes a row that is a bool as JSON.
func BoolJSON(dst, src []byte) ([]byte, error) {
	r := View(src)
	dst = json.AppendBool(dst, r.Bool())
	return dst, r.Err()
}

// WriteInt32 writes an int32.
func WriteInt32(dst []byte, v *int32) []byte { return AppendInt32(dst, *v) }

// ReadInt32 reads an int32.
func ReadInt32(src []byte, v *int32) error {
	r := View(src)
	*v = r.Int32()
	return r.Err()
}

// Int32JSON writes a row that is an int32 as JSON.
func Int32JSON(dst, src []byte) ([]byte, error) {
	r := View(src)
	dst = json.AppendInt(dst, r.Int32())
	return dst, r.Err()
}

// WriteInt64 writes an int64.
func WriteInt64(dst []byte, v *int64) []byte { return AppendInt64(dst, *v) }

// ReadInt64 reads an int64.
func ReadInt64(src []byte, v *int64) error {
	r := View(src)
	*v = r.Int64()
	return r.Err()
}

// Int64JSON writes a row that is an int64 as JSON.
func Int64JSON(dst, src []byte) ([]byte, error) {
	r := View(src)
	dst = json.AppendInt(dst, r.Int64())
	return dst, r.Err()
}

// WriteFloat64 writes a float64.
func WriteFloat64(dst []byte, v *float64) []byte { return AppendFloat64(dst, *v) }

// ReadFloat64 reads a float64.
func ReadFloat64(src []byte, v *float64) error {
	r := View(src)
	*v = r.Float64()
	return r.Err()
}

// Float64JSON writes a row that is a float64 as JSON.
func Float64JSON(dst, src []byte) ([]byte, error) {
	r := View(src)
	dst, err := json.AppendFloat64(dst, r.Float64(), "")
	if err != nil {
		return dst, err
	}
	return dst, r.Err()
}

// WriteTimestamp writes a timestamp.
func WriteTimestamp(dst []byte, v *temporal.Timestamp) []byte { return AppendInt64(dst, int64(*v)) }

// ReadTimestamp reads a timestamp.
func ReadTimestamp(src []byte, v *temporal.Timestamp) error {
	r := View(src)
	*v = temporal.Timestamp(r.Int64())
	return r.Err()
}

// TimestampJSON writes a row that is a timestamp as JSON.
func TimestampJSON(dst, src []byte) ([]byte, error) {
	r := View(src)
	dst = json.AppendTimestamp(dst, temporal.Timestamp(r.Int64()))
	return dst, r.Err()
}

// WriteDuration writes a duration.
func WriteDuration(dst []byte, v *temporal.Duration) []byte { return AppendInt64(dst, int64(*v)) }

// ReadDuration reads a duration.
func ReadDuration(src []byte, v *temporal.Duration) error {
	r := View(src)
	*v = temporal.Duration(r.Int64())
	return r.Err()
}

// DurationJSON writes a row that is a duration as JSON.
func DurationJSON(dst, src []byte) ([]byte, error) {
	r := View(src)
	dst = json.AppendDuration(dst, temporal.Duration(r.Int64()))
	return dst, r.Err()
}

// WriteFloat32 writes a float32.
func WriteFloat32(dst []byte, v *float32) []byte { return AppendFloat32(dst, *v) }

// ReadFloat32 reads a float32.
func ReadFloat32(src []byte, v *float32) error {
	r := View(src)
	*v = r.Float32()
	return r.Err()
}

// Float32JSON writes a row that is a float32 as JSON.
func Float32JSON(dst, src []byte) ([]byte, error) {
	r := View(src)
	dst, err := json.AppendFloat32(dst, r.Float32(), "")
	if err != nil {
		return dst, err
	}
	return dst, r.Err()
}

// WriteUUID writes a UUID.
func WriteUUID(dst []byte, v *uuid.UUID) []byte { return AppendUUID(dst, *v) }

// ReadUUID reads a UUID.
func ReadUUID(src []byte, v *uuid.UUID) error {
	r := View(src)
	*v = r.UUID()
	return r.Err()
}

// UUIDJSON writes a row that is a UUID as JSON.
func UUIDJSON(dst, src []byte) ([]byte, error) {
	r := View(src)
	dst = json.AppendUUID(dst, r.UUID())
	return dst, r.Err()
}

// WriteDecimal writes a decimal.
func WriteDecimal(dst []byte, v *decimal.Decimal) []byte { return AppendDecimal(dst, *v) }

// ReadDecimal reads a decimal.
func ReadDecimal(src []byte, v *decimal.Decimal) error {
	r := View(src)
	*v = r.Decimal()
	return r.Err()
}

// DecimalJSON gives the function that writes a row that is a decimal of that scale as JSON.
func DecimalJSON(scale int) func(dst, src []byte) ([]byte, error) {
	return func(dst, src []byte) ([]byte, error) {
		r := View(src)
		dst = json.AppendDecimal(dst, r.Decimal(), scale)
		return dst, r.Err()
	}
}
