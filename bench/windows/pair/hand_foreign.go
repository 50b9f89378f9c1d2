package pair

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"github.com/streamgen/streamgen/runtime/record"
)

// foreign joins orders with the prices of their products by hand: an order subscribes to its product, which answers at once and whenever
// it changes. The two halves speak by messages, which come with the epoch behind that of the commit, as over topics. An order has
// a number that says which answer is one to it.
//
// With limit it keeps so many orders in memory, and who is subscribed to a product on the disk only.
type foreign struct {
	*disk
	limit   int
	orders  map[string]*order
	prices  map[int64]*priceOf
	changed struct {
		orders []*order
		prices []*priceOf
		subs   []subscriber
	}
	subscriptions, answers, nextSubscriptions, nextAnswers [][]byte
	joined                                                 []joinedOrder
}

type order struct {
	key               string
	value, timestamp  int64
	number            int64
	result, resultAt  int64
	changed, hasPrice bool
}

type priceOf struct {
	product          int64
	value, timestamp int64
	there, changed   bool
	orders           map[string]int64 // that are subscribed, with their numbers
}

// subscriber is a subscription that began or ended.
type subscriber struct {
	product int64
	key     string
	number  int64 // 0: it ended
}

type joinedOrder struct {
	of               *order
	value, timestamp int64
}

const (
	keyOrder = iota
	keyPrice
	keySubscriber
	keyResult
)

func newForeign(d *disk) counter {
	return &foreign{disk: d, orders: map[string]*order{}, prices: map[int64]*priceOf{}}
}

func newColdForeign(d *disk) counter {
	return &foreign{disk: d, limit: million / 10, orders: map[string]*order{}, prices: map[int64]*priceOf{}}
}

// find is an order, or nil.
func (f *foreign) find(key []byte) *order {
	o := f.orders[string(key)]
	if o != nil || f.limit == 0 {
		return o
	}
	f.key = append(append(f.key[:0], keyOrder), key...)
	v, closer, err := f.db.Get(f.key)
	if err != nil {
		return nil
	}
	o = &order{
		key:       string(key),
		timestamp: int64(binary.BigEndian.Uint64(v)),
		value:     int64(binary.BigEndian.Uint64(v[8:])),
		number:    int64(binary.BigEndian.Uint64(v[16:])),
	}
	_ = closer.Close()
	f.key[0] = keyResult
	if v, closer, err := f.db.Get(f.key); err == nil {
		o.hasPrice, o.resultAt, o.result = true, int64(binary.BigEndian.Uint64(v)), int64(binary.BigEndian.Uint64(v[8:]))
		_ = closer.Close()
	}
	f.orders[o.key] = o
	return o
}

// eachSubscriber is who is subscribed to a product, all of whom are on the disk: subscriptions are taken at commits.
func (f *foreign) eachSubscriber(p *priceOf, each func(key string, number int64)) {
	if f.limit == 0 {
		for key, number := range p.orders {
			each(key, number)
		}
		return
	}
	from := binary.BigEndian.AppendUint64([]byte{keySubscriber}, uint64(p.product))
	it, err := f.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: binary.BigEndian.AppendUint64([]byte{keySubscriber}, uint64(p.product+1))})
	if err != nil {
		return
	}
	for ok := it.First(); ok; ok = it.Next() {
		each(string(it.Key()[len(from):]), int64(binary.BigEndian.Uint64(it.Value()[8:])))
	}
	_ = it.Close()
}

func (f *foreign) process(r *record.Record) {
	value := int64(binary.BigEndian.Uint64(r.Value))
	if r.Source == 0 {
		f.price(int64(binary.BigEndian.Uint64(r.Key)), value, r.Timestamp)
		return
	}
	o := f.find(r.Key)
	if o == nil {
		o = &order{key: string(r.Key)}
		f.orders[o.key] = o
	} else if old := o.value % products; old != value%products {
		f.nextSubscriptions = append(f.nextSubscriptions, message(old, 0, r.Timestamp, o.key))
	}
	o.value, o.timestamp = value, r.Timestamp
	o.number++
	if !o.changed {
		o.changed = true
		f.changed.orders = append(f.changed.orders, o)
	}
	f.nextSubscriptions = append(f.nextSubscriptions, message(value%products, o.number, r.Timestamp, o.key))
}

