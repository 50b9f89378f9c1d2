package list

import (
	"errors"
	"slices"
	"testing"
)

type item struct {
	n    int
	tags []string
}

// The memory of elements that are gone is used again, with the lists in it.
func TestMore(t *testing.T) {
	fill := func(s []item, n int) []item {
		for i := range n {
			s = More(s)
			e := &s[len(s)-1]
			e.n, e.tags = i, append(e.tags[:0], "a", "b")
		}
		return s
	}
	s := fill(nil, 3)
	if n := testing.AllocsPerRun(100, func() { s = fill(s[:0], 3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(s) != 3 || s[2].n != 2 || len(s[2].tags) != 2 {
		t.Errorf("%v", s)
	}
}

func TestAt(t *testing.T) {
	s := []string{"a", "b"}
	if v, err := At(s, 1); v != "b" || err != nil {
		t.Error(v, err)
	}
	for _, i := range []int64{-1, 2, 1 << 62, -1 << 63} {
		if v, err := At(s, i); v != "" || !errors.Is(err, ErrIndex) {
			t.Errorf("%d: %q, %v", i, v, err)
		}
	}
}

func TestEqualKeep(t *testing.T) {
	equal := func(a, b *item) bool { return a.n == b.n && slices.Equal(a.tags, b.tags) }
	a := []item{{1, []string{"x"}}, {2, nil}}
	b := Keep(a, func(dst, src *item) { dst.n, dst.tags = src.n, slices.Clone(src.tags) })
	if !Equal(a, b, equal) || Equal(a, b[:1], equal) || !Equal(nil, []item{}, equal) || Keep(a[:0], nil) != nil {
		t.Errorf("%v, %v", a, b)
	}
	a[0].tags[0] = "y"
	if Equal(a, b, equal) || b[0].tags[0] != "x" {
		t.Error("the copy shares memory")
	}
}
