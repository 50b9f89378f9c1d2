package types

// Unknown is the name of the field that holds what a record came with and its type does not have: raw members of a JSON object,
// optional(bytes), last in the record. Types have it that a json format with unknown = "keep" carries, and those within them. No
// expression can name it: it goes where the record goes.
const Unknown = "…"

// KeepUnknown gives a record, and the records that it holds, a place for unknown fields. A struct of the user's has none.
func KeepUnknown(t Type) {
	switch t := t.(type) {
	case *Optional:
		KeepUnknown(t.Elem)
	case *List:
		KeepUnknown(t.Elem)
	case *Map:
		KeepUnknown(t.Elem)
	case *Record:
		if t.Go != nil || t.KeepsUnknown() {
			return
		}
		for _, f := range t.Fields {
			KeepUnknown(f.Type)
		}
		t.Fields = append(t.Fields, Field{Name: Unknown, Type: OptionalOf(Bytes), Pos: t.Pos})
	}
}

// KeepsUnknown tells whether the record has a place for unknown fields.
func (r *Record) KeepsUnknown() bool {
	return len(r.Fields) > 0 && r.Fields[len(r.Fields)-1].Name == Unknown
}

// HoldsUnknown tells whether a value of t has a place for unknown fields, itself or within.
func HoldsUnknown(t Type) bool {
	switch t := t.(type) {
	case *Optional:
		return HoldsUnknown(t.Elem)
	case *List:
		return HoldsUnknown(t.Elem)
	case *Map:
		return HoldsUnknown(t.Elem)
	case *Record:
		for _, f := range t.Fields {
			if f.Name == Unknown || HoldsUnknown(f.Type) {
				return true
			}
		}
	}
	return false
}

// known is the fields of a record that have a name.
func (r *Record) known() []Field {
	if r.KeepsUnknown() {
		return r.Fields[:len(r.Fields)-1]
	}
	return r.Fields
}
