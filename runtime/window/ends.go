package window

import "encoding/binary"

// EndOf is the end of the window of a length that the bytes of a key in a time window say the start of.
func EndOf(key []byte, size int64) int64 {
	_, start, _ := SplitKey(key)
	return End(start, size)
}

// SessionEnd is the end of the session in the bytes of a key.
func SessionEnd(key []byte) int64 {
	if len(key) < 2*StartLen {
		return 0
	}
	return int64(binary.BigEndian.Uint64(key[len(key)-2*StartLen:]))
}
