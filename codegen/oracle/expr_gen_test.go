package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// typ is a type as a generated spec writes it: "int64", "optional(string)", "Order", or an anonymous record.
type typ string

func (t typ) optional() bool { return strings.HasPrefix(string(t), "optional(") }

func (t typ) nonNull() typ {
	if t.optional() {
		return t[len("optional(") : len(t)-1]
	}
	return t
}

func optionalOf(t typ) typ { return "optional(" + t.nonNull() + ")" }

// member is a field of a record type.
type member struct {
	name string
	typ  typ
}

// name is what an expression may say, and its type.
type name struct {
	text string
	typ  typ
}

// names are those of a scope, the fields of records included.
type names []name

// random writes specs. All that it decides comes from the seed.
type random struct {
	*rand.Rand
	records map[typ][]member
}

func (g *random) one(list ...string) string { return list[g.IntN(len(list))] }
func (g *random) chance(percent int) bool   { return g.IntN(100) < percent }

// with adds a name and what is in it.
func (g *random) with(s names, text string, t typ) names {
	s = append(s[:len(s):len(s)], name{text, t})
	for _, m := range g.records[t] {
		s = g.with(s, text+"."+m.name, m.typ)
	}
	return s
}

func (s names) of(t typ) (list []name) {
	for _, n := range s {
		if n.typ == t {
			list = append(list, n)
		}
	}
	return list
}

var scalars = []string{"string", "int64", "float64", "bool", "int32", "Tier", "timestamp"}

// expr is an expression of exactly that type.
func (g *random) expr(s names, t typ, depth int) string {
	if t.optional() {
		if list := s.of(t); len(list) > 0 && g.chance(60) {
			return list[g.IntN(len(list))].text
		}
		return fmt.Sprintf("(%s ? %s : null)", g.expr(s, "bool", depth-1), g.expr(s, t.nonNull(), depth-1))
	}
	list := s.of(t)
	if depth <= 0 || len(list) > 0 && g.chance(30) {
		if len(list) > 0 && g.chance(80) {
			return list[g.IntN(len(list))].text
		}
		return g.leaf(s, t)
	}
	if list := s.of(optionalOf(t)); len(list) > 0 && g.chance(40) {
		n := list[g.IntN(len(list))]
		if g.chance(50) {
			return fmt.Sprintf("coalesce(%s, %s)", n.text, g.expr(s, t, depth-1))
		}
		return fmt.Sprintf("(%s == null ? %s : %s)", n.text, g.expr(s, t, depth-1), g.expr(g.with(s.without(n.text), n.text, t), t, depth-1))
	}
	if g.chance(15) {
		return fmt.Sprintf("(%s ? %s : %s)", g.expr(s, "bool", depth-1), g.expr(s, t, depth-1), g.expr(s, t, depth-1))
	}
	sub := func(t typ) string { return g.expr(s, t, depth-1) }
	switch t {
	case "string":
		switch g.IntN(8) {
		case 0:
			return sub("string") + " + " + sub("string")
		case 1:
			return fmt.Sprintf(`"%s/${%s}"`, g.one("a", "b", ""), g.expr(s, typ(g.one("string", "int64", "bool", "float64", "Tier", "timestamp", "int32")), depth-1))
		case 2:
			return g.one("upper", "lower", "trim") + "(" + sub("string") + ")"
		case 3:
			return fmt.Sprintf("substr(%s, %d, %d)", sub("string"), g.IntN(4)-1, g.IntN(4))
		case 4:
			return fmt.Sprintf("string(%s)", g.expr(s, typ(g.one("int64", "float64", "bool", "timestamp", "Tier")), depth-1))
		case 5:
			return fmt.Sprintf("replace(%s, %q, %q)", sub("string"), g.one("a", "b", "/"), g.one("x", "", "ab"))
		}
	case "int64":
		switch g.IntN(8) {
		case 0, 1, 2:
			return fmt.Sprintf("(%s %s %s)", sub("int64"), g.one("+", "-", "*"), sub("int64"))
		case 3:
			return "length(" + sub("string") + ")"
		case 4:
			return fmt.Sprintf("try(int64(%s), %s)", sub("string"), sub("int64"))
		case 5:
			return fmt.Sprintf("(%s %s %s)", sub("int64"), g.one("/", "%"), sub("int64"))
		case 6:
			return fmt.Sprintf("%s(%s, %s)", g.one("min", "max"), sub("int64"), sub("int64"))
		case 7:
			return g.one("unix_ms("+sub("timestamp")+")", "int64("+sub("int32")+")", "abs("+sub("int64")+")")
		}
	case "int32":
		if g.chance(40) {
			return fmt.Sprintf("(%s %s %s)", sub("int32"), g.one("+", "-", "*"), sub("int32"))
		}
		if g.chance(40) {
			return "int32(" + sub("int64") + ")"
		}
	case "float64":
		switch g.IntN(4) {
		case 0:
			return fmt.Sprintf("(%s %s %s)", sub("float64"), g.one("+", "-", "*"), sub("float64"))
		case 1:
			return "float64(" + sub("int64") + ")"
		}
	case "timestamp":
		if g.chance(40) {
			return fmt.Sprintf("(%s %s %q)", sub("timestamp"), g.one("+", "-"), g.one("1ms", "7ms", "2s"))
		}
	case "bool":
		switch g.IntN(5) {
		case 0, 1:
			o := typ(g.one("string", "int64", "float64", "timestamp", "int32"))
			return fmt.Sprintf("%s %s %s", g.side(s, o, depth-1), g.one("==", "!=", "<", "<=", ">", ">="), g.expr(s, o, depth-1))
		case 2:
			return fmt.Sprintf("(%s %s %s)", g.paren(sub("bool")), g.one("&&", "||"), g.paren(sub("bool")))
		case 3:
			return fmt.Sprintf("%s(%s, %q)", g.one("contains", "starts_with", "ends_with"), sub("string"), g.one("a", "b", "c", "1"))
		case 4:
			var nullable []string
			for _, n := range s {
				if n.typ.optional() {
					nullable = append(nullable, n.text)
				}
			}
			if len(nullable) > 0 {
				return g.one(nullable...) + g.one(" == null", " != null")
			}
		}
	}
	if len(list) > 0 {
		return list[g.IntN(len(list))].text
	}
	return g.leaf(s, t)
}

