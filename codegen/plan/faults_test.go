package plan

import (
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

const joined = `app "faults" {
  processing_guarantee = "at_least_once"
  start                = "earliest"
}

stream "orders" {
  topic = "orders"
  key   = string
  value = string
}

table "customers" {
  topic = "customers"
  key   = string
  value = string
}

stream "joined" {
  from = stream.orders

  join {
    with  = table.customers
    as    = customer
    value = "${customer} ${value}"
  }
}

sink "joined" {
  from  = stream.joined
  topic = "joined"
  value = string
}
`

// Sides that do not meet by key are refused.
func TestSidesDiffer(t *testing.T) {
	for _, c := range []struct {
		name, code, summary string
		change              func(orders, customers *model.Source)
	}{
		{"partitioner", "SG1404", "sides are partitioned by crc32 and murmur2", func(orders, customers *model.Source) {
			orders.Partitioner, customers.Partitioner = "crc32", ""
		}},
		{"type", "SG1401", "keys differ: int64 from stream.orders, string from table.customers", func(orders, _ *model.Source) {
			orders.Key = model.Format{Name: "int64", Type: types.Int64}
		}},
		{"format", "SG1401", "keys differ: format json from stream.orders, format string from table.customers", func(orders, _ *model.Source) {
			orders.Key.Name = "json"
		}},
	} {
		for _, kind := range []string{"table", "stream"} {
			t.Run(c.name+" of a "+kind, func(t *testing.T) {
				spec, summary := joined, c.summary
				if kind == "stream" {
					spec = strings.NewReplacer("table.customers", "stream.customers", `table "customers"`, `stream "customers"`,
						"as    = customer", "as    = customer\nbefore = \"1s\"\nafter = \"1s\"\ngrace = \"1s\"").Replace(joined)
					summary = strings.Replace(c.summary, "table.customers", "stream.customers", 1)
				}
				m := load(t, map[string]string{"app.hcl": spec})
				c.change(m.Blocks[0].Source, m.Blocks[1].Source)
				p, diags := New(m)
				if p != nil || len(diags) != 1 {
					t.Fatalf("%d diagnostics, plan %v", len(diags), p != nil)
				}
				d := diags[0]
				if d.Code != c.code || d.Summary != summary || len(d.Related) != 2 || d.Range.Start.Line != 21 {
					t.Errorf("%+v", d)
				}
			})
		}
	}
}

// Each thing that the emitter relies on is missed when it is not so.
func TestVerifyFindsFaults(t *testing.T) {
	for _, c := range []struct {
		name, want string
		fault      func(*Plan)
	}{
		{"topic index", "has index", func(p *Plan) { p.Topics[1].Index = 0 }},
		{"store name", "is incomplete", func(p *Plan) { p.Stores[0].Go = "" }},
		{"position", "is incomplete", func(p *Plan) { p.Positions[0].Go = "" }},
		{"two names", "is not named alone", func(p *Plan) { p.SubTopologies = append(p.SubTopologies, p.SubTopologies[0]) }},
		{"state", "begins with another state", func(p *Plan) { entry(p, 1).In.Timestamp = true }},
		{"no key bytes", "has no key bytes", func(p *Plan) { op(p, 1, &Lookup{}).Base().In.Key.Raw = false }},
		{"half a value", "not the whole value", func(p *Plan) { op(p, 0, &Put{}).Base().In.Value.Fields = []string{} }},
		{"foreign store", "looks into another sub-topology", func(p *Plan) {
			l := op(p, 1, &Lookup{}).(*Lookup)
			other := *l.Store
			l.Store = &other
		}},
		{"nothing to send", "has no value to send", func(p *Plan) { op(p, 1, &Send{}).Base().In.Value.Typed = false }},
		{"unlisted topic", "is not listed", func(p *Plan) { p.SubTopologies[0].Writes = nil }},
		{"count nowhere", "counts nowhere", func(p *Plan) { op(p, 0, &DropNullKey{}).Base().At = nil }},
		{"call", "calls nothing", func(p *Plan) {
			f := entry(p, 1)
			end := f.Ops[len(f.Ops)-1].Base().Out
			f.Ops = append(f.Ops, &Call{OpBase: OpBase{In: end, Out: end}})
		}},
		{"callee", "wants more than is at hand", func(p *Plan) {
			f := entry(p, 1)
			end := f.Ops[len(f.Ops)-1].Base().Out
			want := end
			want.Value.Raw, want.Value.Format = true, Format{Name: "string", Type: types.String}
			g := &Func{Go: "g", Kind: FromFunc, In: want}
			p.SubTopologies[0].Funcs = append(p.SubTopologies[0].Funcs, g)
			f.Ops = append(f.Ops, &Call{OpBase: OpBase{In: end, Out: end}, To: []*Func{g}})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := New(load(t, map[string]string{"app.hcl": joined}))
			if faults := p.verify(); len(faults) > 0 {
				t.Fatalf("before: %q", faults)
			}
			c.fault(p)
			if faults := p.verify(); !strings.Contains(strings.Join(faults, "\n"), c.want) {
				t.Errorf("found %q, want %q", faults, c.want)
			}
		})
	}
}

func entry(p *Plan, source int) *Func { return p.SubTopologies[0].Sources[source].Entry }

// op is the first operation of the kind of like in a source's Func.
func op(p *Plan, source int, like Op) Op {
	for _, o := range entry(p, source).Ops {
		if opKind(o) == opKind(like) {
			return o
		}
	}
	panic("no such operation")
}

func opKind(o Op) string {
	switch o.(type) {
	case *Lookup:
		return "lookup"
	case *Put:
		return "put"
	case *Send:
		return "send"
	case *DropNullKey:
		return "drop"
	}
	return ""
}

// A try takes away what its expression can do wrong, and nothing else does.
func TestCanFail(t *testing.T) {
	num := func(fallible bool) model.Expr {
		return &model.Convert{ExprBase: model.ExprBase{Type: types.Int64, Fallible: fallible}, X: &model.Var{Root: model.RootValue}}
	}
	binary := func(op string, t types.Type) model.Expr {
		return &model.Binary{ExprBase: model.ExprBase{Type: t}, Op: op, L: num(false), R: num(false)}
	}
	for _, c := range []struct {
		name string
		e    model.Expr
		want bool
	}{
		{"nothing", nil, false},
		{"total", num(false), false},
		{"fallible", num(true), true},
		{"sum", binary("+", types.Int64), true},
		{"sum of floats", binary("+", types.Float64), false},
		{"comparison", binary("<", types.Bool), false},
		{"negation", &model.Unary{ExprBase: model.ExprBase{Type: types.Int64}, Op: "-", X: num(false)}, true},
		{"not", &model.Unary{ExprBase: model.ExprBase{Type: types.Bool}, Op: "!", X: binary("<", types.Bool)}, false},
		{"quotient", &model.Binary{ExprBase: model.ExprBase{Type: types.Int64}, Op: "/", L: num(false), R: &model.Const{Value: int64(2)}}, false},
		{"quotient by -1", &model.Binary{ExprBase: model.ExprBase{Type: types.Int64}, Op: "/", L: num(false), R: &model.Const{Value: int64(-1)}}, true},
		{"floor", &model.Call{ExprBase: model.ExprBase{Type: types.Int64}, Func: "floor", Args: []model.Expr{num(false)}}, true},
		{"abs of a float", &model.Call{ExprBase: model.ExprBase{Type: types.Float64}, Func: "abs", Args: []model.Expr{num(false)}}, false},
		{"within", &model.Wrap{X: binary("*", types.Int32)}, true},
		{"try", &model.Try{X: num(true), Fallback: num(false)}, false},
		{"fallback", &model.Try{X: num(false), Fallback: num(true)}, true},
	} {
		if got := CanFail(c.e); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// What `streamgen explain` shows is so: the wrong example gives its code and nothing else, the right one a plan.
func TestCodes(t *testing.T) {
	const app = "app \"shop\" {\n  processing_guarantee = \"at_least_once\"\n  start = \"earliest\"\n}\n"
	for _, id := range []string{"SG1208", "SG1210", "SG1211", "SG1403", "SG1404", "SG1405", "SG1406", "SG1407", "SG1410", "SG1902", "SG1903"} {
		t.Run(id, func(t *testing.T) {
			c, ok := diag.Lookup(id)
			if !ok || c.Wrong == "" {
				t.Fatal("no example")
			}
			p, diags := New(load(t, map[string]string{"app.hcl": app + c.Wrong}))
			if p != nil && diags.HasErrors() || p == nil && !diags.HasErrors() || len(diags) == 0 {
				t.Error("the wrong one is let through")
			}
			for _, d := range diags {
				if d.Code != id {
					t.Errorf("the wrong one gives %s: %s", d.Code, d.Summary)
				}
			}
			if p, diags = New(load(t, map[string]string{"app.hcl": app + c.Right})); p == nil || len(diags) > 0 {
				t.Errorf("the right one gives %s: %s", diags[0].Code, diags[0].Summary)
			}
		})
	}
}
