// Package orders makes the input of the pair P1: orders of ten fields and 203 bytes, the same ones each time. The two
// programs of the pair, the comparison and the tests all read these.
package orders

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

const (
	// Size is the length of each order in bytes.
	Size = 203
	// Start is the timestamp of the first order, in milliseconds. Each order is a tenth of a millisecond later.
	Start = 1_795_910_400_000
)

// Order is a record: the key is the order's id.
type Order struct {
	Key, Value []byte
	Timestamp  int64 // milliseconds
}

// Source makes orders. Half of them are paid.
type Source struct {
	random *rand.Rand
	n      int64
}

// New begins the sequence.
func New() *Source { return &Source{random: rand.New(rand.NewPCG(1, 1))} }

var (
	statuses = [...]string{"PAID", "NEW", "PAID", "CANCELLED"}
	note     = "please leave the parcel at the back door, or with the neighbours"
)

// Next is the next order, in memory of its own.
func (s *Source) Next() Order {
	r := s.random
	at := Start + s.n/10
	key := fmt.Appendf(nil, "ord-%09d", s.n)
	v := fmt.Appendf(make([]byte, 0, Size), `{"order_id":%q,"customer_id":"c-%06d","product_id":"p-%05d","status":%q,`+
		`"country":"DE","currency":"EUR","amount":%s,"quantity":%d,"created_at":%d,"note":"`,
		key, r.IntN(100_000), r.IntN(50_000), statuses[r.IntN(len(statuses))],
		strconv.FormatFloat(float64(r.IntN(200_000))/100, 'f', -1, 64), 1+r.IntN(9), at)
	v = append(v, note[:Size-2-len(v)]...)
	s.n++
	return Order{key, append(v, `"}`...), at}
}

// Make makes the first n orders.
func Make(n int) []Order {
	s := New()
	list := make([]Order, n)
	for i := range list {
		list[i] = s.Next()
	}
	return list
}
