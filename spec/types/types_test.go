package types_test

import (
	"testing"

	"github.com/streamgen/streamgen/spec/types"
)

var (
	tier  = &types.Enum{Name: "Tier", Values: []string{"bronze", "silver"}}
	size  = &types.Enum{Name: "Size", Values: []string{"bronze", "silver"}}
	order = record("Order", field("id", types.String), field("n", types.Int64))
	other = record("Other", field("id", types.String), field("n", types.Int64))
	anon  = record("", field("id", types.String), field("n", types.Int64))
	swap  = record("", field("n", types.Int64), field("id", types.String))
	loose = record("Loose", field("id", opt(types.String)), field("n", types.Int64))
	more  = record("", field("id", types.String), field("n", types.Int64), field("x", types.Bool))
)

func record(name string, fields ...types.Field) *types.Record {
	return &types.Record{Name: name, Fields: fields}
}

func field(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }

func opt(t types.Type) types.Type { return types.OptionalOf(t) }

func TestString(t *testing.T) {
	for want, typ := range map[string]types.Type{
		"int64":                       types.Int64,
		"null":                        types.Null,
		"optional(string)":            opt(types.String),
		"Tier":                        tier,
		"Order":                       order,
		"{ id = string, n = int64 }":  anon,
		"{}":                          record(""),
		"decimal(12, 2)":              &types.Decimal{Precision: 12, Scale: 2},
		"list(Order)":                 &types.List{Elem: order},
		"map(string, optional(Tier))": &types.Map{Elem: opt(tier)},
		"windowed(string)":            &types.Windowed{Key: types.String},
	} {
		if typ.String() != want {
			t.Errorf("got %s, want %s", typ, want)
		}
	}
}

func TestEqual(t *testing.T) {
	distinct := []types.Type{
		types.Invalid, types.Null, types.String, types.Bytes, types.Int32, types.Int64, types.Timestamp, types.Duration, opt(types.String),
		opt(types.Int64), tier, size, order, other, swap, more, opt(order), &types.List{Elem: types.String}, &types.List{Elem: types.Int64},
		&types.Map{Elem: types.String}, &types.Windowed{Key: types.String}, &types.Windowed{Key: types.Int64},
		&types.Decimal{Precision: 1, Scale: 0}, &types.Decimal{Precision: 1, Scale: 1},
	}
	for i, a := range distinct {
		for j, b := range distinct {
			if types.Equal(a, b) != (i == j) {
				t.Errorf("Equal(%s, %s) is %t", a, b, i != j)
			}
		}
	}
	for _, c := range [][2]types.Type{{anon, order}, {order, anon}, {anon, other}, {opt(anon), opt(order)}, {opt(types.String), opt(types.String)}} {
		if !types.Equal(c[0], c[1]) {
			t.Errorf("%s and %s are equal", c[0], c[1])
		}
	}
}

func TestAssignable(t *testing.T) {
	for _, c := range []struct {
		to, from types.Type
		want     bool
	}{
		{types.String, types.String, true},
		{types.String, types.Int64, false},
		{types.Int64, types.Int32, false},
		{opt(types.String), types.String, true},
		{types.String, opt(types.String), false},
		{opt(types.String), opt(types.String), true},
		{opt(types.String), types.Null, true},
		{types.String, types.Null, false},
		{types.Invalid, types.String, true},
		{types.String, types.Invalid, true},
		{order, anon, true},
		{order, other, true}, // by fields
		{order, swap, true},  // in any order
		{order, more, false}, // extra
		{more, order, false}, // missing
		{loose, order, true}, // T for optional(T)
		{order, loose, false},
		{opt(loose), order, true},
		{opt(loose), opt(order), true},
		{loose, opt(order), false},
		{tier, size, false},
		{tier, types.String, false},
	} {
		if got := types.Assignable(c.to, c.from); got != c.want {
			t.Errorf("Assignable(%s, %s) is %t", c.to, c.from, got)
		}
	}
}

func TestUnify(t *testing.T) {
	for _, c := range []struct {
		a, b, want types.Type // nil: they do not meet
	}{
		{types.Int64, types.Int64, types.Int64},
		{types.Int64, types.Int32, nil},
		{types.Int64, types.Null, opt(types.Int64)},
		{types.Null, types.Null, types.Null},
		{opt(types.Int64), types.Null, opt(types.Int64)},
		{opt(types.Int64), types.Int64, opt(types.Int64)},
		{opt(types.Int64), types.String, nil},
		{types.Invalid, types.String, types.String},
		{anon, order, order},
		{opt(anon), order, opt(order)},
		{order, other, nil},
		{anon, swap, nil},
	} {
		for _, s := range [][2]types.Type{{c.a, c.b}, {c.b, c.a}} {
			got, ok := types.Unify(s[0], s[1])
			if ok != (c.want != nil) || ok && got.String() != c.want.String() {
				t.Errorf("Unify(%s, %s) is %s, %t", s[0], s[1], got, ok)
			}
		}
	}
}

func TestOptional(t *testing.T) {
	o := opt(types.String)
	switch {
	case types.OptionalOf(o) != o:
		t.Error("optional nests")
	case types.OptionalOf(types.Invalid) != types.Invalid || types.OptionalOf(types.Null) != types.Null:
		t.Error("what has no type became optional")
	case types.NonNull(o) != types.String || types.NonNull(types.Int64) != types.Int64:
		t.Error("NonNull")
	case !types.IsOptional(o) || types.IsOptional(types.String):
		t.Error("IsOptional")
	}
}

func TestWiden(t *testing.T) {
	for _, c := range []struct {
		a, b, want types.Type
	}{
		{types.Int32, types.Int64, types.Int64},
		{types.Int32, types.Int32, types.Int32},
		{types.Float32, types.Float64, types.Float64},
		{types.String, types.String, types.String},
		{types.Int64, types.Float64, nil},
		{types.Int64, types.Duration, nil},
	} {
		got, ok := types.Widen(c.a, c.b)
		if ok != (c.want != nil) || ok && got != c.want {
			t.Errorf("Widen(%s, %s) is %s, %t", c.a, c.b, got, ok)
		}
	}
}

func TestNaturalFormat(t *testing.T) {
	for typ, want := range map[types.Type]string{
		types.String: "string", types.Bytes: "bytes", types.Int32: "int32", types.Int64: "int64", types.Float64: "float64",
		opt(types.Int64): "int64", order: "", tier: "", types.Timestamp: "", types.Bool: "bool", types.Float32: "float32", types.UUID: "uuid",
		&types.Decimal{Precision: 5}: "", &types.List{Elem: types.String}: "",
	} {
		if got, ok := types.NaturalFormat(typ); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t", typ, got, ok)
		}
	}
}
