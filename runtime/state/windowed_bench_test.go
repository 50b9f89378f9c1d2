package state

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/streamgen/streamgen/runtime/window"
)

// BenchmarkWindowed is a count of 10,000 keys in windows of a minute, with a commit every 10,000 records and rows that leave when their
// window closes: tumbling, and one every second, so that a record is in 60 of them.
func BenchmarkWindowed(b *testing.B) {
	for _, c := range []struct {
		name          string
		size, advance int64
	}{{"tumbling", 60_000, 60_000}, {"hopping-60", 60_000, 1_000}} {
		b.Run(c.name, func(b *testing.B) {
			backend := NewMemory(windowsSchemas...)
			s := NewStores(backend, nil)
			w := NewWindowed(s, windowsID, Codec[int64]{
				Append: func(dst []byte, v *int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(*v)) },
				Read:   func(src []byte, v *int64) error { *v = int64(binary.BigEndian.Uint64(src)); return nil },
			}, WindowedOptions{Size: c.size, Retention: c.size, Final: true})
			keys := make([][]byte, 10_000)
			for i := range keys {
				keys[i] = fmt.Appendf(nil, "customer-%d", i)
			}
			left := 0
			leave := func(int64, int64, []byte, *Row[int64]) error { left++; return nil }
			var f Frozen
			epoch := uint64(0)
			b.ReportAllocs()
			for i := range b.N {
				time := int64(i) // a record a millisecond
				w.Advance(0, time)
				start, n := window.Hopping(time, c.size, c.advance)
				for range n {
					if row, _, err := w.UpdateAt(start, keys[i*7919%len(keys)]); err != nil {
						b.Fatal(err)
					} else {
						row.Value++
						row.Timestamp = time
					}
					start += c.advance
				}
				for more := w.Due(); more; {
					var err error
					if more, err = w.Close(CloseStep, leave); err != nil {
						b.Fatal(err)
					}
				}
				if i%10_000 == 9_999 {
					epoch++
					s.Freeze(epoch, int64(epoch), &f)
					s.Applied(epoch)
					f.Reset()
				}
			}
		})
	}
}
