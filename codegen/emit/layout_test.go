package emit

import (
	"strings"
	"testing"
	"time"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

func TestTidyImports(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"two groups, no aliases", `package p

import (
	records "example.com/shop/records"
	json1 "example.com/shop/json"
	record "github.com/streamgen/streamgen/runtime/record"
	"log/slog"
	"strings"
)

const a = 1
`, `package p

import (
	"log/slog"
	"strings"

	"example.com/shop/records"
	json1 "example.com/shop/json"
	"github.com/streamgen/streamgen/runtime/record"
)

const a = 1
`},
		{"one import", "package p\n\nimport task \"github.com/streamgen/streamgen/runtime/task\"\n\nvar a task.At\n",
			"package p\n\nimport \"github.com/streamgen/streamgen/runtime/task\"\n\nvar a task.At\n"},
		{"module without a dot", "package p\n\nimport (\n\t\"shop/records\"\n\t\"strings\"\n)\n", "package p\n\nimport (\n\t\"strings\"\n\n\t\"shop/records\"\n)\n"},
		{"none", "package p\n\nvar a = `\nimport x \"y/x\"\n`\n", "package p\n\nvar a = `\nimport x \"y/x\"\n`\n"},
	} {
		if got := string(tidyImports([]byte(c.src), "shop")); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	text := strings.Repeat("word ", 60) + "end"
	lines := strings.Split(wrap(text), "\n")
	if len(lines) != 3 {
		t.Errorf("%d lines", len(lines))
	}
	for _, l := range lines {
		if !strings.HasPrefix(l, "// ") || strings.HasSuffix(l, " ") || len(l) > width {
			t.Errorf("%q", l)
		}
	}
	if got := strings.Join(strings.Fields(strings.ReplaceAll(wrap(text), "//", "")), " "); got != text {
		t.Errorf("words lost: %q", got)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0", time.Hour: "time.Hour", 72 * time.Hour: "72 * time.Hour", 90 * time.Minute: "90 * time.Minute",
		time.Second: "time.Second", 1500 * time.Millisecond: "1500 * time.Millisecond",
	} {
		if got := duration(d); got.GoString() != want {
			t.Errorf("%v: %#v, want %s", d, got, want)
		}
	}
}

// Comments say an expression as the spec does: parentheses where they are needed, no conversions that were put in.
func TestExprText(t *testing.T) {
	value := func(field string, t types.Type) model.Expr {
		return &model.Field{ExprBase: model.ExprBase{Type: t}, X: &model.Var{Root: model.RootValue}, Name: field}
	}
	number := func(n int64) model.Expr { return &model.Const{ExprBase: model.ExprBase{Type: types.Int64}, Value: n} }
	binary := func(l model.Expr, op string, r model.Expr) model.Expr { return &model.Binary{Op: op, L: l, R: r} }
	a, b, s := value("a", types.Int64), value("b", types.Int64), value("s", types.String)
	tier := &types.Enum{Name: "Tier", Values: []string{"gold"}}
	for want, e := range map[string]model.Expr{
		"(value.a + value.b) * 2":        binary(binary(a, "+", b), "*", number(2)),
		"value.a + value.b * 2":          binary(a, "+", binary(b, "*", number(2))),
		"value.a - (value.b - 2)":        binary(a, "-", binary(b, "-", number(2))),
		"!(value.a == 1 || key != null)": &model.Unary{Op: "!", X: binary(binary(a, "==", number(1)), "||", &model.IsNull{X: &model.Var{Root: model.RootKey}, Not: true})},
		"value.a > 1 ? value.b : 2":      &model.Cond{If: binary(a, ">", number(1)), Then: b, Else: number(2)},
		`"no ${value.a}: ${value.s}"`: &model.Concat{Parts: []model.Expr{
			&model.Const{ExprBase: model.ExprBase{Type: types.String}, Value: "no "},
			&model.Convert{ExprBase: model.ExprBase{Type: types.String}, X: a},
			&model.Const{ExprBase: model.ExprBase{Type: types.String}, Value: ": "}, s,
		}},
		"int64(value.s)": &model.Convert{ExprBase: model.ExprBase{Type: types.Int64}, X: s},
		"value.b":        &model.Wrap{X: &model.Convert{ExprBase: model.ExprBase{Type: types.Int64}, X: value("b", types.Int32)}},
		`customer.tier == "gold"`: binary(&model.Field{ExprBase: model.ExprBase{Type: tier}, X: &model.Unwrap{X: &model.Var{Root: model.RootJoin, Name: "customer"}}, Name: "tier"},
			"==", &model.Const{ExprBase: model.ExprBase{Type: tier}, Value: int64(0)}),
		`try(var.limit / 2, 0)`: &model.Try{X: binary(&model.Var{Root: model.RootVariable, Name: "limit"}, "/", number(2)), Fallback: number(0)},
		`timestamp - "5m0s"`: binary(&model.Var{Root: model.RootTimestamp}, "-",
			&model.Const{ExprBase: model.ExprBase{Type: types.Duration}, Value: int64(300_000)}),
		`merge(value, { tier = null })`: &model.Merge{X: &model.Var{Root: model.RootValue}, Set: []model.FieldSet{{Name: "tier", Value: &model.Const{ExprBase: model.ExprBase{Type: types.Null}}}}},
	} {
		if got := exprText(e); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Ways of a record fork below each other; what several lead to is drawn once.
func TestDrawing(t *testing.T) {
	topic := func(name string, kind plan.TopicKind) *plan.Topic { return &plan.Topic{Name: name, Kind: kind} }
	send := func(t *plan.Topic) plan.Op { return &plan.Send{Topic: t} }
	filter := &plan.Filter{Filter: &model.Filter{}}
	end := &plan.Func{Go: "toEnd", Ops: []plan.Op{send(topic("end", plan.Output))}}
	inner := &plan.Func{Ops: []plan.Op{filter, &plan.Choose{Cases: []plan.Choice{
		{Case: &model.Case{Label: "big"}, To: end}, {Case: &model.Case{Label: "none"}},
	}}}}
	entry := &plan.Func{Ops: []plan.Op{filter, &plan.Call{To: []*plan.Func{
		inner, {Ops: []plan.Op{send(topic("by-key", plan.Repartition))}}, {Ops: []plan.Op{&plan.Call{To: []*plan.Func{end}}}},
	}}}}
	d := &drawing{drawn: map[*plan.Func]bool{}}
	d.follow(row{"  in", "  "}, entry)
	want := `  in ─▶ filter ┬─▶ filter ┬─▶ big ─▶ end
               │          └─▶ none ─▶ dropped
               ├─▶ (by-key)
               └─▶ end, above`
	if got := strings.Join(d.lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
