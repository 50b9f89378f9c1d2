package digest

import (
	"encoding/hex"
	"testing"

	"github.com/streamgen/streamgen/runtime/text"
)

func TestDigests(t *testing.T) {
	var a text.Arena
	// Published values: of Kafka's own tests, of the XXH64 reference, of FIPS 180-2.
	if v := Murmur2([]byte("a-little-bit-long-string")); v != -985981536 {
		t.Error(v)
	}
	if v := uint64(XXHash([]byte("abc"))); v != 0x44bc2cf5ad770999 {
		t.Errorf("%x", v)
	}
	if v := hex.EncodeToString(SHA256(&a, nil)); v != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Error(v)
	}
	b := []byte("some key")
	if n := testing.AllocsPerRun(1000, func() { Murmur2(b); XXHash(b); SHA256(&a, b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
