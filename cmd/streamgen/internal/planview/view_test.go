package planview

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/codegen/plan"
	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/types"
)

// shop re-keys a stream and counts it.
func shop() *plan.Plan {
	text := plan.Format{Name: "string", Type: types.String}
	orders := &plan.Topic{Index: 0, Name: "orders", Kind: plan.Input, Origin: "stream.orders", Key: text, Value: text}
	again := &plan.Topic{
		Index: 1, Name: "shop-counts-repartition", Kind: plan.Repartition, Origin: "table.counts", Key: text, Value: text, Like: []*plan.Topic{orders},
		Reason: "count in table.counts", Cause: diag.Range{File: "app.hcl", Start: diag.Pos{Line: 7, Column: 3}}, CauseText: "the key changes here: value",
	}
	out := &plan.Topic{Index: 2, Name: "counts", Kind: plan.Output, Origin: `sink."x"`, Key: text, Value: plan.Format{Name: "int64", Type: types.Int64}}
	counts := &plan.Store{ID: 0, Name: "counts", Origin: "table.counts", Changelog: "shop-counts-changelog", Key: text, Value: types.Int64}
	step := &model.Count{StepBase: model.StepBase{Address: "table.counts.count"}}
	second := &plan.SubTopology{
		Name: "counts", Blocks: []string{"table.counts"}, Stores: []*plan.Store{counts}, Writes: []*plan.Topic{out},
		Sources: []*plan.Source{{Origin: "table.counts", Topics: []*plan.Topic{again}, Internal: true}},
		Funcs:   []*plan.Func{{Ops: []plan.Op{&plan.Update{OpBase: plan.OpBase{Step: step}, Store: counts}, &plan.Send{Topic: out}}}},
	}
	counts.SubTopology = second
	return &plan.Plan{
		App: "shop", Guarantee: model.ExactlyOnce, Topics: []*plan.Topic{orders, again, out}, Stores: []*plan.Store{counts},
		SubTopologies: []*plan.SubTopology{
			{Name: "rekey-counts", Blocks: []string{"stream.orders"}, Writes: []*plan.Topic{again},
				Sources: []*plan.Source{{Origin: "stream.orders", Topics: []*plan.Topic{orders}}, {Origin: "stream.old", Pattern: "old-.*"}}},
			second,
		},
	}
}

func write(t *testing.T, format string) string {
	t.Helper()
	var b strings.Builder
	if err := Of(shop()).Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	want := `shop: exactly_once_v2, commits each 100ms

sub-topology rekey-counts
  reads   orders (stream.orders)
          topics like old-.* (stream.old)
  writes  shop-counts-repartition

sub-topology counts
  reads   shop-counts-repartition (table.counts)
  steps   table.counts.count
  stores  counts
  writes  counts

topics
  orders                   input        string  string  stream.orders
  shop-counts-repartition  repartition  string  string  table.counts, partitions as orders
  counts                   output       string  int64   sink."x"

shop-counts-repartition: count in table.counts
  app.hcl:7:3: the key changes here: value

stores
  counts  string  int64  table.counts  changelog shop-counts-changelog
`
	if got := write(t, "text"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestDrawings(t *testing.T) {
	want := `flowchart LR
  t0(["orders"])
  t1{{"shop-counts-repartition"}}
  t2(["counts"])
  d0[("counts")]
  s0["rekey-counts"]
  t0 --> s0
  p0_1(["/old-.*/"])
  p0_1 --> s0
  s0 --> t1
  s1["counts"]
  t1 --> s1
  s1 --> d0
  s1 --> t2
`
	if got := write(t, "mermaid"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	dot := write(t, "dot")
	for _, line := range []string{`digraph "shop" {`, `  d0 [label="counts" shape=cylinder]`, "  t1 -> s1\n", "}\n"} {
		if !strings.Contains(dot, line) {
			t.Errorf("%q is missing in\n%s", line, dot)
		}
	}
}

func TestJSON(t *testing.T) {
	var v View
	if err := json.Unmarshal([]byte(write(t, "json")), &v); err != nil {
		t.Fatal(err)
	}
	if r := v.Topics[1]; r.At != "app.hcl:7:3" || r.Like[0] != "orders" || r.Kind != "repartition" {
		t.Errorf("got %+v", r)
	}
	empty, err := json.Marshal(Of(&plan.Plan{App: "x"}))
	if err != nil || strings.Contains(string(empty), "null") {
		t.Errorf("%s, %v", empty, err)
	}
	if err := Of(shop()).Write(&strings.Builder{}, "svg"); err == nil {
		t.Error("svg is a format")
	}
}
