package testdriver

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/streamgen/streamgen/runtime/record"
)

// line is a record as JSON.
type line struct {
	Key     json.RawMessage `json:"key"`
	Value   json.RawMessage `json:"value"`
	TS      *int64          `json:"ts"`
	Headers [][2]*string    `json:"headers,omitempty"`
}

// PipeJSON is Pipe with records as JSON, by the wire formats that the topology declares for the topic:
//
//	{"key": "k", "value": {"amount": 5}, "ts": 123, "headers": [["trace", "x"]]}
//
// A number is one for int32, int64 and float64, bytes are base64, a value in json is written as it stands. Without ts it is
// the wall clock's time.
func (d *Driver) PipeJSON(topic string, lines ...string) error {
	key, value, err := d.formats(topic)
	if err != nil {
		return err
	}
	for i, text := range lines {
		r, err := d.parse(key, value, text)
		if err != nil {
			return fmt.Errorf("testdriver: topic %q, line %d: %w", topic, i+1, err)
		}
		if err := d.Pipe(topic, r); err != nil {
			return err
		}
	}
	return nil
}

func (d *Driver) parse(key, value, text string) (Record, error) {
	var l line
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return Record{}, err
	}
	r := Record{Timestamp: d.now}
	if l.TS != nil {
		r.Timestamp = *l.TS
	}
	var err error
	if r.Key, err = Encode(key, l.Key); err != nil {
		return r, fmt.Errorf("key: %w", err)
	}
	if r.Value, err = Encode(value, l.Value); err != nil {
		return r, fmt.Errorf("value: %w", err)
	}
	for _, h := range l.Headers {
		if h[0] == nil {
			return r, errors.New("a header needs a name")
		}
		header := record.Header{Key: *h[0]}
		if h[1] != nil {
			header.Value = []byte(*h[1])
		}
		r.Headers = append(r.Headers, header)
	}
	return r, nil
}

// ReadJSON is Read with records as PipeJSON takes them.
func (d *Driver) ReadJSON(topic string) ([]string, error) {
	var lines []string
	for _, r := range d.Read(topic) {
		text, err := d.JSON(r)
		if err != nil {
			return nil, err
		}
		lines = append(lines, text)
	}
	return lines, nil
}

// JSON is a record of a topic as PipeJSON takes it.
func (d *Driver) JSON(r Record) (string, error) {
	key, value, err := d.formats(r.Topic)
	if err != nil {
		return "", err
	}
	l := line{TS: &r.Timestamp}
	if l.Key, err = Decode(key, r.Key); err != nil {
		return "", fmt.Errorf("testdriver: topic %q, key: %w", r.Topic, err)
	}
	if l.Value, err = Decode(value, r.Value); err != nil {
		return "", fmt.Errorf("testdriver: topic %q, value: %w", r.Topic, err)
	}
	for _, h := range r.Headers {
		pair := [2]*string{&h.Key}
		if h.Value != nil {
			v := string(h.Value)
			pair[1] = &v
		}
		l.Headers = append(l.Headers, pair)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(l)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// formats are the declared wire formats of a topic. A topic that a pattern matched has those of no declaration.
func (d *Driver) formats(topic string) (key, value string, err error) {
	for i := range d.topology.Topics {
		if t := &d.topology.Topics[i]; t.Name == topic {
			return t.Key, t.Value, nil
		}
	}
	return "", "", fmt.Errorf("testdriver: the topology does not name the topic %q: use Pipe and Read", topic)
}

// Encode writes a JSON value in a wire format: "string", "optional(int64)", "json(Order)". Null, and no text, is nil.
func Encode(format string, text []byte) ([]byte, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	read := func(to any) error {
		if err := json.Unmarshal(text, to); err != nil {
			return fmt.Errorf("%s is no %s", text, format)
		}
		return nil
	}
	switch base(format) {
	case "windowed":
		return encodeWindowed(format, text)
	case "json":
		var b bytes.Buffer
		err := json.Compact(&b, text)
		return b.Bytes(), err
	case "string", "uuid":
		var s string
		err := read(&s)
		return []byte(s), err
	case "bytes":
		b := []byte{}
		err := read(&b)
		return b, err
	case "bool":
		var v bool
		err := read(&v)
		if v {
			return []byte{1}, err
		}
		return []byte{0}, err
	case "int16":
		var v int16
		err := read(&v)
		return binary.BigEndian.AppendUint16(nil, uint16(v)), err
	case "int32":
		var v int32
		err := read(&v)
		return binary.BigEndian.AppendUint32(nil, uint32(v)), err
	case "int64":
		var v int64
		err := read(&v)
		return binary.BigEndian.AppendUint64(nil, uint64(v)), err
	case "float32":
		var v float32
		err := read(&v)
		return binary.BigEndian.AppendUint32(nil, math.Float32bits(v)), err
	case "float64":
		var v float64
		err := read(&v)
		return binary.BigEndian.AppendUint64(nil, math.Float64bits(v)), err
	}
	return nil, fmt.Errorf("the format %s has no JSON", format)
}

// Decode is the JSON of a value in a wire format. Nil is null.
func Decode(format string, b []byte) (json.RawMessage, error) {
	if b == nil {
		return json.RawMessage("null"), nil
	}
	sized := map[string]int{"bool": 1, "int16": 2, "int32": 4, "int64": 8, "float32": 4, "float64": 8}
	if n, ok := sized[base(format)]; ok && len(b) != n {
		return nil, fmt.Errorf("%d bytes are no %s", len(b), format)
	}
	switch base(format) {
	case "windowed":
		return decodeWindowed(format, b)
	case "json":
		var out bytes.Buffer
		err := json.Compact(&out, b)
		return out.Bytes(), err
	case "string", "uuid":
		return quote(string(b))
	case "bytes":
		return quote(base64.StdEncoding.EncodeToString(b))
	case "bool":
		return strconv.AppendBool(nil, b[0] != 0), nil
	case "int16":
		return strconv.AppendInt(nil, int64(int16(binary.BigEndian.Uint16(b))), 10), nil
	case "int32":
		return strconv.AppendInt(nil, int64(int32(binary.BigEndian.Uint32(b))), 10), nil
	case "int64":
		return strconv.AppendInt(nil, int64(binary.BigEndian.Uint64(b)), 10), nil
	case "float32":
		return float(float64(math.Float32frombits(binary.BigEndian.Uint32(b))), 32)
	case "float64":
		return float(math.Float64frombits(binary.BigEndian.Uint64(b)), 64)
	}
	return nil, fmt.Errorf("the format %s has no JSON", format)
}

func quote(s string) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(s)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// float writes numbers that JSON has, and the others as strings.
func float(v float64, bits int) (json.RawMessage, error) {
	text := strconv.FormatFloat(v, 'g', -1, bits)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return quote(text)
	}
	return json.RawMessage(text), nil
}

// base is the name of a format, without its type and optional.
func base(format string) string {
	if inner, ok := strings.CutPrefix(format, "optional("); ok {
		format = strings.TrimSuffix(inner, ")")
	}
	name, _, _ := strings.Cut(format, "(")
	return name
}
