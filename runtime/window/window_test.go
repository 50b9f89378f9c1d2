package window

import (
	"bytes"
	"math"
	"math/big"
	"testing"
)

func TestTumblingStart(t *testing.T) {
	for _, c := range []struct{ t, size, want int64 }{
		{0, 10, 0}, {9, 10, 0}, {10, 10, 10}, {-1, 10, -10}, {-10, 10, -10}, {-11, 10, -20},
		{math.MaxInt64, 10, math.MaxInt64 - 7}, {math.MinInt64, 10, math.MinInt64}, {math.MinInt64 + 9, 10, math.MinInt64 + 8},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64}, {math.MinInt64, math.MaxInt64, math.MinInt64}, {-5, math.MaxInt64, -math.MaxInt64},
	} {
		if got := TumblingStart(c.t, c.size); got != c.want {
			t.Errorf("TumblingStart(%d, %d) = %d, want %d", c.t, c.size, got, c.want)
		}
	}
}

func TestHopping(t *testing.T) {
	for _, c := range []struct{ t, size, advance, first, n int64 }{
		{9_999, 10_000, 5_000, 0, 2}, // [0, 10s) and [5s, 15s) only
		{10_000, 10_000, 5_000, 5_000, 2},
		{12, 10, 5, 5, 2}, {3, 10, 5, 0, 1}, {0, 10, 5, 0, 1}, {14, 10, 3, 6, 3}, {15, 10, 3, 6, 4},
		{11, 10, 4, 4, 2}, {20, 10, 10, 20, 1}, {-1, 10, 5, 0, 0}, {math.MinInt64, 10, 5, 0, 0},
		{math.MaxInt64, 10, 10, math.MaxInt64 - 7, 1}, {math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, 1},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 - 1, 1},
	} {
		if first, n := Hopping(c.t, c.size, c.advance); first != c.first || n != c.n {
			t.Errorf("Hopping(%d, %d, %d) = %d, %d, want %d, %d", c.t, c.size, c.advance, first, n, c.first, c.n)
		}
	}
}

// FuzzHopping holds the windows of a time to their definition, without overflow.
func FuzzHopping(f *testing.F) {
	f.Add(int64(9_999), int64(10_000), int64(5_000))
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), int64(1<<60))
	f.Add(int64(math.MinInt64), int64(3), int64(2))
	f.Fuzz(func(t *testing.T, at, size, advance int64) {
		if size <= 0 || advance <= 0 || advance > size {
			return
		}
		first, n := Hopping(at, size, advance)
		holds := func(i int64) bool {
			start := new(big.Int).Add(big.NewInt(first), new(big.Int).Mul(big.NewInt(i), big.NewInt(advance)))
			end := new(big.Int).Add(start, big.NewInt(size))
			return start.Sign() >= 0 && start.Cmp(big.NewInt(at)) <= 0 && end.Cmp(big.NewInt(at)) > 0
		}
		if at < 0 {
			if n != 0 {
				t.Fatalf("%d is in %d windows", at, n)
			}
			return
		}
		if first%advance != 0 || n < 1 || !holds(0) || !holds(n-1) || holds(-1) || holds(n) {
			t.Fatalf("Hopping(%d, %d, %d) = %d, %d", at, size, advance, first, n)
		}
		if size == advance && first != TumblingStart(at, size) {
			t.Fatalf("of windows that touch, %d is in the one from %d on, and in that from %d on", at, first, TumblingStart(at, size))
		}
	})
}

func TestKeys(t *testing.T) {
	b := AppendKey([]byte("x"), []byte("key"), 258)
	if want := []byte("xkey\x00\x00\x00\x00\x00\x00\x01\x02"); !bytes.Equal(b, want) {
		t.Errorf("%q, want %q", b, want)
	}
	if key, start, ok := SplitKey(b[1:]); string(key) != "key" || start != 258 || !ok {
		t.Error(key, start, ok)
	}
	if _, _, ok := SplitKey(b[:7]); ok {
		t.Error("7 bytes have no window")
	}
	if string(Inner(b)) != "xkey" || Inner(nil) != nil || Inner(AppendKey(nil, nil, 1)) == nil {
		t.Error("the key within")
	}
	s := AppendSessionKey(nil, []byte("key"), 1, 2)
	if want := []byte("key\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01"); !bytes.Equal(s, want) {
		t.Errorf("%q, want %q", s, want)
	}
	if key, start, end, ok := SplitSessionKey(s); string(key) != "key" || start != 1 || end != 2 || !ok {
		t.Error(key, start, end, ok)
	}
	if _, _, _, ok := SplitSessionKey(s[:15]); ok || SessionInner(s[:15]) != nil || string(SessionInner(s)) != "key" {
		t.Error("the key within a session")
	}
	if End(5, 10) != 15 || End(math.MaxInt64-1, 10) != math.MaxInt64 || End(0, Forever) != Forever {
		t.Error("ends")
	}
}
