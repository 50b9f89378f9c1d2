package json

// Skip passes over a value of any kind. All of it is checked.
func (r *Reader) Skip() {
	if r.i >= len(r.b) {
		r.expected("a value")
		return
	}
	switch c := r.b[r.i]; {
	case c == '"':
		if end, f := scanText(r.b, r.i+1); f == 0 { // nothing to look at twice, as mostly
			r.i = end + 1
			return
		}
		r.SkipText()
	case c == '{' || c == '[':
		r.skipNested()
	default:
		r.skipLiteral()
	}
}

// SkipText passes over a string, which is checked but costs no memory.
func (r *Reader) SkipText() {
	if r.i >= len(r.b) || r.b[r.i] != '"' {
		r.expected("a string")
		return
	}
	start := r.i + 1
	end, f := scanText(r.b, start)
	if f != 0 {
		if problem, at := unsound(r.b, start, end, f); problem != "" {
			r.refusedAt(at, problem)
			return
		}
		if f&escapes != 0 && !r.checkEscapes(r.b[start:end], start) {
			return
		}
	}
	r.i = end + 1
}

// skipLiteral passes over a number, true, false or null.
func (r *Reader) skipLiteral() {
	if end := numberEnd(r.b, r.i); end > r.i {
		r.i = end
		return
	}
	rest := r.b[r.i:]
	switch {
	case len(rest) >= 4 && (string(rest[:4]) == "true" || string(rest[:4]) == "null"):
		r.i += 4
	case len(rest) >= 5 && string(rest[:5]) == "false":
		r.i += 5
	default:
		r.expected("a value")
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
		case '"':
			r.SkipText()
		default:
			r.skipLiteral()
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
