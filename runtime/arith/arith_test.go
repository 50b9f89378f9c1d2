package arith

import (
	"errors"
	"math"
	"math/big"
	"testing"
)

// Every operation on every pair of interesting operands gives what exact arithmetic gives, or an error exactly where that
// does not fit.
func TestAgainstExactArithmetic(t *testing.T) {
	t.Run("int64", func(t *testing.T) {
		check(t, []int64{math.MinInt64, math.MinInt64 + 1, -1 << 32, -3037000500, -7, -2, -1, 0, 1, 2, 3, 7, 3037000499, 1 << 32, 1 << 62, math.MaxInt64 - 1, math.MaxInt64})
	})
	t.Run("int32", func(t *testing.T) {
		check(t, []int32{math.MinInt32, math.MinInt32 + 1, -46341, -7, -2, -1, 0, 1, 2, 3, 7, 46340, 46341, 1 << 30, math.MaxInt32 - 1, math.MaxInt32})
	})
}

func check[T Integer](t *testing.T, operands []T) {
	for _, a := range operands {
		for _, b := range operands {
			x, y := big.NewInt(int64(a)), big.NewInt(int64(b))
			same(t, "+", a, b, new(big.Int).Add(x, y))(Add(a, b))
			same(t, "-", a, b, new(big.Int).Sub(x, y))(Sub(a, b))
			same(t, "*", a, b, new(big.Int).Mul(x, y))(Mul(a, b))
			same(t, "neg", a, b, new(big.Int).Neg(x))(Neg(a))
			same(t, "abs", a, b, new(big.Int).Abs(x))(Abs(a))
			if b == 0 {
				if _, err := Div(a, b); !errors.Is(err, ErrDivisionByZero) {
					t.Errorf("%d / 0: %v", a, err)
				}
				if _, err := Rem(a, b); !errors.Is(err, ErrDivisionByZero) {
					t.Errorf("%d %% 0: %v", a, err)
				}
				continue
			}
			same(t, "/", a, b, new(big.Int).Quo(x, y))(Div(a, b))
			same(t, "%", a, b, new(big.Int).Rem(x, y))(Rem(a, b))
		}
	}
}

func same[T Integer](t *testing.T, op string, a, b T, exact *big.Int) func(T, error) {
	return func(got T, err error) {
		t.Helper()
		fits := exact.IsInt64() && int64(T(exact.Int64())) == exact.Int64()
		if fits != (err == nil) {
			t.Errorf("%d %s %d: error %v, exact result %s", a, op, b, err, exact)
		} else if fits && int64(got) != exact.Int64() {
			t.Errorf("%d %s %d = %d, want %s", a, op, b, got, exact)
		} else if !fits && !errors.Is(err, ErrOverflow) {
			t.Errorf("%d %s %d: %v", a, op, b, err)
		}
	}
}

func TestRounding(t *testing.T) {
	for _, c := range []struct {
		f                         float64
		floor, ceil, round, trunc int64
	}{
		{2.5, 2, 3, 3, 2},
		{-2.5, -3, -2, -3, -2},
		{0.4, 0, 1, 0, 0},
		{-1 << 63, math.MinInt64, math.MinInt64, math.MinInt64, math.MinInt64},
	} {
		for _, g := range []struct {
			name string
			f    func(float64) (int64, error)
			want int64
		}{{"floor", Floor, c.floor}, {"ceil", Ceil, c.ceil}, {"round", Round, c.round}, {"trunc", Trunc, c.trunc}} {
			if got, err := g.f(c.f); err != nil || got != g.want {
				t.Errorf("%s(%v) = %d, %v; want %d", g.name, c.f, got, err, g.want)
			}
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1 << 63, -1<<63 - 2048} {
		if got, err := Floor(f); !errors.Is(err, ErrOverflow) {
			t.Errorf("floor(%v) = %d, %v", f, got, err)
		}
	}
}

func TestSign(t *testing.T) {
	if Sign(int32(-3)) != -1 || Sign(0.5) != 1 || Sign(math.Copysign(0, -1)) != 0 || Sign(math.NaN()) != 0 || Sign(float32(-1)) != -1 {
		t.Error("a wrong sign")
	}
	if !IsFinite(math.MaxFloat64) || IsFinite(math.Inf(-1)) || IsFinite(math.NaN()) {
		t.Error("what is finite")
	}
}
