package names

import (
	"fmt"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/streamgen/streamgen/spec/diag"
)

// Named is something of the spec that has a Go name.
type Named struct {
	Name string // as written
	Go   string
	At   diag.Range
}

// Distinct reports names of one Go scope that are one identifier although the spec tells them apart (SG1203), and names that
// have no safe identifier (SG1208). What says what they are, in the plural: "streams", "fields of Order".
func Distinct(what string, list []Named) diag.List {
	var diags diag.List
	first := make(map[string]Named, len(list))
	for _, n := range list {
		if why := Unsafe(n.Name); why != "" {
			diags.Errorf("SG1208", n.At, "%q cannot be a name", n.Name).
				WithDetail("%s", why).
				WithHint("use letters, digits, _ and - as they come from the keyboard")
			continue
		}
		other, ok := first[n.Go]
		if !ok {
			first[n.Go] = n
			continue
		}
		diags.Errorf("SG1203", n.At, "two %s have the Go name %s", what, n.Go).
			WithDetail("%q and %q differ only in dashes, underscores or case, which Go names do not keep", other.Name, n.Name).
			WithHint("rename one of them").
			WithRelated(other.At, "the other one is here")
	}
	return diags
}

// Unsafe says why a name must not become an identifier, or nothing: two names that look alike must be alike, and what is
// read must be what is compiled.
func Unsafe(name string) string {
	for _, r := range name {
		switch {
		case unicode.Is(unicode.Cf, r):
			return fmt.Sprintf("it holds the invisible character U+%04X", r)
		case unicode.Is(unicode.M, r):
			return fmt.Sprintf("it holds the combining mark U+%04X", r)
		case unicode.IsControl(r) || r == unicode.ReplacementChar:
			return fmt.Sprintf("it holds the character U+%04X", r)
		}
	}
	if plain := norm.NFKC.String(name); plain != name {
		return fmt.Sprintf("it is another spelling of %q", plain)
	}
	return ""
}
