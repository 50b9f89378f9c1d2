package examples_test

import (
	"bytes"
	"testing"

	"github.com/streamgen/streamgen/runtime/foreign"
	"github.com/streamgen/streamgen/runtime/testdriver"
)

// Joins count what met something and what did not, once, however often it is processed: of a left join of streams each is a result.
func TestOutcomesOfJoins(t *testing.T) {
	for _, e := range examples {
		if e.name != "attribution" {
			continue
		}
		d := drive(t, e, e.sample(t), testdriver.Options{CommitEvery: 20, BatchSize: 8}, each(11, (*testdriver.Test).Crash))
		want := map[string]uint64{}
		for _, r := range d.Read("attributed-purchases") {
			if bytes.Contains(r.Value, []byte(`"campaign"`)) {
				want["matched"]++
			} else {
				want["unmatched"]++
			}
		}
		got := d.Outcomes()
		if len(got) != 2 || want["matched"] == 0 || want["unmatched"] == 0 {
			t.Fatalf("got %v, of %v", got, want)
		}
		for _, o := range got {
			if o.Count != want[o.Reason] || o.Step != "stream.attributed.left_join.click" {
				t.Errorf("%s: %d %s, want %d", o.Step, o.Count, o.Reason, want[o.Reason])
			}
		}
	}
}

// A join by a foreign key counts the rows that ask for one of the other table, each time they do.
func TestOutcomesOfForeignKeys(t *testing.T) {
	for _, e := range examples {
		if e.name != "account-statements" {
			continue
		}
		d := drive(t, e, e.sample(t), testdriver.Options{CommitEvery: 20, BatchSize: 8}, each(11, (*testdriver.Test).Crash))
		asked := uint64(0)
		for _, r := range d.Read("account-statements-statements-customer-subscription") {
			asks, err := foreign.ParseSubscription(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !asks.Ends() {
				asked++
			}
		}
		got := map[string]uint64{}
		for _, o := range d.Outcomes() {
			if o.Step == "table.statements.join.customer" {
				got[o.Reason] = o.Count
			}
		}
		if got["matched"] == 0 || got["unmatched"] == 0 || got["matched"]+got["unmatched"] != asked {
			t.Errorf("got %v, of %d that asked", got, asked)
		}
	}
}
