package vectors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/streamgen/streamgen/runtime/testdriver"
	"github.com/streamgen/streamgen/runtime/window"
)

// Values are compared in a canonical text of their type: fields in the order of the type, integers in decimal, floats in
// their shortest form. Both sides go through it, so what differs in the text differs in the value.

// canonical is the canonical text of a JSON value of a type.
func (s *Scenario) canonical(t Type, text []byte) (string, error) {
	if t.Windowed != "" {
		return s.canonicalWindowed(t, text)
	}
	return s.canonicalNamed(t.Name, text)
}

func (s *Scenario) canonicalNamed(name string, text []byte) (string, error) {
	if len(text) == 0 || string(text) == "null" {
		return "null", nil
	}
	wrong := func() (string, error) { return "", fmt.Errorf("%s is no %s", text, name) }
	if kind, elem, ok := parts(name); ok {
		return s.canonicalMany(kind, elem, text)
	}
	switch name {
	case "string", "bytes", "uuid":
		var v string
		if json.Unmarshal(text, &v) != nil {
			return wrong()
		}
		return quote(v), nil
	case "bool":
		var v bool
		if json.Unmarshal(text, &v) != nil {
			return wrong()
		}
		return strconv.FormatBool(v), nil
	case "int16", "int32", "int64":
		// A number may be written with an exponent or a fraction of zero and be an integer nevertheless.
		r, ok := new(big.Rat).SetString(string(text))
		if !ok || !r.IsInt() || !json.Valid(text) {
			return wrong()
		}
		return r.Num().String(), nil
	case "decimal":
		r, ok := new(big.Rat).SetString(string(text))
		if !ok || !json.Valid(text) {
			return wrong()
		}
		digits, _ := r.FloatPrec()
		return r.FloatString(digits), nil
	case "float32", "float64":
		bits := 64
		if name == "float32" {
			bits = 32
		}
		v, err := strconv.ParseFloat(string(text), bits)
		if err != nil || !json.Valid(text) {
			return wrong()
		}
		return strconv.FormatFloat(v, 'g', -1, bits), nil
	}
	record, ok := s.Types[name]
	if !ok {
		return "", fmt.Errorf("the scenario has no type %q", name)
	}
	return s.canonicalRecord(name, record, text)
}

// parts takes list(T) and map(T) apart.
func parts(name string) (kind, elem string, ok bool) {
	kind, rest, _ := strings.Cut(name, "(")
	elem, ok = strings.CutSuffix(rest, ")")
	return kind, elem, ok && (kind == "list" || kind == "map")
}

// canonicalMany is that of a list, or of a map, whose members have no order.
func (s *Scenario) canonicalMany(kind, elem string, text []byte) (string, error) {
	var list []json.RawMessage
	var members map[string]json.RawMessage
	if kind == "list" && json.Unmarshal(text, &list) != nil || kind == "map" && json.Unmarshal(text, &members) != nil {
		return "", fmt.Errorf("%s is no %s(%s)", text, kind, elem)
	}
	var parts []string
	for _, x := range list {
		v, err := s.canonicalNamed(elem, x)
		if err != nil {
			return "", err
		}
		parts = append(parts, v)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		v, err := s.canonicalNamed(elem, members[name])
		if err != nil {
			return "", err
		}
		parts = append(parts, quote(name)+":"+v)
	}
	if kind == "list" {
		return "[" + strings.Join(parts, ",") + "]", nil
	}
	return "{" + strings.Join(parts, ",") + "}", nil
}

