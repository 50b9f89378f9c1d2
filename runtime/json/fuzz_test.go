package json

import (
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// seeds are what is interesting about JSON objects, accepted or not.
var seeds = []string{
	`{}`, ` { } `, `{"a":1}`, "{\"a\"\t:\n1 ,\r\"b\":[]}", `{"a":{"b":{"c":[1,[2,{"d":null}]]}}}`, `{"a":1,"a":2}`,
	`{"a":"é😀"}`, `{"a":"é😀\n\/\\\"\b\f\r\t"}`, `{"\u0061":1,"a":2}`, `{"a":"eight by","b":"eight byt\"","c":"12345678901234567890"}`,
	`{"a":9007199254740993,"b":-9223372036854775808,"c":9223372036854775807,"d":9223372036854775808,"e":18446744073709551616}`,
	`{"a":1e5,"b":1.0,"c":-0,"d":-0.0,"e":1E+400,"f":1e-400,"g":0.1,"h":123456789012345678901234567890.5e-3}`,
	`{"a":5e-324,"b":1.7976931348623157e308,"c":1.7976931348623159e308,"d":0.000001,"e":1e21,"f":4.35,"g":999999999999999}`,
	`{"a":true,"b":false,"c":null}`, `{"a":tru}`, `{"a":nul}`, `{"a":fals}`, `{"a":truex}`, `{"a":NaN}`, `{"a":Infinity}`, `{"a":01}`, `{"a":-}`,
	`{"a":1.}`, `{"a":.5}`, `{"a":1e}`, `{"a":+1}`, `{"a":"` + "\x00" + `"}`, `{"a":"` + "\x1f" + `"}`, `{"a":"` + "\x7f" + `"}`,
	`{"a":"` + "\xff" + `"}`, `{"a":"` + "\xc3" + `"}`, `{"a":"` + "\xed\xa0\x80" + `"}`, `{"` + "\xff" + `":1}`, `{"a":"\ud800"}`, `{"a":"\udc00"}`,
	`{"a":"\ud800x"}`, `{"a":"\ud800\n"}`, `{"a":"\ud800A"}`, `{"a":"\ud800\ud800"}`, `{"a":"\u12"}`, `{"a":"\u12g4"}`, `{"a":"\x"}`, `{"a":"\`, `{"a":"`,
	`{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a":[1,]}`, `{"a":[1 2]}`, `{"a":[}`, `{"a":{]}`, `{"a":{"b":1]}`, `{"a":{"b"}}`,
	`{"a":{"b":1,}}`, `{"a":{,}}`, `{"a" 1}`, `{a:1}`, `{'a':1}`, `{"a":1}x`, `{"a":1}{}`, `{"a":1} ` + "\x00", `[]`, `1`, `"a"`, `null`, ``, ` `, "\ufeff{}",
	`{"a":"\ud83d\ude00\u00e9"}`, `{"a":"x\ud83d\ude00"}`, `{"a":"\ud83d\udzzz"}`, `{"a":[[[[]]],{},[{}]],"b":{"":{}}}`, "{\"a\":1\v}",
	`{"a":[1]]}`, `{"a":[1}`, `{"a":[,1]}`, `{"a":[ ] , "b" : [ [ ] , { } ,1 ] }`, `{"a":[{"b":[{"c":[1,2]},{"c":[]}]},3],"d":4}`, `{"a":["x" "y"]}`, `{"a":[nul]}`, `{"a":[1,`,
}

// FuzzReader compares the reader with jsontext: both accept the same input, and read the same from it. Differences on purpose:
// equal names (jsontext can be told) and MaxDepth, which is 10000 there.
func FuzzReader(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		want, deep, err := reference(b)
		if deep > MaxDepth {
			if Check(b) == nil {
				t.Fatalf("%d levels accepted", deep)
			}
			return
		}
		got := Check(b)
		if (got == nil) != (err == nil) {
			t.Fatalf("%q: %v, jsontext: %v", b, got, err)
		}
		if read, err := readAll(b); (err == nil) != (got == nil) {
			t.Fatalf("%q: skipped %v, read %v", b, got, err)
		} else if err == nil && read != want {
			t.Fatalf("%q is read as\n%s\njsontext:\n%s", b, read, want)
		}
		if got != nil && got.(*Error).Offset > len(b) {
			t.Fatalf("offset %d of %d", got.(*Error).Offset, len(b))
		}
	})
}

