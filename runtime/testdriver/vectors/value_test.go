package vectors

import (
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
)

// echo sends what it reads.
type echo struct{ to record.Topic }

func (e *echo) Flush() error { return nil }

func (e *echo) Process(b *record.Batch) error {
	for _, r := range b.Records {
		if r.Offset < 3 {
			e.to.Send(r.Key, r.Value, r.Timestamp, nil)
		}
	}
	return nil
}

type panics struct{}

func (panics) Flush() error                { return nil }
func (panics) Process(*record.Batch) error { panic("at the disco") }

func TestCanonical(t *testing.T) {
	s := &Scenario{Types: map[string]Record{
		"Inner": {Fields: []Field{{Name: "x", Type: "float64"}}},
		"T":     {Fields: []Field{{Name: "a", Type: "int64"}, {Name: "b", Type: "string", Optional: true}, {Name: "c", Type: "Inner"}}},
	}}
	for _, c := range []struct{ kind, text, want string }{
		{"int64", "9007199254740993", "9007199254740993"},
		{"int64", "1e3", "1000"},
		{"int64", "-5.0", "-5"},
		{"float64", "1000000.125", "1.000000125e+06"},
		{"float64", "1.000000125e6", "1.000000125e+06"},
		{"float64", "0.10", "0.1"},
		{"string", `"\u00e4<"`, `"ä<"`},
		{"bool", "true", "true"},
		{"string", "null", "null"},
		{"float32", "0.1", "0.1"},
		{"decimal", "-12.50", "-12.5"},
		{"decimal", "1e2", "100"},
		{"list(int64)", "[1, 2.0]", "[1,2]"},
		{"list(list(string))", `[["a"], []]`, `[["a"],[]]`},
		{"map(Inner)", `{"b": {"x": 1}, "a": {"x": 2.0}}`, `{"a":{"x":2},"b":{"x":1}}`},
		{"T", `{ "a": 1, "c": {"x": 2.50} }`, `{"a":1,"c":{"x":2.5}}`},
		{"T", `{"a":1,"b":"","c":{"x":1}}`, `{"a":1,"b":"","c":{"x":1}}`},
	} {
		if got, err := s.canonicalNamed(c.kind, []byte(c.text)); err != nil || got != c.want {
			t.Errorf("%s %s: %s, %v, want %s", c.kind, c.text, got, err, c.want)
		}
	}
	for _, c := range []struct{ kind, text string }{
		{"int64", "1.5"}, {"int64", `"1"`}, {"int64", "1/2"}, {"float64", "x"}, {"float64", "Infinity"}, {"bool", "1"}, {"string", "1"}, {"U", "1"},
		{"list(int64)", `["1"]`}, {"list(int64)", `{}`}, {"map(int64)", `[]`}, {"map(int64)", `{"a":"b"}`}, {"list(U)", "[1]"}, {"list(int64", "[1]"}, {"decimal", `"1"`},
		{"T", `{"a":1}`}, {"T", `{"c":{"x":1},"a":1}`}, {"T", `{"a":1,"b":null,"c":{"x":1}}`}, {"T", `{"a":1,"c":{"x":1},"d":1}`},
		{"T", `{"a":1,"a":1,"c":{"x":1}}`}, {"T", `{"a":1,"c":{"x":1}}}`}, {"T", `[]`}, {"T", `{"a":1,"c":{}}`},
	} {
		if got, err := s.canonicalNamed(c.kind, []byte(c.text)); err == nil {
			t.Errorf("%s %s: took it as %s", c.kind, c.text, got)
		}
	}
}

func TestWindowedKeys(t *testing.T) {
	s := &Scenario{}
	for _, c := range []struct {
		kind      Type
		hex, want string
	}{
		{Type{Windowed: "time", Inner: "string", Size: 10}, "610000000000000005", `{"key":"a","start":5,"end":15}`},
		{Type{Windowed: "sliding", Inner: "string", Difference: 10}, "610000000000000005", `{"key":"a","start":5,"end":15}`},
		{Type{Windowed: "session", Inner: "string"}, "61000000000000000f0000000000000005", `{"key":"a","start":5,"end":15}`},
	} {
		b, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.decode(c.kind, b)
		if err != nil || got != c.want {
			t.Errorf("%s: %s, %v", c.kind.Windowed, got, err)
		}
		want, err := s.canonical(c.kind, []byte(c.want))
		if err != nil || want != got {
			t.Errorf("%s: the vector's is %s, %v", c.kind.Windowed, want, err)
		}
		if _, err := s.decode(c.kind, []byte{1}); err == nil {
			t.Errorf("%s: took one byte", c.kind.Windowed)
		}
	}
}

func TestDiff(t *testing.T) {
	if got, want := diff([]string{"a", "b", "c"}, []string{"a", "x", "c", "d"}), "    a\n  - b\n  + x\n    c\n  + d"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// forgetful counts in a map.
type forgetful struct {
	to record.Topic
	n  map[string]int
}

func (f *forgetful) Flush() error { return nil }

func (f *forgetful) Process(b *record.Batch) error {
	for _, r := range b.Records {
		f.n[string(r.Value)]++
		value := f.to.Keep(fmt.Appendf(f.to.Tail(), `{"n":%d}`, f.n[string(r.Value)]))
		f.to.Send(r.Value, value, r.Timestamp, nil)
	}
	return nil
}
