package json

import (
	"math"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// one reads the only field of an object.
func one[T any](value string, read func(*Reader) T) (T, error) {
	r := Object([]byte(`{"a":` + value + `}`))
	r.Next()
	v := read(&r)
	r.Next()
	return v, r.Err()
}

func TestDecimal(t *testing.T) {
	for in, want := range map[string]string{
		"12.5": "12.50", "-0.01": "-0.01", "1e3": "1000.00", "0": "0.00", "9999999999.99": "9999999999.99", "12.5000": "12.50",
		"12.505": "more digits behind the point", "10000000000": "decimal overflow", `"1.00"`: "expected a number, found a string", "null": "expected a number, found null", "01": "malformed",
	} {
		d, err := one(in, func(r *Reader) string { return string(AppendDecimal(nil, r.Decimal(12, 2), 2)) })
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && d != want {
			t.Errorf("%s: %s, %v", in, d, err)
		}
	}
}

func TestUUID(t *testing.T) {
	const text = `"01234567-89ab-cdef-fedc-ba9876543210"`
	for in, want := range map[string]string{
		text: text, strings.ToUpper(text): text, `"\u00301234567-89ab-cdef-fedc-ba9876543210"`: text, `"x"`: "not a UUID", "1": "expected a string",
	} {
		u, err := one(in, func(r *Reader) string { return string(AppendUUID(nil, r.UUID())) })
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && u != want {
			t.Errorf("%s: %s, %v", in, u, err)
		}
	}
}

func TestUnixTimes(t *testing.T) {
	for in, want := range map[string]temporal.Timestamp{"0": 0, "1714521600": 1714521600000, "-1.5": -1500, "1.001": 1001, "1.5e3": 1500000} {
		if v, err := one(in, (*Reader).UnixSeconds); err != nil || v != want {
			t.Errorf("%s: %d, %v", in, v, err)
		}
	}
	for _, in := range []string{"1.0005", "9223372036854775808", `"1"`} {
		if v, err := one(in, (*Reader).UnixSeconds); err == nil {
			t.Errorf("%s: %d", in, v)
		}
	}
	if v, err := one("1500", (*Reader).UnixMillis); err != nil || v != 1500 {
		t.Errorf("%d, %v", v, err)
	}
	for v, want := range map[temporal.Timestamp]string{0: "0", 1000: "1", 1500: "1.500", -1: "-0.001"} {
		if got := string(AppendUnixSeconds(nil, v)); got != want {
			t.Errorf("%d: %s", v, got)
		}
	}
	if got := string(AppendUnixMillis(nil, -5)); got != "-5" {
		t.Error(got)
	}
}

func TestFloat32(t *testing.T) {
	for _, v := range []float32{0, 0.1, -1.5, 1e-7, 1e21, 16777216, math.MaxFloat32, math.SmallestNonzeroFloat32, 1e20, 1e-6} {
		text, err := AppendFloat32(nil, v, "f")
		if err != nil {
			t.Fatal(err)
		}
		if back, err := one(string(text), (*Reader).Float32); err != nil || back != v {
			t.Errorf("%g is written %s and read as %g, %v", v, text, back, err)
		}
	}
	if text, _ := AppendFloat32(nil, 0.1, "f"); string(text) != "0.1" {
		t.Errorf("0.1 is %s", text)
	}
	for _, in := range []string{"1e39", `"1"`, "-"} {
		if v, err := one(in, (*Reader).Float32); err == nil {
			t.Errorf("%s: %g", in, v)
		}
	}
	if _, err := AppendFloat32(nil, float32(math.NaN()), "f"); err == nil || !strings.Contains(err.Error(), `field "f"`) {
		t.Error(err)
	}
}

// Lists and maps are read into memory that is there, without an allocation.
func TestListAllocations(t *testing.T) {
	b := []byte(`{"tags":["a","b","c"],"counts":{"x":1,"y":2}}`)
	var tags []string
	var counts []int64
	read := func() {
		r := Object(b)
		tags, counts = tags[:0], counts[:0]
		for r.Next() {
			r.Begin()
			switch string(r.Name) {
			case "tags":
				for r.More() {
					tags = append(tags, r.Text())
				}
			default:
				for r.Next() {
					if r.Key() == "" {
						t.Error("no key")
					}
					counts = append(counts, r.Int64())
				}
			}
		}
		if err := r.Err(); err != nil || len(tags) != 3 || len(counts) != 2 {
			t.Error(err, tags, counts)
		}
	}
	read()
	if n := testing.AllocsPerRun(100, read); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Errors in lists say which element.
func TestElementPath(t *testing.T) {
	r := Object([]byte(`{"lines":[{"n":1},{"n":"x"}]}`))
	for r.Next() {
		r.Begin()
		for r.More() {
			r.Begin()
			for r.Next() {
				r.Int64()
			}
		}
	}
	if err := r.Err(); err == nil || err.Error() != `json: field "lines[1].n" at byte 23: expected an int64, found a string` {
		t.Error(err)
	}
}