// canonicalRecord is strict: members in the order of the type, none missing, none beside them, none twice.
func (s *Scenario) canonicalRecord(name string, r Record, text []byte) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", fmt.Errorf("%s is no %s", text, name)
	}
	var b strings.Builder
	b.WriteByte('{')
	next := 0
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return "", err
		}
		member, _ := t.(string)
		for next < len(r.Fields) && r.Fields[next].Name != member {
			if !r.Fields[next].Optional {
				return "", fmt.Errorf("%s of %s stands where %s belongs: %s", member, name, r.Fields[next].Name, text)
			}
			next++
		}
		if next == len(r.Fields) {
			return "", fmt.Errorf("%s is no field of %s, or out of order: %s", member, name, text)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return "", err
		}
		v, err := s.canonicalNamed(r.Fields[next].Type, value)
		if err != nil {
			return "", fmt.Errorf("%s.%s: %w", name, member, err)
		}
		if v == "null" {
			return "", fmt.Errorf("%s.%s is null, and should be left out: %s", name, member, text)
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(quote(member) + ":" + v)
		next++
	}
	for _, f := range r.Fields[next:] {
		if !f.Optional {
			return "", fmt.Errorf("%s of %s is missing: %s", f.Name, name, text)
		}
	}
	if _, err := dec.Token(); err != nil {
		return "", err
	}
	if _, err := dec.Token(); err != io.EOF {
		return "", fmt.Errorf("something stands behind the %s: %s", name, text)
	}
	return b.String() + "}", nil
}

func (s *Scenario) canonicalWindowed(t Type, text []byte) (string, error) {
	if len(text) == 0 || string(text) == "null" {
		return "null", nil
	}
	var w struct {
		Key        json.RawMessage `json:"key"`
		Start, End int64
	}
	if err := json.Unmarshal(text, &w); err != nil {
		return "", fmt.Errorf("%s is no windowed key: %w", text, err)
	}
	key, err := s.canonicalNamed(t.Inner, w.Key)
	return windowed(key, w.Start, w.End), err
}

func windowed(key string, start, end int64) string {
	return fmt.Sprintf(`{"key":%s,"start":%d,"end":%d}`, key, start, end)
}

// decode is the canonical text of what lies on a topic.
func (s *Scenario) decode(t Type, b []byte) (string, error) {
	if b == nil {
		return "null", nil
	}
	if t.Windowed != "" {
		return s.decodeWindowed(t, b)
	}
	text, err := testdriver.Decode(s.format(t.Name), b)
	if err != nil {
		return "", fmt.Errorf("%q: %w", b, err)
	}
	if _, isRecord := s.Types[t.Name]; isRecord {
		return s.canonicalNamed(t.Name, b) // as it was written
	}
	return s.canonicalNamed(t.Name, text)
}

// decodeWindowed reads the key, then the start of time windows, or end and start of sessions.
func (s *Scenario) decodeWindowed(t Type, b []byte) (string, error) {
	bounds := 8
	if t.Windowed == "session" {
		bounds = 16
	}
	if len(b) < bounds {
		return "", fmt.Errorf("%x is no windowed key", b)
	}
	at := len(b) - 8
	start := int64(binary.BigEndian.Uint64(b[at:]))
	var end int64
	switch t.Windowed {
	case "session":
		end = int64(binary.BigEndian.Uint64(b[at-8:]))
	case "sliding":
		end = start + t.Difference
	default:
		end = window.End(start, t.Size)
	}
	key, err := s.decode(Type{Name: t.Inner}, b[:len(b)-bounds])
	return windowed(key, start, end), err
}

// storeKey is the type of a store's keys. The length of its windows is that of the rows that are wanted.
func storeKey(t Topic, rows []rowOut) (Type, error) {
	switch {
	case strings.HasSuffix(t.Kind, "session"):
		return Type{Windowed: "session", Inner: t.Key.Name}, nil
	case !strings.HasSuffix(t.Kind, "window"):
		return t.Key, nil
	}
	k := Type{Windowed: "time", Inner: t.Key.Name}
	for _, row := range rows[:min(len(rows), 1)] {
		var w struct{ Start, End int64 }
		if err := json.Unmarshal(row.Key, &w); err != nil {
			return k, fmt.Errorf("%s is no windowed key: %w", row.Key, err)
		}
		k.Size = w.End - w.Start
	}
	return k, nil
}

// encode writes a JSON value of a type as it lies on a topic.
func (s *Scenario) encode(t Type, text []byte) ([]byte, error) {
	if t.Windowed != "" {
		return testdriver.Encode(fmt.Sprintf(`windowed(%s, { kind = %q, size = "%dms" })`, s.format(t.Inner), t.Windowed, t.Size+t.Difference), text)
	}
	return testdriver.Encode(s.format(t.Name), text)
}

// format is the wire format of a type.
func (s *Scenario) format(name string) string {
	if _, isRecord := s.Types[name]; isRecord {
		return "json(" + name + ")"
	}
	return name
}

func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
