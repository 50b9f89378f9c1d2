package json

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/streamgen/streamgen/runtime/optional"
)

// Path leads to one value of a document whose type nobody declared: $.a.b[0]. It is made once and read many times.
//
// What is not there is null: a field that is missing, an element beyond the end, anything below null. A document that is not
// sound JSON is an error wherever the path leads, and so is a value of another kind than is asked for. Of fields with equal names
// the last one counts.
type Path struct{ steps []pathStep }

// pathStep is a field, or an element of an array.
type pathStep struct {
	name  string
	index int // -1: a field
}

var errPath = errors.New("it is written $.name, $[\"name\"] or $[0], and so on")

// ParsePath reads a path.
func ParsePath(text string) (Path, error) {
	rest, ok := strings.CutPrefix(text, "$")
	if !ok {
		return Path{}, errPath
	}
	var p Path
	for rest != "" {
		var step pathStep
		switch {
		case strings.HasPrefix(rest, "[\""):
			quoted, err := strconv.QuotedPrefix(rest[1:])
			if err != nil {
				return Path{}, errPath
			}
			if step.name, err = strconv.Unquote(quoted); err != nil || !utf8.ValidString(step.name) {
				return Path{}, errPath
			}
			step.index = -1
			if rest, ok = strings.CutPrefix(rest[1+len(quoted):], "]"); !ok {
				return Path{}, errPath
			}
		case rest[0] == '[':
			digits, after, ok := strings.Cut(rest[1:], "]")
			n, err := strconv.ParseUint(digits, 10, 31)
			if !ok || err != nil {
				return Path{}, errPath
			}
			step.index, rest = int(n), after
		case rest[0] == '.':
			end := strings.IndexAny(rest[1:], ".[")
			if end < 0 {
				end = len(rest) - 1
			}
			if end == 0 {
				return Path{}, errPath
			}
			step.name, step.index, rest = rest[1:1+end], -1, rest[1+end:]
		default:
			return Path{}, errPath
		}
		p.steps = append(p.steps, step)
	}
	return p, nil
}

// MustPath is ParsePath of a path that the compiler has checked.
func MustPath(text string) Path {
	p, err := ParsePath(text)
	if err != nil {
		panic("json: the path " + strconv.Quote(text) + ": " + err.Error())
	}
	return p
}

// Raw is the bytes of the value, a view of src.
func (p Path) Raw(src []byte) (optional.Of[[]byte], error) {
	v, err := p.value(src)
	if v == nil {
		return optional.Of[[]byte]{}, err
	}
	return optional.Some(v), nil
}

// String is the string at the path.
func (p Path) String(src []byte) (v optional.Of[string], err error) {
	b, err := p.value(src)
	if b == nil {
		return v, err
	}
	r := Reader{b: b}
	v = optional.Some(r.Text())
	return v, r.Err()
}

// Int64 is the integer at the path. A number with a fraction or an exponent is none.
func (p Path) Int64(src []byte) (v optional.Of[int64], err error) {
	b, err := p.value(src)
	if b == nil {
		return v, err
	}
	r := Reader{b: b}
	v = optional.Some(r.Int64())
	return v, r.Err()
}

// Float64 is the number at the path.
func (p Path) Float64(src []byte) (v optional.Of[float64], err error) {
	b, err := p.value(src)
	if b == nil {
		return v, err
	}
	r := Reader{b: b}
	v = optional.Some(r.Float64())
	return v, r.Err()
}

// Bool is the bool at the path.
func (p Path) Bool(src []byte) (v optional.Of[bool], err error) {
	b, err := p.value(src)
	if b == nil {
		return v, err
	}
	r := Reader{b: b}
	v = optional.Some(r.Bool())
	return v, r.Err()
}

// value is the bytes of the value at the path; nil if it is null or not there, or with an error.
func (p Path) value(src []byte) ([]byte, error) {
	r := Reader{b: src}
	r.space()
	start, end := find(&r, p.steps)
	if r.problem == "" {
		if r.space(); r.i < len(src) {
			r.expected("the end of the document")
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	if start == end || src[start] == 'n' {
		return nil, nil
	}
	return src[start:end:end], nil
}

// find reads the value that r stands at and gives the place of what the steps lead to within it; nothing if that is not there.
func find(r *Reader, steps []pathStep) (start, end int) {
	if len(steps) == 0 {
		start = r.i
		r.Skip()
		return start, r.i
	}
	if r.Null() {
		return 0, 0
	}
	r.Begin()
	if step := steps[0]; step.index < 0 {
		for r.Next() {
			if string(r.Name) == step.name {
				start, end = find(r, steps[1:])
			} else {
				r.Skip()
			}
		}
		return start, end
	}
	for i := 0; r.More(); i++ {
		if i == steps[0].index {
			start, end = find(r, steps[1:])
		} else {
			r.Skip()
		}
	}
	return start, end
}
