// Package json reads and writes JSON for generated codecs: a cursor over one object, and append functions. Nothing is
// reflected and no tree is built; generated code says which fields it wants and skips the others.
//
// The reader is strict (RFC 8259 and I-JSON): the whole record is checked, also what is skipped. Beyond the grammar it refuses
// strings that are not UTF-8, escapes of half a surrogate pair, and nesting deeper than MaxDepth. Of fields with equal names
// the last one wins, as in most of the programs that write and read such records; this is the one thing I-JSON forbids and the
// reader accepts.
package json

import (
	"strconv"
	"unsafe"
)

// MaxDepth is how deep objects and arrays may be nested in each other.
const MaxDepth = 1024

// Reader walks over the fields of an object. It lives on the stack of its user, who must not pass it to a function value.
//
//	r := json.Object(b)
//	for r.Next() {
//		switch string(r.Name) {
//		case "amount":
//			order.Amount = r.Int64()
//		default:
//			r.Skip()
//		}
//	}
//	return r.Err()
//
// After Next the value of the field must be read by exactly one method. The first failure ends the walk and is what Err
// returns; methods called after it return zero values.
//
// Strings and bytes are views of the input, or of fresh memory if they hold escapes. Neither is written again, which is what
// allows a string to view them.
type Reader struct {
	Name   []byte // of the field that Next moved to
	b      []byte
	i      int
	value  int // offset of the current field's value
	depth  int
	begun  bool // the brace of the innermost object was read
	closed int  // offset of the last bracket that closed an object or an array
	kept   span // of the input: what Keep gave last, if that is a view
	failure
}

// Object begins to read the object in b, which must hold nothing else.
func Object(b []byte) Reader { return Reader{b: b} }

// Begin enters the object or the array that is the value of the current field or element. Next then walks over its fields, or
// More over its elements, and after its end over what is behind it.
func (r *Reader) Begin() { r.begun = false }

// Next moves to the next field of the innermost object. It returns false at the end of the object and at the first failure.
func (r *Reader) Next() bool {
	b, i := r.b, r.i
	if r.begun && i+1 < len(b) && b[i] == ',' && b[i+1] == '"' { // no white space, as mostly
		i += 2
	} else if r.begun && i+1 == len(b) && b[i] == '}' && r.depth == 1 { // the end, mostly
		r.closed, r.i, r.depth = i, i+1, 0
		return false
	} else if !r.toName() {
		return false
	} else {
		i = r.i + 1
	}
	end, f := scanText(b, i)
	if f == 0 && end+2 < len(b) && b[end+1] == ':' && b[end+2] > ' ' {
		r.Name = b[i:end:end]
		r.i, r.value = end+2, end+2
		return true
	}
	r.i = i - 1
	return r.unusualName()
}

// toName moves to the quote before the next name.
func (r *Reader) toName() bool {
	if !r.begun {
		r.begun = true
		if r.space() != '{' {
			return r.expected("an object")
		}
		r.i++
		if r.depth++; r.depth > MaxDepth {
			return r.refused("nested too deeply")
		}
		if r.space() == '}' {
			return r.end()
		}
	} else {
		switch r.space() {
		case ',':
			r.i++
			r.space()
		case '}':
			return r.end()
		default:
			return r.expected("a comma or the end of the object")
		}
	}
	if r.i >= len(r.b) || r.b[r.i] != '"' {
		return r.expected("a field name")
	}
	return true
}

// unusualName reads a name that needs a second look, and its colon.
func (r *Reader) unusualName() bool {
	r.Name = r.Bytes()
	if r.space() != ':' {
		return r.expected("a colon")
	}
	r.i++
	r.space()
	r.value = r.i
	return r.problem == ""
}

// end leaves the innermost object or array, at whose closing bracket the reader stands.
func (r *Reader) end() bool {
	r.closed = r.i
	r.i++
	if r.depth--; r.depth > 0 {
		return false
	}
	if r.space(); r.i < len(r.b) {
		return r.expected("the end of the record")
	}
	return false
}

// Missing fails because a required field did not come. Bit i of seen says that required[i] came.
func (r *Reader) Missing(seen uint64, required ...string) {
	for i, name := range required {
		if seen>>i&1 == 0 {
			r.missing(name)
			return
		}
	}
}

