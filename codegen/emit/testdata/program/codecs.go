package main

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/streamgen/streamgen/codegen/emit/testdata/program/records"
)

// codecs reads jobs from stdin and prints for each what its decoder makes of the input: the record as JSON again, or the
// error. On the way it holds the other codecs to it.
func codecs() {
	var jobs []struct{ Name, Input string }
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		fail(err)
	}
	for _, job := range jobs {
		out, err := decoders[job.Name]([]byte(job.Input))
		if err != nil {
			fmt.Println("error:", err)
			continue
		}
		fmt.Println(string(out))
	}
}

var decoders = map[string]func([]byte) ([]byte, error){
	"In": whole(codec[records.In]{
		records.DecodeIn, records.AppendIn, records.AppendInRow, records.ReadInRow, records.ViewInRow, records.InRowJSON,
		(*records.In).Equal, (*records.In).Keep,
	}),
	"AllNull": whole(codec[records.AllNull]{
		records.DecodeAllNull, records.AppendAllNull, records.AppendAllNullRow, records.ReadAllNullRow, records.ViewAllNullRow,
		records.AllNullRowJSON, (*records.AllNull).Equal, func(a, b *records.AllNull) { *a = *b },
	}),
	"Row": whole(codec[records.Row]{
		records.DecodeRow, func(dst []byte, v *records.Row) ([]byte, error) { return records.AppendRow(dst, v), nil },
		records.AppendRowRow, records.ReadRowRow, records.ViewRowRow, records.RowRowJSON, (*records.Row).EqualTo, (*records.Row).KeepFrom,
	}),
	"Many": whole(codec[records.Many]{
		records.DecodeMany, records.AppendMany, records.AppendManyRow, records.ReadManyRow, records.ViewManyRow, records.ManyRowJSON,
		(*records.Many).Equal, (*records.Many).Keep,
	}),
	"Wire":       wire,
	"manyAllocs": manyAllocations,
	"some": func(b []byte) ([]byte, error) {
		var in records.In
		err := records.DecodeInNT(b, &in)
		return fmt.Appendf(nil, "%d %s", in.N, in.T), err
	},
	"check":  func(b []byte) ([]byte, error) { return []byte("checked"), records.CheckIn(b) },
	"allocs": allocations,
}

// codec is all that is generated for a record.
type codec[T any] struct {
	decode  func([]byte, *T) error
	encode  func([]byte, *T) ([]byte, error)
	write   func([]byte, *T) []byte
	read    func([]byte, *T) error
	view    func([]byte, *T) error
	rowJSON func(dst, src []byte) ([]byte, error)
	equal   func(a, b *T) bool
	keep    func(a, b *T)
}

// whole decodes with all codecs of a record and says where they do not agree.
func whole[T any](c codec[T]) func([]byte) ([]byte, error) {
	kept := new(T) // stays from input to input, as a row of a store does
	seen := new(T) // stays too, as the record in hand does
	return func(b []byte) ([]byte, error) {
		v := new(T)
		if err := c.decode(b, v); err != nil {
			return nil, err
		}
		out, err := c.encode(nil, v)
		if err != nil {
			return nil, err
		}
		row := c.write(nil, v)
		for n := range row {
			if err := c.read(row[:n:n], new(T)); err == nil {
				return nil, fmt.Errorf("a row cut to %d of %d bytes is read", n, len(row))
			}
		}
		if err := c.read(append(row[:len(row):len(row)], 0), new(T)); err == nil {
			return nil, fmt.Errorf("a row with a byte more is read")
		}
		// Garbage in what is read into must not shine through.
		copied, viewed := *kept, *seen
		if err := c.read(row, &copied); err != nil {
			return nil, fmt.Errorf("row: %w", err)
		}
		if err := c.view(row, &viewed); err != nil {
			return nil, fmt.Errorf("row: %w", err)
		}
		if !c.equal(v, &copied) || !c.equal(v, &viewed) {
			return nil, fmt.Errorf("a row is read as %+v, was %+v", copied, *v)
		}
		*seen = viewed
		c.keep(kept, v)
		fromRow, err := c.rowJSON(nil, row)
		if err != nil || string(fromRow) != string(out) {
			return nil, fmt.Errorf("the row is JSON %s, %v; the record %s", fromRow, err, out)
		}
		// What was copied and kept lives on when the memory it came from does not.
		for i := range b {
			b[i] = '#'
		}
		for i := range row {
			row[i] = '#'
		}
		for what, w := range map[string]*T{"copied row": &copied, "kept record": kept} {
			if text, err := c.encode(nil, w); err != nil || string(text) != string(out) {
				return nil, fmt.Errorf("%s became %s, %v; was %s", what, text, err, out)
			}
		}
		again := *kept
		c.keep(&again, kept)
		if n := testing.AllocsPerRun(10, func() { c.keep(&again, kept) }); n != 0 {
			return nil, fmt.Errorf("keeping what is there already costs %v allocations", n)
		}
		return out, nil
	}
}

