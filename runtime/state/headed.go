package state

import (
	"encoding/binary"
	"slices"

	"github.com/streamgen/streamgen/runtime/record"
)

// headed are the headers of rows that leave as final results: those of the record that changed a row last, stored in front of it.
// Most rows have none, and cost nothing.
type headed struct {
	byKey  map[string][]byte // as they are stored
	memory int64
}

// keep makes headers those of the row of key.
func (h *headed) keep(key []byte, headers []record.Header) {
	if len(headers) == 0 {
		h.drop(key)
		return
	}
	if old, ok := h.byKey[string(key)]; ok {
		if b := appendHeaders(old[:0], headers); len(b) != len(old) { // else it is where it was; to write a map copies the key
			h.byKey[string(key)] = b
			h.memory += int64(cap(b) - cap(old))
		}
		return
	}
	h.set(key, appendHeaders(nil, headers))
}

// set takes headers as they are stored.
func (h *headed) set(key, headers []byte) {
	h.byKey[string(key)] = headers
	h.memory += headersMemory + int64(len(key)+cap(headers))
}

// drop forgets the headers of a row that leaves memory.
func (h *headed) drop(key []byte) {
	if b, ok := h.byKey[string(key)]; ok {
		h.memory -= headersMemory + int64(len(key)+cap(b))
		delete(h.byKey, string(key))
	}
}

// read are the headers of a row, in memory that stays.
func (h *headed) read(key []byte) []record.Header {
	if b, ok := h.byKey[string(key)]; ok {
		list, _ := readHeaders(slices.Clone(b))
		return list
	}
	return nil
}

// append appends the headers of a row as WithoutHeaders expects them.
func (h *headed) append(dst, key []byte) []byte {
	b := h.byKey[string(key)]
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// readHeaded reads a row of the backend with its headers.
func (s *KeyValue[V]) readHeaded(src []byte, key []byte, r *Row[V]) error {
	if len(src) < TimestampLen {
		return errShort
	}
	r.Timestamp = int64(binary.BigEndian.Uint64(src))
	value, err := WithoutHeaders(src[TimestampLen:])
	if err != nil {
		return err
	}
	if n, w := binary.Uvarint(src[TimestampLen:]); n > 0 {
		s.heads.set(key, slices.Clone(src[TimestampLen+w:TimestampLen+w+int(n)]))
	}
	return s.codec.Read(value, &r.Value)
}

// appendHeads appends the headers of r.
func (s *KeyValue[V]) appendHeads(dst []byte, r *Row[V]) []byte {
	if len(s.heads.byKey) == 0 {
		return append(dst, 0)
	}
	return s.heads.append(dst, s.keyOf(r))
}
