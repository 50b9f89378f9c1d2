package row

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/decimal"
	"github.com/streamgen/streamgen/runtime/temporal"
	"github.com/streamgen/streamgen/runtime/uuid"
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

	whole(t, float32(0.1), WriteFloat32, ReadFloat32, Float32JSON, "0.1")
	whole(t, uuid.UUID{15: 7}, WriteUUID, ReadUUID, UUIDJSON, `"00000000-0000-0000-0000-000000000007"`)
	whole(t, decimal.New(-1250), WriteDecimal, ReadDecimal, DecimalJSON(2), "-12.50")

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

// A View reads lists into memory that is there, a Copy never does.
func TestList(t *testing.T) {
	b := AppendLength(nil, 2)
	b = AppendInt32(AppendInt32(b, 1), 2)
	fill := func(r *Reader, s []int32) []int32 {
		s = List(r, s)
		for i := range s {
			s[i] = r.Int32()
		}
		return s
	}
	old := make([]int32, 3)
	view, fresh := View(b), Copy(b)
	v := fill(&view, old)
	if view.Err() != nil || len(v) != 2 || v[1] != 2 || &v[0] != &old[0] {
		t.Errorf("%v, %v", v, view.Err())
	}
	c := fill(&fresh, old)
	if fresh.Err() != nil || len(c) != 2 || c[1] != 2 || &c[0] == &old[0] {
		t.Errorf("%v, %v", c, fresh.Err())
	}
	for n := range b {
		r := View(b[:n])
		if fill(&r, nil); r.Err() == nil {
			t.Errorf("%d of %d bytes are read", n, len(b))
		}
	}
	hostile := View(AppendLength(nil, 1<<62))
	if s := List(&hostile, old); s != nil || !errors.Is(hostile.Err(), errShort) {
		t.Errorf("%v, %v", s, hostile.Err())
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
