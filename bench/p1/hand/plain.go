package hand

// plainString is where the plain string at i ends, behind its quote; 0: there is none.
func plainString(b []byte, i int) int {
	if i < len(b) && b[i] == '"' {
		if end, plain := stringEnd(b, i+1); plain && end > 0 {
			return end + 1
		}
	}
	return 0
}

// readPlain reads an order as the shop writes it: all fields in this order, no white space, plain strings. It is false if
// anything is written otherwise, and right. Constants stand where they are compared, so that it takes a word or two each.
func (o *order) readPlain(b []byte) bool {
	if len(b) < 64 || string(b[:12]) != `{"order_id":` {
		return false
	}
	i := 12
	e := plainString(b, i)
	if e == 0 {
		return false
	}
	o.orderID = b[i:e]
	if i = e; i+15 > len(b) || string(b[i:i+15]) != `,"customer_id":` {
		return false
	}
	i += 15
	if e = plainString(b, i); e == 0 {
		return false
	}
	o.customerID = b[i:e]
	if i = e; i+14 > len(b) || string(b[i:i+14]) != `,"product_id":` {
		return false
	}
	i += 14
	if e = plainString(b, i); e == 0 {
		return false
	}
	if i = e; i+10 > len(b) || string(b[i:i+10]) != `,"status":` {
		return false
	}
	i += 10
	if e = plainString(b, i); e == 0 {
		return false
	}
	o.status = b[i+1 : e-1]
	if i = e; i+11 > len(b) || string(b[i:i+11]) != `,"country":` {
		return false
	}
	i += 11
	if e = plainString(b, i); e == 0 {
		return false
	}
	if i = e; i+12 > len(b) || string(b[i:i+12]) != `,"currency":` {
		return false
	}
	i += 12
	if e = plainString(b, i); e == 0 {
		return false
	}
	o.currency = b[i:e]
	if i = e; i+10 > len(b) || string(b[i:i+10]) != `,"amount":` {
		return false
	}
	i += 10
	e, short := number(b, i)
	if e < 0 || !short {
		return false
	}
	o.amount = b[i:e]
	if i = e; i+12 > len(b) || string(b[i:i+12]) != `,"quantity":` {
		return false
	}
	i += 12
	if e, _ = number(b, i); e < 0 {
		return false
	}
	if i = e; i+14 > len(b) || string(b[i:i+14]) != `,"created_at":` {
		return false
	}
	i += 14
	if e, _ = number(b, i); e < 0 {
		return false
	}
	if i = e; i+8 > len(b) || string(b[i:i+8]) != `,"note":` {
		return false
	}
	i += 8
	if e = plainString(b, i); e == 0 {
		return false
	}
	return e+1 == len(b) && b[e] == '}'
}
