package check_test

import (
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/model"
)

const failures = `
table "failures" {
  from = stream.amounts
  emit = "%emit"
  window %window
  count {}
}
`

// Each kind of window needs its attributes, within their ranges. W29: grace is one of them, nobody has one without having said so.
func TestWindowAttributes(t *testing.T) {
	for _, c := range []struct{ window, code, text string }{
		{`"tumbling" { size = "5m" }`, "SG1102", `needs "grace": how long after its end late records count`},
		{`"tumbling" { grace = "5m" }`, "SG1102", `needs "size"`},
		{`"tumbling" {
			size = "5m"
			grase = "1m"
		}`, "SG1101", `has no attribute "grase"`},
		{`"tumbling" {
			size = "0s"
			grace = "1m"
		}`, "SG1112", `"size" must be longer than 0`},
		{`"tumbling" {
			size = "5m"
			advance = "1m"
			grace = "1m"
		}`, "SG1101", `has no attribute "advance"`},
		{`"hopping" {
			size = "5m"
			grace = "1m"
		}`, "SG1102", `needs "advance"`},
		{`"hopping" {
			size = "5m"
			advance = "6m"
			grace = "1m"
		}`, "SG1112", `"advance" must not be longer than "size"`},
		{`"sliding" {
			difference = "0s"
			grace = "1m"
		}`, "SG1112", `"difference" must be longer than 0`},
		{`"session" { gap = "5m" }`, "SG1102", `needs "grace"`},
		{`"unlimited" {}`, "SG1102", `needs "start"`},
		{`"unlimited" { start = "yesterday" }`, "SG1309", ``},
		{`"unlimited" { start = "1969-01-01T00:00:00Z" }`, "SG1112", `must not be before 1970`},
		{`"tumblin" { size = "5m" }`, "SG1112", `there is no window "tumblin"`},
		{`"calendar" { unit = "day" }`, "SG1199", `window "calendar" is not available yet`},
		{`"custom" { go = "x" }`, "SG1199", `window "custom" is not available yet`},
		{`{ size = "5m" }`, "SG1110", `window needs one label, its kind`},
		{`"tumbling" {
			size = "200000d"
			grace = "0s"
		}`, "SG1112", ``},
	} {
		spec := strings.NewReplacer("%emit", "every", "%window", c.window).Replace(failures)
		_, diags := check.Check(withPrelude(t, spec), check.Options{})
		errs := errorsOf(diags)
		if len(errs) != 1 || errs[0].Code != c.code || !strings.Contains(errs[0].Summary, c.text) {
			t.Errorf("%s gives\n%s\nwant %s %s", c.window, text(diags), c.code, c.text)
		}
	}
}

// Where a window stands, what a table with one needs, and what it has.
func TestWindowPlace(t *testing.T) {
	const tumbling = `window "tumbling" {
    size  = "5m"
    grace = "1m"
  }
`
	for _, c := range []struct{ spec, code string }{
		{"table \"x\" {\n  from = stream.amounts\n  emit = \"every\"\n  " + tumbling + "count {}\n}", ""},
		{"table \"x\" {\n  from = stream.amounts\n  " + tumbling + "count {}\n}", "SG1103"},
		{"table \"x\" {\n  from = stream.amounts\n  emit = \"every\"\n  " + tumbling + "filter { where = value > 1 }\n count {}\n}", "SG1121"},
		{"table \"x\" {\n  from = stream.amounts\n  emit = \"every\"\n  " + tumbling + "to_table {}\n}", "SG1121"},
		{"table \"x\" {\n  from = stream.amounts\n  emit = \"every\"\n  " + tumbling + tumbling + "count {}\n}", "SG1121"},
		{"table \"x\" {\n  from = stream.amounts\n  emit = \"every\"\n  " + tumbling + "}", "SG1106"},
		{"table \"x\" {\n  from = stream.amounts\n  count {}\n" + tumbling + "}", "SG1108"},
		{"stream \"x\" {\n  from = stream.amounts\n  " + tumbling + "}", "SG1105"},
		{"table \"x\" {\n  from = stream.amounts\n  emit = \"every\"\n  " + tumbling + "count {}\n}\nstream \"y\" { from = table.x }\ntable \"z\" {\n  from = stream.y\n  emit = \"every\"\n  " + tumbling + "count {}\n}", "SG1121"},
		{"table \"x\" {\n  from = stream.amounts\n  emit = \"every\"\n  " + tumbling + "count {}\n}\nstream \"y\" { from = table.x }\ntable \"z\" {\n  from = stream.y\n  emit = \"every\"\n  group_by { key = key }\n  " + tumbling + "count {}\n}", ""},
		{"table \"x\" {\n  from = stream.amounts\n  emit = \"final\"\n  window \"unlimited\" { start = \"2024-01-01T00:00:00Z\" }\n  count {}\n}", "SG1503"},
		{"table \"x\" {\n  from = stream.amounts\n  emit = \"final\"\n  " + tumbling + "count {}\n  store \"x\" { retention = \"5m\" }\n}", "SG1501"},
		{"table \"x\" {\n  from = stream.amounts\n  count {}\n  store \"x\" { retention = \"5m\" }\n}", "SG1101"},
	} {
		_, diags := check.Check(withPrelude(t, c.spec+"\nsink \"x\" {\n  from = stream.amounts\n  topic = \"x\"\n  value = int64\n}\n"), check.Options{})
		if got := strings.Join(errorCodes(diags), " "); got != c.code {
			t.Errorf("%s\ngives %q, want %q:\n%s", c.spec, got, c.code, text(diags))
		}
	}
}

