package convert

import (
	"math"
	"strconv"
	"testing"
)

// Integers are read as strconv reads them in base 10.
func TestParseIntAgainstStrconv(t *testing.T) {
	for _, s := range []string{
		"", "-", "+", "0", "-0", "+7", "007", "42", "-42", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"-9223372036854775809", "18446744073709551616", "2147483647", "2147483648", "-2147483648", "-2147483649", "1_000", "1.0", "1e3", " 1", "1 ", "0x10", "x",
	} {
		want, failure := strconv.ParseInt(s, 10, 64)
		if got, err := ParseInt64(s); (err == nil) != (failure == nil) || err == nil && got != want {
			t.Errorf("int64 %q: %d, %v; strconv: %d, %v", s, got, err, want, failure)
		}
		small, failure := strconv.ParseInt(s, 10, 32)
		if got, err := ParseInt32(s); (err == nil) != (failure == nil) || err == nil && int64(got) != small {
			t.Errorf("int32 %q: %d, %v; strconv: %d, %v", s, got, err, small, failure)
		}
	}
}

func TestParseFloat64(t *testing.T) {
	for s, want := range map[string]float64{"0": 0, "-1.5": -1.5, "1e3": 1000, ".5": 0.5, "5.": 5, "1E-400": 0} {
		if got, err := ParseFloat64(s); err != nil || got != want {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "x", "NaN", "Inf", "-infinity", "0x1p-2", "1_0", "1e400", "1e", "--1"} {
		if got, err := ParseFloat64(s); err == nil {
			t.Errorf("%q is %v", s, got)
		}
	}
}

func TestNarrowing(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want int64
		ok   bool
	}{
		{10, 10, true}, {10.36, 0, false}, {-1 << 63, math.MinInt64, true}, {1 << 63, 0, false}, {math.NaN(), 0, false}, {math.Inf(1), 0, false},
		{1 << 53, 1 << 53, true}, {math.Copysign(0, -1), 0, true},
	} {
		if got, err := Int64(c.f); (err == nil) != c.ok || got != c.want {
			t.Errorf("int64(%v) = %d, %v", c.f, got, err)
		}
	}
	for f, ok := range map[float64]bool{math.MaxInt32: true, math.MaxInt32 + 1: false, math.MinInt32: true, math.MinInt32 - 1: false, 0.5: false, math.Inf(1): false} {
		if got, err := Int32Of(f); (err == nil) != ok || ok && float64(got) != f {
			t.Errorf("int32(%v) = %d, %v", f, got, err)
		}
	}
	if got, err := Int32Of(math.NaN()); err == nil {
		t.Errorf("int32(NaN) = %d", got)
	}
	for n, ok := range map[int64]bool{math.MaxInt32: true, math.MaxInt32 + 1: false, math.MinInt32: true, math.MinInt32 - 1: false} {
		if got, err := Int32(n); (err == nil) != ok || ok && int64(got) != n {
			t.Errorf("int32(%d) = %d, %v", n, got, err)
		}
	}
}

func TestText(t *testing.T) {
	if s, err := Text([]byte("grün")); err != nil || s != "grün" {
		t.Errorf("%q, %v", s, err)
	}
	if _, err := Text([]byte{0xff}); err == nil {
		t.Error("invalid UTF-8 is a string")
	}
	if b := Bytes("ab"); string(b) != "ab" {
		t.Errorf("%q", b)
	}
	if Bytes("") == nil {
		t.Error("no bytes are a null")
	}
	for s, want := range map[string]bool{"true": true, "false": false} {
		if got, err := ParseBool(s); err != nil || got != want {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	if _, err := ParseBool("True"); err == nil {
		t.Error("True is a bool")
	}
}

func TestFailuresCostNoMemory(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		_, _ = ParseInt64("twelve")
		_, _ = ParseInt32("3000000000")
		_, _ = Int64(0.5)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFloat32(t *testing.T) {
	for f, fits := range map[float64]bool{0.5: true, 0.1: false, 1e300: false, math.Inf(1): true, 16777217: false} {
		if v, err := Float32(f); (err == nil) != fits || fits && float64(v) != f {
			t.Errorf("%g: %g, %v", f, v, err)
		}
	}
	if v, err := Float32(math.NaN()); err != nil || v == v {
		t.Errorf("NaN: %g, %v", v, err)
	}
	if v, err := ParseFloat32("0.1"); err != nil || v != 0.1 {
		t.Errorf("%g, %v", v, err)
	}
	for _, s := range []string{"", "1e39", "NaN", "x"} {
		if v, err := ParseFloat32(s); err == nil {
			t.Errorf("%q: %g", s, v)
		}
	}
	if v, err := Int64(float32(1 << 24)); err != nil || v != 1<<24 {
		t.Errorf("%d, %v", v, err)
	}
}
