package hand

import (
	stdjson "encoding/json"

	"github.com/streamgen/streamgen/runtime/json"
)

// Read is the step over the JSON reader that generated code uses, too: the difference to generated code is what the generator
// adds or saves.
func Read(dst, b []byte) ([]byte, bool, error) {
	var orderID, customerID, currency, status string
	var amount float64
	var seen uint64
	r := json.Object(b)
	for r.Next() {
		switch string(r.Name) {
		case "order_id":
			orderID = r.Text()
			seen |= 1
		case "customer_id":
			customerID = r.Text()
			seen |= 2
		case "status":
			status = r.Text()
			seen |= 4
		case "currency":
			currency = r.Text()
			seen |= 8
		case "amount":
			amount = r.Float64()
			seen |= 16
		default:
			r.Skip()
		}
	}
	if seen != 31 {
		r.Missing(seen, "order_id", "customer_id", "status", "currency", "amount")
	}
	if err := r.Err(); err != nil || status != "PAID" {
		return dst, false, err
	}
	dst = append(dst, `{"order_id":`...)
	dst = json.AppendText(dst, orderID)
	dst = append(dst, `,"customer_id":`...)
	dst = json.AppendText(dst, customerID)
	dst = append(dst, `,"currency":`...)
	dst = json.AppendText(dst, currency)
	dst = append(dst, `,"amount":`...)
	dst = json.AppendNumber(dst, amount)
	return append(dst, '}'), true, nil
}

type stdOrder struct {
	OrderID    string  `json:"order_id"`
	CustomerID string  `json:"customer_id"`
	ProductID  string  `json:"product_id"`
	Status     string  `json:"status"`
	Country    string  `json:"country"`
	Currency   string  `json:"currency"`
	Amount     float64 `json:"amount"`
	Quantity   int32   `json:"quantity"`
	CreatedAt  int64   `json:"created_at"`
	Note       string  `json:"note"`
}

type stdPaid struct {
	OrderID    string  `json:"order_id"`
	CustomerID string  `json:"customer_id"`
	Currency   string  `json:"currency"`
	Amount     float64 `json:"amount"`
}

// Standard is the step as it is written first: with encoding/json. It is not strict (fields may be missing), and slower by
// an order of magnitude.
func Standard(dst, b []byte) ([]byte, bool, error) {
	var o stdOrder
	if err := stdjson.Unmarshal(b, &o); err != nil || o.Status != "PAID" {
		return dst, false, err
	}
	out, err := stdjson.Marshal(stdPaid{o.OrderID, o.CustomerID, o.Currency, o.Amount})
	return append(dst, out...), true, err
}