// allocations says what costs memory and must not.
func allocations(b []byte) ([]byte, error) {
	var in, view records.In
	if err := records.DecodeIn(b, &in); err != nil {
		return nil, err
	}
	dst := make([]byte, 0, 4096)
	row := records.AppendInRow(nil, &in)
	s := &scope{value: in}
	for name, f := range map[string]func() error{
		"decode of some": func() error { return records.DecodeInNT(b, &in) },
		"decode for":     func() error { return records.DecodeInForRekey(b, &in) },
		"encode": func() (err error) {
			dst, err = records.AppendIn(dst[:0], &in)
			return err
		},
		"row":      func() error { dst = records.AppendInRow(dst[:0], &in); return nil },
		"view":     func() error { return records.ViewInRow(row, &view) },
		"equal":    func() error { in.Equal(&view); return nil },
		"template": func() error { s.text.Concat(s.value.S, "-", s.text.Int(s.value.N)); return nil },
	} {
		var err error
		if n := testing.AllocsPerRun(100, func() {
			if e := f(); e != nil {
				err = e
			}
		}); n != 0 || err != nil {
			return nil, fmt.Errorf("%s: %v allocations, %v", name, n, err)
		}
	}
	if n := testing.AllocsPerRun(100, func() { _ = records.ReadInRow(row, &view) }); n != 1 {
		return nil, fmt.Errorf("a row is read with %v allocations", n)
	}
	return []byte("none"), nil
}

// wire reads and writes a record with other names and times on the wire.
func wire(b []byte) ([]byte, error) {
	var v records.Many
	if err := records.DecodeManyUnixMillisRenamed(b, &v); err != nil {
		return nil, err
	}
	return records.AppendManyUnixMillisRenamed(nil, &v)
}

// manyAllocations says what of lists and maps costs memory and must not, once there is memory to use again.
func manyAllocations(b []byte) ([]byte, error) {
	var v, view records.Many
	if err := records.DecodeMany(b, &v); err != nil {
		return nil, err
	}
	dst := make([]byte, 0, 4096)
	row := records.AppendManyRow(nil, &v)
	if err := records.ViewManyRow(row, &view); err != nil {
		return nil, err
	}
	for name, f := range map[string]func() error{
		"decode": func() error { return records.DecodeMany(b, &v) },
		"check":  func() error { return records.CheckMany(b) },
		"encode": func() (err error) {
			dst, err = records.AppendMany(dst[:0], &v)
			return err
		},
		"row":   func() error { dst = records.AppendManyRow(dst[:0], &v); return nil },
		"view":  func() error { return records.ViewManyRow(row, &view) },
		"equal": func() error { v.Equal(&view); return nil },
		"keep":  func() error { view.Keep(&v); return nil },
	} {
		var err error
		if n := testing.AllocsPerRun(100, func() {
			if e := f(); e != nil {
				err = e
			}
		}); n != 0 || err != nil {
			return nil, fmt.Errorf("%s: %v allocations, %v", name, n, err)
		}
	}
	return []byte("none"), nil
}
