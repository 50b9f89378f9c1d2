package hand

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// order is what the program reads of an order: the literals of the fields that it passes on, as they stand in the record, and
// the status.
type order struct {
	orderID, customerID, currency, amount []byte
	status                                []byte // without its quotes
}

// field is a field of an order.
type field uint8

const (
	orderID field = 1 << iota
	customerID
	currency
	amount
	status
	other
	required = other - 1
)

// read reads an order strictly: the whole record is checked, whatever is used of it.
func (o *order) read(b []byte) error {
	var seen field
	i := space(b, 0)
	if i >= len(b) || b[i] != '{' {
		return bad(i, "an object")
	}
	i = space(b, i+1)
	if i < len(b) && b[i] == '}' {
		return bad(i, "a field")
	}
	for {
		f, end := name(b, i)
		if f == 0 {
			return bad(end, "a field name and a colon")
		}
		i = space(b, end)
		start := i
		if i < len(b) && b[i] == '"' {
			end, plain := stringEnd(b, i+1)
			if end < 0 || !plain && !soundString(b[i:end+1]) {
				return bad(i, "a string")
			}
			i = end + 1
			switch f {
			case orderID:
				o.orderID = b[start:i]
			case customerID:
				o.customerID = b[start:i]
			case currency:
				o.currency = b[start:i]
			case status:
				o.status = b[start+1 : end]
				if !plain {
					o.status, _ = jsontext.AppendUnquote(nil, b[start:i])
				}
			case amount:
				return bad(start, "a number")
			}
		} else if f == other {
			if i = value(b, i); i < 0 {
				return bad(start, "a value")
			}
		} else {
			if f != amount {
				return bad(start, "a string")
			}
			var short bool
			if i, short = number(b, i); i < 0 || !short && !float64Fits(b[start:i]) {
				return bad(start, "a float64")
			}
			o.amount = b[start:i]
		}
		seen |= f
		i = space(b, i)
		if i < len(b) && b[i] == ',' {
			i = space(b, i+1)
			continue
		}
		if i >= len(b) || b[i] != '}' {
			return bad(i, "a comma or the end of the object")
		}
		break
	}
	if i = space(b, i+1); i < len(b) {
		return bad(i, "the end of the record")
	}
	if seen&required != required {
		return bad(i, "all of order_id, customer_id, currency, amount and status")
	}
	return nil
}

func bad(i int, what string) error { return fmt.Errorf("order: byte %d: expected %s", i, what) }

// name reads a field name and the colon behind it; 0 is none.
func name(b []byte, i int) (field, int) {
	if i >= len(b) || b[i] != '"' {
		return 0, i
	}
	end, plain := stringEnd(b, i+1)
	if end < 0 || !plain && !soundString(b[i:end+1]) {
		return 0, i
	}
	text := b[i+1 : end]
	if !plain {
		text, _ = jsontext.AppendUnquote(nil, b[i:end+1])
	}
	f := other
	switch string(text) {
	case "order_id":
		f = orderID
	case "customer_id":
		f = customerID
	case "currency":
		f = currency
	case "amount":
		f = amount
	case "status":
		f = status
	}
	if i = space(b, end+1); i >= len(b) || b[i] != ':' {
		return 0, i
	}
	return f, i + 1
}

func space(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// stringEnd finds the closing quote of the string whose first byte is at i; -1: there is none, or a control character stands
// before it. A plain string has neither escapes nor bytes beyond ASCII.
func stringEnd(b []byte, i int) (end int, plain bool) {
	var high uint64
	plain = true
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^'"'*ones, w^'\\'*ones
		hit := ((quote-ones)&^quote | (slash-ones)&^slash | (w-' '*ones)&^w) & tops
		if hit == 0 {
			high |= w
			i += 8
			continue
		}
		n := bits.TrailingZeros64(hit) &^ 7
		high |= w & (1<<n - 1)
		i += n >> 3
		switch c := b[i]; {
		case c == '"':
			return i, plain && high&tops == 0
		case c != '\\':
			return -1, false
		}
		plain = false
		i += 2
	}
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i, plain && high&tops == 0
		case c < ' ':
			return -1, false
		case c == '\\':
			plain = false
			i++
		case c >= utf8.RuneSelf:
			plain = false
		}
		i++
	}
	return -1, false
}

// soundString checks escapes and UTF-8 of a string with its quotes. It is rare.
func soundString(literal []byte) bool {
	_, err := jsontext.AppendUnquote(nil, literal)
	return err == nil
}

// value passes over a value that is no string; -1: it is none.
func value(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch rest := b[i:]; rest[0] {
	case 't':
		return word(rest, i, "true")
	case 'f':
		return word(rest, i, "false")
	case 'n':
		return word(rest, i, "null")
	case '{', '[': // an order has none: nobody waits for it
		d := jsontext.NewDecoder(bytes.NewReader(rest), jsontext.AllowDuplicateNames(true))
		if err := d.SkipValue(); err != nil {
			return -1
		}
		return i + int(d.InputOffset())
	}
	i, _ = number(b, i)
	return i
}

func word(rest []byte, i int, w string) int {
	if len(rest) < len(w) || string(rest[:len(w)]) != w {
		return -1
	}
	return i + len(w)
}

// number passes over a number; -1: it is none. A short one has no exponent and certainly a float64.
func number(b []byte, i int) (end int, short bool) {
	start := i
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	i = digits(b, i)
	if i == first || b[first] == '0' && i > first+1 {
		return -1, false
	}
	if i < len(b) && b[i] == '.' {
		first = i + 1
		if i = digits(b, first); i == first {
			return -1, false
		}
	}
	if i >= len(b) || b[i]|0x20 != 'e' {
		return i, i-start < 300
	}
	i++
	if i < len(b) && (b[i] == '+' || b[i] == '-') {
		i++
	}
	first = i
	if i = digits(b, first); i == first {
		return -1, false
	}
	return i, false
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// float64Fits says whether a number has a float64.
func float64Fits(literal []byte) bool {
	_, err := strconv.ParseFloat(string(literal), 64)
	return err == nil
}

// append writes what is left of an order.
func (o *order) append(dst []byte) []byte {
	dst = append(append(dst, `{"order_id":`...), o.orderID...)
	dst = append(append(dst, `,"customer_id":`...), o.customerID...)
	dst = append(append(dst, `,"currency":`...), o.currency...)
	dst = append(append(dst, `,"amount":`...), o.amount...)
	return append(dst, '}')
}

// Scan is the step with a scanner of its own: strict, and passing the literals on as they stand.
func Scan(dst, b []byte) ([]byte, bool, error) {
	var o order
	if !o.readPlain(b) {
		if err := o.read(b); err != nil {
			return dst, false, err
		}
	}
	if string(o.status) != "PAID" {
		return dst, false, nil
	}
	return o.append(dst), true, nil
}
