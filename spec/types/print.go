package types

import (
	"fmt"
	"strings"
)

var basicNames = [...]string{
	Invalid: "?", Null: "null", String: "string", Bytes: "bytes", Bool: "bool", Int32: "int32", Int64: "int64",
	Float32: "float32", Float64: "float64", Timestamp: "timestamp", Duration: "duration", UUID: "uuid",
}

// BasicByName finds a basic type by the word that a spec has for it.
func BasicByName(name string) (Basic, bool) {
	for b := String; b <= UUID; b++ {
		if basicNames[b] == name {
			return b, true
		}
	}
	return Invalid, false
}

// String is the word for the type.
func (b Basic) String() string { return basicNames[b] }

// String is decimal(p, s).
func (d *Decimal) String() string { return fmt.Sprintf("decimal(%d, %d)", d.Precision, d.Scale) }

// String is list(T).
func (l *List) String() string { return "list(" + l.Elem.String() + ")" }

// String is map(string, V).
func (m *Map) String() string { return "map(string, " + m.Elem.String() + ")" }

// String is optional(T).
func (o *Optional) String() string { return "optional(" + o.Elem.String() + ")" }

// String is the name, or of an anonymous record its fields in braces.
func (r *Record) String() string {
	if r.Name != "" {
		return r.Name
	}
	if len(r.Fields) == 0 {
		return "{}"
	}
	return "{ " + r.FieldList() + " }"
}

// String is the name.
func (e *Enum) String() string { return e.Name }

func (Basic) typ()     {}
func (*Decimal) typ()  {}
func (*List) typ()     {}
func (*Map) typ()      {}
func (*Optional) typ() {}
func (*Windowed) typ() {}
func (*Record) typ()   {}
func (*Enum) typ()     {}

// FieldList is the fields with their types as a spec has them, on one line: "id = string, n = int64".
func (r *Record) FieldList() string {
	parts := make([]string, len(r.Fields))
	for i, f := range r.Fields {
		parts[i] = f.Name
		if f.Name != Unknown {
			parts[i] += " = " + f.Type.String()
		}
	}
	return strings.Join(parts, ", ")
}

// FieldNames is the names of the fields in wire order.
func (r *Record) FieldNames() []string {
	names := make([]string, len(r.Fields))
	for i, f := range r.Fields {
		names[i] = f.Name
	}
	return names
}

// Lookup finds a field by name.
func (r *Record) Lookup(name string) (Field, bool) {
	for _, f := range r.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Has tells whether a text is one of the enum's values.
func (e *Enum) Has(value string) bool { return e.Index(value) >= 0 }

// Index is the place of a value in declaration order, or -1.
func (e *Enum) Index(value string) int {
	for i, v := range e.Values {
		if v == value {
			return i
		}
	}
	return -1
}
