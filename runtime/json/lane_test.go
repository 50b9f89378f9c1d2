package json

import (
	"fmt"
	"strings"
	"testing"

	"github.com/streamgen/streamgen/runtime/optional"
)

// parcel is a record with a field of each sort that a lane holds.
type parcel struct {
	ID      string
	Weight  float64
	Count   optional.Of[int32]
	Address place
	Fragile bool
	Parts   int32
}

type place struct {
	City string
	Zip  int64
}

// readParcel is in the form of generated decoders.
func readParcel(b []byte, p *parcel) error {
	const (
		id uint64 = 1 << iota
		weight
		to
		fragile
		all = 1<<iota - 1
	)
	var seen uint64
	p.Count.Valid, p.Parts = false, 0
	r := Object(b)
	if i := r.First(`{"id":`); i > 0 {
		p.ID, i = r.TextAt(i)
		seen |= id
		if at := r.Then(i, `,"note":`); at > 0 {
			i = r.SkipAt(at)
		}
		if at := r.Then(i, `,"weight":`); at > 0 {
			p.Weight, i = r.Float64At(at)
			seen |= weight
		}
		if at := r.Then(i, `,"count":`); at > 0 {
			r.Seek(at)
			if p.Count.Valid = !r.Null(); p.Count.Valid {
				p.Count.Value = r.Int32()
			}
			i = r.Offset()
		}
		if at := r.Then(i, `,"address":`); at > 0 {
			r.Seek(at)
			readPlace(&r, &p.Address)
			i = r.Offset()
			seen |= to
		}
		if at := r.Then(i, `,"fragile":`); at > 0 {
			r.Seek(at)
			p.Fragile = r.Bool()
			i = r.Offset()
			seen |= fragile
		}
		if at := r.Then(i, `,"parts_of_it_all":`); at > 0 {
			p.Parts, i = r.Int32At(at)
		}
		r.Seek(i)
	}
	for r.Next() {
		switch string(r.Name) {
		case "id":
			p.ID = r.Text()
			seen |= id
		case "weight":
			p.Weight = r.Float64()
			seen |= weight
		case "count":
			if p.Count.Valid = !r.Null(); p.Count.Valid {
				p.Count.Value = r.Int32()
			}
		case "address":
			readPlace(&r, &p.Address)
			seen |= to
		case "fragile":
			p.Fragile = r.Bool()
			seen |= fragile
		case "parts_of_it_all":
			p.Parts = r.Int32()
		default:
			r.Skip()
		}
	}
	if seen != all {
		r.Missing(seen, "id", "weight", "address", "fragile")
	}
	return r.Err()
}

func readPlace(r *Reader, a *place) {
	const (
		city uint64 = 1 << iota
		zip
		all = 1<<iota - 1
	)
	var seen uint64
	r.Begin()
	if i := r.First(`{"city":`); i > 0 {
		a.City, i = r.TextAt(i)
		seen |= city
		if at := r.Then(i, `,"zip":`); at > 0 {
			a.Zip, i = r.Int64At(at)
			seen |= zip
		}
		r.Seek(i)
	}
	for r.Next() {
		switch string(r.Name) {
		case "city":
			a.City = r.Text()
			seen |= city
		case "zip":
			a.Zip = r.Int64()
			seen |= zip
		default:
			r.Skip()
		}
	}
	if seen != all {
		r.Missing(seen, "city", "zip")
	}
}

// readParcelByName is readParcel without lanes.
func readParcelByName(b []byte, p *parcel) error {
	seen := uint64(0)
	p.Count.Valid, p.Parts = false, 0
	r := Object(b)
	for r.Next() {
		switch string(r.Name) {
		case "id":
			p.ID = r.Text()
			seen |= 1
		case "weight":
			p.Weight = r.Float64()
			seen |= 2
		case "count":
			if p.Count.Valid = !r.Null(); p.Count.Valid {
				p.Count.Value = r.Int32()
			}
		case "address":
			inner := uint64(0)
			r.Begin()
			for r.Next() {
				switch string(r.Name) {
				case "city":
					p.Address.City = r.Text()
					inner |= 1
				case "zip":
					p.Address.Zip = r.Int64()
					inner |= 2
				default:
					r.Skip()
				}
			}
			if inner != 3 {
				r.Missing(inner, "city", "zip")
			}
			seen |= 4
		case "fragile":
			p.Fragile = r.Bool()
			seen |= 8
		case "parts_of_it_all":
			p.Parts = r.Int32()
		default:
			r.Skip()
		}
	}
	if seen != 15 {
		r.Missing(seen, "id", "weight", "address", "fragile")
	}
	return r.Err()
}

const plainParcel = `{"id":"a","note":[1,{"b":"\n"}],"weight":1.5,"count":3,"address":{"city":"Graz","zip":8010},"fragile":true,"parts_of_it_all":12}`

