package codegen_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/streamgen/streamgen/codegen"
	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/syntax"
)

// The cases by their ids: faults that other generators had.

const caseApp = "app \"cases\" {\n  processing_guarantee = \"at_least_once\"\n  start                = \"earliest\"\n}\n"

// The compiler's time grows with the spec, and no faster: 2,000 streams, a record of 5,000 fields, and a text of a megabyte.
func TestG17Large(t *testing.T) {
	var b strings.Builder
	b.WriteString("app \"large\" {\n  processing_guarantee = \"at_least_once\"\n  start = \"earliest\"\n  description = <<EOT\n")
	b.WriteString(strings.Repeat(strings.Repeat("lorem ipsum ", 100)+"\n", 900))
	b.WriteString("EOT\n}\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "stream \"in%d\" {\n  topic = \"in%d\"\n  key = string\n  value = string\n}\n", i, i)
		fmt.Fprintf(&b, "stream \"s%d\" {\n  from = stream.in%d\n  filter { where = value != \"x\" }\n  map_values { value = upper(value) }\n}\n", i, i)
		fmt.Fprintf(&b, "sink \"out%d\" {\n  from = stream.s%d\n  topic = \"out%d\"\n  value = string\n}\n", i, i, i)
	}
	b.WriteString("type \"Wide\" {\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "  f%d = %s\n", i, [...]string{"string", "int64", "optional(float64)", "bool"}[i%4])
	}
	b.WriteString("}\nstream \"wide\" {\n  topic = \"wide\"\n  key = string\n  value = json(Wide)\n}\n")
	b.WriteString("stream \"wider\" {\n  from = stream.wide\n  map_values { value = merge(value, { f1 = value.f1 + 1 }) }\n}\n")
	b.WriteString("sink \"wide\" {\n  from = stream.wider\n  topic = \"wide-out\"\n  value = json\n}\n")
	began := processorTime(t)
	r := generate(t, b.String())
	if r == nil {
		t.Fatal("the spec has errors")
	}
	const most = 10 * time.Second // what is quadratic takes more; it is measured as 3
	if took := processorTime(t) - began; took > most {
		t.Errorf("%s of processor time for %d files", took, len(r.Files))
	}
	const lines = 2000 // of a codec: the Go compiler takes long for longer ones
	for _, f := range r.Files {
		if n := longestFunction(f.Content); n > lines && strings.HasPrefix(f.Path, "records/") {
			t.Errorf("%s has a function of %d lines", f.Path, n)
		}
	}
}

// processorTime is what this process has used. Unlike the clock it does not count what others do on the machine.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func longestFunction(source []byte) int {
	longest, begin := 0, -1
	for i, line := range bytes.Split(source, []byte("\n")) {
		switch {
		case bytes.HasPrefix(line, []byte("func ")):
			begin = i
		case bytes.Equal(line, []byte("}")) && begin >= 0:
			longest, begin = max(longest, i-begin), -1
		}
	}
	return longest
}

