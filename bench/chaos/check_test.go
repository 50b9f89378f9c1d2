package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	orderenrichment "github.com/streamgen/streamgen/generated/order-enrichment"
	"github.com/streamgen/streamgen/generated/order-enrichment/records"
	"github.com/streamgen/streamgen/internal/kafkatest"
	"github.com/streamgen/streamgen/runtime/state"
	"github.com/streamgen/streamgen/runtime/temporal"
	"github.com/streamgen/streamgen/runtime/topology"
)

// perCustomer is a value of topic orders-per-customer.
type perCustomer struct {
	Orders     int64  `json:"orders"`
	SpentCents int64  `json:"spent_cents"`
	Biggest    int64  `json:"biggest"`
	LastOrder  string `json:"last_order"`
}

// checkEnriched compares what came out of the join: each order once, or with at_least_once at least once, with the tier of its
// customer; and with exactly_once_v2 the orders of a customer in the order in which a partition had them.
func checkEnriched(t *testing.T, list []*kgo.Record, orders []order, once bool) {
	t.Helper()
	met := make([]int, len(orders))
	last := map[[2]int32]int{} // by customer and partition of orders
	for _, r := range list {
		var v struct {
			OrderID     string `json:"order_id"`
			CustomerID  string `json:"customer_id"`
			AmountCents int64  `json:"amount_cents"`
			Tier        string `json:"tier"`
		}
		if err := json.Unmarshal(r.Value, &v); err != nil {
			t.Fatalf("orders-enriched: %v in %s", err, r.Value)
		}
		n, err := strconv.Atoi(strings.TrimPrefix(v.OrderID, "o"))
		if err != nil || n < 0 || n >= len(orders) {
			t.Fatalf("orders-enriched: nobody ordered %q", r.Value)
		}
		o := orders[n]
		if v.CustomerID != customerID(o.customer) || string(r.Key) != v.CustomerID || v.AmountCents != o.cents || v.Tier != tierOf(o.customer) ||
			r.Timestamp.UnixMilli() != firstOrder+int64(n) {
			t.Fatalf("orders-enriched: order %d is %s at %d", n, r.Value, r.Timestamp.UnixMilli())
		}
		met[n]++
		from := [2]int32{int32(o.customer), o.partition}
		if before, ok := last[from]; ok && before >= n && once {
			t.Errorf("orders-enriched: order %d of customer %d follows order %d", n, o.customer, before)
		}
		last[from] = n
	}
	lost, doubled := 0, 0
	for n, times := range met {
		switch {
		case times == 0 && orders[n].joins():
			lost++
		case times > 1:
			doubled++
		}
	}
	if lost > 0 || once && doubled > 0 {
		t.Errorf("orders-enriched: of %d orders %d are lost and %d are doubled", len(orders), lost, doubled)
	}
}

// checkPerCustomer compares the last row of each customer, and that counts only grow.
func checkPerCustomer(t *testing.T, list []*kgo.Record, want recount, once bool) {
	t.Helper()
	rows := map[string]records.OrdersPerCustomer{}
	for _, r := range list {
		var v perCustomer
		if err := json.Unmarshal(r.Value, &v); err != nil {
			t.Fatalf("orders-per-customer: %v in %s", err, r.Value)
		}
		lastOrder, err := temporal.ParseTimestamp(v.LastOrder)
		if err != nil {
			t.Fatalf("orders-per-customer: %v in %s", err, r.Value)
		}
		if before := rows[string(r.Key)].Orders; v.Orders <= before && once {
			t.Errorf("orders-per-customer: %s has %d orders after %d", r.Key, v.Orders, before)
		}
		rows[string(r.Key)] = records.OrdersPerCustomer{Orders: v.Orders, SpentCents: v.SpentCents, Biggest: v.Biggest, LastOrder: lastOrder}
	}
	compareCounts(t, "orders-per-customer", rows, want, once)
}

// compareCounts compares rows with the recount. With at_least_once sums may be too large, never too small.
func compareCounts(t *testing.T, what string, rows map[string]records.OrdersPerCustomer, want recount, once bool) {
	t.Helper()
	if len(rows) != len(want.customers) {
		t.Errorf("%s: %d customers, want %d", what, len(rows), len(want.customers))
	}
	for id, w := range want.customers {
		got := rows[id]
		if !once && got.Orders >= w.Orders && got.SpentCents >= w.SpentCents {
			got.Orders, got.SpentCents = w.Orders, w.SpentCents
		}
		if got != w {
			t.Errorf("%s: %s is %+v, recounted %+v", what, id, rows[id], w)
		}
	}
}

// row is a row of a store as its changelog has it.
type row struct {
	timestamp int64
	value     string
}

// changelog is what a changelog's partition holds, in order.
type changelog []*kgo.Record

// fold is the rows that a changelog gives up to an offset.
func (c changelog) fold(t *testing.T, end int64) map[string]row {
	t.Helper()
	rows := map[string]row{}
	for _, r := range c {
		if r.Offset >= end {
			break
		}
		control, err := state.ParseControl(r.Key, r.Value)
		switch {
		case err != nil:
			t.Fatal(err)
		case control != nil:
		case r.Value == nil:
			delete(rows, string(r.Key))
		default:
			rows[string(r.Key)] = row{r.Timestamp.UnixMilli(), string(r.Value)}
		}
	}
	return rows
}

