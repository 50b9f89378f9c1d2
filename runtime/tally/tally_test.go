package tally_test

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/streamgen/streamgen/runtime/tally"
)

// exactly is the variance by fractions.
func exactly(list []float64) float64 {
	n, sum, squares := big.NewRat(int64(len(list)), 1), new(big.Rat), new(big.Rat)
	for _, x := range list {
		v := new(big.Rat).SetFloat64(x)
		sum.Add(sum, v)
		squares.Add(squares, v.Mul(v, v))
	}
	d := squares.Mul(squares, n)
	d.Sub(d, sum.Mul(sum, sum))
	v, _ := d.Quo(d, n.Mul(n, n)).Float64()
	return v
}

// TestVariance: the variance is right to the last digits however small it is beside the numbers, also after others that were far away
// have been taken away, in whatever order, and after parts were put together.
func TestVariance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name       string
		at, spread float64
	}{
		{"around 0", 0, 1}, {"far from 0", 1e9, 1}, {"farther", 1e12, 1e-2}, {"next to each other", 1e6, 1e-9}, {"great", -1e120, 1e110}, {"small", 1e-80, 1e-90},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v, w tally.Variance
			var list []float64
			for i := range 2000 {
				x := c.at + c.spread*r.NormFloat64()
				list = append(list, x)
				v.Add(x)
				if i%3 == 0 { // of which nothing stays
					w.Add(c.at + 1e12*c.spread)
				}
			}
			for i := range 2000 {
				if i%3 == 0 {
					w.Take(c.at + 1e12*c.spread)
				}
			}
			v.Merge(&w)
			for range 1500 {
				i := r.IntN(len(list))
				v.Take(list[i])
				list = slices.Delete(list, i, i+1)
			}
			got, want := v.Value(), exactly(list)
			if math.Abs(got-want) > 1e-12*want {
				t.Errorf("%v, not %v", got, want)
			}
			if v.N != 500 {
				t.Errorf("%d numbers", v.N)
			}
			for _, x := range list {
				v.Take(x)
			}
			if v != (tally.Variance{}) {
				t.Errorf("%v is left", v)
			}
		})
	}
}

func TestVarianceOfEqualNumbers(t *testing.T) {
	for _, x := range []float64{0.1, 1e15 + 1, 1.0 / 3, -7e99, 5e-324} {
		var v tally.Variance
		for range 1000 {
			v.Add(x)
			if got := v.Value(); got != 0 {
				t.Fatalf("%v of %d times %v", got, v.N, x)
			}
		}
	}
	var v tally.Variance
	if v.Add(1e15); v.Value() != 0 {
		t.Error("of one number")
	}
	if v.Add(1e15 + 1); v.Value() != 0.25 {
		t.Error(v.Value())
	}
}

// TestVarianceBeyond: what has no square makes the variance NaN as long as it is there, and leaves nothing behind.
func TestVarianceBeyond(t *testing.T) {
	for _, odd := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e200} {
		var v tally.Variance
		v.Add(1)
		v.Add(odd)
		v.Add(3)
		if got := v.Value(); !math.IsNaN(got) {
			t.Errorf("%v with %v", got, odd)
		}
		if v.Take(odd); v.Value() != 1 {
			t.Errorf("%v without %v", v.Value(), odd)
		}
	}
}

// TestLists: what lists become is what sorting everything gives, and they stay as they were.
func TestLists(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		most := 1 + r.IntN(6)
		var top, all []int
		var values []int
		var counts []int64
		for range 40 {
			if len(all) > 0 && r.IntN(3) == 0 {
				i := r.IntN(len(all))
				before, times := slices.Clone(values), slices.Clone(counts)
				v, n := tally.Take(values, counts, all[i])
				if !slices.Equal(values, before) || !slices.Equal(counts, times) {
					t.Fatal("Take wrote into a list")
				}
				values, counts = v, n
				all = slices.Delete(all, i, i+1)
			}
			x := r.IntN(12)
			all = append(all, x)
			before, times := slices.Clone(values), slices.Clone(counts)
			v, n := tally.Put(values, counts, x)
			if !slices.Equal(values, before) || !slices.Equal(counts, times) {
				t.Fatal("Put wrote into a list")
			}
			values, counts = v, n
			sorted := slices.Sorted(slices.Values(all))
			differ := slices.Compact(slices.Clone(sorted))
			slices.Reverse(sorted)
			if want := sorted[:min(most, len(sorted))]; !slices.Equal(tally.Top(values, counts, most), want) {
				t.Fatalf("top %v, not %v", tally.Top(values, counts, most), want)
			}
			if !slices.Equal(values, differ) {
				t.Fatalf("%v, not %v", values, differ)
			}
		}
		type item struct{ by, at int }
		var best, came []item
		by := func(a, b item) int { return cmp.Compare(a.by, b.by) }
		for i := range 30 {
			x := item{r.IntN(8), i}
			came = append(came, x)
			if at, ok := tally.RankBy(best, x, most, by); ok {
				before := slices.Clone(best)
				next := tally.Insert(best, at, x, most)
				if !slices.Equal(best, before) {
					t.Fatal("Insert wrote into a list")
				}
				best = next
			}
			if at, ok := tally.Rank(top, x.by, most); ok {
				top = tally.Insert(top, at, x.by, most)
			}
			slices.SortStableFunc(came, func(a, b item) int { return -by(a, b) })
			if want := came[:min(most, len(came))]; !slices.Equal(best, want) {
				t.Fatalf("%v, not %v: those that came first stay", best, want)
			}
			for j, b := range best {
				if top[j] != b.by {
					t.Fatalf("%v, not %v", top, best)
				}
			}
		}
	}
}

