package record

import (
	"errors"
	"slices"

	"github.com/streamgen/streamgen/runtime/optional"
)

// ErrTimestamp is a timestamp that a record cannot have.
var ErrTimestamp = errors.New("the timestamp is negative: a record has none before 1970")

// ErrFuture says that a record's time is farther in the future than its source allows.
var ErrFuture = errors.New("the time of the record lies too far in the future")

// SetHeader gives the header key one value, as the last of the list. It writes to h: a list of a record that was read must
// be cloned before.
func SetHeader(h []Header, key string, value []byte) []Header {
	return append(RemoveHeader(h, key), Header{Key: key, Value: value})
}

// RemoveHeader removes all headers of that key. It writes to h, as SetHeader does.
func RemoveHeader(h []Header, key string) []Header {
	return slices.DeleteFunc(h, func(x Header) bool { return x.Key == key })
}

// HeaderValue is the value of the last header of that key. It is null if there is none, or if the value is null.
func HeaderValue(h []Header, key string) optional.Of[[]byte] {
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].Key == key {
			return optional.If(h[i].Value, h[i].Value != nil)
		}
	}
	return optional.Of[[]byte]{}
}
