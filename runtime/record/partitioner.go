package record

import (
	"hash/crc32"
	"hash/fnv"
)

// Partitioner gives the partition of a key that is not null.
type Partitioner struct {
	Name string
	Of   func(key []byte, partitions int32) int32
}

// Partitioners are those by which the records of a topic may lie, as a spec names them; Kafka's own is the first. A topic may lie in
// another way, "manual", of which nothing is known but that records of one key lie together.
var Partitioners = []Partitioner{
	{"murmur2", Partition},
	{"fnv1a", fnv1a},
	{"crc32", checksum},
}

// fnv1a is Sarama's default, and librdkafka's fnv1a: the hash is taken as a signed number, without its sign.
func fnv1a(key []byte, partitions int32) int32 {
	h := fnv.New32a()
	h.Write(key)
	return max(int32(h.Sum32())%partitions, -(int32(h.Sum32()) % partitions))
}

// checksum is librdkafka's consistent, its default for records with a key.
func checksum(key []byte, partitions int32) int32 {
	return int32(crc32.ChecksumIEEE(key) % uint32(partitions))
}
