package examples_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	accountstatements "github.com/streamgen/streamgen/generated/account-statements"
	"github.com/streamgen/streamgen/runtime/testdriver"
)

// TestInterleavings (J11): in whatever order the tasks of a foreign-key join come to what others send them, and to what changes meanwhile, the
// result is the same table in the end. Orders are enumerated; what is written to one topic stays in its order.
func TestInterleavings(t *testing.T) {
	const limit = 1200
	account := func(key, customer string, ts int) string {
		if customer == "" {
			return fmt.Sprintf(`accounts {"key":%q,"ts":%d,"value":null}`, key, ts)
		}
		return fmt.Sprintf(`accounts {"key":%q,"ts":%d,"value":{"customer_id":%q,"kind":"k%d"}}`, key, ts, customer, ts)
	}
	customer := func(key, name string, ts int) string {
		if name == "" {
			return fmt.Sprintf(`customers {"key":%q,"ts":%d,"value":null}`, key, ts)
		}
		return fmt.Sprintf(`customers {"key":%q,"ts":%d,"value":{"name":%q,"city":"c"}}`, key, ts, name)
	}
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"another customer", []string{customer("c1", "Ada", 1), customer("c2", "Ben", 2), account("a1", "c1", 3), account("a1", "c2", 4)}, `a1 Ben k4`},
		{"and back", []string{customer("c1", "Ada", 1), account("a1", "c1", 3), account("a1", "c2", 4), account("a1", "c1", 3)}, `a1 Ada k3`},
		{"to nobody, twice", []string{customer("c1", "Ada", 1), account("a1", "c1", 3), account("a1", "c9", 4), account("a1", "c9", 5)}, ``},
		{"closed and opened again", []string{customer("c1", "Ada", 1), account("a1", "c1", 3), account("a1", "", 4), account("a1", "c9", 5)}, ``},
		{"a customer who comes late", []string{account("a1", "c1", 3), account("a1", "c1", 4), customer("c1", "Ada", 5), customer("c1", "Eva", 6)}, `a1 Eva k4`},
		{"a customer who leaves", []string{customer("c1", "Ada", 1), account("a1", "c1", 3), account("a2", "c1", 4), customer("c1", "", 5)}, ``},
	} {
		for _, partitions := range []int32{1, 2} {
			orders := 0
			runs, all, err := testdriver.Interleavings(limit, func(schedule func([]testdriver.Waiting) int) error {
				d, err := testdriver.New(accountstatements.Topology(), testdriver.Options{Partitions: partitions, Schedule: schedule})
				if err != nil {
					return err
				}
				defer d.Close()
				for _, line := range c.lines {
					topic, record, _ := strings.Cut(line, " ")
					if err := d.PipeJSON(topic, record); err != nil {
						return err
					}
				}
				if err := d.Run(); err != nil {
					return err
				}
				rows, err := d.Store("statements")
				if err != nil {
					return err
				}
				var got []string
				for _, r := range rows {
					var name, kind string
					if _, err := fmt.Sscanf(r.JSON, `{"customer":%q,"city":"c","kind":%q`, &name, &kind); err != nil {
						return fmt.Errorf("%s: %w", r.JSON, err)
					}
					got = append(got, fmt.Sprintf("%s %s %s", r.Key, name, kind))
				}
				orders++
				if slices.Sort(got); strings.Join(got, ", ") != c.want {
					return fmt.Errorf("in order number %d the table is %q, should be %q", orders, got, c.want)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s, %d partitions: %v", c.name, partitions, err)
			}
			if runs < 20 {
				t.Errorf("%s, %d partitions: only %d orders", c.name, partitions, runs)
			}
			t.Logf("%s, %d partitions: %d orders, all of them: %t", c.name, partitions, runs, all)
		}
	}
}
