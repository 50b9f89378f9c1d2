package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const conformance = "../../../../codegen/testdata/conformance"

// command runs streamgen and returns its exit code, data and talk.
func command(args ...string) (code int, out, talk string) {
	var stdout, stderr bytes.Buffer
	code = Main(args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestTestVectors(t *testing.T) {
	good := filepath.Join(conformance, "filter")
	code, out, talk := command("test", filepath.Join(good, "app.hcl"), "--vectors", good)
	if code != exitOK || out != "ok   filter: 9 runs, 377 records\n" || !strings.Contains(talk, "1 spec: 1 as recorded, 0 not; 9 runs") {
		t.Errorf("good: %d\n%s\n%s", code, out, talk)
	}

	text, err := os.ReadFile(filepath.Join(good, "app.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	// Inside the repository: its go.mod is the one around.
	dir, err := os.MkdirTemp(".", "testdata-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	spec := filepath.Join(dir, "app.hcl")
	if err := os.WriteFile(spec, bytes.Replace(text, []byte(">= 50"), []byte("> 50"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, _ = command("test", spec, "--vectors", good)
	if code != exitFailed || !strings.Contains(out, "FAIL filter/edge-unit-values.jsonl:2: other outputs\n") || !strings.Contains(out, "\n  - {\"topic\":\"out\"") {
		t.Errorf("wrong: %d\n%s", code, out)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("beside the spec: %v, %v", entries, err)
	}

	code, out, _ = command("test", spec, "--vectors", good, "--json")
	var first struct{ Scenario, Vector, Failure string }
	if err := json.Unmarshal([]byte(strings.SplitN(out, "\n", 2)[0]), &first); err != nil || first.Scenario != "filter" || code != exitFailed {
		t.Errorf("json: %d %v\n%s", code, err, out)
	}

	if err := os.WriteFile(spec, bytes.Replace(text, []byte("value.amount"), []byte("value.amout"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, talk = command("test", spec, "--vectors", good)
	if code != exitFailed || out != "FAIL filter: does not compile\n" || !strings.Contains(talk, `did you mean`) {
		t.Errorf("does not compile: %d\n%s\n%s", code, out, talk)
	}
}

func TestTestUsage(t *testing.T) {
	for name, args := range map[string][]string{
		"no vectors":    {"test", filepath.Join(conformance, "filter")},
		"no directory":  {"test", filepath.Join(conformance, "filter"), "--vectors", "nowhere"},
		"none in there": {"test", filepath.Join(conformance, "filter"), "--vectors", "."},
		"no spec":       {"test", ".", "--vectors", conformance},
	} {
		if code, _, talk := command(args...); code != exitUsage || talk == "" {
			t.Errorf("%s: %d %s", name, code, talk)
		}
	}
}
