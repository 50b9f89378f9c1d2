package json

import (
	"unsafe"
)

// Most records have their fields in the order of their type and no white space. Generated decoders ask for these first, each by
// a comparison with what then stands there, and leave all else to Next:
//
//	r := json.Object(b)
//	if i := r.First(`{"id":`); i > 0 {
//		order.ID, i = r.TextAt(i)
//		if at := r.Then(i, `,"note":`); at > 0 {
//			i = r.SkipAt(at)
//		}
//		if at := r.Then(i, `,"customer":`); at > 0 {
//			r.Seek(at)
//			readCustomer(&r, &order.Customer)
//			i = r.Offset()
//		}
//		r.Seek(i)
//	}
//	for r.Next() {
//
// Where something else stands, nothing moves, and Next reads it: another field, white space, what is not JSON at all. On the way
// the offset is a variable of the decoder, not of the reader: it stays in a register, as each value begins where another ended.
// After a failure it is the end of the record, where no field is found any more.

// First enters the object if it begins with these bytes: a brace, the name of a field and a colon. It gives the offset behind
// them, and 0 if something else stands here. The value must then be read.
func (r *Reader) First(name string) int {
	end := r.i + len(name)
	if r.begun || r.depth >= MaxDepth || end >= len(r.b) || string(r.b[r.i:end]) != name {
		return 0
	}
	r.begun = true
	r.depth++
	return end
}

// Then is the offset behind these bytes if they stand at i, where a value ended: a comma, the name of a field and a colon. It is
// 0 if something else stands there. The value must then be read.
func (r *Reader) Then(i int, name string) int {
	if end := i + len(name); end < len(r.b) && same(unsafe.Pointer(&r.b[i]), unsafe.Pointer(unsafe.StringData(name)), len(name)-8) {
		return end
	}
	return 0
}

// same compares last+8 bytes. Where that is a constant, nearly all names are three comparisons of words, which may overlap.
func same(p, q unsafe.Pointer, last int) bool {
	if uint(last) > 16 {
		return unsafe.String((*byte)(p), last+8) == unsafe.String((*byte)(q), last+8)
	}
	return *(*[8]byte)(p) == *(*[8]byte)(q) && *(*[8]byte)(unsafe.Add(p, last/2)) == *(*[8]byte)(unsafe.Add(q, last/2)) &&
		*(*[8]byte)(unsafe.Add(p, last)) == *(*[8]byte)(unsafe.Add(q, last))
}

// Seek moves to the value at i, which any method may then read, or to where Next goes on.
func (r *Reader) Seek(i int) {
	r.i = i
	r.space()
	r.value = r.i
}

// Offset is where the value ended that was read last.
func (r *Reader) Offset() int { return r.i }

// TextAt reads the string at i as Text does. It gives the offset behind it, as all these do.
func (r *Reader) TextAt(i int) (string, int) {
	if b := r.b; i < len(b) && b[i] == '"' {
		end := plainEnd(b, i+1)
		if end > len(b)-8 {
			end = lastPlainEnd(b, end)
		}
		if end < len(b) && b[end] == '"' {
			return unsafe.String(&b[i+1], end-i-1), end + 1
		}
	}
	r.Seek(i)
	s := r.Text()
	return s, r.i
}

// SkipAt passes over the value at i as Skip does.
func (r *Reader) SkipAt(i int) int {
	if b := r.b; i < len(b) && b[i] == '"' {
		end := plainEnd(b, i+1)
		if end > len(b)-8 {
			end = lastPlainEnd(b, end)
		}
		if end < len(b) && b[end] == '"' {
			return end + 1
		}
	} else {
		end := digitsEnd(b, i)
		if end > i && end < len(b) && (b[end] == ',' || b[end] == '}') && (b[i] != '0' || end == i+1) {
			return end // an integer, as mostly
		}
		if end = numberEnd(b, i); end > i {
			return end
		}
	}
	r.Seek(i)
	r.Skip()
	return r.i
}

// Float64At reads the number at i as Float64 does.
func (r *Reader) Float64At(i int) (float64, int) {
	if v, end, ok := wordFloat(r.b, i); ok {
		return v, end
	}
	r.Seek(i)
	v := r.Float64()
	return v, r.i
}

// Int64At reads the integer at i as Int64 does.
func (r *Reader) Int64At(i int) (int64, int) {
	r.Seek(i)
	v := r.Int64()
	return v, r.i
}

// Int32At reads the integer at i as Int32 does.
func (r *Reader) Int32At(i int) (int32, int) {
	r.Seek(i)
	v := r.Int32()
	return v, r.i
}
