package emit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/streamgen/streamgen/spec/types"
)

// The codecs of generated records, held to inputs and to each other: see testdata/program/codecs.go.
func TestCodecs(t *testing.T) {
	p := newProgram()
	f := jen.NewFilePathName(programPath, "main")
	f.Var().Id("cases").Op("=").Map(jen.String()).Index().Func().Params(jen.Op("*").Id("scope")).Params(jen.Any(), jen.Error()).Values()
	p.add(t, "expressions_gen.go", f)

	full := `{"n":7,"m":3,"i":2,"f":1.5,"g":0.5,"s":"grün","t":"b","yes":true,"data":"aGk=","at":"2026-03-01T12:00:00.000Z","d":"90s",` +
		`"tier":"very-gold","home":{"street":"Elm","zip":"1\"2"},"note":"x","count":0,"blob":"","work":{"street":""},"level":"bronze"}`
	plain := full[:strings.Index(full, `,"note"`)] + "}"
	without := func(field, value string) string { return strings.Replace(full, `"`+field+`":`+value+`,`, "", 1) }
	with := func(field, value, instead string) string {
		return strings.Replace(full, `"`+field+`":`+value, `"`+field+`":`+instead, 1)
	}
	at := func(text, part string) int { return strings.Index(text, part) }
	fails := func(text, format string, args ...any) (string, string) {
		return text, "error: " + fmt.Sprintf(format, args...)
	}

	type job struct{ Name, Input string }
	var jobs []job
	var want []string
	add := func(name, input, out string) {
		jobs, want = append(jobs, job{name, input}), append(want, out)
	}
	same := func(name, input string) { add(name, input, input) }
	bad := func(name, input, format string, args ...any) {
		in, out := fails(input, format, args...)
		add(name, in, out)
	}

	// The order of the fields is the type's, what is absent is left out, what is unknown is dropped, the last of a name wins.
	same("In", full)
	same("In", plain)
	same("In", full) // nothing of what was kept before shines through
	add("In", strings.Replace(plain, `"n":7`, ` "level" : null , "new":[{"a":[1,{}]},"\ud83d\ude00"], "note":null,"n":1,"n":7`, 1), plain)
	add("In", strings.Replace(plain, `"home":{`, `"home":{"street":"old","zip":"old"},"home":{"more":{},`, 1), plain)
	add("In", strings.Replace(full, `"zip":"1\"2"`, `"zip":null`, 1), strings.Replace(full, `,"zip":"1\"2"`, "", 1))
	add("In", with("at", `"2026-03-01T12:00:00.000Z"`, `"2026-03-01T14:00:00.0009+02:00"`), full)
	add("In", with("n", "7", "9007199254740993"), with("n", "7", "9007199254740993"))
	same("AllNull", `{}`)
	same("AllNull", `{"a":1}`)
	same("AllNull", `{"b":-0.25}`)
	same("AllNull", `{"a":1,"b":2}`)
	same("Row", `{"type":"a","all":true,"seen":3,"equal":"b","keep":"c"}`)
	same("Row", `{"type":"","all":false,"seen":-3,"equal":""}`)

	// Bad input says what and where.
	bad("In", without("m", "3"), `json: field "m" at byte %d: missing`, len(without("m", "3"))-1)
	bad("In", with("home", `{"street":"Elm",`, "{"), `json: field "home.street" at byte %d: missing`, at(with("home", `{"street":"Elm",`, "{"), `},"note"`))
	bad("In", with("n", "7", `"7"`), `json: field "n" at byte 5: expected an int64, found a string`)
	bad("In", with("n", "7", `1.0`), `json: field "n" at byte 5: expected an int64, found the number 1.0`)
	bad("In", with("n", "7", `null`), `json: field "n" at byte 5: expected an int64, found null`)
	bad("In", with("n", "7", `9223372036854775808`), `json: field "n" at byte 5: out of the range of int64`)
	bad("In", with("i", "2", `2147483648`), `json: field "i" at byte %d: out of the range of int32`, at(full, `"i":2`)+4)
	bad("In", with("tier", `"very-gold"`, `"gold"`), `json: field "tier" at byte %d: not a Tier: one of bronze, silver, very-gold`, at(full, `"very-gold"`))
	bad("In", with("data", `"aGk="`, `"aGk"`), `json: field "data" at byte %d: not in base64`, at(full, `"aGk="`))
	bad("In", with("at", `"2026-03-01T12:00:00.000Z"`, `"today"`), `json: field "at" at byte %d: not an RFC 3339 timestamp`, at(full, `"2026`))
	bad("In", with("d", `"90s"`, `"90"`), `json: field "d" at byte %d: not a duration: write a whole number and ms, s, m, h or d, as in "90s"`, at(full, `"90s"`))
	bad("In", full[:len(full)-1], `json: field "level" at byte %d: expected a comma or the end of the object, found the end`, len(full)-1)
	bad("In", "[]", `json: at byte 0: expected an object, found an array`)
	bad("In", full+"1", `json: at byte %d: expected the end of the record, found the number 1`, len(full))

	// Of some fields only those that are wanted are built, those that somebody else reads are checked, the rest must be JSON.
	add("some", full, "7 b")
	add("some", with("m", "3", `"no number"`), "7 b")
	bad("some", with("tier", `"very-gold"`, `"gold"`), `json: field "tier" at byte %d: not a Tier: one of bronze, silver, very-gold`, at(full, `"very-gold"`))
	bad("some", with("home", `{"street":"Elm",`, `{"street":1,`), `json: field "home.street" at byte %d: expected a string, found the number 1`, at(full, `"Elm"`))
	bad("some", with("work", `{"street":""}`, `{}`), `json: field "work.street" at byte %d: missing`, at(full, `{"street":""}`)+1)
	bad("some", with("m", "3", `03`), `json: field "m" at byte %d: expected a value, found a malformed number`, at(full, `"m":3`)+4)
	bad("some", without("f", "1.5"), `json: field "f" at byte %d: missing`, len(without("f", "1.5"))-1)
	add("check", full, "checked")
	add("check", with("tier", `"very-gold"`, `"gold"`), "checked")
	bad("check", without("n", "7"), `json: field "n" at byte %d: missing`, len(without("n", "7"))-1)
	add("allocs", strings.Replace(plain, `\"`, "", 1), "none") // escapes cost an allocation each

	// Lists, maps, decimals, UUIDs and float32.
	many := `{"price":12.50,"rate":-0.1235,"large":123456789012345678901234567890123456.78,"ref":"01234567-89ab-cdef-0123-456789abcdef","ratio":0.1,` +
		`"tags":["a","","b\"c"],"homes":[{"street":"Elm"},{"street":"Oak","zip":"1"}],"grid":[[1,2.5],[],[-0.25]],"counts":{"a":1,"b":-2},` +
		`"sets":{"x":["1",null],"y":[]},"times":["2026-03-01T12:00:00.000Z"],"maybe":[0.5,99.9],"blobs":{"k":"aGk="},"levels":["bronze",null],"places":{"p":{"street":""}}}`
	none := `{"price":0.00,"rate":0.0000,"large":0.00,"ref":"00000000-0000-0000-0000-000000000000","ratio":0,"tags":[],"homes":[],"grid":[],"counts":{},"sets":{},"times":[],"blobs":{},"levels":[],"places":{}}`
	fewer := strings.NewReplacer(`"a","",`, "", `{"street":"Elm"},`, "", `[1,2.5],[],`, "", `"a":1,`, "", `"x":["1",null],`, "", `,99.9`, "").Replace(many)
	manyWith := func(old, instead string) string { return strings.Replace(many, old, instead, 1) }
	for _, text := range []string{many, fewer, many, none, fewer, many} { // what a record had before does not shine through
		same("Many", text)
	}
	add("Many", manyWith(`"price":12.50`, `"price":1.25e1`), many)
	add("Many", manyWith(`{"a":1,"b":-2}`, ` { "b" : 7 , "a" : 0,"b":-2 , "a":1}`), many)
	add("Many", manyWith(`"x":["1",null],"y":[]`, `"y":["old"],"x":["old"],"x":["1",null],"y":[]`), many)
	add("Many", manyWith(`"tags":["a","","b\"c"]`, `"tags":["old","old"],"tags":[ "a" , "" ,"b\"c" ]`), many)
	add("Many", manyWith(`,"maybe":[0.5,99.9]`, `,"maybe":null`), manyWith(`,"maybe":[0.5,99.9]`, ""))
	bad("Many", manyWith(`12.50`, `12.505`), `json: field "price" at byte 9: does not fit decimal(12, 2): more digits behind the point than the type has`)
	bad("Many", manyWith(`12.50`, `12345678901`), `json: field "price" at byte 9: does not fit decimal(12, 2): decimal overflow`)
	bad("Many", manyWith(`0.1,`, `1e39,`), `json: field "ratio" at byte %d: out of the range of float32`, at(many, `"ratio"`)+8)
	bad("Many", manyWith(`01234567-`, `0123456-`), `json: field "ref" at byte %d: not a UUID, which is written as 01234567-89ab-cdef-0123-456789abcdef`, at(many, `"ref"`)+6)
	bad("Many", manyWith(`[1,2.5]`, `[1,"x"]`), `json: field "grid[0][1]" at byte %d: expected a number, found a string`, at(many, `[1,2.5]`)+3)
	bad("Many", manyWith(`{"street":"Oak","zip":"1"}`, `{"zip":"1"}`), `json: field "homes[1].street" at byte %d: missing`, at(many, `{"street":"Oak"`)+10)
	bad("Many", manyWith(`"tags":["a"`, `"tags":[null`), `json: field "tags[0]" at byte %d: expected a string, found null`, at(many, `["a"`)+1)
	bad("Many", manyWith(`"counts":{"a":1,"b":-2}`, `"counts":[1]`), `json: field "counts" at byte %d: expected an object, found an array`, at(many, `{"a":1`))
	bad("Many", manyWith(`"tags":["a","","b\"c"]`, `"tags":{}`), `json: field "tags" at byte %d: expected an array, found an object`, at(many, `["a"`))
	bad("Many", manyWith(`"tags":["a","","b\"c"],`, ""), `json: field "tags" at byte %d: missing`, len(manyWith(`"tags":["a","","b\"c"],`, ""))-1)
	add("manyAllocs", strings.NewReplacer(`b\"c`, "bc", `{"k":"aGk="}`, "{}").Replace(many), "none") // escapes and base64 cost an allocation each
	onWire := strings.NewReplacer(`"price"`, `"Price\"`+"`"+`"`, `"tags"`, `"@tags"`, `"Oak","zip"`, `"Oak","post code"`, `"2026-03-01T12:00:00.000Z"`, "1772366400000").Replace(many)
	same("Wire", onWire)
	plainPrice := strings.Replace(onWire, `"Price\"`+"`"+`"`, `"price"`, 1)
	bad("Wire", plainPrice, `json: field "Price\"`+"`"+`" at byte %d: missing`, len(plainPrice)-1)

	text, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(p.run(t, string(text), "codecs"), "\n"), "\n")
	if len(lines) != len(jobs) {
		t.Fatalf("%d results of %d", len(lines), len(jobs))
	}
	for i, got := range lines {
		if got != want[i] {
			t.Errorf("%s of %s\n got %s\nwant %s", jobs[i].Name, jobs[i].Input, got, want[i])
		}
	}

	var all strings.Builder
	for _, d := range p.plan.Types {
		name := "records/" + snake(d.Name) + "_gen.go"
		fmt.Fprintf(&all, "-- %s --\n%s", name, p.files[name])
	}
	golden(t, "records.golden", all.String())
}

