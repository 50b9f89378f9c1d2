package oracle

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/streamgen/streamgen/runtime/convert"
	"github.com/streamgen/streamgen/runtime/temporal"
	"github.com/streamgen/streamgen/runtime/text"
	"github.com/streamgen/streamgen/spec/types"
)

// A value is nil for null, else: string of strings and enums, bool, int64 of whole numbers, timestamps and durations, float64,
// []byte, []any of a list, map[string]any of a map, and of a record by the names of its fields.

// decode reads JSON as a value of a type. It panics with a failure.
func decode(t types.Type, text json.RawMessage) any {
	if len(text) == 0 || string(text) == "null" {
		if !types.IsOptional(t) {
			fail("null is no %s", t)
		}
		return nil
	}
	read := func(v any) {
		if json.Unmarshal(text, v) != nil {
			fail("%s is no %s", text, t)
		}
	}
	switch t := types.NonNull(t).(type) {
	case *types.Windowed:
		return decodeWindowed(t, read)
	case types.Basic:
		return decodeBasic(t, text, read)
	case *types.Enum:
		var s string
		if read(&s); !slices.Contains(t.Values, s) {
			fail("%s is no %s", text, t)
		}
		return s
	case *types.List:
		var parts []json.RawMessage
		read(&parts)
		list := make([]any, len(parts))
		for i, p := range parts {
			list[i] = decode(t.Elem, p)
		}
		return list
	case *types.Map:
		var parts map[string]json.RawMessage
		read(&parts)
		dict := map[string]any{}
		for k, p := range parts {
			dict[k] = decode(t.Elem, p)
		}
		return dict
	case *types.Record:
		var parts map[string]json.RawMessage
		read(&parts)
		made := map[string]any{}
		for _, f := range t.Fields {
			made[f.Name] = decode(f.Type, parts[f.Name])
		}
		return made
	}
	missing("type %s", t)
	return nil
}

func decodeBasic(t types.Basic, text json.RawMessage, read func(any)) any {
	switch t {
	case types.Bool:
		var b bool
		read(&b)
		return b
	case types.Int32:
		var n int32
		read(&n)
		return int64(n)
	case types.Int64:
		var n int64
		read(&n)
		return n
	case types.Float64:
		var f float64
		read(&f)
		return f
	case types.Bytes:
		b := []byte{}
		read(&b)
		return b
	case types.String, types.Timestamp, types.Duration:
		var s string
		read(&s)
		return convertTo(t, types.String, s)
	}
	missing("type %s", t)
	return nil
}

// encode is the JSON of a value: fields in the order of their record, those that are null left out. It panics with a failure.
func encode(t types.Type, v any) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	var b bytes.Buffer
	member := func(i int, name string, t types.Type, v any) {
		if i > 0 {
			b.WriteByte(',')
		}
		if name != "" {
			b.WriteString(quote(name) + ":")
		}
		b.Write(encode(t, v))
	}
	switch t := types.NonNull(t).(type) {
	case *types.Windowed:
		return encodeWindowed(t, v.(inWindow))
	case *types.List:
		b.WriteByte('[')
		for i, x := range v.([]any) {
			member(i, "", t.Elem, x)
		}
		b.WriteByte(']')
		return b.Bytes()
	case *types.Record:
		b.WriteByte('{')
		n := 0
		for _, f := range t.Fields {
			if x := v.(map[string]any)[f.Name]; x != nil {
				member(n, f.Name, f.Type, x)
				n++
			}
		}
		b.WriteByte('}')
		return b.Bytes()
	}
	switch v := v.(type) {
	case string:
		return json.RawMessage(quote(v))
	case bool:
		return strconv.AppendBool(nil, v)
	case []byte:
		return json.RawMessage(quote(base64.StdEncoding.EncodeToString(v)))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			fail("JSON has no %v", v)
		}
		return strconv.AppendFloat(nil, v, 'g', -1, 64)
	case int64:
		if u := types.NonNull(t); u == types.Timestamp || u == types.Duration {
			return json.RawMessage(quote(convertTo(types.String, u, v).(string)))
		}
		return strconv.AppendInt(nil, v, 10)
	}
	missing("JSON of %s", t)
	return nil
}

func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// must is a result of the runtime's helpers, which are tested on their own.
func must[T any](v T, err error) T {
	if err != nil {
		panic(failure{err})
	}
	return v
}

// convertTo is a value as one of another type.
func convertTo(to, from types.Type, v any) any {
	if v == nil {
		return nil
	}
	to, from = types.NonNull(to), types.NonNull(from)
	if r, ok := to.(*types.Record); ok {
		made := map[string]any{}
		for _, f := range r.Fields {
			g, _ := from.(*types.Record).Lookup(f.Name)
			made[f.Name] = convertTo(f.Type, g.Type, v.(map[string]any)[f.Name])
		}
		return made
	}
	if types.Equal(to, from) {
		return v
	}
	if e, ok := to.(*types.Enum); ok {
		if !slices.Contains(e.Values, v.(string)) {
			fail("%v is no %s", v, e)
		}
		return v
	}
	var arena text.Arena
	switch v := v.(type) {
	case string:
		switch to {
		case types.String: // of an enum
			return v
		case types.Bytes:
			return []byte(v)
		case types.Bool:
			return must(convert.ParseBool(v))
		case types.Int32:
			return int64(must(convert.ParseInt32(v)))
		case types.Int64:
			return must(convert.ParseInt64(v))
		case types.Float64:
			return must(convert.ParseFloat64(v))
		case types.Timestamp:
			return int64(must(temporal.ParseTimestamp(v)))
		case types.Duration:
			return int64(must(temporal.ParseDuration(v)))
		}
	case []byte:
		if to == types.String {
			return must(convert.Text(v))
		}
	case bool:
		return strconv.FormatBool(v)
	case float64:
		switch to {
		case types.String:
			return arena.Float(v)
		case types.Int32:
			return int64(must(convert.Int32Of(v)))
		case types.Int64:
			return must(convert.Int64(v))
		}
	case int64:
		switch {
		case to == types.String && from == types.Timestamp:
			return temporal.Timestamp(v).String()
		case to == types.String && from == types.Duration:
			return temporal.Duration(v).String()
		case to == types.String:
			return arena.Int(v)
		case to == types.Float64:
			return float64(v)
		case to == types.Int32:
			return int64(must(convert.Int32(v)))
		case to == types.Int64:
			return v
		}
	}
	missing("%s as %s", from, to)
	return nil
}
