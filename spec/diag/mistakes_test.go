package diag

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/language/mistakes.md")

// parts are the thousands of codes, in order.
var parts = []struct{ prefix, title string }{
	{"SG10", "Writing"},
	{"SG11", "Blocks and steps"},
	{"SG12", "Names"},
	{"SG13", "Types"},
	{"SG14", "Keys and partitions"},
	{"SG15", "Windows"},
	{"SG16", "State"},
	{"SG17", "Your Go code"},
	{"SG18", "Formats"},
	{"SG19", "Warnings"},
}

// markdown keeps a text from being read as tags.
var markdown = strings.NewReplacer("<", "\\<")

// The page of mistakes is the registry.
func TestMistakesPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Mistakes\n\n<!-- Written by `go test ./spec/diag -update` from the registry of codes. -->\n\n" +
		"Every code that the compiler gives: what is wrong, why, an example and the same put right. `streamgen explain SG1202` says the same.\n" +
		"A code keeps its meaning for ever. The examples stand on declarations that are left out here; tests prove that the first gives its\n" +
		"code and the second none.\n")
	n := 0
	for _, p := range parts {
		first := true
		for _, c := range Codes() {
			if !strings.HasPrefix(c.ID, p.prefix) {
				continue
			}
			n++
			if first {
				fmt.Fprintf(&b, "\n## %s\n", p.title)
				first = false
			}
			fmt.Fprintf(&b, "\n### %s: %s\n\n%s\n", c.ID, markdown.Replace(c.Title), markdown.Replace(c.Text))
			if c.Wrong != "" {
				fmt.Fprintf(&b, "\nWrong:\n\n```hcl\n%s```\n\nRight:\n\n```hcl\n%s```\n", c.Wrong, c.Right)
			}
		}
	}
	if n != len(Codes()) {
		t.Errorf("%d codes are in no part", len(Codes())-n)
	}
	path := filepath.Join("..", "..", "docs", "language", "mistakes.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != b.String() {
		t.Errorf("docs/language/mistakes.md is not what the registry says (-update rewrites it): %v", err)
	}
}
