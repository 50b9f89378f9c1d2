package oracle_test

import (
	"fmt"
	"strings"
)

// window is a step window of a spec.
type window struct {
	text   string
	kind   string // of the key
	size   int
	closes bool
}

// window makes one, or none.
func (g *generator) window() *window {
	size, grace := 1+g.IntN(40), g.IntN(2)*g.IntN(20)
	w := &window{kind: "time", size: size, closes: true}
	switch g.IntN(11) {
	case 0, 1:
		w.text = fmt.Sprintf("  window \"tumbling\" {\n    size = \"%dms\"\n    grace = \"%dms\"\n  }", size, grace)
	case 2, 3:
		advance := 1 + g.IntN(size)
		if advance%2 == 0 { // a whole number of panes
			w.size -= size % advance
		}
		w.text = fmt.Sprintf("  window \"hopping\" {\n    size = \"%dms\"\n    advance = \"%dms\"\n    grace = \"%dms\"\n  }", w.size, advance, grace)
	case 4:
		w.text, w.kind, w.closes = fmt.Sprintf("  window \"unlimited\" { start = \"1970-01-01T00:00:00.%03dZ\" }", g.IntN(60)), "unlimited", false
	case 5, 6:
		w.text, w.kind = fmt.Sprintf("  window \"sliding\" {\n    difference = \"%dms\"\n    grace = \"%dms\"\n  }", size, grace), "sliding"
	case 7, 8:
		w.text, w.kind = fmt.Sprintf("  window \"session\" {\n    gap = \"%dms\"\n    grace = \"%dms\"\n  }", g.IntN(20), grace), "session"
	default:
		return nil
	}
	return w
}

// key is the type of keys with such a window.
func (w *window) key(t typ) typ {
	if w.kind == "unlimited" {
		return typ(fmt.Sprintf("windowed(%s, { kind = \"unlimited\" })", t))
	}
	if w.kind == "session" {
		return typ(fmt.Sprintf("windowed(%s, { kind = \"session\" })", t))
	}
	return typ(fmt.Sprintf("windowed(%s, { kind = %q, size = \"%dms\" })", t, w.kind, w.size))
}

// inner is the key within a key with a window, and any other type itself.
func inner(t typ) typ {
	in, ok := strings.CutPrefix(string(t), "windowed(")
	if !ok {
		return t
	}
	in, _, _ = strings.Cut(in, ",")
	return typ(in)
}
