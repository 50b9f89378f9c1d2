// Package json_test compares ways to read two, and five, of the ten fields of an order.
package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"io"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/streamgen/streamgen/bench/figures"
	"github.com/streamgen/streamgen/bench/p1/orders"
	"github.com/streamgen/streamgen/generated/p1/records"
	runtimejson "github.com/streamgen/streamgen/runtime/json"
)

// two is what is wanted of an order.
type two struct {
	OrderID  string `json:"order_id"`
	Quantity int32  `json:"quantity"`
}

// readTwo is in the form of generated decoders.
func readTwo(b []byte, o *two) error {
	const (
		orderID uint64 = 1 << iota
		quantity
		all = 1<<iota - 1
	)
	var seen uint64
	r := runtimejson.Object(b)
	if i := r.First(`{"order_id":`); i > 0 {
		o.OrderID, i = r.TextAt(i)
		seen |= orderID
		if at := r.Then(i, `,"customer_id":`); at > 0 {
			i = r.SkipAt(at)
		}
		if at := r.Then(i, `,"product_id":`); at > 0 {
			i = r.SkipAt(at)
		}
		if at := r.Then(i, `,"status":`); at > 0 {
			i = r.SkipAt(at)
		}
		if at := r.Then(i, `,"country":`); at > 0 {
			i = r.SkipAt(at)
		}
		if at := r.Then(i, `,"currency":`); at > 0 {
			i = r.SkipAt(at)
		}
		if at := r.Then(i, `,"amount":`); at > 0 {
			i = r.SkipAt(at)
		}
		if at := r.Then(i, `,"quantity":`); at > 0 {
			o.Quantity, i = r.Int32At(at)
			seen |= quantity
		}
		if at := r.Then(i, `,"created_at":`); at > 0 {
			i = r.SkipAt(at)
		}
		if at := r.Then(i, `,"note":`); at > 0 {
			i = r.SkipAt(at)
		}
		r.Seek(i)
	}
	for r.Next() {
		switch string(r.Name) {
		case "order_id":
			o.OrderID = r.Text()
			seen |= orderID
		case "quantity":
			o.Quantity = r.Int32()
			seen |= quantity
		default:
			r.Skip()
		}
	}
	if seen != all {
		r.Missing(seen, "order_id", "quantity")
	}
	return r.Err()
}

// tokens reads with jsontext, a token at a time. Its decoder is used again and again.
type tokens struct {
	in      bytes.Reader
	decoder jsontext.Decoder
}

func (t *tokens) readTwo(b []byte, o *two) error {
	t.in.Reset(b)
	t.decoder.Reset(&t.in)
	d := &t.decoder
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		switch name.String() {
		case "order_id":
			v, err := d.ReadToken()
			if err != nil {
				return err
			}
			o.OrderID = v.String()
		case "quantity":
			v, err := d.ReadToken()
			if err != nil {
				return err
			}
			n, err := v.Int()
			if err != nil {
				return err
			}
			o.Quantity = int32(n)
		default:
			if err := d.SkipValue(); err != nil {
				return err
			}
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return err
	}
	return nil
}

type way struct {
	name string
	read func([]byte, *two) error
}

func ways() []way {
	t := &tokens{}
	return []way{
		{"generated", readTwo},
		{"jsontext-tokens", t.readTwo},
		{"json-experiment", func(b []byte, o *two) error { return json.Unmarshal(b, o) }},
		{"encoding-json", func(b []byte, o *two) error { return stdjson.Unmarshal(b, o) }},
	}
}

var sample = orders.Make(1024)

// All ways read the same.
func TestWaysReadTheSame(t *testing.T) {
	for _, in := range sample {
		var want two
		for i, w := range ways() {
			var got two
			if err := w.read(in.Value, &got); err != nil {
				t.Fatal(w.name, err)
			}
			if i == 0 {
				want = got
			}
			if got != want || got.OrderID != string(in.Key) || got.Quantity == 0 {
				t.Fatalf("%s: %+v, want %+v of %s", w.name, got, want, in.Value)
			}
		}
	}
}

// Decoders of the generated form allocate nothing.
func TestAllocations(t *testing.T) {
	var o two
	var order records.Order
	n := 0
	allocs := testing.AllocsPerRun(len(sample), func() {
		in := sample[n%len(sample)].Value
		n++
		if err := readTwo(in, &o); err != nil {
			t.Fatal(err)
		}
		if err := records.DecodeOrderForPaid(in, &order); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations an order; none is allowed", allocs)
	}
}

// BenchmarkTwo reads two of ten fields.
func BenchmarkTwo(b *testing.B) {
	for _, w := range ways() {
		b.Run(w.name, func(b *testing.B) {
			b.SetBytes(orders.Size)
			b.ReportAllocs()
			var o two
			measure(b, func(in []byte) error { return w.read(in, &o) })
		})
	}
}

// BenchmarkFive reads the five fields that P1 uses, with its generated decoder.
func BenchmarkFive(b *testing.B) {
	b.SetBytes(orders.Size)
	b.ReportAllocs()
	var o records.Order
	measure(b, func(in []byte) error { return records.DecodeOrderForPaid(in, &o) })
}

// measure reports processor time, too: on a machine that is shared it says more than the clock.
func measure(b *testing.B, read func([]byte) error) {
	n := 0
	used := figures.Now()
	for b.Loop() {
		if err := read(sample[n%len(sample)].Value); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(used.Since().CPU.Nanoseconds())/float64(n), "cpu-ns/op")
}
