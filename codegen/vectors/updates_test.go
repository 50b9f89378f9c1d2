package vectors

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sees are the scenarios whose tables at the end depend on when their changes are committed, by what sees it. In all others the steps behind
// are indifferent to the values in between.
var sees = map[string]string{
	"cogroup-3":               "the order of what comes through a repartition and what does not",
	"combo-windowed-tables":   "a join with rows of windows that have expired by then",
	"combo-window-join-table": "a stream of the changes",
	"count-histogram":         "the empty groups that keep_zero keeps",
	"join-fk-group-by":        "the order of what comes through the topics of a foreign key and what does not",
	"join-st-aggregated":      "a stream that looks into the table",
	"tumbling-to-stream":      "a stream of the changes",
	"suppress-close-hopping":  "a suppress, whose clock is that of the changes",
	"suppress-close-session":  "a suppress, whose clock is that of the changes",
	"suppress-close-sliding":  "a suppress, whose clock is that of the changes",
	"suppress-close-tumbling": "a suppress, whose clock is that of the changes",
	"suppress-count":          "a suppress, whose clock is that of the changes",
}

// withUpdates are specs that send the last change of a commit where those of pairs send each change, held to the tables that these end
// in. Every spec with such a change is among them, or its scenario is one of sees.
func withUpdates(t *testing.T, pairs []Pair) (list []Pair) {
	t.Helper()
	played := regexp.MustCompile(`"(edge-[^"]*|seed-[12])\.jsonl"`)
	const every, updates = `emit = "every"`, `emit = "updates"`
	left := 0
	for _, p := range pairs {
		text, err := os.ReadFile(filepath.Join(p.Spec, "app.hcl"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), every) {
			continue
		}
		if sees[p.Name] != "" {
			left++
			continue
		}
		name := p.Name + "-updates"
		dir := filepath.Join(t.TempDir(), name)
		copyScenario(t, p.Spec, dir, func(about map[string]json.RawMessage, vectors []json.RawMessage) []json.RawMessage {
			about["commits"] = json.RawMessage(`"tables"`)
			return slices.DeleteFunc(vectors, func(v json.RawMessage) bool { return !played.Match(v) })
		})
		spec := strings.ReplaceAll(string(text), every, updates)
		if err := os.WriteFile(filepath.Join(dir, "app.hcl"), []byte(spec), 0o644); err != nil {
			t.Fatal(err)
		}
		list = append(list, Pair{Name: name, Spec: dir, Dir: dir})
	}
	if left != len(sees) {
		t.Errorf("%d scenarios see when changes are committed, %d are named", left, len(sees))
	}
	return list
}
