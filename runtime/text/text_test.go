package text

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/decimal"
	"github.com/streamgen/streamgen/runtime/uuid"
)

func TestFunctions(t *testing.T) {
	const s = "grün✓😀"
	if n := Length(s); n != 6 {
		t.Errorf("length %d", n)
	}
	for _, c := range []struct {
		start int64
		want  string
	}{{-1, s}, {0, s}, {2, "ün✓😀"}, {5, "😀"}, {6, ""}, {99, ""}, {math.MinInt64, s}, {math.MaxInt64, ""}} {
		if got := Substr(s, c.start); got != c.want {
			t.Errorf("substr from %d: %q", c.start, got)
		}
	}
	for _, c := range []struct {
		start, n int64
		want     string
	}{
		{0, 3, "grü"}, {2, 2, "ün"}, {4, 99, "✓😀"}, {2, 0, ""}, {2, -1, ""}, {-1, 2, "g"}, {-3, 2, ""}, {9, 1, ""},
		{math.MinInt64, math.MaxInt64, ""}, {0, math.MaxInt64, s}, {-1, math.MinInt64, ""},
	} {
		if got := SubstrN(s, c.start, c.n); got != c.want {
			t.Errorf("substr from %d, %d long: %q", c.start, c.n, got)
		}
	}
	for part, want := range map[string]int64{"g": 0, "n": 3, "😀": 5, "": 0, "x": -1} {
		if got := IndexOf(s, part); got != want {
			t.Errorf("index of %q: %d", part, got)
		}
	}
}

// Strings of an arena stay what they are, whatever is made after them, also beyond the end of a block.
func TestArenaStringsStay(t *testing.T) {
	var a Arena
	long := strings.Repeat("x", blockSize-5)
	var got, want []string
	for i := range int64(3000) {
		got = append(got, a.Concat("item ", a.Int(i), "!"), a.Int(-i), a.Float(float64(i)/8))
		want = append(want, "item "+exact(i)+"!", "-"+exact(i), "")
		if i%100 == 0 {
			got, want = append(got, a.Concat(long, "0123456789")), append(want, long+"0123456789")
		}
	}
	want[1] = "0"
	for i := range got {
		if want[i] != "" && got[i] != want[i] {
			t.Fatalf("string %d is %q, want %q", i, got[i], want[i])
		}
	}
}

func exact(i int64) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return exact(i/10) + string(rune('0'+i%10))
}

// What is written fits into the room that was asked for: it would move to other memory otherwise, and be lost.
func TestArenaForms(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{new(Arena).Int(math.MinInt64), "-9223372036854775808"},
		{new(Arena).Float(-math.MaxFloat64), "-1.7976931348623157e+308"},
		{new(Arena).Float(-1.2345678901234567e-6), "-0.0000012345678901234567"},
		{new(Arena).Float(123456789012345680000), "123456789012345680000"},
		{new(Arena).Float(math.Inf(-1)), "-Inf"},
		{new(Arena).Float(math.NaN()), "NaN"},
		{new(Arena).Float32(0.1), "0.1"},
		{new(Arena).Decimal(decimal.New(-1).Widen(37), 38), "-0.10000000000000000000000000000000000000"},
		{new(Arena).Decimal(decimal.New(1250), 2), "12.50"},
		{new(Arena).UUID(uuid.UUID{1, 255}), "01ff0000-0000-0000-0000-000000000000"},
		{new(Arena).Float(2), "2"},
		{new(Arena).Timestamp(math.MinInt64), "-292275055-05-16T16:47:04.192Z"},
		{new(Arena).Timestamp(0), "1970-01-01T00:00:00.000Z"},
		{new(Arena).Duration(math.MinInt64), "-9223372036854775808ms"},
		{new(Arena).Concat(), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestArenaAllocations(t *testing.T) {
	var a Arena
	if n := testing.AllocsPerRun(1000, func() { a.Concat("customer ", a.Int(12345), "/", a.Float(0.5)) }); n != 0 {
		t.Errorf("%v allocations a string", n)
	}
}

func TestSplitBuffer(t *testing.T) {
	buffer := make([]string, 0, 8)
	for _, c := range []struct {
		s, separator string
		want         []string
	}{
		{"a,b", ",", []string{"a", "b"}}, {"a", ",", []string{"a"}}, {"", ",", []string{""}}, {",", ",", []string{"", ""}}, {"a, b, ", ", ", []string{"a", "b", ""}},
		{"grü", "", []string{"g", "r", "ü"}}, {"", "", nil},
	} {
		if got := Split(buffer, c.s, c.separator); !slices.Equal(got, c.want) {
			t.Errorf("%q by %q: %q", c.s, c.separator, got)
		}
	}
	if n := testing.AllocsPerRun(100, func() { Split(buffer, "a,b,c", ",") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
