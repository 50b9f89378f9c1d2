package json

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/streamgen/streamgen/runtime/optional"
)

// keeper is a record with one field that is known, a record of its own kind, and the others.
type keeper struct {
	id      string
	inner   *keeper
	unknown optional.Of[[]byte]
}

func (k *keeper) read(r *Reader) {
	k.unknown.Valid = false
	for r.Next() {
		switch string(r.Name) {
		case "id":
			k.id = r.Text()
		case "inner":
			k.inner = &keeper{}
			r.Begin()
			k.inner.read(r)
		default:
			r.Keep(&k.unknown)
		}
	}
}

// TestKeep holds what is kept to the text of the members, in order.
func TestKeep(t *testing.T) {
	for in, want := range map[string][2]string{ // of the record, and of the one in it
		`{"a":1,"b":[2, {"c":null}],"id":"x"}`:                  {`"a":1,"b":[2, {"c":null}]`},
		`{"id":"x", "a" : 1 , "b":2}`:                           {`"a" : 1 , "b":2`},
		`{"a":1,"id":"x","b":2}`:                                {`"a":1,"b":2`},
		`{"a":1,"id":"x","b":2,"c":3}`:                          {`"a":1,"b":2,"c":3`},
		`{"id":"x"}`:                                            {},
		`{"\u0061b":1,"":2,"c":3}`:                              {`"ab":1,"":2,"c":3`},
		`{"a":1,"\u0062\n":2}`:                                  {`"a":1,"b\n":2`},
		`{"a":1,"inner":{"b":2,"id":"y","c":3},"d":4}`:          {`"a":1,"d":4`, `"b":2,"c":3`},
		`{"inner":{"b":2},"d":4}`:                               {`"d":4`, `"b":2`},
		`{"a":1,"inner":{"b":2}}`:                               {`"a":1`, `"b":2`},
		`{"inner":{"b":2},"inner":{"c":3},"a":"é\ud83d\ude00"}`: {`"a":"é\ud83d\ude00"`, `"c":3`},
		`{"a":1,"a":2}`:                                         {`"a":1,"a":2`},
	} {
		input := []byte(in)
		var k keeper
		r := Object(input)
		k.read(&r)
		if err := r.Err(); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		inner := keeper{}
		if k.inner != nil {
			inner = *k.inner
		}
		if string(k.unknown.Value) != want[0] || string(inner.unknown.Value) != want[1] || k.unknown.Valid != (want[0] != "") {
			t.Errorf("%s: kept %s and %s", in, k.unknown.Value, inner.unknown.Value)
		}
		if string(input) != in {
			t.Errorf("the input became %s", input)
		}
	}
	for _, in := range []string{`{"a":}`, `{"a":1,"b":tru}`, `{"a":"\ud800"}`, `{"a":1,}`, `{"a":[1,]}`} {
		r := Object([]byte(in))
		var k keeper
		if k.read(&r); r.Err() == nil {
			t.Errorf("%s is read", in)
		}
	}
}

func TestKeepTogetherDoesNotAllocate(t *testing.T) {
	input := []byte(`{"id":"x","a":1,"b":{"c":[1,2,3]},"d":"text"}`)
	var k keeper
	if n := testing.AllocsPerRun(100, func() {
		r := Object(input)
		k.read(&r)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzKeep puts back together what was read and what was kept: it must be the record that was read.
func FuzzKeep(f *testing.F) {
	for _, s := range append([]string{`{"a":1,"id":"x","b":2,"inner":{"c":[{}],"id":"y"},"d":"\u00e9"}`, `{"\u0069d":"x","z\t":1e5}`, `{ "a" : 1 , "b" : 2 }`}, seeds...) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		var k keeper
		r := Object(b)
		k.read(&r)
		if !bytes.Equal(b, before) {
			t.Fatalf("the input %q became %q", before, b)
		}
		if r.Err() != nil {
			return
		}
		write := func(k *keeper) []byte { // as a generated encoder does
			dst := append([]byte(`{"id":`), AppendText(nil, k.id)...)
			if k.unknown.Valid {
				dst = append(append(dst, ','), k.unknown.Value...)
			}
			return dst
		}
		out := write(&k)
		if k.inner != nil {
			out = append(append(append(out, `,"inner":`...), write(k.inner)...), '}')
		}
		out = append(out, '}')
		var again keeper
		r = Object(out)
		again.read(&r)
		if err := r.Err(); err != nil {
			t.Fatalf("%q gives %q: %v", b, out, err)
		}
		if again.id != k.id || !bytes.Equal(again.unknown.Value, k.unknown.Value) {
			t.Fatalf("%q gives %q", b, out)
		}
		// The reference finds the same members in both.
		if got, want := members(t, out), members(t, b); len(got) != len(want) {
			for name := range want {
				if got[name] == "" && name != "inner" && name != "id" {
					t.Errorf("%q is lost in %q", name, out)
				}
			}
		}
		for name, value := range members(t, b) {
			if got := members(t, out)[name]; name != "inner" && name != "id" && got != value {
				t.Errorf("%q was %s, is %s", name, value, got)
			}
		}
	})
}

// members are the members of an object by name; of equal names the last.
func members(t *testing.T, b []byte) map[string]string {
	d := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		text := name.String()
		value, err := d.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		all[text] = string(value)
	}
	return all
}
