package text

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestMake(t *testing.T) {
	var a Arena
	value := func(s string, err error) string {
		if err != nil {
			return "!" + err.Error()
		}
		return s
	}
	for _, c := range []struct{ got, want string }{
		{a.Lower("ABC def"), "abc def"}, {a.Lower("ÄÖ"), "äö"}, {a.Lower("abc"), "abc"}, {a.Lower(""), ""},
		{a.Upper("abc DEF"), "ABC DEF"}, {a.Upper("straße"), "STRAßE"}, {a.Upper("ABC"), "ABC"},
		{a.Reverse("grün✓"), "✓nürg"}, {a.Reverse(""), ""}, {a.Reverse("a\xffb"), "b\xffa"},
		{value(a.Repeat("ab", 3)), "ababab"}, {value(a.Repeat("ab", 0)), ""}, {value(a.Repeat("", math.MaxInt64)), ""},
		{value(a.Repeat("ab", math.MaxInt64)), "!" + ErrTooLong.Error()},
		{a.Replace("a,b,,", ",", "; "), "a; b; ; "}, {a.Replace("aaa", "aa", "b"), "ba"}, {a.Replace("ab", "", "-"), "-a-b-"}, {a.Replace("ab", "x", "-"), "ab"},
		{value(a.ReplaceBy("aab", "a", "xy")), "xyxyb"}, {value(a.ReplaceBy(strings.Repeat("a", 1<<20), "a", strings.Repeat("b", 100))), "!" + ErrTooLong.Error()},
		{a.PadLeft("é", 3, "0"), "00é"}, {a.PadLeft("abc", 3, "0"), "abc"}, {a.PadLeft("a", 5, "xyz"), "xyzxa"}, {a.PadLeft("a", 5, ""), "a"}, {a.PadLeft("x", math.MinInt64, "0"), "x"},
		{a.PadRight("é", 3, "·"), "é··"}, {a.PadRight("abc", 2, "."), "abc"}, {a.PadRight("a", 5, "xyz"), "axyzx"}, {a.PadRight("abc", math.MinInt64, "."), "abc"},
		{a.Digits(7, 3), "007"}, {a.Digits(-7, 3), "-07"}, {a.Digits(math.MinInt64, 20), "-9223372036854775808"}, {a.Digits(-5, 2), "-5"}, {a.Digits(12, 0), "12"}, {a.Digits(0, 20), strings.Repeat("0", 20)},
		{a.Fixed(1.005, 2), "1.00"}, {a.Fixed(-math.MaxFloat64, 20), strconv.FormatFloat(-math.MaxFloat64, 'f', 20, 64)}, {a.Fixed(math.NaN(), 2), "NaN"},
		{a.Time(0, "2006-01-02", time.UTC), "1970-01-01"}, {a.Time(0, strings.Repeat("January", 4000), time.UTC), strings.Repeat("January", 4000)},
		{a.Hex([]byte{0, 255, 16}), "00ff10"}, {a.Base64([]byte("hi?>")), "aGk/Pg=="},
		{a.URLEncode("a b/é~"), "a%20b%2F%C3%A9~"}, {a.URLEncode("plain-._~1"), "plain-._~1"},
		{value(a.URLDecode("a%20b%2f+")), "a b/+"}, {value(a.URLDecode("%")), "!" + ErrURL.Error()}, {value(a.URLDecode("%4")), "!" + ErrURL.Error()}, {value(a.URLDecode("%ff")), "!" + ErrURL.Error()}, {value(a.URLDecode("%zz")), "!" + ErrURL.Error()},
		{a.Join([]string{"a", "", "b"}, ", "), "a, , b"}, {a.Join(nil, ","), ""}, {a.Join([]string{"x"}, ","), "x"},
		{value(a.JoinBy([]string{"a", "b"}, "-")), "a-b"}, {value(a.JoinBy([]string{"a", "b"}, strings.Repeat("-", maxSize))), "!" + ErrTooLong.Error()},
		{TrimStart(" \u00a0a "), "a "}, {TrimEnd(" a\n\u2003"), " a"},
	} {
		if c.got != c.want {
			t.Errorf("%.60q, want %.60q", c.got, c.want)
		}
	}
	// Nothing wrote over what was made before.
	if s := a.Concat("x"); s != "x" {
		t.Error(s)
	}
}

func TestDecode(t *testing.T) {
	var a Arena
	for _, c := range []struct {
		decode func(string) ([]byte, error)
		s      string
		want   string // "!": an error
	}{
		{a.Unhex, "4F4b", "OK"}, {a.Unhex, "", ""}, {a.Unhex, "4", "!"}, {a.Unhex, "4g", "!"}, {a.Unhex, "é", "!"},
		{a.Unbase64, "aGk/Pg==", "hi?>"}, {a.Unbase64, "aGk_Pg", "hi?>"}, {a.Unbase64, "", ""}, {a.Unbase64, "aGk=", "hi"}, {a.Unbase64, "aGk", "hi"},
		{a.Unbase64, "a", "!"}, {a.Unbase64, "aGk==", "!"}, {a.Unbase64, "aG k", "!"}, {a.Unbase64, "aGl=", "!"}, {a.Unbase64, "aGk\n", "!"}, {a.Unbase64, "====", "!"}, {a.Unbase64, "_+", "!"},
	} {
		got, err := c.decode(c.s)
		if err != nil {
			got = []byte("!")
		}
		if string(got) != c.want {
			t.Errorf("%q is %q (%v)", c.s, got, err)
		}
	}
}

func TestMakeAllocations(t *testing.T) {
	var a Arena
	parts := []string{"a", "b"}
	if n := testing.AllocsPerRun(1000, func() {
		a.Lower("ABC")
		a.Hex(bytesForTest)
		a.PadLeft("7", 3, "0")
		a.Join(parts, ",")
		a.Time(0, "2006-01-02 15:04:05", time.UTC)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

var bytesForTest = []byte("abc")
