package json

import (
	"maps"
	"slices"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/streamgen/streamgen/runtime/dict"
	"github.com/streamgen/streamgen/runtime/list"
	"github.com/streamgen/streamgen/runtime/optional"
)

// collections is read as generated code reads it.
type collections struct {
	lines  []line
	counts dict.Of[[]optional.Of[int64]]
	grid   [][]string
}

type line struct {
	sku  string
	tags []string
}

func (c *collections) decode(b []byte) error {
	c.lines, c.counts, c.grid = c.lines[:0], c.counts[:0], c.grid[:0]
	r := Object(b)
	for r.Next() {
		switch string(r.Name) {
		case "lines":
			c.lines = c.lines[:0]
			r.Begin()
			for r.More() {
				c.lines = list.More(c.lines)
				readLine(&r, &c.lines[len(c.lines)-1])
			}
		case "counts":
			c.counts = c.counts[:0]
			r.Begin()
			for r.Next() {
				c.counts = list.More(c.counts)
				entry := &c.counts[len(c.counts)-1]
				entry.Key = r.Key()
				entry.Value = entry.Value[:0]
				r.Begin()
				for r.More() {
					entry.Value = list.More(entry.Value)
					element := &entry.Value[len(entry.Value)-1]
					if element.Valid = !r.Null(); element.Valid {
						element.Value = r.Int64()
					}
				}
			}
			c.counts = dict.Sort(c.counts)
		case "grid":
			c.grid = c.grid[:0]
			r.Begin()
			for r.More() {
				c.grid = list.More(c.grid)
				row := &c.grid[len(c.grid)-1]
				*row = (*row)[:0]
				r.Begin()
				for r.More() {
					*row = append(*row, r.Text())
				}
			}
		default:
			r.Skip()
		}
	}
	return r.Err()
}

func readLine(r *Reader, v *line) {
	v.sku, v.tags = "", v.tags[:0]
	r.Begin()
	for r.Next() {
		switch string(r.Name) {
		case "sku":
			v.sku = r.Text()
		case "tags":
			v.tags = v.tags[:0]
			r.Begin()
			for r.More() {
				v.tags = append(v.tags, r.Text())
			}
		default:
			r.Skip()
		}
	}
}

// FuzzCollections reads lists and maps in each other with the strict reference too, into memory that held another record before. Where
// names are equal the two differ on purpose: there the reference joins what the last one replaces here.
func FuzzCollections(f *testing.F) {
	const full = `{"lines":[{"sku":"a","tags":["x","y"]},{"tags":[],"sku":""},{}],"counts":{"b":[1,null,-2],"a":[],"":[0]},"grid":[["p"],[],["q","\u00e9"]]}`
	for _, s := range append(slices.Clone(seeds),
		full, strings.ReplaceAll(full, ",", " , "), strings.ReplaceAll(full, "]", ""), strings.ReplaceAll(full, "[", "{"), `{"lines":[],"counts":{},"grid":[]}`, `{"lines":{}}`, `{"counts":[]}`,
		`{"lines":[{"sku":"a"},1]}`, `{"counts":{"a":[1.5]}}`, `{"counts":{"a":null}}`, `{"lines":null}`, `{"grid":[[],[[]]]}`, `{"grid":[["a",]]}`, `{"counts":{"a":[9223372036854775808]}}`,
	) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var want struct {
			Lines []*struct {
				SKU  *string    `json:"sku"`
				Tags *[]*string `json:"tags"`
			} `json:"lines"`
			Counts map[string]*[]*int64 `json:"counts"`
			Grid   []*[]*string         `json:"grid"`
		}
		// The reference takes null for nothing; here it is no list, map, string or record.
		err := jsonv2.Unmarshal(b, &want)
		var c collections
		if failure := c.decode([]byte(full)); failure != nil {
			t.Fatal(failure)
		}
		got := c.decode(b)
		if err != nil {
			if got == nil && jsonv2.Unmarshal(b, &want, jsontext.AllowDuplicateNames(true)) != nil {
				t.Fatalf("%q is read, the reference: %v", b, err)
			}
			return
		}
		if nulls := strings.Contains(string(b), "null"); got != nil {
			if !nulls && !strings.Contains(got.Error(), "nested too deeply") {
				t.Fatalf("%q: %v", b, got)
			}
			return
		}
		if len(c.lines) != len(want.Lines) || len(c.counts) != len(want.Counts) || len(c.grid) != len(want.Grid) {
			t.Fatalf("%q is read as %+v", b, c)
		}
		same := func(got []string, want *[]*string) bool {
			return want == nil && len(got) == 0 || want != nil && slices.EqualFunc(got, *want, func(g string, w *string) bool { return w != nil && g == *w })
		}
		for i, l := range c.lines {
			w := want.Lines[i]
			if w == nil || !same(l.tags, w.Tags) || w.SKU == nil && l.sku != "" || w.SKU != nil && l.sku != *w.SKU {
				t.Fatalf("%q: line %d is read as %+v", b, i, l)
			}
		}
		for i, row := range c.grid {
			if want.Grid[i] == nil || !same(row, want.Grid[i]) {
				t.Fatalf("%q: row %d is read as %q", b, i, row)
			}
		}
		for i, key := range slices.Sorted(maps.Keys(want.Counts)) {
			w := want.Counts[key]
			if c.counts[i].Key != key || w == nil || !slices.EqualFunc(c.counts[i].Value, *w, func(g optional.Of[int64], w *int64) bool {
				return g.Valid == (w != nil) && (w == nil || g.Value == *w)
			}) {
				t.Fatalf("%q: %q is read as %+v", b, key, c.counts[i])
			}
		}
	})
}
