package json

import (
	"errors"
	"strings"
	"testing"
)

// order is what a generated decoder looks like.
type order struct {
	id, note string
	amount   int64
	price    float64
	count    int32
	paid     bool
	street   string
}

func decodeOrder(b []byte, o *order) error {
	const (
		id uint64 = 1 << iota
		amount
		all = 1<<iota - 1
	)
	var seen uint64
	o.note = ""
	r := Object(b)
	for r.Next() {
		switch string(r.Name) {
		case "id":
			o.id = r.Text()
			seen |= id
		case "amount":
			o.amount = r.Int64()
			seen |= amount
		case "price":
			o.price = r.Float64()
		case "count":
			o.count = r.Int32()
		case "paid":
			o.paid = r.Bool()
		case "note":
			if !r.Null() {
				o.note = r.Text()
			}
		case "at":
			r.Timestamp()
		case "within":
			r.Duration()
		case "data":
			r.Base64()
		case "same":
			r.SkipBase64()
		case "address":
			readAddress(&r, o)
		default:
			r.Skip()
		}
	}
	if seen != all {
		r.Missing(seen, "id", "amount")
	}
	return r.Err()
}

func readAddress(r *Reader, o *order) {
	seen := false
	r.Begin()
	for r.Next() {
		switch string(r.Name) {
		case "street":
			o.street, seen = r.Text(), true
		case "address":
			readAddress(r, o)
		default:
			r.Skip()
		}
	}
	if !seen {
		r.Missing(0, "street")
	}
}

