package record

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"testing"
)

// The vectors were made by Kafka's own partitioner.
func TestPartition(t *testing.T) {
	data, err := os.ReadFile("testdata/partitions.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Keys []struct {
			Hex       string
			Murmur2   int32
			Partition map[string]int32
		}
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Keys) < 20 {
		t.Fatalf("%d vectors", len(vectors.Keys))
	}
	for _, v := range vectors.Keys {
		key, err := hex.DecodeString(v.Hex)
		if err != nil {
			t.Fatal(err)
		}
		if got := int32(Murmur2(key)); got != v.Murmur2 {
			t.Errorf("Murmur2(%s) = %d, want %d", v.Hex, got, v.Murmur2)
		}
		for n, want := range v.Partition {
			count, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}
			if got := Partition(key, int32(count)); got != want {
				t.Errorf("Partition(%s, %d) = %d, want %d", v.Hex, count, got, want)
			}
		}
	}
}
