package state

import "encoding/binary"

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendClocks(dst []byte, list []ClockValue) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, v := range list {
		dst = binary.AppendUvarint(dst, uint64(v.Store))
		dst = appendText(dst, v.Name)
		dst = binary.AppendVarint(dst, v.Time)
	}
	return dst
}

// reader reads control rows. After the first error everything is zero.
type reader struct {
	src []byte
	err error
}

func (r *reader) fail() {
	r.src, r.err = nil, errShort
}

func (r *reader) byte() byte {
	if len(r.src) == 0 {
		r.fail()
		return 0
	}
	b := r.src[0]
	r.src = r.src[1:]
	return b
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.src)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.src = r.src[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.src)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.src = r.src[n:]
	return v
}

// count is a number of elements. Each takes a byte at least, so that no broken count makes a long loop.
func (r *reader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.src)) {
		r.fail()
		return 0
	}
	return int(n)
}

// bytes are a length and that many bytes, as a view.
func (r *reader) bytes() []byte {
	n := r.count()
	b := r.src[:n:n]
	r.src = r.src[n:]
	return b
}

func (r *reader) text() string { return string(r.bytes()) }

func (r *reader) clocks() (list []ClockValue) {
	for range r.count() {
		list = append(list, ClockValue{uint16(r.uvarint()), r.text(), r.varint()})
	}
	return list
}
