// Command program evaluates what the tests of package emit generate: the packages and files that this one lacks are laid over
// it by the test.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/streamgen/streamgen/codegen/emit/testdata/program/records"
	"github.com/streamgen/streamgen/runtime/decimal"
	"github.com/streamgen/streamgen/runtime/record"
	"github.com/streamgen/streamgen/runtime/text"
	"github.com/streamgen/streamgen/runtime/uuid"
)

// scope is what the generated functions see.
type scope struct {
	key       []byte
	value     records.In
	agg       int64
	timestamp int64
	headers   []record.Header
	row       *row
	many      records.Many
	limit     int64
	text      text.Arena
}

type row struct{ Value records.Home }

func main() {
	if len(os.Args) > 1 && os.Args[1] == "codecs" {
		codecs()
		return
	}
	var jobs []struct{ Name, Input string }
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		fail(err)
	}
	for _, job := range jobs {
		var line []string
		for _, f := range cases[job.Name] {
			s := &scope{agg: 10, timestamp: 1000, limit: 6, headers: []record.Header{
				{Key: "trace-id", Value: []byte("1")}, {Key: "trace-id", Value: []byte("2")}, {Key: "other", Value: []byte("3")},
			}}
			if err := records.DecodeIn([]byte(job.Input), &s.value); err != nil {
				fail(err)
			}
			if strings.Contains(job.Input, `"price"`) {
				if err := records.DecodeMany([]byte(job.Input), &s.many); err != nil {
					fail(err)
				}
			}
			if s.value.Work.Valid {
				s.row = &row{s.value.Work.Value}
			}
			v, err := f(s)
			if err != nil {
				line = append(line, "error: "+err.Error())
				continue
			}
			line = append(line, show(reflect.ValueOf(v)))
		}
		fmt.Println(strings.ReplaceAll(strings.Join(line, "\t"), "\n", `\n`))
	}
}

// show writes values as %+v does, and optionals as what they hold.
func show(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case decimal.Decimal:
		return x.Text(0)
	case uuid.UUID:
		return x.String()
	}
	switch {
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		var items []string
		for i := range v.Len() {
			items = append(items, show(v.Index(i)))
		}
		return "[" + strings.Join(items, " ") + "]"
	case v.Kind() == reflect.Struct && strings.HasPrefix(v.Type().Name(), "Of["):
		if !v.FieldByName("Valid").Bool() {
			return "null"
		}
		return show(v.FieldByName("Value"))
	case v.Kind() == reflect.Struct:
		var fields []string
		for i := range v.NumField() {
			fields = append(fields, v.Type().Field(i).Name+":"+show(v.Field(i)))
		}
		return "{" + strings.Join(fields, " ") + "}"
	}
	return fmt.Sprintf("%+v", v.Interface())
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
