// Package tally is what aggregators keep in rows that is more than a number: sums that a variance is made of, and lists of
// values. Generated sub-topologies call it while they change a row. Rows share lists with those that they were before: what a list
// has is never written again, it only grows behind its end.
package tally

import "math"

// Variance is what the variance of numbers is made of: their sum and that of their squares. Each is three floats, the greatest first,
// that together have some 159 bits, three times what a number has: the difference of the two keeps all the digits in which the
// numbers differ, and what is taken away leaves no trace unless it was far greater than all that stays.
type Variance struct {
	N                           int64 // numbers
	Beyond                      int64 // of them those that no square is made of: NaN, infinities, and what is greater than far
	Sum, Sum2, Sum3             float64
	Squares, Squares2, Squares3 float64
}

// far is up to where sums of squares, and their products, are finite.
const far = 1e140

// Add adds a number.
func (v *Variance) Add(x float64) { v.put(x, 1) }

// Take takes a number away that was added.
func (v *Variance) Take(x float64) {
	if v.put(x, -1); v.N == v.Beyond {
		*v = Variance{N: v.N, Beyond: v.Beyond}
	}
}

func (v *Variance) put(x float64, n int64) {
	v.N += n
	if !(math.Abs(x) <= far) {
		v.Beyond += n
		return
	}
	sign := float64(n)
	square, rest := times(x, x)
	v.sum(sign * x)
	v.squares(sign * rest)
	v.squares(sign * square)
}

// Merge adds the numbers of w.
func (v *Variance) Merge(w *Variance) {
	v.N += w.N
	v.Beyond += w.Beyond
	for _, x := range [...]float64{w.Sum3, w.Sum2, w.Sum} {
		v.sum(x)
	}
	for _, x := range [...]float64{w.Squares3, w.Squares2, w.Squares} {
		v.squares(x)
	}
}

func (v *Variance) sum(x float64) { v.Sum, v.Sum2, v.Sum3 = add(v.Sum, v.Sum2, v.Sum3, x) }

func (v *Variance) squares(x float64) {
	v.Squares, v.Squares2, v.Squares3 = add(v.Squares, v.Squares2, v.Squares3, x)
}

// Value is the variance of the numbers as a whole population: the mean of the squares of their distances from their mean. It is 0
// of none, and NaN with one that has no square.
func (v *Variance) Value() float64 {
	switch {
	case v.Beyond > 0:
		return math.NaN()
	case v.N == 0:
		return 0
	}
	n := float64(v.N)
	var d exact // n times the sum of the squares, less the square of the sum
	for _, x := range [...]float64{v.Squares3, v.Squares2, v.Squares} {
		d.product(n, x)
	}
	d.product(-v.Sum, v.Sum)
	d.product(-2*v.Sum, v.Sum2)
	d.product(-2*v.Sum, v.Sum3)
	d.product(-v.Sum2, v.Sum2)
	d.product(-2*v.Sum2, v.Sum3)
	d.product(-v.Sum3, v.Sum3)
	return max(0, d.value()) / (n * n)
}

// add is the sum of three floats and one.
func add(a, b, c, x float64) (sum, sum2, sum3 float64) {
	x, low := plus(c, x)
	x, mid := plus(b, x)
	top, high := plus(a, x)
	// What is left of each is added to the one before, until no two of them overlap.
	mid, low = plus(mid, low)
	high, mid = plus(high, mid)
	top, high = plus(top, high)
	mid, low = plus(mid, low)
	high, mid = plus(high, mid)
	return top, high, mid + low
}

// exact is a sum without any loss: of floats that do not overlap, the least first.
type exact struct {
	parts [20]float64 // two of each product
	n     int
}

func (s *exact) product(a, b float64) {
	p, rest := times(a, b)
	s.add(rest)
	s.add(p)
}

func (s *exact) add(x float64) {
	n := 0
	for _, p := range s.parts[:s.n] {
		var rest float64
		if x, rest = plus(x, p); rest != 0 {
			s.parts[n] = rest
			n++
		}
	}
	s.parts[n] = x
	s.n = n + 1
}

func (s *exact) value() (sum float64) {
	for _, p := range s.parts[:s.n] {
		sum += p
	}
	return sum
}

// plus is a + b, and what the sum has lost.
func plus(a, b float64) (sum, rest float64) {
	sum = a + b
	c := sum - a
	return sum, (a - (sum - c)) + (b - c)
}

// times is a product, and what it has lost.
func times(a, b float64) (product, rest float64) {
	p := float64(a * b) // rounded: nothing is fused with it
	return p, math.FMA(a, b, -p)
}
