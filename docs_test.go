package streamgen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSemanticsAreHeld: what docs/semantics.md names as the proof of a difference is there.
func TestSemanticsAreHeld(t *testing.T) {
	tests := map[string]bool{}
	declaration := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		src, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declaration.FindAllSubmatch(src, -1) {
			tests[string(m[1])] = true
		}
	}
	page, err := os.ReadFile("docs/semantics.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for n, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Kafka Streams ") {
			continue
		}
		rows++
		proofs := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 3 || len(proofs) == 0 {
			t.Errorf("docs/semantics.md:%d: want three cells, the last with a test or a scenario", n+1)
		}
		for _, p := range proofs {
			_, recorded := os.Stat(filepath.Join("codegen/testdata/conformance", p[1]))
			_, written := os.Stat(filepath.Join("codegen/testdata/features", p[1]+".txtar"))
			if !tests[p[1]] && recorded != nil && written != nil {
				t.Errorf("docs/semantics.md:%d: there is neither a test nor a scenario %s", n+1, p[1])
			}
		}
	}
	if rows < 10 {
		t.Errorf("only %d rows are found", rows)
	}
}
