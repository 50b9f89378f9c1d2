package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamgen/streamgen/runtime/topology"
)

// shopCatalog is the program of these tests with that many partitions.
func shopCatalog(t *testing.T, partitions int32) *catalog {
	t.Helper()
	c := &catalog{topology: shop(topology.ExactlyOnce), live: map[string]int32{"orders": partitions, "customers": partitions}}
	for i, name := range []string{"customers", "orders", "shop-rekeyed-repartition"} {
		sub := []int{1, 0, 1}[i]
		source := []uint8{1, 0, 0}[i]
		c.inputs = append(c.inputs, inputTopic{name, sub, source, i, partitions})
		c.consume = append(c.consume, name)
	}
	return c
}

// group plays the rounds of a group until nobody has to give back anything, and returns each member's partitions.
type group struct {
	t       *testing.T
	catalog *catalog
	owned   map[string]map[string][]int32 // by member
	disk    map[string][]string
	rounds  int
	moved   int // tasks that left a member
}

func (g *group) balance(members ...string) {
	g.t.Helper()
	slices.Sort(members)
	for id := range g.owned {
		if !slices.Contains(members, id) {
			delete(g.owned, id)
		}
	}
	g.rounds, g.moved = 0, 0
	for again := true; again; g.rounds++ {
		if g.rounds > 3 {
			g.t.Fatal("does not settle")
		}
		again = false
		var joined []kmsg.JoinGroupResponseMember
		for _, id := range members {
			b := &balancer{catalog: g.catalog, disk: g.disk[id]}
			m := kmsg.NewJoinGroupResponseMember()
			m.MemberID, m.ProtocolMetadata = id, b.JoinGroupMetadata(g.catalog.consume, g.owned[id], 7)
			joined = append(joined, m)
		}
		leader := &balancer{catalog: g.catalog}
		r, topics, err := leader.MemberBalancer(joined)
		if err != nil {
			g.t.Fatal(err)
		}
		counts := map[string]int32{}
		for name := range topics {
			counts[name] = g.catalog.inputs[0].count
		}
		next := map[string]map[string][]int32{}
		for _, a := range r.Balance(counts).IntoSyncAssignment() {
			if next[a.MemberID], err = leader.ParseSyncAssignment(a.MemberAssignment); err != nil {
				g.t.Fatal(err)
			}
		}
		taken := map[string]string{}
		for _, id := range members {
			for topic, ps := range next[id] {
				for _, p := range ps {
					key := fmt.Sprint(topic, p)
					if other, ok := taken[key]; ok {
						g.t.Fatalf("%s belongs to %s and %s", key, other, id)
					}
					taken[key] = id
				}
			}
			for topic, ps := range g.owned[id] {
				for _, p := range ps {
					if !slices.Contains(next[id][topic], p) {
						again = true
						g.moved++
					}
				}
			}
		}
		// What a member has not given back is nobody else's yet.
		for _, id := range members {
			for topic, ps := range g.owned[id] {
				for _, p := range ps {
					if owner, ok := taken[fmt.Sprint(topic, p)]; ok && owner != id {
						g.t.Fatalf("%s-%d goes from %s to %s in one round", topic, p, id, owner)
					}
				}
			}
		}
		g.owned = next
	}
	g.complete(members)
}

// complete checks that every task belongs to one member as a whole, and that they are spread evenly.
func (g *group) complete(members []string) {
	g.t.Helper()
	total := 0
	least, most := 1<<30, 0
	for _, id := range members {
		tasks := len(g.owned[id]["orders"]) + len(g.owned[id]["customers"])
		if a, b := fmt.Sprint(g.owned[id]["customers"]), fmt.Sprint(g.owned[id]["shop-rekeyed-repartition"]); a != b {
			g.t.Errorf("%s has partitions %s and %s of what is read together", id, a, b)
		}
		total += tasks
		least, most = min(least, tasks), max(most, tasks)
	}
	if n := int(2 * g.catalog.inputs[0].count); total != n || most-least > 1 {
		g.t.Errorf("%d of %d tasks are assigned, between %d and %d a member", total, n, least, most)
	}
}

func TestBalancer(t *testing.T) {
	g := &group{t: t, catalog: shopCatalog(t, 10), owned: map[string]map[string][]int32{}, disk: map[string][]string{}}
	g.balance("a")
	g.balance("a", "b")
	if g.rounds != 2 {
		t.Errorf("%d rounds, want one to give back and one to take", g.rounds)
	}
	g.balance("a", "b")
	if g.rounds != 1 || g.moved != 0 {
		t.Errorf("nothing changed: %d rounds, %d partitions moved", g.rounds, g.moved)
	}
	g.balance("a", "b", "c")
	g.balance("b", "c")
	if g.moved != 0 {
		t.Errorf("%d partitions moved though a member left", g.moved)
	}
	g.balance("b", "c", "d", "e", "f", "g", "h")
}

// TestBalancerFindsDisks: a process that was away gets the tasks back whose databases it has.
func TestBalancerFindsDisks(t *testing.T) {
	g := &group{t: t, catalog: shopCatalog(t, 4), owned: map[string]map[string][]int32{}, disk: map[string][]string{
		"a": {"join-1", "join-3"}, "b": {"join-0", "join-2"},
	}}
	g.balance("a", "b")
	for id, want := range map[string]string{"a": "[1 3]", "b": "[0 2]"} {
		if got := fmt.Sprint(g.owned[id]["customers"]); got != want {
			t.Errorf("%s has %s, want %s", id, got, want)
		}
	}
}

// TestJoinMetadataIsStable: bytes that change from one rejoin to the next would be a rebalance each.
func TestJoinMetadataIsStable(t *testing.T) {
	b := &balancer{catalog: shopCatalog(t, 4), disk: []string{"join-0", "join-1"}}
	var seen []string
	for generation := range int32(20) {
		m := b.JoinGroupMetadata([]string{"customers", "orders"}, map[string][]int32{"orders": {0, 1}, "customers": {1}, "shop-rekeyed-repartition": {1}}, generation)
		seen = append(seen, string(m))
	}
	if len(slices.Compact(seen)) != 1 {
		t.Error("the metadata changes")
	}
	if !strings.Contains(seen[0], "join-0,join-1") {
		t.Error("the metadata does not say which databases there are")
	}
}
