package types

// MaxPrecision is how many digits a decimal may have.
const MaxPrecision = 38

// whole is how many digits stand before the point.
func (d *Decimal) whole() int { return d.Precision - d.Scale }

// DecimalResult is the type of x op y, op being one of + - *. The scale of a sum is the larger one of both, that of a product their sum;
// there is room for every result as far as MaxPrecision allows. ok is false if even the scale is beyond that.
func DecimalResult(op string, x, y *Decimal) (t *Decimal, ok bool) {
	t = &Decimal{}
	if op == "*" {
		t.Scale, t.Precision = x.Scale+y.Scale, x.Precision+y.Precision
	} else {
		t.Scale = max(x.Scale, y.Scale)
		t.Precision = max(x.whole(), y.whole()) + t.Scale + 1
	}
	t.Precision = min(t.Precision, MaxPrecision)
	return t, t.Scale <= MaxPrecision
}

// DecimalOverflows tells whether x op y, whose type is t, may have more digits than t: where MaxPrecision cut it short.
func DecimalOverflows(op string, x, y, t *Decimal) bool {
	if op == "*" {
		return x.Precision+y.Precision > t.Precision
	}
	return t.Precision == MaxPrecision
}

// DecimalFits tells whether every value of type from, a number, is one of type to.
func DecimalFits(to *Decimal, from Type) bool {
	switch from := from.(type) {
	case *Decimal:
		return from.Scale <= to.Scale && from.whole() <= to.whole()
	case Basic:
		switch from {
		case Int32:
			return to.whole() >= 10
		case Int64:
			return to.whole() >= 19
		}
	}
	return false
}
