package local

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/codegen/plan"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		format, in string
		want       []byte
	}{
		{"string", `"é\n"`, []byte("é\n")},
		{"string", `""`, []byte{}},
		{"int32", "-2", []byte{0xff, 0xff, 0xff, 0xfe}},
		{"int64", "9223372036854775807", []byte{0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		{"float64", "1.5", []byte{0x3f, 0xf8, 0, 0, 0, 0, 0, 0}},
		{"bytes", `"AAEC"`, []byte{0, 1, 2}},
		{"json", `{"n":9007199254740993,"s":"<&>"}`, []byte(`{"n":9007199254740993,"s":"<&>"}`)},
		{"json", "null", nil},
		{"string", "null", nil},
	} {
		f := plan.Format{Name: c.format}
		got, err := encode(f, json.RawMessage(c.in))
		if err != nil || !bytes.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%s %s: %x, %v", c.format, c.in, got, err)
			continue
		}
		back, err := decode(f, got)
		if err != nil || string(back) != c.in {
			t.Errorf("%s %s: back %s, %v", c.format, c.in, back, err)
		}
	}
	for _, c := range []struct{ format, in, want string }{
		{"string", "5", "a string is expected, not 5"},
		{"int32", "2147483648", "an int32 is expected"},
		{"int64", "1.5", "an int64 is expected"},
		{"float64", `"x"`, "a number is expected"},
		{"bytes", `"?"`, "base64"},
		{"avro", "{}", "cannot be written"},
	} {
		if _, err := encode(plan.Format{Name: c.format}, json.RawMessage(c.in)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v", c.format, c.in, err)
		}
	}
	for _, c := range []struct {
		format string
		in     []byte
		want   string
	}{
		{"int64", []byte{1}, `"(not int64) AQ=="`},
		{"int32", []byte{1}, `"(not int32) AQ=="`},
		{"float64", nil, "null"},
		{"json", []byte("{"), `"(not json) ew=="`},
		{"string", []byte{0xff}, `"(not string) /w=="`},
		{"float64", []byte{0x7f, 0xf8, 0, 0, 0, 0, 0, 1}, `"NaN"`},
	} {
		if got := display(plan.Format{Name: c.format}, c.in); string(got) != c.want {
			t.Errorf("%s %x: %s", c.format, c.in, got)
		}
	}
}

func TestParseInput(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.jsonl.gz", "a.b.jsonl", "readme.md", ".jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ParseInput(dir)
	if want := fmt.Sprint([]Input{{"a.b", filepath.Join(dir, "a.b.jsonl")}, {"b", filepath.Join(dir, "b.jsonl.gz")}}); err != nil || fmt.Sprint(got) != want {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := ParseInput("orders=a=b.jsonl"); err != nil || fmt.Sprint(got) != "[{orders a=b.jsonl}]" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, s := range []string{"", "=x", "x=", "nowhere", t.TempDir()} {
		if _, err := ParseInput(s); err == nil {
			t.Errorf("%q is an input", s)
		}
	}
}

func TestReader(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, "\n{\"key\":\"a\",\"ts\":5,\"value\":{ \"n\" : 1 },\"headers\":[[\"h\",\"1\"],[\"h\",\"2\"]]}\n\n{\"key\":null,\"partition\":3}")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	topic := &plan.Topic{Name: "t", Key: plan.Format{Name: "string"}, Value: plan.Format{Name: "json"}}
	open := func(name string, data []byte) (*reader, error) {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return Input{"t", file}.open(topic)
	}
	r, err := open("t.jsonl.gz", zipped.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	first := r.next
	if string(first.Key) != "a" || string(first.Value) != `{"n":1}` || first.Timestamp.UnixMilli() != 5 || len(first.Headers) != 2 || string(first.Headers[1].Value) != "2" || first.Partition != -1 {
		t.Errorf("got %+v", first)
	}
	if err := r.advance(); err != nil || r.next.Key != nil || r.next.Value != nil || r.next.Partition != 3 || !r.next.Timestamp.IsZero() {
		t.Errorf("got %+v, %v", r.next, err)
	}
	if err := r.advance(); err != nil || r.next != nil {
		t.Errorf("behind the end: %+v, %v", r.next, err)
	}
	for in, want := range map[string]string{
		`{"key":"a"`:            "t.jsonl:1: unexpected EOF",
		`{"key":"a"} {}`:        "t.jsonl:1: something stands behind the record",
		`{"kye":"a"}`:           `t.jsonl:1: json: unknown field "kye"`,
		"\n\n{\"headers\":[1]}": "t.jsonl:3: headers are",
		`{"headers":{"h":1}}`:   "t.jsonl:1: headers are",
		`{"value":{"a":1,}}`:    "t.jsonl:1: invalid character",
	} {
		if _, err := open("t.jsonl", []byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", in, err, want)
		}
	}
	if _, err := open("t.jsonl.gz", []byte("no gzip")); err == nil {
		t.Error("no gzip, no error")
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, topic string
		want           bool
	}{{"a|b", "a", true}, {"a|b", "ab", false}, {"eu-.*", "eu-1", true}, {"eu-.*", "x-eu-1", false}, {"(", "(", false}} {
		if got := matches(c.pattern, c.topic); got != c.want {
			t.Errorf("matches(%q, %q) = %v", c.pattern, c.topic, got)
		}
	}
}
