package json

import (
	"bytes"
	"unsafe"

	"github.com/streamgen/streamgen/runtime/optional"
)

// span is a part of the input.
type span struct{ from, to int }

// Keep reads a field whose name nobody knows, and adds it to what was kept of the object: members as they stand in JSON, with
// commas between them. What stands together is a view of the input.
func (r *Reader) Keep(kept *optional.Of[[]byte]) {
	from := r.nameAt()
	name := r.Name
	value := r.i
	r.Skip()
	if r.problem != "" {
		return
	}
	if from >= 0 {
		switch {
		case !kept.Valid:
			r.kept.from = from
		case r.kept.to == 0 || from < r.kept.to || !onlyComma(r.b[r.kept.to:from]):
			from = -1
		}
	}
	if from >= 0 {
		r.kept.to = r.i
		kept.Value, kept.Valid = r.b[r.kept.from:r.i:r.i], true
		return
	}
	r.kept = span{}
	dst := kept.Value
	if kept.Valid {
		dst = append(dst, ',')
	} else {
		dst = nil
	}
	dst = append(AppendText(dst, unsafe.String(unsafe.SliceData(name), len(name))), ':')
	kept.Value, kept.Valid = append(dst, r.b[value:r.i]...), true
}

// onlyComma says whether nothing else stands between two members of one object. A bracket would: what is kept of another object
// lies on the other side of one.
func onlyComma(between []byte) bool {
	return string(bytes.TrimSpace(between)) == ","
}

// nameAt is where the quote of the field's name stands, or -1 if the name is none of the input.
func (r *Reader) nameAt() int {
	if len(r.Name) == 0 {
		return -1
	}
	offset := uintptr(unsafe.Pointer(&r.Name[0])) - uintptr(unsafe.Pointer(unsafe.SliceData(r.b)))
	if offset >= uintptr(len(r.b)) {
		return -1
	}
	return int(offset) - 1
}
