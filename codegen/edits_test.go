package codegen_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/streamgen/streamgen/codegen"
	"github.com/streamgen/streamgen/codegen/output"
	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
)

// edit is a change of one line of a spec, and how much of the generated code it may change.
type edit struct {
	spec     string // an example or a golden
	old, new string // a line of the spec without its indent, and what stands there afterwards; "" for old: a line behind the first one
	most     int    // lines that are taken away and added outside of records; -1: of the positions only
}

// positionsOnly is for edits that move lines and change nothing.
const positionsOnly = -1

// A change of the spec gives a change of the same size in Go.
var edits = []edit{
	// Nothing but places changes.
	{"order-enrichment", "", "# who placed what", positionsOnly},
	{"flights", "", "# flights out of New York", positionsOnly},
	{"order-enrichment", `as    = customer`, "as    = customer # of the order", positionsOnly},
	{"flights", `count()`, "count()\n", positionsOnly},
	{"aggregate", `emit = "every"`, "\n  emit = \"every\"", positionsOnly},
	{"order-enrichment", `description = "What each customer ordered so far."`, `description = "What each customer has ordered so far."`, 2},

	// A constant.
	{"order-enrichment", `filter { where = value.tier != "blocked" }`, `filter { where = value.tier != "gold" }`, 4},
	{"branch", `case "big" { where = value.amount > 50 }`, `case "big" { where = value.amount > 500 }`, 2},
	{"order-enrichment", `topic = "orders-enriched"`, `topic = "orders-with-tier"`, 14},
	{"order-enrichment", `start                = "earliest"`, `start                = "latest"`, 2},
	{"order-enrichment", `processing_guarantee = "exactly_once_v2"`, `processing_guarantee = "at_least_once"`, 2},
	{"map", `commit_interval      = "250ms"`, `commit_interval      = "500ms"`, 2},
	{"map", `default = 5`, `default = 7`, 2},
	{"map", `level   = "debug"`, `level   = "warn"`, 2},
	{"order-enrichment", `values = ["bronze", "silver", "gold", "blocked"]`, `values = ["bronze", "silver", "gold", "platinum", "blocked"]`, 0},

	// An expression.
	{"branch", `map_values { value = value.amount * 2 }`, `map_values { value = value.amount * 2 + 1 }`, 8},
	{"flights", `filter { where = !value.cancelled && value.dep_delay != null }`, `filter { where = value.dep_delay != null }`, 6},
	{"order-enrichment", `filter { where = value.tier != "blocked" }`, `filter { where = value.tier != "blocked" && value.amount_cents > 0 }`, 4},
	{"order-enrichment", `value = merge(value, { tier = customer.tier })`, `value = merge(value, { tier = customer.tier, who = customer.name })`, 4},
	{"order-enrichment", `biggest     = max(value.amount_cents)`, `biggest     = min(value.amount_cents)`, 4},
	{"order-enrichment", `last_order  = max(timestamp)`, `last_order  = last(timestamp)`, 6},
	{"order-enrichment", `orders      = count()`, "orders      = count()\n      smallest    = min(value.amount_cents)", 6},
	{"flights", `cancelled = count(value.cancelled)`, `cancelled = count(!value.cancelled)`, 4},
	{"reduce", `reduce { add = agg + " " + value }`, `reduce { add = agg + "," + value }`, 4},

	// A step more, a step less.
	{"order-enrichment", `filter { where = value.tier != "blocked" }`, ``, 6},
	{"rekey", `filter { where = value.amount > 100 }`, "filter { where = value.amount > 100 }\n  peek { message = \"big order\" }", 6},
	{"rekey", `filter { where = value.amount > 100 }`, "filter { where = value.amount > 100 }\n  map_values { value = merge(value, { amount = 0 }) }", 18},
	{"branch", `case "express" { where = value.express }`, "case \"express\" { where = value.express }\n  case \"small\" { where = value.amount < 5 }", 6},
	{"order-enrichment", `group_by { key = value.customer_id }`, `group_by { key = value.order_id }`, 10},
	{"tables", `map_values { value = value == null ? null : value.model }`, "filter { where = value != null }\n  map_values { value = value.model }", 18},

	// Emission and policy.
	{"order-enrichment", `emit        = "updates"`, `emit        = "every"`, 24},
	{"enrichment", `on_error = "skip"`, ``, 0},
	{"enrichment", `on_error = "fail"`, ``, 0},
	{"merge", `left_join {`, `join {`, 48},

	// Names.
	{"order-enrichment", `store "orders-per-customer" {`, `store "orders-of-customer" {`, 36},
	{"order-enrichment", `amount_cents = int64`, `amount_cents = int32`, 8},
	{"order-enrichment", `note         = optional(string)`, ``, 2},
	{"order-enrichment", `note         = optional(string)`, "note         = optional(string)\n  shop         = optional(string)", 2},
}

// specText is the spec of an example or a golden.
func specText(t *testing.T, name string) string {
	t.Helper()
	if text, err := os.ReadFile(filepath.Join("../examples", name, "app.hcl")); err == nil {
		return string(text)
	}
	for _, g := range goldens(t) {
		if g.name == name {
			return string(g.section("app.hcl"))
		}
	}
	t.Fatalf("there is no spec %s", name)
	return ""
}

