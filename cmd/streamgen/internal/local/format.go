package local

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/streamgen/streamgen/codegen/plan"
)

// encode gives the bytes on a topic of a key or value that is written as JSON. Null is Kafka's null.
func encode(f plan.Format, v json.RawMessage) ([]byte, error) {
	v = bytes.TrimSpace(v)
	if len(v) == 0 || string(v) == "null" {
		return nil, nil
	}
	switch f.Name {
	case "json":
		var b bytes.Buffer
		err := json.Compact(&b, v)
		return b.Bytes(), err
	case "string":
		var s string
		if err := json.Unmarshal(v, &s); err != nil {
			return nil, fmt.Errorf("a string is expected, not %s", short(v))
		}
		return []byte(s), nil
	case "bytes":
		var b []byte
		if err := json.Unmarshal(v, &b); err != nil {
			return nil, fmt.Errorf("bytes are expected as a base64 string, not %s", short(v))
		}
		if b == nil {
			b = []byte{}
		}
		return b, nil
	case "int32":
		n, err := strconv.ParseInt(string(v), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("an int32 is expected, not %s", short(v))
		}
		return binary.BigEndian.AppendUint32(nil, uint32(n)), nil
	case "int64":
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("an int64 is expected, not %s", short(v))
		}
		return binary.BigEndian.AppendUint64(nil, uint64(n)), nil
	case "float64":
		x, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return nil, fmt.Errorf("a number is expected, not %s", short(v))
		}
		return binary.BigEndian.AppendUint64(nil, math.Float64bits(x)), nil
	default:
		return nil, fmt.Errorf("the format %s cannot be written from JSON", f)
	}
}

var errLength = errors.New("the length is wrong")

// decode is the reverse of encode. Bytes that are not in the format are an error.
func decode(f plan.Format, b []byte) (json.RawMessage, error) {
	if b == nil {
		return json.RawMessage("null"), nil
	}
	switch f.Name {
	case "json":
		if !json.Valid(b) {
			return nil, errors.New("not JSON")
		}
		return json.RawMessage(b), nil
	case "string":
		if !utf8.Valid(b) {
			return nil, errors.New("not UTF-8")
		}
		return quote(string(b)), nil
	case "int32":
		if len(b) != 4 {
			return nil, errLength
		}
		return json.RawMessage(strconv.FormatInt(int64(int32(binary.BigEndian.Uint32(b))), 10)), nil
	case "int64":
		if len(b) != 8 {
			return nil, errLength
		}
		return json.RawMessage(strconv.FormatInt(int64(binary.BigEndian.Uint64(b)), 10)), nil
	case "float64":
		if len(b) != 8 {
			return nil, errLength
		}
		x := math.Float64frombits(binary.BigEndian.Uint64(b))
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return quote(strconv.FormatFloat(x, 'g', -1, 64)), nil
		}
		return json.RawMessage(strconv.FormatFloat(x, 'g', -1, 64)), nil
	default:
		return quote(base64.StdEncoding.EncodeToString(b)), nil
	}
}

// display is decode for people: what is not in the format is shown in base64.
func display(f plan.Format, b []byte) json.RawMessage {
	v, err := decode(f, b)
	if err != nil {
		return quote(fmt.Sprintf("(not %s) %s", f.Name, base64.StdEncoding.EncodeToString(b)))
	}
	return v
}

func quote(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return json.RawMessage(strconv.Quote(s))
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// short is the beginning of a value, for messages.
func short(v []byte) string {
	if len(v) > 40 {
		return string(v[:40]) + "…"
	}
	return string(v)
}
