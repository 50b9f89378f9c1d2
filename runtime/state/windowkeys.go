package state

import "github.com/streamgen/streamgen/runtime/window"

// How many bytes of times the store keys of timed stores begin with: see Schema.Times.
const (
	SlidingTimes  = 8 // start
	SuppressTimes = 8 // when a change leaves
)

// SessionKey is the windowed key, as it is on the wire, of a row of Sessions that ends at a time: key, end, start.
func SessionKey(place []byte, end int64) []byte {
	_, key, start, _ := splitPlace(place)
	return window.AppendSessionKey(make([]byte, 0, len(key)+16), key, start, end)
}

// SlidingKey is the windowed key, as it is on the wire, of a store key of Sliding: key, start.
func SlidingKey(key []byte) []byte {
	return append(append(make([]byte, 0, len(key)), key[SlidingTimes:]...), key[:SlidingTimes]...)
}
