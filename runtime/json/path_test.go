package json

import (
	"testing"
)

func TestPath(t *testing.T) {
	const doc = ` {"a": {"b": ["x", {"c": 12}], "b c": true, "n": null}, "d": 1, "d": 2.5, "e": "\u0041", "": 7} `
	for _, c := range []struct{ path, want string }{ // want: the bytes, "" null, "!" an error
		{`$`, doc[1 : len(doc)-1]},
		{`$.a.b[0]`, `"x"`},
		{`$.a.b[1].c`, `12`},
		{`$["a"]["b c"]`, `true`},
		{`$.a.n`, ``},
		{`$.a.n.deeper[3]`, ``},
		{`$.a.b[2]`, ``},
		{`$.none`, ``},
		{`$.d`, `2.5`}, // the last one counts
		{`$.e`, `"\u0041"`},
		{`$[""]`, `7`},
		{`$.d.x`, `!`},
		{`$.a[0]`, `!`},
		{`$.a.b.c`, `!`},
	} {
		v, err := MustPath(c.path).Raw([]byte(doc))
		got := string(v.Value)
		if err != nil {
			got = "!"
		}
		if got != c.want || v.Valid != (c.want != "" && c.want != "!") {
			t.Errorf("%s is %q (%v), want %q", c.path, got, err, c.want)
		}
	}
	for _, path := range []string{``, `a`, `$.`, `$..a`, `$.a.`, `$[`, `$[]`, `$[-1]`, `$[a]`, `$["a]`, `$["a"`, `$a`, `$[99999999999]`} {
		if _, err := ParsePath(path); err == nil {
			t.Errorf("%q is a path", path)
		}
	}
}

// What is no JSON is an error wherever the path leads.
func TestPathUnsound(t *testing.T) {
	for _, doc := range []string{``, ` `, `{"a":1`, `{"a":1}}`, `{"a":1,"b":tru}`, `{"a":1} x`, `[1,2`, `"x`, `1 2`, "{\"a\":1,\"b\":\"\xff\"}"} {
		for _, path := range []string{`$`, `$.a`, `$.b`} {
			if v, err := MustPath(path).Raw([]byte(doc)); err == nil {
				t.Errorf("%s of %q is %q", path, doc, v.Value)
			}
		}
	}
}

func TestPathTypes(t *testing.T) {
	doc := []byte(`{"s":"x\n","n":9007199254740993,"f":1.5,"b":true,"o":{}}`)
	if v, err := MustPath("$.s").String(doc); err != nil || v.Value != "x\n" || !v.Valid {
		t.Error(v, err)
	}
	if v, err := MustPath("$.n").Int64(doc); err != nil || v.Value != 9007199254740993 {
		t.Error(v, err)
	}
	if v, err := MustPath("$.f").Float64(doc); err != nil || v.Value != 1.5 {
		t.Error(v, err)
	}
	if v, err := MustPath("$.b").Bool(doc); err != nil || !v.Value {
		t.Error(v, err)
	}
	for _, path := range []string{"$.o", "$.f", "$.s"} {
		if v, err := MustPath(path).Int64(doc); err == nil {
			t.Errorf("%s is %v", path, v)
		}
		if v, err := MustPath(path).Bool(doc); err == nil {
			t.Errorf("%s is %v", path, v)
		}
	}
	if v, err := MustPath("$.n").String(doc); err == nil {
		t.Error(v)
	}
	if v, err := MustPath("$.s").Float64(doc); err == nil {
		t.Error(v)
	}
}

func TestPathAllocations(t *testing.T) {
	doc, p := []byte(`{"x":[1,2,{"y":null}],"a":{"b":"text"}}`), MustPath("$.a.b")
	if n := testing.AllocsPerRun(100, func() {
		if v, err := p.String(doc); err != nil || v.Value != "text" {
			t.Fatal(v, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzPath(f *testing.F) {
	f.Add([]byte(`{"a":[{"b":1}]}`), "$.a[0].b")
	f.Add([]byte(`[null]`), "$[0]")
	f.Fuzz(func(t *testing.T, doc []byte, path string) {
		p, err := ParsePath(path)
		if err != nil {
			return
		}
		v, err := p.Raw(doc)
		if err == nil && v.Valid {
			if again, err := MustPath("$").Raw(v.Value); err != nil || string(again.Value) != string(v.Value) {
				t.Errorf("%s of %q is %q, which is no document (%v)", path, doc, v.Value, err)
			}
		}
	})
}
