package p1_test

import (
	"testing"

	"github.com/streamgen/streamgen/bench/figures"
	"github.com/streamgen/streamgen/bench/p1/orders"
	"github.com/streamgen/streamgen/bench/p1/pair"
)

// BenchmarkStep is P1 without a broker. `go run ./bench/p1/compare -only process` runs the sides in turns, which is fairer where
// the machine is shared.
func BenchmarkStep(b *testing.B) {
	sides, err := pair.Sides(orders.Make(64 * pair.BatchSize))
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range sides {
		b.Run(s.Name, func(b *testing.B) {
			for n := range 64 {
				if err := s.Batch(n); err != nil {
					b.Fatal(err)
				}
			}
			n := 0
			used := figures.Now()
			for b.Loop() {
				if err := s.Batch(n); err != nil {
					b.Fatal(err)
				}
				n++
			}
			used = used.Since()
			records := float64(n * pair.BatchSize)
			b.ReportMetric(float64(used.CPU.Nanoseconds())/records, "cpu-ns/record")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/records, "ns/record")
			b.ReportMetric(float64(used.Allocs)/records, "allocs/record")
			b.ReportMetric(0, "ns/op")
		})
	}
}
