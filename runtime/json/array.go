package json

// More moves to the next element of the innermost array, which Begin entered. It returns false at the end of the array and at
// the first failure. After More the element must be read by exactly one method, as a field after Next.
//
//	r.Begin()
//	for r.More() {
//		order.Tags = append(order.Tags, r.Text())
//	}
func (r *Reader) More() bool {
	if !r.begun {
		r.begun = true
		if r.space() != '[' {
			return r.expected("an array")
		}
		r.i++
		if r.depth++; r.depth > MaxDepth {
			return r.refused("nested too deeply")
		}
		if r.space() == ']' {
			return r.end()
		}
	} else {
		switch r.space() {
		case ',':
			r.i++
			r.space()
		case ']':
			return r.end()
		default:
			return r.expected("a comma or the end of the array")
		}
	}
	r.value = r.i
	return true
}