// compiles takes a spec to Go that compiles.
func compiles(t *testing.T, c *compiler, text string) *codegen.Result {
	t.Helper()
	r := generate(t, text)
	if r == nil {
		file, diags := syntax.ParseFile("app.hcl", []byte(text))
		tree, ds := syntax.Parse(file)
		diags.Append(ds)
		program, ds := check.Check(tree, check.Options{})
		diags.Append(ds)
		if program != nil {
			if r, err := codegen.Generate(program, base); err == nil {
				diags.Append(r.Diags)
			}
		}
		for _, d := range diags {
			t.Errorf("%s: %s %s", d.Range, d.Code, d.Summary)
		}
		t.Fatalf("the spec has errors:\n%s", text)
	}
	if err := c.compile(r.Files); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

// goWords are words that mean something in Go, or in the files that are generated.
var goWords = []string{
	"type", "func", "range", "select", "map", "struct", "interface", "import", "package", "go", "defer", "chan", "string", "error", "len", "append", "any", "nil",
	"true", "iota", "min", "clear", "int64", "records", "record", "state", "task", "json", "topology", "runtime", "main", "init", "fmt", "strings", "process", "flush", "new", "err", "t", "s", "b", "r", "v", "ok", "key", "value", "timestamp", "headers",
	"unknown", "string_", "decode", "append_order", "equal", "batch", "row", "store", "variables", "position", "positions",
}

// G01: fields and values of enums that are words of Go. G07: labels that are, in every role that a label has.
func TestG01G07WordsOfGo(t *testing.T) {
	c := newCompiler(t)
	var all strings.Builder
	all.WriteString(caseApp)
	fields, set := "", ""
	var values []string
	for _, w := range goWords {
		if w != "string_" && w != "true" && w != "nil" { // as fields the first is another's Go name; HCL has the others
			fields += "  " + w + " = string\n"
		}
		if w != "string_" {
			set += ", " + strconv.Quote(w)
		}
		values = append(values, w)
	}
	fmt.Fprintf(&all, "enum \"Word\" { values = [%s] }\n", strings.TrimPrefix(set, ", "))
	fmt.Fprintf(&all, "type \"Words\" {\n%s  word = Word\n}\n", fields)
	for _, w := range values {
		if w == "string_" { // one Go name with string
			continue
		}
		fmt.Fprintf(&all, "variable %q {\n  type = string\n  default = \"x\"\n  runtime = true\n}\n", w)
		fmt.Fprintf(&all, "stream %q {\n  topic = \"in-%s\"\n  key = string\n  value = json(Words)\n}\n", w, w)
		fmt.Fprintf(&all, "table %q {\n  from = stream.%s\n  select_key { key = value.type + var.%s }\n  filter { where = value.word != \"range\" }\n  to_table {}\n  store %q { unbounded = \"test\" }\n}\n", w, w, w, w)
		fmt.Fprintf(&all, "branch %q {\n  from = stream.%s\n  case %q { where = value.func == \"\" }\n  default \"rest-of-it\" {}\n}\n", w, w, w)
		fmt.Fprintf(&all, "stream \"joined-%s\" {\n  from = branch.%s.%s\n  join {\n    with = table.%s\n    as = row_of_it\n    value = { type = row_of_it.map, func = value.select }\n  }\n}\n", w, w, w, w)
		fmt.Fprintf(&all, "sink %q {\n  from = stream.joined-%s\n  topic = \"out-%s\"\n  value = json\n}\n", w, w, w)
		fmt.Fprintf(&all, "sink \"rest-%s\" {\n  from = branch.%s.rest-of-it\n  topic = \"rest-%s\"\n  value = json\n}\n", w, w, w)
	}
	compiles(t, c, all.String())
}

// G11: each step alone, and none: nothing is imported that is not used, nothing used that is not imported.
func TestG11EachStepAlone(t *testing.T) {
	c := newCompiler(t)
	const types = "type \"Order\" {\n  id = string\n  n = int64\n  f = optional(float64)\n  l = list(string)\n  at = timestamp\n}\n"
	const source = "stream \"in\" {\n  topic = \"in\"\n  key = string\n  value = json(Order)\n}\ntable \"rows\" {\n  topic = \"rows\"\n  key = string\n  value = int64\n}\n"
	for name, step := range map[string]string{
		"filter": `filter { where = value.n > 1 }`, "filter_not": `filter_not { where = value.id == "" }`, "map_values": `map_values { value = value.n }`,
		"select_key": `select_key { key = value.n }`, "map": "map {\n    key = value.id\n    value = { id = value.id }\n  }", "map time": `map { timestamp = value.at }`,
		"map headers": `map { headers = { a = bytes("b"), c = null } }`, "flat_map": `flat_map { each = [for x in value.l : { key = x, value = value.n }] }`,
		"flat_map_values": `flat_map_values { each = value.l }`, "peek": `peek { message = "${key}" }`, "repartition": `repartition "again" {}`,
		"dedup": "dedup {\n    by = value.id\n    within = \"1h\"\n  }", "join": "join {\n    with = table.rows\n    as = row\n    value = row\n  }",
		"left_join": "left_join {\n    with = table.rows\n    as = row\n    value = row\n  }", "nothing": "",
		"text": `map_values { value = "${value.n} ${value.id}" }`, "regexp": `filter { where = matches(value.id, "^a") }`, "time": `map_values { value = format_time(value.at, "2006") }`,
	} {
		t.Run(name, func(t *testing.T) {
			compiles(t, c, caseApp+types+source+"stream \"out\" {\n  from = stream.in\n  "+step+"\n}\nsink \"out\" {\n  from = stream.out\n  topic = \"out\"\n  value = "+
				map[string]string{"map_values": "int64", "flat_map": "int64", "flat_map_values": "string", "join": "int64", "left_join": "int64", "text": "string", "time": "string", "": "json"}[name]+
				map[bool]string{true: "json"}[map[string]string{"map_values": "int64", "flat_map": "int64", "flat_map_values": "string", "join": "int64", "left_join": "int64", "text": "string", "time": "string"}[name] == ""]+"\n}\n")
		})
	}
	for name, making := range map[string]string{
		"to_table": `to_table {}`, "count": `count {}`, "aggregate": `aggregate { value = max(value.n) }`, "reduce": "map_values { value = value.n }\n  reduce { add = agg + value }",
		"group_by": "group_by { key = value.id }\n  count {}",
	} {
		for _, emit := range []string{"every", "updates"} {
			t.Run(name+" "+emit, func(t *testing.T) {
				compiles(t, c, caseApp+types+source+"table \"out\" {\n  from = stream.in\n  emit = \""+emit+"\"\n  "+making+"\n  store \"out\" { unbounded = \"test\" }\n}\nsink \"out\" {\n  from = table.out\n  topic = \"out\"\n  value = "+
					map[bool]string{true: "json", false: "int64"}[name == "to_table"]+"\n}\n")
			})
		}
	}
	t.Run("empty", func(t *testing.T) { compiles(t, c, caseApp) })
	t.Run("state alone", func(t *testing.T) {
		compiles(t, c, caseApp+types+source+"table \"out\" {\n  from = stream.in\n  count {}\n  store \"out\" { unbounded = \"test\" }\n}\n")
	})
}

// G13: line ends and the separator of paths change nothing of what is generated.
func TestG13LineEnds(t *testing.T) {
	text := string(goldenNamed(t, "corners").section("app.hcl"))
	a, b := generate(t, text), generate(t, strings.ReplaceAll(text, "\n", "\r\n"))
	if a == nil || b == nil || len(a.Files) != len(b.Files) {
		t.Fatal("the specs differ")
	}
	for i, f := range a.Files {
		if g := b.Files[i]; f.Path != g.Path || !bytes.Equal(f.Content, g.Content) {
			t.Errorf("%s differs", f.Path)
		}
		if strings.Contains(f.Path, "\\") || bytes.Contains(f.Content, []byte("\r")) {
			t.Errorf("%s has line ends or separators of Windows", f.Path)
		}
	}
}

func goldenNamed(t *testing.T, name string) golden {
	t.Helper()
	for _, g := range goldens(t) {
		if g.name == name {
			return g
		}
	}
	t.Fatalf("no golden %s", name)
	return golden{}
}

// G19: no text of a spec gets out of the literal or the comment that it stands in.
func TestG19Quoting(t *testing.T) {
	c := newCompiler(t)
	for _, text := range []string{
		"`", `\"`, `\\`, "\\u2028", "\\u2029", "*/ func main() {}", "a\nb", "\\n\\r\\t", "//go:build ignore", "\\u0000", "\\u0007", "%s %d %!", "$${x}", "é日🎉", "\\U0010FFFF", "/*", "+build x", "{{.}}",
	} {
		if strings.Contains(text, "\n") {
			continue // no literal of HCL holds one: heredocs do, below
		}
		compiles(t, c, strings.Replace(caseApp, "{\n", "{\n  description = \""+text+"\"\n", 1)+
			"type \"R\" {\n  description = \""+text+"\"\n  a = string\n}\n"+
			"enum \"E\" {\n  description = \""+text+"\"\n  values = [\"a\"]\n}\n"+
			"variable \"v\" {\n  description = \""+text+"\"\n  type = string\n  default = \""+text+"\"\n  runtime = true\n}\n"+
			"stream \"in\" {\n  description = \""+text+"\"\n  topic = \"in\"\n  key = string\n  value = json(R, { rename = { a = \"x"+text+"\" } })\n}\n"+
			"stream \"out\" {\n  description = \""+text+"\"\n  from = stream.in\n  filter {\n    description = \""+text+"\"\n    where = value.a != \""+text+"\" || value.a + \""+text+"\" == var.v\n  }\n"+
			"  peek { message = \""+text+"${key}\" }\n  map { headers = { h = bytes(\""+text+"\") } }\n}\n"+
			"sink \"out\" {\n  description = \""+text+"\"\n  from = stream.out\n  topic = \"out\"\n  value = json\n}\n")
	}
	heredoc := "<<EOT\n*/ first\n\n//go:build ignore\npackage other\n`\\ x\nEOT"
	compiles(t, c, strings.Replace(caseApp, "{\n", "{\n  description = "+heredoc+"\n", 1)+
		"type \"R\" {\n  description = "+heredoc+"\n  a = string\n}\n"+
		"stream \"in\" {\n  description = "+heredoc+"\n  topic = \"in\"\n  key = string\n  value = json(R)\n}\n"+
		"stream \"out\" {\n  from = stream.in\n  filter {\n    description = "+heredoc+"\n    where = value.a != "+heredoc+"\n  }\n}\n"+
		"sink \"out\" {\n  description = "+heredoc+"\n  from = stream.out\n  topic = \"out\"\n  value = json\n}\n")
}

// G21: one type is generated once, however often a spec comes to it; a second declaration is a mistake.
func TestG21OneTypeOnce(t *testing.T) {
	c := newCompiler(t)
	const source = "enum \"E\" { values = [\"a\", \"b\"] }\nstream \"in\" {\n  topic = \"in\"\n  key = string\n  value = string\n}\n"
	text := caseApp + source
	for _, label := range []string{"one", "two", "three"} {
		text += "stream \"" + label + "\" {\n  from = stream.in\n  map_values { value = { text = value, at = timestamp, e = try(E(value), null), inner = { n = 1 } } }\n}\n" +
			"sink \"" + label + "\" {\n  from = stream." + label + "\n  topic = \"" + label + "\"\n  value = json\n}\n"
	}
	types := 0
	for _, f := range compiles(t, c, text).Files {
		if strings.HasPrefix(f.Path, "records/") {
			types += bytes.Count(f.Content, []byte("\ntype "))
		}
	}
	if types != 3 { // E, the record, and the one in it
		t.Errorf("%d types", types)
	}
	file, _ := syntax.ParseFile("app.hcl", []byte(caseApp+source+"enum \"E\" { values = [\"a\", \"b\"] }\n"))
	tree, _ := syntax.Parse(file)
	if _, diags := check.Check(tree, check.Options{}); diags.Errors() != 1 || diags[0].Code != "SG1203" {
		t.Errorf("two enums of one name: %v", diags)
	}
}

// J13: a join whose partition counts lead to nothing but each other is said to have none. The sides of a join by a foreign key, with
// windows or not, take theirs from the tables.
func TestJ13CountsThatLeadNowhere(t *testing.T) {
	in := "stream \"in\" {\n  topic_pattern = \"orders-.*\"\n  key = string\n  value = string\n}\n"
	loop := caseApp + in + "stream \"a\" {\n  from = stream.in\n  select_key { key = value }\n}\nstream \"b\" {\n  from = stream.in\n  select_key { key = upper(value) }\n}\n" +
		"stream \"j\" {\n  from = stream.a\n  join {\n    with = stream.b\n    as = b\n    before = \"1s\"\n    after = \"1s\"\n    grace = \"0s\"\n    value = b\n  }\n}\n" +
		"sink \"j\" {\n  from = stream.j\n  topic = \"j\"\n  value = string\n}\n"
	if codes := codesOf(t, loop); !strings.Contains(codes, "SG1407") {
		t.Errorf("got %q, should be SG1407", codes)
	}
	windowed := caseApp + in + "table \"counts\" {\n  from = stream.in\n  emit = \"every\"\n  group_by { key = value }\n  window \"tumbling\" {\n    size = \"1s\"\n    grace = \"0s\"\n  }\n  count {}\n}\n" +
		"table \"names\" {\n  topic = \"names\"\n  key = string\n  value = string\n}\n" +
		"table \"j\" {\n  from = table.counts\n  left_join {\n    with = table.names\n    as = n\n    on = key\n    value = n\n  }\n}\nsink \"j\" {\n  from = table.j\n  topic = \"j\"\n  value = string\n}\n"
	if codes := codesOf(t, windowed); !strings.Contains(codes, "SG1407") {
		t.Errorf("got %q, should be SG1407", codes)
	}
	if codes := codesOf(t, strings.ReplaceAll(windowed, "topic_pattern = \"orders-.*\"", "topic = \"orders\"")); codes != "" {
		t.Errorf("with a topic that has a count: %s", codes)
	}
}

// codesOf are those of the errors of a spec.
func codesOf(t *testing.T, text string) string {
	t.Helper()
	file, diags := syntax.ParseFile("app.hcl", []byte(text))
	tree, ds := syntax.Parse(file)
	diags.Append(ds)
	program, ds := check.Check(tree, check.Options{})
	diags.Append(ds)
	if program != nil {
		r, err := codegen.Generate(program, base)
		if err != nil {
			t.Fatal(err)
		}
		diags.Append(r.Diags)
	}
	var codes []string
	for _, d := range diags {
		if d.Severity == diag.Error {
			codes = append(codes, d.Code)
		}
	}
	return strings.Join(codes, " ")
}
