package check

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/streamgen/streamgen/spec/diag"
	"github.com/streamgen/streamgen/spec/model"
	"github.com/streamgen/streamgen/spec/syntax"
	"github.com/streamgen/streamgen/spec/types"
)

// flexible tells whether e is made of literals only, so that it takes the type of its context.
func (c *checker) flexible(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Number, *syntax.Text, *syntax.Null:
		return true
	case *syntax.Paren:
		return c.flexible(e.X)
	case *syntax.Unary:
		return e.Op == "-" && c.flexible(e.X)
	case *syntax.Binary:
		switch e.Op {
		case "+", "-", "*", "/", "%":
			return c.flexible(e.L) && c.flexible(e.R)
		}
	case *syntax.List:
		return !slices.ContainsFunc(e.Items, func(it syntax.Expr) bool { return !c.flexible(it) })
	case *syntax.Conditional:
		return c.flexible(e.Then) && c.flexible(e.Else)
	case *syntax.Select:
		if root, ok := e.X.(*syntax.Name); ok && root.Name == "local" {
			l := c.locals[e.Name.Name]
			return l != nil && l.state == done && l.flexible
		}
	}
	return false
}

// number is a numeric literal: the type of its context, else int64, or float64 with a point or an exponent. text may have a sign.
func (x *exprs) number(text string, at diag.Range, want types.Type) model.Expr {
	t := types.NonNull(want)
	if d, ok := t.(*types.Decimal); ok {
		return x.decimalNumber(text, at, d)
	}
	if !types.IsInteger(t) && !types.IsFloat(t) {
		t = types.Int64
		if strings.ContainsAny(text, ".eE") {
			t = types.Float64
		}
	}
	v, why := parseNumber(text, t)
	if why != "" {
		d := x.c.diags.Errorf("SG1305", at, "%s", why)
		switch {
		case types.IsInteger(t) && strings.ContainsAny(text, ".eE"):
			d.WithHint("the other side is %s; float64(…) makes it float64", t)
		case t == types.Int32:
			d.WithHint("declare int64")
		}
		return invalid(at)
	}
	return constant(t, v, at)
}

func (x *exprs) decimalNumber(text string, at diag.Range, t *types.Decimal) model.Expr {
	if n := parseDecimal(text, t.Scale); fitsDecimal(n, t) {
		return constant(t, n, at)
	}
	x.c.diags.Errorf("SG1305", at, "%s does not fit %s", shorten(text), t)
	return invalid(at)
}

// parseNumber reads the digits of the source. The second result says what is wrong with them.
func parseNumber(text string, t types.Type) (any, string) {
	if types.IsFloat(t) {
		bits := 64
		if t == types.Float32 {
			bits = 32
		}
		f, err := strconv.ParseFloat(text, bits)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, fmt.Sprintf("%s does not fit %s", shorten(text), t)
		}
		return f, ""
	}
	if strings.ContainsAny(text, ".eE") {
		return nil, fmt.Sprintf("%s is written as a float, and %s is wanted here", shorten(text), t)
	}
	bits := 64
	if t == types.Int32 {
		bits = 32
	}
	n, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		return nil, fmt.Sprintf("%s does not fit %s", shorten(text), t)
	}
	return n, ""
}

func shorten(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}

