package types

// Equal tells whether a and b are the same type. Declared records and enums are equal by name, which is unique in a program;
// an anonymous record equals any record with the same fields in the same order. Invalid equals only itself.
func Equal(a, b Type) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case Basic:
		b, ok := b.(Basic)
		return ok && a == b
	case *Decimal:
		b, ok := b.(*Decimal)
		return ok && *a == *b
	case *List:
		b, ok := b.(*List)
		return ok && Equal(a.Elem, b.Elem)
	case *Map:
		b, ok := b.(*Map)
		return ok && Equal(a.Elem, b.Elem)
	case *Optional:
		b, ok := b.(*Optional)
		return ok && Equal(a.Elem, b.Elem)
	case *Windowed:
		b, ok := b.(*Windowed)
		return ok && a.Kind == b.Kind && a.Size == b.Size && Equal(a.Key, b.Key)
	case *Enum:
		b, ok := b.(*Enum)
		return ok && a.Name == b.Name
	case *Record:
		b, ok := b.(*Record)
		return ok && equalRecords(a, b)
	}
	return false
}

func equalRecords(a, b *Record) bool {
	switch {
	case a == b:
		return true
	case a.Name != "" && b.Name != "":
		return a.Name == b.Name
	case len(a.Fields) != len(b.Fields):
		return false
	}
	for i, f := range a.Fields {
		if f.Name != b.Fields[i].Name || !Equal(f.Type, b.Fields[i].Type) {
			return false
		}
	}
	return true
}

// Assignable tells whether a value of type from can stand where to is wanted: the same type, T for optional(T), the null of an
// optional, [] for every list, and a record for a record if it has exactly its fields, in any order, each assignable. Invalid fits
// everything.
func Assignable(to, from Type) bool {
	if IsInvalid(to) || IsInvalid(from) || Equal(to, from) {
		return true
	}
	switch to := to.(type) {
	case *Optional:
		if from, ok := from.(*Optional); ok {
			return Assignable(to.Elem, from.Elem)
		}
		return from == Null || Assignable(to.Elem, from)
	case *List:
		return isEmptyList(from)
	case *Record:
		from, ok := from.(*Record)
		if !ok || len(to.known()) != len(from.known()) {
			return false
		}
		for _, f := range to.known() {
			g, ok := from.Lookup(f.Name)
			if !ok || !Assignable(f.Type, g.Type) {
				return false
			}
		}
		return true
	}
	return false
}

// Unify finds the one type of two values that meet, in the sides of ?: or in merged streams: equal types, and optional(T) for
// T with null or with optional(T). A declared record wins over an anonymous one that equals it. Invalid gives the other side.
func Unify(a, b Type) (Type, bool) {
	switch {
	case IsInvalid(a):
		return b, true
	case IsInvalid(b):
		return a, true
	case a == Null && b == Null:
		return Null, true
	case a == Null:
		return OptionalOf(b), true
	case b == Null:
		return OptionalOf(a), true
	}
	x, y := NonNull(a), NonNull(b)
	switch _, lists := x.(*List); {
	case isEmptyList(x):
		if _, lists = y.(*List); lists {
			x = y
		}
	case lists && isEmptyList(y):
		y = x
	}
	if !Equal(x, y) {
		return Invalid, false
	}
	if r, ok := x.(*Record); ok && r.Name == "" {
		x = y
	}
	if IsOptional(a) || IsOptional(b) {
		return OptionalOf(x), true
	}
	return x, true
}

// EmptyList is the type of [] before its context gives it one.
var EmptyList = &List{Elem: Null}

func isEmptyList(t Type) bool {
	l, ok := t.(*List)
	return ok && l.Elem == Null
}

// OptionalOf is optional(t). It never nests, and null and what is invalid stay as they are.
func OptionalOf(t Type) Type {
	if IsOptional(t) || t == Null || IsInvalid(t) {
		return t
	}
	return &Optional{Elem: t}
}

// NonNull is T of optional(T), and any other type itself.
func NonNull(t Type) Type {
	if o, ok := t.(*Optional); ok {
		return o.Elem
	}
	return t
}

// IsOptional tells whether t is optional(T).
func IsOptional(t Type) bool {
	_, ok := t.(*Optional)
	return ok
}

// IsInvalid tells whether an expression of type t was reported already.
func IsInvalid(t Type) bool { return t == nil || t == Invalid }

// IsInteger tells whether t is int32 or int64.
func IsInteger(t Type) bool { return t == Int32 || t == Int64 }

// IsFloat tells whether t is float32 or float64.
func IsFloat(t Type) bool { return t == Float32 || t == Float64 }

// IsNumber tells whether t is an integer, a float or a decimal.
func IsNumber(t Type) bool {
	return IsDecimal(t) || IsInteger(t) || IsFloat(t)
}

// IsDecimal tells whether t is a decimal.
func IsDecimal(t Type) bool {
	_, ok := t.(*Decimal)
	return ok
}

// IsOrdered tells whether < compares values of t: numbers, strings by their bytes, timestamps and durations.
func IsOrdered(t Type) bool { return IsNumber(t) || t == String || t == Timestamp || t == Duration }

// Widen finds the type of two numbers that meet in a comparison or an operator: int32 becomes int64 and float32 float64, decimals
// become the narrowest one that has room for both. Nothing else changes by itself.
func Widen(a, b Type) (Type, bool) {
	switch {
	case Equal(a, b):
		return a, true
	case IsInteger(a) && IsInteger(b):
		return Int64, true
	case IsFloat(a) && IsFloat(b):
		return Float64, true
	}
	x, ok := a.(*Decimal)
	y, also := b.(*Decimal)
	if !ok || !also {
		return Invalid, false
	}
	scale := max(x.Scale, y.Scale)
	digits := max(x.whole(), y.whole()) + scale
	return &Decimal{digits, scale}, digits <= MaxPrecision
}

// NaturalFormat is the wire format that a key of type t has if a sink names none: the format of the same word. Records and the
// types without a format of their own have none, nor have windowed keys of those.
func NaturalFormat(t Type) (string, bool) {
	if w, ok := WindowedOf(t); ok {
		_, ok = NaturalFormat(w.Key)
		return "windowed", ok
	}
	switch NonNull(t) {
	case String, Bytes, Bool, Int32, Int64, Float32, Float64, UUID:
		return NonNull(t).String(), true
	}
	return "", false
}
