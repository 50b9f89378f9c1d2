package pattern

import (
	"regexp"
	"testing"

	"github.com/streamgen/streamgen/runtime/optional"
)

func TestExtract(t *testing.T) {
	null := optional.Of[string]{}
	for _, c := range []struct {
		pattern, s string
		group      int
		want       optional.Of[string]
	}{
		{"id=([0-9]+)", "a id=42;", 1, optional.Some("42")},
		{"id=([0-9]+)", "a id=42;", 0, optional.Some("id=42")},
		{"id=([0-9]+)", "none", 1, null},
		{"(a)|(b)", "b", 1, null},
		{"(a)|(b)", "b", 2, optional.Some("b")},
		{"x*", "y", 0, optional.Some("")},
	} {
		if got := Extract(regexp.MustCompile(c.pattern), c.s, c.group); !optional.Equal(got, c.want) {
			t.Errorf("%s of %q: %v", c.pattern, c.s, got)
		}
	}
}