// literal is a text: a string, or what its context makes of it.
func (x *exprs) literal(e *syntax.Text, want types.Type) model.Expr {
	switch t := types.NonNull(want).(type) {
	case *types.Enum:
		i := t.Index(e.Value)
		if i < 0 {
			x.noEnumValue(t, e)
			return invalid(e.Pos())
		}
		return constant(t, int64(i), e.Pos())
	case types.Basic:
		switch t {
		case types.Bytes:
			return constant(t, []byte(e.Value), e.Pos())
		case types.Duration, types.Timestamp:
			v, why := parseText(e.Value, t)
			if why != "" {
				d := x.c.diags.Errorf("SG1309", e.Pos(), "%q is no %s: %s", shorten(e.Value), t, why)
				if t == types.Duration {
					d.WithHint(`"10ms", "5m", "24h", "30d": a whole number and ms, s, m, h or d`)
				} else {
					d.WithHint(`RFC 3339: "2024-05-01T00:00:00Z"`)
				}
				return invalid(e.Pos())
			}
			return constant(t, v, e.Pos())
		case types.UUID:
			u, ok := parseUUID(e.Value)
			if !ok {
				x.c.diags.Errorf("SG1309", e.Pos(), "%q is no uuid", shorten(e.Value)).WithHint(`"01234567-89ab-cdef-0123-456789abcdef"`)
				return invalid(e.Pos())
			}
			return constant(t, u, e.Pos())
		}
	}
	return constant(types.String, e.Value, e.Pos())
}

func (x *exprs) noEnumValue(t *types.Enum, e *syntax.Text) {
	if len(t.Values) == 0 { // that was reported
		return
	}
	d := x.c.diags.Errorf("SG1304", e.Pos(), "%s has no value %q", t.Name, e.Value)
	if near := diag.Nearest(e.Value, t.Values); near != "" {
		d.WithHint("did you mean %q?", near)
	} else {
		d.WithHint("values: %s", strings.Join(t.Values, ", "))
	}
	d.WithRelated(t.Pos, "%s is declared here", t.Name)
}

// parseText reads the text of an enum, a duration or a timestamp: an index or milliseconds. The second result says what is wrong.
func parseText(text string, t types.Type) (int64, string) {
	switch t := t.(type) {
	case *types.Enum:
		if i := t.Index(text); i >= 0 {
			return int64(i), ""
		}
		return 0, "values: " + strings.Join(t.Values, ", ")
	case types.Basic:
		switch t {
		case types.Duration:
			return parseDuration(text)
		case types.Timestamp:
			return parseTimestamp(text)
		}
	}
	return 0, "no text can be " + t.String()
}

// parseUUID reads the text form of a UUID, in any case.
func parseUUID(text string) (u [16]byte, ok bool) {
	const form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(text) != len(form) {
		return u, false
	}
	for i := range form {
		if (form[i] == '-') != (text[i] == '-') {
			return u, false
		}
	}
	n, err := hex.Decode(u[:], []byte(strings.ReplaceAll(text, "-", "")))
	return u, err == nil && n == len(u)
}

// parseTimestamp reads RFC 3339 as milliseconds since the epoch. Finer digits than that are refused, not lost.
func parseTimestamp(text string) (int64, string) {
	ts, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, "it is not RFC 3339"
	}
	if ts.Nanosecond()%int(time.Millisecond) != 0 {
		return 0, "a timestamp has milliseconds, no more"
	}
	return ts.UnixMilli(), ""
}

var durationUnits = []struct {
	name string
	ms   int64
}{{"ms", 1}, {"s", 1000}, {"m", 60_000}, {"h", 3_600_000}, {"d", 86_400_000}}

// parseDuration reads numbers with units, such as 5m or 1h30m, in milliseconds.
func parseDuration(text string) (int64, string) {
	rest, negative := strings.CutPrefix(text, "-")
	if rest == "" {
		return 0, "it is empty"
	}
	var total int64
	for rest != "" {
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		letters := digits
		for letters < len(rest) && rest[letters] >= 'a' && rest[letters] <= 'z' {
			letters++
		}
		unit := int64(0)
		for _, u := range durationUnits {
			if u.name == rest[digits:letters] {
				unit = u.ms
			}
		}
		if digits == 0 || unit == 0 {
			return 0, "a number and a unit are expected"
		}
		n, err := strconv.ParseInt(rest[:digits], 10, 64)
		if err != nil || n > (math.MaxInt64-total)/unit {
			return 0, "it is too long"
		}
		total += n * unit
		rest = rest[letters:]
	}
	if negative {
		total = -total
	}
	return total, ""
}
