package json

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Decimals are read and written as strconv reads and writes them, bit for bit and byte for byte.
func TestShortFloats(t *testing.T) {
	check := func(text string) {
		t.Helper()
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, behind := range []string{",", `,"quantity":2}`, "} 12345678"} { // the end of the record near, and far
			if got, end, ok := shortFloat([]byte(text+behind), 0); ok && (end != len(text) || math.Float64bits(got) != math.Float64bits(want)) {
				t.Errorf("%s is read as %v up to byte %d", text, got, end)
			}
		}
		for _, v := range []float64{want, math.Nextafter(want, 0), math.Nextafter(want, 1e18)} {
			if got, ok := appendShort(nil, v); ok && string(got) != strconv.FormatFloat(v, 'f', -1, 64) {
				t.Errorf("%v is written %s", v, got)
			}
		}
	}
	for _, text := range []string{"0", "-0", "0.1", "-0.0001", "0.00005", "0.00015", "9.9999", "9.99995", "99999999999", "99999999999.9999",
		"100000000000", "999999999999999", "1000000000000000", "9007199254740993", "0.000000000000001", "123456789.0125"} {
		check(text)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		n := random.Int64N(int64(math.Pow10(1+random.IntN(16)))) - random.Int64N(1000)
		text := strconv.FormatInt(n, 10)
		if random.IntN(4) > 0 {
			text += "." + strconv.Itoa(random.IntN(int(math.Pow10(1+random.IntN(6)))))
		}
		check(text)
	}
}

// The short way is the usual one: it takes prices and refuses what is not its own.
func TestShortFloatsAreTaken(t *testing.T) {
	for _, text := range []string{"1", "-1", "0.5", "249.99", "-1299.5", "12345678901.2345", "100000"} {
		v, _, ok := shortFloat([]byte(text), 0)
		if out, written := appendShort(nil, v); !ok || !written || string(out) != text {
			t.Errorf("%s: %v %v, written %q %v", text, v, ok, out, written)
		}
	}
	for _, text := range []string{"0", "-0", "7", "0.5", "249.99", "-1299.5", "99999.99", "12345678", "-1234.567"} {
		if _, end, ok := wordFloat([]byte(text+`,"quantity":2`), 0); !ok || end != len(text) {
			t.Errorf("%s is not read at once: %d %v", text, end, ok)
		}
	}
	for _, text := range []string{"", "-", ".5", "1.", "01", "-01", "00.5", "1e5", "1.5E2", "12345678e1", "1234.567E1", "1234567890123456", "x", "-x", "1.x", "--1"} {
		for _, behind := range []string{"", `,"quantity":2`} {
			if v, _, ok := shortFloat([]byte(text+behind), 0); ok {
				t.Errorf("%q is read as %v", text+behind, v)
			}
		}
	}
	for _, v := range []float64{0, math.Copysign(0, -1), 1e11, 1e300, 1e-5, 1.00001, 0.30000000000000004, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if out, ok := appendShort(nil, v); ok {
			t.Errorf("%v is written %s", v, out)
		}
	}
}

// Digits become a number and a number digits, whatever stands before and behind them.
func TestEightDigits(t *testing.T) {
	check := func(v uint64) {
		text := fmt.Sprintf("%08d", v)
		if got := eightDigits(word([]byte(text), 0) ^ '0'*ones); got != v {
			t.Errorf("the digits %s are the number %d", text, got)
		}
		if got := binary.LittleEndian.AppendUint64(nil, digitsOf(v)|'0'*ones); string(got) != text {
			t.Errorf("%d has the digits %s", v, got)
		}
	}
	for v := range uint64(10_000) {
		check(v)
		check(v * 10_000)
		check(v*10_000 + 9_999 - v)
	}
}