func (g *random) paren(text string) string { return "(" + text + ")" }

// side is an operand of a comparison that has its type by itself.
func (g *random) side(s names, t typ, depth int) string {
	if list := s.of(t); len(list) > 0 {
		return list[g.IntN(len(list))].text
	}
	return g.expr(s, t, depth)
}

func (s names) without(text string) (left names) {
	for _, n := range s {
		if n.text != text && !strings.HasPrefix(n.text, text+".") {
			left = append(left, n)
		}
	}
	return left
}

// leaf is a literal, or a record that is made of leaves.
func (g *random) leaf(s names, t typ) string {
	switch t {
	case "string":
		return fmt.Sprintf("%q", g.one("a", "b", "c", "a1", "7", "", "B/x"))
	case "int64":
		return g.one("0", "1", "2", "3", "-5", "10", "100")
	case "int32":
		return "int32(" + g.one("0", "1", "2", "-3") + ")"
	case "float64":
		return g.one("0.5", "1.0", "2.25", "-3.5")
	case "bool":
		return g.one("true", "false")
	case "Tier":
		return fmt.Sprintf("Tier(%q)", g.one("gold", "silver"))
	case "timestamp":
		return fmt.Sprintf("from_unix_ms(%d)", 1+g.IntN(50))
	}
	if t.optional() {
		return "null"
	}
	return g.make(s, t, 1)
}

// make is a new record.
func (g *random) make(s names, t typ, depth int) string {
	var fields []string
	for _, m := range g.records[t] {
		fields = append(fields, m.name+" = "+g.expr(s, m.typ, depth))
	}
	body := "{ " + strings.Join(fields, ", ") + " }"
	if strings.HasPrefix(string(t), "{") {
		return body
	}
	return string(t) + "(" + body + ")"
}
