package json

// Most records have their fields in the order of their type and no white space. Generated decoders ask for these first, each by
// one comparison with what then stands there, and leave all else to Next:
//
//	r := json.Object(b)
//	if r.First(`{"id":`) {
//		order.ID = r.Text()
//	}
//	r.Pass(`,"note":`)
//	if r.Then(`,"amount":`) {
//		order.Amount = r.Int64()
//	}
//	for r.Next() {
//
// Where something else stands, nothing moves, and Next reads it: another field, white space, what is not JSON at all.

// First enters the object if it begins with these bytes: a brace, the name of a field and a colon, with the value right behind.
// The value must then be read, as after Next.
func (r *Reader) First(name string) bool {
	end := r.i + len(name)
	if r.begun || r.depth >= MaxDepth || end >= len(r.b) || string(r.b[r.i:end]) != name || r.b[end] <= ' ' {
		return false
	}
	r.begun = true
	r.depth++
	r.i, r.value = end, end
	return true
}

// Then moves to the next field if what stands here are these bytes: a comma, the name of a field and a colon, with the value
// right behind. The value must then be read, as after Next.
func (r *Reader) Then(name string) bool {
	end := r.i + len(name)
	if !r.begun || end >= len(r.b) || string(r.b[r.i:end]) != name || r.b[end] <= ' ' {
		return false
	}
	r.i, r.value = end, end
	return true
}

// Pass passes over the next field if it is Then the one of that name. Its value is checked as Skip does.
func (r *Reader) Pass(name string) {
	if r.Then(name) {
		r.Skip()
	}
}
