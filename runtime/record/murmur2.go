package record

// Partition is the partition of a key under Kafka's default partitioner. The key is not null.
func Partition(key []byte, partitions int32) int32 {
	return int32(Murmur2(key)&0x7fffffff) % partitions
}

// Murmur2 is the hash of Kafka's default partitioner: 32-bit MurmurHash2 with Kafka's seed.
func Murmur2(b []byte) uint32 {
	const (
		seed = 0x9747b28c
		m    = 0x5bd1e995
	)
	h := seed ^ uint32(len(b))
	for len(b) >= 4 {
		k := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		k *= m
		k ^= k >> 24
		h *= m
		h ^= k * m
		b = b[4:]
	}
	switch len(b) {
	case 3:
		h ^= uint32(b[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(b[1]) << 8
		fallthrough
	case 1:
		h ^= uint32(b[0])
		h *= m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}
