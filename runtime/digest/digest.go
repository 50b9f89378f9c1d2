// Package digest is the hash functions of expressions. A string is hashed as its bytes.
package digest

import (
	"crypto/sha256"

	"github.com/cespare/xxhash/v2"

	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/text"
)

// Murmur2 is the hash of Kafka's default partitioner, as Java has it.
func Murmur2(b []byte) int32 { return int32(record.Murmur2(b)) }

// XXHash is XXH64 with seed 0.
func XXHash(b []byte) int64 { return int64(xxhash.Sum64(b)) }

// SHA256 is the SHA-256 of b, written into the arena.
func SHA256(a *text.Arena, b []byte) []byte {
	sum := sha256.Sum256(b)
	return a.Bytes(sum[:])
}