func TestErrors(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth)
	for _, c := range []struct{ in, want string }{
		{`{"id":"a","amount":1}`, ""},
		{`{"id":"a","amount":1,"note":null,"address":{"street":"x","address":{"street":"y"}},"x":[]}`, ""},
		{"", "json: at byte 0: expected an object, found the end"},
		{"null", "json: at byte 0: expected an object, found null"},
		{`{"id":"a"}`, `json: field "amount" at byte 9: missing`},
		{`{"id":"a"`, `json: field "id" at byte 9: expected a comma or the end of the object, found the end`},
		{`{"amount":1,"id":"a"} {`, `json: at byte 22: expected the end of the record, found an object`},
		{`{"id":7,"amount":1}`, `json: field "id" at byte 6: expected a string, found the number 7`},
		{`{"amount":1.0}`, `json: field "amount" at byte 10: expected an int64, found the number 1.0`},
		{`{"amount":1e2}`, `json: field "amount" at byte 10: expected an int64, found the number 1e2`},
		{`{"amount":01}`, `json: field "amount" at byte 10: expected an int64, found a malformed number`},
		{`{"amount":"1"}`, `json: field "amount" at byte 10: expected an int64, found a string`},
		{`{"amount":-9223372036854775809}`, `json: field "amount" at byte 10: out of the range of int64`},
		{`{"amount":99999999999999999999999}`, `json: field "amount" at byte 10: out of the range of int64`},
		{`{"count":2147483648}`, `json: field "count" at byte 9: out of the range of int32`},
		{`{"count":true}`, `json: field "count" at byte 9: expected an int32, found true`},
		{`{"price":1e999}`, `json: field "price" at byte 9: out of the range of float64`},
		{`{"price":NaN}`, `json: field "price" at byte 9: expected a number, found "N"`},
		{`{"paid":null}`, `json: field "paid" at byte 8: expected a bool, found null`},
		{`{"note":[]}`, `json: field "note" at byte 8: expected a string, found an array`},
		{`{"at":"2026"}`, `json: field "at" at byte 6: not an RFC 3339 timestamp`},
		{`{"at":1}`, `json: field "at" at byte 6: expected a string, found the number 1`},
		{`{"within":"5"}`, `json: field "within" at byte 10: not a duration: write a whole number and ms, s, m, h or d, as in "90s"`},
		{`{"data":"a"}`, `json: field "data" at byte 8: not in base64`},
		{`{"data":"YQ"}`, `json: field "data" at byte 8: not in base64`},
		{`{"data":"YR=="}`, `json: field "data" at byte 8: not in base64`},
		{`{"data":"YQ==\n"}`, `json: field "data" at byte 8: not in base64`},
		{`{"same":"YQ==\n"}`, `json: field "same" at byte 8: not in base64`},
		{`{"same":"` + strings.Repeat("YWJj", 63) + `YQ==YWJj"}`, `json: field "same" at byte 8: not in base64`},
		{`{"same":"` + strings.Repeat("YWJj", 64) + `YR=="}`, `json: field "same" at byte 8: not in base64`},
		{`{"id":"a","amount":1,"same":"` + strings.Repeat("YWJj", 64) + `YQ==","data":""}`, ""},
		{"{\"id\":\"a\x01\"}", `json: field "id" at byte 8: a control character that is not escaped`},
		{"{\"x\":\"a\n\"}", `json: field "x" at byte 7: a control character that is not escaped`},
		{"{\"id\":\"\xff\"}", `json: field "id" at byte 6: not valid UTF-8`},
		{"{\"x\":[\"\xff\"]}", `json: field "x[0]" at byte 6: not valid UTF-8`},
		{`{"id":"\q"}`, `json: field "id" at byte 7: not an escape`},
		{`{"x":"a\ud800"}`, `json: field "x" at byte 7: not an escape`},
		{`{"id":"abc`, `json: field "id" at byte 10: ends within a string`},
		{`{"address":{"street":"x","address":{"street":1}}}`, `json: field "address.address.street" at byte 45: expected a string, found the number 1`},
		{`{"address":{"address":{"street":"x"}}}`, `json: field "address.street" at byte 36: missing`},
		{`{"id":"a","x":[1,{"y":[true,tru]}]}`, `json: field "x[1].y[1]" at byte 28: expected a value, found "t"`},
		{`{"x":{"y":1 2}}`, `json: field "x.y" at byte 12: expected a comma or the end of the object, found the number 2`},
		{`{"x":[1}`, `json: field "x[0]" at byte 7: expected a comma or the end of the array, found "}"`},
		{`{"x" 1}`, `json: field "x" at byte 5: expected a colon, found the number 1`},
		{`{"x":1,}`, `json: at byte 7: expected a field name, found "}"`},
		{"{\"x\":\x00}", `json: field "x" at byte 5: expected a value, found byte 0x0`},
		{`{"\u0069d":1}`, `json: field "id" at byte 11: expected a string, found the number 1`},
		{`{"x":` + deep + "}", `json: field "x` + strings.Repeat("[0]", MaxDepth-1) + `" at byte 1028: nested too deeply`},
	} {
		var o order
		err := decodeOrder([]byte(c.in), &o)
		if got := ""; err != nil {
			if got = err.Error(); got != c.want {
				t.Errorf("%.80q\n got %s\nwant %s", c.in, got, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%.80q is read; want %s", c.in, c.want)
		}
	}
	var o order
	if err := decodeOrder(nil, &o); err == nil || err.Error() != "json: null, where the type is not optional" {
		t.Errorf("null: %v", err)
	}
	if err := (&Error{Field: "price", Offset: -1, Problem: "NaN"}).Error(); err != `json: field "price": NaN` {
		t.Error(err)
	}
	if _, err := AppendFloat64(nil, 1/zero, "price"); err == nil || err.Error() != `json: field "price": +Inf cannot be written in JSON` {
		t.Error(err)
	}
	var e *Error
	if err := Check([]byte("{")); !errors.As(err, &e) || e.Offset != 1 {
		t.Errorf("%v", err)
	}
}

var zero float64

// As deep as MaxDepth is read, whatever is nested in what, and what is skipped does not need more stack the deeper it goes.
func TestDepth(t *testing.T) {
	for _, c := range []struct {
		open, closed string
		levels       int // of one pair
	}{{"[", "]", 1}, {`{"a":`, "}", 1}, {`[{"a":`, "}]", 2}} {
		for depth, fits := range map[int]bool{MaxDepth - 2: true, MaxDepth: false, 1 << 20: false} {
			n := depth / c.levels
			in := `{"x":` + strings.Repeat(c.open, n) + "1" + strings.Repeat(c.closed, n) + "}"
			if err := Check([]byte(in)); (err == nil) != fits {
				t.Errorf("%s, %d levels: %.80v", c.open, depth, err)
			}
		}
	}
	if err := Check([]byte(`{"x":` + strings.Repeat("[", MaxDepth-1) + strings.Repeat("]", MaxDepth-1) + "}")); err != nil {
		t.Errorf("MaxDepth levels: %.80v", err)
	}
	in := strings.Repeat(`{"address":`, MaxDepth+1) + "{}" + strings.Repeat("}", MaxDepth+1)
	if err := decodeOrder([]byte(in), new(order)); err == nil || !strings.Contains(err.Error(), "nested too deeply") {
		t.Errorf("%.80v", err)
	}
}

// Every cut of a record is refused, none is read beyond its end.
func TestTruncation(t *testing.T) {
	in := `{"id":"aé\u00e9\ud83d\ude00","amount":-12,"price":1.5e-3,"paid":false,"note":null,"x":{"y":[1,"z",{"w":true}]},"data":"YQ=="} `
	if err := decodeOrder([]byte(in), new(order)); err != nil {
		t.Fatal(err)
	}
	for n := range len(in) - 1 {
		cut := make([]byte, n)
		copy(cut, in)
		if err := decodeOrder(cut, new(order)); err == nil {
			t.Errorf("%s is read", cut)
		}
		if err := Check(cut); err == nil {
			t.Errorf("%s is checked", cut)
		}
	}
}

func TestLastOfANameWins(t *testing.T) {
	var o order
	if err := decodeOrder([]byte(`{"id":"a","amount":1,"id":"b","note":"x","note":null,"\u0061mount":9007199254740993}`), &o); err != nil {
		t.Fatal(err)
	}
	if o.id != "b" || o.note != "x" || o.amount != 1<<53+1 {
		t.Errorf("%+v", o)
	}
}

func TestReaderAllocations(t *testing.T) {
	b := []byte(sample)
	var o order
	for name, f := range map[string]func(){
		"decode": func() { _ = decodeOrder(b, &o) },
		"check":  func() { _ = Check(b) },
		"append": func() { buffer = AppendText(buffer[:0], o.id) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if err := decodeOrder(b, &o); err != nil {
		t.Error(err)
	}
}

var buffer = make([]byte, 0, 64)
