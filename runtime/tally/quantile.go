package tally

import (
	"math"
	"slices"
)

// What a quantile is made of are buckets of numbers that hardly differ, in ascending order, and how many numbers are in each: exact
// counts, so that buckets of several rows add up and a number is taken away again, whatever the order.

// bucketBits are the digits of a number, behind the first, that its bucket has: it is less than 1 % wide, and holds one whole number up
// to 256.
const bucketBits = 7

const dropped = 52 - bucketBits

// Bucket is the bucket of a number. NaN is in the last one.
func Bucket(x float64) int32 {
	if math.IsNaN(x) {
		return math.MaxInt32
	}
	b := int32(math.Float64bits(math.Abs(x)) >> dropped)
	if x < 0 {
		return -b
	}
	return b
}

// within is the number of a bucket that is nearest to 0.
func within(bucket int32) float64 {
	switch {
	case bucket == math.MaxInt32:
		return math.NaN()
	case bucket < 0:
		return -within(-bucket)
	}
	return math.Float64frombits(uint64(bucket) << dropped)
}

// Quantile is the least number that a share of all numbers, between 0 and 1, is not greater than; 0 of none. It is less than 1 % too
// near to 0.
func Quantile(buckets []int32, counts []int64, share float64) float64 {
	all := int64(0)
	for _, n := range counts {
		all += n
	}
	rest := int64(math.Ceil(share*float64(all) - 1e-9)) // of 7 % of 100 numbers 7 are wanted, though 0.07 is a little more
	rest = max(rest, 1)
	for i, n := range counts {
		if rest -= n; rest <= 0 {
			return within(buckets[i])
		}
	}
	return 0
}

// Merge adds what is counted in other lists. Those that are given stay as they are.
func Merge(values []int32, counts []int64, others []int32, times []int64) ([]int32, []int64) {
	values, counts = slices.Clone(values), slices.Clone(counts)
	for i, v := range others {
		at, there := slices.BinarySearch(values, v)
		if !there {
			values, counts = slices.Insert(values, at, v), slices.Insert(counts, at, 0)
		}
		counts[at] += times[i]
	}
	return values, counts
}