// reference reads an object with jsontext into the form of readAll.
func reference(b []byte) (text string, deep int, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true))
	var out strings.Builder
	for {
		token, err := d.ReadToken()
		if err != nil {
			return "", deep, err
		}
		deep = max(deep, d.StackDepth())
		if out.Len() == 0 && token.Kind() != '{' {
			return "", deep, io.ErrUnexpectedEOF
		}
		switch token.Kind() {
		case '"':
			out.WriteString(strconv.Quote(token.String()))
		case '0':
			out.WriteString(describeNumber(token.String()))
		default:
			out.WriteString(token.String())
		}
		out.WriteByte(' ')
		if d.StackDepth() == 0 {
			break
		}
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return "", deep, io.ErrUnexpectedEOF
	}
	return out.String(), deep, nil
}

// describeNumber is what strconv makes of a number, as an int64 and as a float64.
func describeNumber(s string) string {
	out := s + "?"
	if v, err := strconv.ParseInt(s, 10, 64); err == nil {
		out = strconv.FormatInt(v, 10)
	}
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		out += "/" + strconv.FormatUint(math.Float64bits(v), 16)
	}
	return out
}

// readAll reads every field and element of b with the method of its kind, and nested objects and arrays with Begin.
func readAll(b []byte) (string, error) {
	r := Object(b)
	var out strings.Builder
	for readObject(&r, &out); r.problem == "" && r.depth > 0; {
		panic("an object was left before its end")
	}
	return out.String(), r.Err()
}

func readObject(r *Reader, out *strings.Builder) {
	out.WriteString("{ ")
	for r.Next() {
		out.WriteString(strconv.Quote(string(r.Name)) + " ")
		readValue(r, out)
	}
	out.WriteString("} ")
}

func readArray(r *Reader, out *strings.Builder) {
	out.WriteString("[ ")
	for r.More() {
		readValue(r, out)
	}
	out.WriteString("] ")
}

// readValue reads a value with the method of its kind.
func readValue(r *Reader, out *strings.Builder) {
	switch c := r.space(); {
	case c == '"':
		out.WriteString(strconv.Quote(r.Text()))
	case c == '{':
		r.Begin()
		readObject(r, out)
		return
	case c == '[':
		r.Begin()
		readArray(r, out)
		return
	case c == 't' || c == 'f':
		out.WriteString(strconv.FormatBool(r.Bool()))
	case c == 'n' && r.Null():
		out.WriteString("null")
	default:
		start := *r
		end := numberEnd(r.b, r.i)
		text := string(r.b[r.i:end]) + "?"
		if v := r.Int64(); r.problem == "" {
			text = strconv.FormatInt(v, 10)
		}
		*r = start
		if v := r.Float64(); r.problem == "" {
			text += "/" + strconv.FormatUint(math.Float64bits(v), 16)
		} else {
			*r = start
			r.Skip()
		}
		out.WriteString(text)
	}
	out.WriteByte(' ')
}

// FuzzText: what AppendText writes is what jsontext writes for the same string, and reads back.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a", "eight by", "é😀", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "a\xffb", "\xed\xa0\x80", "1234567\"", "12345678\n", "<&>\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := AppendText(nil, s)
		want, err := jsontext.AppendQuote(nil, s)
		if err != nil && string(want) == "" {
			t.Skip()
		}
		if string(got) != string(want) {
			t.Fatalf("%q is written %s, jsontext: %s", s, got, want)
		}
		r := Object([]byte(`{"a":` + string(got) + `}`))
		r.Next()
		if back := r.Text(); back != strings.ToValidUTF8(s, "") && !strings.Contains(back, "\ufffd") {
			t.Fatalf("%q is read back as %q", s, back)
		}
	})
}

// FuzzFloat: a float64 is read back bit for bit, and written as short as strconv can.
func FuzzFloat(f *testing.F) {
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1.5, 0.1, 1e21, 1e20, 1e-6, 1e-7, 5e-324, math.MaxFloat64, 123456789.125, 1e100, 1e-10} {
		f.Add(math.Float64bits(v))
	}
	f.Fuzz(func(t *testing.T, bits uint64) {
		v := math.Float64frombits(bits)
		got, err := AppendFloat64(nil, v, "price")
		if math.IsNaN(v) || math.IsInf(v, 0) {
			if err == nil {
				t.Fatalf("%v is written %s", v, got)
			}
			return
		}
		want := jsontext.Float(v).String()
		if string(got) != want {
			t.Fatalf("%v is written %s, jsontext: %s", v, got, want)
		}
		r := Object([]byte(`{"a":` + string(got) + `}`))
		r.Next()
		if back := r.Float64(); math.Float64bits(back) != bits {
			t.Fatalf("%s is read back as %v", got, back)
		}
	})
}
