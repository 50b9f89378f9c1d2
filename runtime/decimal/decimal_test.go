package decimal

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func (d Decimal) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(d.hi), 64)
	return n.Add(n, new(big.Int).SetUint64(d.lo))
}

var limit = new(big.Int).Exp(big.NewInt(10), big.NewInt(MaxPrecision), nil)

func fromBig(n *big.Int) (Decimal, bool) {
	if n.CmpAbs(limit) >= 0 {
		return Decimal{}, false
	}
	d, err := Parse(n.String(), MaxPrecision, 0)
	return d, err == nil
}

// random is a number with any count of digits.
func random(r *rand.Rand) Decimal {
	digits := r.IntN(MaxPrecision + 1)
	b := []byte{'0'}
	for range digits {
		b = append(b, "0123456789000999"[r.IntN(16)])
	}
	d, err := Parse(b, MaxPrecision, 0)
	if err != nil {
		panic(string(b) + ": " + err.Error())
	}
	if r.IntN(2) == 0 {
		return d.Neg()
	}
	return d
}

// roundDiv is n / m, halves away from zero.
func roundDiv(n, m *big.Int) *big.Int {
	negative := n.Sign()*m.Sign() < 0
	n, m = new(big.Int).Abs(n), new(big.Int).Abs(m)
	n.Mul(n, big.NewInt(2)).Add(n, m)
	n.Quo(n, m.Mul(m, big.NewInt(2)))
	if negative {
		n.Neg(n)
	}
	return n
}

func tens(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// Every operation gives what math/big gives, or an error where that has more than 38 digits.
func TestAgainstBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30_000 {
		a, b := random(r), random(r)
		check := func(op string, got Decimal, err error, want *big.Int) {
			t.Helper()
			d, fits := fromBig(want)
			if fits != (err == nil) || fits && d != got {
				t.Fatalf("%s %s %s = %s, %v; want %s", a.big(), op, b.big(), got.big(), err, want)
			}
		}
		got, err := Add(a, b)
		check("+", got, err, new(big.Int).Add(a.big(), b.big()))
		got, err = Sub(a, b)
		check("-", got, err, new(big.Int).Sub(a.big(), b.big()))
		got, err = Mul(a, b)
		check("*", got, err, new(big.Int).Mul(a.big(), b.big()))
		if err == nil && a.Times(b) != got {
			t.Fatalf("%s Times %s = %s", a.big(), b.big(), a.Times(b).big())
		}
		if a.Cmp(b) != a.big().Cmp(b.big()) || a.Sign() != a.big().Sign() {
			t.Fatalf("%s and %s: %d", a.big(), b.big(), a.Cmp(b))
		}
		as, bs, scale := r.IntN(39), r.IntN(39), r.IntN(39)
		if b.Sign() != 0 {
			got, err = Div(a, as, b, bs, scale)
			n := new(big.Int).Mul(a.big(), tens(scale+bs))
			check("/", got, err, roundDiv(n, new(big.Int).Mul(b.big(), tens(as))))
		}
		got, err = Convert(a, as, MaxPrecision, bs)
		if n := new(big.Int).Mul(a.big(), tens(bs)); new(big.Int).Rem(n, tens(as)).Sign() == 0 {
			check("as", got, err, n.Quo(n, tens(as)))
		} else if !errors.Is(err, ErrInexact) {
			t.Fatalf("%s of scale %d with scale %d: %v", a.big(), as, bs, err)
		}
		if text := a.Text(as); text != textOf(a.big(), as) {
			t.Fatalf("%s of scale %d is %s", a.big(), as, text)
		} else if back, err := Parse(text, MaxPrecision, as); err != nil || back != a {
			t.Fatalf("%s is read as %s, %v", text, back.big(), err)
		}
		want, _ := new(big.Float).SetPrec(300).Quo(new(big.Float).SetInt(a.big()), new(big.Float).SetInt(tens(as))).Float64()
		if f := a.Float64(as); f != want {
			t.Fatalf("%s as a float64: %g, want %g", a.Text(as), f, want)
		}
	}
}

func textOf(n *big.Int, scale int) string {
	return new(big.Rat).SetFrac(n, tens(scale)).FloatString(scale)
}