// stores compares the stores with the recount, as the changelogs have them and as the databases of the processes do.
type stores struct {
	t          *testing.T
	once       bool
	changelogs map[string][]changelog // by topic and partition
}

func checkStores(t *testing.T, c *kafkatest.Cluster, want recount, once bool, dirs ...string) {
	t.Helper()
	s := &stores{t, once, map[string][]changelog{}}
	top := orderenrichment.Topology()
	for _, sub := range top.SubTopologies {
		for _, store := range sub.Stores {
			byPartition := make([]changelog, partitions)
			for _, r := range c.Read(store.Changelog) {
				byPartition[r.Partition] = append(byPartition[r.Partition], r)
			}
			s.changelogs[store.Changelog] = byPartition
			s.compare(store.Name, byPartition, want)
		}
		if len(sub.Stores) == 0 {
			continue
		}
		for p := range partitions {
			s.databases(sub, p, dirs)
		}
	}
}

const forever = 1 << 62

// compare decodes the rows of a store and compares them with the recount.
func (s *stores) compare(name string, byPartition []changelog, want recount) {
	s.t.Helper()
	counts, found := map[string]records.OrdersPerCustomer{}, map[string]records.Customer{}
	for _, c := range byPartition {
		for key, r := range c.fold(s.t, forever) {
			var err error
			switch name {
			case "orders-per-customer":
				var v records.OrdersPerCustomer
				err = records.ReadOrdersPerCustomerRow([]byte(r.value), &v)
				counts[key] = v
			case "customers":
				var v records.Customer
				err = records.ReadCustomerRow([]byte(r.value), &v)
				found[key] = v
			default:
				err = fmt.Errorf("nobody knows what store %s should hold", name)
			}
			if err != nil {
				s.t.Fatal(err)
			}
		}
	}
	if name == "orders-per-customer" {
		compareCounts(s.t, "store "+name, counts, want, s.once)
		return
	}
	for id, w := range want.rows {
		if got := found[id]; got != w {
			s.t.Errorf("store %s: %s is %+v, want %+v", name, id, got, w)
		}
	}
	if len(found) != len(want.rows) {
		s.t.Errorf("store %s: %d rows, want %d", name, len(found), len(want.rows))
	}
}

// databases compares what the processes have of a task on their disks. The one that owned it last has all rows. One that lost
// it earlier has those of an earlier time: whatever happened to it, its rows are what the changelog gives up to its position.
func (s *stores) databases(sub topology.SubTopology, partition int, dirs []string) {
	s.t.Helper()
	var schemas []state.Schema
	for _, store := range sub.Stores {
		schemas = append(schemas, state.Schema{ID: store.ID, Name: store.Name, Fingerprint: store.Fingerprint})
	}
	complete := 0
	for _, dir := range dirs {
		dir = filepath.Join(dir, "order-enrichment", "tasks", fmt.Sprintf("%s-%d", sub.Name, partition))
		if _, err := os.Stat(dir); err != nil {
			continue // never had it
		}
		shared := state.NewShared(state.Options{Memory: 32 << 20, Tasks: 1})
		db, err := shared.Open(dir, schemas)
		if err != nil {
			s.t.Fatal(err)
		}
		all := true
		for _, store := range sub.Stores {
			c := s.changelogs[store.Changelog][partition]
			checkpoint := db.Checkpoint()
			position, _ := checkpoint.Changelog(store.ID)
			rows := map[string]row{}
			err := state.EachRow(db, store.ID, func(key []byte, timestamp int64, value []byte) error {
				rows[string(bytes.Clone(key))] = row{timestamp, string(value)}
				return nil
			})
			if err != nil {
				s.t.Fatal(err)
			}
			all = all && equal(rows, c.fold(s.t, forever))
			// With at_least_once the records of an epoch that was not committed stay, before those of its next try.
			if s.once && !equal(rows, c.fold(s.t, position)) {
				s.t.Errorf("%s: the rows of store %s are not those of its changelog up to offset %d", dir, store.Name, position)
			}
		}
		if all {
			complete++
		}
		if err := db.Close(); err != nil {
			s.t.Error(err)
		}
		shared.Close()
	}
	if complete == 0 {
		s.t.Errorf("task %s-%d: no process has all its rows on its disk", sub.Name, partition)
	}
}

func equal(a, b map[string]row) bool {
	if len(a) != len(b) {
		return false
	}
	for key, r := range a {
		if b[key] != r {
			return false
		}
	}
	return true
}

// orderIn is the order of a value of topic orders-enriched.
func orderIn(value []byte) string {
	var v struct {
		OrderID string `json:"order_id"`
	}
	_ = json.Unmarshal(value, &v) // what is wrong with it is found at the end
	return v.OrderID
}

// countIn is the number of orders in a value of topic orders-per-customer.
func countIn(value []byte) int64 {
	var v perCustomer
	_ = json.Unmarshal(value, &v)
	return v.Orders
}