// What is known of the window below it: the type of the key, the names of its bounds, the late records.
func TestWindowedKey(t *testing.T) {
	table := strings.NewReplacer("%emit", "every", "%window", "\"hopping\" {\n size = \"5m\"\n advance = \"1m\"\n grace = \"1m\"\n }").Replace(failures)
	for _, c := range []struct{ steps, key, code string }{
		{"", `windowed(string, { kind = "time", size = "5m" })`, ""},
		{"filter { where = window.start < window.end && key != \"\" }", `windowed(string, { kind = "time", size = "5m" })`, ""},
		{"map_values { value = { k = key, at = window.start } }", `windowed(string, { kind = "time", size = "5m" })`, ""},
		{"select_key { key = key }", "string", ""},
		{"select_key { key = key }\n filter { where = window.start < timestamp }", "", "SG1204"},
		{"select_key { key = \"${key}@${window.end}\" }", "string", ""},
		{"select_key { key = windowed(value, window) }", `windowed(int64, { kind = "time", size = "5m" })`, ""},
		{"map {\n key = windowed(value, window)\n value = key\n}", `windowed(int64, { kind = "time", size = "5m" })`, ""},
		{"map { key = null }\n filter { where = key != null }", `windowed(string, { kind = "time", size = "5m" })`, ""},
		{"map { key = null }\n filter { where = window.start < timestamp }", "", "SG1302"},
		{"filter { where = window.middle < timestamp }", "", "SG1202"},
		{"map_values { value = window }", "", "SG1204"},
		{"map_values { value = windowed(key, window) }", "", "SG1315"},
		{"select_key { key = windowed(key) }", "", "SG1308"},
		{"select_key { key = windowed(value == 1 ? null : value, window) }", "", "SG1302"},
	} {
		p, diags := check.Check(withPrelude(t, table+"stream \"x\" {\n from = table.failures\n"+c.steps+"\n}\n"), check.Options{})
		if got := strings.Join(errorCodes(diags), " "); got != c.code {
			t.Errorf("%s\ngives %q, want %q:\n%s", c.steps, got, c.code, text(diags))
			continue
		}
		if p == nil {
			continue
		}
		if got := p.Blocks[len(p.Blocks)-1].Out.Key.String(); got != c.key {
			t.Errorf("%s gives the key %s, want %s", c.steps, got, c.key)
		}
	}
	p, diags := check.Check(withPrelude(t, table+"stream \"x\" { from = table.failures.late }\n"), check.Options{})
	if diags.HasErrors() {
		t.Fatal(text(diags))
	}
	if b := p.Blocks[len(p.Blocks)-1]; !b.From[0].Late || b.Out.String() != "string => int64" || b.From[0].Block.Emit != model.EmitEvery {
		t.Errorf("late records are %s", b.Out)
	}
}

// The format of windowed keys: of a source with what its windows are.
func TestWindowedFormat(t *testing.T) {
	for _, c := range []struct{ format, key, code string }{
		{`windowed(string, { kind = "time", size = "5m" })`, `windowed(string, { kind = "time", size = "5m" })`, ""},
		{`windowed(json(Order), { kind = "session" })`, `windowed(Order, { kind = "session" })`, ""},
		{`optional(windowed(int64, { kind = "unlimited" }))`, `optional(windowed(int64, { kind = "unlimited" }))`, ""},
		{`windowed(string)`, "", "SG1308"},
		{`windowed`, "", "SG1308"},
		{`windowed(optional(string), { kind = "session" })`, "", "SG1308"},
		{`windowed(string, { kind = "time" })`, "", "SG1308"},
		{`windowed(string, { size = "5m" })`, "", "SG1308"},
		{`windowed(string, { kind = "session", size = "5m" })`, "", "SG1308"},
		{`windowed(string, { kind = "tumbling", size = "5m" })`, "", "SG1112"},
		{`windowed(string, { kind = "time", length = "5m" })`, "", "SG1101"},
	} {
		p, diags := check.Check(withPrelude(t, "stream \"x\" {\n topic = \"x\"\n value = string\n key = "+c.format+"\n}\n"), check.Options{})
		if got := strings.Join(errorCodes(diags), " "); got != c.code {
			t.Errorf("%s\ngives %q, want %q:\n%s", c.format, got, c.code, text(diags))
			continue
		}
		if p == nil {
			continue
		}
		if got := p.Blocks[len(p.Blocks)-1].Out.Key.String(); got != c.key {
			t.Errorf("%s gives the key %s, want %s", c.format, got, c.key)
		}
	}
}