// parcels are a parcel and what is odd about others.
func parcels() []string {
	list := []string{
		plainParcel, `{}`, ``, `,"weight":1`, `{,"weight":1}`, `{"id":"a","id":"b"}`, `"id":"a"`, ` ` + plainParcel, plainParcel + ` `, plainParcel + `,"weight":1`,
		`{"id":"a","weight":1,"address":{"city":"b","zip":1},"fragile":false,"weight":2,"count":1,"count":null,"address":{"zip":2,"city":"c"}}`,
		`{"fragile":false,"address":{"zip":1,"city":"b"},"weight":1,"id":"a"}`, `{"\u0069d":"a","weight":1,"address":{"city":"b","zip":1},"fragile":false}`,
		`{"id":"a","weight":1,"address":{},"fragile":false}`, `{"id":"a","weight":1,"address":,"zip":1},"fragile":false}`, `{"id":"a","weight":1,"address":{"city":"b"},"zip":1,"fragile":false}`,
	}
	for i := range plainParcel {
		list = append(list, plainParcel[:i], plainParcel[:i]+plainParcel[i+1:])
		for _, part := range []string{" ", "\n", "\x00", "\xff", `"`, `\`, `,`, `{`, `}`, `1`, `null`, `"id":1,`, `,"weight":2`, `,"x":{}`} {
			list = append(list, plainParcel[:i]+part+plainParcel[i:])
		}
	}
	return list
}

// sameParcel fails if a lane changes what is read, or what is refused and why.
func sameParcel(t *testing.T, b []byte) (accepted bool) {
	t.Helper()
	var got, want parcel
	err, wantErr := readParcel(b, &got), readParcelByName(b, &want)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%q\nlane:    %v\nby name: %v", b, err, wantErr)
	}
	if err == nil && got != want {
		t.Fatalf("%q\nlane:    %+v\nby name: %+v", b, got, want)
	}
	return err == nil
}

func TestLaneReadsTheSame(t *testing.T) {
	accepted, list := 0, parcels()
	for _, s := range list {
		if sameParcel(t, []byte(s)) {
			accepted++
		}
	}
	if refused := len(list) - accepted; accepted < 100 || refused < 100 {
		t.Errorf("%d are accepted and %d refused; both should be many", accepted, refused)
	}
}

func FuzzLane(f *testing.F) {
	for _, s := range parcels()[:16] {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameParcel(t, b) })
}

// The lane takes a plain record to its end: there is nothing left for Next.
func TestLaneTakesAll(t *testing.T) {
	r := Object([]byte(`{"id":"a","note":null,"weight":1,"a long name of a field":2,"count":3,"name":4}`))
	i := r.First(`{"id":`)
	if i == 0 {
		t.Fatal("the first field is not taken")
	}
	text, i := r.TextAt(i)
	for _, name := range []string{`,"note":`, `,"weight":`, `,"a long name of a field":`, `,"count":`, `,"name":`} {
		if r.Then(i, name[:len(name)-1]+` :`) > 0 || r.Then(i, `,"other":`) > 0 || r.Then(i, name[:3]+"x"+name[4:]) > 0 {
			t.Fatalf("another field is taken for %s", name)
		}
		at := r.Then(i, name)
		if at == 0 {
			t.Fatalf("the field %s is not taken", name)
		}
		i = r.SkipAt(at)
	}
	r.Seek(i)
	if r.Next() || r.Err() != nil || text != "a" {
		t.Fatal(r.Err(), text)
	}
}

func TestLaneDepth(t *testing.T) {
	r := Object([]byte(strings.Repeat(`{"a":`, MaxDepth+1)))
	levels := 0
	for i := r.First(`{"a":`); i > 0; i = r.First(`{"a":`) {
		levels++
		r.Seek(i)
		r.Begin()
	}
	if levels != MaxDepth {
		t.Errorf("%d levels are entered, want %d", levels, MaxDepth)
	}
	if r.Next() || r.Err() == nil || !strings.Contains(r.Err().Error(), "nested too deeply") {
		t.Errorf("one more: %v", r.Err())
	}
}

// Strings are read at an offset as they are read where the reader stands, however long they are and wherever the record ends.
func TestTextAt(t *testing.T) {
	const name = `{"":`
	for n := range 40 {
		for at := range n + 1 {
			for _, odd := range []string{"", `\n`, `\u00e9`, "é", "\xff", "\x00", "\x1f", "\x7f", `"`, `\`, `\x`} {
				for _, end := range []string{`"}`, `" }`, `"`, ``, `"} `} {
					b := []byte(name + `"` + strings.Repeat("x", at) + odd + strings.Repeat("y", n-at) + end)
					read := func(value func(r *Reader) string) string {
						r := Object(b)
						text := value(&r)
						more := r.Next()
						return fmt.Sprintf("%q %v %v", text, more, r.Err())
					}
					want := read(func(r *Reader) string { r.Next(); return r.Text() })
					skipped := read(func(r *Reader) string { r.Next(); r.Skip(); return "" })
					if got := read(func(r *Reader) string {
						text, i := r.TextAt(r.First(name))
						r.Seek(i)
						return text
					}); got != want {
						t.Fatalf("%q: TextAt %s, Text %s", b, got, want)
					}
					if got := read(func(r *Reader) string { r.Seek(r.SkipAt(r.First(name))); return "" }); got != skipped {
						t.Fatalf("%q: SkipAt %s, Skip %s", b, got, skipped)
					}
				}
			}
		}
	}
}