// apply is the spec after the edit.
func (e edit) apply(t *testing.T) (before, after string) {
	t.Helper()
	before = specText(t, e.spec)
	if e.old == "" {
		return before, e.new + "\n" + before
	}
	lines := strings.Split(before, "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, e.old) })
	if i < 0 {
		t.Fatalf("%s has no line %s", e.spec, e.old)
	}
	lines[i] = strings.Replace(lines[i], e.old, e.new, 1)
	return before, strings.Join(lines, "\n")
}

func TestEdits(t *testing.T) {
	if len(edits) < 30 {
		t.Fatalf("%d edits, want 30", len(edits))
	}
	for _, e := range edits {
		t.Run(e.spec, func(t *testing.T) {
			before, after := e.apply(t)
			a, b := generate(t, before), generate(t, after)
			if a == nil || b == nil {
				t.Fatalf("the spec has errors after %q", e.new)
			}
			sum := 0
			for name, n := range changed(a.Files, b.Files) {
				switch {
				case name == "positions_gen.go" && e.most == positionsOnly:
				case e.most == positionsOnly:
					t.Errorf("%q → %q changes %d lines of %s; only lines moved", e.old, e.new, n, name)
				case name != "positions_gen.go" && path.Dir(name) != "records":
					sum += n
				}
			}
			if e.most != positionsOnly && sum > e.most {
				t.Errorf("%q → %q changes %d lines, at most %d should:\n%v", e.old, e.new, sum, e.most, changed(a.Files, b.Files))
			} else {
				t.Logf("%q → %q: %d of %d", e.old, e.new, sum, e.most)
			}
		})
	}
}

// changed counts the lines that are taken away and added, by file.
func changed(before, after []output.File) map[string]int {
	texts := map[string][2][]byte{}
	for _, f := range before {
		texts[f.Path] = [2][]byte{f.Content, nil}
	}
	for _, f := range after {
		texts[f.Path] = [2][]byte{texts[f.Path][0], f.Content}
	}
	counts := map[string]int{}
	for name, t := range texts {
		m := difflib.NewMatcher(difflib.SplitLines(string(t[0])), difflib.SplitLines(string(t[1])))
		for _, op := range m.GetOpCodes() {
			if op.Tag != 'e' {
				counts[name] += op.I2 - op.I1 + op.J2 - op.J1
			}
		}
	}
	return counts
}

// The budget of Go for a step of a spec, outside of records: in sum over all specs, and in each of them, where a small one pays
// for the program around its steps. A source, a case and a sink count as a step, too.
const (
	linesPerStep       = 37
	linesPerStepOfEach = 45
)

// sides is in how many directions a step works: what is written for one of them is what the budget is for.
func sides(s model.Step) int {
	switch s := s.(type) {
	case *model.TableJoin:
		if s.On != nil { // a row that asks, the question, the answer, and what its other side tells of itself
			return 4
		}
		return 2
	case *model.GroupBy:
		if s.Rows { // what leaves a group, what comes
			return 2
		}
	case *model.StreamJoin: // and what leaves without having met anything
		if s.Left || s.Right {
			return 3
		}
		return 2
	case *model.Cogroup:
		return len(s.Inputs)
	}
	return 1
}

// Generated code stays within its budget.
func TestLinesPerStep(t *testing.T) {
	allLines, allSteps := 0, 0
	budget := func(t *testing.T, name, text string, opts check.Options) {
		file, diags := syntax.ParseFile("app.hcl", []byte(text))
		tree, ds := syntax.Parse(file)
		diags.Append(ds)
		program, ds := check.Check(tree, opts)
		diags.Append(ds)
		noErrors(t, diags)
		r, err := codegen.Generate(program, base)
		if err != nil {
			t.Fatal(err)
		}
		noErrors(t, r.Diags)
		// A sub-topology behind another is a repartition that the plan infers: a step that nobody had to write.
		lines, steps := 0, len(program.Sinks)+len(r.Plan.SubTopologies)-1
		for _, f := range r.Files {
			if path.Dir(f.Path) == "." {
				lines += strings.Count(string(f.Content), "\n")
			}
		}
		for _, b := range program.Blocks {
			steps += len(b.Steps) + len(b.Cases)
			for _, s := range b.Steps {
				steps += sides(s) - 1
			}
			if b.Source != nil {
				steps++
				if b.Source.Time != nil { // a block of its own in the spec
					steps++
				}
				if b.Source.Reuse { // it is read in two ways: as it comes, and when it is restored
					steps++
				}
			}
			if b.Window != nil { // as well
				steps++
			}
		}
		allLines, allSteps = allLines+lines, allSteps+steps
		t.Logf("%d lines for %d steps: %d", lines, steps, lines/steps)
		if lines > steps*linesPerStepOfEach {
			t.Errorf("%s: %d lines for %d steps are %d a step, the budget is %d", name, lines, steps, lines/steps, linesPerStepOfEach)
		}
	}
	for _, name := range []string{"order-enrichment", "flights"} {
		t.Run(name, func(t *testing.T) { budget(t, name, specText(t, name), check.Options{}) })
	}
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) { budget(t, g.name, string(g.section("app.hcl")), check.Options{Go: g}) })
	}
	t.Logf("%d lines for %d steps: %d", allLines, allSteps, allLines/allSteps)
	if allLines > allSteps*linesPerStep {
		t.Errorf("%d lines for %d steps are %d a step, the budget is %d", allLines, allSteps, allLines/allSteps, linesPerStep)
	}
}
