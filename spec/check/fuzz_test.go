package check_test

import (
	"math/rand/v2"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/check"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
)

// FuzzCheck holds that no text makes the checker panic, whole or with parse errors, and that what it accepts can be written down.
func FuzzCheck(f *testing.F) {
	for _, src := range scenarios(f) {
		f.Add([]byte(src))
	}
	for _, c := range diag.Codes() {
		f.Add([]byte(prelude + c.Wrong))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, diags := syntax.ParseFile("app.hcl", src)
		p, _ := syntax.Parse(file)
		m, found := check.Check(p, check.Options{})
		switch {
		case found.HasErrors() != (m == nil):
			t.Error("a model is there if and only if there are no errors")
		case m == nil || diags.HasErrors():
			return
		}
		if model.Dump(m) == "" {
			t.Error("nothing was written")
		}
		for _, b := range m.Blocks {
			for _, s := range b.Steps {
				for _, e := range model.Exprs(s) {
					model.Walk(e, func(e model.Expr) {
						if e.Base().Type == nil {
							t.Errorf("%s: an expression without a type: %s", e.Base().Pos, model.DumpExpr(e))
						}
					})
				}
			}
		}
	})
}

var token = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|[A-Za-z_][A-Za-z0-9_-]*|[0-9.]+|[=!<>&|]+|[ \t]+|\n|.`)

// Specs whose tokens were mixed up come much closer to the checker than any bytes: most of them parse.
func TestMutants(t *testing.T) {
	specs := append(scenarios(t), scope+"stream \"x\" {\n  from = stream.in\n  map_values { value = merge(value.r, { n = try(int64(value.s), 0), t = \"${value.e}\" }) }\n}\n")
	for _, c := range diag.Codes() {
		specs = append(specs, prelude+c.Wrong, prelude+c.Right)
	}
	var words []string
	for _, s := range specs {
		for _, w := range token.FindAllString(s, -1) {
			if strings.TrimSpace(w) != "" {
				words = append(words, w)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	parsed, passed := 0, 0
	for range mutants() {
		tokens := token.FindAllString(specs[r.IntN(len(specs))], -1)
		for range 1 + r.IntN(4) {
			i := r.IntN(len(tokens))
			switch r.IntN(4) {
			case 0:
				tokens[i] = ""
			case 1:
				tokens[i] += " " + tokens[r.IntN(len(tokens))]
			default:
				for strings.TrimSpace(tokens[i]) == "" && i+1 < len(tokens) {
					i++
				}
				tokens[i] = words[r.IntN(len(words))]
			}
		}
		src := strings.Join(tokens, "")
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%v\n%s\n%s", p, debug.Stack(), src)
				}
			}()
			file, diags := syntax.ParseFile("app.hcl", []byte(src))
			p, _ := syntax.Parse(file)
			m, found := check.Check(p, check.Options{})
			if !diags.HasErrors() {
				parsed++
			}
			if m != nil {
				passed++
				model.Dump(m)
			}
			for _, d := range found {
				if _, ok := diag.Lookup(d.Code); !ok || d.Summary == "" || d.Range.File == "" {
					t.Fatalf("not a proper diagnostic: %+v\n%s", *d, src)
				}
			}
		}()
	}
	if parsed < 100 || passed < 10 {
		t.Errorf("%d mutants parse and %d pass: they say nothing", parsed, passed)
	}
}

// mutants is how many are tried; STREAMGEN_MUTANTS asks for more.
func mutants() int {
	if n, err := strconv.Atoi(os.Getenv("STREAMGEN_MUTANTS")); err == nil {
		return n
	}
	return 2000
}