func TestJoin(t *testing.T) {
	long := make([]int, 3, 8)
	if got := tally.Join(long[:1], []int{7, 8, 9}, 3); !slices.Equal(got, []int{0, 7, 8}) {
		t.Error(got)
	}
	if got := tally.Join([]int{1, 2}, []int{3}, 2); !slices.Equal(got, []int{1, 2}) {
		t.Error(got)
	}
}

// TestNothingIsAllocated: as a rule a record finds that the list has what matters.
func TestNothingIsAllocated(t *testing.T) {
	top := []string{"e", "d", "c"}
	var v tally.Variance
	if n := testing.AllocsPerRun(100, func() {
		if _, ok := tally.Rank(top, "b", 3); ok {
			t.Error("b is none of the three")
		}
		v.Add(3)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, of := range []func() float64{
		func() float64 { return math.Exp(3 * r.NormFloat64()) },
		func() float64 { return 1e9 * r.NormFloat64() },
		func() float64 { return float64(r.IntN(250) - 120) },
	} {
		var buckets, more []int32
		var counts, times []int64
		var all []float64
		for i := range 3000 {
			x := of()
			if all = append(all, x); i%2 == 0 {
				buckets, counts = tally.Put(buckets, counts, tally.Bucket(x))
			} else {
				more, times = tally.Put(more, times, tally.Bucket(x))
			}
		}
		buckets, counts = tally.Merge(buckets, counts, more, times)
		for range 1000 {
			i := r.IntN(len(all))
			buckets, counts = tally.Take(buckets, counts, tally.Bucket(all[i]))
			all = slices.Delete(all, i, i+1)
		}
		slices.Sort(all)
		for _, share := range []float64{0, 0.001, 0.25, 0.5, 0.9, 0.99, 1} {
			want := all[max(0, int(math.Ceil(share*2000-1e-9))-1)]
			got := tally.Quantile(buckets, counts, share)
			if math.Abs(got) > math.Abs(want) || math.Abs(got) < 0.99*math.Abs(want) || want == math.Trunc(want) && math.Abs(want) <= 256 && got != want {
				t.Errorf("%v of all are not above %v, not %v", share, want, got)
			}
		}
	}
	if b, n := tally.Put(nil, nil, tally.Bucket(math.NaN())); !math.IsNaN(tally.Quantile(b, n, 0.5)) {
		t.Error("NaN is another number")
	}
	if tally.Quantile(nil, nil, 0.5) != 0 || tally.Bucket(math.Copysign(0, -1)) != tally.Bucket(0) || tally.Bucket(math.Inf(1)) >= tally.Bucket(math.NaN()) {
		t.Error("of none, of zeros or of infinities")
	}
}

// TestDiffer: few values are counted, of many the estimate is good to some percent; in which order they came, or in how many sketches,
// does not matter, nor how often.
func TestDiffer(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 1023, 1024, 5000, 20_000, 300_000} {
		var one, even, odd []byte
		for i := range n {
			h := tally.HashInt(int64(i) * 7)
			one = tally.Note(one, h)
			if i%2 == 0 {
				even = tally.Note(even, h)
			} else {
				odd = tally.Note(odd, h)
			}
		}
		for i := range min(n, 3000) {
			before := one
			if one = tally.Note(one, tally.HashInt(int64(i)*7)); !tally.Same(before, one) {
				t.Fatalf("%d is new twice", i)
			}
		}
		got := tally.Differ(one)
		if n <= 1023 && got != int64(n) || math.Abs(float64(got)-float64(n)) > 0.05*float64(n) {
			t.Errorf("%d, not %d", got, n)
		}
		if both := tally.Union(even, odd); !slices.Equal(both, one) || !slices.Equal(tally.Union(odd, even), one) {
			t.Errorf("two sketches of %d are not one", n)
		}
	}
}

// TestHashes: they are in rows, and stay what they are.
func TestHashes(t *testing.T) {
	if tally.HashText("a") != 0x82a2a958a9bece5b || tally.HashInt(1) != tally.HashInt(int64(int32(1))) || tally.HashText([]byte("a")) != tally.HashText("a") {
		t.Errorf("%#x", tally.HashText("a"))
	}
	if tally.HashFloat(math.Copysign(0, -1)) != tally.HashFloat(0) {
		t.Error("0 and -0")
	}
}
