package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/spec/check"
)

// Conditions that are settled by themselves or by what stands above: the filters of one stream, and the lines that are warned of
// with what is said.
func TestSettledFilters(t *testing.T) {
	const all, nothing = "this lets everything through", "this lets nothing through"
	for _, c := range []struct {
		steps []string
		want  []string // "line: summary"; the first step stands in line 1
	}{
		{[]string{`filter { where = true }`}, []string{"1: " + all}},
		{[]string{`filter_not { where = true }`}, []string{"1: " + nothing}},
		{[]string{`filter { where = 1 > 2 }`}, []string{"1: " + nothing}},
		{[]string{`filter { where = value.order_id == value.order_id }`}, []string{"1: " + all}},
		{[]string{`filter { where = value.amount != value.amount }`}, []string{"1: " + nothing}},
		{[]string{`filter { where = value.amount > 5 }`}, nil},

		// What is known of the steps above.
		{[]string{`filter { where = value.amount > 5 }`, `filter { where = value.amount > 5 }`}, []string{"2: " + all}},
		{[]string{`filter { where = value.amount > 5 }`, `filter { where = value.amount > 3 }`}, []string{"2: " + all}},
		{[]string{`filter { where = value.amount > 5 }`, `filter { where = value.amount > 7 }`}, nil},
		{[]string{`filter { where = value.amount > 5 }`, `filter { where = 5 >= value.amount }`}, []string{"2: " + nothing}},
		{[]string{`filter { where = value.amount > 5 }`, `filter { where = value.amount == 5 }`}, []string{"2: " + nothing}},
		{[]string{`filter { where = value.amount >= 5 }`, `filter { where = value.amount == 5 }`}, nil},
		{[]string{`filter { where = value.amount >= 5 }`, `filter { where = value.amount != 4 }`}, []string{"2: " + all}},
		{[]string{`filter_not { where = value.amount < 5 }`, `filter { where = value.amount >= 5 }`}, []string{"2: " + all}},
		{[]string{`filter { where = value.amount == 5 }`, `filter { where = value.amount < 7 }`}, []string{"2: " + all}},
		{[]string{`filter { where = value.order_id == "a" }`, `filter { where = value.order_id != "a" }`}, []string{"2: " + nothing}},
		{[]string{`filter { where = value.order_id == "a" }`, `filter { where = value.customer_id == "a" }`}, nil},

		// Of an enum all values count.
		{[]string{`filter { where = value.tier == "bronze" }`, `filter { where = value.tier != "silver" }`}, []string{"2: " + all}},
		{[]string{`filter { where = value.tier != "bronze" }`, `filter { where = value.tier != "silver" }`, `filter { where = value.tier == "blocked" }`}, []string{"3: " + all}},
		{[]string{`filter { where = value.tier != "bronze" }`, `filter { where = value.tier == "blocked" }`}, nil},

		// && and ||.
		{[]string{`filter { where = value.amount < 5 && value.amount > 10 }`}, []string{"1: " + nothing}},
		{[]string{`filter { where = value.amount < 5 || value.amount > 3 }`}, []string{"1: " + all}},
		{[]string{`filter { where = value.amount < 5 || value.amount > 7 }`}, nil},
		{[]string{`filter { where = value.amount > 5 && value.order_id != "" }`, `filter { where = value.amount > 5 }`}, []string{"2: " + all}},
		{[]string{`filter { where = value.amount > 5 || value.order_id != "" }`, `filter { where = value.amount > 5 }`}, nil},
		{[]string{`filter_not { where = value.amount > 5 || value.order_id == "" }`, `filter { where = value.order_id == "" }`}, []string{"2: " + nothing}},
		{[]string{`filter { where = !(value.tier == "bronze" || value.tier == "silver") }`, `filter { where = value.tier == "blocked" }`}, []string{"2: " + all}},
		{[]string{`filter { where = value.tier != "bronze" || value.tier != "silver" }`}, []string{"1: " + all}},

		// A new value is not the one that is known; one mistake is said once.
		{[]string{`filter { where = value.amount > 5 }`, `map_values { value = merge(value, { amount = 1 }) }`, `filter { where = value.amount > 5 }`}, nil},
		{[]string{`filter { where = key == "a" }`, `select_key { key = value.order_id }`, `filter { where = key == "a" }`}, nil},
		{[]string{`filter { where = value.amount > 5 }`, `filter { where = value.amount < 5 }`, `filter { where = value.amount > 7 }`}, []string{"2: " + nothing}},

		// What the build decides is left alone.
		{[]string{`filter { where = var.on }`}, nil},
		{[]string{`filter { where = var.on || value.amount > 5 }`, `filter { where = local.five > 3 }`}, nil},
		{[]string{`filter { where = value.amount > local.five }`, `filter { where = value.amount > 5 }`}, nil},

		// Of NaN no comparison holds, nor its opposite.
		{[]string{`map_values { value = float64(value.amount) }`, `filter_not { where = value > 5.0 }`, `filter { where = value <= 5.0 }`}, nil},
		{[]string{`map_values { value = float64(value.amount) }`, `filter { where = value > 5.0 }`, `filter { where = value > 4.0 }`}, []string{"3: " + all}},
		{[]string{`map_values { value = float64(value.amount) }`, `filter { where = value == value }`}, nil},

		// Steps that change nothing, conditions of ?:.
		{[]string{`map_values { value = value }`}, []string{"1: the value stays as it is"}},
		{[]string{`select_key { key = key }`}, []string{"1: the key stays as it is"}},
		{[]string{`map_values { value = 2 > 1 ? value.amount : 0 }`}, []string{"1: this is always true"}},
		{[]string{`map_values { value = var.on ? value.amount : 0 }`}, nil},
	} {
		spec := "stream \"x\" {\n  from = stream.orders\n" + strings.Join(c.steps, "\n") + `
}
sink "x" {
  from  = stream.x
  topic = "x"
  value = bytes
}
variable "on" {
  type    = bool
  default = true
}
locals { five = 5 }
stream "uses" {
  from = stream.orders
  filter { where = var.on && value.amount > local.five }
}
`
		_, diags := check.Check(withPrelude(t, spec), check.Options{})
		var got []string
		for _, d := range diags {
			if d.Range.File == "example.hcl" && (d.Code == "SG1904" || d.Code == "SG1905") && d.Range.Start.Line < 3+len(c.steps) {
				got = append(got, fmt.Sprintf("%d: %s", d.Range.Start.Line-2, d.Summary))
			}
		}
		// With errors of the sink's format, which does not fit most of them, conditions are looked at all the same.
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", strings.Join(c.steps, "\n"), got, c.want)
		}
	}
}

