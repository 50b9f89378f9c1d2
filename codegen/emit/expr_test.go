package emit

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const programPath = "github.com/streamgen/streamgen/codegen/emit/testdata/program"

// program is what is generated for the tests and laid over testdata/program, whose main.go uses it.
type program struct {
	plan    *plan.Plan
	records *Records
	files   map[string][]byte // by path below testdata/program
	buffers []jen.Code        // of lists that expressions make
}

func newProgram() *program {
	p := testPlan()
	r := NewRecords(p, programPath+"/records")
	format := func(name string, t types.Type) plan.Format { return plan.Format{Name: name, Type: t} }
	fail := func(*jen.Statement) []jen.Code { return nil }
	x := jen.Id("x")
	for _, d := range []Decoding{ // what main.go and codecs.go call
		{Format: format("json", inType)},
		{Format: format("json", inType), Fields: []string{"n", "t"}, Check: []string{"f", "data", "at", "d", "tier", "home", "note", "work", "level"}},
		{Format: format("json", inType), Fields: []string{"s", "note", "work", "home"}, Purpose: "Rekey"},
		{Format: format("json", inType), Fields: []string{}, Check: []string{"n"}},
		{Format: format("json", lineType), Fields: []string{"street"}},
		{Format: format("json", placeType)},
		{Format: format("json", allNullType)},
		{Format: format("json", edgeType)},
		{Format: format("row", inType)},
		{Format: format("json", manyType)},
		{Format: format("json", manyType), Fields: []string{}, Check: manyType.FieldNames()},
		{Format: format("row", manyType)},
		{Format: wireFormat},
	} {
		d.Src, d.Dst, d.Fail = x, x, fail
		r.Decode(d)
	}
	for _, t := range []types.Type{inType, lineType, allNullType, edgeType} {
		r.Append(format("json", t), x, x)
		r.Codec(t)
		r.RowJSON(t)
		r.Equal(t, x, x, false)
		r.Keep(t, x, x)
	}
	r.Append(wireFormat, x, x)
	r.Append(format("json", manyType), x, x)
	r.Codec(manyType)
	r.RowJSON(manyType)
	r.Equal(manyType, x, x, false)
	r.Keep(manyType, x, x)
	r.Codec(tierType)
	r.RowJSON(tierType)
	return &program{plan: p, records: r, files: map[string][]byte{}}
}

// add renders a file into the program.
func (p *program) add(t *testing.T, name string, f *jen.File) string {
	t.Helper()
	content, err := (&file{name: name, File: f}).render([]string{"app.hcl"}, programPath)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p.files[name] = content
	return string(content)
}

// run builds the program and runs it, with the input on stdin.
func (p *program) run(t *testing.T, input string, args ...string) string {
	t.Helper()
	for _, f := range p.records.Files() {
		p.add(t, "records/"+f.Name, f.File)
	}
	dir := t.TempDir()
	base, err := filepath.Abs("testdata/program")
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, content := range p.files {
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(base, name)] = path
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlayFile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "program")
	if out, err := exec.Command("go", "build", "-overlay", overlayFile, "-o", binary, programPath).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, p.files["expressions_gen.go"])
	}
	if out, err := exec.Command("go", "vet", "-overlay", overlayFile, programPath, programPath+"/records").CombinedOutput(); err != nil {
		t.Fatalf("go vet: %v\n%s", err, out)
	}
	cmd := exec.Command(binary, args...)
	cmd.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.Bytes(), errs.Bytes())
	}
	return out.String()
}

// golden compares text with a file below testdata.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s is not up to date (-update rewrites it); now it is\n%s", path, text)
	}
}

// Every expression of the table is generated as a value, as an assignment, and if it is a bool as both conditions; the program
// evaluates them over the inputs, and all ways must give the output.
func TestExpressions(t *testing.T) {
	p := newProgram()
	cases := append(expressionCases(), valueCases()...)
	f := jen.NewFilePathName(programPath, "main")
	f.Comment("cases are the expressions under test, by name.")
	f.Var().Id("cases").Op("=").Map(jen.String()).Index().Func().Params(jen.Op("*").Id("scope")).Params(jen.Any(), jen.Error()).Values(jen.DictFunc(func(d jen.Dict) {
		for _, c := range cases {
			var ways []jen.Code
			for _, w := range c.ways() {
				ways = append(ways, jen.Id(w.name))
			}
			d[jen.Lit(c.name)] = jen.Values(ways...)
		}
	}))
	for _, c := range cases {
		for _, w := range c.ways() {
			f.Line().Func().Id(w.name).Params(jen.Id("s").Op("*").Id("scope")).Params(jen.Any(), jen.Error()).Block(w.body(p.scope())...)
		}
	}
	for _, b := range p.buffers {
		f.Line().Add(b)
	}
	golden(t, "expressions.golden", p.add(t, "expressions_gen.go", f))

	type job struct{ Name, Input string }
	var jobs []job
	var want []string
	for _, c := range cases {
		for _, in := range c.inputs {
			jobs = append(jobs, job{c.name, input(t, in.set)})
			want = append(want, in.want)
		}
	}
	text, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(p.run(t, string(text), "expressions"), "\n"), "\n")
	if len(lines) != len(jobs) {
		t.Fatalf("%d results of %d", len(lines), len(jobs))
	}
	for i, line := range lines {
		for way, got := range strings.Split(line, "\t") {
			if got != want[i] {
				t.Errorf("%s, way %d, of %s\n got %s\nwant %s", jobs[i].Name, way+1, jobs[i].Input, got, want[i])
			}
		}
	}
}

