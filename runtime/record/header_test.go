package record

import (
	"slices"
	"testing"
)

func TestHeaders(t *testing.T) {
	list := func(pairs ...string) (h []Header) {
		for i := 0; i < len(pairs); i += 2 {
			h = append(h, Header{pairs[i], []byte(pairs[i+1])})
		}
		return h
	}
	same := func(a, b Header) bool { return a.Key == b.Key && string(a.Value) == string(b.Value) }
	for _, c := range []struct {
		name      string
		got, want []Header
	}{
		{"set on none", SetHeader(nil, "a", []byte("1")), list("a", "1")},
		{"set replaces all and goes last", SetHeader(list("a", "1", "b", "2", "a", "3"), "a", []byte("4")), list("b", "2", "a", "4")},
		{"remove all", RemoveHeader(list("a", "1", "b", "2", "a", "3"), "a"), list("b", "2")},
		{"remove none", RemoveHeader(list("a", "1"), "b"), list("a", "1")},
	} {
		if !slices.EqualFunc(c.got, c.want, same) {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestCopies(t *testing.T) {
	out := &Output{}
	topic := NewTopic(&out, 0, 1, 0)
	b := []byte("key")
	copied, text := topic.Copy(b), topic.Text("text")
	b[0] = 'X'
	if string(copied) != "key" || string(text) != "text" || topic.Copy(nil) == nil {
		t.Errorf("copies: %q, %q, %v", copied, text, topic.Copy(nil))
	}
}
