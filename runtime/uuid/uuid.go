// Package uuid holds UUIDs of generated records: what a field or key of the language's type uuid is in Go.
//
// It stands at the bottom of the runtime and knows one form of text: that of RFC 9562, which Kafka's UUIDSerializer writes too.
package uuid

import "errors"

// UUID is the sixteen bytes of a UUID, in the order of its text. UUIDs are compared by ==.
type UUID [16]byte

// Size is the length of the text of a UUID.
const Size = 36

// Err is what Parse gives for a text that is no UUID.
var Err = errors.New("not a UUID, which is written as 01234567-89ab-cdef-0123-456789abcdef")

// Parse reads the text form, in lower or upper case.
func Parse[T ~string | ~[]byte](s T) (UUID, error) {
	var u UUID
	if len(s) != Size {
		return UUID{}, Err
	}
	at := 0
	for i := range u {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			if s[at] != '-' {
				return UUID{}, Err
			}
			at++
		}
		hi, lo := digit(s[at]), digit(s[at+1])
		if hi|lo > 15 {
			return UUID{}, Err
		}
		u[i] = hi<<4 | lo
		at += 2
	}
	return u, nil
}

// digit is the value of a hexadecimal digit, or 255.
func digit(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

// Append writes the text of u, in lower case.
func Append(dst []byte, u UUID) []byte {
	const hex = "0123456789abcdef"
	for i, b := range u {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hex[b>>4], hex[b&15])
	}
	return dst
}

// String is the text of u, in lower case.
func (u UUID) String() string { return string(Append(make([]byte, 0, Size), u)) }