func TestDivisionByZero(t *testing.T) {
	if _, err := Div(New(1), 0, New(0), 0, 0); !errors.Is(err, ErrDivisionByZero) {
		t.Error(err)
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text             string
		precision, scale int
		want             string // the text of it, or an error
	}{
		{"12.5", 12, 2, "12.50"}, {"12.50", 12, 2, "12.50"}, {"12.500", 12, 2, "12.50"}, {"-0.01", 12, 2, "-0.01"}, {"+1", 12, 2, "1.00"},
		{"0", 1, 0, "0"}, {"-0", 5, 2, "0.00"}, {"0000012", 2, 0, "12"}, {"1e2", 3, 0, "100"}, {"1.25e1", 3, 1, "12.5"}, {"125E-2", 3, 2, "1.25"},
		{"1200e-2", 2, 0, "12"}, {"0e999999999", 2, 0, "0"}, {"0.00e-999999999", 2, 0, "0"}, {"9.99", 3, 2, "9.99"}, {".5", 1, 1, "0.5"},
		{"99999999999999999999999999999999999999", 38, 0, "99999999999999999999999999999999999999"},
		{"10000000000000000000000000000000000000.0", 38, 0, "10000000000000000000000000000000000000"},
		{"0.00000000000000000000000000000000000001", 38, 38, "0.00000000000000000000000000000000000001"},
		{"12.505", 12, 2, ErrInexact.Error()}, {"1e-3", 12, 2, ErrInexact.Error()}, {"10.00", 3, 2, ErrOverflow.Error()}, {"1e5", 3, 0, ErrOverflow.Error()},
		{"100000000000000000000000000000000000000", 38, 0, ErrOverflow.Error()}, {"1e999999999999", 38, 0, ErrOverflow.Error()},
		{"1e-999999999999", 38, 0, ErrInexact.Error()}, {"0.000000000000000000000000000000000000001", 38, 38, ErrInexact.Error()},
		{"1.00000000000000000000000000000000000000000001", 38, 0, ErrInexact.Error()},
		{"100000000000000000000000000000000000000000000000000001", 38, 0, ErrOverflow.Error()},
		{"", 5, 2, ErrSyntax.Error()}, {"-", 5, 2, ErrSyntax.Error()}, {".", 5, 2, ErrSyntax.Error()}, {"1.", 5, 2, ErrSyntax.Error()}, {"1.2.3", 5, 2, ErrSyntax.Error()},
		{"1e", 5, 2, ErrSyntax.Error()}, {"1e+", 5, 2, ErrSyntax.Error()}, {"1ex", 5, 2, ErrSyntax.Error()}, {"NaN", 5, 2, ErrSyntax.Error()}, {" 1", 5, 2, ErrSyntax.Error()},
		{"1_0", 5, 2, ErrSyntax.Error()}, {"0x1", 5, 2, ErrSyntax.Error()}, {"e1", 5, 2, ErrSyntax.Error()},
	} {
		d, err := Parse(c.text, c.precision, c.scale)
		got := d.Text(c.scale)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q as decimal(%d, %d): %s, want %s", c.text, c.precision, c.scale, got, c.want)
		}
	}
}

func TestConversions(t *testing.T) {
	for _, c := range []struct {
		text                      string
		floor, ceil, round, trunc int64
		exact                     bool
	}{
		{"2.50", 2, 3, 3, 2, false}, {"-2.50", -3, -2, -3, -2, false}, {"2.49", 2, 3, 2, 2, false}, {"-2.49", -3, -2, -2, -2, false},
		{"7.00", 7, 7, 7, 7, true}, {"-7.00", -7, -7, -7, -7, true}, {"0.00", 0, 0, 0, 0, true},
		{"-9223372036854775808.00", math.MinInt64, math.MinInt64, math.MinInt64, math.MinInt64, true},
	} {
		d, err := Parse(c.text, MaxPrecision, 2)
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range map[string]struct {
			f    func(Decimal, int) (int64, error)
			want int64
		}{"floor": {Floor, c.floor}, "ceil": {Ceil, c.ceil}, "round": {Round, c.round}, "trunc": {Trunc, c.trunc}} {
			if got, err := f.f(d, 2); err != nil || got != f.want {
				t.Errorf("%s of %s: %d, %v", name, c.text, got, err)
			}
		}
		if n, err := d.Int64(2); (err == nil) != c.exact || c.exact && n != c.trunc {
			t.Errorf("%s as an int64: %d, %v", c.text, n, err)
		}
	}
	large, _ := Parse("9223372036854775808", MaxPrecision, 0)
	if _, err := large.Int64(0); err == nil {
		t.Error("2^63 is an int64")
	}
	if _, err := Floor(large, 0); err == nil {
		t.Error("floor of 2^63 is an int64")
	}
	if _, err := New(math.MaxInt32 + 1).Int32(0); err == nil {
		t.Error("2^31 is an int32")
	}
	for f, want := range map[float64]string{0.1: "0.10", -12.5: "-12.50", 1e10: "10000000000.00"} {
		if d, err := FromFloat(f, MaxPrecision, 2); err != nil || d.Text(2) != want {
			t.Errorf("%g is %s, %v", f, d.Text(2), err)
		}
	}
	for _, f := range []float64{0.125, math.NaN(), math.Inf(1), 1e38} {
		if d, err := FromFloat(f, MaxPrecision, 2); err == nil {
			t.Errorf("%g is %s", f, d.Text(2))
		}
	}
	if d, err := FromInt(123, 4, 2); err == nil {
		t.Errorf("123 is the decimal(4, 2) %s", d.Text(2))
	}
	if Min(New(3), New(-1), New(2)) != New(-1) || Max(New(3), New(-1), New(4)) != New(4) {
		t.Error("min or max")
	}
	if hi, lo := New(-5).Words(); Words(hi, lo) != New(-5) || New(5).Neg() != New(-5) || New(-5).Abs() != New(5) || New(7).Widen(3) != New(7000) {
		t.Error("words, neg, abs or widen")
	}
}

func TestAllocations(t *testing.T) {
	text, b := []byte("-1234567890123456.78"), make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		d, err := Parse(text, 18, 2)
		e, err2 := Mul(d, New(300))
		e, err3 := Div(e, 4, d, 2, 2)
		if err != nil || err2 != nil || err3 != nil || e.Float64(2) != 3 {
			t.Error(err, err2, err3, e)
		}
		b = Append(b[:0], d, 2)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkParseAddAppend(b *testing.B) {
	text, out, sum := []byte("1234567.89"), make([]byte, 0, 64), Decimal{}
	for b.Loop() {
		d, _ := Parse(text, 12, 2)
		sum, _ = Add(d, New(100))
		out = Append(out[:0], sum, 2)
	}
}
