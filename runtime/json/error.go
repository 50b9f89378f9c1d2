package json

import (
	"strconv"
	"strings"
)

// Error says why a record cannot be read, or written.
type Error struct {
	Field   string // path of the field: "address.street"; empty: the record itself
	Offset  int    // in bytes; -1 where there is none: of a null, and when writing
	Problem string // "expected an int64, found a string"
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("json: ")
	if e.Field != "" {
		b.WriteString("field ")
		b.WriteString(strconv.Quote(e.Field))
	}
	if e.Offset >= 0 {
		if e.Field != "" {
			b.WriteByte(' ')
		}
		b.WriteString("at byte ")
		b.WriteString(strconv.Itoa(e.Offset))
	}
	if e.Field != "" || e.Offset >= 0 {
		b.WriteString(": ")
	}
	b.WriteString(e.Problem)
	return b.String()
}

// failure is the first failure of a Reader, as little as it takes to say later what happened: nothing is allocated and no path
// is kept until somebody asks for the error.
type failure struct {
	problem string // what is wrong, or what was expected; empty while all is well
	at      int
	kind    failureKind
}

type failureKind uint8

const (
	wrongValue   failureKind = iota // problem says what is wrong
	otherValue                      // problem says what was expected
	missingField                    // problem is the field's name
)

func (r *Reader) expected(what string) bool { return r.fail(r.i, otherValue, what) }
func (r *Reader) refused(problem string) bool {
	return r.fail(r.i, wrongValue, problem)
}
func (r *Reader) refusedAt(at int, problem string) bool { return r.fail(at, wrongValue, problem) }
func (r *Reader) missing(name string) bool              { return r.fail(r.closed, missingField, name) }

// fail keeps the first failure and moves to the end, where everything else fails too. It is not inlined: what is cold would
// stand among what is hot.
//
//go:noinline
func (r *Reader) fail(at int, kind failureKind, problem string) bool {
	if r.problem == "" {
		r.failure = failure{problem: problem, at: at, kind: kind}
	}
	r.i = len(r.b)
	return false
}

// Err is the first failure, an *Error, or nil.
func (r *Reader) Err() error {
	if r.problem == "" {
		return nil
	}
	return r.describe()
}

// describe is not inlined into Err, so that the reader stays on the stack of those who read well-formed records.
//
//go:noinline
func (r *Reader) describe() error {
	if r.b == nil {
		return &Error{Offset: -1, Problem: "null, where the type is not optional"}
	}
	e := &Error{Field: path(r.b, r.at, r.kind == missingField), Offset: r.at, Problem: r.problem}
	switch r.kind {
	case otherValue:
		e.Problem = "expected " + r.problem + ", found " + found(r.b[min(r.at, len(r.b)):])
	case missingField:
		e.Problem = "missing"
		if e.Field != "" {
			e.Field += "."
		}
		e.Field += r.problem
	}
	return e
}

// found names what stands at the beginning of b.
func found(b []byte) string {
	if len(b) == 0 {
		return "the end"
	}
	switch c := b[0]; {
	case c == '"':
		return "a string"
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '-' || c-'0' <= 9:
		if end := numberEnd(b, 0); end > 0 {
			return "the number " + string(b[:min(end, 32)])
		}
		return "a malformed number"
	}
	for _, word := range [...]string{"null", "true", "false"} {
		if strings.HasPrefix(string(b[:min(len(b), len(word))]), word) {
			return word
		}
	}
	if b[0] < ' ' || b[0] >= 0x7f {
		return "byte 0x" + strconv.FormatUint(uint64(b[0]), 16)
	}
	return strconv.Quote(string(b[:1]))
}

// path is the path of the field that offset at lies in or behind, or of the object around it. It walks over b again, which was well-formed up to there: so the reader
// need not keep a path for records that are in order.
func path(b []byte, at int, object bool) string {
	type level struct {
		object bool
		name   string // of an object: the field at hand, "" between two
		index  int    // of an array
	}
	var levels []level
	r := Object(b)
	name := false // a string here is a name
	for r.i < min(at, len(b)) {
		top := len(levels) - 1
		switch c := b[r.i]; c {
		case '{', '[':
			levels = append(levels, level{object: c == '{'})
			name = c == '{'
		case '}', ']':
			if top >= 0 {
				levels = levels[:top]
			}
		case ',':
			if top >= 0 {
				levels[top].index++
				levels[top].name = ""
				name = levels[top].object
			}
		case '"':
			end, f := scanText(b, r.i+1)
			if f&(open|control) != 0 || end >= at {
				r.i = len(b)
				continue
			}
			if name && top >= 0 {
				levels[top].name = string(r.unescape(b[r.i+1:end], r.i+1))
				name = false
			}
			r.i = end
		}
		r.i++
	}
	if n := len(levels); object && n > 0 {
		levels = levels[:n-1]
	}
	var p strings.Builder
	for _, l := range levels {
		switch {
		case !l.object:
			p.WriteString("[" + strconv.Itoa(l.index) + "]")
		case l.name != "":
			if p.Len() > 0 {
				p.WriteByte('.')
			}
			p.WriteString(l.name)
		}
	}
	return p.String()
}