// A record may have more required fields than an int has bits.
func TestManyRequiredFields(t *testing.T) {
	record := &types.Record{Name: "Wide"}
	var fields []string
	for i := range 130 {
		record.Fields = append(record.Fields, types.Field{Name: fmt.Sprintf("f%d", i), Type: types.Bool})
		fields = append(fields, fmt.Sprintf("F%d", i))
	}
	p := testPlan()
	w := &objectWriter{d: &recordsType{}, set: &fieldSet{style: plain}, reader: jen.Id("r")}
	w.d.Type = p.Types[1]
	w.d.Type.Record, w.d.Fields = record, fields
	var all []int
	for i := range fields {
		all = append(all, i)
	}
	mark, decl, missing := w.required(all)
	if len(mark) != 130 || len(missing) != 3 {
		t.Fatalf("%d marks, %d words", len(mark), len(missing))
	}
	for text, code := range map[string]jen.Code{
		"var seen [3]uint64": decl[0], "seen[0] |= 1 << 63": mark[63], "seen[1] |= 1 << 0": mark[64], "seen[2] |= 1 << 1": mark[129],
	} {
		if got := strings.TrimSpace(fmt.Sprintf("%#v", code)); got != text {
			t.Errorf("%s, want %s", got, text)
		}
	}
	if got := fmt.Sprintf("%#v", missing[2]); !strings.Contains(got, "seen[2] != 1<<2-1") || !strings.Contains(got, `r.Missing(seen[2], "f128", "f129")`) {
		t.Error(got)
	}
}

func TestNames(t *testing.T) {
	n := NewNames("s", "order")
	for _, c := range []struct {
		candidates []string
		want       string
	}{
		{[]string{"sum"}, "sum"}, {[]string{"sum"}, "sum2"}, {[]string{"sum", "amountSum"}, "amountSum"}, {[]string{"sum"}, "sum3"},
		{[]string{"order"}, "order2"}, {[]string{"type"}, "type2"}, {[]string{"arith"}, "arith2"}, {[]string{"", "x"}, "x"}, {[]string{"json"}, "json2"},
	} {
		if got := n.New(c.candidates...); got != c.want {
			t.Errorf("%v: %s, want %s", c.candidates, got, c.want)
		}
	}
	for name, want := range map[string]string{"Order": "order", "OrderEnriched": "order_enriched", "HTTPPath": "http_path", "A1B": "a1_b"} {
		if got := snake(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
