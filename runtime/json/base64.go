package json

import (
	"bytes"
	"encoding/base64"
)

// strict also refuses bits that are left over, so that bytes have one form.
var strict = base64.StdEncoding.Strict()

const notBase64 = "not in base64"

// Base64 reads bytes: a string in base64 with padding, as RFC 4648 has it and nothing else. The bytes are fresh memory.
func (r *Reader) Base64() []byte {
	text := r.Bytes()
	if r.problem != "" {
		return nil
	}
	out := make([]byte, strict.DecodedLen(len(text)))
	n, err := strict.Decode(out, text)
	if err != nil || bytes.ContainsAny(text, "\r\n") { // which Decode skips
		r.refusedAt(r.value, notBase64)
		return nil
	}
	return out[:n]
}

// SkipBase64 passes over bytes, which are checked but cost no memory.
func (r *Reader) SkipBase64() {
	text := r.Bytes()
	if r.problem != "" {
		return
	}
	if bytes.ContainsAny(text, "\r\n") {
		r.refusedAt(r.value, notBase64)
		return
	}
	var block [192]byte // of 256 characters
	for {
		part := text[:min(len(text), 256)]
		text = text[len(part):]
		n, err := strict.Decode(block[:], part)
		if err != nil || len(text) > 0 && n < len(block) { // padding before the end
			r.refusedAt(r.value, notBase64)
			return
		}
		if len(text) == 0 {
			return
		}
	}
}
