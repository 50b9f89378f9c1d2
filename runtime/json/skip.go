package json

// Skip passes over a value of any kind. All of it is checked.
func (r *Reader) Skip() {
	if r.i >= len(r.b) {
		r.expected("a value")
		return
	}
	if c := r.b[r.i]; c == '{' || c == '[' {
		r.skipNested()
		return
	}
	r.skipScalar()
}

// SkipText passes over a string, which is checked but costs no memory.
func (r *Reader) SkipText() {
	if r.i >= len(r.b) || r.b[r.i] != '"' {
		r.expected("a string")
		return
	}
	s := r.scanString(r.i + 1)
	if s.problem != "" {
		r.refusedAt(s.end, s.problem)
		return
	}
	if s.escaped {
		r.checkEscapes(r.b[r.i+1:s.end], r.i+1)
	}
	r.i = s.end + 1
}

func (r *Reader) skipScalar() {
	if r.i >= len(r.b) {
		r.expected("a value")
		return
	}
	switch rest := r.b[r.i:]; rest[0] {
	case '"':
		r.SkipText()
	case 't', 'f':
		if c := rest[0]; c == 't' && (len(rest) < 4 || string(rest[:4]) != "true") || c == 'f' && (len(rest) < 5 || string(rest[:5]) != "false") {
			r.expected("a value")
			return
		}
		r.Bool()
	case 'n':
		if !r.Null() {
			r.expected("a value")
		}
	default:
		n := scanNumber(r.b, r.i)
		if n.end == r.i {
			r.expected("a value")
			return
		}
		r.i = n.end
	}
}

// skipNested passes over an object or an array with a bit a level, instead of a call a level: how deep the input goes must not
// decide how deep the stack grows.
func (r *Reader) skipNested() {
	var objects [MaxDepth / 64]uint64 // bit set: the level is an object, else an array
	level := -1                       // of the innermost one; MaxDepth counts from the record
	for {
		// A value stands here.
		switch c := r.space(); c {
		case '{', '[':
			if level++; r.depth+level >= MaxDepth {
				r.refused("nested too deeply")
				return
			}
			bit := uint64(1) << (level & 63)
			objects[level>>6] &^= bit
			if c == '{' {
				objects[level>>6] |= bit
			}
			r.i++
			if next := r.space(); next != c+2 { // the brackets of ASCII stand two apart
				if c == '{' && !r.skipName() {
					return
				}
				continue
			}
			r.i++
			level--
		default:
			r.skipScalar()
		}
		// A value ended here. Close what ends with it.
		for {
			if r.problem != "" || level < 0 {
				return
			}
			object := objects[level>>6]>>(level&63)&1 != 0
			switch c := r.space(); {
			case c == ',':
				r.i++
				if object {
					r.space()
					if !r.skipName() {
						return
					}
				}
			case c == '}' && object, c == ']' && !object:
				r.i++
				level--
				continue
			case object:
				r.expected("a comma or the end of the object")
				return
			default:
				r.expected("a comma or the end of the array")
				return
			}
			break
		}
	}
}

// skipName passes over the name of a field and its colon.
func (r *Reader) skipName() bool {
	if r.i >= len(r.b) || r.b[r.i] != '"' {
		return r.expected("a field name")
	}
	r.SkipText()
	if r.space() != ':' {
		return r.expected("a colon")
	}
	r.i++
	return r.problem == ""
}

// Check reads a record of which nothing is wanted: it must be an object, and well-formed.
func Check(b []byte) error {
	r := Object(b)
	for r.Next() {
		r.Skip()
	}
	return r.Err()
}
