package tally

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/streamgen/streamgen/runtime/decimal"
)

// A sketch tells how many values differ without keeping them: of the hashes that share their first bits, the longest run of zeros behind
// those (Flajolet and others, 2007; the estimate is that of Ertl, 2017). While they are few it has the hashes themselves, as far as that
// matters.
//
// In bytes: sorted entries of few, or registers. A sketch is never written to: what Note and Union give is another one.
const (
	registerBits = 12
	registers    = 1 << registerBits

	// An entry is the first bits of a hash, and the run of zeros behind those.
	entryLen  = 4
	indexBits = 26
	runBits   = 8*entryLen - indexBits
	most      = registers/entryLen - 1 // entries: so many take less than the registers
)

// Note adds the hash of a value.
func Note(sketch []byte, hash uint64) []byte {
	if len(sketch) == registers {
		return noteRun(sketch, int(hash>>(64-registerBits)), run(hash, registerBits))
	}
	entry := uint32(hash>>(64-indexBits))<<runBits | uint32(run(hash, indexBits))
	return noteEntry(sketch, entry)
}

// run is one more than the zeros that a hash has behind its first bits.
func run(hash uint64, first int) byte {
	return byte(min(bits.LeadingZeros64(hash<<first), 64-first) + 1)
}

func noteRun(sketch []byte, i int, run byte) []byte {
	if sketch[i] >= run {
		return sketch
	}
	sketch = bytes.Clone(sketch)
	sketch[i] = run
	return sketch
}

// find is the place of an entry.
func find(sketch []byte, entry uint32) (at int, there bool) {
	low, high := 0, len(sketch)/entryLen
	for low < high {
		mid := (low + high) / 2
		switch e := binary.BigEndian.Uint32(sketch[mid*entryLen:]); {
		case e == entry:
			return mid, true
		case e < entry:
			low = mid + 1
		default:
			high = mid
		}
	}
	return low, false
}

// dense is a sketch of entries with registers.
func dense(sketch []byte) []byte {
	d := make([]byte, registers)
	for ; len(sketch) > 0; sketch = sketch[entryLen:] {
		i, r := register(binary.BigEndian.Uint32(sketch))
		d[i] = max(d[i], r)
	}
	return d
}

// register is the register of an entry, and the run that it has there.
func register(entry uint32) (i int, r byte) {
	index := entry >> runBits
	i = int(index >> (indexBits - registerBits))
	if rest := index << (32 - indexBits + registerBits); rest != 0 {
		return i, byte(bits.LeadingZeros32(rest) + 1)
	}
	return i, byte(indexBits-registerBits) + byte(entry&(1<<runBits-1))
}

// Union is a sketch of the values of both.
func Union(a, b []byte) []byte {
	if len(a) < len(b) && len(b) == registers {
		a, b = b, a
	}
	if len(b) == registers {
		a = bytes.Clone(a)
		for i, r := range b {
			a[i] = max(a[i], r)
		}
		return a
	}
	for ; len(b) > 0; b = b[entryLen:] {
		a = noteEntry(a, binary.BigEndian.Uint32(b))
	}
	return a
}

// noteEntry adds an entry of another sketch.
func noteEntry(sketch []byte, entry uint32) []byte {
	if len(sketch) == registers {
		i, r := register(entry)
		return noteRun(sketch, i, r)
	}
	at, there := find(sketch, entry)
	switch {
	case there:
		return sketch
	case len(sketch)/entryLen < most:
		return slices.Insert(slices.Clip(sketch), at*entryLen, binary.BigEndian.AppendUint32(nil, entry)...)
	}
	return noteEntry(dense(sketch), entry)
}

// Differ is about how many values differ.
func Differ(sketch []byte) int64 {
	if len(sketch) < registers { // two hashes fall together in one of 60 million pairs
		return int64(len(sketch) / entryLen)
	}
	var counts [64 - registerBits + 2]float64
	for _, r := range sketch {
		counts[min(int(r), len(counts)-1)]++
	}
	last := len(counts) - 1
	z := registers * tau(1-counts[last]/registers)
	for k := last - 1; k > 0; k-- {
		z = (z + counts[k]) / 2
	}
	z += registers * sigma(counts[0]/registers)
	return int64(math.Round(registers / (2 * math.Ln2) * registers / z))
}

func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	z, y := x, 1.0
	for {
		x *= x
		before := z
		z += x * y
		y += y
		if z == before {
			return z
		}
	}
}

func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	z, y := 1-x, 1.0
	for {
		x = math.Sqrt(x)
		before := z
		y /= 2
		z -= (1 - x) * (1 - x) * y
		if z == before {
			return z / 3
		}
	}
}

// HashText is the hash of a text, the same on any machine.
func HashText[T ~string | ~[]byte](s T) uint64 {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mixed(h)
}

// HashInt is the hash of a number.
func HashInt(n int64) uint64 { return mixed(uint64(n) + 0x9e3779b97f4a7c15) }

// HashFloat is the hash of a float; 0 is -0.
func HashFloat(x float64) uint64 { return HashInt(int64(math.Float64bits(x + 0))) }

// mixed makes every bit depend on all of h (Murmur3's finish).
func mixed(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// HashDecimal is the hash of a decimal.
func HashDecimal(d decimal.Decimal) uint64 {
	hi, lo := d.Words()
	return mixed(HashInt(hi) + lo)
}
