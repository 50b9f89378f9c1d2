package record

import "unsafe"

const (
	arenaBlock = 64 << 10
	minTail    = 512
	maxTail    = arenaBlock / 4
)

// Arena is append-only memory for bytes that die together: the outputs of an epoch, its encoded rows. Blocks never move,
// so a slice taken from it is valid until Reset.
//
// An arena has one owner goroutine. After a hand-over another one may own it. No string view of its bytes may outlive
// Reset, which lets them be overwritten.
type Arena struct {
	block []byte   // current block; its length is what is used
	full  [][]byte // earlier blocks, kept for Reset
	free  [][]byte // blocks to use before allocating
	tail  int      // what Tail offers at least; grows with the values, up to maxTail
	size  int      // bytes kept
	alone int      // bytes of values that did not fit into a block
}

// Tail returns an empty slice over the unused rest of the current block, to be appended to and given to Keep. No other
// call on the arena may stand between the two. A slice that is not given to Keep leaves no trace.
func (a *Arena) Tail() []byte {
	if cap(a.block)-len(a.block) < max(a.tail, minTail) {
		a.next()
	}
	return a.block[len(a.block):len(a.block):cap(a.block)]
}

// Keep makes b, grown from Tail, part of the arena and returns it with its capacity clipped. An empty b stays different
// from nil.
func (a *Arena) Keep(b []byte) []byte {
	a.size += len(b)
	if cap(b) == cap(a.block)-len(a.block) {
		a.block = a.block[:len(a.block)+len(b)]
		return b[:len(b):len(b)]
	}
	// b outgrew the block, and append moved it: it stands alone, and the block goes on unused.
	a.alone += cap(b)
	a.tail = min(max(2*a.tail, minTail), maxTail)
	return b[:len(b):len(b)]
}

// Copy puts a copy of b into the arena.
func (a *Arena) Copy(b []byte) []byte {
	return a.Keep(append(a.Tail(), b...))
}

// holds says whether b lies in the current block. Of what was kept before, that is not sure to be found.
func (a *Arena) holds(b []byte) bool {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(a.block)))
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))-start < uintptr(cap(a.block))
}

// Len is the number of bytes kept since the last Reset.
func (a *Arena) Len() int { return a.size }

// Memory is the number of bytes the arena holds on to, blocks that wait for reuse included.
func (a *Arena) Memory() int {
	blocks := len(a.full) + len(a.free)
	if a.block != nil {
		blocks++
	}
	return blocks*arenaBlock + a.alone
}

// Reset forgets everything. Blocks that were in use are kept for the next use, those that were not go to the garbage
// collector: so the arena follows the size of what it holds, one use late.
func (a *Arena) Reset() {
	a.free = a.free[:0]
	for _, b := range a.full {
		a.free = append(a.free, b[:0])
	}
	if a.block != nil {
		a.free = append(a.free, a.block[:0])
	}
	clear(a.full)
	a.full, a.block, a.size, a.alone = a.full[:0], nil, 0, 0
}

func (a *Arena) next() {
	if a.block != nil {
		a.full = append(a.full, a.block)
	}
	if n := len(a.free); n > 0 {
		a.block, a.free[n-1] = a.free[n-1], nil
		a.free = a.free[:n-1]
		return
	}
	a.block = make([]byte, 0, arenaBlock)
}
