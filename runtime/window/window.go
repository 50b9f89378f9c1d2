// Package window is the arithmetic of windows: which ones hold a time, and how a key with a window is bytes.
//
// It stands below state and generated code. Times are milliseconds since the Unix epoch, lengths milliseconds. All functions are
// right for every int64: what would overflow is the nearest time that there is.
package window

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/streamgen/streamgen/runtime/temporal"
)

// Forever is the end of a window that never ends.
const Forever = math.MaxInt64

// Key is a key and the window that its row stands for: the Go form of windowed(K). End is the first time behind a time window, and the
// last one in a session or a sliding window.
type Key[K any] struct {
	Key        K
	Start, End temporal.Timestamp
}

// TumblingStart is the start of the window that holds t, of those of one size from the epoch on.
func TumblingStart(t, size int64) int64 {
	if t < 0 {
		return below(t, size)
	}
	return t - t%size
}

func below(t, size int64) int64 {
	r := t % size
	if r == 0 {
		return t
	}
	if t < math.MinInt64+size+r {
		return math.MinInt64
	}
	return t - r - size
}

// Hopping is the start of the first window that holds t, of those of one size which begin every advance milliseconds from the epoch
// on, and how many hold it. None begins before the epoch, so times before it are in no window.
func Hopping(t, size, advance int64) (first int64, n int64) {
	if t < 0 {
		return 0, 0
	}
	last := t - t%advance
	if from := t - size; from >= 0 { // the first one begins behind it
		first = from - from%advance + advance
	}
	return first, (last-first)/advance + 1
}

// End is the end of a window of a length.
func End(start, size int64) int64 {
	if start > math.MaxInt64-size {
		return math.MaxInt64
	}
	return start + size
}

// StartLen is how many bytes the start of a window takes in the bytes of a key.
const StartLen = 8

// AppendKey appends a key in a time window as Kafka Streams writes it: the key, then the start. Where the window ends, the bytes do
// not say.
func AppendKey(dst, key []byte, start int64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, key...), uint64(start))
}

// AppendStart appends the start of a time window to the bytes of a key, AppendBounds those of a session.
func AppendStart(key []byte, start temporal.Timestamp) []byte {
	return binary.BigEndian.AppendUint64(key, uint64(start))
}

// AppendBounds appends the end and the start of a session to the bytes of a key.
func AppendBounds(key []byte, start, end temporal.Timestamp) []byte {
	return AppendStart(AppendStart(key, end), start)
}

// SplitKey takes apart what AppendKey wrote. The key is a part of b.
func SplitKey(b []byte) (key []byte, start int64, ok bool) {
	n := len(b) - StartLen
	if n < 0 {
		return nil, 0, false
	}
	return b[:n:n], int64(binary.BigEndian.Uint64(b[n:])), true
}

// AppendSessionKey appends a key in a session as Kafka Streams writes it: the key, the end, then the start.
func AppendSessionKey(dst, key []byte, start, end int64) []byte {
	return binary.BigEndian.AppendUint64(AppendKey(dst, key, end), uint64(start))
}

// SplitSessionKey takes apart what AppendSessionKey wrote. The key is a part of b.
func SplitSessionKey(b []byte) (key []byte, start, end int64, ok bool) {
	key, start, ok = SplitKey(b)
	if ok {
		key, end, ok = SplitKey(key)
	}
	return key, start, end, ok
}

// Inner is the key within a key in a time window, SessionInner that within one in a session: what records are partitioned by. It
// is null if b is.
func Inner(b []byte) []byte { return inner(b, StartLen) }

// SessionInner is Inner of a key in a session.
func SessionInner(b []byte) []byte { return inner(b, 2*StartLen) }

func inner(b []byte, n int) []byte {
	if len(b) < n {
		return nil
	}
	return b[: len(b)-n : len(b)-n]
}

// ErrKey says that bytes are too short for a key with a window, ErrEnds that a session ends before it begins.
var (
	ErrKey  = errors.New("the key has no window: it is too short")
	ErrEnds = errors.New("the window of the key ends before it begins")
)