func (f *foreign) price(product, value, timestamp int64) {
	p := f.priceOf(product)
	p.value, p.timestamp, p.there = value, timestamp, true
	if !p.changed {
		p.changed = true
		f.changed.prices = append(f.changed.prices, p)
	}
	f.eachSubscriber(p, func(key string, number int64) {
		f.nextAnswers = append(f.nextAnswers, message(value, number, timestamp, key))
	})
}

func (f *foreign) priceOf(product int64) *priceOf {
	p := f.prices[product]
	if p == nil {
		p = &priceOf{product: product, orders: map[string]int64{}}
		f.prices[product] = p
	}
	return p
}

// message is a subscription to a product, or the answer with a price: a number of an order, 0 for none, and its key.
func message(n, number, timestamp int64, key string) []byte {
	b := make([]byte, 0, 24+len(key))
	b = binary.BigEndian.AppendUint64(b, uint64(n))
	b = binary.BigEndian.AppendUint64(b, uint64(number))
	b = binary.BigEndian.AppendUint64(b, uint64(timestamp))
	return append(b, key...)
}

func parse(b []byte) (n, number, timestamp int64, key []byte) {
	return int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:])), int64(binary.BigEndian.Uint64(b[16:])), b[24:]
}

// receive takes the messages of the epoch before.
func (f *foreign) receive() {
	for _, b := range f.subscriptions {
		product, number, timestamp, key := parse(b)
		p := f.priceOf(product)
		text := string(key)
		f.changed.subs = append(f.changed.subs, subscriber{product, text, number})
		if number == 0 {
			delete(p.orders, text)
			continue
		}
		if f.limit == 0 {
			p.orders[text] = number
		}
		if p.there {
			f.nextAnswers = append(f.nextAnswers, message(p.value, number, max(timestamp, p.timestamp), text))
		}
	}
	for _, b := range f.answers {
		price, number, timestamp, key := parse(b)
		o := f.find(key)
		if o == nil || o.number != number {
			continue
		}
		value := o.value + price
		if o.hasPrice && o.result == value && o.resultAt == timestamp {
			continue
		}
		o.hasPrice, o.result, o.resultAt = true, value, timestamp
		f.joined = append(f.joined, joinedOrder{o, value, timestamp})
	}
	f.subscriptions, f.answers = nil, nil
}

func (f *foreign) commit() {
	f.receive()
	for _, o := range f.changed.orders {
		o.changed = false
		f.key = append(append(f.key[:0], keyOrder), o.key...)
		f.row = binary.BigEndian.AppendUint64(f.row[:0], uint64(o.timestamp))
		f.row = binary.BigEndian.AppendUint64(f.row, uint64(o.value))
		f.row = binary.BigEndian.AppendUint64(f.row, uint64(o.number))
		f.changelog = append(append(f.changelog, f.key...), f.row...)
		_ = f.batch.Set(f.key, f.row, nil)
	}
	for _, p := range f.changed.prices {
		p.changed = false
		f.key = binary.BigEndian.AppendUint64(append(f.key[:0], keyPrice), uint64(p.product))
		f.put(f.key, p.value, p.timestamp)
	}
	for _, s := range f.changed.subs {
		f.key = binary.BigEndian.AppendUint64(append(f.key[:0], keySubscriber), uint64(s.product))
		f.key = append(f.key, s.key...)
		if s.number == 0 {
			f.changelog = append(f.changelog, f.key...)
			_ = f.batch.Delete(f.key, nil)
		} else {
			f.put(f.key, s.number, 0)
		}
	}
	for _, j := range f.joined {
		f.key = append(append(f.key[:0], keyResult), j.of.key...)
		f.put(f.key, j.value, j.timestamp)
		f.send(f.key[1:], j.value, j.timestamp)
	}
	f.changed.orders, f.changed.prices, f.changed.subs, f.joined = f.changed.orders[:0], f.changed.prices[:0], f.changed.subs[:0], f.joined[:0]
	f.subscriptions, f.answers, f.nextSubscriptions, f.nextAnswers = f.nextSubscriptions, f.nextAnswers, nil, nil
	for key := range f.orders {
		if f.limit == 0 || len(f.orders) <= f.limit {
			break
		}
		delete(f.orders, key)
	}
}

// rest is the epochs that what is on its way takes.
func (f *foreign) rest() (more bool) { return len(f.subscriptions)+len(f.answers) > 0 }
