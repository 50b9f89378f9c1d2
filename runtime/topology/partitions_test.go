package topology

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// enrichment re-keys orders and joins them with customers; the result is counted by country through a second repartition.
func enrichment() *Topology {
	return &Topology{
		Topics: []Topic{
			0: {Name: "orders", Kind: Input},
			1: {Name: "customers", Kind: Input},
			2: {Name: "app-enriched-customer-repartition", Kind: Repartition, Like: []uint16{0}},
			3: {Name: "app-by-country-repartition", Kind: Repartition, Like: []uint16{2}},
			4: {Name: "out", Kind: Output},
		},
		SubTopologies: []SubTopology{
			{Name: "rekey-enriched", Sources: []Source{{Name: "stream.orders", Topics: []uint16{0}}}},
			{Name: "enriched", Sources: []Source{{Name: "stream.enriched", Topics: []uint16{2}}, {Name: "table.customers", Topics: []uint16{1}}}, Stores: []Store{{Changelog: "app-customers-changelog"}}},
			{Name: "by-country", Sources: []Source{{Name: "table.by_country", Topics: []uint16{3}}}, Stores: []Store{{Changelog: "app-by-country-changelog"}}},
		},
	}
}

func TestResolve(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Topology)
		live   map[string]int32
		topics []int32
		tasks  []int32
	}{
		"the table it is joined with decides": {nil, map[string]int32{"orders": 8, "customers": 4, "out": 1}, []int32{8, 4, 4, 4, 1}, []int32{8, 4, 4}},
		"also if it has more":                 {nil, map[string]int32{"orders": 2, "customers": 4, "out": 1}, []int32{2, 4, 4, 4, 1}, []int32{2, 4, 4}},
		"a fixed count": {func(t *Topology) { t.Topics[3].Partitions = 2 },
			map[string]int32{"orders": 8, "customers": 4, "out": 1}, []int32{8, 4, 4, 2, 1}, []int32{8, 4, 2}},
		"two that are re-keyed take the larger": {func(t *Topology) {
			t.Topics[1] = Topic{Name: "app-customers-repartition", Kind: Repartition, Like: []uint16{4}}
		}, map[string]int32{"orders": 8, "out": 3}, []int32{8, 8, 8, 8, 3}, []int32{8, 8, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			top := enrichment()
			if c.change != nil {
				c.change(top)
			}
			p, err := top.Resolve(c.live)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(p.Topics, c.topics) || !reflect.DeepEqual(p.Tasks, c.tasks) {
				t.Errorf("got topics %v, tasks %v, want %v, %v", p.Topics, p.Tasks, c.topics, c.tasks)
			}
		})
	}
}

func TestResolveRefusesDifferentCounts(t *testing.T) {
	top := enrichment()
	top.Topics[2].Partitions = 6
	_, err := top.Resolve(map[string]int32{"orders": 8, "customers": 4})
	var e *CoPartitionError
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	want := `topic "app-enriched-customer-repartition", read by stream.enriched, has 6 partitions, but topic "customers", read by table.customers, has 4: enriched joins or collects`
	if !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %s\nwant %s…", err, want)
	}
}

// TestStatelessMergeNeedsNoCommonCount: records of a merge do not have to meet.
func TestStatelessMergeNeedsNoCommonCount(t *testing.T) {
	top := &Topology{
		Topics:        []Topic{{Name: "a", Kind: Input}, {Name: "b", Kind: Input}},
		SubTopologies: []SubTopology{{Name: "both", Sources: []Source{{Topics: []uint16{0}}, {Topics: []uint16{1}}}}},
	}
	p, err := top.Resolve(map[string]int32{"a": 3, "b": 5})
	if err != nil || p.Tasks[0] != 5 {
		t.Errorf("got %v, %v, want 5 tasks", p, err)
	}
}

func TestPattern(t *testing.T) {
	top := &Topology{
		Topics:        []Topic{{Name: "logs-app-repartition", Kind: Repartition, Partitions: 1}},
		SubTopologies: []SubTopology{{Name: "logs", Sources: []Source{{Name: "stream.logs", Pattern: "logs-.*"}}, Stores: []Store{{Changelog: "logs-changelog"}}}},
	}
	live := map[string]int32{"logs-b": 2, "logs-a": 2, "my-logs-a": 9, "logs-changelog": 2, "logs-app-repartition": 1}
	names, err := top.Matching(&top.SubTopologies[0].Sources[0], live)
	if err != nil || !reflect.DeepEqual(names, []string{"logs-a", "logs-b"}) {
		t.Errorf("got %v, %v", names, err)
	}
	live["logs-b"] = 3
	if _, err := top.Resolve(live); err == nil || !strings.Contains(err.Error(), `"logs-b", read by stream.logs, has 3`) {
		t.Errorf("got %v", err)
	}
}

func TestAbsentTopicsOfARepartition(t *testing.T) {
	if _, err := enrichment().Resolve(nil); err == nil || !strings.Contains(err.Error(), "repartition") {
		t.Errorf("got %v", err)
	}
}

// J07: what a join of streams holds goes by age: its changelog is purged, and nothing that it holds is deleted by the age of records.
func TestJ07JoinsExpire(t *testing.T) {
	for kind, expires := range map[StoreKind]bool{JoinStore: true, WindowStore: true, SessionStore: true, SlidingStore: true, PlainStore: false, VersionedStore: false} {
		if s := (Store{Kind: kind}); s.Expires() != expires {
			t.Errorf("kind %d: expires %t", kind, s.Expires())
		}
	}
}
