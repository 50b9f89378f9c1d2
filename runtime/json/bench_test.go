package json

import (
	stdjson "encoding/json"
	"testing"

	"github.com/go-json-experiment/json"
)

// sample is a record of ten fields.
const sample = `{"id":"ord-0001234567","customer":"cust-000042","item":"espresso machine, chrome","amount":1299,"price":249.99,` +
	`"created":"2026-03-01T12:00:00.000Z","express":true,"address":{"street":"Grüner Weg 12","city":"Köln"},"tags":["home","kitchen"],"note":null}`

// two is what is wanted of it.
type two struct {
	ID     string `json:"id"`
	Amount int64  `json:"amount"`
}

func decodeTwo(b []byte, v *two) error {
	const (
		id uint64 = 1 << iota
		amount
		all = 1<<iota - 1
	)
	var seen uint64
	r := Object(b)
	for r.Next() {
		switch string(r.Name) {
		case "id":
			v.ID = r.Text()
			seen |= id
		case "amount":
			v.Amount = r.Int64()
			seen |= amount
		default:
			r.Skip()
		}
	}
	if seen != all {
		r.Missing(seen, "id", "amount")
	}
	return r.Err()
}

// BenchmarkDecode reads two of ten fields, in the three ways.
func BenchmarkDecode(b *testing.B) {
	in := []byte(sample)
	for _, way := range []struct {
		name string
		f    func(*two) error
	}{
		{"reader", func(v *two) error { return decodeTwo(in, v) }},
		{"encoding-json", func(v *two) error { return stdjson.Unmarshal(in, v) }},
		{"json-experiment", func(v *two) error { return json.Unmarshal(in, v) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			var v two
			for b.Loop() {
				if err := way.f(&v); err != nil {
					b.Fatal(err)
				}
			}
			if v.ID != "ord-0001234567" || v.Amount != 1299 {
				b.Fatal(v)
			}
		})
	}
}

// BenchmarkAppendText writes a string that needs no escape.
func BenchmarkAppendText(b *testing.B) {
	const s = "espresso machine, chrome, with two portafilters"
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	dst := make([]byte, 0, 64)
	for b.Loop() {
		dst = AppendText(dst[:0], s)
	}
}
