package text

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// The errors of decoding.
var (
	ErrHex    = errors.New("not hexadecimal")
	ErrBase64 = errors.New("not Base64")
	ErrURL    = errors.New("not percent-encoded UTF-8")
)

// Hex is x in hexadecimal digits, in lower case.
func (a *Arena) Hex(x []byte) string { return a.keep(hex.AppendEncode(a.tail(2*len(x)), x)) }

// Unhex is the bytes that hexadecimal digits of either case say.
func (a *Arena) Unhex(s string) ([]byte, error) {
	if len(s)%2 != 0 {
		return nil, ErrHex
	}
	b := a.tail(len(s) / 2)
	for i := 0; i < len(s); i += 2 {
		c, ok := hexByte(s[i:])
		if !ok {
			return nil, ErrHex
		}
		b = append(b, c)
	}
	a.keep(b)
	return b[:len(b):len(b)], nil
}

// hexByte is the byte that the first two bytes of s say.
func hexByte(s string) (byte, bool) {
	if len(s) < 2 {
		return 0, false
	}
	high, low := hexDigit(s[0]), hexDigit(s[1])
	return high<<4 | low, high < 16 && low < 16
}

func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 16
}

// Base64 is x in Base64, with padding.
func (a *Arena) Base64(x []byte) string {
	return a.keep(base64.StdEncoding.AppendEncode(a.tail(base64.StdEncoding.EncodedLen(len(x))), x))
}

// Unbase64 is the bytes that s says in Base64: of the standard alphabet or that of URLs, with or without padding. Line ends are
// refused, and so are bits behind the last byte that are not zero.
func (a *Arena) Unbase64(s string) ([]byte, error) {
	encoding := strictStd
	if strings.ContainsAny(s, "-_") {
		encoding = strictURL
	}
	if strings.ContainsAny(s, "\r\n") {
		return nil, ErrBase64
	}
	bare := strings.TrimRight(s, "=")
	if padding := len(s) - len(bare); padding > 2 || padding > 0 && len(s)%4 != 0 {
		return nil, ErrBase64
	}
	b, err := encoding.AppendDecode(a.tail(encoding.DecodedLen(len(bare))), unsafe.Slice(unsafe.StringData(bare), len(bare)))
	if err != nil {
		return nil, ErrBase64
	}
	a.keep(b)
	return b[:len(b):len(b)], nil
}

var (
	strictStd = base64.RawStdEncoding.Strict()
	strictURL = base64.RawURLEncoding.Strict()
)

const upperHex = "0123456789ABCDEF"

// URLEncode is s with all bytes but letters, digits and - . _ ~ written as %XX.
func (a *Arena) URLEncode(s string) string {
	escapes := 0
	for i := range len(s) {
		if !unreserved(s[i]) {
			escapes++
		}
	}
	if escapes == 0 {
		return s
	}
	b := a.tail(len(s) + 2*escapes)
	for i := range len(s) {
		if c := s[i]; unreserved(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return a.keep(b)
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// URLDecode is s with each %XX as the byte it stands for. The result must be UTF-8.
func (a *Arena) URLDecode(s string) (string, error) {
	if strings.IndexByte(s, '%') < 0 {
		return s, nil
	}
	b := a.tail(len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			var ok bool
			if c, ok = hexByte(s[i+1:]); !ok {
				return "", ErrURL
			}
			i += 2
		}
		b = append(b, c)
	}
	if !utf8.Valid(b) {
		return "", ErrURL
	}
	return a.keep(b), nil
}
