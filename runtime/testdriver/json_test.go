package testdriver

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/internal/sample"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct{ format, text, hex string }{
		{"string", `"län<g"`, "6cc3a46e3c67"},
		{"string", `""`, ""},
		{"optional(string)", `null`, "null"},
		{"bytes", `"AAH/"`, "0001ff"},
		{"bool", `true`, "01"},
		{"int16", `-2`, "fffe"},
		{"int32", `2147483647`, "7fffffff"},
		{"int64", `-9007199254740993`, "ffdfffffffffffff"},
		{"optional(int64)", `9223372036854775807`, "7fffffffffffffff"},
		{"float64", `-1.5`, "bff8000000000000"},
		{"float32", `0.1`, "3dcccccd"},
		{"json(Order)", `{"id":9007199254740993,"x":[1.0]}`, hex.EncodeToString([]byte(`{"id":9007199254740993,"x":[1.0]}`))},
	} {
		b, err := Encode(c.format, []byte(c.text))
		if err != nil {
			t.Errorf("%s %s: %v", c.format, c.text, err)
			continue
		}
		got := hex.EncodeToString(b)
		if b == nil {
			got = "null"
		}
		if got != c.hex {
			t.Errorf("%s %s: %s, want %s", c.format, c.text, got, c.hex)
		}
		back, err := Decode(c.format, b)
		if err != nil || string(back) != c.text {
			t.Errorf("%s %s: back as %s, %v", c.format, c.text, back, err)
		}
	}
	for _, c := range []struct{ format, text string }{
		{"int32", "2147483648"}, {"int64", "1.5"}, {"string", "5"}, {"row(Order)", "5"}, {"bool", `"x"`}, {"json(T)", "{"}, {"bytes", `"?"`},
	} {
		if b, err := Encode(c.format, []byte(c.text)); err == nil {
			t.Errorf("%s took %s: %x", c.format, c.text, b)
		}
	}
	if _, err := Decode("int64", []byte{1}); err == nil {
		t.Error("took one byte for an int64")
	}
}

func TestPipeJSONSaysWhatIsWrong(t *testing.T) {
	var limit string
	d, err := New(sample.Counts(&limit), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for line, want := range map[string]string{
		`{"value": 5}`:                         `topic "in", line 1: value: 5 is no optional(string)`,
		`{"valu": "x"}`:                        `unknown field "valu"`,
		`{"value": "x"`:                        `unexpected EOF`,
		`{"value":"x","headers":[[null,"x"]]}`: `a header needs a name`,
	} {
		if err := d.PipeJSON("in", line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	if err := d.PipeJSON("inn", `{}`); err == nil {
		t.Error("took a topic that is none")
	}
}