// Bytes reads a string, as its bytes.
func (r *Reader) Bytes() []byte {
	b, i := r.b, r.i+1
	if i > len(b) || b[i-1] != '"' {
		r.expected("a string")
		return nil
	}
	end, f := scanText(b, i)
	if f != 0 {
		return r.unusual(i, end, f)
	}
	r.i = end + 1
	return b[i:end:end]
}

// unusual reads a string that needs a second look.
func (r *Reader) unusual(start, end int, f findings) []byte {
	if problem, at := unsound(r.b, start, end, f); problem != "" {
		r.refusedAt(at, problem)
		return nil
	}
	r.i = end + 1
	text := r.b[start:end:end]
	if f&escapes != 0 {
		return r.unescape(text, start)
	}
	return text
}

// Text reads a string.
func (r *Reader) Text() string {
	b := r.Bytes()
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Bool reads true or false.
func (r *Reader) Bool() bool {
	switch rest := r.b[r.i:]; {
	case len(rest) >= 4 && string(rest[:4]) == "true":
		r.i += 4
		return true
	case len(rest) >= 5 && string(rest[:5]) == "false":
		r.i += 5
		return false
	}
	r.expected("a bool")
	return false
}

// Null reads null if it stands here, and says whether it did.
func (r *Reader) Null() bool {
	if rest := r.b[r.i:]; len(rest) >= 4 && string(rest[:4]) == "null" {
		r.i += 4
		return true
	}
	return false
}

// Int64 reads an integer, exactly. A number with a fraction or an exponent is none, whatever its value.
func (r *Reader) Int64() int64 {
	v, ok := r.integer()
	if !ok {
		r.expected("an int64")
	}
	return v
}

// Int32 reads an integer.
func (r *Reader) Int32() int32 {
	v, ok := r.integer()
	if !ok {
		r.expected("an int32")
	} else if int64(int32(v)) != v {
		r.refusedAt(r.value, "out of the range of int32")
	}
	return int32(v)
}

// integer reads an integer. ok is false, and nothing was read, if none stands here.
func (r *Reader) integer() (v int64, ok bool) {
	b, i := r.b, r.i
	negative := i < len(b) && b[i] == '-'
	if negative {
		i++
	}
	first := i
	var n uint64 // 19 digits always fit
	for i < len(b) && b[i]-'0' <= 9 {
		n = n*10 + uint64(b[i]-'0')
		i++
	}
	digits := i - first
	if digits == 0 || digits > 1 && b[first] == '0' {
		return 0, false
	}
	if i < len(b) && (b[i] == '.' || b[i] == 'e' || b[i] == 'E') {
		return 0, false
	}
	limit := uint64(1<<63 - 1)
	if negative {
		limit = 1 << 63
	}
	if digits > 19 || n > limit {
		r.refused("out of the range of int64")
		return 0, true
	}
	r.i = i
	if negative {
		return -int64(n), true
	}
	return int64(n), true
}

// Float32 reads a number as the float32 nearest to it. What is too large for one is refused.
func (r *Reader) Float32() float32 {
	text := r.number()
	if text == nil {
		return 0
	}
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 32)
	if err != nil {
		r.refusedAt(r.value, "out of the range of float32")
	}
	return float32(v)
}

// number reads a number as it is written, or nil.
func (r *Reader) number() []byte {
	end := numberEnd(r.b, r.i)
	if end == r.i {
		r.expected("a number")
		return nil
	}
	text := r.b[r.i:end]
	r.i = end
	return text
}

// Float64 reads a number as the float64 nearest to it. What is too large for one is refused.
func (r *Reader) Float64() float64 {
	if v, end, ok := shortFloat(r.b, r.i); ok {
		r.i = end
		return v
	}
	start := r.i
	text := r.number()
	if text == nil {
		return 0
	}
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	if err != nil {
		r.refusedAt(start, "out of the range of float64")
		return 0
	}
	return v
}

// Refuse fails because of the value that was just read: problem says what is wrong with it. Generated code uses it for enums.
func (r *Reader) Refuse(problem string) { r.refusedAt(r.value, problem) }

// space skips white space and returns the byte behind it, or 0 at the end.
func (r *Reader) space() byte {
	if r.i < len(r.b) && r.b[r.i] > ' ' { // there is none, mostly
		return r.b[r.i]
	}
	return r.skipSpace()
}

func (r *Reader) skipSpace() byte {
	for r.i < len(r.b) {
		switch c := r.b[r.i]; c {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return c
		}
	}
	return 0
}