// input is the record of the tests, with some fields set.
func input(t *testing.T, set string) string {
	t.Helper()
	fields := map[string]json.RawMessage{}
	for _, text := range []string{
		`{"n":7,"m":3,"i":2,"f":1.5,"g":0.5,"s":"grün","t":"b","yes":true,"data":"aGk=","at":"2026-03-01T12:00:00.000Z","d":"90s","tier":"silver",
		"home":{"street":"Elm","zip":"123"}}`, set,
	} {
		if text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(text), &fields); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	out, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// scope is that of the functions of the program: value is the record, row the right side of a left join, agg an int64.
func (p *program) scope() *Scope {
	s := jen.Id("s")
	return &Scope{
		Records:   p.records,
		Names:     NewNames("s"),
		Fail:      func(err *jen.Statement) []jen.Code { return []jen.Code{jen.Return(jen.Nil(), err)} },
		Key:       Place{Valid: s.Clone().Dot("key").Op("!=").Nil(), Null: s.Clone().Dot("key").Op("==").Nil()},
		Value:     Place{It: s.Clone().Dot("value")},
		Agg:       Place{It: s.Clone().Dot("agg")},
		Timestamp: rt("temporal", "Timestamp").Call(s.Clone().Dot("timestamp")),
		Headers:   s.Clone().Dot("headers"),
		Buffer: func(t types.Type, _ ...string) *jen.Statement {
			name := fmt.Sprintf("buffer%d", len(p.buffers)+1)
			p.buffers = append(p.buffers, jen.Var().Id(name).Add(p.records.Type(t)))
			return jen.Id(name)
		},
		Join: func(as string) Place {
			if as == "many" {
				return Place{It: s.Clone().Dot("many")}
			}
			row := s.Clone().Dot(as)
			return Place{Valid: row.Clone().Op("!=").Nil(), Null: row.Clone().Op("==").Nil(), Value: row.Clone().Dot("Value")}
		},
		Variable:    func(label string) *jen.Statement { return s.Clone().Dot(label) },
		Aggregators: []Place{{It: s.Clone().Dot("agg")}, {Valid: s.Clone().Dot("agg").Op("!=").Lit(0), Value: jen.Parens(jen.Float64().Call(s.Clone().Dot("agg")).Op("/").Lit(2.0))}},
		Text:        s.Clone().Dot("text"),
		UsesText:    new(bool),
	}
}

type expressionCase struct {
	name   string
	expr   model.Expr
	inputs []expressionInput
}

type expressionInput struct{ set, want string }

type way struct {
	name string
	body func(s *Scope) []jen.Code
}

// ways are the functions that are generated for the case.
func (c expressionCase) ways() []way {
	typ := c.expr.Base().Type
	name := "eval" + upperFirst(c.name)
	give := func(v *jen.Statement) jen.Code { return jen.Return(v, jen.Nil()) }
	list := []way{
		{name, func(s *Scope) []jen.Code {
			before, v := s.Expr(c.expr)
			if _, ok := c.expr.(*model.Const); ok {
				v = s.Records.Type(typ).Call(v)
			}
			return append(before, give(v))
		}},
		{name + "Assigned", func(s *Scope) []jen.Code {
			s.Names.New("out")
			body := append([]jen.Code{jen.Var().Id("out").Add(s.Records.Type(typ))}, s.Assign(jen.Id("out"), c.expr)...)
			return append(body, give(jen.Id("out")))
		}},
		{name + "Held", func(s *Scope) []jen.Code {
			before, v := s.Var("held", c.expr)
			return append(before, give(jen.Op("*").Parens(jen.Op("&").Add(v)))) // addressable, as promised
		}},
	}
	if typ == types.Bool {
		for _, negate := range []bool{false, true} {
			list = append(list, way{name + map[bool]string{false: "Holds", true: "HoldsNot"}[negate], func(s *Scope) []jen.Code {
				before, cond := s.Test(c.expr, negate)
				return append(before, jen.If(cond).Block(give(jen.Lit(!negate))), give(jen.Lit(negate)))
			}})
		}
	}
	return list
}
