package p1_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/bench/p1/hand"
	"github.com/streamgen/streamgen/bench/p1/orders"
	"github.com/streamgen/streamgen/bench/p1/pair"
)

// What is compared does the same work: every side sends the same records, byte for byte.
func TestSidesSendTheSame(t *testing.T) {
	list := orders.Make(4 * pair.BatchSize)
	sides, err := pair.Sides(list)
	if err != nil {
		t.Fatal(err)
	}
	var want []pair.Out
	for i, s := range sides {
		for n := range len(list) / pair.BatchSize {
			if err := s.Batch(n); err != nil {
				t.Fatal(err)
			}
		}
		var got []pair.Out
		if err := s.Each(func(o pair.Out) {
			o.Key, o.Value = bytes.Clone(o.Key), bytes.Clone(o.Value)
			got = append(got, o)
		}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = got
			if len(want) < len(list)/3 || len(want) > 2*len(list)/3 {
				t.Fatalf("%d of %d orders are paid; about half are expected", len(want), len(list))
			}
			continue
		}
		if len(got) != len(want) {
			t.Fatalf("%s sends %d records, %s %d", s.Name, len(got), sides[0].Name, len(want))
		}
		for j := range got {
			if !reflect.DeepEqual(got[j], want[j]) {
				t.Fatalf("record %d\n%s: %s\n%s: %s", j, s.Name, got[j].Value, sides[0].Name, want[j].Value)
			}
		}
	}
}

// odd are records that no order looks like. Whoever is fast because it does not look at these is not compared.
var odd = []string{
	``, ` `, `{}`, `[]`, `null`, `{`, `{"a":1}`, `{"order_id":"x"}`, "\ufeff{}",
	`{"order_id":1,"customer_id":"c","status":"PAID","currency":"EUR","amount":1}`,
	`{"order_id":"o","customer_id":"c","status":"PAID","currency":"EUR","amount":"1"}`,
	`{"order_id":"o","customer_id":null,"status":"PAID","currency":"EUR","amount":1}`,
	`{"order_id":"o","customer_id":"c","status":"PAID","currency":"EUR","amount":1}`,
	`{"amount":1.25e2,"currency":"EUR","status":"PAID","customer_id":"c","order_id":"o"}`,
	` { "order_id" : "o" , "customer_id" : "c" , "status" : "PAID" , "currency" : "EUR" , "amount" : 1 } `,
	"{\"order_id\":\"o\"\n,\t\"customer_id\":\"c\",\"status\":\"PAID\",\"currency\":\"EUR\",\r\"amount\":1}",
}

// parts are put into the place of a value, a name and whatever follows the record.
var parts = []string{
	`"plain"`, `"an \"escape\" and \u00e9\ud83d\ude00\n\/"`, `"\ud800"`, `"\udc00\ud800"`, `"\x"`, `"\u12"`, `"\u12g4"`, `"Grüße 😀"`, "\"\xff\"",
	"\"\xed\xa0\x80\"", "\"a\x01b\"", "\"a\x7fb\"", "\"12345678\n\"", `"12345678901234567\t"`, `"open`, `"open\`, `"`, `true`, `false`, `null`, `tru`, `nulls`,
	`0`, `-0`, `-`, `01`, `1.`, `.5`, `1.5e`, `1e5`, `1E+5`, `1e-5`, `1e400`, `-1e400`, `1e-400`, `+1`, `0x1`, `1_000`, `NaN`,
	`123456789012345678901234567890`, `9007199254740993`, `0.1`, `{}`, `[]`, `{"a":[1,{"b":"c\n"}]}`, `{"a":1,"a":2}`, `[1,]`, `{"a":}`, `[`, `{`, `}`, `[1 2]`,
	"[\"\xff\"]", `["\ud800"]`, `{"a":tru}`, ``, ` `, "\x00",
}

// cases are orders with each part in each place.
func cases() []string {
	list := append([]string{}, odd...)
	const order = `{"order_id":"o","customer_id":"c","product_id":"p","status":"PAID","country":"DE","currency":"EUR","amount":1.5,"quantity":3,"created_at":1,"note":"n"}`
	for _, part := range parts {
		for _, old := range []string{`"o"`, `"p"`, `"PAID"`, `1.5`, `3`, `"n"`, `"product_id"`, `"status"`, `"note"`} {
			list = append(list, strings.Replace(order, old, part, 1))
		}
		list = append(list, order+part, part+order, strings.Replace(order, `,"note"`, `,`+part+`,"note"`, 1))
	}
	for i := range order {
		list = append(list, order[:i], order[:i]+order[i+1:], order[:i]+" "+order[i:], order[:i]+"\x00"+order[i+1:])
	}
	return append(list, strings.Replace(order, `"status"`, `"st\u0061tus"`, 1), strings.Replace(order, `PAID`, `P\u0041ID`, 1),
		strings.Replace(order, `"note":"n"`, `"status":"NEW"`, 1), strings.Replace(order, `"n"`, `"n","amount":2`, 1))
}

// The strict sides accept the same records, drop the same ones, and send what is equal as JSON.
func TestSidesAreEquallyStrict(t *testing.T) {
	accepted, refused := 0, 0
	for _, in := range cases() {
		want, wantKept, wantErr := generated(t, in)
		for _, s := range []struct {
			name string
			step hand.Step
		}{{"reader", hand.Read}, {"scanner", hand.Scan}} {
			got, kept, err := s.step(nil, []byte(in))
			switch {
			case (err == nil) != (wantErr == nil):
				t.Errorf("%q\n%s: %v\ngenerated: %v", in, s.name, err, wantErr)
			case err == nil && kept != wantKept:
				t.Errorf("%q\n%s: kept %v\ngenerated: kept %v", in, s.name, kept, wantKept)
			case err == nil && kept && !sameJSON(t, got, want):
				t.Errorf("%q\n%s: %s\ngenerated: %s", in, s.name, got, want)
			}
		}
		if wantErr == nil {
			accepted++
		} else {
			refused++
		}
	}
	if accepted < 100 || refused < 100 {
		t.Errorf("%d cases are accepted and %d refused; both should be many", accepted, refused)
	}
}

// generated takes one record through the generated code.
func generated(t *testing.T, in string) (out []byte, kept bool, err error) {
	t.Helper()
	s, err := pair.Generated([]orders.Order{{Key: []byte("k"), Value: []byte(in)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Batch(0); err != nil {
		return nil, false, err
	}
	err = s.Each(func(o pair.Out) { out, kept = bytes.Clone(o.Value), true })
	if err != nil {
		t.Fatal(err)
	}
	return out, kept, nil
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return reflect.DeepEqual(x, y)
}
