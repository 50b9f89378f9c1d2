package row

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// sample writes one of each.
func sample() []byte {
	b := AppendText(nil, "grün")
	b = AppendBytes(b, []byte{0, 255})
	b = AppendBool(b, true)
	b = AppendInt32(b, math.MinInt32)
	b = AppendInt64(b, math.MaxInt64)
	b = AppendFloat64(b, math.Copysign(0, -1))
	b = AppendText(b, strings.Repeat("x", 300)) // a length of two bytes
	return AppendText(b, "")
}

func read(r *Reader) bool {
	return r.Text() == "grün" && string(r.Bytes()) == "\x00\xff" && r.Bool() && r.Int32() == math.MinInt32 && r.Int64() == math.MaxInt64 &&
		math.Signbit(r.Float64()) && r.Text() == strings.Repeat("x", 300) && r.Text() == ""
}

func TestRoundTrip(t *testing.T) {
	b := sample()
	for name, r := range map[string]Reader{"view": View(b), "copy": Copy(b)} {
		if !read(&r) || r.Err() != nil {
			t.Errorf("%s: %v", name, r.Err())
		}
	}
	for n := range b {
		r := Copy(b[:n])
		if read(&r); r.Err() == nil {
			t.Errorf("%d of %d bytes are read", n, len(b))
		}
	}
	r := View(append(b, 0))
	if !read(&r) || !errors.Is(r.Err(), errLong) {
		t.Errorf("a byte too many: %v", r.Err())
	}
}

func TestBadRows(t *testing.T) {
	for name, c := range map[string]struct {
		row  []byte
		want error
	}{
		"flag":               {[]byte{2}, errFlag},
		"length beyond":      {[]byte{5, 'a'}, errShort},
		"length of 2^63":     {[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1}, errShort},
		"length without end": {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, errLength},
	} {
		r := View(c.row)
		if name == "flag" {
			r.Bool()
		} else {
			r.Text()
		}
		if !errors.Is(r.Err(), c.want) {
			t.Errorf("%s: %v, want %v", name, r.Err(), c.want)
		}
	}
	r := View([]byte{2})
	r.Bool()
	r.Fail(errShort)
	if !errors.Is(r.Err(), errFlag) {
		t.Errorf("the first failure is %v", r.Err())
	}
}

func TestScalars(t *testing.T) {
	whole(t, "", WriteText, ReadText, TextJSON, `""`)
	whole(t, "a\"b", WriteText, ViewText, TextJSON, `"a\"b"`)
	whole(t, true, WriteBool, ReadBool, BoolJSON, "true")
	whole(t, int32(-5), WriteInt32, ReadInt32, Int32JSON, "-5")
	whole(t, int64(1)<<53+1, WriteInt64, ReadInt64, Int64JSON, "9007199254740993")
	whole(t, 0.25, WriteFloat64, ReadFloat64, Float64JSON, "0.25")
	whole(t, temporal.Timestamp(1), WriteTimestamp, ReadTimestamp, TimestampJSON, `"1970-01-01T00:00:00.001Z"`)
	whole(t, temporal.Hour, WriteDuration, ReadDuration, DurationJSON, `"1h"`)

	data := []byte("hi")
	b := WriteBytes(nil, &data)
	for name, f := range map[string]func([]byte, *[]byte) error{"read": ReadBytes, "view": ViewBytes} {
		var v []byte
		if err := f(b, &v); err != nil || string(v) != "hi" {
			t.Errorf("%s: %q, %v", name, v, err)
		}
	}
	if text, err := BytesJSON(nil, b); err != nil || string(text) != `"aGk="` {
		t.Errorf("%s, %v", text, err)
	}
	nan := math.NaN()
	if text, err := Float64JSON(nil, WriteFloat64(nil, &nan)); err == nil {
		t.Errorf("NaN is JSON %s", text)
	}
}

func whole[T comparable](t *testing.T, v T, write func([]byte, *T) []byte, read func([]byte, *T) error, asJSON func(dst, src []byte) ([]byte, error), want string) {
	t.Helper()
	b := write(nil, &v)
	var got T
	if err := read(b, &got); err != nil || got != v {
		t.Errorf("%v is read as %v, %v", v, got, err)
	}
	if err := read(b[:len(b)-1], &got); err == nil {
		t.Errorf("%v is read without its last byte", v)
	}
	if text, err := asJSON([]byte("x"), b); err != nil || string(text) != "x"+want {
		t.Errorf("%v as JSON: %s, %v", v, text, err)
	}
	if _, err := asJSON(nil, append(b, 0)); err == nil {
		t.Errorf("%v and a byte more is JSON", v)
	}
}

// What was copied does not change when the row does.
func TestCopy(t *testing.T) {
	s, data := "abc", []byte("def")
	b := WriteText(nil, &s)
	var text string
	if err := ReadText(b, &text); err != nil {
		t.Fatal(err)
	}
	c := WriteBytes(nil, &data)
	var kept []byte
	if err := ReadBytes(c, &kept); err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]byte{b, c} {
		for i := range row {
			row[i] = '#'
		}
	}
	if text != "abc" || string(kept) != "def" {
		t.Errorf("%q, %q", text, kept)
	}
}
