package wire

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/streamgen/streamgen/runtime/uuid"
)

// The bytes are those of Kafka's own serializers: testdata/serializers.json was made by them.
func TestAgainstKafka(t *testing.T) {
	text, err := os.ReadFile("testdata/serializers.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Values []struct {
			Type  string
			Value any
			Hex   *string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	tried := map[string]int{}
	for _, v := range file.Values {
		check := checks[v.Type]
		if check == nil {
			continue // of a later version of the language
		}
		tried[v.Type]++
		if v.Hex == nil {
			if err := check(t, nil, nil); !errors.Is(err, ErrNull) {
				t.Errorf("%s null: %v", v.Type, err)
			}
			continue
		}
		b, err := hex.DecodeString(*v.Hex)
		if err != nil {
			t.Fatal(err)
		}
		if err := check(t, b, v.Value); err != nil {
			t.Errorf("%s %v: %v", v.Type, v.Value, err)
		}
	}
	for name := range checks {
		if tried[name] < 3 {
			t.Errorf("%d vectors of %s", tried[name], name)
		}
	}
}

// checks decode bytes, compare with the vector's value, and encode again.
var checks = map[string]func(t *testing.T, b []byte, want any) error{
	"string": func(t *testing.T, b []byte, want any) error {
		var v string
		err := DecodeString(b, &v)
		return same(t, err, b, AppendString(nil, v), v, want)
	},
	"bytes": func(t *testing.T, b []byte, want any) error {
		var v []byte
		err := DecodeBytes(b, &v)
		return same(t, err, b, AppendBytes(nil, v), hex.EncodeToString(v), want)
	},
	"bool": func(t *testing.T, b []byte, want any) error {
		var v bool
		err := DecodeBool(b, &v)
		return same(t, err, b, AppendBool(nil, v), v, want)
	},
	"int32": func(t *testing.T, b []byte, want any) error {
		var v int32
		err := DecodeInt32(b, &v)
		return same(t, err, b, AppendInt32(nil, v), float64(v), want)
	},
	"int64": func(t *testing.T, b []byte, want any) error {
		var v int64
		err := DecodeInt64(b, &v)
		return same(t, err, b, AppendInt64(nil, v), strconv.FormatInt(v, 10), want)
	},
	"int16": func(t *testing.T, b []byte, want any) error {
		var v int32
		err := DecodeInt16(b, &v)
		if errors.Is(err, ErrNull) {
			return err
		}
		encoded, encodeErr := AppendInt16(nil, v)
		if encodeErr != nil {
			t.Error(encodeErr)
		}
		return same(t, err, b, encoded, float64(v), want)
	},
	"float32": func(t *testing.T, b []byte, want any) error {
		var v float32
		err := DecodeFloat32(b, &v)
		if text, ok := want.(string); ok {
			f, err := strconv.ParseFloat(text, 32)
			if err != nil {
				t.Fatal(err)
			}
			want = math.Float32bits(float32(f))
			if math.IsNaN(f) {
				want = uint32(0x7fc00000) // Java's
			}
		}
		return same(t, err, b, AppendFloat32(nil, v), math.Float32bits(v), want)
	},
	"uuid": func(t *testing.T, b []byte, want any) error {
		var v uuid.UUID
		err := DecodeUUID(b, &v)
		if text, ok := want.(string); ok { // Java reads upper case and writes lower case
			want = strings.ToLower(text)
		}
		return same(t, err, b, AppendUUID(nil, v), v.String(), want)
	},
	"float64": func(t *testing.T, b []byte, want any) error {
		var v float64
		err := DecodeFloat64(b, &v)
		if text, ok := want.(string); ok {
			f, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			want = math.Float64bits(f)
			if math.IsNaN(f) {
				want = uint64(0x7ff8000000000000) // Java's
			}
		}
		return same(t, err, b, AppendFloat64(nil, v), math.Float64bits(v), want)
	},
}

func same(t *testing.T, err error, b, written []byte, got, want any) error {
	t.Helper()
	if err != nil {
		return err
	}
	if got != want {
		t.Errorf("%x is read as %v, want %v", b, got, want)
	}
	if string(written) != string(b) {
		t.Errorf("%v is written %x, want %x", got, written, b)
	}
	return nil
}

func TestCheckCostsNoMemory(t *testing.T) {
	b := AppendInt64(nil, 42)
	if n := testing.AllocsPerRun(100, func() {
		if CheckString(b) != nil || CheckBytes(b) != nil || CheckInt64(b) != nil || CheckFloat64(b) != nil || CheckInt32(b[:4]) != nil || CheckBool(b[:1]) != nil {
			t.Fatal("refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{DecodeInt64(make([]byte, 4), new(int64)), "int64 has 8 bytes, this has 4"},
		{DecodeInt32(make([]byte, 8), new(int32)), "int32 has 4 bytes, this has 8"},
		{DecodeFloat64([]byte{}, new(float64)), "float64 has 8 bytes, this has 0"},
		{DecodeBool(make([]byte, 2), new(bool)), "bool has 1 bytes, this has 2"},
		{DecodeBool([]byte{2}, new(bool)), "bool is neither 0 nor 1"},
		{DecodeString([]byte{'a', 0xc3}, new(string)), "string is not valid UTF-8"},
		{CheckInt64(make([]byte, 4)), "int64 has 8 bytes, this has 4"},
		{CheckInt32(nil), "null, where the type is not optional"},
		{CheckFloat64(make([]byte, 9)), "float64 has 8 bytes, this has 9"},
		{CheckBool([]byte{7}), "bool is neither 0 nor 1"},
		{CheckString([]byte{0xff}), "string is not valid UTF-8"},
		{CheckBytes(nil), "null, where the type is not optional"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}

// An int16 holds less than the int32 that it is in the program.
func TestInt16Range(t *testing.T) {
	for v, fits := range map[int32]bool{math.MaxInt16: true, math.MinInt16: true, math.MaxInt16 + 1: false, math.MinInt16 - 1: false, 1 << 16: false} {
		if b, err := AppendInt16(nil, v); (err == nil) != fits || fits && len(b) != 2 {
			t.Errorf("%d: %x, %v", v, b, err)
		}
	}
}

// A string is looked at in words: whatever is wrong with it is seen wherever it stands.
func TestStringIsUTF8(t *testing.T) {
	for _, part := range []string{"", "é", "😀", "\xff", "\xc3", "\xed\xa0\x80"} {
		for n := range 34 {
			for at := range n + 1 {
				b := []byte(strings.Repeat("a", at) + part + strings.Repeat("b", n-at))
				if got := CheckString(b); (got == nil) != utf8.Valid(b) {
					t.Errorf("%q: %v", b, got)
				}
			}
		}
	}
}
