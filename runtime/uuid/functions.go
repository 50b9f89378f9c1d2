package uuid

import (
	"crypto/sha1"
	"encoding/binary"

	"github.com/streamgen/streamgen/runtime/optional"
	"github.com/streamgen/streamgen/runtime/temporal"
)

// V5 is the UUID of version 5 that a name has in a space (RFC 9562, 5.5).
func V5[T ~string | ~[]byte](space UUID, name T) (u UUID) {
	var short [256]byte
	b := append(short[:0], space[:]...)
	sum := sha1.Sum(append(b, name...))
	copy(u[:], sum[:])
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return u
}

// Version says how u was made (RFC 9562, 4.2): 1 to 8, and what stands there in others.
func Version(u UUID) int64 { return int64(u[6] >> 4) }

// Time is when u was made, if it is of a version that says so: 1, 6 or 7. What is finer than a millisecond is cut off.
func Time(u UUID) optional.Of[temporal.Timestamp] {
	const (
		toUnix   = 0x01b21dd213814000 // from 15 October 1582, in units of 100 ns
		perMilli = 10_000
	)
	hi := binary.BigEndian.Uint64(u[:8])
	var ticks uint64 // since 15 October 1582
	switch {
	case u[8]>>6 != 2: // of another variant
		return optional.Of[temporal.Timestamp]{}
	case Version(u) == 7:
		return optional.Some(temporal.Timestamp(hi >> 16))
	case Version(u) == 1:
		ticks = hi>>32 | hi<<16&0xffff00000000 | hi<<48&0x0fff000000000000
	case Version(u) == 6:
		ticks = hi>>4&^uint64(0xfff) | hi&0xfff
	default:
		return optional.Of[temporal.Timestamp]{}
	}
	since := int64(ticks) - toUnix
	ms := since / perMilli
	if since%perMilli < 0 {
		ms--
	}
	return optional.Some(temporal.Timestamp(ms))
}