// Cases that no record reaches, and a rest that nobody wants.
func TestSettledCases(t *testing.T) {
	for _, c := range []struct {
		cases string
		want  []string
	}{
		{`case "a" { where = value.amount > 5 }
case "b" { where = value.amount > 10 }`, []string{"4: this case takes nothing"}},
		{`case "a" { where = value.amount > 5 }
case "b" { where = value.amount > 1 }`, nil},
		{`case "a" { where = value.amount > 5 }
case "b" { where = value.amount <= 5 }
case "c" { where = value.order_id == "" }`, []string{"5: no record reaches this case: one above takes all"}},
		{`case "a" { where = value.tier == "bronze" }
case "b" { where = value.tier == "silver" }
case "c" { where = value.tier == "blocked" }
default "d" {}`, []string{"6: nothing is left for this case"}},
		{`case "a" { where = value.amount > 5 }
default "d" {}`, []string{"4: nothing reads branch.x.d"}},
	} {
		spec := "branch \"x\" {\nfrom = stream.orders\n" + c.cases + "\n}\nsink \"x\" {\n  from = branch.x.a\n  topic = \"x\"\n  value = json\n}\n"
		_, diags := check.Check(withPrelude(t, spec), check.Options{})
		var got []string
		for _, d := range diags {
			if d.Range.File == "example.hcl" {
				got = append(got, fmt.Sprintf("%d: %s", d.Range.Start.Line, d.Summary))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", c.cases, got, c.want)
		}
	}
}
