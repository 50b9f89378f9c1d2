package pair

import (
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/record"
)

// TestSidesSendTheSame: whoever is fast because it does something else is not compared.
func TestSidesSendTheSame(t *testing.T) {
	for _, f := range Families {
		t.Run(f.Name, func(t *testing.T) {
			batches := 120 // some twelve seconds
			f.PerMilli = perMilli
			if strings.HasPrefix(f.Name, "hopping") {
				f.PerMilli = 1 // slices go
				f.shape = late
			}
			if f.Fill > 0 {
				f.Fill = 100 // of a million rows a tenth will do
				f.Keys = f.Fill * BatchSize
				batches = f.Fill + 20
				if f.Table { // two tables come first
					f.Keys = 10 * BatchSize
				}
			}
			var sums []Sums
			for _, memory := range []int64{256 << 20, 0, 8 << 20} {
				var s *Side
				var err error
				if memory == 0 {
					s, err = Hand(f, t.TempDir())
				} else {
					s, err = Generated(f, t.TempDir(), memory)
				}
				if err != nil {
					t.Fatal(err)
				}
				events := NewEvents(f)
				for n := range batches {
					if n == f.Fill {
						if err := s.Settle(); err != nil {
							t.Fatal(err)
						}
					}
					if err := s.Batch(events.Next()); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				sums = append(sums, s.Sums)
			}
			if strings.HasPrefix(f.Name, "count") {
				sums[2] = sums[1] // what does not fit is committed early, and more updates leave
			}
			if sums[0] != sums[1] || sums[2] != sums[1] || sums[0].Results == 0 {
				t.Errorf("generated %+v, by hand %+v, generated with little memory %+v", sums[0], sums[1], sums[2])
			}
		})
	}
}

// late lets one event in ten come up to 70 seconds behind its time.
func late(e *Events, r *record.Record) {
	if e.n%10 == 0 {
		r.Timestamp -= e.n * 7919 % 70_000
	}
}
