package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const root = "../../../.."

// What the README shows is what is there: the spec, the plan of it, the code it gives, and what the tool says of a mistake. Lines
// of "…" stand for what was left out.
func TestReadme(t *testing.T) {
	const example = "examples/order-enrichment"
	spec := readFile(t, example+"/app.hcl")
	blocks := fenced(readFile(t, "README.md"))
	shown := func(has string) string {
		t.Helper()
		for _, b := range blocks {
			if strings.Contains(b, has) {
				return b
			}
		}
		t.Fatalf("the README shows nothing with %q", has)
		return ""
	}
	contains(t, "the spec", spec, shown(`stream "enriched" {`))
	contains(t, "the code", readFile(t, "generated/order-enrichment/enriched_gen.go"), shown("// sink.orders_enriched"))

	var out, said strings.Builder
	t.Chdir(root)
	if code := Main([]string{"plan", example}, strings.NewReader(""), &out, &said); code != 0 {
		t.Fatalf("plan: %d: %s", code, said.String())
	}
	contains(t, "the plan", out.String(), strings.TrimPrefix(shown("$ streamgen plan"), "$ streamgen plan "+example+"\n"))

	dir := t.TempDir()
	wrong := strings.Replace(spec, "key = value.customer_id", "key = value.custmer_id", 1)
	if err := os.WriteFile(filepath.Join(dir, "app.hcl"), []byte(wrong), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	said.Reset()
	if code := Main([]string{"check"}, strings.NewReader(""), &out, &said); code != exitFailed {
		t.Fatalf("check: %d: %s", code, said.String())
	}
	contains(t, "what is said of a mistake", said.String(), shown("error[SG1202]"))

	// Commands that are named are there, with the flags they are named with.
	t.Chdir(root)
	for _, m := range regexp.MustCompile(`(?m)^(?:\$ )?streamgen ([a-z]+)[^#\n]*`).FindAllStringSubmatch(strings.Join(blocks, "\n"), -1) {
		out.Reset()
		if code := Main([]string{m[1], "--help"}, strings.NewReader(""), &out, &said); code != 0 {
			t.Errorf("%s: %s", m[0], said.String())
		}
		for _, flag := range regexp.MustCompile(`--[a-z]+`).FindAllString(m[0], -1) {
			if !strings.Contains(out.String(), flag+" ") {
				t.Errorf("%s: there is no %s", m[0], flag)
			}
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The scenario that docs/recorded-runs.md shows is one that TestScripts plays.
func TestRecordedRunsPage(t *testing.T) {
	script, err := txtar.ParseFile("testdata/script/test.txtar")
	if err != nil {
		t.Fatal(err)
	}
	blocks := fenced(readFile(t, "docs/recorded-runs.md"))
	for i, name := range []string{"specs/busy/app.hcl", "runs/busy/scenario.json", "runs/busy/monday.jsonl"} {
		at := slices.IndexFunc(script.Files, func(f txtar.File) bool { return f.Name == name })
		if at < 0 || len(blocks) != 3 || string(script.Files[at].Data) != blocks[i]+"\n" {
			t.Errorf("block %d of docs/recorded-runs.md is not %s of the script", i+1, name)
		}
	}
}

// fenced are the texts between lines of backquotes.
func fenced(markdown string) (blocks []string) {
	for i, part := range strings.Split(markdown, "\n```") {
		if i%2 == 1 {
			_, text, _ := strings.Cut(part, "\n")
			blocks = append(blocks, text)
		}
	}
	return blocks
}

// contains holds that the lines of part stand in whole, in that order; between two of them nothing may be left out but blank lines
// and where a line "…" says so.
func contains(t *testing.T, what, whole, part string) {
	t.Helper()
	lines := func(s string) (list []string) {
		for l := range strings.Lines(s) {
			if l = strings.TrimSpace(l); l != "" {
				list = append(list, l)
			}
		}
		return list
	}
	rest, next := lines(whole), false
	for _, want := range lines(part) {
		if want == "…" {
			next = false
			continue
		}
		at := -1
		for i, l := range rest {
			if l == want {
				at = i
				break
			}
			if next {
				break
			}
		}
		if at < 0 {
			t.Errorf("%s has no line %q at that place", what, want)
			return
		}
		rest, next = rest[at+1:], true
	}
}
