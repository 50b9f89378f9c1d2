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
