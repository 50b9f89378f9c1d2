package record

import "testing"

// The sums are those that the algorithms are published with: CRC-32 of "123456789", and FNV-1a of "foobar" and of "a", which are negative
// as signed numbers.
func TestPartitioners(t *testing.T) {
	const n = 1009
	for _, c := range []struct {
		name, key string
		want      int64
	}{
		{"crc32", "123456789", 0xcbf43926}, {"fnv1a", "foobar", 1<<32 - 0xbf9cf968}, {"fnv1a", "a", 1<<32 - 0xe40c292c},
		{"murmur2", "foobar", (1<<32 - 790332482) & 0x7fffffff},
	} {
		for _, p := range Partitioners {
			if p.Name == c.name && p.Of([]byte(c.key), n) != int32(c.want%n) {
				t.Errorf("%s puts %q in %d of %d, should be %d", c.name, c.key, p.Of([]byte(c.key), n), n, c.want%n)
			}
		}
	}
}
