package check

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sections are the parts of a page by heading, with those that are deeper.
func sections(t *testing.T, page, level string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/language/" + page)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, part := range strings.Split(string(text), "\n"+level+" ")[1:] {
		heading, body, _ := strings.Cut(part, "\n")
		if level == "###" {
			body, _, _ = strings.Cut(body, "\n## ")
		}
		all[heading] = body
	}
	return all
}

var word = regexp.MustCompile("`([a-z_]+)`")

// The reference names each block, step and attribute that this version has, and none that it has not.
func TestReferenceIsComplete(t *testing.T) {
	blocks := sections(t, "blocks.md", "##")
	for _, s := range topLevels {
		shapes := []shape{s}
		switch s.word {
		case "stream":
			shapes = []shape{streamSource, streamDerived}
		case "table":
			shapes = []shape{tableSource, tableDerived}
		case "branch":
			shapes = []shape{s, caseShape, defaultShape}
		}
		compareSection(t, "blocks.md", blocks, s.word, s.later, shapes...)
	}
	if len(blocks) > len(topLevels) {
		t.Errorf("blocks.md has %d sections, the language %d blocks", len(blocks), len(topLevels))
	}
	listed := sections(t, "steps.md", "###")
	for _, st := range steps {
		compareSection(t, "steps.md", listed, st.word, st.later, st.shape)
	}
	for name := range listed {
		if stepNamed(name) == nil {
			t.Errorf("steps.md: there is no step %s", name)
		}
	}
	formatsPage, err := os.ReadFile("../../docs/language/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range slices.Concat(formats, []string{"json(T)", "optional(F)"}) {
		if !strings.Contains(string(formatsPage), "| `"+f+"` |") {
			t.Errorf("formats.md does not list %s", f)
		}
	}
	for _, f := range laterFormats {
		if strings.Contains(string(formatsPage), "`"+f) {
			t.Errorf("formats.md speaks of %s, which this version does not have", f)
		}
	}
}

// compareSection holds the section of a block or step to its shapes. Making steps list their attributes in a table of their own, joins
// by reference to each other.
func compareSection(t *testing.T, page string, all map[string]string, name string, later bool, shapes ...shape) {
	t.Helper()
	body, ok := all[name]
	if ok == later {
		t.Errorf("%s: the section of %s is there: %t, and so it is to be: %t", page, name, ok, !later)
		return
	}
	if later {
		return
	}
	named := map[string]bool{}
	for _, m := range word.FindAllStringSubmatch(body, -1) {
		named[m[1]] = true
	}
	for _, s := range shapes {
		for _, a := range s.attrs {
			switch {
			case a.later && named[a.name]:
				t.Errorf("%s: %s speaks of %q, which this version does not have", page, name, a.name)
			case a.later || page == "steps.md" && (a.need == "" || name == "left_join" || stepNamed(name).making):
			case !named[a.name]:
				t.Errorf("%s: %s does not say what %q is", page, name, a.name)
			}
		}
	}
}
